"""The metric series of a task and its operators, and the task's record counters."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from flink_flint.calculators.history.samples import OPERATOR, TASK, SeriesKey
from flink_flint.calculators.history.signals.time_steps import Instants, Line, Table, table_of


class Vertex:
    """The metric series of a task and of its operators."""

    def __init__(self) -> None:
        self.lines: defaultdict[str, list[Line]] = defaultdict(list)
        self.operators: defaultdict[str, defaultdict[str, list[Line]]] = defaultdict(lambda: defaultdict(list))
        self.key = SeriesKey("", TASK)

    def add(self, line: Line) -> None:
        """Add a series of the task or of one of its operators."""
        if line.key.scope == OPERATOR:
            self.operators[line.key.operator_id or line.key.operator][line.key.metric].append(line)
        else:
            self.lines[line.key.metric].append(line)
        self.key = line.key

    def named(self, metric: str, subtask: int = -1) -> SeriesKey:
        """Return the series key for a metric that is computed for this task."""
        return self.key._replace(
            metric=metric, scope=TASK, operator="", operator_id="", subtask=subtask, attempt=-1, tm="", part="",
            counter=False,
        )  # fmt: skip

    @cached_property
    def is_source(self) -> bool:
        """Whether the task has no input from other tasks, according to its name or its counters."""
        return self.key.task.startswith("Source") or (
            not self._counts("numRecordsIn") and self._counts("numRecordsOut")
        )

    def _counts(self, name: str) -> bool:
        return _counts(name, self.lines)

    @cached_property
    def flow(self) -> tuple[str, dict[str, list[Line]]]:
        """The name of the counter for the task's records, and the series (by metric) that include it.

        Most sources count no incoming records; a source to which all other operators are chained sends nothing to other
        tasks either, and then the counter of its source operator is used.
        """
        if not self.is_source or self._counts("numRecordsIn"):
            return "numRecordsIn", self.lines
        sends = self._counts("numRecordsOut")
        return (None if sends else self._source_operator) or ("numRecordsOut", self.lines)

    @cached_property
    def reading(self) -> tuple[str, dict[str, list[Line]]]:
        """The counter of a source's records before chained filters, and the series by metric that include it."""
        return self._source_operator or self.flow

    @cached_property
    def _source_operator(self) -> tuple[str, dict[str, list[Line]]] | None:
        for metrics in self.operators.values():
            if next(iter(metrics.values()))[0].key.operator.startswith("Source"):
                for name in ("numRecordsIn", "numRecordsOut"):
                    if _counts(name, metrics):
                        return name, metrics
        return None

    def metered(self, instants: Instants) -> Table | None:
        """Return the records per second of each subtask, averaged like the busy time; None if the rates are unknown."""
        name, lines = self.flow
        if meters := lines.get(name + "PerSecond"):
            return table_of(instants, meters, settled=True)
        return table_of(instants, counters, growth=True) if (counters := lines.get(name)) else None


def _counts(name: str, lines: dict[str, list[Line]]) -> bool:
    return any(line.values.any() for metric in (name, name + "PerSecond") for line in lines.get(metric, ()))


def counted(instants: Instants, name: str, lines: dict[str, list[Line]]) -> tuple[str, Table, bool] | None:
    """Return the rate's name, each subtask's records per second, and whether these are exact; None if unknown."""
    if counters := lines.get(name):
        return name + "PerSecond", table_of(instants, counters, growth=True), True
    if meters := lines.get(name + "PerSecond"):
        return name + "PerSecond", table_of(instants, meters, settled=True), False
    return None


def metric_of(vertex: Vertex, name: str) -> list[Line]:
    """Return the series of metrics whose last part is `name`; connectors add reader, topic or shard as a prefix."""
    everywhere = (vertex.lines, *vertex.operators.values())
    return [
        line
        for metrics in everywhere
        for metric, lines in metrics.items()
        if metric == name or metric.endswith("." + name)
        for line in lines
    ]
