"""The command of a container writes options to a file that Flink 2 does not read.

## What it does
Reports containers with Flink 2 whose command appends or writes to `flink-conf.yaml` by a script of its own.

## Why it matters
From 2.0 on Flink reads `config.yaml` and nothing else. The commands succeed and write a file that nobody opens: options
keep their defaults, `jobmanager.rpc.address` is `localhost`, TaskManagers do not find the JobManager (`Could not
resolve ResourceManager address pekko.tcp://flink@localhost:6123`), and no log line mentions the file.

## What to do
Give the options by `FLINK_PROPERTIES`, or as `-D` options, or write `config.yaml`.

## Not when
The release is not known to be 2.0 or newer, or the command writes `config.yaml` too.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: the file is gone
- <https://issues.apache.org/jira/browse/FLINK-33677>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_WRITES = regex(
    r">>?[ \t]*[\"']?[^\s\"'<>|;&]*flink-conf\.yaml|\bsed[ \t]+-i[^\r\n;&|]*flink-conf\.yaml"
    r"|\btee\b[^\r\n;&|]*flink-conf\.yaml"
)


@rule(
    code="FLK974",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    flink=">=2.0",
    since="0.1",
)
def command_writes_unread_file(config: View) -> Iterator[Finding]:
    """the command of a container writes options to a file that Flink 2 does not read"""
    if not config.target.certain:
        return
    for container in config.elements("container"):
        for number, word in enumerate(container.element.listed("args")):
            text = str(word.value)
            if _WRITES.search(text) is not None and "config.yaml" not in text:
                yield container.finding(
                    f"{container.name} writes its options to flink-conf.yaml, and {config.releases_text} reads only"
                    " config.yaml: none of them counts, and nothing is logged",
                    of=f"args[{number}]",
                    key="flink-conf.yaml",
                    help="set them in FLINK_PROPERTIES, or write config.yaml",
                )
                break


_COMPOSE = """services:
  jobmanager:
    image: flink:{image}
    entrypoint: [/bin/bash, -c]
    command:
      - |
        echo 'jobmanager.rpc.address: jobmanager' >> /opt/flink/conf/{file}
        exec /docker-entrypoint.sh jobmanager
"""


def cases() -> list[Case]:
    return [
        bad(_COMPOSE.format(image="2.1.0-java17", file="flink-conf.yaml"), file="docker-compose.yaml",
            at="flink-conf.yaml", severity=Severity.ERROR, says="reads only config.yaml"),
        bad(_COMPOSE.format(image="2.0.0", file="flink-conf.yaml").replace("echo", "echo a; echo"),
            file="docker-compose.yaml"),
        good(_COMPOSE.format(image="1.20.1", file="flink-conf.yaml"), file="docker-compose.yaml"),
        good(_COMPOSE.format(image="2.1.0", file="config.yaml"), file="docker-compose.yaml"),
        good(_COMPOSE.format(image="latest", file="flink-conf.yaml"), file="docker-compose.yaml"),
    ]  # fmt: skip
