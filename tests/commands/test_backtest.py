"""`flint backtest`: which series of a store are evaluated; the methods are tested in tests/history."""

from __future__ import annotations

from flink_flint.calculators.history.samples import OPERATOR
from flink_flint.linter.commands.backtest import _demands
from tests.history.observations import seen


def test_the_input_of_a_task_counts_once_and_that_of_an_operator_not_at_all() -> None:
    arriving, read, processed = [5.0, 5.0], [4.0, 4.0], [3.0, 3.0]
    observed = [
        seen("arrivalRate", arriving, task="source"),
        seen("numRecordsInPerSecond", read, task="source"),
        seen("numRecordsInPerSecond", read, task="map"),
        seen("numRecordsInPerSecond", processed, task="map", operator="filter", scope=OPERATOR),
    ]
    found = dict(_demands({one.group: one for one in observed}))
    assert {name: demand.values.tolist() for name, demand in found.items()} == {
        "orders/source/arrivalRate": [5.0],
        "orders/map/numRecordsInPerSecond": [4.0],
    }
