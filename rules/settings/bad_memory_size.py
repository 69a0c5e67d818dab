"""A memory size is written in a way Flink does not read.

## What it does
Reports values of memory options that Flink's `MemorySize` refuses. It reads a whole number and one of
`b`, `k`, `kb`, `m`, `mb`, `g`, `gb`, `t`, `tb` (or `bytes`, `kibibytes`, `mebibytes`, `gibibytes`,
`tebibytes`), in any case; a number alone is bytes. Kubernetes' `4Gi`, decimals (`1.5g`), signs,
digit separators and percentages are refused. Flink's units are all binary: `g` and `gb` are 1024 x 1024
x 1024 bytes.

## Why it matters
The sizes of the processes are read before the JVM starts, so that neither JobManager nor TaskManager
comes up; other sizes fail what reads them, often only once the job that needs them is submitted.

## What to do
Write a whole number with a unit: `4g` for `4Gi`, `1536m` for `1.5g`. flint rewrites what has one exact
equivalent.

## Not when
A size without a unit is legal and belongs to `bare-number-memory`; the RPC frame size has a grammar of
its own and belongs to `framesize-grammar`; quotes kept by `flink-conf.yaml` are another fault. The
memory of a Kubernetes custom resource (`spec.jobManager.resource.memory`) is no Flink option.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: memory options and their type
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/MemorySize.java>:
  what `MemorySize.parse` accepts; checked by calling it in 1.13 to 2.3
"""

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._amounts import is_quoted, meant_size, spell_size
from flink_flint.rules.settings._keys import shown

_READ_BEFORE_THE_JVM = ("jobmanager.memory.", "taskmanager.memory.", "jobmanager.heap.", "taskmanager.heap.")


@rule(
    code="FLK019",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    when=["type:MemorySize"],
)
def bad_memory_size(config: View, setting: Setting) -> Iterator[Finding]:
    """a memory size is written in a way Flink does not read"""
    option = setting.option
    if option is None or option.type != "MemorySize" or not setting.is_known or is_quoted(config, setting):
        return
    if not _is_refused(setting.text) or not setting.is_read or setting.is_typed:
        return
    size = meant_size(setting.text)
    value = None if size is None else spell_size(size)
    process = setting.key.startswith(_READ_BEFORE_THE_JVM)
    yield setting.finding(
        f"Flink reads no memory size from '{shown(setting.text)}': {_why(setting.text)};"
        f" {'the process does not start' if process else 'whatever reads the option fails'}",
        help=f"write {value}" if value else "write a whole number and one of b, k, m, g, t, such as 1536m",
        fix=None if value is None else setting.replace(value, safe=True),
    )


def _is_refused(text: str) -> bool:
    try:
        parse_memory(text)
    except BadValue:
        return True
    return False


def _why(text: str) -> str:
    trimmed = text.strip()
    digits = len(trimmed) - len(trimmed.lstrip("0123456789"))
    rest = trimmed[digits:]
    if not trimmed:
        return "it is empty"
    if not digits:
        return "it does not start with a digit"
    if not rest:
        return "it is too large"
    if rest[0] in ".,_":
        return "only whole numbers without separators are read"
    if rest.strip().lower() in ("b", "bytes") or not rest.strip().isalpha():
        return "it is not one whole number with one unit, or too large"
    return f"'{rest.strip()}' is none of the units b, k, kb, m, mb, g, gb, t, tb"


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager.memory.process.size: 4Gi\n", at="taskmanager.memory.process.size", flink="1.18",
            fixed="taskmanager.memory.process.size: 4g\n", severity=Severity.ERROR, says="'Gi' is none of the units",
        ),
        bad(
            "taskmanager.memory.managed.size: 1.5g\n", at="1.5g", file="flink-conf.yaml",
            fixed="taskmanager.memory.managed.size: 1536m\n", says="only whole numbers",
        ),
        bad(
            "state.backend.rocksdb.memory.fixed-per-slot: 1_000m # per slot\n", flink="1.20", file="flink-conf.yaml",
            fixed="state.backend.rocksdb.memory.fixed-per-slot: 1000m # per slot\n", says="whatever reads",
        ),
        bad("jobmanager.memory.process.size: 1 gibibyte\n", flink="1.14", fixed="jobmanager.memory.process.size: 1g\n"),
        bad("jobmanager.memory.jvm-metaspace.size: -1\n", flink="1.17", says="does not start with a digit"),
        bad("taskmanager.memory.network.max: 10%\n", flink="1.17", fixed="taskmanager.memory.network.max: 10%\n"),
        bad("taskmanager.memory.managed.size: 0.0g\n", flink="1.17", fixed="taskmanager.memory.managed.size: 0b\n"),
        bad("taskmanager.memory.managed.size: 1_025 bytes\n", flink="1.17",
            fixed="taskmanager.memory.managed.size: 1025b\n"),
        good("taskmanager.heap.size: 4Gi\n", flink="1.9"),
        bad("taskmanager:\n  memory:\n    flink:\n      size: 2048Mi\n", at="2048Mi",
            fixed="taskmanager:\n  memory:\n    flink:\n      size: 2g\n"),
        good("taskmanager.memory.process.size: 4 GB\ntaskmanager.memory.managed.size: 512 mebibytes\n", flink="1.18"),
        good("execution.checkpointing.data-inline-threshold: 20480\n"),
        good("pekko.framesize: 10MiB\n", flink="1.18"),
        good("taskmanager.memory.process.size: '{{ memory }}Gi'\n"),
        good("taskmanager.memory.process.size: \"4Gi\"\n", flink="1.18"),
        good("taskmanager.memory.size: 1Gi\ntaskmanager.memory.managed.size: 1g\n", flink="1.18"),
        good("taskmanager.heap.mb: 4Gi\n", flink="2.1"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "options", "taskmanager.memory.process.size: 4 GiB\n", good="taskmanager.memory.process.size: 4 g\n"
        ),
        flink_refuses(
            "options", "taskmanager.memory.process.size: 1.5g\n", good="taskmanager.memory.process.size: 1536m\n"
        ),
        flink_refuses(
            "options",
            "taskmanager.memory.managed.size: -1m\n",
            good="taskmanager.memory.managed.size: 1m\n",
            both="taskmanager.memory.process.size: 2g\n",
            releases=">=1.10",
        ),
    ]
