"""The attempts YARN makes to restart the JobManager do not go with high availability.

## What it does
Reports `yarn.application-attempts` of 1 where high availability is on, and of 2 or more where it is off.

## Why it matters
High availability on YARN means that YARN starts the JobManager again and that it then finds its jobs and their last
checkpoints. With one attempt YARN never starts it again: all the effort is for nothing. Without high availability the
new JobManager knows neither jobs nor checkpoints: a session is empty, and an application runs from the beginning, with
new state, and writes its results a second time.

## What to do
With high availability set 10 or so (no more than `yarn.resourcemanager.am.max-attempts` of YARN). Without it leave the
option out; Flink then asks for one attempt, and the failure is seen.

## Not when
Nothing sets the option: Flink then takes 2 attempts with and 1 without high availability.
Containers that run a JobManager or TaskManager themselves have the file: the key is left over there.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/yarn/#high-availability-on-yarn>:
  what restarts the JobManager
- <https://issues.apache.org/jira/browse/FLINK-18899>: why the number depends on high availability
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode

_ATTEMPTS = "yarn.application-attempts"


@rule(
    code="FLK751",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_ATTEMPTS],
    only=["platform:yarn", "platform:emr"],
    flink=">=1.3",
    since="0.1",
)
def yarn_application_attempts(config: View) -> Iterator[Finding]:
    """the attempts to restart the JobManager do not go with high availability"""
    setting = config.get(_ATTEMPTS)
    attempts, found = whole(setting.text.strip()), mode(config)
    if attempts is None or found == UNKNOWN:
        return
    if found != NONE and attempts == 1:
        yield setting.finding(
            "with 1 attempt YARN never restarts the JobManager, so high availability has nothing to recover",
            help="set 10, or as many as yarn.resourcemanager.am.max-attempts of YARN allows",
        )
    elif found == NONE and attempts > 1 and config.document.whole:
        yield setting.finding(
            f"YARN starts the JobManager up to {attempts} times, but without high availability a new one knows neither"
            " jobs nor checkpoints: an application begins anew, a session is empty",
            help="turn high availability on (high-availability.type: zookeeper), or leave the option out",
        )


_HA = "high-availability: zookeeper\nhigh-availability.storageDir: hdfs:///ha\n"


def cases() -> list[Case]:
    return [
        bad(f"{_HA}{_ATTEMPTS}: 1\n", at=_ATTEMPTS, flink="1.14", says="never restarts"),
        bad(f"{_ATTEMPTS}: 10\n", at=_ATTEMPTS, flink="1.18", says="up to 10 times"),
        bad(
            '[{"Classification": "flink-conf", "Properties": {"yarn.application-attempts": "5"}}]\n', file="emr.json",
            says="up to 5 times",
        ),
        good(f"{_HA}{_ATTEMPTS}: 10\n", flink="1.14"),
        good(f"{_ATTEMPTS}: 1\n", flink="1.18"),
        good(f"high-availability: ${{HA}}\n{_ATTEMPTS}: 10\n", flink="1.18"),
        good("yarn.containers.vcores: 2\n", flink="1.18"),
        bad(f"{_ATTEMPTS}: 2\n", flink="1.18", says="up to 2 times"),
        bad(f"{_ATTEMPTS}: 10\n", flink="1.7", says="up to 10 times"),
        good(f"high-availability: ${{HA}}\n{_ATTEMPTS}: 1\n", flink="1.18"),
        good(f"{_HA}{_ATTEMPTS}: ${{ATTEMPTS}}\n", flink="1.18"),
        good(f"SET '{_ATTEMPTS}' = '10';\nCREATE TABLE t (a INT) WITH ('connector' = 'datagen');\n", file="job.sql"),
        good(
            f"{_ATTEMPTS}: 10\n", flink="1.18",
            beside={
                "compose.yaml": "services:\n  jm:\n    image: flink:1.18.1\n    command: jobmanager\n"
                "    volumes: ['./flink-conf.yaml:/opt/flink/conf/flink-conf.yaml']\n"
            },
            file="flink-conf.yaml",
        ),
    ]  # fmt: skip
