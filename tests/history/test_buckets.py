"""Histograms of 1 % buckets: percentiles as exact as their width, whatever the order of merging."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from flink_flint.calculators.history.store.histogram import EMPTY, WIDTH, Histogram, codes_of, merge, middle_of

NUMBERS = st.one_of(
    st.floats(min_value=1e-9, max_value=1e18),
    st.floats(min_value=-1e18, max_value=-1e-9),
    st.just(0.0),
)


def histogram(values: NDArray[np.float64]) -> Histogram:
    codes, counts = np.unique(codes_of(values), return_counts=True)
    return merge(codes.astype(np.int32), counts.astype(np.float64))


def exact(values: NDArray[np.float64], share: float) -> float:
    """The value of rank ceil(share * n)."""
    rank = max(1, math.ceil(share * len(values) * (1 - 1e-12)))
    return float(np.sort(values)[rank - 1])


@given(st.lists(NUMBERS, min_size=1, max_size=200), st.sampled_from([0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0]))
def test_a_percentile_is_within_a_bucket_of_the_exact_one(numbers: list[float], share: float) -> None:
    values = np.array(numbers)
    found = histogram(values).percentile(share, values.min(), values.max())
    wanted = exact(values, share)
    assert abs(found - wanted) <= abs(wanted) * (WIDTH - 1) * (1 + 1e-9)


@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=30), min_size=1, max_size=8), st.randoms())
def test_days_merge_to_the_same_in_any_order(days: list[list[float]], random: object) -> None:
    parts = [histogram(np.array(day)) for day in days]
    shuffled = list(parts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = (
        merge(np.concatenate([one.codes for one in order]), np.concatenate([one.counts for one in order]))
        for order in (parts, shuffled)
    )
    assert first.codes.tolist() == second.codes.tolist()
    assert first.counts.tolist() == second.counts.tolist()
    assert first.total == sum(len(day) for day in days)


@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=50))
def test_codes_sort_as_values_do(numbers: list[float]) -> None:
    values = np.sort(np.array(numbers))
    assert (np.diff(codes_of(values)) >= 0).all()


def test_zero_negative_and_infinite_values_have_buckets_of_their_own() -> None:
    values = np.array([-np.inf, -5.0, 0.0, 5.0, np.inf])
    codes = codes_of(values)
    assert len(set(codes.tolist())) == 5
    assert [middle_of(int(codes[place])) for place in (0, 2, 4)] == [-math.inf, 0.0, math.inf]
    assert math.isclose(middle_of(int(codes[1])), -5, rel_tol=0.005)


def test_a_weight_counts_as_so_many_values() -> None:
    codes = codes_of(np.array([1.0, 100.0]))
    recent = Histogram(codes, np.array([0.25, 1.0]))
    assert math.isclose(recent.percentile(0.5, 1, 100), 100, rel_tol=0.01)
    assert math.isclose(recent.percentile(0.2, 1, 100), 1, rel_tol=0.01)


def test_a_bimodal_metric_keeps_its_99th_percentile() -> None:
    values = np.concatenate([np.zeros(9_850), np.full(150, 4e6)])
    assert math.isclose(histogram(values).percentile(0.99, 0, 4e6), 4e6, rel_tol=0.01)


def test_nothing_counted_has_no_percentile() -> None:
    assert math.isnan(EMPTY.percentile(0.5, 0, 0))
