"""A job crosses from Flink 1 to Flink 2 with its state.

## What it does
Compares the release that a resource, a compose file or an image names with what it was at the revision that the check
compares with. It reports a step from 1.x to 2.x where the job goes on from its state: a custom resource whose
`upgradeMode` is `savepoint` or `last-state`, or a configuration that keeps checkpoints or high availability.

## Why it matters
Flink promises that a savepoint of one minor can be restored by the next ones, and takes that promise back between
1.x and 2.x: Kryo went from 2 to 5, old serializers and the API they belong to are gone. Some states restore, others
fail or, worse, do not; the job is down until somebody decides.

## What to do
Restore a savepoint of the job on a cluster of the new release first, beside the old one. Where it does not work, start
the job anew on 2.x from the retained input (or a state that the State Processor API wrote), let it catch up, and
switch over. `flint upgrade PATHS --to 2.0` lists what else changes.

## Not when
- The check compares with no revision (`--diff-base`).
- The resource is `upgradeMode: stateless`, or the job runs in batch mode, or may.
- Nothing in the document speaks of state.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: state of 1.x is not
  guaranteed to be compatible with 2.x
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/docs/ops/upgrading/#compatibility-table>: which savepoints
  which release restores
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import resources

_STATE = ("execution.checkpointing.interval", "execution.checkpointing.dir", "high-availability.type")


@rule(
    code="FLK980",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=_STATE,
    when=["element:kubernetes-object/FlinkDeployment"],
    flink=">=2.0",
    scope="change",
    since="0.1",
)
def major_release_with_state(before: View, after: View) -> Iterator[Finding]:
    """a job crosses from Flink 1 to Flink 2 with its state"""
    span = after.release_span
    old, new = before.release, after.release
    if span is None or old.major != 1 or after.string("execution.runtime-mode") != "STREAMING":
        return
    modes = {resource.upgrade_mode for resource in resources(after) if resource.is_application}
    if modes & {"savepoint", "last-state"}:
        how = "upgradeMode: " + next(mode for mode in ("savepoint", "last-state") if mode in modes)
    elif not modes and any(after.is_set(key) for key in _STATE):
        how = next(after.get(key).written for key in _STATE if after.is_set(key))
    else:
        return
    yield after.finding(
        f"the release goes from {old.name} to {new.name}, and the job is to go on from its state ({how}): Flink does"
        " not promise that 2.x restores what 1.x wrote",
        span=span,
        help="restore a savepoint of the job on a cluster of the new release first, before the old one goes",
        evidence={"before": old.name, "after": new.name},
    )


def _in(version: str, image: str, mode: str, configuration: str = "") -> str:
    return deployment(configuration, version=version, image=image, job=f"upgradeMode: {mode}")


def _session(version: str, image: str, configuration: str) -> str:
    return deployment(configuration, version=version, image=image, job="-")


_OLD = _in("v1_20", "flink:1.20", "savepoint")
_COMPOSE = (
    'services:\n  jobmanager:\n    image: "flink:{}"\n    command: jobmanager\n'
    "    environment:\n      FLINK_PROPERTIES: |\n        {}\n"
)
_CHECKPOINTS = "execution.checkpointing.interval: 1 min"
_DIRECTORY = "execution.checkpointing.dir: s3://flink/checkpoints"
_HA = "high-availability.type: kubernetes"


def cases() -> list[Case]:
    return [
        bad(_in("v2_0", "flink:2.0", "savepoint"), before=_OLD, file="deployment.yaml", says="from 1.20 to 2.0"),
        bad(
            _in("v2_1", "flink:2.1", "last-state"),
            before=_in("v1_19", "flink:1.19", "last-state"),
            file="deployment.yaml",
            says="upgradeMode: last-state",
        ),
        bad(
            _COMPOSE.format("2.0", _CHECKPOINTS),
            before=_COMPOSE.format("1.20", _CHECKPOINTS),
            file="docker-compose.yml",
            profile="production",
            says="(execution.checkpointing.interval)",
        ),
        good(
            _in("v2_0", "flink:2.0", "stateless"),
            before=_in("v1_20", "flink:1.20", "stateless"),
            file="deployment.yaml",
        ),
        good(
            _in("v2_1", "flink:2.1", "savepoint"), before=_in("v2_0", "flink:2.0", "savepoint"), file="deployment.yaml"
        ),
        good(
            _in("v1_20", "flink:1.20", "savepoint"),
            before=_in("v1_19", "flink:1.19", "savepoint"),
            file="deployment.yaml",
        ),
        good(_in("v2_0", "flink:2.0", "savepoint"), file="deployment.yaml"),
        good(
            _in("v2_0", "flink:2.0", "savepoint", "execution.runtime-mode: BATCH"), before=_OLD, file="deployment.yaml"
        ),
        good(
            _COMPOSE.format("2.0", "parallelism.default: 2"),
            before=_COMPOSE.format("1.20", "parallelism.default: 2"),
            file="docker-compose.yml",
        ),
        # Directories and high availability speak of state, too; of a session cluster its configuration does.
        bad(
            _COMPOSE.format("2.0", _DIRECTORY),
            before=_COMPOSE.format("1.20", _DIRECTORY),
            file="docker-compose.yml",
            says="(execution.checkpointing.dir)",
        ),
        bad(
            _COMPOSE.format("2.0", _HA),
            before=_COMPOSE.format("1.20", _HA),
            file="docker-compose.yml",
            says="(high-availability.type)",
        ),
        bad(
            _session("v2_0", "flink:2.0", _CHECKPOINTS),
            before=_session("v1_20", "flink:1.20", _CHECKPOINTS),
            file="session.yaml",
            says="(execution.checkpointing.interval)",
        ),
        good(
            _session("v2_0", "flink:2.0", "rest.port: 8082"),
            before=_session("v1_20", "flink:1.20", "rest.port: 8082"),
            file="session.yaml",
        ),
        good(
            _in("v2_0", "flink:2.0", "stateless", _CHECKPOINTS),
            before=_in("v1_20", "flink:1.20", "stateless"),
            file="deployment.yaml",
        ),
        # What nobody can tell: the release on either side, and whether the job streams.
        good(
            _COMPOSE.format("${TAG}", _CHECKPOINTS),
            before=_COMPOSE.format("1.20", _CHECKPOINTS),
            file="docker-compose.yml",
        ),
        good(
            _COMPOSE.format("2.0", _CHECKPOINTS),
            before=_COMPOSE.format("${TAG}", _CHECKPOINTS),
            file="docker-compose.yml",
        ),
        good(
            _in("v2_0", "flink:2.0", "savepoint", "execution.runtime-mode: ${MODE}"),
            before=_OLD,
            file="deployment.yaml",
        ),
    ]
