"""Upgrades by savepoint write the state of RocksDB in the canonical format.

## What it does
Advice where a custom resource has `upgradeMode: savepoint`, its state backend is `rocksdb` with incremental checkpoints
(somebody expects a large state), and `kubernetes.operator.savepoint.format.type` is CANONICAL, as it is by default.

## Why it matters
A canonical savepoint goes through every key of the state, and so does the restore from it; a native one takes RocksDB's
files as they are, as checkpoints do. With 100 GB a canonical savepoint takes many minutes in which the job may exceed
the checkpoint timeout, and the upgrade takes that long twice.

## What to do
Set `kubernetes.operator.savepoint.format.type: NATIVE`. Take a canonical one by hand before the state backend is
changed: native savepoints are of one backend.

## Not when
The format is set. The state is small after all.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#savepoint-format>: the formats, and
  what each is for
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints_vs_savepoints/>: what each allows
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/operations/configuration/>: the default
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import resources

_FORMAT = "kubernetes.operator.savepoint.format.type"
_INCREMENTAL = "execution.checkpointing.incremental"


@rule(
    code="FLK992",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_INCREMENTAL],
    only=["element:kubernetes-object"],
    flink=">=1.15",
    since="0.1",
)
def savepoint_format(config: View) -> Iterator[Finding]:
    """upgrades by savepoint write the state of RocksDB in the canonical format"""
    backend = (config.string("state.backend.type") or "").lower()
    if backend != "rocksdb" or config.boolean(_INCREMENTAL) is not True or _FORMAT in config.effective:
        return
    for resource in resources(config):
        if resource.upgrade_mode == "savepoint":
            mode = resource.path("job.upgradeMode")
            yield resource.part.finding(
                "each upgrade writes a savepoint in the canonical format, which reads the state of RocksDB key by key",
                of=mode,
                help=f"set {_FORMAT}: NATIVE; take a canonical one by hand before the state backend changes",
                related=[config.get(_INCREMENTAL)],
            )


_STATE = f"state.backend.type: rocksdb\n{_INCREMENTAL}: true"
_BY_SAVEPOINT = "upgradeMode: savepoint"


def cases() -> list[Case]:
    return [
        bad(
            deployment(_STATE, job=_BY_SAVEPOINT),
            file="deployment.yaml",
            severity=Severity.INFO,
            says="key by key",
            at="savepoint",
        ),
        bad(
            deployment(
                "state.backend: RocksDB\nstate.backend.incremental: true",
                job=_BY_SAVEPOINT,
                version="v1_17",
                image="flink:1.17",
            ),
            file="deployment.yaml",
        ),
        good(deployment(f"{_STATE}\n{_FORMAT}: NATIVE", job=_BY_SAVEPOINT), file="deployment.yaml"),
        good(deployment(_STATE, job="upgradeMode: last-state"), file="deployment.yaml"),
        good(
            deployment(f"state.backend.type: rocksdb\n{_INCREMENTAL}: false", job=_BY_SAVEPOINT), file="deployment.yaml"
        ),
        good(
            deployment(f"state.backend.type: hashmap\n{_INCREMENTAL}: true", job=_BY_SAVEPOINT), file="deployment.yaml"
        ),
    ]
