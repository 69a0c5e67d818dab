"""The image takes the blanks out of a value of FLINK_PROPERTIES.

## What it does
Reports a line of `FLINK_PROPERTIES` whose value has blanks inside that mean something, where the image is Flink's 1.19
or later.

## Why it matters
Since 1.19 the entrypoint hands each line of `FLINK_PROPERTIES` to Flink as one argument, and first takes all white
space out of it. `-XX:+UseG1GC -Dfoo=bar` arrives as `-XX:+UseG1GC-Dfoo=bar`, which HotSpot JVMs refuse and OpenJ9
ignores; a JAAS entry, a cron expression or a pattern silently becomes another one. Up to 1.18 the text was appended to
the file as it stood.

## What to do
Mount a `config.yaml`, or give the setting as an argument of the command: `-Denv.java.opts.all=-XX:+UseG1GC -Dfoo=bar`
(quoted as one word).

## Not when
- The value is a duration, a size, a list or a map: `10 s` and `10s` are the same to Flink.
- A variable or template fills the value in.

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `process_flink_properties`
- <https://issues.apache.org/jira/browse/FLINK-38587>: JVM options run together
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.docker_image import stripped
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.settings._keys import shown
from flink_flint.rules.settings._properties import COMPOSE, WHEN, settings_of

_HARMLESS = ("Duration", "MemorySize", "Integer", "Long", "Float", "Double", "Boolean", "Enum", "Map")


@rule(code="FLK028", severity=Severity.ERROR, confidence=Confidence.HIGH, when=WHEN, flink=">=1.19", since="0.1")
def flink_properties_spaces_stripped(config: View) -> Iterator[Finding]:
    """the image takes the blanks out of a value of FLINK_PROPERTIES"""
    for line in settings_of(config):
        key, value = line.name, line.value("value")
        if len(value.split()) < 2:
            continue
        accepted = config.accept(key)
        kind = accepted.option.type if accepted is not None else ""
        if kind.startswith(_HARMLESS) or (kind.startswith("List") and not _blanks_inside(value)):
            continue
        options = key.startswith("env.java.") and "opts" in key
        # OpenJ9 ignores most options that it does not know, and a property takes in what follows it.
        is_refused = options and value.strip("\"'").startswith("-X")
        why = ", and a HotSpot JVM does not start with that" if is_refused else ", which is not what was written"
        yield line.finding(
            f"the image takes all white space out of FLINK_PROPERTIES: {key} becomes {shown(stripped(value))}{why}",
            of="value",
            key=key,
            help="set it in a mounted config.yaml, or as an argument -Dkey=value of the command",
            confidence=None if accepted is not None else Confidence.MEDIUM,
        )


def _blanks_inside(value: str) -> bool:
    """Whether a member of a list has blanks inside (those around the members mean nothing)."""
    return any(len(member.split()) > 1 for member in value.replace(",", ";").split(";"))


def cases() -> list[Case]:
    return [
        bad(
            COMPOSE.format("1.20.1", "env.java.opts.all: -XX:+UseG1GC -Dfoo=bar"),
            file="docker-compose.yml",
            at="env.java.opts.all",
            severity=Severity.ERROR,
            says="-XX:+UseG1GC-Dfoo=bar, and a HotSpot JVM does not start with that",
        ),
        bad(
            COMPOSE.format("1.20.1", "env.java.opts.all: -Da=b -Dc=d"),
            file="docker-compose.yml",
            says="-Da=b-Dc=d, which is not what was written",
        ),
        bad(
            """apiVersion: apps/v1
kind: Deployment
metadata:
  name: tm
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:2.1.0-java17
          args: ["taskmanager"]
          env:
            - name: FLINK_PROPERTIES
              value: |
                metrics.scope.tm: <host> taskmanager <tm_id>
""",
            file="deployment.yaml",
            at="metrics.scope.tm",
        ),
        good(COMPOSE.format("1.18.1", "env.java.opts: -XX:+UseG1GC -Dfoo=bar"), file="docker-compose.yml"),
        good(COMPOSE.format("1.20.1", "heartbeat.timeout: 50 s"), file="docker-compose.yml"),
        good(
            COMPOSE.format("1.20.1", "classloader.parent-first-patterns.additional: a; c.d"), file="docker-compose.yml"
        ),
        good(COMPOSE.format("2.0.0", "env.java.opts.all: ${JVM_OPTIONS} -Dx=y"), file="docker-compose.yml"),
        good("env.java.opts.all: -XX:+UseG1GC -Dfoo=bar\n", flink="1.20"),
        bad(COMPOSE.format("1.20.1", "myapp.title: a b"), file="docker-compose.yml", at="myapp.title"),
        bad(COMPOSE.format("1.20.1", "metrics.reporters: a, b"), file="docker-compose.yml", at="a, b"),
        bad(
            COMPOSE.format("1.20.1", "classloader.parent-first-patterns.additional: a b; c"), file="docker-compose.yml"
        ),
        bad(COMPOSE.format("1.20.1", "heartbeat.timeout: 50 s\n        rest.address: a b"), file="docker-compose.yml"),
        good(COMPOSE.format("1.20.1", "classloader.parent-first-patterns.additional: a, b"), file="docker-compose.yml"),
        good(COMPOSE.format("1.20.1", "rest.address: jm"), file="docker-compose.yml"),
        good(COMPOSE.format("1.20.1", "env.java.opts.all=-Da=b -Dc=d"), file="docker-compose.yml"),
    ]
