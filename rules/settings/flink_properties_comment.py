"""A comment in FLINK_PROPERTIES is no comment to the image.

## What it does
Reports a comment in the text of `FLINK_PROPERTIES`, where the image is Flink's 1.19 or later: an error behind a value,
advice on a line of its own.

## Why it matters
Since 1.19 the entrypoint makes a setting of every line, without a look at `#`. `taskmanager.numberOfTaskSlots: 4  # per
machine` sets the option to `4#permachine`, and the process fails or takes something else. A line `# old: value` sets a
key `#old`, which stays in the configuration and its log; two such lines whose keys begin alike may cost all settings
(`flink-properties-key-prefix`). Up to 1.18 Flink's own reader dropped comments.

## What to do
Put comments outside the text: above the variable, where YAML has them. The fix deletes them.

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `process_flink_properties`
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/#further-customization>:
  what FLINK_PROPERTIES is for
"""

from collections.abc import Iterator

from linter.flink.docker_image import stripped
from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import View
from rules.settings._keys import shown
from rules.settings._properties import WHEN, without


@rule(code="FLK029", severity=Severity.ERROR, confidence=Confidence.HIGH, when=WHEN, flink=">=1.19", since="0.1")
def flink_properties_comment(config: View) -> Iterator[Finding]:
    """a comment in FLINK_PROPERTIES is no comment to the image"""
    for line in config.elements("property-line"):
        comment = line.text("comment")
        if comment is None:
            continue
        span = line.span("comment")
        fix = without(config, line, span, "delete the comment")
        if line.text("kind") == "comment":
            key = stripped(comment).partition(":")[0]
            yield line.finding(
                f"the image knows no comments in FLINK_PROPERTIES: this line sets a key {shown(key)}",
                of="comment", key=key, help="put comments outside the text", severity=Severity.INFO, fix=fix,
            )  # fmt: skip
        else:
            made = stripped(f"{line.value('value')}{comment}")
            yield line.finding(
                f"the image knows no comments in FLINK_PROPERTIES: {line.name} becomes {shown(made)}",
                of="comment", key=line.name, help="put the comment outside the text", fix=fix,
            )  # fmt: skip


_COMPOSE = """services:
  jobmanager:
    image: flink:{}
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        rest.port: 8081
        {}
        parallelism.default: 2
"""

CASES = [
    bad(
        _COMPOSE.format("1.20.1", "taskmanager.memory.process.size: 1600m  # all of it"),
        file="docker-compose.yml", at="taskmanager.memory.process.size", severity=Severity.ERROR, says="1600m#allofit",
        fixed=_COMPOSE.format("1.20.1", "taskmanager.memory.process.size: 1600m"),
    ),
    bad(
        _COMPOSE.format("2.2.0", "# the state\n        state.backend.type: rocksdb"),
        file="docker-compose.yml", at="# the state", severity=Severity.INFO,
        fixed=_COMPOSE.format("2.2.0", "state.backend.type: rocksdb"),
    ),
    good(_COMPOSE.format("1.18.1", "taskmanager.memory.process.size: 1600m  # all of it"), file="docker-compose.yml"),
    good(_COMPOSE.format("1.20.1", "state.checkpoints.dir: s3://bucket/a#b"), file="docker-compose.yml"),
    good(
        _COMPOSE.format("1.20.1", "state.backend.type: rocksdb").replace("    environment:", "    environment:  # all"),
        file="docker-compose.yml",
    ),
]  # fmt: skip
