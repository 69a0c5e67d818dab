"""Too few or too many old log files are kept.

## What it does
Reports `env.log.max` below 2 and above 100. The default is 5 up to 1.16 and 10 from 1.17 on.

## Why it matters
The logging files of Flink roll at 100 MB, and when a process starts. With one old file a TaskManager that restarts
twice has lost the log of its failure. With hundreds of them each process may take tens of gigabytes of the disk that
also holds the checkpoints, blobs and state of its host.

## What to do
Set it to about 10; count 100 MB for each file and process of a machine.

## Not when
The value is a template. A logging file of one's own decides for itself, unless it uses `MAX_LOG_FILE_NUMBER`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#env-log-max>: what it means
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_FILE_MB = 100


@rule(
    code="FLK933",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=["env.log.max"],
    since="0.1",
    thresholds={
        "fewest": Threshold(2, "fewest old log files that tell of a failure"),
        "most": Threshold(100, "most old log files to keep"),
    },
)
def log_backups(config: View) -> Iterator[Finding]:
    """too few or too many old log files are kept"""
    setting = config.get("env.log.max")
    kept = config.integer("env.log.max")
    fewest = config.threshold("fewest")
    most = max(config.threshold("most"), fewest)
    if kept is None or fewest <= kept <= most:
        return
    if kept < fewest:
        restarts = "the next restart" if kept == 0 else f"{kept + 1} restarts"
        message = (
            f"{kept} old log {'file is' if kept == 1 else 'files are'} kept, fewer than {fewest}: the log of a failure"
            f" is gone after {restarts} of the process"
        )
    else:
        message = f"{kept} old log files of {_FILE_MB} MB take {kept * _FILE_MB / 1000:g} GB for each process of a host"
    enough = str(int(max(fewest, min(10, most))))
    yield setting.finding(message, help=f"set env.log.max: {enough}", fix=setting.replace(enough))


def cases() -> list[Case]:
    return [
        bad("env.log.max: 1\n", at="env.log.max", says="fewer than 2: the log of a failure is gone after 2 restarts",
            fixed="env.log.max: 10\n"),
        bad("env.log.max: 500\n", at="env.log.max", flink="1.18", says="50 GB", fixed="env.log.max: 10\n"),
        bad("env.log.max: 0\n", says="0 old log files are kept, fewer than 2: the log of a failure is gone after the"),
        good("env.log.max: 100\n"),
        good("env.log.max: 2\n", flink="1.14"),
        good("env.log.max: ${LOG_FILES}\n", flink="1.18"),
        bad("env.log.max: 101\n", says="10.1 GB"),
    ]  # fmt: skip
