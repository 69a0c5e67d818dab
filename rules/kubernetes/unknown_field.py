"""A field of the resource is not in its definition.

## What it does
Compares the fields of the Apache operator's custom resources with the definitions of its releases 1.0 to 1.15, and
those of a `FlinkCluster` with the definitions of Google's and Spotify's operators: of misspelt fields (`taskmanager` in
lower case) and of those that are called otherwise elsewhere (`className` for `entryClass`) it says which is meant, of
misplaced ones (`upgradeMode` directly below `spec`) where they belong. The same name in an unrelated object is no
evidence.

## Why it matters
The API server drops fields its definition does not have. Nothing says so unless `kubectl` validates strictly; Helm,
Argo CD and older clients do not. What was dropped counts as not set: memory and slots are the defaults, and a
misplaced `upgradeMode` means `stateless`, which throws the state away at the next change.

## What to do
Write the field as, and where, the definition has it.

## Not when
- Maps and pod templates, which are open.
- EMR on EKS (`emrReleaseLabel`, `executionRoleArn`): its operator has fields of its own.
- `jobManager.resources` and `taskManager.resources` came after operator 1.15: a warning, as older operators drop them
  and run with the default memory.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/reference/>: the fields
- <https://issues.apache.org/jira/browse/FLINK-33548>: `resources`
- <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning>:
  what becomes of unknown fields
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import fields, places_of
from flink_flint.linter.model.finding import Fix, Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import Resource, defined_resources, key_span

MOST = 40
"""Findings on one resource; with more it is no resource of this kind at all."""
TOP = ("apiVersion", "kind", "metadata", "spec", "status")
LATER = ("jobManager.resources", "taskManager.resources", "job.initialStateReference")
"""Fields that came after operator 1.15."""
_OTHER_NAMES = {
    "job": {
        "class": "entryClass", "classname": "entryClass", "mainclass": "entryClass", "mainclassname": "entryClass",
        "entrypoint": "entryClass", "entrypointclass": "entryClass",
        "jar": "jarURI", "jarurl": "jarURI", "jarfile": "jarURI", "jarpath": "jarURI",
        "arguments": "args", "programargs": "args", "programarguments": "args", "mainargs": "args",
        "fromsavepoint": "initialSavepointPath", "savepointpath": "initialSavepointPath",
        "savepoint": "initialSavepointPath", "initialsavepoint": "initialSavepointPath",
    },
    "spec": {
        "serviceaccountname": "serviceAccount", "flinkconf": "flinkConfiguration", "flinkconfig": "flinkConfiguration",
        "flinkproperties": "flinkConfiguration", "logconfig": "logConfiguration",
    },
}  # fmt: skip
"""What is meant by names that other operators, the REST API and the command line have, by object; in lower case."""
_OF_MANY_THINGS = ("annotations", "className", "kind", "labels", "metadata", "mode", "name", "template", "tls")
"""Names that fields of many objects have, so that they do not say where a field belongs."""


@rule(
    code="FLK722",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def unknown_field(config: View) -> Iterator[Finding]:
    """a field that the resource's definition does not have, so that it is dropped"""
    for resource in defined_resources(config):
        unknown = _unknown(resource)
        later = [path for path in unknown if _below(path) in LATER]
        if "spec.emrReleaseLabel" in unknown or "spec.executionRoleArn" in unknown:
            continue  # EMR on EKS: a definition of its own
        for path in unknown[:MOST]:
            if path not in later:
                yield _finding(config, resource, path)
        yield from _later(config, resource, later)


def _unknown(resource: Resource) -> list[str]:
    """The paths of fields that the definition does not have, each once."""
    known = fields(resource.kind)
    found: dict[str, None] = {}
    for name in resource.part.element.attributes:
        top, _, rest = name.partition(".")
        if top.partition("[")[0] not in TOP:
            found.setdefault(top.partition("[")[0])
            continue
        if top != "spec" or not rest:
            continue
        path = ""
        while path in known:
            head, _, rest = rest.partition(".")
            head = head.partition("[")[0]
            below = f"{path}.{head}" if path else head
            if head not in known[path]:
                found.setdefault(f"spec.{below}")
                break
            path = below
            if not rest:
                break
    return [path for path in found if not path.rpartition(".")[2].startswith(("$", "{{"))]


def _below(path: str) -> str:
    """The path below the spec of the deployment."""
    return path.removeprefix("spec.").removeprefix("template.spec.")


def _later(config: View, resource: Resource, paths: list[str]) -> Iterator[Finding]:
    """One finding on fields that only newer operators have."""
    found = [path for path in paths if _below(path).endswith(".resources")]
    if not found:
        return
    names = " and ".join(_below(path) for path in found)
    places = [Place(config.document.path, key_span(config, resource.part, path)) for path in found]
    yield config.finding(
        f"operators up to 1.15 drop {names}: the processes get Flink's default memory and CPU",
        span=places[0].span,
        key=f"{resource.kind}.{found[0]}",
        help="check that the operator is newer, or write resource.memory and resource.cpu",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        related=places[1:],
    )


def _finding(config: View, resource: Resource, path: str) -> Finding:
    parent, _, name = path.rpartition(".")
    span = key_span(config, resource.part, path)
    key = f"{resource.kind}.{path}"
    siblings = fields(resource.kind).get(parent.removeprefix("spec").removeprefix("."), TOP if not parent else ())
    meant = _other_name(parent.rpartition(".")[2], name, siblings) or _meant(name, siblings)
    if parent and meant is not None and not resource.part.has(f"{parent}.{meant}"):
        written = config.document.text[span.start : span.end]
        quote = written[:1] if written[:1] in ("'", '"') else ""
        fix = Fix(f"write {meant}", [Edit(span, f"{quote}{meant}{quote}")], False, config.document.path)
        return config.finding(
            f"{resource.kind} has no field {path}, and the API server drops it; {meant} is meant",
            span=span, key=key, help=f"write {meant}", fix=fix,
        )  # fmt: skip
    places = [place for place in _destinations(resource, parent, name) if not resource.part.has(place)][:2]
    belongs = f"; it belongs at {' or '.join(places)}" if places else ""
    return config.finding(
        f"{resource.kind} has no field {path}, and the API server drops it{belongs}",
        span=span,
        key=key,
        help=f"move it to {' or '.join(places)}" if places else "delete it, or put it where the definition has it",
        severity=None if places else Severity.WARNING,
    )


def _destinations(resource: Resource, parent: str, name: str) -> list[str]:
    """The paths at which a field belongs that was written one level too high, or at any level too low; nearest first.

    The same name in an object of another branch is no evidence that this object's field is meant.
    """
    if name in _OF_MANY_THINGS:
        return []
    found = []
    for place in places_of(resource.kind, name):
        owner = f"spec.{place}".rpartition(".")[0]
        within = parent.startswith(f"{owner}.")
        below = (
            owner.removeprefix(f"{parent}." if parent else "") if not parent or owner.startswith(f"{parent}.") else ""
        )
        if within or (below and "." not in below.removeprefix("template.")):
            found.append(f"{owner}.{name}")
    return sorted(found, key=lambda place: place.count("."), reverse=True)


def _other_name(parent: str, name: str, siblings: tuple[str, ...]) -> str | None:
    """The field of the same object for which other products and older interfaces have this name."""
    plain = name.lower().replace("-", "").replace("_", "")
    meant = _OTHER_NAMES.get(parent, {}).get(plain)
    return meant if meant in siblings else None


def _meant(name: str, siblings: tuple[str, ...]) -> str | None:
    """The field that was misspelt: another case, or a slip."""
    for sibling in siblings:
        if sibling.lower() == name.lower():
            return sibling
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, siblings, n=1, cutoff=0.85)), None)


_JOB = "upgradeMode: savepoint"


def cases() -> list[Case]:
    return [
        bad(
            deployment(spec="taskmanager:\n  resource:\n    memory: 4096m"),
            file="deployment.yaml",
            at="taskmanager",
            says="taskManager is meant",
            fixed=deployment(spec="taskManager:\n  resource:\n    memory: 4096m"),
        ),
        bad(
            deployment(spec="upgradeMode: savepoint"),
            file="deployment.yaml",
            at="upgradeMode",
            says="belongs at spec.job.upgradeMode",
        ),
        bad(
            deployment(spec="taskManager:\n  memory: 4g"),
            file="deployment.yaml",
            says="spec.taskManager.resource.memory",
        ),
        bad(
            deployment(spec="taskManager:\n  resource:\n    podTemplate: {kind: Pod}"),
            file="deployment.yaml",
            says="belongs at spec.taskManager.podTemplate or spec.podTemplate",
        ),
        bad(
            deployment(spec="taskManager:\n  resources:\n    requests:\n      memory: 4Gi"),
            file="deployment.yaml",
            severity=Severity.WARNING,
            at="resources",
            says="drop taskManager.resources",
        ),
        bad(
            deployment(job="className: com.example.Orders"),
            file="deployment.yaml",
            at="className",
            says="entryClass is meant",
            fixed=deployment(job="entryClass: com.example.Orders"),
        ),
        bad(
            deployment(job="entryClass: com.example.Orders\nmain-class: com.example.Orders"),
            file="deployment.yaml",
            at="main-class",
            severity=Severity.WARNING,
        ),
        bad(session_job("jar: s3://a/b.jar\nprogramArgs: [--a]"), file="job.yaml", times=2, says="is meant"),
        bad(
            "apiVersion: flinkoperator.k8s.io/v1beta1\nkind: FlinkCluster\nmetadata: {name: orders}\nspec:\n"
            "  image: {name: 'flink:1.14.6'}\n  jobManager: {replicas: 1}\n  taskManager: {replicas: 2}\n"
            "  job:\n    jarFile: /a.jar\n    autoSavePointSeconds: 300\n",
            file="cluster.yaml",
            at="autoSavePointSeconds",
            says="autoSavepointSeconds is meant",
        ),
        bad(deployment(spec="flinkConf: {a: b}"), file="deployment.yaml", says="flinkConfiguration is meant"),
        # The same name elsewhere is no evidence: another branch, two levels below, or a name that many things have.
        bad(deployment(job="template: a.b\nmemory: 4g"), file="deployment.yaml", times=2, severity=Severity.WARNING),
        bad(deployment(spec="memory: 4g\nlabels: {a: b}"), file="deployment.yaml", times=2, severity=Severity.WARNING),
        bad(
            deployment(spec="jobManager:\n  upgradeMode: savepoint"), file="deployment.yaml", severity=Severity.WARNING
        ),
        bad(
            deployment(spec="taskManager:\n  memory: 4g\n  resource:\n    memory: 4g"),
            file="deployment.yaml",
            severity=Severity.WARNING,
        ),
        bad(
            deployment(spec="parallelism: 2", kind="FlinkBlueGreenDeployment"),
            file="deployment.yaml",
            severity=Severity.WARNING,
        ),
        bad(deployment() + "flinkConfiguration:\n  a: b\n", file="deployment.yaml", says="at spec.flinkConfiguration"),
        bad(session_job("jarURI: s3://a/b.jar", name="clusterId: cluster"), file="job.yaml", severity=Severity.WARNING),
        bad(
            '{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "a"},'
            ' "spec": {"flinkversion": "v1_20", "image": "flink:1.20"}}\n',
            file="deployment.json",
            at='"flinkversion"',
            fixed='{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "a"},'
            ' "spec": {"flinkVersion": "v1_20", "image": "flink:1.20"}}\n',
        ),
        good(
            deployment(
                "a.b.c: d",
                job=_JOB,
                spec="taskManager:\n  replicas: 2\n  resource: {memory: 4096m, cpu: 1, ephemeralStorage: 10Gi}\n"
                "  podTemplate:\n    spec:\n      anything: goes\n      containers: []\n"
                "ingress:\n  template: a.b\n  annotations: {x.y/z: '1'}\nmode: native\nlogConfiguration:\n  a.b: c",
            ),
            file="deployment.yaml",
        ),
        good(
            deployment(
                spec="emrReleaseLabel: emr-7.0.0-flink-latest\nexecutionRoleArn: arn:aws:iam::1:role/a\n"
                "jobManager:\n  highAvailabilityEnabled: true\n  storageDir: s3://a/ha"
            ),
            file="deployment.yaml",
        ),
        good(session_job("jarURI: s3://a/b.jar\nargs: [--a, b]\nautoscalerResetNonce: 1"), file="job.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkStateSnapshot\nmetadata:\n  name: a\nspec:\n"
            "  backoffLimit: 1\n  jobReference: {kind: FlinkDeployment, name: orders}\n  savepoint:\n    path: s3://a/b\n",
            file="snapshot.yaml",
        ),
        good(deployment(kind="FlinkBlueGreenDeployment", job=_JOB), file="deployment.yaml"),
        bad(
            deployment(spec="\n".join(f"field{n}: 1" for n in range(42))), file="deployment.yaml", flink="1.8", times=40
        ),
        bad(
            deployment(
                spec="jobManager:\n  resources: {limits: {cpu: 1}}\ntaskManager:\n  resources: {limits: {cpu: 1}}"
            ),
            file="deployment.yaml",
            says="drop jobManager.resources and taskManager.resources",
        ),
        bad(
            deployment(spec="taskManager:\n  resources:\n    limits: {cpu: 1}", kind="FlinkBlueGreenDeployment"),
            file="deployment.yaml",
            severity=Severity.WARNING,
            says="drop taskManager.resources",
        ),
        good(deployment(job="initialStateReference:\n  path: s3://b/savepoint"), file="deployment.yaml"),
        good(deployment(spec="emrReleaseLabel: emr-7.0.0\nvendor: 1"), file="deployment.yaml"),
        good(deployment(spec="executionRoleArn: arn\nvendor: 1"), file="deployment.yaml"),
        good(deployment(spec="${FIELD}: 1"), file="deployment.yaml"),
        bad(
            deployment(spec="taskManager:\n  replicas: 1\ntaskmanager:\n  replicas: 1"),
            file="deployment.yaml",
            fixed=deployment(spec="taskManager:\n  replicas: 1\ntaskmanager:\n  replicas: 1"),
        ),
        bad(
            deployment(spec="'taskmanager':\n  replicas: 1"),
            file="deployment.yaml",
            fixed=deployment(spec="'taskManager':\n  replicas: 1"),
        ),
        bad(deployment() + "sepc:\n  image: flink\n", file="deployment.yaml", severity=Severity.WARNING),
        *cases_in_folders(__file__),
    ]
