"""Formulas at their limits: usual durations, ratios of one, rates without limit, alignment downward."""

import math

import pytest

from flink_flint.calculators.formulas.autoscaling import aligned, unlimited_factor
from flink_flint.calculators.formulas.duration_rounding import rounded_down, rounded_up
from flink_flint.calculators.formulas.rocksdb_memory import memory_for_reads


@pytest.mark.parametrize(
    ("seconds", "up", "down"),
    [
        (0.0, 0.0, 0.0), (0.0004, 0.01, 0.0), (0.0045, 0.01, 0.004), (0.234, 0.24, 0.23), (1.0, 1.0, 1.0),
        (1.2, 1.5, 1.0), (10.0, 10.0, 10.0), (45.0, 46.0, 44.0), (120.0, 120.0, 120.0), (125.0, 130.0, 120.0),
        (601.0, 660.0, 600.0), (3601.0, 3900.0, 3600.0),
    ],
)  # fmt: skip
def test_durations_are_rounded_to_usual_ones(seconds: float, up: float, down: float) -> None:
    assert (rounded_up(seconds), rounded_down(seconds)) == (up, down)


@pytest.mark.parametrize(
    ("working_set", "ratio", "memory"), [(100.0, 0.5, 200.0), (100.0, 1.0, math.inf), (0.0, 1.0, 0.0), (0.0, 0.5, 0.0)]
)
def test_no_cache_is_left_where_memtables_use_everything(working_set: float, ratio: float, memory: float) -> None:
    assert memory_for_reads(working_set, ratio) == memory


@pytest.mark.parametrize(
    ("capacity", "true_rate", "factor"), [(100.0, 50.0, 2.0), (100.0, math.inf, 0.0), (math.inf, math.inf, 0.0)]
)
def test_a_vertex_without_a_limit_needs_no_subtask(capacity: float, true_rate: float, factor: float) -> None:
    assert unlimited_factor(capacity, true_rate) == factor


@pytest.mark.parametrize(("mode", "parallelism"), [("even", 5), ("maximize", 5), ("balanced", 7), ("off", 7)])
def test_only_two_modes_search_downward(mode: str, parallelism: int) -> None:
    assert aligned(7, 10, most=9, mode=mode) == parallelism
