"""The size of memory segments is one that Flink refuses, or far from the usual.

## What it does
Checks `taskmanager.memory.segment-size`, the size of a network buffer and of a page of managed memory (32 KB by
default): below 4 KB or not a power of two it is an error, above 1 MB a warning.

## Why it matters
Flink refuses the first kind when the TaskManager starts: "Memory segment size must be a power of 2", "Minimum
memory segment size is 4096". Large segments make every channel hold more data in flight: with 2 exclusive buffers
a channel and 8 floating buffers a gate, a subtask that receives from 100 others holds up to 6.5 MB at 32 KB and
208 MB at 1 MB, which aligned checkpoints must drain and unaligned ones must store.

## What to do
Leave the option out, or write a power of two from `32kb` to `1mb`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/network_mem_tuning/>:
  buffers, their number and their size
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_LEAST = 4096
_DEFAULT = 32 << 10
_USUAL = 1 << 20
_LARGEST = 2**31 - 1


@rule(
    code="FLK217",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["taskmanager.memory.segment-size"],
    since="0.1",
)
def segment_size(config: View) -> Iterator[Finding]:
    """memory segments have a size that Flink refuses, or an unusual one"""
    setting = config.get("taskmanager.memory.segment-size")
    size = config.memory("taskmanager.memory.segment-size")
    if size is None:
        return
    problem = None
    if size < _LEAST:
        problem = f"a memory segment of {size} is below the minimum of 4096 bytes"
    elif size > _LARGEST:
        problem = f"a memory segment of {size} exceeds what one array can hold (2 GiB)"
    elif size & (size - 1):
        problem = f"a memory segment of {size} is not a power of two"
    if problem:
        # Below the minimum nobody knows what was meant; 32 and 48 were surely meant in kilobytes.
        lower = _DEFAULT if size < _LEAST else 1 << min(size.bit_length() - 1, 20)
        near = f", for example {lower >> 10}kb" if lower != _DEFAULT else ""
        yield setting.finding(
            f"{problem}, so the TaskManager does not start",
            help=f"write 32kb (the default) or another power of two from 4kb on{near}",
            fix=setting.replace(f"{lower >> 10}kb"),
            evidence={"bytes": int(size)},
        )
    elif size > _USUAL:
        yield setting.finding(
            f"network buffers of {size} each make every channel hold {size // _DEFAULT} times the usual data in"
            " flight, which slows checkpoints under backpressure",
            help="leave the option out (32kb), or use at most 1mb",
            fix=setting.replace("1mb"),
            severity=Severity.WARNING,
            evidence={"bytes": int(size)},
        )


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager.memory.segment-size: 48kb\n",
            at="taskmanager.memory.segment-size",
            severity=Severity.ERROR,
            says="48 KiB is not a power of two",
            fixed="taskmanager.memory.segment-size: 32kb\n",
        ),
        bad(
            "taskmanager.memory.segment-size: 32\n",
            at="taskmanager.memory.segment-size",
            flink="1.18",
            says="32 bytes is below",
            fixed="taskmanager.memory.segment-size: 32kb\n",
        ),
        bad("taskmanager.memory.segment-size: 2kb\n", flink="1.9", severity=Severity.ERROR),
        bad(
            "taskmanager.memory.segment-size: 4mb\n",
            flink="1.20",
            severity=Severity.WARNING,
            says="128 times",
            fixed="taskmanager.memory.segment-size: 1mb\n",
        ),
        good("taskmanager.memory.segment-size: 32768\n", flink="1.12"),
        good("taskmanager.memory.segment-size: 64kb\n"),
        good("taskmanager.memory.segment-size: '{{ segment }}'\n"),
        good("taskmanager.memory.segment-size: 32KiB\n"),
        good("taskmanager.memory.segment-size: 4096\n"),
        good("taskmanager.memory.segment-size: 1mb\n"),
        bad("taskmanager.memory.segment-size: 2mb\n", severity=Severity.WARNING),
        bad(
            "taskmanager.memory.segment-size: 3mb\n",
            says="power of two",
            fixed="taskmanager.memory.segment-size: 1024kb\n",
        ),
        bad("taskmanager.memory.segment-size: 2gb\n", severity=Severity.ERROR, says="exceeds what one array"),
        bad("taskmanager.memory.segment-size: 2147483647b\n", says="power of two"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "network", "taskmanager.memory.segment-size: 33kb\n", good="taskmanager.memory.segment-size: 32kb\n"
        ),
        flink_refuses(
            "network", "taskmanager.memory.segment-size: 2kb\n", good="taskmanager.memory.segment-size: 4kb\n"
        ),
    ]
