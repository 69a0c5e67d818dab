"""A comment in FLINK_PROPERTIES is no comment to the image.

## What it does
Reports the comments in the text of `FLINK_PROPERTIES`, where the image is Flink's 1.19 or later: an error behind
values, advice on lines of their own; once each for a text.

## Why it matters
Since 1.19 the entrypoint makes a setting of every line, without a look at `#`. `taskmanager.numberOfTaskSlots: 4  # per
machine` sets the option to `4#permachine`, and the process fails or takes something else. A line `# old: value` sets a
key `#old`, which stays in the configuration and its log; two such lines whose keys begin alike may cost all settings
(`flink-properties-key-prefix`). Up to 1.18 Flink's own reader dropped comments.

## What to do
Put comments outside the text: above the variable, where YAML has them. The fix moves all of them there.

## Not when
The image of 1.19 or 1.20 has a `flink-conf.yaml` in its configuration, copied, mounted, or written by its Dockerfile:
the entrypoint then writes the lines to this file, whose reader drops comments. The same goes for a folder of the
configuration whose contents are unknown.

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `process_flink_properties`
- <https://github.com/apache/flink/blob/release-1.20/flink-dist/src/main/flink-bin/bin/config-parser-utils.sh>: the
  file that it writes
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/#further-customization>:
  what FLINK_PROPERTIES is for
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.docker_image import stripped
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit, Span
from flink_flint.rules.settings._keys import shown
from flink_flint.rules.settings._properties import WHEN, are_nested, without

_BLOCK = regex(r"[|>][-+0-9]*[ \t]*(?:#.*)?$")
"""The head of a block of text in YAML."""


@rule(code="FLK029", severity=Severity.ERROR, confidence=Confidence.HIGH, when=WHEN, flink=">=1.19", since="0.1")
def flink_properties_comment(config: View) -> Iterator[Finding]:
    """a comment in FLINK_PROPERTIES is no comment to the image"""
    lines = [line for line in config.elements("property-line") if line.text("comment") is not None]
    if not lines or not are_nested(config):
        return
    alone = [line for line in lines if line.text("kind") == "comment"]
    behind = [line for line in lines if line.text("kind") != "comment"]
    if alone:
        key = stripped(alone[0].text("comment") or "").partition(":")[0]
        yield _finding(config, alone, f"this line sets a key {shown(key)}", key, Severity.INFO)
    if behind:
        made = stripped(f"{behind[0].value('value')}{behind[0].value('comment')}")
        yield _finding(config, behind, f"{behind[0].name} becomes {shown(made)}", behind[0].name, None)


def _finding(config: View, lines: list[ElementView], what: str, key: str, severity: Severity | None) -> Finding:
    """One finding, on the first comment, that names the others and takes them all out."""
    others = f", and {len(lines) - 1} more like it here" if len(lines) > 1 else ""
    return lines[0].finding(
        f"the image knows no comments in FLINK_PROPERTIES: {what}{others}",
        of="comment",
        key=key,
        help="put comments outside the text",
        severity=severity,
        fix=_moved_out(config, lines),
        related=[line.place("comment", "a comment too") for line in lines[1:9]],
        evidence={"comments": len(lines)},
    )


def _moved_out(config: View, lines: list[ElementView]) -> Fix | None:
    """The comments put above the variable; None where they do not stand in a block of text below its name."""
    document = config.document
    text, places = document.text, document.lines
    first = places.span(places.position(lines[0].span("comment").start).line)
    depth = _depth(text[first.start : first.end])
    number = places.position(first.start).line
    while number > 0 and _depth(head := text[slice(*places.span(number))]) >= depth:
        number -= 1
    if number < 1 or not _BLOCK.search(head):
        return None
    margin = head[: _depth(head)]
    if head[_depth(head) :].startswith("- "):
        return None  # an item of a list begins on that line
    at = places.span(number).start
    line_end = text[places.span(number).end : places.full_span(number).end]
    moved = "".join(f"{margin}{text[slice(*line.span('comment'))].strip()}{line_end}" for line in lines)
    fixes = [without(config, line, line.span("comment"), "") for line in lines]
    edits = [edit for fix in fixes if fix is not None for edit in fix.operations]
    if len(edits) < len(lines):
        return None
    title = f"move the comment{'s' if len(lines) > 1 else ''} above the variable"
    return Fix(title, [Edit(Span(at, at), moved), *edits], True)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" ")) if line.strip() else len(line) + 1_000


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

_WITH_FLAT_FILE = """services:
  jobmanager:
    image: flink:{}
    command: jobmanager
    volumes:
      - ./flink-conf.yaml:/opt/flink/conf/flink-conf.yaml
    environment:
      FLINK_PROPERTIES: |
        rest.port: 8081
        taskmanager.memory.process.size: 1600m  # all
"""

_LONG = "s3://bucket/checkpoints/of/all/the/shops/and/their/orders"
"""With three more characters as long as a message shows a value."""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE.format("1.20.1", "taskmanager.memory.process.size: 1600m  # all of it"),
            file="docker-compose.yml",
            at="taskmanager.memory.process.size",
            severity=Severity.ERROR,
            says="1600m#allofit",
            fixed="services:\n"
            "  jobmanager:\n"
            "    image: flink:1.20.1\n"
            "    command: jobmanager\n"
            "    environment:\n"
            "      # all of it\n"
            "      FLINK_PROPERTIES: |\n"
            "        rest.port: 8081\n"
            "        taskmanager.memory.process.size: 1600m\n"
            "        parallelism.default: 2\n",
        ),
        bad(
            _COMPOSE.format("2.2.0", "# the state\n        state.backend.type: rocksdb"),
            file="docker-compose.yml",
            at="# the state",
            severity=Severity.INFO,
            fixed="services:\n"
            "  jobmanager:\n"
            "    image: flink:2.2.0\n"
            "    command: jobmanager\n"
            "    environment:\n"
            "      # the state\n"
            "      FLINK_PROPERTIES: |\n"
            "        rest.port: 8081\n"
            "        state.backend.type: rocksdb\n"
            "        parallelism.default: 2\n",
        ),
        good(
            _COMPOSE.format("1.18.1", "taskmanager.memory.process.size: 1600m  # all of it"), file="docker-compose.yml"
        ),
        good(_COMPOSE.format("1.20.1", "state.checkpoints.dir: s3://bucket/a#b"), file="docker-compose.yml"),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.20.1\n"
            "    command: jobmanager\n"
            "    environment:  # all\n"
            "      FLINK_PROPERTIES: |\n"
            "        rest.port: 8081\n"
            "        state.backend.type: rocksdb\n"
            "        parallelism.default: 2\n",
            file="docker-compose.yml",
        ),
        bad(_COMPOSE.format("1.20.1", "# a: b"), file="docker-compose.yml", at="#a", says="sets a key #a"),
        bad(
            _COMPOSE.format("1.20.1", f"state.checkpoints.dir: {_LONG} # s3"),
            file="docker-compose.yml",
            says=f"becomes {_LONG}#s3",
        ),
        bad(
            _COMPOSE.format("1.20.1", f"state.checkpoints.dir: {_LONG} # s3a"),
            file="docker-compose.yml",
            says=f"becomes {_LONG}#s…",
        ),
        good(_WITH_FLAT_FILE.format("1.20.1"), file="docker-compose.yml"),
        bad(_WITH_FLAT_FILE.format("2.0.0"), file="docker-compose.yml", says="1600m#all"),
        good('FROM flink:1.20.1\nENV FLINK_PROPERTIES="a: b # c"\nCOPY flink-conf.yaml conf/\n', file="Dockerfile"),
        bad('FROM flink:1.20.1\nENV FLINK_PROPERTIES="a: b # c"\nCOPY config.yaml conf/\n', file="Dockerfile"),
        *cases_in_folders(__file__),
    ]
