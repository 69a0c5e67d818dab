"""The image makes file names of a value of FLINK_PROPERTIES.

## What it does
Reports a line of `FLINK_PROPERTIES` whose value is a pattern (`*`, `?`, `[...]`) of names that are in Flink's folder,
where the image is Flink's 1.19 or later.

## Why it matters
Since 1.19 the entrypoint expands the value as a shell does, in `/opt/flink`: `web.access-control-allow-origin: *`
becomes `LICENSE NOTICE README.txt bin conf ...`. Nothing says so; the option simply has that value.

## What to do
Mount a `config.yaml`, or give the setting as an argument of the command. A value that is the default may as well go.

## Not when
The pattern fits no name there (`*:duration:*`, `org.apache.*`): the shell then leaves it as it is.

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `echo $value` without quotes
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.docker_image import expands
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.settings._keys import shown
from flink_flint.rules.settings._properties import WHEN, settings_of


@rule(code="FLK030", severity=Severity.ERROR, confidence=Confidence.HIGH, when=WHEN, flink=">=1.19", since="0.1")
def flink_properties_glob(config: View) -> Iterator[Finding]:
    """the image makes file names of a value of FLINK_PROPERTIES"""
    for line in settings_of(config):
        value = line.value("value")
        if expands(value):
            yield line.finding(
                f"the image expands {shown(value)} as a shell does: {line.name} becomes names of files in /opt/flink",
                of="value", key=line.name,
                help="set it in a mounted config.yaml, or as an argument -Dkey=value of the command",
            )  # fmt: skip


_COMPOSE = """services:
  jobmanager:
    image: flink:{}
    command: jobmanager
    environment:
      FLINK_PROPERTIES: "jobmanager.rpc.address: jobmanager\\n{}"
"""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE.format("1.20.1", "web.access-control-allow-origin: *"),
            file="docker-compose.yml", at="web.access-control-allow-origin", severity=Severity.ERROR,
        ),
        bad(_COMPOSE.format("2.1.0", "pipeline.jars: /opt/flink/lib/*.jar"), file="compose.yaml", at="pipeline.jars"),
        good(_COMPOSE.format("1.18.1", "web.access-control-allow-origin: *"), file="docker-compose.yml"),
        good(_COMPOSE.format("1.20.1", "metrics.reporter.x.filter.includes: *:dots:*"), file="docker-compose.yml"),
        good(_COMPOSE.format("1.20.1", "classloader.parent-first-patterns.additional: org.acme.*"), file="compose.yml"),
        good("web.access-control-allow-origin: '*'\n", flink="1.20"),
    ]  # fmt: skip
