"""A Beam pipeline in Python uses a transform in Java, whose workers are started with Docker.

## What it does
Looks at pipelines of the Python SDK with `environment_type` `EXTERNAL` or `PROCESS`, and at transforms that are written
in Java (`ReadFromKafka`, `WriteToKafka`, `ReadFromJdbc`, `SqlTransform`, ...) without an `expansion_service`.

## Why it matters
The option is about the Python stages alone. A Java transform is expanded by a service that Beam starts itself, with
the default environment of Java: `DOCKER`. The TaskManager starts `docker run` for it, and in a container without Docker
the job fails with `java.io.IOException: Cannot run program "docker": error=2, No such file or directory`.

## What to do
Run an expansion service with another environment and name it to the transform: for Kafka
`default_io_expansion_service(append_args=['--defaultEnvironmentType=PROCESS',
'--defaultEnvironmentConfig={"command":"/opt/apache/beam_java/boot"}'])`, with the Java SDK's harness in the
image of the TaskManagers.

## Not when
The transform has an expansion service, or workers are started with Docker or in the submitting process.

## Sources
- <https://beam.apache.org/documentation/runtime/sdk-harness-config/>: which environment workers run in
- <https://beam.apache.org/documentation/sdks/python-multi-language-pipelines/>: transforms of another SDK
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._beam import pipeline, pipelines


@rule(
    code="FLK456",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:beam-transform"],
    flink=">=1.0",
    since="0.1",
)
def beam_java_needs_docker(config: View) -> Iterator[Finding]:
    """a Beam pipeline in Python uses a transform whose workers need Docker"""
    for one in pipelines(config):
        environment = one.text("environment_type")
        if environment not in ("EXTERNAL", "PROCESS"):
            continue
        for transform in config.elements("beam-transform"):
            if not transform.has("java") or transform.has("expansion-service"):
                continue
            yield transform.finding(
                f"{transform.name} is written in Java, and environment_type={environment} is about Python alone: its"
                ' workers are started with Docker, and fail with Cannot run program "docker"',
                help="give it an expansion_service with --defaultEnvironmentType=PROCESS and the Java SDK's boot",
                related=[one.place("environment_type", "of the Python stages")],
            )


_KAFKA = "ReadFromKafka(consumer_config={'bootstrap.servers': 'kafka:9092'}, topics=['orders']%s)"
_EXTERNAL = "['--runner=PortableRunner', '--job_endpoint=flink-job-server:8099', '--environment_type=%s']"


def cases() -> list[Case]:
    return [
        bad(
            pipeline(_EXTERNAL % "EXTERNAL", _KAFKA % ""), file="pipeline.py", at="ReadFromKafka",
            severity=Severity.WARNING, says='Cannot run program "docker"',
        ),
        bad(
            pipeline("runner='FlinkRunner', flink_master='flink:8081', environment_type='PROCESS'", _KAFKA % ""),
            file="pipeline.py",
        ),
        good(
            pipeline(_EXTERNAL % "EXTERNAL", _KAFKA % ", expansion_service='localhost:8097'"), file="pipeline.py"
        ),
        good(pipeline(_EXTERNAL % "DOCKER", _KAFKA % ""), file="pipeline.py"),
        good(pipeline(_EXTERNAL % "EXTERNAL"), file="pipeline.py"),
    ]  # fmt: skip
