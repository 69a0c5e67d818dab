"""JobManager and TaskManagers run different releases of Flink.

## What it does
Compares the releases that the tags of Flink's own images name, of the JobManager and of the TaskManagers, SQL gateways
and clients in the same Compose file, or folder of Kubernetes manifests. Patches may differ.

## Why it matters
Processes of Flink speak to each other in serialised Java objects, whose form is that of one minor release. A
TaskManager of another one does not register, or fails its first task with `InvalidClassException: local class
incompatible`. A client of another minor builds a job graph that the JobManager cannot read.

## What to do
Give all of them the same tag, best from one variable or anchor.

## Not when
The tags differ in the patch alone, name no release, or are of another image. Several JobManagers in one file or folder
are several clusters: nothing is said then.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/>: one
  image for all processes of a cluster
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/upgrading/#upgrading-the-flink-framework-version>: a
  cluster is upgraded as a whole
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView

_LEADERS = ("jobmanager", "cluster")
_OTHERS = ("taskmanager", "sql-gateway", "client")


@rule(
    code="FLK985",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    flink=">=1.0",
    scope="project",
    compares=["folder"],
    since="0.1",
)
def processes_of_two_releases(project: Project) -> Iterator[Finding]:
    """JobManager and TaskManagers run different releases of Flink"""
    clusters: dict[tuple[bool, str], list[ElementView]] = defaultdict(list)
    for config in project.views:
        if config.document.kind in ("compose", "helm"):
            in_compose = config.platform == "compose"
            place = config.document.path if in_compose else config.document.directory
            clusters[in_compose, place] += config.elements("container")
    for containers in clusters.values():
        leaders = [one for one in containers if one.text("role") in _LEADERS]
        if len(leaders) != 1 or (ours := _minor(leaders[0])) is None:
            continue
        for one in containers:
            theirs = _minor(one) if one.text("role") in _OTHERS else None
            if theirs is not None and theirs != ours:
                yield one.finding(
                    f"{one.name} runs Flink {theirs} and {leaders[0].name} Flink {ours}: they do not understand each"
                    " other's messages",
                    of="image",
                    help="give both the same tag",
                    related=[leaders[0].place("image")],
                )


def _minor(container: ElementView) -> str | None:
    """The minor release of a container's image."""
    image = container.text("image")
    release = release_of_image(image) if image else None
    return ".".join(release.split(".")[:2]) if release else None


def _compose(jobmanager: str, taskmanager: str, more: str = "") -> str:
    return (
        f"services:\n  jobmanager:\n    image: {jobmanager}\n    command: jobmanager\n"
        f"  taskmanager:\n    image: {taskmanager}\n    command: taskmanager\n{more}"
    )


_CLIENT = "  client:\n    image: flink:1.17\n    command: ./bin/sql-client.sh\n"
_GATEWAY = "  gateway:\n    image: flink:1.19\n    command: sql-gateway\n"
_SECOND = "  other:\n    image: flink:1.18\n    command: jobmanager\n"


def cases() -> list[Case]:
    return [
        bad(
            _compose("flink:1.18.1", "flink:1.17.2"),
            file="compose.yaml",
            at="flink:1.17.2",
            severity=Severity.ERROR,
            says="taskmanager runs Flink 1.17 and jobmanager Flink 1.18",
        ),
        bad(_compose("flink:1.18.1", "flink:1.18", _CLIENT), file="compose.yaml", at="flink:1.17"),
        bad(_compose("flink:1.18.1", "flink:1.18", _GATEWAY), file="compose.yaml", at="flink:1.19"),
        good(_compose("flink:1.18.1", "flink:1.18.0-scala_2.12"), file="compose.yaml"),
        good(_compose("flink:1.18.1", "flink:latest"), file="compose.yaml"),
        good(_compose("flink:latest", "flink:1.18.1"), file="compose.yaml"),
        good(_compose("flink:1.18.1", "shop/orders:1.17"), file="compose.yaml"),
        good(_compose("flink:1.18.1", "flink:1.17.2", _SECOND), file="compose.yaml"),
        good(_compose("flink:1.18.1", "flink:${FLINK}"), file="compose.yaml"),
        *cases_in_folders(__file__),
    ]
