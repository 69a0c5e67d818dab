"""Detection of Flink configuration files that are embedded in other files."""

from __future__ import annotations

import re

from flink_flint.linter.flink.file_loading import is_called_flink_conf
from flink_flint.linter.formats.key_evidence import evidence_of_keys, known_keys
from flink_flint.linter.formats.recognition import looks_like_flink
from flink_flint.linter.text.lazy_regex import regex

_STANDARD = regex(r"config\.ya?ml")
_OTHERS = regex(
    r"^(?:apiVersion|kind|services|receivers|scrape_configs|log4j[\w.]*|rootLogger[\w.]*)[ \t]*[:=]", re.MULTILINE
)
_PROPERTY = regex(r"^[ \t]*([\w.-]+)[ \t]*=", re.MULTILINE)
_ENTRY = regex(r"^[ \t]*[\w.-]+:(?:[ \t]|$)", re.MULTILINE)
_MIN_KEYS = 2
_HEAD = 64 * 1024


def syntax_of(name: str, text: str) -> str | None:
    """Return the syntax of an embedded file ("flink-conf" or "config-yaml"), or None if it is not a Flink file.

    Some programs that run Flink have a `flink.config` of their own, in the syntax of properties: without an option of
    Flink it is not Flink's. Many programs use the name `config.yaml`, so its content must look like Flink's; a text
    under any other name must contain two options that exist in some release.
    """
    head = text[:_HEAD]
    if head[:1] == " ":  # an indentation indicator may leave spaces before every line
        from textwrap import dedent

        head = dedent(head)
    if name == "FLINK_PROPERTIES" or is_called_flink_conf(name):
        return None if _OTHERS.search(head) or _is_of_another_product(name, head) else "flink-conf"
    if _STANDARD.fullmatch(name):
        found = evidence_of_keys(head, nested=True)
        return "config-yaml" if found.in_favor and found.plus(1, "named config.yaml").is_sufficient else None
    if "{{" in name or not name or name.endswith((".yaml", ".yml", ".conf")) or "." not in name:
        if _OTHERS.search(head) or not looks_like_flink(head, nested=True):
            return None
        return "flink-conf" if known_keys(head, nested=False) >= _MIN_KEYS else None
    return None


def _is_of_another_product(name: str, head: str) -> bool:
    """Return whether a text that is not named like Flink's file has lines `key=value` alone, none of an option."""
    if name == "FLINK_PROPERTIES" or name.startswith("flink-conf.y") or _ENTRY.search(head):
        return False
    properties = _PROPERTY.findall(head)
    return bool(properties) and known_keys("".join(f"{key}: x\n" for key in properties), nested=False, limit=1) == 0
