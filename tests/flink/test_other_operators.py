"""The memory that other operators give to Flink, with the values that their own tests expect."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.deployment import other_operators as formulas

GI, MI = 1 << 30, 1 << 20


@pytest.mark.parametrize(
    ("memory", "fraction", "size"),
    [
        (formulas.LYFT_MEMORY["jobmanager"], formulas.LYFT_OFF_HEAP_FRACTION, "1572864k"),
        (formulas.LYFT_MEMORY["taskmanager"], formulas.LYFT_OFF_HEAP_FRACTION, "524288k"),
        (64 * MI, 0.37, "41287k"),
        (512 * MI, formulas.LYFT_SYSTEM_FRACTION, "419430k"),
        (2 * GI, formulas.LYFT_SYSTEM_FRACTION, "1677721k"),
    ],
)
def test_lyft_leaves_a_fraction_to_the_system(memory: int, fraction: float, size: str) -> None:
    assert formulas.lyft_size(memory, fraction) == size


@pytest.mark.parametrize(
    ("memory", "ratio", "least", "size"),
    [(GI, 25, 600_000_000, "452m"), (4 * GI, 25, 600_000_000, "3072m"), (512 * MI, 25, 600_000_000, None)],
)
def test_spotify_counts_the_heap_in_mebibytes(memory: int, ratio: int, least: int, size: str | None) -> None:
    assert formulas.spotify_heap_size(memory, ratio, least) == size


@pytest.mark.parametrize(
    ("memory", "ratio", "least", "size"),
    [(GI, 25, 600_000_000, "474m"), (4 * GI, 25, 600_000_000, "3222m"), (512 * MI, 25, 600_000_000, None)],
)
def test_google_counts_the_heap_in_millions_of_bytes(memory: int, ratio: int, least: int, size: str | None) -> None:
    assert formulas.google_heap_size(memory, ratio, least) == size


def test_spotify_gives_a_process_a_part_of_the_container() -> None:
    assert formulas.spotify_process_size(GI, 80) == "820m"
    assert formulas.spotify_process_size(4 * GI, 80) == "3277m"
    assert formulas.spotify_process_size(0, 80) is None


@pytest.mark.parametrize(("cpu", "slots"), [(0.2, 1), (1, 1), (2, 1), (3, 1), (3.5, 2), (8, 4)])
def test_spotify_makes_a_slot_for_two_cpus(cpu: float, slots: int) -> None:
    assert formulas.spotify_slots(cpu) == slots
