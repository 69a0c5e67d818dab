"""A session cluster keeps finished jobs in memory, without a limit to their number.

## What it does
Reports, as advice, `jobstore.type: Memory` (`completed-application-store.type` from 2.3 on) without a maximum of how
many jobs are kept.

## Why it matters
For the web page a session cluster keeps the execution graph of every job that ended, with all its vertices and
subtasks, for an hour (`jobstore.expiration-time`). `File` writes them to a temporary directory and holds 50 MB of them
in memory; `Memory` holds them all, and their number is not bounded (2147483647 by default). A session that runs many
short jobs fills its heap with the past.

## What to do
Set `jobstore.max-capacity` (`completed-application-store.max-capacity` from 2.3 on), or go back to `File`, the default.

## Not when
A maximum is set. A JobManager of one application keeps that one in memory, whatever the type.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/#jobstore-type>: type, maximum,
  time and the cache of the files
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_TYPE, _MOST = "completed-application-store.type", "completed-application-store.max-capacity"
_OLD_TYPE = "jobstore.type"


@rule(
    code="FLK951",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_TYPE, _OLD_TYPE],
    flink=">=1.15",
    of_scale=True,
    since="0.1",
)
def finished_jobs_in_memory(config: View) -> Iterator[Finding]:
    """a session cluster keeps finished jobs in memory, however many they are"""
    kept = config.get(_TYPE)
    if kept.is_set and kept.value == "Memory" and not config.is_set(_MOST):
        most = _MOST if config.since("2.3") else "jobstore.max-capacity"
        yield kept.finding(
            "every job that has ended stays in the heap of the JobManager for a while, however many they are",
            help=f"set {most} to 100 or so, or keep them in files (`File`)",
        )


def cases() -> list[Case]:
    return [
        bad(f"{_OLD_TYPE}: Memory\n", flink="1.20", at="Memory", severity=Severity.INFO),
        bad(f"{_OLD_TYPE}: memory\njobmanager.memory.process.size: 2g\n", flink="1.15"),
        bad(f"{_TYPE}: Memory\nparallelism.default: 4\n", flink="2.3", at=_TYPE),
        good(f"{_OLD_TYPE}: Memory\njobstore.max-capacity: 200\n", flink="1.17"),
        good(f"{_TYPE}: Memory\n{_MOST}: 200\nparallelism.default: 4\n", flink="2.3"),
        good(f"{_OLD_TYPE}: File\n", flink="1.20"),
        good(f"{_OLD_TYPE}: {{{{ type }}}}\n", flink="1.18"),
    ]
