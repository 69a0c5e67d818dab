"""The API for rules in other packages; docs/own-rules.md explains how to register them.

The names in this module are stable. Everything else in `flink_flint` may change with any release.
"""

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import Duration, MemorySize, parse_duration, parse_memory
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.finding import Confidence, Finding, Fix, Place, Severity
from flink_flint.linter.model.processes.process_view import ProcessView
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Rule, Threshold, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import Setting, View

__all__ = [
    "BadValue", "Case", "Confidence", "Document", "Duration", "ElementView", "Finding", "Fix", "MemorySize",
    "Place", "ProcessView", "Project", "Rule", "Setting", "Severity", "Threshold", "View", "bad",
    "cases_in_folders", "good", "parse_duration", "parse_memory", "rule",
]  # fmt: skip
