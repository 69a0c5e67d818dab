"""The upgrade report as JSON, a contract whose version is in the key `version`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from flink_flint.linter import __version__
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.output.memory.derived_memory import Process, memory_object
from flink_flint.linter.upgrade.text_format import memory_rows
from flink_flint.linter.upgrade.upgrade_report import (
    Broken,
    Crossing,
    Default,
    Named,
    Rename,
    Upgrade,
    Where,
    Winner,
    Written,
)

VERSION = 1
"""The version of the JSON contract of `flint upgrade`; incremented on breaking changes."""


def render(upgrade: Upgrade) -> str:
    """Return the report as one indented JSON object."""
    document = {
        "version": VERSION,
        "flint": __version__,
        "to": str(upgrade.to),
        "files": upgrade.files,
        "documents": [_crossing(one, upgrade) for one in upgrade.crossings],
        "there_already": [
            {"path": one.document.path, "document": one.document.name, "flink_version": str(one.release)}
            for one in upgrade.level
        ],
        "unseen": [{"title": one.title, "text": one.text, "source": one.source} for one in upgrade.unseen],
        "unread": [problem.path for problem in upgrade.problems],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _crossing(one: Crossing, upgrade: Upgrade) -> dict[str, Any]:
    return {
        "path": one.document.path,
        "document": one.document.name,
        "kind": one.document.kind,
        "from": str(one.before),
        "evidence": one.evidence,
        "to": str(upgrade.to),
        "breaks": [_broken(broken) for broken in one.broken],
        "winners": [_winner(winner) for winner in one.winners],
        "renamed": [_rename(rename) for rename in one.renamed],
        "defaults": [_default(default) for default in one.defaults],
        "memory": _memory(one),
        "hazards": {"new": _findings(one.new), "gone": _findings(one.gone)},
        "names_release": [_named(named) for named in one.named],
    }


def _place(where: Where) -> dict[str, Any]:
    return {"path": where.path, "line": where.line, "column": where.column, "text": where.text}


def _broken(one: Broken) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "severity": one.severity.word,
        "key": one.key,
        "message": one.message,
        "help": one.help,
        **_place(one.where),
    }


def _rename(one: Rename) -> dict[str, Any]:
    fix = "safe" if one.by_hand is None else None
    return {"key": one.key, "names": list(one.names), "fix": fix, "by_hand": one.by_hand, **_place(one.where)}


def _winner(one: Winner) -> dict[str, Any]:
    return {"option": one.option, "before": _written(one.before), "after": _written(one.after)}


def _written(one: Written) -> dict[str, Any]:
    return {"key": one.key, "value": one.value, **_place(one.where)}


def _default(one: Default) -> dict[str, Any]:
    return {
        "key": one.key,
        "former_key": one.former,
        "before": one.before,
        "after": one.after,
        "effect": one.effect,
        "same": one.same,
        "matters": one.matters,
    }


def _memory(one: Crossing) -> dict[str, Any]:
    before = memory_object({name: sides[0] for name, sides in one.memory.items()})
    after = memory_object({name: sides[1] for name, sides in one.memory.items()})
    return {
        name: {"before": before[name], "after": after[name], "difference": _difference(name, *sides)}
        for name, sides in one.memory.items()
    }


def _difference(name: str, before: Process, after: Process) -> dict[str, int | None]:
    return {
        part: None if old is None or new is None else new - old for part, old, new in memory_rows(name, before, after)
    }


def _findings(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [
        {
            "code": one.code,
            "rule": one.rule,
            "severity": one.severity.word,
            "message": one.message,
            "help": one.help,
            "key": one.key,
            "path": one.path,
            "line": one.where.start.line,
            "column": one.where.start.column,
            "fingerprint": one.fingerprint,
        }
        for one in findings
    ]


def _named(one: Named) -> dict[str, Any]:
    return {"names": one.text, "write": one.replacement, **_place(one.where)}
