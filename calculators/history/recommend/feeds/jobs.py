"""Inputs for a job as a whole: restarts, stored state, catch-ups, metadata, RocksDB, Kinesis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.given_inputs import values_for
from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.calculators.formulas.quantity import BYTES, COUNT, PER_SECOND, SECONDS, spell_duration
from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.evidence import Evidence, Figure, Job, days_of, figure, percentile
from flink_flint.calculators.history.recommend.feeds.checkpoints import restarts_of
from flink_flint.calculators.history.recommend.feeds.vertices import demand_on, is_source
from flink_flint.calculators.history.recommend.fill_inputs import (
    Fed,
    Feeds,
    Lacking,
    Required,
    Surroundings,
    scaled,
    supplied,
    values_of,
)
from flink_flint.calculators.inputs.catch_up import CatchUp
from flink_flint.calculators.inputs.kinesis import Kinesis
from flink_flint.calculators.inputs.restart import Restart
from flink_flint.calculators.inputs.rocksdb import RocksDbNeeds
from flink_flint.calculators.inputs.rpc_size import RpcSize
from flink_flint.calculators.inputs.storage import Storage

_OUTAGE = 600.0
_GROWTH_DAYS = 6
_RESTART = "restart-strategy."
_BACKOFF = f"{_RESTART}exponential-delay."
_LARGEST_REDEPLOYMENT = 3600.0
_MIN_STATE = 64 << 20
"""State below this size gets no storage recommendation."""


def restart(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs for the restart strategy of a job that was restarted."""
    own = job.own
    restarts = restarts_of(own)
    observed = own.seen("numRestarts")
    if observed is None or restarts < 1:
        return
    if reason := own.lacks("numRestarts"):
        yield Lacking("restart", own, reason)
        return
    main = figure(observed, "growth", restarts)
    figures: dict[str, Figure] = {}
    outage = _OUTAGE
    # Without a configured strategy a release uses its own default.
    doubts = int(not around.configuration.is_known)
    down = own.seen("restartingTime")
    if down is not None and down.peak > 0:
        figures["outage"] = scaled(figure(down, "max", down.peak))
        outage = max(_OUTAGE, rounded_up(figures["outage"].value))
    yield Fed(
        calculator="restart",
        about=own,
        surroundings=around,
        given=values_for(Restart, outage=outage),
        figures=figures,
        main=main,
        unit=COUNT,
        meaning="Restarts",
        wanted=tuple(
            Required(key, doubts=doubts)
            for key in (
                f"{_RESTART}type", f"{_BACKOFF}initial-backoff", f"{_BACKOFF}backoff-multiplier",
                f"{_BACKOFF}max-backoff", f"{_BACKOFF}reset-backoff-threshold",
            )
        ),
        assumed=(f"it must survive an outage of {spell_duration(outage)}",),
    )  # fmt: skip


def storage(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs for the storage space that a job's checkpoints need."""
    own = job.own
    metric = "lastCheckpointFullSize" if own.seen("lastCheckpointFullSize") is not None else "lastCheckpointSize"
    if own.seen(metric) is None:
        return
    if reason := own.lacks(metric):
        yield Lacking("storage", own, reason)
        return
    state = own.peak(metric)
    observed = own.known(metric)
    assert state is not None
    assert observed is not None
    if state.value < _MIN_STATE:
        return
    growth = growth_of(observed)
    entries = () if not growth else (f"it grows by {BYTES.spell(growth * 86_400)} a day",)
    yield Fed(
        calculator="storage",
        about=own,
        surroundings=around,
        given=values_for(Storage, state=math.ceil(state.value), growth=growth),
        figures={"state": state},
        main=state,
        unit=BYTES,
        meaning="State in a checkpoint",
        wanted=(Required("storage.disk", "disk", step=64 << 20, is_estimate=True),),
        assumed=("the store keeps one copy of each file", "no savepoints are kept"),
        doubts=int(metric != "lastCheckpointFullSize"),
        remarks=entries,
    )


def growth_of(observed: Observed) -> float:
    """Return the growth per second of daily peaks: the median slope between any two days; 0 if it is negative."""
    if len(observed.days) < _GROWTH_DAYS:
        return 0.0
    newer, older = np.triu_indices(len(observed.days), 1)[::-1]
    slopes = (observed.maxs[newer] - observed.maxs[older]) / ((observed.days[newer] - observed.days[older]) * 86_400.0)
    return max(0.0, float(np.median(slopes)))


def catch_up(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs for the time that each source of a job needs to catch up after a failure."""
    for task in job.tasks.values():
        if not is_source(task):
            continue
        fast = task.signal("numRecordsOutPerSecond.vertex.catchup")
        found = demand_on(task)
        if fast is None or found is None:
            continue
        rate, _ = found
        # It is reported only at rare moments, which were looked for in the whole history.
        capacity = figure(fast, "max", fast.peak)._replace(days=max(days_of(fast), rate.days))
        if rate.value <= 0 or capacity.value <= rate.value:
            yield Lacking("catch-up", task, "it never read faster than records arrive")
            continue
        given = values_for(CatchUp, rate=rate.value, capacity=capacity.value, failure=True)
        figures = {"rate": rate, "capacity": capacity}
        down = job.own.seen("restartingTime")
        if down is not None and 0 < down.peak / 1000 <= _LARGEST_REDEPLOYMENT:
            figures["redeployment"] = scaled(figure(down, "max", down.peak))
            given |= values_for(CatchUp, redeployment=figures["redeployment"].value)
        yield Fed(
            calculator="catch-up",
            about=task,
            surroundings=around,
            given=given,
            figures=figures,
            main=capacity,
            unit=PER_SECOND,
            meaning="Records read while catching up",
            wanted=(Required("catch-up.time", "catch_up_time", is_estimate=True),),
            assumed=() if "redeployment" in figures else ("a redeployment takes as long as the calculator assumes",),
            doubts=int("redeployment" not in figures),
            because=("after a failure of a TaskManager",),
        )


def rpc_size(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs for the RPC frame size and the JobManager heap that checkpoint metadata requires."""
    own = job.own
    if own.seen("lastCheckpointMetadataSize") is None:
        return
    if reason := own.lacks("lastCheckpointMetadataSize"):
        yield Lacking("rpc-size", own, reason)
        return
    size = own.peak("lastCheckpointMetadataSize")
    assert size is not None
    subtasks = max((one.parallelism for one in around.vertices), default=0) or _subtasks(job)
    elements = math.ceil(size.value / 8 / subtasks)

    yield Fed(
        calculator="rpc-size",
        about=own,
        surroundings=around,
        given=values_for(RpcSize, list_elements=elements, parallelism=subtasks),
        figures={"list_elements": size.becomes("max, in elements of 8 bytes", float(elements))},
        main=size,
        unit=BYTES,
        meaning="Metadata of a checkpoint",
        wanted=(
            Required("pekko.framesize", of=_frame, unit=BYTES, only_up=True),
            Required("jobmanager.memory.heap.size", only_up=True),
        ),
        assumed=("one task's operator list state makes up all of the metadata",),
        doubts=1,
    )


def _frame(answer: Answer) -> Any:
    return answer.value("frame")


def _subtasks(job: Job) -> int:
    return max((one.series for task in job.tasks.values() for one in task.metrics.values()), default=1)


_OF_A_STATE = ("block-cache-usage", "cur-size-all-mem-tables", "estimate-num-keys", "estimate-live-data-size")


def rocksdb(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs for RocksDB memory, from the states that a slot keeps and from the block cache."""
    states, main = 0, None
    hits = misses = 0.0
    for operator in job.operators.values():
        known = [one for name in _OF_A_STATE if (one := operator.seen(f"rocksdb.{name}")) is not None]
        if known:
            each = max(known, key=lambda one: one.series)
            subtasks = max((one.series for name, one in operator.metrics.items() if "rocksdb" not in name), default=1)
            states += max(1, round(each.series / subtasks))
            main = main or figure(each, "series", float(each.series))
        for name, sign in (("hit", 1), ("miss", 0)):
            counter = operator.seen(f"rocksdb.block-cache-{name}")
            if counter is not None:
                hits, misses = (hits + counter.total, misses) if sign else (hits, misses + counter.total)
    if main is None:
        return
    given = values_for(RocksDbNeeds, states=states)
    figures = {"states": main.becomes("counted", float(states))._replace(peak=float(states))}
    if hits + misses > 0:
        hit_ratio = hits / (hits + misses)
        given |= values_for(RocksDbNeeds, hit_ratio=hit_ratio)
        figures["hit_ratio"] = main._replace(metric="rocksdb.block-cache-hit").becomes("share", hit_ratio)
    size = job.own.peak("lastCheckpointFullSize")
    if size is not None and size.value >= 1:
        state_size = math.ceil(size.value / _subtasks(job))
        given |= values_for(RocksDbNeeds, state_size=state_size)
        figures["state_size"] = size.becomes("max, of one subtask", float(state_size))
    yield Fed(
        calculator="rocksdb",
        about=job.own,
        surroundings=around,
        given=given,
        figures=figures,
        main=figures["states"],
        unit=COUNT,
        meaning="States in RocksDB in a slot",
        wanted=(
            Required("taskmanager.memory.managed.size", "managed_memory", step=32 << 20),
            Required("taskmanager.memory.jvm-overhead.min", only_up=True),
            Required("taskmanager.memory.jvm-overhead.max", only_up=True),
        ),
        assumed=("all operators share each slot",),
        doubts=int(not around.configuration.is_known),
        is_memory=True,
    )


def kinesis(job: Job, around: Surroundings) -> Feeds:
    """Yield the inputs for each operator that reads from Kinesis."""
    for operator in job.operators.values():
        if operator.seen("millisBehindLatest") is None:
            continue
        if reason := operator.lacks("millisBehindLatest"):
            yield Lacking("kinesis", operator, reason)
            continue
        yield _reader(operator, job.tasks.get(operator.task), around)


def _reader(operator: Evidence, task: Evidence | None, around: Surroundings) -> Fed | Lacking:
    way = calculator("kinesis").forward
    figures = {name: one for name, one in supplied(way, (operator,)).items() if name in ("record_size", "behind")}
    old = "record_size" in figures
    size = figures.get("record_size") or _record_size(operator)
    if size is None:
        return Lacking("kinesis", operator, "no averageRecordSizeBytes, and no bytes and records read")
    figures["record_size"] = size
    rate = None if task is None else demand_on(task)
    if rate is not None and rate[0].value > 0:
        figures["rate"] = rate[0]
    behind = operator.known("millisBehindLatest")
    assert behind is not None
    connector = "consumer" if old else "source"
    given = values_of(way, figures) | values_for(Kinesis, shards=behind.series, connector=connector)
    keys = ["source.shard.get-records.max-record-count"]
    if old:
        keys = ["flink.shard.getrecords.maxrecordcount", "flink.shard.getrecords.intervalmillis"]
    values = ("max_records", "interval")
    return Fed(
        calculator="kinesis",
        about=operator,
        surroundings=around,
        given=given,
        figures={**figures, "shards": figure(behind, "shards", float(behind.series))},
        main=scaled(percentile(behind, 0.99)),
        unit=SECONDS,
        meaning="Time that reading a shard is behind its newest record",
        wanted=tuple(Required(key, value) for key, value in zip(keys, values, strict=False)),
        assumed=("this job alone reads the stream",),
        doubts=1,
    )


def _record_size(operator: Evidence) -> Figure | None:
    """Return the mean size of the records that were read; None if it is unknown."""
    for read, taken in (("numBytesInPerSecond", "numRecordsInPerSecond"), ("numBytesIn", "numRecordsIn")):
        size, records = operator.known(read), operator.known(taken)
        if size is not None and records is not None and records.mean > 0 and size.mean >= records.mean:
            return figure(size, "mean of a record", size.mean / records.mean)
    return None
