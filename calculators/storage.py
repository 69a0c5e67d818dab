"""Storage: the disk space for checkpoints, savepoints, logs and local state, and when the disk is full.

## The formula
A store of checkpoints holds the retained ones and those in progress. Full ones are copies of the state:
`checkpoints = state x (retained + in progress) x replication`. Incremental ones share their files:
`checkpoints = state x (1 + anew x (retained + in progress - 1)) x replication`, where `anew` is the part of the state
that each rewrites, compaction included. Savepoints are full and Flink deletes none:
`savepoints = kept x state x replication`, with `kept = time / interval` if nothing else deletes them. High
availability keeps the jobs' jars and, for each retained checkpoint, a copy of `_metadata`. A checkpoint has
`subtasks x pieces of state + 1` files, and one for every 64 MiB of incremental state.

The Slf4j reporter logs 3757 bytes for a TaskManager and 9405 for each of its subtasks at every report (measured on
1.20.5): `logs = (3757 x processes + 9405 x subtasks) / interval`. Rolling bounds log files to
`roll size x (roll files + 1)` for each process; nothing bounds the `.out` file that `print()` writes, except that from
1.19 on `taskmanager.system-out.mode` can send it to the log (`LOG`) or drop it (`IGNORE`).

A TaskManager's local disk holds RocksDB's working state. Local recovery adds a copy of the last checkpoint; of
incremental RocksDB state that copy consists of hard links, and only data compacted away since then takes space.

`full after = (disk x (1 - reserve) - used) / growth`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/>: retained checkpoints and their
  directories
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-193:+Snapshots+ownership>: savepoints and restored
  checkpoints belong to their user, and Flink does not delete them
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#task-local-recovery>: the
  disk space of local copies
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#slf4j>: the reporter that logs
- <https://github.com/apache/flink/pull/14476>: FLINK-20713, standard output is not rolled and can fill the disk; the
  change was not merged
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: `taskmanager.system-out.mode`
"""

from __future__ import annotations

import math

from flink_flint.calculators.answer_parts.disk_plans import Plan, checkpoints_at, plan_of, savepoints_at, state_at
from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Snippet, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.formulas import disk_use as use
from flink_flint.calculators.formulas.disk_use import Usage
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    COUNT,
    SECONDS,
    counted,
    significant,
    spell_count,
    spell_duration,
    spell_fraction,
    spell_size,
)
from flink_flint.calculators.inputs.storage import BYTES_PER_DAY, CurrentStorage, Storage, Stored
from flink_flint.linter.flink.releases import Release, nearest_index
from flink_flint.linter.text.named_tuple import NamedTuple

_RETAINED = "execution.checkpointing.num-retained"
_LOG_FILES = "env.log.max"


def size_storage(inputs: Storage, release: Release) -> Answer:
    """Compute how much a disk will store, when it will be full, and what to keep on it."""
    index = nearest_index(release)
    plan = plan_of(inputs, index)
    need, wanted = plan.usage(inputs.ahead), math.ceil(plan.usage(inputs.ahead) / (1 - inputs.reserve))
    values = [Value("size", need, BYTES, f"in use after {spell_duration(inputs.ahead)}"), *plan.values]
    steps, warnings, errors = list(plan.steps), list(plan.warnings), []
    kept = _Kept()
    if inputs.disk is None:
        values.append(Value("disk", wanted, BYTES, f"disk size with {spell_fraction(inputs.reserve)} of it free"))
        steps.append(f"Disk: {spell_size(need)} / (1 - {spell_fraction(inputs.reserve)}) = {spell_size(wanted)}.")
    else:
        limit = max(0.0, use.room_of(inputs.disk, inputs.reserve) - inputs.used)
        full = use.seconds_until(limit, plan.usage)
        free = spell_fraction(inputs.reserve)
        values.insert(0, Value("full_after", full, SECONDS, f"until less than {free} of the disk is free"))
        steps.append(
            f"Room: {spell_size(inputs.disk)} x (1 - {spell_fraction(inputs.reserve)}) - {spell_size(inputs.used)} in "
            f"use by others = {spell_size(limit)}, enough {_how_long(full)}."
        )
        if plan.usage(0.0) > inputs.disk - inputs.used:
            errors.append(
                f"{spell_size(plan.usage(0.0))} does not fit the {spell_size(inputs.disk - inputs.used)} that others "
                "do not use"
            )
        elif full <= inputs.ahead:
            (errors if need > inputs.disk - inputs.used else warnings).append(_full(inputs, plan, full))
        kept = _retention(inputs, limit, index)
    operator, deletes = _savepoint_cleanup(inputs, kept.savepoints)
    return Answer(
        values=(*values, *kept.values),
        binding=plan.binding,
        steps=(*steps, *kept.steps),
        settings=kept.settings,
        elsewhere=(*plan.elsewhere, *operator),
        errors=tuple(errors),
        warnings=(*warnings, *deletes),
        chart=_chart(inputs.disk, inputs.used, inputs.ahead, plan.usage),
    )


def _how_long(seconds: float) -> str:
    return f"for {spell_duration(seconds)}" if math.isfinite(seconds) else "permanently"


def _full(inputs: Storage, plan: Plan, full: float) -> str:
    assert inputs.disk is not None
    really = use.seconds_until(inputs.disk - inputs.used, plan.usage)
    when = f"after {spell_duration(full)}" if full else "already now"
    return f"{when} less than {spell_fraction(inputs.reserve)} of the disk is free" + (
        f", and after {spell_duration(really)} it is full" if math.isfinite(really) else ""
    )


class _Kept(NamedTuple):
    """The values, steps and settings for retained checkpoints, savepoints and log files."""

    values: tuple[Value, ...] = ()
    steps: tuple[str, ...] = ()
    settings: dict[str, int] = {}  # noqa: RUF012 - never written to
    savepoints: int | None = None


def _retention(inputs: Storage, limit: float, index: int) -> _Kept:
    """Return how much may be retained within `limit` bytes, and the settings to change if more is retained."""
    if inputs.store == "logs" and use.rolls(index):
        each = inputs.roll_size * inputs.processes
        files = math.floor(limit / each) - 1
        if not 0 <= files < inputs.roll_files:
            return _Kept()
        return _Kept(
            (Value("most_log_files", files, COUNT, "older log files of each process that fit", inputs.roll_files),),
            (f"Log files: {spell_size(limit)} / {spell_size(each)} - 1 in use = {spell_count(files)} older ones.",),
            {_LOG_FILES: files},
        )
    if inputs.store != "checkpoints":
        return _Kept()
    state = state_at(inputs, inputs.ahead) * inputs.replication
    limit -= use.availability_size(inputs.jars, inputs.metadata, inputs.retained, inputs.replication)
    savepoints = 0.0 if inputs.savepoints is None else savepoints_at(inputs, inputs.ahead)
    retained = use.max_retained(state, limit - savepoints, inputs.concurrent, inputs.share)
    values = [Value("most_retained", retained, COUNT, "checkpoints that fit in addition to the rest", inputs.retained)]
    steps = [
        f"Retained: {spell_size(max(0.0, limit - savepoints))} fits {spell_count(retained)} and those in progress."
    ]
    most = None
    if inputs.savepoint_every is not None:
        rest = max(0.0, limit - checkpoints_at(inputs, inputs.ahead))
        most = math.floor(rest / state)
        values.append(Value("most_savepoints", most, COUNT, "savepoints that fit", inputs.savepoints))
        steps.append(
            f"Savepoints: {spell_size(rest)} left by checkpoints / {spell_size(state)} = {spell_count(most)} that fit."
        )
    settings = {_RETAINED: retained} if 1 <= retained < inputs.retained else {}
    return _Kept(tuple(values), tuple(steps), settings, most)


def _savepoint_cleanup(inputs: Storage, fitting: int | None) -> tuple[tuple[Snippet, ...], tuple[str, ...]]:
    """Return how to delete savepoints if too many are kept, and the warning about it.

    `fitting`: the number of savepoints that fit the disk; None if its size is not known.
    """
    if inputs.savepoint_every is None or inputs.store != "checkpoints":
        return (), ()
    too_many = inputs.savepoints is None or (fitting is not None and inputs.savepoints > fitting)
    if not too_many:
        return (), ()
    by_hand = Snippet("shell, for each savepoint that is no longer needed", "flink savepoint --dispose <path>")
    if not fitting:
        return (by_hand,), ()
    newest = counted(fitting, "savepoint")
    operator = Snippet(
        f"Kubernetes operator, to delete all but the newest {newest}",
        f"# as many as fit the disk, {spell_duration(fitting * inputs.savepoint_every)} of them\n"
        f"kubernetes.operator.savepoint.history.max.count: {fitting}\n"
        "# from operator 1.10 on: deletes their files, too, not only the records of them\n"
        "kubernetes.operator.savepoint.dispose-on-delete: true",
    )
    warning = (
        f"the operator's settings below permanently delete all but the newest {newest} that fit the disk: "
        "first copy those that must be kept"
    )
    return (operator, by_hand), (warning,)


def _chart(disk: int | None, used: int, ahead: float, usage: Usage) -> Chart:
    """Return a chart of the bytes in use over time, with the disk's size."""
    times = [ahead * step / 40 for step in range(41)]
    lines = [Series("in use", tuple((time, used + usage(time)) for time in times))]
    if disk is not None:
        lines.append(Series("disk", ((0.0, float(disk)), (ahead, float(disk)))))
    return Chart(
        "Bytes in use",
        "time",
        SECONDS,
        "in use",
        BYTES,
        tuple(lines),
        (Point("now", 0.0, used + usage(0.0)), Point(f"after {spell_duration(ahead)}", ahead, used + usage(ahead))),
    )


# -- given the disk


def load_of_storage(inputs: CurrentStorage, release: Release) -> Answer:
    """Compute the largest state, retention or log volume that fits on a disk."""
    room = max(0.0, use.room_of(inputs.disk, inputs.reserve) - inputs.used)
    step = (
        f"Room: {spell_size(inputs.disk)} x (1 - {spell_fraction(inputs.reserve)}) - {spell_size(inputs.used)} in use "
        f"by others = {spell_size(room)}."
    )
    values, steps = (_room_for_logs if inputs.store == "logs" else _room_for_state)(inputs, room)
    errors = []
    if inputs.state is not None and inputs.store != "logs" and inputs.state > values[0].value:
        errors.append(f"{spell_size(inputs.state)} of state is more than the {spell_size(values[0].value)} that fit")
    return Answer(
        values=tuple(values),
        binding=f"{spell_size(room)} of the disk may be used",
        steps=(step, *steps),
        errors=tuple(errors),
        chart=_room_chart(inputs),
    )


def _room_for_logs(inputs: CurrentStorage, room: float) -> tuple[list[Value], list[str]]:
    growth = room / inputs.ahead
    values = [Value("safe_growth", growth, BYTES_PER_DAY, f"log volume that fits for {spell_duration(inputs.ahead)}")]
    steps = [f"Growth: {spell_size(room)} / {spell_duration(inputs.ahead)} = {BYTES_PER_DAY.spell(growth)}."]
    if inputs.reported_subtasks is not None:
        once = use.metrics_logged(inputs.reported_subtasks, 1.0, inputs.processes)
        every = once / growth if growth else math.inf
        values.append(Value("report_every", every, SECONDS, "the shortest interval at which all metrics may be logged"))
        steps.append(
            f"Interval: {spell_size(once)} for one report of all metrics / {BYTES_PER_DAY.spell(growth)} = "
            f"{spell_duration(every)}."
        )
    return values, steps


def _room_for_state(inputs: CurrentStorage, room: float) -> tuple[list[Value], list[str]]:
    factor = _factor(inputs)
    largest = math.floor(room / factor) if factor else math.inf
    values = [Value("largest_state", largest, BYTES, "the largest state that fits", inputs.state)]
    steps = [f"State: {spell_size(room)} / {significant(factor)} bytes per byte of state = {spell_size(largest)}."]
    if inputs.state is None or inputs.store != "checkpoints":
        return values, steps
    state = float(inputs.state) * inputs.replication
    retained = use.max_retained(state, room - _kept(inputs) * state, inputs.concurrent, inputs.share)
    rest = max(0.0, room - use.checkpoints_size(state, inputs.in_store, inputs.share))
    values += [
        Value("most_retained", retained, COUNT, "checkpoints of that state that may be retained", inputs.retained),
        Value("most_savepoints", math.floor(rest / state), COUNT, "savepoints that fit in addition", inputs.savepoints),
    ]
    steps.append(
        f"Savepoints: {spell_size(rest)} left by the checkpoints / {spell_size(state)} = {spell_count(rest // state)}."
    )
    return values, steps


def _kept(inputs: Stored) -> int:
    return (
        0
        if inputs.savepoint_every is None
        else use.savepoints_kept(inputs.ahead, inputs.savepoint_every, inputs.savepoints)
    )


def _factor(inputs: CurrentStorage) -> float:
    """Return the bytes on the disk for each byte of state."""
    if inputs.store == "local":
        return (
            use.local_size(
                1.0,
                on_disk=inputs.backend == "rocksdb",
                recovery=inputs.recovery,
                incremental=inputs.incremental,
                anew=inputs.anew,
            )
            / inputs.taskmanagers
        )
    return (
        use.checkpoints_size(1.0, inputs.in_store, inputs.share, inputs.replication)
        + _kept(inputs) * inputs.replication
    )


def _room_chart(inputs: CurrentStorage) -> Chart | None:
    """Return a chart of the bytes in use against the size of the state, with the disk's size."""
    if inputs.store == "logs" or not (factor := _factor(inputs)):
        return None
    most = inputs.disk / factor
    disk = float(inputs.disk)
    return Chart(
        "Bytes in use against the state",
        "state",
        BYTES,
        "in use",
        BYTES,
        (
            Series("in use", ((0.0, float(inputs.used)), (most, inputs.used + disk))),
            Series("disk", ((0.0, disk), (most, disk))),
        ),
        () if inputs.state is None else (Point("now", float(inputs.state), inputs.used + inputs.state * factor),),
    )


CALCULATOR = Calculator(
    name="storage",
    title="Storage: checkpoints, savepoints, logs and local state",
    question="The disk fills up",
    forward=Way(
        Storage,
        size_storage,
        {"state": "110gb", "replication": "3", "savepoint_every": "1d", "disk": "6tb"},
    ),
    reverse=Way(
        CurrentStorage,
        load_of_storage,
        {"disk": "2tb", "replication": "3", "retained": "3", "state": "110gb"},
    ),
)  # fmt: skip
