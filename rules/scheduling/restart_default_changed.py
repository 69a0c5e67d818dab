"""The upgrade changes how the job is restarted, since nothing says how it should be.

## What it does
Compares a document with what it was at the revision that the check compares with. It is advice where the release moves
from below 1.19 to 1.19 or newer, checkpoints are on, and no `restart-strategy.type` is set.

## Why it matters
Up to 1.18 a job with checkpoints was restarted a second after each failure, for ever. From 1.19 on the delay grows from
1 s by half each time to a minute, and begins anew once the job has run for an hour. A cause that lasts brings fewer
restarts, so that an alert on their number, or a health check of the operator that counts them, may never speak.

## What to do
Write the strategy that you want, or look at what counts restarts.

## Not when
- The check compares with no revision (`--diff-base`).
- The release of then or of now is not known to the minor.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.19/release-notes/flink-1.19/>: the new default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/#exponential-delay-restart-strategy>:
  its numbers
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View

_CHECKPOINTS = "execution.checkpointing.interval"
_STRATEGY = "restart-strategy.type"


@rule(
    code="FLK607",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[_CHECKPOINTS],
    flink=">=1.19",
    scope="change",
    since="0.1",
)
def restart_default_changed(before: View, after: View) -> Iterator[Finding]:
    """the upgrade changes how the job is restarted by default"""
    if before.since("1.19") or not after.since("1.19") or after.is_set(_STRATEGY) or not after.duration(_CHECKPOINTS):
        return
    if (after.string("execution.runtime-mode") or "").upper() == "BATCH":
        return
    yield after.get(_CHECKPOINTS).finding(
        f"from Flink {before.release.name} to {after.release.name} the default restart strategy becomes"
        " exponential-delay: 1 s at first and a minute at last, where it was a second each time",
        help=f"set {_STRATEGY}, or look at what counts restarts",
    )


_FILE = {"file": "deployment.yaml"}


def cases() -> list[Case]:
    return [
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.19\n"
            "  flinkVersion: v1_19\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 60 s\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            before="apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.18\n"
            "  flinkVersion: v1_18\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 60 s\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            **_FILE,
            at=_CHECKPOINTS,
            severity=Severity.INFO,
            says="from Flink 1.18 to 1.19",
        ),
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:2.0\n"
            "  flinkVersion: v2_0\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 60 s\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            before="apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.16\n"
            "  flinkVersion: v1_16\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 60 s\n"
            "    restart-strategy: none\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            **_FILE,
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 60 s\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            before="apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.19\n"
            "  flinkVersion: v1_19\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 60 s\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            **_FILE,
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.18\n"
            "  flinkVersion: v1_18\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 60 s\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            before="apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.17\n"
            "  flinkVersion: v1_17\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 60 s\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            **_FILE,
        ),
        *cases_in_folders(__file__),
    ]  # fmt: skip
