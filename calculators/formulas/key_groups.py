"""Distribution of key groups among subtasks, and the max parallelism.

Source: `KeyGroupRangeAssignment` of Flink, the same from 1.9 to 2.3.
"""

from __future__ import annotations

LARGEST = 1 << 15
"""The largest value that Flink allows for the parallelism and for the max parallelism."""
_SMALLEST_DEFAULT = 128
_MANY_DIVISORS = (
    *(120, 180, 240, 360, 720, 840, 1260, 1680, 2520, 5040, 7560, 10080, 15120, 20160, 25200, 27720),
    LARGEST,
)  # fmt: skip


def default_max_parallelism(parallelism: int) -> int:
    """Return the max parallelism Flink derives for an operator: a power of two from 128 to 32768.

    It is 1.5 times the parallelism (1 to 32768), rounded up to a power of two. Raises ValueError for another
    parallelism, for which Flink throws an exception.
    """
    if not 1 <= parallelism <= LARGEST:
        raise ValueError(f"parallelism {parallelism} is not within 1 and {LARGEST}")
    required = parallelism + parallelism // 2
    return min(max(1 << (required - 1).bit_length(), _SMALLEST_DEFAULT), LARGEST)


def largest_share(divided: int, parallelism: int) -> int:
    """Return the maximum number of key groups (or partitions) per subtask if there are `divided` in total."""
    return -(-divided // parallelism)


def skew(divided: int, parallelism: int) -> float:
    """Return the ratio of the largest to the average number of key groups per subtask: 1 if all are equal."""
    return largest_share(divided, parallelism) * parallelism / divided


def recommended_max_parallelism(parallelism: int, growth: int = 4) -> int:
    """Return a max parallelism with many divisors (such as 120, 180, 240 or 360) and room to grow `growth` times.

    With many divisors, many parallelisms share the key groups evenly. The result is at most 32768.
    """
    required = min(parallelism * growth, LARGEST)
    return next(number for number in _MANY_DIVISORS if number >= required)
