"""The files that the stop scripts need are where the system cleans up.

## What it does
Reports `env.pid.dir` under `/tmp` or `/var/tmp`, which is also the default: without a setting it is advice where the
platform is known to be a standalone cluster.

## Why it matters
`taskmanager.sh stop` and `stop-cluster.sh` find processes by these files. Once a cleaner has deleted one, the script
says that there is nothing to stop, and the next start runs a second process beside the first, on the same memory and
disks.

## What to do
Set `env.pid.dir: /run/flink` (or another directory that lasts until the machine restarts, owned by Flink's user).

## Not when
Containers, YARN: nobody stops processes there by their files.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#env-pid-dir>: the default is `/tmp`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.storage._temporary import on_machines, temporary_of


@rule(
    code="FLK105",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=["env.pid.dir"],
    when=["platform:standalone"],
    of_scale=True,
    since="0.1",
)
def pid_files_in_tmp(config: View) -> Iterator[Finding]:
    """the files that the stop scripts need are where the system cleans up"""
    setting = config.get("env.pid.dir")
    directory = temporary_of(setting)
    if not setting.is_set and config.platform == "standalone" and config.document.whole:
        directory = "/tmp, the default"
    if directory is not None and on_machines(config):
        yield setting.finding(
            f"the process ids are in {directory}: once it is cleaned up, stop scripts find nothing to stop and the"
            " next start runs a second process beside the first",
            help="set env.pid.dir: /run/flink",
            fix=setting.replace("/run/flink"),
        )


def cases() -> list[Case]:
    return [
        bad("env.pid.dir: /tmp/flink\n", at="env.pid.dir", flink="1.18", fixed="env.pid.dir: /run/flink\n"),
        bad("rest.port: 8081\n", platform="standalone", flink="1.18", says="the default"),
        good("rest.port: 8081\n", flink="1.18"),
        good("env.pid.dir: /run/flink\n", flink="1.18", platform="standalone"),
        good("env.pid.dir: /tmp\n", flink="1.18", platform="kubernetes"),
    ]
