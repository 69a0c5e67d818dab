"""The metaspace is smaller than jobs are used to.

## What it does
Reports a `taskmanager.memory.jvm-metaspace.size` below 256 MB, and a release that gives less by default: Flink 1.10.0,
with 96 MB.

## Why it matters
The metaspace holds the classes. A job with connectors, a format or two and generated SQL code loads 100 to 200 MB of
them, and a session cluster loads those of every job it is given, once for each time the job restarts until the old
class loader is collected. Beyond the limit the TaskManager ends with `OutOfMemoryError: Metaspace`, often after the
tenth deployment rather than the first.

## What to do
Leave the default of 256 MB, or give a session cluster 512 MB, and the process as much more in total. On 1.10.0 set
256 MB, as 1.10.1 does by itself.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-16406>: from 96 MB to 256 MB in 1.10.1
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/#outofmemoryerror-metaspace>
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_SIZE = "taskmanager.memory.jvm-metaspace.size"
_ENOUGH = 256 << 20


@rule(
    code="FLK213",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    flink=">=1.10",
    reads=[_SIZE, "taskmanager.memory.process.size", "taskmanager.memory.flink.size"],
    of_scale=True,
    since="0.1",
)
def small_metaspace(config: View) -> Iterator[Finding]:
    """the metaspace holds less than the classes of most jobs"""
    setting = config.get(_SIZE)
    size = config.memory(_SIZE)
    if not setting.is_set:
        if config.target.certain and not config.since("1.10.1"):
            yield config.finding(
                "Flink 1.10.0 gives a TaskManager 96 MB of metaspace, less than the classes of most jobs want: it ends"
                " with OutOfMemoryError: Metaspace",
                help=f"set {_SIZE}: 256m, or go to 1.10.1, which does so by itself",
                key=_SIZE,
            )
    elif size is not None and size < _ENOUGH:
        yield setting.finding(
            f"a metaspace of {readable(size)} is below the default of {readable(_ENOUGH)}, and the classes of a job"
            " with connectors take 100 to 200 MiB: TaskManagers end with OutOfMemoryError: Metaspace, after some"
            " restarts if not at once",
            help=f"leave {_SIZE} out, or give it 256m or more; 512m in a cluster of many jobs",
            fix=setting.replace("256m"),
            evidence={"metaspace_bytes": size},
            measure=-size,
        )


_PROCESS = "taskmanager.memory.process.size: 4g\n"


def cases() -> list[Case]:
    return [
        bad(f"{_PROCESS}{_SIZE}: 96m\n", at=_SIZE, fixed=f"{_PROCESS}{_SIZE}: 256m\n"),
        bad("taskmanager.memory.process.size: 4g\n", flink="1.10.0", says="96 MB"),
        bad(f"taskmanager.memory.process.size: 4g\n{_SIZE}: 64mb\n", flink="1.14", at=_SIZE, says="64 MiB"),
        good("taskmanager.memory.process.size: 4g\n", flink="1.10.1"),
        good("taskmanager.memory.process.size: 4g\n", flink="1.10"),
        good(f"taskmanager.memory.process.size: 4g\n{_SIZE}: 256m\n"),
        good(f"taskmanager.memory.process.size: 4g\n{_SIZE}: ${{METASPACE}}\n"),
        good("taskmanager.memory.process.size: 4g\njobmanager.memory.jvm-metaspace.size: 128m\n", flink="1.20"),
        bad("taskmanager.memory.jvm-metaspace.size: 96m\n", at=_SIZE, profile="development", severity=Severity.INFO),
        bad("taskmanager.memory.flink.size: 4g\n", flink="1.10.0", says="96 MB"),
        good("taskmanager.memory.process.size: 4g\n", file="flink-conf.yaml"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    flink = "taskmanager.memory.flink.size: 4g\n"
    return [
        flink_uses("sizes of memory", f"{_SIZE}: 96m\n", "JvmMetaspace 96 MB", good="", both=flink, releases=">=1.10"),
        flink_uses(
            "sizes of memory", "", "JvmMetaspace 96 MB", good=f"{_SIZE}: 256m\n", both=flink, releases="<1.11",
            also="1.10.0",
        ),
    ]  # fmt: skip
