"""Resolution of a file's metric identifiers to jobs, tasks and operators.

The StatsD, Graphite and Slf4j reporters write identifiers without labels. A task and an operator with the same name
have the same identifiers, and so do two operators with the same name. The other metrics of the file with that name
show which it is: only tasks have ``busyTimeMsPerSecond``, only operators ``currentOutputWatermark``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flink_flint.calculators.history.metrics.reporter_values import RATES, field_name
from flink_flint.calculators.history.metrics.vocabulary import Identifier, Name, job_of, of_identifier
from flink_flint.calculators.history.samples import OPERATOR, TASK, SeriesKey
from flink_flint.linter.text.named_tuple import NamedTuple

SHARED = "identifier belongs to more than one series"

_FIELDS = frozenset(("count", "min", "max", "mean", "stddev", "p50", "p75", "p95", "p98", "p99", "p999", *RATES))


class IdentifiedName(NamedTuple):
    """A resolved metric identifier, and the metric name for its field."""

    identifier: Identifier
    name: Name | None
    """The metric's name with the identifier's field, such as ``p99``; None if the field repeats another metric."""


class Names:
    """The metric identifiers of a file, collected so that ambiguous identifiers can be resolved."""

    def __init__(self) -> None:
        self._jobs: set[str] = set()
        self._tasks: set[tuple[str, str]] = set()
        self._operators: set[tuple[str, str]] = set()
        self._resolved: dict[str, IdentifiedName | None] = {}

    def learn(self, identifiers: Iterable[str]) -> None:
        """Add identifiers before any of them is resolved; they may have fields as suffixes (``.rate``, ``.p99``)."""
        new = [identifier for identifier in identifiers if identifier not in self._resolved]
        jobs = self._jobs.union(filter(None, map(job_of, new)))
        if jobs != self._jobs:
            # A job's name may show where the names of tasks begin, so all are parsed again.
            self._jobs = jobs
            new = [*self._resolved, *new]
        for identifier in new:
            result = self._understand(identifier)
            self._resolved[identifier] = result
            if not result or result.identifier.either or not result.identifier.name.known:
                continue
            if result.identifier.holder and result.identifier.subtask >= 0:  # a JobManager calls tasks operators
                holders = self._tasks if result.identifier.name.scope == TASK else self._operators
                holders.add((result.identifier.job, result.identifier.holder))

    def _understand(self, identifier: str) -> IdentifiedName | None:
        base, _, field = identifier.rpartition(".")
        if field not in _FIELDS:
            whole = of_identifier(identifier, self._jobs)
            return whole and IdentifiedName(whole, whole.name)
        found = of_identifier(base, self._jobs)
        if found is None:
            return None
        # The count of an unknown metric may be a counter's (Graphite), a meter's or a histogram's.
        return IdentifiedName(found, field_name(found.name, field, not found.name.known))

    def resolved(self, identifier: str) -> IdentifiedName | None:
        """Return the resolution of an identifier that `learn` added; None if it does not identify a Flink metric."""
        return self._resolved[identifier]

    def readings_in_a_report(self, identifier: Identifier) -> int:
        """Return how often a report contains an identifier: 2 if both a task and an operator have it, otherwise 1."""
        return 2 if identifier.either and self._roles(identifier) == (True, True) else 1

    def _roles(self, identifier: Identifier) -> tuple[bool, bool]:
        holder = identifier.job, identifier.holder
        operator = holder in self._operators
        return holder in self._tasks or not operator, operator

    def assigned(self, identifier: Identifier, values: Sequence[float]) -> list[tuple[str, float]] | None:
        """Return (scope, value) pairs for an identifier's values in one report; None if the scopes are ambiguous."""
        scope = identifier.name.scope
        if identifier.either:
            task, operator = self._roles(identifier)
            if task and operator:
                return _separated(identifier, values)
            scope = TASK if task else OPERATOR
        # Compared as text, because NaN is not equal to itself.
        return [(scope, values[0])] if len(values) == 1 or len(set(map(str, values))) == 1 else None


def _separated(identifier: Identifier, values: Sequence[float]) -> list[tuple[str, float]] | None:
    """Return the values of a task and of an operator with the same name; None if they cannot be distinguished.

    Both count records with the same counter and have the same watermark. A task counts the bytes of the network; an
    operator counts those that a source reads or a sink writes, otherwise 0.
    """
    metric = identifier.name.metric
    if len(values) != 2:
        return None
    less, more = sorted(values)
    if not metric.startswith("numBytes") or less == more:
        return [(TASK, more), (OPERATOR, more)]
    if less != 0:
        return None
    reads = metric.startswith("numBytesIn") and "Source" in identifier.holder
    writes = metric.startswith("numBytesOut") and ("Sink" in identifier.holder or "Writer" in identifier.holder)
    return [(TASK, less), (OPERATOR, more)] if reads or writes else [(TASK, more), (OPERATOR, less)]


def key_of(identifier: Identifier, name: Name, scope: str, cluster: str) -> SeriesKey:
    """Return the series key of an identifier at `scope`, which is one of the scopes that `Names.assigned` returned."""
    return SeriesKey(
        metric=name.metric,
        scope=scope,
        cluster=cluster,
        job=identifier.job,
        task=identifier.holder if scope == TASK else "",
        operator=identifier.holder if scope == OPERATOR else "",
        operator_id=identifier.operator_id,
        subtask=identifier.subtask,
        tm=identifier.tm,
        part=name.part,
        counter=name.counter,
    )
