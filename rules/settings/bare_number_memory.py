"""A memory size has no unit, so it is bytes, and far too few of them.

## What it does
Reports memory options that are set to a number without a unit, where that number of bytes can hardly be
meant: below 1 MiB for options whose default is 1 MiB or more and for the sizes of processes and pools,
below 1 KiB for options whose default is between 1 KiB and 1 MiB. Zero is never reported.

## Why it matters
Flink takes a bare number for bytes. `taskmanager.memory.process.size: 4096` is 4 KiB, not 4 GiB, and the
process does not start; a RocksDB write buffer of `64` flushes with every record.

## What to do
Append the unit: `4096m`.

## Not when
`jobmanager.heap.mb` and `taskmanager.heap.mb` are integers in megabytes.
`taskmanager.memory.segment-size` has a hard lower bound and a rule of its own (`segment-size`), and so has the RPC
frame size, with a grammar of its own (`framesize-grammar`). A typed field of a custom resource has one too
(`resource-memory-unit`). Options in which a few bytes are sensible have a default
below 1 KiB and are left alone.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: sizes without unit are bytes
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/>: the sizes of the processes
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.claim import Claim, flink_refuses, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._amounts import lacks_unit, least_size

_REFUSED = (
    *("jobmanager.memory.process.size", "jobmanager.memory.flink.size", "jobmanager.memory.heap.size"),
    *("taskmanager.memory.process.size", "taskmanager.memory.flink.size", "jobmanager.heap.size"),
    "taskmanager.heap.size",
)
"""Sizes with which no process starts when they are below 1 MiB."""


@rule(
    code="FLK020",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    when=["type:MemorySize"],
)
def bare_number_memory(config: View, setting: Setting) -> Iterator[Finding]:
    """a memory size has no unit, so it is bytes, and far too few of them"""
    assert setting.entry is not None
    if not lacks_unit(setting) or setting.entry.style == "implied":
        return
    text, default = setting.text.strip(), setting.default
    process = setting.key.partition(".")[0]
    refused = setting.key in _REFUSED or (
        process in ("taskmanager", "jobmanager") and config.memory_refusal(process) is not None
    )
    usual = f"; the default is {default}" if isinstance(default, MemorySize) else ""
    yield setting.finding(
        f"{setting.written} is {int(text)} bytes, because a number without a unit is bytes"
        + (", and no process starts with so little" if refused else usual),
        help=f"append the unit, for example {text}{'m' if least_size(setting) > 1 << 10 else 'k'}",
        severity=Severity.ERROR if refused else None,
    )


def cases() -> list[Case]:
    return [
        bad("taskmanager.memory.process.size: 4096\n", at="taskmanager.memory.process.size", flink="1.18",
            severity=Severity.ERROR, says="4096 bytes"),
        bad("jobmanager.heap.size: 1024\n", flink="1.13", severity=Severity.ERROR),
        bad("taskmanager.memory.managed.size: 512\n", file="flink-conf.yaml", severity=Severity.WARNING),
        bad("state.backend.rocksdb.writebuffer.size: 64\n", flink="1.17", says="the default is 64 MiB",
            severity=Severity.WARNING),
        bad("state.backend.rocksdb.writebuffer.size: 64000\n", flink="1.17"),
        bad("taskmanager.memory.process.size: 2g\ntaskmanager.memory.network.max: 128\n", flink="1.18",
            at="taskmanager.memory.network.max", severity=Severity.ERROR),
        bad("taskmanager.memory.process.size: 2g\ntaskmanager.memory.framework.heap.size: 128\n", flink="1.18",
            severity=Severity.WARNING),
        bad("jobmanager.memory.process.size: 2g\njobmanager.memory.jvm-overhead.max: 1\n", flink="1.18",
            severity=Severity.ERROR),
        bad("jobmanager.memory.off-heap.size: 1048575\n", flink="1.18"),
        good("jobmanager.memory.off-heap.size: 1048576\n", flink="1.18"),
        good("jobmanager.memory.off-heap.size: 0\n", flink="1.18"),
        bad("dstl.dfs.upload.buffer-size: 2000\n", flink="1.18"),
        bad("state.backend.rocksdb.block.metadata-blocksize: 1023\n", flink="1.18"),
        good("state.backend.rocksdb.block.metadata-blocksize: 1024\n", flink="1.18"),
        bad("taskmanager.memory.starting-segment-size: 512\n", flink="2.1"),
        good("state.storage.fs.memory-threshold: 20kb\nstate.backend.fs.memory-threshold: 20\n", flink="1.17"),
        good("execution.checkpointing.data-inline-threshold: \u0663\u0663\n", flink="1.20", file="flink-conf.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n"
            "  flinkVersion: v1_20\n  taskManager:\n    resource:\n      memory: '2048'\n",
            file="deployment.yaml",
        ),
        bad("state.storage.fs.memory-threshold: 20\n", flink="1.17", says="20 bytes"),
        bad("parallelism:\n  default: 4\nstate:\n  backend.rocksdb.block.cache-size: 256\n", at="256"),
        good("taskmanager.memory.process.size: 4096m\ntaskmanager.memory.task.off-heap.size: 0\n", flink="1.18"),
        good("execution.checkpointing.data-inline-threshold: 20480\ntaskmanager.memory.min-segment-size: 256\n"),
        good("taskmanager.memory.process.size: 4294967296\n", flink="1.18"),
        good("jobmanager.heap.mb: 1024\ntaskmanager.heap.mb: 1024\n", flink="1.9"),
        good("taskmanager.memory.segment-size: 32\n", flink="1.18"),
        good("taskmanager.heap.size: 1024\n", flink="1.9"),
        good("akka.framesize: 1024\n", flink="1.9"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    size, buffer = "taskmanager.memory.process.size", "state.backend.rocksdb.writebuffer.size"
    return [
        flink_refuses("taskmanager memory", f"{size}: 4096\n", good=f"{size}: 4096m\n"),
        flink_uses("options", f"{buffer}: 64\n", "=64 bytes", good=f"{buffer}: 64m\n"),
    ]
