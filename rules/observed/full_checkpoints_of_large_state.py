"""Each checkpoint writes all of a large state anew.

## What it does
Where the state backend is RocksDB or ForSt and `execution.checkpointing.incremental` is off, reports jobs whose
checkpoints are 2 GiB and more (median of `lastCheckpointFullSize`).

## Why it matters
A full checkpoint reads and writes the whole state each time, although most of it has not changed: it takes longer,
loads the storage and the network, and costs what they cost. Incremental ones write what was new since the last one.

## What to do
Set `execution.checkpointing.incremental: true` (`state.backend.incremental` up to 1.19). Restoring may then read more
files; keep an eye on the storage's number of files.

## Not when
No file names the backend. Jobs that change all of their state between two checkpoints gain nothing.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#incremental-checkpoints>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#incremental-checkpoints>
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting, likewise, sized

INCREMENTAL = "execution.checkpointing.incremental"
_BACKEND = "state.backend.type"
FULL = "job/lastCheckpointFullSize"
_LARGE = 2 << 30


@rule(
    code="FLK657",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{FULL} p50 > {_LARGE}"],
    flink=">=1.10",
    since="0.1",
)
def full_checkpoints_of_large_state(config: View) -> Iterator[Finding]:
    """each checkpoint writes all of a large state anew"""
    if not (large := config.observed_where(FULL, p=0.5, above=_LARGE)):
        return
    backend = config.get(_BACKEND)
    if backend.text.lower() not in ("rocksdb", "forst"):
        return
    if config.boolean(INCREMENTAL) is not False:
        return
    size = large[0]
    duration = size.holder.observed("job/lastCheckpointDuration", p=0.5)
    took = "" if duration is None else f" in {lasting(duration / 1000)}"
    setting = config.get(INCREMENTAL)
    yield (setting if setting.is_set else backend).finding(
        f"each checkpoint of {size.holder} writes {sized(size)} ({size.basis}){took}, all of its state, as incremental"
        f" checkpoints are off{likewise(large, 'job')}",
        help=f"set {setting.option.key if setting.option else setting.key} to true",
        fix=setting.replace("true"),
        evidence=evidence(size, duration),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{_BACKEND}: rocksdb\n{INCREMENTAL}: false\n", at=INCREMENTAL, flink="1.20",
            observed={FULL: 110 << 30, "job/lastCheckpointDuration": 167_000}, says="writes 110 GiB",
            fixed=f"{_BACKEND}: rocksdb\n{INCREMENTAL}: true\n",
        ),
        bad("state.backend: rocksdb\n", at=_BACKEND, flink="1.15", observed={FULL: 5 << 30}),
        good(f"{_BACKEND}: rocksdb\n{INCREMENTAL}: true\n", flink="1.20", observed={FULL: 110 << 30}),
        good(f"{_BACKEND}: rocksdb\n", flink="1.20", observed={FULL: 1 << 30}),
        good("parallelism.default: 2\n", observed={FULL: 110 << 30}),
        bad(f"{_BACKEND}: forst\n{INCREMENTAL}: false\n", flink="2.1", observed={FULL: 3 << 30}),
        good(f"{_BACKEND}: rocksdb\n{INCREMENTAL}: ${{INCREMENTAL}}\n", flink="1.20", observed={FULL: 110 << 30}),
        good("pipeline.name: payments\nstate.backend: rocksdb\n", flink="1.15", observed={FULL: 5 << 30}),
        good("state.backend: rocksdb\n", flink="1.9", observed={FULL: 5 << 30}),
        good(f"{_BACKEND}: rocksdb\n", flink="1.20", observed={FULL: 2 << 30}),
    ]  # fmt: skip
