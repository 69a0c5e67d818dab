"""Evidence that a logging configuration is for Flink: its name, its loggers, and the log file of Flink's scripts.

Products that descend from Flink ship copies of its files in which their own packages stand.
"""

from __future__ import annotations

import os
import re

from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.text.lazy_regex import regex

_OWN = regex(r"org\.apache\.flink\b")
_LOG_FILE = regex(r"\$\{(?:sys:)?log\.file\}|\$\{env:MAX_LOG_FILE_NUMBER")
_FILE = regex(
    r"^(?![ \t]*[#!])[^\n]{0,200}?(?:\b(?:fileName|File)[ \t]*[=:][ \t]*[\"']?|<file>|\bname=\"File\"[ \t]+value=\")"
    r"(?P<value>[^\s\"'<>]+)",
    re.MULTILINE | re.IGNORECASE,
)
"""Matches the files that appenders write to."""
_PACKAGE = regex(r"\borg\.apache\.([a-z][\w-]*)")
_SHADED = regex(r"\b((?:[a-z]\w*\.){1,6})shaded\.")
_LIBRARIES = frozenset((
    "avro", "commons", "curator", "flink", "hadoop", "hive", "http", "kafka", "log4j", "logging", "orc", "parquet",
    "pekko", "thrift", "zookeeper",
))  # fmt: skip
"""The packages of Apache that programs on Flink have as libraries, and log less of."""


_OF_LOGGERS = 3
"""The weight of loggers, which every product that runs Flink inside itself has as well."""
_MAX_SHOWN = 60


def _another_file(head: str) -> str | None:
    """Return a file that is written if no file's path says that it is Flink's; None if there is no file."""
    files = [match["value"] for match in _FILE.finditer(head)]
    return files[0] if files and not any("flink" in file.lower() for file in files) else None


def evidence_of_logging(path: str, head: str, flinks_names: re.Pattern[str]) -> Evidence:
    """Return the evidence that a logging configuration is for Flink, from its path and its text."""
    found = NOTHING
    if flinks_names.fullmatch(os.path.basename(path)) is not None:
        found = found.plus(3, "named as a file of Flink's distribution")
    mentions = _OWN.search(head) is not None
    if mentions:
        found = found.plus(_OF_LOGGERS, "loggers of org.apache.flink")
    if _LOG_FILE.search(head) is not None:
        found = found.plus(3, "the log file that Flink's scripts name")
    if not found.in_favor:
        return found
    if found.in_favor == _OF_LOGGERS and mentions and (elsewhere := _another_file(head)) is not None:
        found = found.plus(-4, f"written to {elsewhere[:_MAX_SHOWN]}, not to Flink's log file")
    shaded = {match[1] for match in _SHADED.finditer(head) if not match[1].endswith("org.apache.flink.")}
    if shaded:
        found = found.plus(-10, f"libraries inside of {min(shaded).rstrip('.')}")
    others = {match[1] for match in _PACKAGE.finditer(head)} - _LIBRARIES
    if others and not mentions:
        found = found.plus(-4, f"loggers of org.apache.{min(others)} and none of Flink's")
    return found
