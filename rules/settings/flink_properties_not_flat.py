"""A line of FLINK_PROPERTIES is not `key: value`.

## What it does
Reports, in the text of `FLINK_PROPERTIES`, nested YAML, `key=value`, `-Dkey=value`, items of a list, and lines without
a colon, where the image is Flink's 1.19 or later or nobody knows which it is.

## Why it matters
Since 1.19 the entrypoint makes a setting of every line: the key is what stands before the first colon. Of

    taskmanager:
      memory.process.size: 2g

come the keys `taskmanager`, which is empty, and `memory.process.size`, which nobody reads. As the shipped `config.yaml`
has keys that begin with `taskmanager.`, the program that joins the two gives up, and none of the settings counts.
`rest.port=8081` sets the port to `8081=`. In older images Flink's reader drops such lines, or reads wrong keys.

## What to do
One flat `key: value` a line. The fix writes `key: value` for `key=value`.

## Not when
The release is 1.18 or older: then `nested-yaml-in-flink-conf`, `yaml-list-in-flink-conf` and
`missing-space-after-colon` speak, as of the file that the lines are appended to.

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `process_flink_properties`
- <https://github.com/apache/flink/blob/release-1.20/flink-core/src/main/java/org/apache/flink/configuration/YamlParserUtils.java>:
  `convertAndDumpYamlFromFlatMap` nests the keys anew
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.spans import Edit, Span
from flink_flint.rules.settings._keys import shown
from flink_flint.rules.settings._properties import COMPOSE, WHEN


@rule(code="FLK031", severity=Severity.ERROR, confidence=Confidence.HIGH, when=WHEN, since="0.1")
def flink_properties_not_flat(config: View) -> Iterator[Finding]:
    """a line of FLINK_PROPERTIES is not `key: value`"""
    if config.document.is_flink_conf:
        return
    for line in config.elements("property-line"):
        kind = line.text("kind")
        if kind in ("setting", "comment"):
            continue
        key, value = line.name, line.text("value") or ""
        if kind == "nested" and not value:
            message = f"FLINK_PROPERTIES cannot be nested: this line sets the key {key}, to nothing"
        elif kind == "nested":
            message = f"FLINK_PROPERTIES cannot be nested: this line sets the key {key}, which is not the whole key"
        elif kind == "equals":
            message = f"FLINK_PROPERTIES wants key: value; {key}={shown(value)} sets {key} to {shown(value + '=')}"
        elif kind == "list-item":
            message = f"FLINK_PROPERTIES cannot hold lists: this line sets a key {shown('-' + value.strip('- '))}"
        else:
            message = f"FLINK_PROPERTIES wants key: value; of {shown(value)} the image makes a key without a value"
        yield line.finding(
            message,
            of="key" if kind == "nested" else None,
            key=key or value,
            help="write one flat `key: value` a line",
            fix=_colon(config, line),
        )


def _colon(config: View, line: ElementView) -> Fix | None:
    between = Span(line.span("key").end, line.span("value").start)
    if config.document.text[slice(*between)].strip() != "=":
        return None
    return Fix(f"write {line.name}: {line.value('value')}", [Edit(between, ": ")], True)


def cases() -> list[Case]:
    return [
        bad(
            COMPOSE.format("1.20.1", "parallelism.default=4"),
            file="docker-compose.yml",
            at="parallelism.default",
            severity=Severity.ERROR,
            says="to 4=",
            fixed=COMPOSE.format("1.20.1", "parallelism.default: 4"),
        ),
        bad(
            COMPOSE.format("2.0.0", "taskmanager:\n          memory.process.size: 2g"),
            file="docker-compose.yml",
            times=2,
            says="nested",
            fixed=COMPOSE.format("2.0.0", "taskmanager:\n          memory.process.size: 2g"),
        ),
        bad(COMPOSE.format("1.19.1", "-Dparallelism.default=4"), file="compose.yml", at="-Dparallelism.default=4"),
        bad(COMPOSE.format("latest", "io.tmp.dirs: /a\n        - /b"), file="docker-compose.yml", says="lists"),
        good(COMPOSE.format("1.20.1", "env.java.opts.all: -Da=b"), file="docker-compose.yml"),
        good(COMPOSE.format("1.20.1", "metrics.reporter.x.filter.variables: a=b,c:d"), file="docker-compose.yml"),
        good(
            COMPOSE.format("1.20.1", "  parallelism.default: 4\n          rest.address: jm"), file="docker-compose.yml"
        ),
        good("taskmanager:\n  memory.process.size: 2g\n", flink="1.20"),
        bad(COMPOSE.format("1.20.1", "parallelism.default=4"), file="docker-compose.yml", at="parallelism.default=4"),
        good(COMPOSE.format("1.20.1", "# a comment"), file="docker-compose.yml"),
        good(COMPOSE.format("1.18.1", "parallelism.default=4"), file="docker-compose.yml"),
        bad(COMPOSE.format("1.20.1", "parallelism.default=${PARALLELISM}"), file="docker-compose.yml"),
    ]
