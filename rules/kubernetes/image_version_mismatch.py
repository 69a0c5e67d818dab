"""The image ships another Flink than the resource says.

## What it does
Compares the release that the tag of `spec.image` names, and that of the main container's image in a pod template,
with `spec.flinkVersion`. Only images of Flink itself are looked at (`flink`, `apache/flink`, a mirror of them): the
tag of another image is its application's version.

## Why it matters
The operator believes `flinkVersion`: by it the operator chooses the names of options, the name and the format of the
configuration file it mounts (`flink-conf.yaml` up to 1.20, `config.yaml` from 2.0 on) and which of its default
settings apply. With an image from the other side of 2.0 the JobManager does not find its configuration and does not
start; with a neighbour some settings are ignored without a word, and a state upgrade is taken for none.

## What to do
Change both together.

## Not when
The tag names no release (`latest`, `2`, a digest), or a template fills it in.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/overview/>:
  `flinkVersion` is the version of the image
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/config/FlinkConfigBuilder.java>:
  what depends on it
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.deployment.operator import MAIN_CONTAINER
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._other_operators import other_resources
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, Resource, minor_of, named_release, resources

TEMPLATES = ("podTemplate", "jobManager.podTemplate", "taskManager.podTemplate")


@rule(
    code="FLK702",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def image_version_mismatch(config: View) -> Iterator[Finding]:
    """the image is of another Flink release than flinkVersion says"""
    for resource in resources(config, *CLUSTERS, VALUES):
        named = named_release(resource)
        if named is None:
            continue
        for path in _images(resource):
            yield from _judge(resource.part, path, named, resource.path("flinkVersion"), "v{}_{}")
    for other in other_resources(config):
        if (found := other.named_release) is not None:
            yield from _judge(other.part, other.fields.image, found, other.fields.release, '"{}.{}"')


def _judge(part: ElementView, path: str, named: tuple[int, int], field: str, spelling: str) -> Iterator[Finding]:
    """Report the image at `path`, if it is of another minor release than the one that the field `field` names."""
    image = part.text(path)
    shipped = release_of_image(image) if image else None
    if shipped is None or minor_of(shipped) == named:
        return
    apart = (minor_of(shipped) >= (2, 0)) != (named >= (2, 0))
    effect = (
        "the operator mounts a configuration file this image does not read, and no process starts"
        if apart
        else "the operator writes the configuration for another release than the one that reads it"
    )
    yield part.finding(
        f"flinkVersion says {named[0]}.{named[1]}, the image is Flink {shipped}: {effect}",
        of=path,
        help=f"write flinkVersion: {spelling.format(*minor_of(shipped))}, or an image of {named[0]}.{named[1]}",
        severity=Severity.ERROR if apart else None,
        related=[part.place(field)],
    )


def _images(resource: Resource) -> Iterator[str]:
    """The attributes that name the image of Flink's containers."""
    yield resource.path("image")
    for template in TEMPLATES:
        path = resource.path(f"{template}.spec.containers")
        for container in resource.part.items(path):
            if container.text("name") == MAIN_CONTAINER and container.has("image"):
                yield f"{path}[{container.name}].image"


_CLUSTER = """apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: orders}
spec:
  flinkVersion: "1.18"
  image: {name: "flink:1.18.1"}
  taskManager: {replicas: 2}
"""


def cases() -> list[Case]:
    return [
        bad(
            deployment(version="v1_18", image="flink:1.17.2-scala_2.12-java11"), file="deployment.yaml", flink="1.8",
            at="flink:1.17.2-scala_2.12-java11", severity=Severity.WARNING, says="1.17.2",
        ),
        bad(deployment(version="v1_20", image="apache/flink:2.0.0"), file="deployment.yaml", severity=Severity.ERROR),
        bad(
            deployment(
                version="v1_19", image="flink:1.19",
                spec="podTemplate:\n  spec:\n    containers:\n      - {name: flink-main-container, image: flink:1.18}",
            ),
            file="deployment.yaml", at="flink:1.18",
        ),
        good(deployment(version="v1_18", image="flink:1.18.1-java17"), file="deployment.yaml"),
        good(deployment(version="v1_18", image="registry.example.com/orders:1.17"), file="deployment.yaml"),
        good(deployment(version="v1_18", image="flink:latest"), file="deployment.yaml"),
        good(deployment(version="v1_18", image="flink:${VERSION}"), file="deployment.yaml"),
        good(
            deployment(
                version="v1_19", image="flink:1.19",
                spec="podTemplate:\n  spec:\n    containers:\n      - name: sidecar\n        image: flink:1.18",
            ),
            file="deployment.yaml",
        ),
        bad(_CLUSTER.replace("1.18.1", "1.19.1"), file="cluster.yaml", at="flink:1.19.1", says="Flink 1.19.1"),
        good(_CLUSTER, file="cluster.yaml"),
        bad(deployment(version="v2_0", image="flink:2.1.0"), file="deployment.yaml", severity=Severity.WARNING),
        good(deployment(version="${VERSION}", image="flink:2.1.0"), file="deployment.yaml"),
        bad(
            deployment(
                version="v1_19", image="flink:1.19",
                spec="jobManager:\n  podTemplate:\n    spec:\n      containers:\n"
                "        - {name: flink-main-container, image: flink:1.18}\n"
                "taskManager:\n  podTemplate:\n    spec:\n      containers:\n"
                "        - {name: flink-main-container, image: flink:1.17}",
            ),
            file="deployment.yaml", times=2,
        ),
    ]  # fmt: skip
