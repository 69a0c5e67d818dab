"""Blue and green share what only one of them can have.

## What it does
Looks at a FlinkBlueGreenDeployment whose job keeps state across a transition: arguments that fix a transactional id, a
consumer of enhanced fan-out or a server id, and volumes of one PersistentVolumeClaim in the pod template.

## Why it matters
During a transition the green deployment starts while the blue one still serves. With the same transactional ids the
green sink fences the blue one's producers; a second consumer of the same name takes over the subscription, and a MySQL
server drops the connection of the elder of two clients with one id. A claim that one node mounts (ReadWriteOnce) cannot
be attached on another, so that green does not become ready, and the operator aborts the transition after
`kubernetes.operator.bluegreen.abort.grace-period` (10 minutes).

## What to do
Make the identities of the deployment's name: the children are called `<name>-blue` and `<name>-green`. Keep
checkpoints in an object store, or on volumes many nodes may mount.

## Not when
The mode is `stateless`, or a template or variable makes the value.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/concepts/bluegreen-controller-flow/>:
  both run during a transition
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  transactional ids
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._pods import TEMPLATES
from flink_flint.rules.kubernetes._resource import Resource, resources

_NAMES = r"transactional[._-]?id|server[._-]?id|consumer[._-]?name|efo[._-]?name"
IDENTITY = regex(rf"-*+(?P<name>(?=[\w.-]*(?:{_NAMES}))[\w.-]++)")
"""An argument that names what a job is to others."""


@rule(
    code="FLK736",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kubernetes-object/FlinkBlueGreenDeployment"],
    flink=">=1.13",
    since="0.1",
)
def bluegreen_shared_identity(config: View) -> Iterator[Finding]:
    """blue and green run at once with one identity, or with one volume"""
    for resource in resources(config, "FlinkBlueGreenDeployment"):
        if resource.upgrade_mode in (None, "stateless"):
            continue
        yield from _arguments(resource)
        for template in TEMPLATES:
            yield from _claims(resource, template)


def _arguments(resource: Resource) -> Iterator[Finding]:
    path = resource.path("job.args")
    arguments = [(f"{path}[{part.name}]", part.text("")) for part in resource.part.items(path)]
    for place, (at, text) in enumerate(arguments):
        if text is None:
            continue
        name, equals, value = text.partition("=")
        found = IDENTITY.fullmatch(name.lower())
        if found is None:
            continue
        if not equals:
            value = (arguments[place + 1][1] or "") if place + 1 < len(arguments) else ""
        if not value or "$" in value or value.startswith("-"):
            continue
        yield resource.part.finding(
            f"blue and green run at once with {found['name']} {value}, and one throws the other out",
            of=at,
            help=f"make it of the deployment's name: {value}-blue and {value}-green",
        )


def _claims(resource: Resource, template: str) -> Iterator[Finding]:
    path = resource.path(f"{template}.spec.volumes")
    for volume in resource.part.items(path):
        claim = volume.text("persistentVolumeClaim.claimName")
        if claim is None or volume.flag("persistentVolumeClaim.readOnly"):
            continue
        yield resource.part.finding(
            f"blue and green mount the claim {claim} at once: if one node alone may mount it, green never gets ready",
            of=f"{path}[{volume.name}].persistentVolumeClaim.claimName",
            help="use a claim that many nodes may mount (ReadWriteMany), or an object store",
        )


def _blue_green(job: str, spec: str = "") -> str:
    return deployment(job=job, spec=spec, kind="FlinkBlueGreenDeployment")


_MODE = "upgradeMode: last-state"
_CLAIM = "podTemplate:\n  spec:\n    volumes:\n      - name: data\n        persistentVolumeClaim: {claimName: flink}"


def cases() -> list[Case]:
    return [
        bad(
            _blue_green(f"{_MODE}\nargs: [--transactional-id-prefix, orders]"), file="deployment.yaml",
            at="--transactional-id-prefix", says="transactional-id-prefix orders",
        ),
        bad(_blue_green(f"{_MODE}\nargs:\n  - --mysql.server-id=5400"), file="deployment.yaml", says="server-id 5400"),
        bad(_blue_green(_MODE, _CLAIM), file="deployment.yaml", at="flink", says="claim flink"),
        good(_blue_green("upgradeMode: stateless\nargs: [--transactional-id-prefix, orders]"), file="deployment.yaml"),
        good(_blue_green(f"{_MODE}\nargs: [--transactional-id-prefix, $(NAME)]"), file="deployment.yaml"),
        good(_blue_green(f"{_MODE}\nargs: [--topic, orders]"), file="deployment.yaml"),
        good(deployment(job=f"{_MODE}\nargs: [--server-id, '1']", spec=_CLAIM), file="deployment.yaml"),
        good(_blue_green(f"{_MODE}\nargs: [--server-id, '5400']"), file="deployment.yaml", flink="1.12"),
        good(_blue_green(f"{_MODE}\nargs: [--server-id]"), file="deployment.yaml"),
        good(_blue_green(f"{_MODE}\nargs: [--server-id=]"), file="deployment.yaml"),
        good(_blue_green(f"{_MODE}\nargs: ['5', --server-id, --verbose]"), file="deployment.yaml"),
        bad(
            _blue_green(f"{_MODE}\nargs: [--topic, orders, --server-id, $(ID), --transactional-id-prefix, orders]"),
            file="deployment.yaml", says="transactional-id-prefix orders",
        ),
        good(
            _blue_green("upgradeMode: stateless\nargs: [--server-id, '5400']"), file="deployment.yaml",
        ),
        *cases_in_folders(__file__),
    ]  # fmt: skip
