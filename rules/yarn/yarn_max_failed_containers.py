"""The limit of failed YARN containers does not act as its author believes.

## What it does
From 1.9 on it reports `yarn.maximum-failed-containers`, which nothing reads. Before, it reports a YARN cluster that
leaves the limit at its default, where the limit acts: up to 1.4, and from 1.5 to 1.8 with `mode: legacy`.

## Why it matters
The old resource manager counts failed containers over the whole life of the session and ends it when there were more
than the TaskManagers first asked for (`-n`): a session with 10 TaskManagers dies, after months perhaps, with the
11th lost container. The new one never ends a session for that; who still sets the limit to be stopped early, or to
be safe, gets neither.

## What to do
From 1.9 on delete the key. From 1.13 on `resourcemanager.start-worker.max-failure-rate` (10 a minute) limits how fast
TaskManagers are asked for again after failures. Up to 1.8 set a limit no session reaches, such as 10000.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.5/ops/deployment/yarn_setup.html>: the limit and its default
- <https://issues.apache.org/jira/browse/FLINK-10868>: the new resource manager does not enforce it
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#resourcemanager-start-worker-max-failure-rate>:
  what there is today
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.container_losses import LIMIT, limit_acts
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK750",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["yarn."],
    when=["element:emr-cluster"],
    only=["platform:yarn", "platform:emr"],
    flink=">=1.0",
    since="0.1",
)
def yarn_max_failed_containers(config: View) -> Iterator[Finding]:
    """the limit of failed YARN containers has no effect, or ends long sessions"""
    written = {setting.written: setting for setting in config.under("yarn.")}
    if config.since("1.9"):
        instead = (
            "; resourcemanager.start-worker.max-failure-rate limits failures by their rate"
            if config.since("1.13")
            else ""
        )
        if LIMIT in written:
            yield written[LIMIT].finding(
                f"{LIMIT} has no effect since 1.9: Flink no longer counts failed containers",
                help=f"delete it{instead}",
                fix=written[LIMIT].remove(safe=True),
                at="entry",
            )
        return
    legacy = any(setting.written == "mode" and setting.text.lower() == "legacy" for setting in config.under("mode"))
    if LIMIT not in written and config.document.whole and limit_acts(config.release, legacy=legacy):
        yield config.finding(
            f"without {LIMIT} the session ends when, over its whole life, more containers failed than TaskManagers"
            " were first asked for",
            help=f"set {LIMIT}: 10000, or what `flint size yarn` finds for the session's size and life",
            confidence=Confidence.MEDIUM,
        )


def cases() -> list[Case]:
    return [
        bad(
            f"{LIMIT}: 100\nyarn.application.name: a\n", at=LIMIT, flink="1.14", says="no effect",
            fixed="yarn.application.name: a\n",
        ),
        bad(f"{LIMIT}: 100\n", at=LIMIT, flink="1.10", fixed=""),
        bad(f"{LIMIT}: 100\n", at=LIMIT),
        bad("yarn.application-attempts: 10\n", flink="1.4.2", says="whole life"),
        bad("yarn.application-attempts: 10\nmode: legacy\n", flink="1.8.3"),
        bad(
            '{"ReleaseLabel": "emr-5.15.0", "Configurations": [{"Classification": "flink-conf", "Properties":'
            ' {"taskmanager.numberOfTaskSlots": "4"}}]}\n',
            file="cluster.json", says="whole life",
        ),
        good(
            '{"ReleaseLabel": "emr-5.28.0", "Configurations": [{"Classification": "flink-conf", "Properties":'
            ' {"taskmanager.numberOfTaskSlots": "4"}}]}\n',
            file="cluster.json",
        ),
        good(f"{LIMIT}: 10000\n", flink="1.4.2"),
        good("yarn.application-attempts: 10\n", flink="1.8.3"),
        good("yarn.application-attempts: 10\n", flink="1.14"),
    ]  # fmt: skip
