"""A field of the resource has a value that its definition does not take.

## What it does
Compares the fields of a `FlinkDeployment`, `FlinkSessionJob`, `FlinkBlueGreenDeployment` and `FlinkStateSnapshot` with
the types and the values in the operator's definitions, and those of a `FlinkCluster` with Google's and Spotify's: a
number in quotes where the definition has a number (`cpu: "1"`, `parallelism: "2"`), a bare number or `true` where it
has a text (`args: [--port, 8081]`, `value: 5` of an environment variable), and a word that is none of those it lists
(`upgradeMode: stateful`). In a Helm template, a tag that is in quotes or ends with `quote` counts as a text.

## Why it matters
The API server checks the resource before the operator sees it, and refuses it: `FlinkDeployment.flink.apache.org
"orders" is invalid: spec.jobManager.resource.cpu: Invalid value: "string": spec.jobManager.resource.cpu in body must be
of type number`, or `spec.job.upgradeMode: Unsupported value: "stateful": supported values: "last-state", "savepoint",
"stateless"`. Nothing is deployed, and a release of Helm or a sync of Argo CD fails as a whole.

## What to do
Write numbers (`cpu`, `parallelism`, `replicas`, the nonces) and `true` or `false` without quotes; put what is a text
in quotes (`memory`, `args`, values of environment variables, labels and annotations).

## Not when
- A template makes the value, and its quotes are not written here; the value is empty.
- `flinkVersion`, whose values depend on the operator (see `flink-version-unsupported`), `flinkConfiguration` (see
  `value-not-text`), and a bare number as `memory` (see `bare-number-memory`).

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/release-1.15/helm/flink-kubernetes-operator/crds/flinkdeployments.flink.apache.org-v1.yml>:
  the definition; the types are the same in all releases from 1.0 on
- <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation>:
  the check
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import type_of
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import KINDS, Resource, defined_resources

_INTEGERS = frozenset({
    "parallelism", "replicas", "restartNonce", "savepointTriggerNonce", "checkpointTriggerNonce",
    "savepointRedeployNonce", "autoscalerResetNonce", "backoffLimit", "autoSavepointSeconds", "savepointGeneration",
    "maxStateAgeToRestoreSeconds",
})  # fmt: skip
_BOOLEANS = frozenset({
    "allowNonRestoredState", "alreadyExists", "disposeOnDelete", "takeSavepointOnUpdate", "noLoggingToStdout",
    "recreateOnUpdate",
})  # fmt: skip
_WORDS = {
    "job.upgradeMode": ("last-state", "savepoint", "stateless"), "job.state": ("running", "suspended"),
    "job.restartPolicy": ("Never", "FromSavepointOnFailure"), "job.mode": ("Application", "Blocking", "Detached"),
    "jobManager.accessScope": ("Cluster", "VPC", "External", "NodePort", "Headless"), "mode": ("native", "standalone"),
    "savepoint.formatType": ("CANONICAL", "NATIVE", "UNKNOWN"),
}  # fmt: skip
"""The fields that take listed words only, by the end of their path."""
_FIELD = regex(r"(?:(?:job|jobManager|taskManager)\.)?(?:resource\.)?[A-Za-z]+|savepoint\.[A-Za-z]+|job\.args\[\d+\]")
"""Paths of typed fields below a spec."""
_TEXT_OF_POD = regex(
    r"(?:(?:job|task)Manager\.)?podTemplate\."
    r"(?:metadata\.(?:labels|annotations)\..+|spec\.(?:initC|c)ontainers\[\d+\]\.(?:env\[\d+\]\.value|(?:args|command)\[\d+\]))"
)
"""Paths of texts in a pod template that are often written as numbers."""
_QUOTED_TAG = regex(r"""(["'])\{\{(?:(?!\}\}).)*\}\}\1|\{\{(?:(?!\}\}).)*\|\s*s?quote\s*-?\}\}""")
_KIND_OF = {"integer": "number", "number": "number", "boolean": "boolean"}


@rule(
    code="FLK790",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=[f"element:kubernetes-object/{kind}" for kind in (*KINDS, "FlinkCluster")],
    flink=">=1.0",
    since="0.1",
)
def field_type_refused(config: View) -> Iterator[Finding]:
    """a field has a value that the resource's definition does not take"""
    for resource in defined_resources(config):
        for name, attribute in resource.part.element.attributes.items():
            path = name.removeprefix(f"{resource.base}.")
            if path == name:
                continue
            is_of_pod = _TEXT_OF_POD.fullmatch(path) is not None
            if not is_of_pod and _FIELD.fullmatch(path) is None:
                continue
            wanted = "string" if is_of_pod else _wanted(path)
            is_helm = config.document.kind == "helm"
            if wanted is not None and (given := _given(attribute, is_helm=is_helm)) not in (None, "null"):
                yield from _wrong(config, resource, name, wanted, given, attribute)
            words = next((words for end, words in _WORDS.items() if f".{path}".endswith(f".{end}")), ())
            if words and isinstance(attribute.value, str) and attribute.value and attribute.value not in words:
                yield resource.part.finding(
                    f"the API server refuses {name} {attribute.value}: the definition takes {_listed(words)}",
                    of=name,
                    help=f"write {_listed(words)}",
                )


def _wanted(path: str) -> str | None:
    """Return the type that the definition has for a field; None where it has several, or where others look at it."""
    field = path.rpartition(".")[2]
    if field in _INTEGERS:
        return "integer"
    if field == "cpu":
        return "number"
    if field in _BOOLEANS:
        return "boolean"
    is_text = path.startswith("job.args[") or path in ("image", "serviceAccount", "job.entryClass")
    return "string" if is_text else None


def _given(attribute: Attribute, *, is_helm: bool) -> str | None:
    """Return the type of what is written: of a scalar, or of a tag of Helm that stands in quotes; None if unknown."""
    raw = attribute.raw.strip()
    if is_helm and "{{" in raw:
        return "string" if _QUOTED_TAG.fullmatch(raw) is not None else None
    if attribute.value is None or not raw or "{{" in raw or "${" in raw:
        return None
    return "string" if raw[0] in "\"'|>" else type_of(raw)


def _wrong(
    config: View, resource: Resource, name: str, wanted: str, given: str, attribute: Attribute
) -> Iterator[Finding]:
    if given == wanted or (wanted == "number" and given == "integer"):
        return
    is_text = wanted == "string"
    shown = {"string": "a text", "integer": "a number", "number": "a number", "boolean": "a boolean"}
    what = {"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}[wanted]
    quotes = "put it in quotes" if is_text else "write it without quotes"
    fix = None
    value = attribute.value
    if value is not None and "{{" not in attribute.raw:
        if is_text:
            fix = Fix(quotes, [Edit(attribute.span, f'"{attribute.raw}"')], False, config.document.path)
        elif (
            isinstance(value, str)
            and _KIND_OF.get(type_of(value)) == _KIND_OF[wanted]
            and type_of(value) in (wanted, "integer")
        ):
            fix = Fix(quotes, [Edit(attribute.span, value)], False, config.document.path)
        else:
            quotes = f"write {what}"
    elif not is_text:
        quotes = "write the tag without quotes and without quote"
    yield resource.part.finding(
        f"the API server refuses {name}: {attribute.raw} is {shown[given]}, and the definition takes {what}",
        of=name,
        help=quotes,
        fix=fix,
    )


def _listed(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


_CPU = "jobManager:\n  resource: {cpu: %s, memory: 2g}"
_POD = "podTemplate:\n  spec:\n    containers:\n    - name: flink-main-container\n      env:\n      - %s"

_CLUSTER = """apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: orders}
spec:
  image: {name: "flink:1.14.6"}
  jobManager: {replicas: 1}
  taskManager: {replicas: 2}
  job:
    jarFile: /a.jar
    restartPolicy: %s
"""


def cases() -> list[Case]:
    return [
        bad(
            deployment(spec=_CPU % '"1"'),
            file="orders.yaml",
            at='"1"',
            says="takes a number",
            fixed=deployment(spec=_CPU % "1"),
        ),
        bad(deployment(job="upgradeMode: stateful"), file="orders.yaml", at="stateful", says="takes last-state"),
        bad(deployment(job='parallelism: "2"'), file="orders.yaml", fixed=deployment(job="parallelism: 2")),
        bad(deployment(job="args: [--port, 8081]"), file="orders.yaml", at="8081", says="takes a text"),
        bad(deployment(job="args: [--dry, true, yes]"), file="orders.yaml", times=2),
        bad(deployment(spec="mode: Native"), file="orders.yaml", at="Native", severity=Severity.ERROR),
        bad(deployment(spec=_POD % "{name: WORKERS, value: 5}"), file="orders.yaml", at="5"),
        bad(
            session_job("jarURI: https://example.com/a.jar\nparallelism: 2\nallowNonRestoredState: 'true'"),
            file="job.yaml",
            at="'true'",
            says="takes true or false",
        ),
        bad(deployment(spec="taskManager: {replicas: two}"), file="orders.yaml", at="two", says="a whole number"),
        bad(deployment(spec="restartNonce: 1.5"), file="orders.yaml", at="1.5"),
        bad(
            deployment(spec=_CPU % "{{ .Values.cpu | quote }}"),
            file="templates/orders.yaml",
            says="is a text",
        ),
        bad(deployment(job='parallelism: "{{ .Values.parallelism }}"'), file="templates/orders.yaml"),
        bad(
            deployment(job="parallelism: '2'", kind="FlinkBlueGreenDeployment"),
            file="orders.yaml",
            at="'2'",
        ),
        bad(_CLUSTER % "OnFailure", file="cluster.yaml", at="OnFailure", says="Never or FromSavepointOnFailure"),
        good(_CLUSTER % "FromSavepointOnFailure\n    mode: Detached", file="cluster.yaml"),
        good(deployment(spec=_CPU % "1"), file="orders.yaml"),
        good(deployment(spec=_CPU % "0.5"), file="orders.yaml"),
        good(deployment(job="args: [--port, '8081', --name, a]"), file="orders.yaml"),
        good(deployment(job="upgradeMode: last-state\nstate: suspended"), file="orders.yaml"),
        good(deployment(spec=_POD % "{name: WORKERS, value: '5'}"), file="orders.yaml"),
        good(deployment(job="parallelism: '${PARALLELISM}'"), file="orders.yaml"),
        good(deployment(job="parallelism: {{ .Values.parallelism }}"), file="templates/orders.yaml"),
        good(deployment(job="entryClass: {{ .Values.main | quote }}"), file="templates/orders.yaml"),
        good(deployment(spec="restartNonce:"), file="orders.yaml"),
    ]
