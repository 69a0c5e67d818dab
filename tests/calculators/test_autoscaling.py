"""The rules of the operator's autoscaler, DS2, and how key groups are shared."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.formulas.autoscaling import (
    Stage,
    aligned,
    chain_parallelism,
    java_round,
    observed_true_rate,
    required_capacity,
    scalability_of,
    scale_factor,
    scaled,
    true_rate,
)
from flink_flint.calculators.formulas.key_groups import (
    LARGEST,
    default_max_parallelism,
    largest_share,
    recommended_max_parallelism,
    skew,
)

INTEGER = 2**31 - 1


def step(
    current: int,
    target: float,
    rate: float,
    utilization: float,
    *,
    down: float = 1.0,
    up: float = float(INTEGER),
    least: int = 1,
    most: int = 200,
    keyed: bool = True,
    scalability: float = 1.0,
    mode: str = "even",
) -> int:
    """One step as JobVertexScalerTest takes it: 720 key groups, no time to catch up in."""
    factor = scale_factor(
        required_capacity(target, utilization, catch_up=0),
        rate,
        scale_down_limit=down,
        scale_up_limit=up,
        scalability=scalability,
    )
    found = scaled(current, factor, least=least, most=most, max_parallelism=720)
    if not keyed:
        return found
    return aligned(found, 720, least=min(current, least), most=min(720, max(current, most)), mode=mode)


@pytest.mark.parametrize("mode", ["even", "balanced"])
@pytest.mark.parametrize(
    ("current", "target", "rate", "utilization", "expected"),
    [
        (10, 50, 100, 1.0, 5),
        (10, 50, 100, 0.8, 8),
        (10, 80, 100, 0.8, 10),
        (10, 60, 100, 0.8, 8),
        (10, 59, 100, 0.8, 8),
        (2, 100, 40, 0.5, 10),
        (2, 100, 100, 0.6, 4),
    ],
)
def test_a_step_is_the_autoscalers(
    current: int, target: float, rate: float, utilization: float, expected: int, mode: str
) -> None:
    assert step(current, target, rate, utilization, mode=mode) == expected


@pytest.mark.parametrize(
    ("current", "target", "rate", "limits", "expected"),
    [
        (10, 10, 100, {"down": 0.5}, 5),
        (10, 10, 100, {"down": 0.6}, 4),
        (10, 200, 10, {"up": 0.5}, 15),
        (10, 200, 10, {"up": 0.6}, 16),
    ],
)
def test_a_step_keeps_to_its_limits(
    current: int, target: float, rate: float, limits: dict[str, float], expected: int
) -> None:
    assert step(current, target, rate, 1.0, **limits) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("current", "target", "rate", "utilization", "bounds", "expected"),
    [
        (10, 100, 500, 0.7, {"least": 5}, 5),
        (4, 100, 500, 0.7, {"least": 5}, 4),
        (10, 500, 100, 1.0, {"most": 10}, 10),
        (12, 500, 100, 1.0, {"most": 10}, 12),
        (5, 100, 50, 1.0, {}, 10),
        (20, 180, 100, 1.0, {}, 36),
        (20, 45, 90, 1.0, {}, 10),
        (100, 1700, 1000, 1.0, {}, 170),
    ],
)
def test_least_and_most_never_turn_the_direction(
    current: int, target: float, rate: float, utilization: float, bounds: dict[str, int], expected: int
) -> None:
    assert step(current, target, rate, utilization, keyed=False, **bounds) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("current", "factor", "divided", "max_parallelism", "least", "most", "mode", "expected"),
    [
        (6, 0.8, 36, 36, 1, INTEGER, "even", 6),
        (16, 1.5, 128, 128, 1, INTEGER, "even", 32),
        (16, 1.5, 128, 128, 1, INTEGER, "balanced", 26),
        (16, 1.5, 128, 128, 1, INTEGER, "off", 24),
        (200, 1.3, 720, 720, 1, INTEGER, "even", 360),
        (200, INTEGER, 720, 720, 1, INTEGER, "even", 720),
        (10, 2.5, 128, 128, 1, INTEGER, "even", 32),
        (10, 2.5, 128, 128, 1, INTEGER, "maximize", 26),
        (6, 0.8, 720, 720, 1, 700, "even", 5),
        (8, 0.8, 720, 720, 8, INTEGER, "even", 8),
        (200, 2, 720, 720, 1, 300, "even", 240),
        (200, INTEGER, 720, 720, 1, 600, "even", 360),
        # source partitions
        (6, 0.4, 15, 128, 1, INTEGER, "even", 3),
        (7, 1.2, 15, 128, 1, INTEGER, "even", 15),
        (20, 0.9, 35, 30, 1, INTEGER, "even", 18),
        (22, 1.1, 35, 30, 20, INTEGER, "even", 20),
        (22, 1.1, 35, 30, 20, INTEGER, "balanced", 25),
        (80, 1.4, 200, 128, 1, INTEGER, "even", 100),
        (24, 4, 199, INTEGER, 1, INTEGER, "even", 199),
        (24, 4, 199, INTEGER, 1, INTEGER, "maximize", 100),
        (10, 2, 15, 128, 1, INTEGER, "even", 15),
        (100, 1.8, 15, 180, 1, INTEGER, "balanced", 15),
        (100, 0.5, 15, 180, 1, INTEGER, "balanced", 15),
        (100, 0.1, 15, 180, 1, INTEGER, "balanced", 15),
    ],
)
def test_alignment_is_the_autoscalers(
    current: int, factor: float, divided: int, max_parallelism: int, least: int, most: int, mode: str, expected: int
) -> None:
    wanted = scaled(current, factor, least=least, most=most, max_parallelism=max_parallelism)
    lower, upper = min(current, least), min(max_parallelism, max(current, most))
    assert aligned(wanted, divided, least=lower, most=upper, mode=mode) == expected


def test_alignment_starts_from_the_least() -> None:
    assert aligned(60, 128, least=60, most=128, mode="even") == 64
    # 18 would leave the fullest no more either, but 20 is the least.
    assert aligned(25, 35, least=20, most=30, mode="even") == 20


@pytest.mark.parametrize(("value", "rounded"), [(62.5, 63), (63.5, 64), (-0.5, 0), (0.49999999999999994, 0), (1.4, 1)])
def test_halves_go_up_as_in_java(value: float, rounded: int) -> None:
    assert java_round(value) == rounded


@pytest.mark.parametrize(
    ("rate", "utilization", "more", "capacity"),
    [
        (10_000, 0.7, {"lag": 6e6}, 19_286),
        (1000, 0.7, {}, 1595),
        (700, 0.9, {"restart": 0.0}, 778),
        (700, 0.7, {"restart": 0.0}, 1000),
        (50, 0.8, {"catch_up": 0.0}, 63),
        (50, 0.0, {}, math.inf),
    ],
)
def test_capacity_holds_peaks_restarts_and_backlog(
    rate: float, utilization: float, more: dict[str, float], capacity: float
) -> None:
    assert required_capacity(rate, utilization, **more) == capacity


def test_an_idle_vertex_has_no_limit_of_its_own() -> None:
    assert true_rate(0, 0.5) == math.inf
    assert true_rate(100, 0) == math.inf
    assert scale_factor(100, math.inf) == pytest.approx(0.4)


def test_a_back_pressured_source_could_read_more() -> None:
    assert observed_true_rate(500, 0.5) == 1000
    assert observed_true_rate(500, 1) == math.inf


@pytest.mark.parametrize(
    ("history", "share"),
    [
        ([(4, 200), (2, 100), (8, 400)], 1.0),
        ([(4, 196), (2, 99), (8, 390)], 0.99),
        ([(4, 160), (2, 96), (8, 240)], 0.69),
        ([(1, 50), (2, 80), (4, 100)], 0.59),
        ([(2, 80), (4, 100)], 1.0),
    ],
)
def test_growth_that_is_not_linear_shows_in_the_history(history: list[tuple[int, float]], share: float) -> None:
    assert scalability_of(history) == share


def test_growth_that_is_not_linear_takes_more_subtasks() -> None:
    share = scalability_of([(4, 160), (2, 96), (8, 240)])
    assert step(2, 100, 40, 0.5) == 10
    assert step(2, 100, 40, 0.5, scalability=share) == 15


def test_ds2_sizes_a_chain_in_one_step() -> None:
    assert chain_parallelism(400, [Stage(10, 70, 1), Stage(201, 1, 1)]) == [40, 140]
    assert chain_parallelism(400, [Stage(20, 70, 2), Stage(201 * 3, 1, 3)]) == [40, 140]


@given(st.integers(1, 2000), st.integers(1, 2000))
def test_balanced_leaves_nobody_more_than_an_even_share_at_what_was_wanted(divided: int, wanted: int) -> None:
    found = aligned(wanted, divided, most=2000)
    if wanted <= divided:
        fitting = [q for q in range(wanted, divided + 1) if largest_share(divided, q) * wanted <= divided]
        assert found == fitting[0]
    else:
        assert found == divided


@given(st.integers(1, LARGEST - 1))
def test_the_default_max_parallelism_is_a_power_of_two_that_never_falls(parallelism: int) -> None:
    found = default_max_parallelism(parallelism)
    assert found.bit_count() == 1
    assert 128 <= found <= LARGEST
    assert found >= parallelism
    assert default_max_parallelism(parallelism + 1) >= found


@pytest.mark.parametrize(
    ("parallelism", "expected"),
    [(1, 128), (85, 128), (86, 256), (170, 256), (171, 256), (200, 512), (341, 512), (342, 1024), (1000, 2048),
     (1365, 2048), (1366, 4096), (21845, 32768), (32768, 32768)],
)  # fmt: skip
def test_the_default_max_parallelism_is_flinks(parallelism: int, expected: int) -> None:
    assert default_max_parallelism(parallelism) == expected


@pytest.mark.parametrize("parallelism", [0, 32769, 40000])
def test_a_parallelism_flink_throws_for_has_no_max(parallelism: int) -> None:
    with pytest.raises(ValueError, match="not within 1 and 32768"):
        default_max_parallelism(parallelism)


def test_key_groups_that_do_not_divide_fill_one_subtask_more() -> None:
    assert largest_share(128, 100) == 2
    assert skew(128, 100) == pytest.approx(1.5625)
    assert skew(720, 100) == pytest.approx(8 * 100 / 720)
    assert skew(120, 40) == 1


@pytest.mark.parametrize(("parallelism", "expected"), [(1, 120), (30, 120), (31, 180), (180, 720), (40_000, LARGEST)])
def test_the_recommended_max_parallelism_leaves_room_to_grow_fourfold(parallelism: int, expected: int) -> None:
    assert recommended_max_parallelism(parallelism) == expected
