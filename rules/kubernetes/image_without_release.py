"""The image may be another Flink tomorrow.

## What it does
Reports containers of Flink's own image under a name without a minor: no tag, `latest`, `2`, `scala_2.12-java11`.

## Why it matters
The tag moves with each release. A pod that is rescheduled pulls what the tag means that day: a TaskManager of another
minor than the JobManager's does not get through the handshake, defaults and the format of the configuration change
under a running deployment, and a savepoint may not be readable by the older Flink on the way back.

## What to do
Name the release: `flink:1.20.1-java17`.

## Not when
A digest fixes the image, it is another one than Flink's, or the Compose file builds the image itself.

## Sources
- <https://hub.docker.com/_/flink>: the tags
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/upgrading/#compatibility-table>: which releases read
  which savepoints
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import is_floating
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment


@rule(
    code="FLK729",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:container"],
    flink=">=1.0",
    of_scale=True,
    since="0.1",
)
def image_without_release(config: View) -> Iterator[Finding]:
    """the image's tag names no Flink release, and moves"""
    for part in config.elements("container"):
        image = part.text("image")
        if image is None or not is_floating(image) or part.has("dockerfile"):
            continue
        yield part.finding(
            f"{image} names no release: after the next one a restarted pod runs another Flink than the others",
            of="image",
            key="image",
            help="name the release, such as flink:1.20.1-java17",
        )


def cases() -> list[Case]:
    return [
        bad(
            deployment(image="flink:latest", spec="jobManager:\n  replicas: 1"),
            file="deployment.yaml",
            at="flink:latest",
            says="another Flink",
        ),
        bad(deployment(image="apache/flink", spec="taskManager:\n  replicas: 1"), file="deployment.yaml"),
        bad(
            deployment(
                image="orders:7",
                spec="podTemplate:\n  spec:\n    containers:\n      - {name: flink-main-container, image: flink:scala}",
            ),
            file="deployment.yaml",
            at="flink:scala",
        ),
        good(deployment(image="flink:1.20.1-java17", spec="jobManager:\n  replicas: 1"), file="deployment.yaml"),
        good(deployment(image="orders:latest", spec="jobManager:\n  replicas: 1"), file="deployment.yaml"),
        good(deployment(image="flink@sha256:0f0c4e6e", spec="jobManager:\n  replicas: 1"), file="deployment.yaml"),
        good(deployment(image="flink:${TAG}", spec="jobManager:\n  replicas: 1"), file="deployment.yaml"),
        bad(
            deployment(image="flink:latest", spec="jobManager:\n  replicas: 1\ntaskManager:\n  replicas: 1"),
            file="deployment.yaml",
            flink="1.8",
            at="image",
        ),
        bad(
            "services:\n  jobmanager:\n    image: flink:1.20.1\n    command: jobmanager\n  taskmanager:\n"
            "    image: flink:latest\n    command: taskmanager\n",
            file="docker-compose.yml",
            profile="development",
            severity=Severity.INFO,
        ),
        good(deployment(image="acme/pyflink:latest", spec="jobManager:\n  replicas: 1"), file="deployment.yaml"),
        good(
            "services:\n  jobmanager:\n    build: .\n    image: flink:latest\n    command: jobmanager\n",
            file="docker-compose.yml",
            beside={"Dockerfile": "FROM flink:1.20.1\n"},
        ),
        good(
            deployment(
                image="orders:7", spec="podTemplate:\n  spec:\n    containers:\n      - {name: flink-main-container}"
            ),
            file="deployment.yaml",
        ),
    ]
