"""A Beam pipeline names the address of a worker pool and leaves the environment at Docker.

## What it does
Looks at pipelines of Apache Beam with an `environment_config` that is an address (`localhost:50000`) or a command in
JSON, without `environment_type`.

## Why it matters
The default of `environment_type` is `DOCKER`, for which `environment_config` is the name of an image. The TaskManager
starts `docker run localhost:50000`: `java.io.IOException: Cannot run program "docker": error=2, No such file or
directory` in a container, or `docker: invalid reference format`.

## What to do
Set `environment_type=EXTERNAL` with the address of a worker pool, or `PROCESS` with a command.

## Not when
`environment_type` is set or may be set elsewhere, or `environment_config` is the name of an image.

## Sources
- <https://beam.apache.org/documentation/runtime/sdk-harness-config/>: the types and what each is configured with
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.dataflow._beam import MORE, pipeline, pipelines

_ADDRESS = regex(r"[\w.-]{1,200}+:[0-9]{4,5}|\{[^\0]*+")
"""An address with a port of four digits or more, as tags of images seldom are, or JSON."""


@rule(
    code="FLK478",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:beam-pipeline"],
    flink=">=1.0",
    since="0.1",
)
def beam_image_is_address(config: View) -> Iterator[Finding]:
    """a Beam pipeline names the address of its workers and leaves Docker as default"""
    for one in pipelines(config):
        value = one.text("environment_config")
        if value is None or one.has("environment_type") or one.has(MORE) or not _ADDRESS.fullmatch(value.strip()):
            continue
        kind = "PROCESS" if value.strip().startswith("{") else "EXTERNAL"
        yield one.finding(
            "environment_type is not set, so it is DOCKER, which takes this for the name of an image: TaskManagers fail"
            ' with Cannot run program "docker"',
            of="environment_config",
            help=f"set environment_type={kind}",
        )


def cases() -> list[Case]:
    return [
        bad(
            pipeline("['--runner=FlinkRunner', '--flink_master=f:8081', '--environment_config=localhost:50000']"),
            file="pipeline.py", severity=Severity.WARNING, says="takes this for the name of an image",
        ),
        bad(
            pipeline(
                "runner='PortableRunner', job_endpoint='flink-job-server:8099',"
                " environment_config='{\"command\": \"/opt/apache/beam/boot\"}'"
            ),
            file="pipeline.py",
        ),
        good(
            pipeline(
                "['--runner=FlinkRunner', '--environment_type=EXTERNAL', '--environment_config=localhost:50000']"
            ),
            file="pipeline.py",
        ),
        good(
            pipeline("['--runner=FlinkRunner', '--environment_config=apache/beam_python3.11_sdk:2.60.0']"),
            file="pipeline.py",
        ),
    ]  # fmt: skip
