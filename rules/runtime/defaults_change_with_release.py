"""The release changes, and with it defaults that the document relies on.

## What it does
Compares the release that a resource, a compose file or an image names with what it was at the revision that the check
compares with, and lists the defaults that are others in the new release, where the document does not set the option,
uses what it is about, and the difference shows in how a cluster runs: the upper bound of network memory that is gone
since 1.17, checkpoints after some tasks have finished (1.15), and a few more.

## Why it matters
Nothing in the file changes but a version, and yet the cluster does something else. A TaskManager of 64 GB that has 1 GB
of network memory in 1.16 has 6 GB in 1.17, taken from the heap of the tasks.

## What to do
Where the old behaviour is wanted, write the old value down. `flint upgrade PATHS --from OLD --to NEW` shows each of
them with the memory before and after, and everything else that the step changes.

## Not when
The check compares with no revision (`--diff-base`), or either release is not known for sure. `restart-default-changed`
tells of the restart strategy.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.17/release-notes/flink-1.17/>: and the notes of each
  release after the old one
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.changed_defaults import EFFECTS, Uses, is_same, is_set, shown
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.release_differences import Changed, differences
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View

_MAX_NAMED = 3


@rule(
    code="FLK981",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    always=True,
    scope="change",
    since="0.1",
)
def defaults_change_with_release(before: View, after: View) -> Iterator[Finding]:
    """the release changes, and with it defaults that the document relies on"""
    span = after.release_span
    if span is None or not before.target.certain:
        return
    changed = list(_changed(before, after))
    if not changed:
        return
    named = "; ".join(changed[:_MAX_NAMED])
    more = f"; and {len(changed) - _MAX_NAMED} more" if len(changed) > _MAX_NAMED else ""
    old, new = before.release.name, after.release.name
    yield after.finding(
        f"from {old} to {new} {_counted(len(changed))} under what is not set: {named}{more}",
        span=span,
        help=f"write down what is to stay; `flint upgrade` with --from {old} --to {new} shows all of the step",
        evidence={"before": old, "after": new},
    )


def _counted(number: int) -> str:
    return "a default changes" if number == 1 else f"{number} defaults change"


def _changed(before: View, after: View) -> Iterator[str]:
    old, new, options = before.configuration, after.configuration, after.catalogue
    applies = Uses(old, new, after.platform, _unmoved(before, after))
    for change in differences(options, old.index, options, new.index).defaults:
        if not is_same(change) and not is_set(change, old, new) and (effect := _effect(change, new, applies)):
            yield f"{change.key} from {shown(change.before) or 'none'} to {shown(change.after) or 'none'} ({effect})"


def _effect(change: Changed, configuration: Configuration, applies: Uses) -> str | None:
    """What the other default does here, if it shows."""
    newest = configuration.catalogue.current_names(change.key)[:1] or (change.key,)
    return EFFECTS.get(newest[0]) if applies(newest[0]) else None


def _unmoved(before: View, after: View) -> frozenset[str]:
    """The processes whose memory the step leaves as it is, or of whose memory nothing is known."""
    sides = {
        "taskmanager": (before.taskmanager_memory(), after.taskmanager_memory()),
        "jobmanager": (before.jobmanager_memory(), after.jobmanager_memory()),
    }
    return frozenset(name for name, (was, now) in sides.items() if was is None or now is None or was == now)


_COMPOSE = (
    'services:\n  jobmanager:\n    image: "flink:{}"\n    command: jobmanager\n'
    "    environment:\n      FLINK_PROPERTIES: |\n        execution.checkpointing.interval: 1 min\n"
)


def cases() -> list[Case]:
    return [
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.17\n"
            "  flinkVersion: v1_17\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    taskmanager.memory.process.size: 64g\n"
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
            "    taskmanager.memory.process.size: 64g\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            file="deployment.yaml",
            says="1 gb to no limit",
        ),
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.15\n"
            "  flinkVersion: v1_15\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 1 min\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            before="apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.14\n"
            "  flinkVersion: v1_14\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 1 min\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            file="deployment.yaml",
            at="flink:1.15",
            says="from false to true (checkpoints continue",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.17\n"
            "  flinkVersion: v1_17\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    taskmanager.memory.process.size: 64g\n"
            "    taskmanager.memory.network.max: 1g\n"
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
            "    taskmanager.memory.process.size: 64g\n"
            "    taskmanager.memory.network.max: 1g\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            file="deployment.yaml",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.19\n"
            "  flinkVersion: v1_19\n"
            "  serviceAccount: flink\n"
            "  flinkConfiguration:\n"
            "    execution.checkpointing.interval: 1 min\n"
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
            "    execution.checkpointing.interval: 1 min\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            file="deployment.yaml",
        ),
        # The release is not known on either side.
        good(_COMPOSE.format("${TAG}"), before=_COMPOSE.format("1.14"), file="docker-compose.yml"),
        good(_COMPOSE.format("1.15"), before=_COMPOSE.format("${TAG}"), file="docker-compose.yml"),
        bad(_COMPOSE.format("1.15"), before=_COMPOSE.format("1.14"), file="docker-compose.yml"),
        *cases_in_folders(__file__),
    ]  # fmt: skip
