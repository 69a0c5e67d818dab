"""State that no operator claims is dropped at every restore, for good.

## What it does
Reports `execution.state-recovery.ignore-unclaimed-state: true` (`execution.savepoint.ignore-unclaimed-state` before
1.20) in files that stay: the configuration of a cluster, and `job.allowNonRestoredState: true` of a custom resource.

## Why it matters
It is meant for one restore, after an operator was removed. Left in place, it turns a mistake of any later change (an
operator renamed, a `uid` forgotten) into a job that starts without the state, with no more than a line in the log. The
refusal it switches off (`Failed to rollback to checkpoint/savepoint ... the state cannot be mapped`) is the one chance
to notice.

## What to do
Set it to false, and allow it for the one start where it is meant: `flink run -n`.

## Not when
A command or program sets it for its own start; the value is filled in by a template. On a development machine it is
advice, and so it is where `pipeline.auto-generate-uids` is false: each operator then has a `uid` that somebody wrote,
so that only a change of it loses state.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#allowing-non-restored-state>:
  what it allows
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-state-recovery-ignore-unclaimed-state>:
  the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import is_of_one_start

_GENERATED = "pipeline.auto-generate-uids"
_IGNORE = "execution.state-recovery.ignore-unclaimed-state"


@rule(
    code="FLK334",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_IGNORE],
    of_scale=True,
    since="0.1",
)
def unclaimed_state_ignored(config: View) -> Iterator[Finding]:
    """state that no operator claims is dropped at every restore"""
    ignore = config.get(_IGNORE)
    if not config.boolean(_IGNORE) or is_of_one_start(ignore):
        return
    generated = config.get(_GENERATED)
    has_uids = config.boolean(_GENERATED) is False
    yield ignore.finding(
        f"whoever {'changes the uid of' if has_uids else 'renames'} an operator then loses its state at the next"
        " restore, with a line in the log at most",
        help="set it to false, and allow it for the one start where it is meant: flink run -n",
        severity=Severity.INFO if has_uids else None,
        related=[generated] if has_uids else (),
        fix=ignore.replace("false"),
    )


_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_18
  job:
    jarURI: local:///opt/orders.jar
    upgradeMode: savepoint
    allowNonRestoredState: {}
"""


def cases() -> list[Case]:
    return [
        bad(f"{_IGNORE}: true\n", at=_IGNORE, severity=Severity.WARNING, fixed=f"{_IGNORE}: false\n"),
        bad(
            f"{_IGNORE}: true\n{_GENERATED}: false\n",
            severity=Severity.INFO,
            says="whoever changes the uid of an operator",
        ),
        bad(f"{_IGNORE}: true\n{_GENERATED}: true\n", severity=Severity.WARNING),
        bad("execution.savepoint.ignore-unclaimed-state: true\n", at=_IGNORE, flink="1.14", says="renames an operator"),
        bad(
            _RESOURCE.format("true"), at=_IGNORE, file="deployment.yaml", fixed=_RESOURCE.format("false"),
        ),
        bad(f"{_IGNORE}: true\n", profile="development", severity=Severity.INFO),
        good(_RESOURCE.format("false"), file="deployment.yaml"),
        good(f"{_IGNORE}: false\n"),
        good(f"{_IGNORE}: '{{{{ ignore }}}}'\n"),
        good("flink run -s s3://bucket/savepoint-1 -n job.jar\n", file="run.sh", flink="1.20"),
        good(f"SET '{_IGNORE}' = 'true';\nINSERT INTO a SELECT * FROM b;\n", file="job.sql"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses(
            "restore", "execution.savepoint.ignore-unclaimed-state: true\n", "allowNonRestoredState=true", good="",
            both="execution.savepoint.path: file:///savepoint\n", releases=">=1.12",
        ),
    ]  # fmt: skip
