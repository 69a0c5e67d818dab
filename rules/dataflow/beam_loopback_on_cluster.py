"""A Beam pipeline runs its functions in the submitting process, and the cluster is elsewhere.

## What it does
Looks at pipelines of Apache Beam with `environment_type` `LOOPBACK` that are submitted to a `flink_master` on another
host.

## Why it matters
With `LOOPBACK` the workers of the SDK run where the pipeline is started, at a port of `localhost`. TaskManagers on
other machines call that port on themselves, and the job fails with `Connection refused: localhost/127.0.0.1`, or waits
for workers for ever. It is meant for tests on one machine.

## What to do
Run workers beside each TaskManager: `environment_type=EXTERNAL` with `environment_config=localhost:50000` and a
container of the SDK with `--worker_pool` in the same pod; or `DOCKER` or `PROCESS`.

## Not when
The cluster is on the same machine or embedded.

## Sources
- <https://beam.apache.org/documentation/runtime/sdk-harness-config/>: `LOOPBACK` is for local testing
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._beam import pipeline, pipelines, remote_master


@rule(
    code="FLK457",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:beam-pipeline"],
    flink=">=1.0",
    since="0.1",
)
def beam_loopback_on_cluster(config: View) -> Iterator[Finding]:
    """a Beam pipeline runs its functions in the submitting process"""
    for one in pipelines(config):
        master = remote_master(one)
        if master is None or one.text("environment_type") != "LOOPBACK":
            continue
        yield one.finding(
            f"with LOOPBACK the functions run in this process, at a port of localhost: TaskManagers of {master} call"
            " themselves there, and the job fails with Connection refused",
            of="environment_type",
            help="set environment_type=EXTERNAL and run a worker pool of the SDK beside each TaskManager",
            related=[one.place("flink_master")],
        )


def _options(master: str, environment: str) -> str:
    return pipeline(f"runner='FlinkRunner', flink_master='{master}', environment_type='{environment}'")


def cases() -> list[Case]:
    return [
        bad(
            _options("flink-jobmanager:8081", "LOOPBACK"), file="pipeline.py", at="'LOOPBACK'",
            severity=Severity.WARNING, says="Connection refused",
        ),
        bad(
            pipeline("['--runner=FlinkRunner', '--flink_master', 'flink:8081', '--environment_type=LOOPBACK']"),
            file="pipeline.py",
        ),
        good(_options("localhost:8081", "LOOPBACK"), file="pipeline.py"),
        good(_options("flink-jobmanager:8081", "EXTERNAL"), file="pipeline.py"),
    ]  # fmt: skip
