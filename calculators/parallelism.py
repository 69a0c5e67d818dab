"""Parallelism: the number of subtasks that a vertex needs, and the slots and TaskManagers for them.

## The formula
A vertex that processes `rate` records per second while its busiest subtask is busy for `busy` of the time could
process `true rate = rate / busy` with the subtasks it has. What it should be able to process is

`capacity = round(lag / catch-up + rate x restart / catch-up + rate / utilization)`

so that it is busy for `utilization` of the time, and reads a backlog within the catch-up time. The step is
`factor = capacity / true rate`, limited to `1 - scale-down limit` and `1 + scale-up limit` where these are given, and
`parallelism = ceil(factor x parallelism)`, limited to the minimum and maximum allowed. This is how the autoscaler of
the Flink Kubernetes operator computes it, down to the rounding; it removes at most 60 % of the subtasks in one step.
It follows DS2, whose true processing rates make one step enough where trial and error needs many.

Key groups (`pipeline.max-parallelism`, or the default `2 ^ ceil(log2(1.5 x parallelism))`, from 128 to 32768) and
source partitions cannot be cut: with `n` of them the fullest subtask has `ceil(n / parallelism)`, which is
`skew = ceil(n / parallelism) x parallelism / n` times the average. So the parallelism moves up to the next one that
divides `n` without remainder, or whose fullest subtask has no more than `floor(n / parallelism)`, the smallest share
before the change; if there is none, it stays. That is the alignment of the newest autoscaler; `--alignment` supports
the older ones. A job that starts without state gets a max parallelism with many divisors, four times the parallelism or
more.

A slot holds one subtask of each vertex of its slot sharing group: `slots = largest parallelism of the group`, groups
add up, and `TaskManagers = ceil(slots / slots of a TaskManager)`.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/internals/autoscaler/>: target rates,
  true processing rates and thresholds
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/autoscaler/>: the
  options, and max parallelisms with many divisors
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-autoscaler/src/main/java/org/apache/flink/autoscaler/JobVertexScaler.java>:
  limits of a step and alignment
- <https://github.com/apache/flink-kubernetes-operator/pull/1088>: FLIP-586, balanced alignment
- <https://www.usenix.org/conference/osdi18/presentation/kalavri>: DS2, "Three steps is all you need"
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/ops/production_ready/>: max parallelism cannot be
  changed without giving up the state
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Snippet, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas.autoscaling import (  # fmt: skip
    SCALE_DOWN_LIMIT,
    aligned,
    busiest_share,
    exact_capacity,
    required_capacity,
    safe_rate,
    scale_factor,
    scaled,
    slots_needed,
    subtasks_for,
    taskmanagers_needed,
    true_rate,
    unlimited_factor,
)
from flink_flint.calculators.formulas.key_groups import (  # fmt: skip
    LARGEST,
    default_max_parallelism,
    largest_share,
    recommended_max_parallelism,
    skew,
)
from flink_flint.calculators.formulas.quantity import (  # fmt: skip
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    counted,
    significant,
    spell_count,
    spell_duration,
    spell_fraction,
    spell_rate,
)
from flink_flint.calculators.inputs.parallelism import CurrentParallelism, Parallelism, Vertex
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple

_UNEVEN = 1.1
"""The skew above which a warning is given."""
_DEAR = 1.25
"""The factor by which alignment may increase the subtasks without a warning."""


def _true_rate(inputs: Vertex, processed: float | None) -> tuple[float, str]:
    if inputs.true_rate is not None:
        return inputs.true_rate, (
            f"With {_subtasks(inputs.parallelism)} the vertex processes {spell_rate(inputs.true_rate)} when it is busy "
            "all the time."
        )
    assert inputs.busy is not None
    assert processed is not None
    found = true_rate(processed, inputs.busy)
    return found, (
        f"True rate of {_subtasks(inputs.parallelism)}: {spell_rate(processed)} / {significant(inputs.busy)} busy = "
        f"{spell_rate(found)}."
    )


def _subtasks(count: int) -> str:
    return counted(count, "subtask")


def _pieces(count: int, what: str) -> str:
    """Return a number of partitions or key groups with its noun."""
    return counted(count, what.removesuffix("s"))


def _taken_for_one(inputs: Parallelism, processed: float | None) -> list[str]:
    """Return a warning if rates are given without the number of subtasks that they were measured with."""
    if inputs.parallelism > 1:
        return []
    rates = inputs.processed if inputs.true_rate is None else inputs.true_rate
    text = f"{spell_rate(rates or processed or inputs.rate)} is assumed to be the rate of 1 subtask (--parallelism)"
    return [f"{text}: if it is the rate of all current subtasks together, give their number"]


def _capacity_step(inputs: Parallelism, capacity: float) -> str:
    parts = [f"{spell_rate(inputs.rate)} / {significant(inputs.utilization)}"]
    if inputs.catch_up and inputs.restart:
        parts.append(
            f"{spell_rate(inputs.rate)} x {spell_duration(inputs.restart)} / {spell_duration(inputs.catch_up)}"
        )
    if inputs.catch_up and inputs.lag:
        parts.append(f"{spell_count(inputs.lag)} / {spell_duration(inputs.catch_up)}")
    exact = exact_capacity(
        inputs.rate, inputs.utilization, lag=inputs.lag, catch_up=inputs.catch_up, restart=inputs.restart
    )
    text = f"Capacity: {' + '.join(parts)} = {spell_rate(exact)}"
    if spell_rate(exact) == spell_rate(capacity):
        return f"{text}."
    return f"{text}, which the autoscaler rounds to {spell_rate(capacity)}."


class _Fit(NamedTuple):
    """The constraints of the parallelism."""

    divided: int
    """The number of key groups or partitions; 0 if there are none to share."""
    what: str
    bound: int
    """The max parallelism that the job must not exceed."""
    step: str
    fresh: int
    """A max parallelism for a job that starts without state."""


def _fit(inputs: Parallelism, wanted: int) -> _Fit:
    fresh = recommended_max_parallelism(max(wanted, inputs.parallelism))
    if inputs.max_parallelism is not None:
        bound, step = inputs.max_parallelism, ""
    elif inputs.keeps_state:
        bound = default_max_parallelism(inputs.parallelism)
        step = (
            "Max parallelism: not set, and the state keeps the one of the job's first start; for a parallelism of "
            f"{spell_count(inputs.parallelism)} Flink uses {spell_count(bound)}. Leave it unset while that state is "
            f"to be restored: another value is refused. A start without state can use {spell_count(fresh)}."
        )
    else:
        bound = fresh
        step = (
            f"Max parallelism: {spell_count(bound)} has many divisors and leaves room to grow fourfold; Flink would "
            f"use {spell_count(default_max_parallelism(max(1, min(wanted, LARGEST))))}."
        )
    if inputs.partitions is not None:
        return _Fit(inputs.partitions, "partitions", bound, step, fresh)
    return _Fit(bound if inputs.keyed else 0, "key groups", bound, step, fresh)


class _Plan(NamedTuple):
    """The parallelism before alignment, and the steps that compute it."""

    parallelism: int
    wanted: int
    fit: _Fit
    binding: str
    steps: tuple[str, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]


def _plan(inputs: Parallelism, capacity: float, rate: float) -> _Plan:
    current = inputs.parallelism
    free = unlimited_factor(capacity, rate, inputs.scalability)
    factor = scale_factor(
        capacity, rate, scale_down_limit=inputs.scale_down_limit, scale_up_limit=inputs.scale_up_limit,
        scalability=inputs.scalability,
    )  # fmt: skip
    needed = subtasks_for(current, free)
    growth = f" / {significant(inputs.scalability)} for growth that is not linear" if inputs.scalability < 1 else ""
    ratio = f"{spell_rate(capacity)} / {spell_rate(rate)}{growth} = {significant(free)}"
    steps = [
        f"Step: {ratio} times the current subtasks; x {spell_count(current)}, rounded up, makes {spell_count(needed)}."
    ]
    errors: list[str] = []
    warnings: list[str] = []
    binding = f"{spell_rate(capacity)} of capacity need {_subtasks(needed)}"
    if factor > free:
        limit = spell_fraction(inputs.scale_down_limit or 0.0)
        binding = f"one step removes at most {limit} of {_subtasks(current)}"
        steps.append(f"Limit of a step: at least {significant(factor)} of the current {_subtasks(current)} stay.")
    elif factor < free:
        limit = significant(inputs.scale_up_limit or 0.0)
        binding = f"one step adds at most {limit} times the current {_subtasks(current)}"
        steps.append(f"Limit of a step: at most {significant(factor)} times the current {_subtasks(current)}.")
        warnings.append(f"{binding}; {spell_count(needed)} are needed, so more steps will follow")
    elif inputs.scale_down_limit is None and free < 1 - SCALE_DOWN_LIMIT:
        first = max(1, math.ceil(round((1 - SCALE_DOWN_LIMIT) * current, 9)))
        if first > needed:
            steps.append(
                f"The operator's autoscaler removes {spell_fraction(SCALE_DOWN_LIMIT)} in one step at most: it "
                f"would scale to {spell_count(first)} first, and then further down."
            )
    required = subtasks_for(current, factor)
    fit = _fit(inputs, required)
    if fit.step:
        steps.append(fit.step)
    start = scaled(current, factor, least=inputs.least, most=inputs.most, max_parallelism=fit.bound)
    upper = max(current, inputs.most)
    if start > required:
        binding = f"the minimum parallelism is {spell_count(start)}"
        steps.append(f"Minimum parallelism: {spell_count(start)}.")
    elif start < required:
        bound = f"max parallelism is {spell_count(fit.bound)}"
        if fit.bound > upper:
            bound = f"the maximum parallelism allowed is {spell_count(upper)} (--most)"
        binding = bound
        steps.append(f"Limited: {bound}, so {spell_count(start)} instead of {spell_count(required)}.")
        if inputs.partitions is None or required <= inputs.partitions:
            errors.append(_short(bound, required, start, fit, inputs))
    found = start
    if fit.divided:
        found = aligned(
            start, fit.divided, least=min(current, inputs.least), most=min(fit.bound, upper), mode=inputs.alignment
        )
        found = min(found, fit.divided)
        steps.append(_alignment_step(start, found, fit))
        among = _pieces(fit.divided, fit.what)
        if required > fit.divided and fit.what == "partitions":
            binding = f"there are {among} to read"
            errors.append(
                f"{among} give no more than {_subtasks(fit.divided)} something to read, and {spell_count(required)} "
                "are needed: add partitions, or leave the source small and rebalance after it"
            )
        elif found < start:
            binding = f"{among} leave the fullest of {_subtasks(start)} no less than the fullest of {found}"
        elif found > start:
            binding = f"{_subtasks(start)} are enough, and {spell_count(found)} share {among} well"
            if found > start * _DEAR:
                warnings.append(
                    f"sharing {among} well needs {_subtasks(found)}, {spell_fraction(found / start - 1)} more than the "
                    f"{spell_count(start)} that are enough; with {spell_count(start)} (--alignment off) the fullest "
                    f"one has {significant(skew(fit.divided, start))} times the average"
                )
    if found == fit.bound and not errors:
        warnings.append(_full(found, fit, inputs))
    return _Plan(found, needed, fit, binding, tuple(steps), tuple(errors), tuple(warnings))


def _full(found: int, fit: _Fit, inputs: Parallelism) -> str:
    """Return a warning if the parallelism equals the max parallelism."""
    text = f"a parallelism of {spell_count(found)} equals the max parallelism: the vertex cannot grow any further"
    if not inputs.keyed or fit.fresh <= fit.bound:
        return text
    return f"{text} unless it starts without state, with pipeline.max-parallelism {spell_count(fit.fresh)}"


def _short(bound: str, wanted: int, start: int, fit: _Fit, inputs: Parallelism) -> str:
    text = f"{bound}, and {spell_count(wanted)} are needed"
    if start == fit.bound:
        remedy = (
            f"start without state, with pipeline.max-parallelism {spell_count(fit.fresh)}"
            if inputs.keyed
            else "raise it"
        )
        return f"{text}: {remedy}; a state written with another max parallelism is not restored"
    return text


def _alignment_step(start: int, found: int, fit: _Fit) -> str:
    text = (
        f"Alignment: {_pieces(fit.divided, fit.what)} over {_subtasks(start)} are up to "
        f"{spell_count(largest_share(fit.divided, start))} for one, {significant(fit.divided / start)} on average"
    )
    if found == start:
        return f"{text}: {spell_count(found)} stays."
    return (
        f"{text}; over {_subtasks(found)} they are up to {spell_count(largest_share(fit.divided, found))}: "
        f"{spell_count(found)}."
    )


def _idle(partitions: int, parallelism: int) -> str:
    return (
        f"{_pieces(partitions, 'partitions')} {'leaves' if partitions == 1 else 'leave'} "
        f"{spell_count(parallelism - partitions)} of "
        f"{_subtasks(parallelism)} without anything to read; without idleness in the watermark strategy they also "
        "hold back event time"
    )


def _unevenness(divided: int, parallelism: int, what: str) -> str:
    return (
        f"{_pieces(divided, what)} over {_subtasks(parallelism)}: the fullest has "
        f"{spell_count(largest_share(divided, parallelism))}, {significant(skew(divided, parallelism))} times the "
        "average, and is the first to be busy all the time"
    )


def _judge(inputs: Parallelism, rate: float) -> tuple[list[str], list[str]]:
    """Return errors and warnings about the current parallelism; empty if only one subtask's rates are known."""
    errors: list[str] = []
    warnings: list[str] = []
    if inputs.parallelism == 1:
        return errors, warnings
    if inputs.rate > rate:
        errors.append(
            f"{_subtasks(inputs.parallelism)} can process {spell_rate(rate)} at most, and {spell_rate(inputs.rate)} "
            "arrive: the backlog grows"
        )
    elif inputs.rate > rate * inputs.utilization:
        warnings.append(
            f"{_subtasks(inputs.parallelism)} are busy for {spell_fraction(inputs.rate / rate)} of the time, above the "
            f"target of {spell_fraction(inputs.utilization)}"
        )
    return errors, warnings + _present_shape(inputs)


def _present_shape(inputs: Vertex) -> list[str]:
    if inputs.partitions is not None:
        if inputs.parallelism > inputs.partitions:
            return [_idle(inputs.partitions, inputs.parallelism)]
        divided, what = inputs.partitions, "partitions"
    elif inputs.keyed:
        divided, what = inputs.key_groups, "key groups"
    else:
        return []
    return [_unevenness(divided, inputs.parallelism, what)] if skew(divided, inputs.parallelism) > _UNEVEN else []


def size_parallelism(inputs: Parallelism, release: Release) -> Answer:
    """Size the parallelism of a vertex, and the slots and TaskManagers of its job."""
    processed = inputs.rate if inputs.processed is None else inputs.processed
    rate, rate_step = _true_rate(inputs, processed)
    capacity = required_capacity(
        inputs.rate, inputs.utilization, lag=inputs.lag, catch_up=inputs.catch_up, restart=inputs.restart
    )
    plan = _plan(inputs, capacity, rate)
    found, fit = plan.parallelism, plan.fit
    uneven = skew(fit.divided, found) if fit.divided else 1.0
    needed = slots_needed(found, inputs.largest_other, inputs.other_groups)
    slots = inputs.slots if inputs.cores is None else min(inputs.cores, needed)
    managers = taskmanagers_needed(needed, slots)
    each = rate / inputs.parallelism * inputs.scalability
    busiest = busiest_share(inputs.rate, each, found, fit.divided)
    errors, warnings = _judge(inputs, rate)
    if uneven > _UNEVEN and (result := _unevenness(fit.divided, found, fit.what)) not in warnings:
        warnings.append(result)
    values = [
        Value("parallelism", found, COUNT, "subtasks of the vertex", inputs.parallelism),
        Value("capacity", capacity, PER_SECOND, "records per second that the vertex should be able to process"),
        Value("true_rate", rate, PER_SECOND, "records per second of always busy current subtasks"),
        Value("needed", plan.wanted, COUNT, "subtasks that the capacity needs, before limits and alignment"),
        Value("busiest", busiest, FRACTION, "how busy the fullest subtask will be"),
        Value("skew", uneven, NUMBER, "the share of the fullest subtask, as a multiple of the average"),
        Value("slots", needed, COUNT, "slots of the job"),
        Value("slots_each", slots, COUNT, "slots of a TaskManager", inputs.slots),
        Value("taskmanagers", managers, COUNT, "TaskManagers with these slots"),
        Value("max_parallelism", fit.bound, COUNT, "the limit of the parallelism", inputs.max_parallelism),
        Value("fresh_max_parallelism", fit.fresh, COUNT, "for a job that starts without state"),
    ]
    steps = [rate_step, _capacity_step(inputs, capacity), *plan.steps, *_slot_steps(inputs, found, needed, slots)]
    # If another vertex is larger, this vertex does not determine the default parallelism.
    settings = {"parallelism.default": found} if found >= inputs.largest_other else {}
    if inputs.max_parallelism is None and not inputs.keeps_state:
        settings["pipeline.max-parallelism"] = fit.bound
        warnings.append(
            f"pipeline.max-parallelism {spell_count(fit.bound)} is permanent: state written with it is not restored "
            "with another value"
        )
    if inputs.cores is not None:
        settings["taskmanager.numberOfTaskSlots"] = slots
    return Answer(
        values=tuple(values),
        binding=plan.binding,
        steps=tuple(steps),
        settings=settings,
        elsewhere=(Snippet("job source (Java), for this vertex alone", f"stream.setParallelism({found});"),),
        errors=(*errors, *plan.errors),
        warnings=(*_taken_for_one(inputs, processed), *plan.warnings, *warnings),
        chart=_chart(inputs, each, fit, found, busiest),
    )


def _slot_steps(inputs: Parallelism, found: int, needed: int, slots: int) -> Iterator[str]:
    if inputs.largest_other or inputs.other_groups:
        yield (
            f"Slots: the larger of {spell_count(found)} and {spell_count(inputs.largest_other)}, and "
            f"{spell_count(inputs.other_groups)} of other groups = {spell_count(needed)}."
        )
    if inputs.cores is not None:
        yield f"Slots of a TaskManager: one for each of {spell_count(inputs.cores)} cores, {spell_count(slots)}."
    yield (
        f"TaskManagers: {counted(needed, 'slot')} / {spell_count(slots)} = "
        f"{spell_count(taskmanagers_needed(needed, slots))}."
    )


def _chart(inputs: Parallelism, each: float, fit: _Fit, found: int, busiest: float) -> Chart:
    """Return a chart of the busiest subtask's busy time against the parallelism."""

    def busy(parallelism: int) -> float:
        return busiest_share(inputs.rate, each, parallelism, fit.divided)

    top = min(max(2 * found, inputs.parallelism + 1), fit.bound)
    stride = max(1, top // 200)
    xs = [x for x in range(1, top + 1, stride) if busy(x) <= 2] or [top]
    points = [Point("recommended", float(found), busiest)]
    if inputs.parallelism > 1:
        points.append(Point("now", float(inputs.parallelism), busy(inputs.parallelism)))
    return Chart(
        "How busy the fullest subtask is",
        "parallelism",
        COUNT,
        "busy",
        FRACTION,
        (
            Series("fullest subtask", tuple((float(x), busy(x)) for x in xs)),
            Series("wanted", ((float(xs[0]), inputs.utilization), (float(xs[-1]), inputs.utilization))),
        ),
        tuple(points),
    )


def load_of_parallelism(inputs: CurrentParallelism, release: Release) -> Answer:
    """Compute the rate that the current parallelism sustains, with room for catching up."""
    rate, rate_step = _true_rate(inputs, inputs.processed)
    divided = inputs.partitions or (inputs.key_groups if inputs.keyed else 0)
    # Measured rates already include the unevenness, since they come from the busiest subtask; given ones do not.
    uneven = skew(divided, inputs.parallelism) if divided and inputs.true_rate is not None else 1.0
    carried = safe_rate(
        rate, inputs.utilization, lag=inputs.lag, catch_up=inputs.catch_up, restart=inputs.restart, skew=uneven
    )
    steps = [rate_step]
    if uneven > 1:
        what = "key groups" if inputs.partitions is None else "partitions"
        steps.append(
            f"Unevenness: the fullest subtask has {spell_count(largest_share(divided, inputs.parallelism))} of "
            f"{_pieces(divided, what)}, so the vertex is full at {spell_rate(rate)} / {significant(uneven)} = "
            f"{spell_rate(rate / uneven)}."
        )
    need = f"1 / {significant(inputs.utilization)}"
    usable = spell_rate(rate / uneven)
    if inputs.catch_up and inputs.lag:
        usable = f"({usable} - {spell_count(inputs.lag)} / {spell_duration(inputs.catch_up)})"
    if inputs.catch_up and inputs.restart:
        need = f"({need} + {spell_duration(inputs.restart)} / {spell_duration(inputs.catch_up)})"
    steps.append(f"Safe rate: {usable} / {need} = {spell_rate(carried)}.")
    errors = []
    if carried == 0:
        errors.append(
            f"{spell_rate(rate / uneven)} do not even read {spell_count(inputs.lag)} waiting records within "
            f"{spell_duration(inputs.catch_up)}"
        )
    return Answer(
        values=(
            Value("safe_rate", carried, PER_SECOND, "records per second that may arrive at the vertex"),
            Value("full_rate", rate / uneven, PER_SECOND, "the rate at which the fullest subtask is busy all the time"),
            Value("true_rate", rate, PER_SECOND, "records per second if all subtasks are always busy"),
            Value("skew", uneven, NUMBER, "the share of the fullest subtask, as a multiple of the average"),
            Value("max_parallelism", inputs.key_groups, COUNT, "the limit up to which the parallelism can grow"),
        ),
        binding=(
            f"{_subtasks(inputs.parallelism)} can process {spell_rate(rate / uneven)} at most, and should be busy for "
            f"{spell_fraction(inputs.utilization)} of the time"
        ),
        steps=tuple(steps),
        errors=tuple(errors),
        warnings=tuple(_present_shape(inputs)),
    )


CALCULATOR = Calculator(
    name="parallelism",
    title="Parallelism: subtasks, slots and TaskManagers",
    question="My job cannot keep up, or has more slots than it uses",
    forward=Way(
        Parallelism,
        size_parallelism,
        {"rate": "12k/s", "processed": "9k/s", "busy": "85 %", "parallelism": "10", "max_parallelism": "720",
         "slots": "4"},
    ),
    reverse=Way(
        CurrentParallelism,
        load_of_parallelism,
        {"true_rate": "16k/s", "parallelism": "12", "max_parallelism": "128"},
    ),
)  # fmt: skip
