"""Formulas that derive a vertex's parallelism from its rates, as in the Kubernetes operator's autoscaler and in DS2.

Rates are records per second, shares are parts of 1, times are seconds. Rounding is Java's, so that the figures are
the same as the autoscaler's. Sources: `JobVertexScaler.java` and `AutoScalerUtils.java` of
<https://github.com/apache/flink-kubernetes-operator>; DS2 is Kalavri et al., OSDI 2018,
<https://www.usenix.org/conference/osdi18/presentation/kalavri>.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from flink_flint.calculators.formulas.key_groups import largest_share
from flink_flint.linter.text.named_tuple import NamedTuple

UTILIZATION = 0.7
"""The target share (0 to 1) of time in which a vertex is busy (`job.autoscaler.utilization.target`)."""
CATCH_UP = 1800.0
"""The target time, in seconds, for catching up with a backlog (`job.autoscaler.catch-up.duration`)."""
RESTART = 300.0
"""The expected duration of a rescaling, in seconds (`job.autoscaler.restart.time`)."""
SCALE_DOWN_LIMIT = 0.6
"""The maximum share (0 to 1) of the parallelism that one step removes (`job.autoscaler.scale-down.max-factor`)."""
SCALE_UP_LIMIT = 100_000.0
"""The maximum parallelism that one step adds, relative to the current one (`job.autoscaler.scale-up.max-factor`)."""
MOST = 200
"""The maximum parallelism to which a vertex is scaled up (`job.autoscaler.vertex.max-parallelism`)."""

ALIGNMENTS = ("balanced", "even", "maximize", "off")
"""The ways in which `aligned` fits a parallelism to the number of key groups or partitions."""


def java_round(value: float) -> float:
    """Round like Java's `Math.round`: halves are rounded up, so 62.5 becomes 63; infinity stays infinity."""
    if math.isinf(value):
        return value
    whole = math.floor(value)
    return whole + (value - whole >= 0.5)


def true_rate(rate: float, busy: float) -> float:
    """Return the records per second that a vertex would process if it were busy all the time.

    `rate` is its current rate while its busiest subtask is busy for `busy` (0 to 1) of the time
    (`busyTimeMsPerSecond` / 1000). The result is infinite for a vertex that is never busy.
    """
    return math.inf if rate == 0 or busy == 0 else rate / busy


def observed_true_rate(rate: float, back_pressured: float) -> float:
    """Return the true rate of a source that reads a backlog and is backpressured for a share of time (0 to 1)."""
    return math.inf if back_pressured >= 1 else rate / (1 - back_pressured)


def exact_capacity(
    rate: float,
    utilization: float = UTILIZATION,
    *,
    lag: float = 0.0,
    catch_up: float = CATCH_UP,
    restart: float = RESTART,
) -> float:
    """Return the records per second that a vertex must be able to process, unrounded; infinity if `utilization` is 0.

    Records arrive at `rate`; `lag` waiting records, and those that arrive in the `restart` seconds of a rescaling,
    should be read within `catch_up` seconds. With `catch_up` 0 neither counts.
    """
    share = min(1.0, max(0.0, utilization))
    if share == 0:
        return math.inf
    waiting = 0.0 if catch_up == 0 else lag / catch_up
    restarting = 0.0 if catch_up == 0 else rate * restart / catch_up
    return waiting + restarting + rate / share


def required_capacity(
    rate: float,
    utilization: float = UTILIZATION,
    *,
    lag: float = 0.0,
    catch_up: float = CATCH_UP,
    restart: float = RESTART,
) -> float:
    """Return `exact_capacity` (records per second) rounded as the autoscaler does: to a whole number, or infinity."""
    return java_round(exact_capacity(rate, utilization, lag=lag, catch_up=catch_up, restart=restart))


def unlimited_factor(capacity: float, true_rate: float, scalability: float = 1.0) -> float:
    """Return the factor by which the parallelism would change without step limits; see `scale_factor`."""
    return capacity / true_rate / scalability if true_rate < math.inf else 0.0


def scale_factor(
    capacity: float,
    true_rate: float,
    *,
    scale_down_limit: float | None = SCALE_DOWN_LIMIT,
    scale_up_limit: float | None = SCALE_UP_LIMIT,
    scalability: float = 1.0,
) -> float:
    """Return the factor by which one step changes the parallelism: capacity over true rate, within the step limits.

    None means no limit. `scalability` (0.5 to 1) is the part of linear growth that more subtasks achieve,
    see `scalability_of`.
    """
    required = unlimited_factor(capacity, true_rate, scalability)
    if scale_up_limit is not None:
        required = min(1 + scale_up_limit, required)
    return required if scale_down_limit is None else max(1 - scale_down_limit, required)


def scalability_of(history: Sequence[tuple[int, float]], *, least: float = 0.5) -> float:
    """Return the share of linear growth that past rescalings achieved: `least` to 1, rounded up to two decimals.

    `history` holds parallelism and true rate after each rescaling, oldest first. Fewer than three show nothing: 1.
    """
    if len(history) < 3:
        return 1.0
    smallest = min(parallelism for parallelism, _ in history)
    base = next(rate / parallelism for parallelism, rate in reversed(history) if parallelism == smallest)
    share = math.fsum(p * rate for p, rate in history) / (math.fsum(p * p for p, _ in history) * base)
    return math.ceil(round(max(least, min(1.0, share)) * 100, 9)) / 100


def subtasks_for(parallelism: int, factor: float) -> int:
    """Return the number of subtasks (at least one) after a step by `factor`, without applying limits."""
    return max(1, math.ceil(factor * parallelism))


def scaled(parallelism: int, factor: float, *, least: int = 1, most: int = MOST, max_parallelism: int) -> int:
    """Return the parallelism after a step by `factor`, within all limits but before alignment (see `aligned`).

    `least` and `most` never reverse the direction: a vertex that is already below or above them may stay unchanged.
    """
    lower, upper = min(parallelism, least), max(parallelism, most)
    return min(max(lower, math.ceil(factor * parallelism)), max_parallelism, upper)


def aligned(wanted: int, divided: int, *, least: int = 1, most: int, mode: str = "balanced") -> int:
    """Return a parallelism near `wanted` that distributes `divided` key groups or partitions as `mode` requires.

    ``balanced`` (`ParallelismAlignmentMode` of the newest operator) returns the first one, up to `most`, whose busiest
    subtask has no more than an even share at `wanted`: one that divides without remainder, or whose smallest share is
    below that of `wanted`. ``even`` (EVENLY_SPREAD, the default of operators so far) requires division without
    remainder, ``maximize`` (MAXIMIZE_UTILISATION) the same as ``balanced``; both of them search downward if there is
    none above. ``off`` returns `wanted` unchanged.
    """
    if mode == "off":
        return wanted
    top = min(divided, most)
    if mode == "balanced":
        wanted = min(wanted, top)
    share = divided // wanted
    for parallelism in range(wanted, top + 1):
        if divided % parallelism == 0 or (mode != "even" and divided // parallelism < share):
            return parallelism
    if mode == "balanced":
        return wanted
    # The smallest number of subtasks without a larger share than at `wanted`: more of them have no benefit.
    parallelism = wanted
    while parallelism > 0 and divided // parallelism <= share:
        parallelism -= 1
    if parallelism > 0 and divided % parallelism != 0:
        parallelism += 1
    return max(parallelism, least)


class Stage(NamedTuple):
    """The measured rates and the parallelism of one operator of a chain."""

    true_rate: float
    """The total records per second that the operator's subtasks would read if they were busy all the time."""
    outputs: float
    """The number of records that the operator emits per record that it reads."""
    parallelism: int


def chain_parallelism(source_rate: float, stages: Sequence[Stage]) -> list[int]:
    """Return the minimum parallelism of each operator of a chain for `source_rate` records per second (DS2).

    `parallelism = ceil(arriving / (true rate / parallelism))`, and records that an operator emits arrive at the next.
    """
    arriving, found = source_rate, []
    for stage in stages:
        found.append(max(1, math.ceil(round(arriving / stage.true_rate * stage.parallelism, 9))))
        arriving *= stage.outputs
    return found


def busiest_share(rate: float, each: float, parallelism: int, divided: int = 0) -> float:
    """Return the share of time in which the busiest of `parallelism` subtasks is busy; above 1 if it is overloaded.

    `rate` records per second arrive, one subtask processes `each` of them when busy all the time, and `divided` key
    groups or partitions are shared; 0 if records are shared evenly.
    """
    share = largest_share(divided, parallelism) / divided if divided else 1 / parallelism
    return rate / each * share


def slots_needed(parallelism: int, largest_other: int = 0, other_groups: int = 0) -> int:
    """Return the number of slots of a job: the largest parallelism in a slot sharing group, plus `other_groups` slots.

    `other_groups`: the number of slots of the other slot sharing groups.
    """
    return max(parallelism, largest_other) + other_groups


def taskmanagers_needed(slots: int, slots_each: int) -> int:
    """Return the number of TaskManagers that provide `slots` slots, with `slots_each` slots per TaskManager."""
    return math.ceil(slots / slots_each)


def safe_rate(
    true_rate: float,
    utilization: float = UTILIZATION,
    *,
    lag: float = 0.0,
    catch_up: float = CATCH_UP,
    restart: float = RESTART,
    skew: float = 1.0,
) -> float:
    """Return the arrival rate (records/s) that `true_rate` sustains: the inverse of `required_capacity`."""
    if catch_up == 0:
        return true_rate / skew * utilization
    return max(0.0, (true_rate / skew - lag / catch_up) / (1 / utilization + restart / catch_up))
