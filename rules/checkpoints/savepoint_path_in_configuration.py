"""The configuration of a cluster names the savepoint that jobs start from.

## What it does
Reports `execution.state-recovery.path` (`execution.savepoint.path` before 1.20) in a file that configures a cluster:
`flink-conf.yaml`, `config.yaml`, `FLINK_PROPERTIES`, the `flinkConfiguration` of a resource, values of a chart.

## Why it matters
The file outlives the start it was meant for. Every job that is submitted to the cluster, and every new deployment of
an application, starts from that one savepoint again: it loses what it knew since, and reads and writes everything
since a second time. In a session cluster other jobs fail, as the state is not theirs. High availability saves only
those that come back by themselves, from a checkpoint of their own.

## What to do
Name the savepoint where the job is started: `flink run -s PATH`, or `job.initialSavepointPath` of the resource, which
the operator heeds at the first start only.

## Not when
- The operator deploys an application: it removes `execution.savepoint.path` from the configuration (not the newer
  name), and starts from `job.initialSavepointPath` alone.
- A program or the flags of one command set it; the value is filled in by a template, or empty.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#resuming-from-savepoints>:
  how to start from one
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-state-recovery-path>:
  the option
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/reference/>:
  `initialSavepointPath`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import is_of_one_start

_PATH = "execution.state-recovery.path"


@rule(
    code="FLK336",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=[_PATH],
    of_scale=True,
    since="0.1",
)
def savepoint_path_in_configuration(config: View) -> Iterator[Finding]:
    """every job that a cluster starts goes back to the same savepoint"""
    path = config.get(_PATH)
    if not path.is_known or not path.text.strip() or is_of_one_start(path):
        return
    if path.entry is None or path.entry.layer:
        return  # a field or flag that is read at the first start alone
    yield path.finding(
        "every job and every new deployment starts from this savepoint again, and loses or repeats all that came after",
        help="name it where the job is started: flink run -s, or job.initialSavepointPath of the resource",
        fix=path.remove(),
        at="entry",
    )


_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_18
  flinkConfiguration:
    execution.checkpointing.interval: 1min
{}  job:
    jarURI: local:///opt/orders.jar
"""


def cases() -> list[Case]:
    return [
        bad(
            f"parallelism.default: 2\n{_PATH}: s3://bucket/savepoint-1\n", at=_PATH, flink="2.0",
            severity=Severity.ERROR, fixed="parallelism.default: 2\n",
        ),
        bad("execution.savepoint.path: hdfs:///savepoints/s-1\n", at=_PATH, flink="1.14", says="from this savepoint"),
        bad(
            _DEPLOYMENT.format(f"    {_PATH}: s3://bucket/savepoint-0\n").replace("v1_18", "v2_0"), at=_PATH,
            file="deployment.yaml", fixed=_DEPLOYMENT.format("").replace("v1_18", "v2_0"),
        ),
        good(_DEPLOYMENT.format("    execution.savepoint.path: s3://bucket/savepoint-0\n"), file="deployment.yaml"),
        bad(
            _DEPLOYMENT.partition("  job:")[0].format("    execution.savepoint.path: s3://bucket/savepoint-0\n"),
            at=_PATH, file="deployment.yaml",
        ),
        bad(f"{_PATH}: s3://bucket/savepoint-1\n", profile="development", severity=Severity.INFO),
        good(_DEPLOYMENT.format("") + "    initialSavepointPath: s3://bucket/savepoint-1\n", file="deployment.yaml"),
        good(f"{_PATH}: '{{{{ savepoint }}}}'\n"),
        good(f"{_PATH}: ''\n"),
        good(f"SET '{_PATH}' = 's3://bucket/savepoint-1';\nINSERT INTO a SELECT * FROM b;\n", file="job.sql"),
        good(f"flink run -D{_PATH}=s3://bucket/savepoint-1 job.jar\n", file="run.sh", flink="1.20"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses(
            "job", "execution.savepoint.path: file:///s-1\n", "file:///s-1", good="rest.port: 8081\n", releases=">=1.12"
        ),
    ]
