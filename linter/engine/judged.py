"""A document with what its rules found, before findings are selected and located."""

from __future__ import annotations

from flink_flint.linter.config.flint_config import NONE, FlintConfig, FlintConfigFile
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.target import Target
from flink_flint.linter.text.named_tuple import NamedTuple


class Judged(NamedTuple):
    """One document with its raw findings."""

    document: Document
    target: Target
    flint_config: FlintConfig
    findings: list[Finding]
    project_codes: frozenset[str]
    """The rules of scope "project" that the document calls for."""
    crashed: bool
    observed: bool
    """Whether the history knows its cluster."""
    relation: Relation
    ignored: frozenset[str] = frozenset()
    """The rules whose findings are counted and not reported, because `ignore` of the settings names them."""
    settings: FlintConfigFile = NONE
    """The file of the settings that hold for it."""
