"""Spill files, and all that has no directory of its own, are in the system's temporary directory.

## What it does
Reports `io.tmp.dirs` under `/tmp` or `/var/tmp` on plain machines.

## Why it matters
Sorting and hash joins of batch jobs spill there, RocksDB keeps its state there, task managers cache jars there: on the
root partition, or in a tmpfs that is memory. When it is full, jobs fail, and so does the rest of the machine.

## What to do
Name directories on data disks, several of them with commas between.

## Not when
YARN, Kubernetes and Docker, where a container has a temporary directory of its own. The blob server's directory and
RocksDB's have rules of their own (FLK101, FLK103).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#io-tmp-dirs>: what is kept there
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.storage._temporary import on_machines, temporary_of

_BATCH = "execution.runtime-mode"


@rule(
    code="FLK102",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=["io.tmp.dirs"],
    of_scale=True,
    since="0.1",
)
def temporary_directories(config: View) -> Iterator[Finding]:
    """spill files are in the system's temporary directory"""
    setting = config.get("io.tmp.dirs")
    directory = temporary_of(setting)
    if directory is None or not on_machines(config):
        return
    is_batch = (config.string(_BATCH) or "").upper() == "BATCH"
    yield setting.finding(
        f"spill files, cached jars and whatever has no directory of its own fill {directory}, on the root partition"
        " or in memory (tmpfs)",
        help="name directories on data disks, with commas between",
        severity=Severity.WARNING if is_batch else None,
        related=[config.get(_BATCH)] if is_batch else [],
    )


def cases() -> list[Case]:
    return [
        bad("io.tmp.dirs: /tmp\n", at="io.tmp.dirs", flink="1.18", severity=Severity.INFO),
        bad("io.tmp.dirs: /data/tmp,/var/tmp/flink\nexecution.runtime-mode: BATCH\n", at="io.tmp.dirs", flink="1.18",
            severity=Severity.WARNING, says="/var/tmp/flink"),
        good("io.tmp.dirs: /data/tmp\n", flink="1.18"),
        good("io.tmp.dirs: /tmp\n", flink="1.18", platform="kubernetes"),
        good("io.tmp.dirs: ${TMP}\n", flink="1.18"),
    ]  # fmt: skip
