"""Recognizes the format of standard input, which has no file name.

A text gets the names it could have, those of its own syntax only, and is recognized under each as a file of that name
would be; the most evidence wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.formats import Recognized, recognize
from flink_flint.linter.model.evidence import NOTHING
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_FLINK_CONF = "flink-conf.yaml"
_DOCKERFILE = regex(
    r"(?im)\A(?:[ \t\r]*+(?:#[^\n]*|ARG[ \t][^\n]*)?\n)*+"
    r"[ \t]*FROM(?:[ \t]+--\S+)?[ \t]+\S+(?:[ \t]+AS[ \t]+\S+)?[ \t\r]*$"
)
_TERRAFORM = regex(r"(?m)^[ \t]*(?:resource|module|data|locals|variable|terraform|provider)\b[^\n{=:]*\{")
_SQL = regex(r"(?im)^[ \t]*(?:CREATE|INSERT|SET|SELECT|WITH|EXECUTE|BEGIN|ALTER|USE|RESET|ADD)\b[ \t]+[\w'`(]")
_YAML = regex(r"""(?m)^[ \t-]*+["']?[\w./$-]++["']?[ \t]*+:(?:[ \t]|\r?$)""")
_NESTED = regex(r"(?m)^[\w.-]+:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]+[\w.\"'-]+[ \t]*:")
_PACKAGE = regex(r"(?m)^[ \t]*(?:package|import)[ \t]+[\w.]+")
_PYTHON = regex(r"(?m)^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import|import[ \t]+[\w., ]+$|def[ \t]+\w+\(.*\).*:)")
_KOTLIN = regex(r"(?m)^[ \t]*(?:fun[ \t]+\w+|val[ \t]+\w+[^\n]*$)")
_SCALA = regex(r"(?m)^[ \t]*(?:case[ \t]+)?(?:object|trait)[ \t]+\w+|^[ \t]*def[ \t]+\w+|import[ \t]+[\w.]+\.(?:_|\{)")
_SHELL = regex(r"\A#!|(?m:^[ \t]*(?:\S*/)?(?:flink[ \t]+run|yarn-session\.sh|start-cluster\.sh|sql-client\.sh)\b)")
_PROPERTIES = regex(r"(?m)^[ \t]*[\w.-]+[ \t]*=")
_TABLE = regex(r"(?m)^[ \t]*\[[\w.\"-]+\][ \t]*(?:#.*)?$")
_BLOCK = regex(r"(?m)^[ \t]*[\w.\"-]+[ \t]*(?:=[ \t]*)?\{")


class RecognizedText(NamedTuple):
    """Text that was recognized as Flink's: the file name to use for it, its format, and the evidence."""

    name: str
    recognized: Recognized


def recognize_text(head: str) -> RecognizedText | None:
    """Return the file name and format for a text, from its first characters; None if it does not look like Flink's.

    An empty text is an empty `flink-conf.yaml`. Flat keys are enough for one, too, because somebody gave it to flint:
    one that is Flink's, unless there is as much against it.
    """
    best: RecognizedText | None = None
    for name in _names(head):
        found = recognize(name, head)
        if found is not None and (best is None or _weight(found) > _weight(best.recognized)):
            best = RecognizedText(name, found)
    if best is None or (best.recognized.file_format.kind == "config.yaml" and _NESTED.search(head) is None):
        return _flat(head) or best
    return best


def _weight(found: Recognized) -> int:
    return found.evidence.in_favor - found.evidence.against


def _flat(head: str) -> RecognizedText | None:
    from flink_flint.linter.formats.flink_files.flink_conf import FILE_FORMAT
    from flink_flint.linter.formats.key_evidence import evidence_of_keys

    found = evidence_of_keys(head, nested=False)
    if head.strip() and (found.in_favor <= found.against or _NESTED.search(head) is not None):
        return None
    return RecognizedText(_FLINK_CONF, Recognized(FILE_FORMAT, found if head.strip() else NOTHING))


def _names(head: str) -> Iterator[str]:
    """Yield the names that a text could have, those of the strictest syntax first."""
    start = head.lstrip("\ufeff \t\r\n")
    if start.startswith("<"):
        yield from ("log4j2.xml", "logback.xml")
        return
    if start[:1] in ("{", "["):
        yield "stdin.json"
    if _DOCKERFILE.match(head) is not None:
        yield "Dockerfile"
    if _TERRAFORM.search(head) is not None:
        yield "stdin.tf"
    if _SQL.search(head) is not None:
        yield "stdin.sql"
    yield from _languages(head)
    if _SHELL.search(head) is not None:
        yield "stdin.sh"
    if _YAML.search(head) is not None:
        yield from ("stdin.yaml", "config.yaml", "values.yaml", "kustomization.yaml", "log4j2.yaml")
    if _TABLE.search(head) is not None:
        yield "stdin.toml"
    if _BLOCK.search(head) is not None:
        yield "stdin.conf"
    if _PROPERTIES.search(head) is not None:
        yield from ("log4j.properties", "stdin.properties")


def _languages(head: str) -> Iterator[str]:
    if _PACKAGE.search(head) is not None and ("org.apache.flink" in head or "kinesis.connectors.flink" in head):
        if re.search(r"(?m)^[ \t]*(?:package|import)[ \t]++\w[\w.* ]*+;", head) is not None:
            yield "Stdin.java"
        elif _KOTLIN.search(head) is not None and _SCALA.search(head) is None:
            yield "Stdin.kt"
        else:
            yield "Stdin.scala"
    if "pyflink" in head and _PYTHON.search(head) is not None:
        yield "stdin.py"
