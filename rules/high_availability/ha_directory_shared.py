"""Two clusters keep the files of high availability in one directory.

## What it does
Compares the clusters of a run that have Kubernetes high availability and the same `high-availability.storageDir`, and
reports two of them that end in one directory below it: resources of the operator with one name in two namespaces, and
standalone clusters on Kubernetes with two `kubernetes.cluster-id` but no `high-availability.cluster-id` of their own.

## Why it matters
ConfigMaps are of one namespace, and a cluster finds its own by `kubernetes.cluster-id`. The files are in
`high-availability.storageDir` by another name: `high-availability.cluster-id`, for which the operator takes the name of
the resource, whatever its namespace, and which is `/default` where a standalone cluster has none. Both clusters then
write job graphs, jars and job results to one directory. The first that ends for good deletes the jars of the other,
whose next JobManager cannot start its jobs; and a job that ended in one counts as ended in the other, if they have one
id.

## What to do
Give each namespace a storage directory of its own, or standalone clusters a `high-availability.cluster-id`.

## Not when
The namespace of a resource is not in the file, or a template's. Two resources with one name and namespace are one. A
local directory may be another volume in each.
With ZooKeeper see `zk-cluster-id-collision`.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/highavailability/HighAvailabilityServicesUtils.java>:
  `getClusterHighAvailableStoragePath`: directory and cluster id
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/kubernetes_ha/>: what is kept, and where
"""

from collections import defaultdict
from collections.abc import Iterator

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import KUBERNETES, mode

_STORAGE = "high-availability.storageDir"
_ID = "high-availability.cluster-id"
_NAME = "kubernetes.cluster-id"
_JOBMANAGERS = ("jobmanager", "cluster")


@rule(
    code="FLK420",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_STORAGE],
    scope="project",
    compares=[([_STORAGE], [_STORAGE])],
    flink=">=1.12",
    since="0.1",
)
def ha_directory_shared(project: Project) -> Iterator[Finding]:
    """two clusters keep the files of high availability in one directory"""
    clusters: dict[tuple[str, str], dict[str, View]] = defaultdict(dict)
    for config in project.triggered_by(_STORAGE):
        if any(
            part.name == "FlinkDeployment" and not part.has("metadata.namespace")
            for part in config.elements("kubernetes-object")
        ):
            continue  # most deployments, and nothing else has to be read of them
        storage = config.string(_STORAGE)
        if storage is None or locate(storage).is_local or mode(config) != KUBERNETES:
            continue
        found = _cluster(config)
        if found is not None:
            folder, cluster = found
            clusters[storage.rstrip("/"), folder].setdefault(cluster, config)
    for (storage, folder), sharing in clusters.items():
        first = next(iter(sharing))
        for cluster, config in list(sharing.items())[1:]:
            yield config.get(_STORAGE).finding(
                f"{cluster} and {first} keep their files of high availability in {storage}/{folder}: the first that"
                " ends deletes the jars of the other",
                help="give each a storage directory of its own",
                related=[sharing[first].get(_STORAGE)],
            )


def _cluster(config: View) -> tuple[str, str] | None:
    """The folder in the storage directory, and which cluster it is; None where either is not known."""
    name = config.string(_NAME)
    if name is None:
        return None
    for part in config.elements("kubernetes-object"):
        if part.name == "FlinkDeployment":
            namespace = part.text("metadata.namespace")
            return None if namespace is None else (name, f"{name} of the namespace {namespace}")
    if not any(container.text("role") in _JOBMANAGERS for container in config.elements("container")):
        return None
    folder = config.string(_ID)
    return None if folder is None else (folder.strip("/"), f"the cluster {name}")


def _resource(namespace: str, name: str = "orders", storage: str = "s3://bucket/ha") -> str:
    return (
        f"apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: {name}\n"
        f"  namespace: {namespace}\nspec:\n  flinkVersion: v1_20\n  flinkConfiguration:\n"
        f"    high-availability.type: kubernetes\n    {_STORAGE}: {storage}\n"
    )


def _workload(name: str, more: str = "", role: str = "jobmanager") -> str:
    lines = ["high-availability.type: kubernetes", f"{_STORAGE}: s3://bucket/ha", f"{_NAME}: {name}", more]
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  template:\n    spec:\n"
        f"      containers:\n        - name: main\n          image: flink:1.18\n          args: [{role}]\n"
        "          env:\n            - name: FLINK_PROPERTIES\n              value: |\n"
        + "".join(f"                {line}\n" for line in lines if line)
    )


def cases() -> list[Case]:
    return [
        bad(
            _resource("test"),
            file="test.yaml",
            beside={"prod.yaml": _resource("prod", storage="s3://bucket/ha/")},
            at=_STORAGE,
            says="orders of the namespace test and orders of the namespace prod",
        ),
        bad(
            _workload("b"), file="b.yaml", beside={"a.yaml": _workload("a")}, at=_STORAGE, says="s3://bucket/ha/default"
        ),
        good(_resource("test"), file="test.yaml", beside={"prod.yaml": _resource("prod", storage="s3://prod/ha")}),
        good(_resource("test"), file="test.yaml", beside={"prod.yaml": _resource("prod", name="users")}),
        *cases_in_folders(__file__),
    ]
