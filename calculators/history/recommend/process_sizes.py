"""Reconciliation of the sizes that several jobs and calculators recommend for one process.

Each process is sized by its own calculator. The jobs that run in it determine how much managed memory RocksDB needs,
how much network memory the exchanges need, and how much JobManager heap checkpoint metadata needs. If all of these
sizes were set unchanged, Flink might reject them or reduce the task heap to make room for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.formulas.quantity import spell_size
from flink_flint.calculators.history.recommend.current_configuration import CurrentConfiguration
from flink_flint.calculators.history.recommend.fill_inputs import answered
from flink_flint.calculators.history.recommend.recommendation import Recommendation, is_number
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple

_OF_PROCESSES = ("taskmanager.", "jobmanager.", "pekko.", "containerized.", "yarn.", "resourcemanager.")
"""Prefixes of options that a cluster sets once, whatever its jobs need."""
_STEP = 64 << 20
_ENOUGH = 0.1
"""Share by which a process may be larger than necessary and still keep its size."""


class _Part(NamedTuple):
    key: str
    name: str
    """Name of the input of the process's calculator."""
    what: str
    is_derived: bool
    """Whether setting the size of the whole process is better."""


_PARTS = {
    "taskmanager.memory.process.size": (
        _Part("taskmanager.memory.managed.size", "managed", "managed memory", False),
        _Part("taskmanager.memory.network.max", "network", "network memory", False),
    ),
    "jobmanager.memory.process.size": (_Part("jobmanager.memory.heap.size", "heap", "heap", True),),
}


def agreed(rows: Iterable[Recommendation], release: Release) -> list[Recommendation]:
    """Reconcile rows so that each option of a process occurs once and each process is large enough for its parts."""
    found = _once(rows)
    places = {(row.cluster, row.key): place for place, row in enumerate(found)}
    unwanted: set[int] = set()
    for (cluster, key), place in places.items():
        parts = []
        for part in _PARTS.get(key, ()):
            at = places.get((cluster, part.key))
            if at is None or found[at].calculator == found[place].calculator:
                continue
            if found[at].severity != "ok":
                parts.append((part, found[at]))
            if part.is_derived:
                unwanted.add(at)
        if parts:
            found[place] = _holding(found[place], parts, release)
    return [row for place, row in enumerate(found) if place not in unwanted]


def _once(rows: Iterable[Recommendation]) -> list[Recommendation]:
    """Return the rows, keeping for each option of a cluster's processes the row with the largest value."""
    kept: list[Recommendation] = []
    places: dict[tuple[str, str], int] = {}
    for row in rows:
        who = (row.cluster, row.key)
        if not row.key.startswith(_OF_PROCESSES) or not is_number(row.recommended):
            kept.append(row)
        elif who not in places:
            places[who] = len(kept)
            kept.append(row)
        elif row.recommended > kept[places[who]].recommended:
            kept[places[who]] = row
    return kept


def _holding(row: Recommendation, parts: Sequence[tuple[_Part, Recommendation]], release: Release) -> Recommendation:
    """Return a process's row, enlarged if it is too small for its parts."""
    given: dict[str, Any] = {name: one["value"] for name, one in row.evidence["inputs"].items()}
    for part, required in parts:
        given[part.name] = max(required.recommended, given.get(part.name, 0))
    try:
        answer = answered(calculator(row.calculator).forward, given, CurrentConfiguration({}, release)).answer
    except BadInput:
        return row  # less than the process has already
    size = math.ceil(answer.value("process_size") / _STEP) * _STEP
    if size <= row.recommended:
        return row
    text = " and ".join(
        f"{spell_size(required.recommended)} of {part.what} for {required.job or required.calculator}"
        for part, required in parts
    )
    now = row.current
    severity = "raise" if is_number(now) and size > now else "lower"
    if not is_number(now):
        severity = "unset"
    elif now * (1 - _ENOUGH) < size <= now:
        severity, size = "ok", now
    return row._replace(
        recommended=size,
        recommended_text=row.current_text if severity == "ok" else _written(size),
        severity=severity,
        direction={"raise": 1, "lower": -1}.get(severity, 0),
        confidence=min((row, *(required for _, required in parts)), key=_sureness).confidence,
        evidence=row.evidence | {"reasoning": list(answer.steps)},
        reason=f"{row.reason}; with {text} it needs {spell_size(answer.value('process_size'))}",
    )


def _sureness(row: Recommendation) -> int:
    return ("low", "medium", "high").index(row.confidence)


def _written(size: int) -> str:
    return f"{size >> 30}gb" if size % (1 << 30) == 0 else f"{size >> 20}mb"
