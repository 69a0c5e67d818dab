"""Compose keeps the quotes around a variable's value, and the container gets them.

`- FLINK_CONF_DIR="/opt/conf"` in a list of variables names a folder that begins with a quote, which does not exist.

## What it does
Reports variables of Flink's containers in the list form of a Compose file's `environment` whose value begins and ends
with a quote that YAML does not take off: `- NAME="value"`.

## Why it matters
Only quotes around a whole item (`- "NAME=value"`) or around the value of a mapping (`NAME: "value"`) are YAML's. Those
behind the `=` are characters like any other. A path or host name with quotes leads nowhere, and a key or password with
quotes is wrong.

## What to do
Write `- NAME=value`, or the mapping `NAME: "value"`.

## Not when
- The value is a setting as a whole (`TASK_MANAGER_NUMBER_OF_TASK_SLOTS`): the rules about values report that.
- The value stands in an `env_file`, where Compose takes quotes off.

## Sources
- <https://docs.docker.com/reference/compose-file/services/#environment>: both forms
- <https://github.com/docker/compose/issues/3878>: quotes in the list form are part of the value
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_QUOTES = ('"', "'")


@rule(
    code="FLK040",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:container"],
    flink=">=1.9",
    since="0.1",
)
def quotes_in_variable(config: View) -> Iterator[Finding]:
    """Compose keeps the quotes around a variable's value, and the container gets them"""
    text = config.document.text
    settings = {entry.value_span for entry in config.document.entries}
    for container in config.elements("container"):
        for name, variable in container.under("environment"):
            value, span = variable.value, variable.span
            if not isinstance(value, str) or text[max(0, span.start - 1) : span.start] != "=":
                continue
            if len(value) < 2 or value[0] not in _QUOTES or value[0] != value[-1] or span in settings:
                continue
            if value[0] in value[1:-1]:
                continue
            yield container.finding(
                f"the quotes are part of the value that {container.name} gets for {name}",
                of=f"environment.{name}",
                help=f"write - {name}=… without quotes, or the mapping {name}: …",
            )


_SERVICE = "services:\n  jm:\n    image: flink:1.18.1\n    command: jobmanager\n    environment:\n"


def cases() -> list[Case]:
    return [
        bad(_SERVICE + "      - FLINK_CONF_DIR='/opt/conf'\n", file="docker-compose.yml", severity=Severity.WARNING),
        bad(
            _SERVICE + '      - AWS_SECRET_ACCESS_KEY="a b"\n',
            file="docker-compose.yml",
            at="jm.environment.AWS_SECRET_ACCESS_KEY",
        ),
        good(_SERVICE + '      - "FLINK_CONF_DIR=/opt/conf"\n', file="docker-compose.yml"),
        good(_SERVICE + '      FLINK_CONF_DIR: "/opt/conf"\n', file="docker-compose.yml"),
        good(_SERVICE + "      FLINK_ENV_JAVA_OPTS: '\"-Dx=1\"'\n", file="docker-compose.yml"),
        good(_SERVICE + '      - FLINK_ENV_JAVA_OPTS="-Da=1" "-Db=2"\n', file="docker-compose.yml"),
        good(_SERVICE + '      - TASK_MANAGER_NUMBER_OF_TASK_SLOTS="2"\n', file="docker-compose.yml"),
        good(_SERVICE + '      - FLINK_CONF_DIR=/opt/conf\n      - A="\n', file="docker-compose.yml"),
    ]
