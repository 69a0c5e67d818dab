"""JobManager and TaskManagers of one job run images with different applications.

## What it does
Looks at the JobManager that runs one job (`standalone-job`) and the TaskManagers beside it, in a Compose file or a
folder of manifests: reports a TaskManager whose image is from another repository.

## Why it matters
The TaskManager loads the job's classes from its own image, `/opt/flink/usrlib`. The image of another application does
not have them, or has others of the same name: `ClassNotFoundException: org.example.Job`, `Cannot load user class`, or
`InvalidClassException ... local class incompatible`. It mostly is a line that was forgotten when files were copied.

## What to do
Give both the same image, by one variable or one template.

## Not when
- The names of the repositories differ only in the process: `acme/jobmanager`, `acme/taskmanager`.
- One of the images is Flink's own, or not known; there is another JobManager.
- The JobManager runs no job itself: a session gives the classes to its TaskManagers.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/#application-mode-on-docker>:
  the artifacts of the job must be available in all containers
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import is_official, repository_name
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.lazy_regex import regex

_PROGRAMS = ("standalone-job", "standalone-job.sh", "job-cluster")
_PROCESS = regex(r"(?i)job-?_?manager|task-?_?manager|\bjm\b|\btm\b|master|worker|leader")


@rule(
    code="FLK971",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:container"],
    scope="project",
    compares=["folder"],
    since="0.1",
)
def job_image_differs(project: Project) -> Iterator[Finding]:
    """JobManager and TaskManagers of one job run images of different applications"""
    clusters: dict[str, list[ElementView]] = defaultdict(list)
    for config in project.views:
        if config.platform in ("compose", "kubernetes") and config.elements("container"):
            in_compose = config.platform == "compose"
            clusters[config.document.path if in_compose else f"{config.document.directory}/"] += [
                part for part in config.elements("container") if not part.has("dockerfile")
            ]
    for containers in clusters.values():
        leaders = [one for one in containers if one.text("role") == "jobmanager"]
        ours = _application(leaders[0]) if len(leaders) == 1 and _runs_job(leaders[0]) else None
        if ours is None:
            continue
        for one in containers:
            theirs = _application(one) if one.text("role") == "taskmanager" else None
            if theirs is not None and theirs != ours:
                yield one.finding(
                    f"{one.name} runs the image {theirs}, and the job is in {ours} of {leaders[0].name}: its classes"
                    " are missing or others there, and tasks fail with ClassNotFoundException",
                    of="image",
                    key="image",
                    help=f"use {leaders[0].text('image')} in both",
                    related=[leaders[0].place("image", "the image with the job")],
                )


def _runs_job(container: ElementView) -> bool:
    words = [str(word.value) for word in container.element.listed("args")]
    return any(word.rpartition("/")[2] in _PROGRAMS for word in words)


def _application(container: ElementView) -> str | None:
    """Return the repository of a container's image; None if it is unknown, or made for one of the processes."""
    image = container.text("image")
    if not image or "$" in image or "{{" in image or is_official(image):
        return None
    name = image.partition("@")[0]
    name = name[: name.rindex(":")] if ":" in name.rpartition("/")[2] else name
    return None if _PROCESS.search(repository_name(image)) else name


def _compose(jobmanager: str, taskmanager: str, command: str = "standalone-job --job-classname org.example.Job") -> str:
    return (
        f"services:\n  jobmanager:\n    image: {jobmanager}\n    command: {command}\n"
        f"  taskmanager:\n    image: {taskmanager}\n    command: taskmanager\n"
    )


_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  template:
    spec:
      containers:
        - name: {name}
          image: {image}
          args: [{args}]
"""


def cases() -> list[Case]:
    job = _POD.format(name="jobmanager", image="ghcr.io/acme/uc4-flink:latest", args="standalone-job")
    return [
        bad(
            _compose("acme/orders-flink:1", "acme/users-flink:1"), file="compose.yaml", at="image",
            severity=Severity.WARNING, says="the job is in acme/orders-flink of jobmanager",
        ),
        bad(
            _POD.format(name="taskmanager", image="ghcr.io/acme/uc3-flink:latest", args="taskmanager"),
            file="taskmanager.yaml", beside={"jobmanager.yaml": job}, at="image",
        ),
        good(_compose("acme/orders-flink:1", "acme/orders-flink:2"), file="compose.yaml"),
        good(_compose("acme/flink-jobmanager:1", "acme/flink-taskmanager:1"), file="compose.yaml"),
        good(_compose("acme/orders-flink:1", "flink:1.20"), file="compose.yaml"),
        good(_compose("acme/orders-flink:1", "${IMAGE}"), file="compose.yaml"),
        good(_compose("acme/orders-flink:1", "acme/users-flink:1", "jobmanager"), file="compose.yaml"),
    ]  # fmt: skip
