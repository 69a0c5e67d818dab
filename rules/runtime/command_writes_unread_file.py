"""The command of a container writes options to a flink-conf.yaml that its image does not have.

## What it does
Reports containers with Flink 2 whose command appends or writes to `flink-conf.yaml` by a script of its own, and those
with Flink's own image of 1.19 or 1.20.

## Why it matters
From 2.0 on Flink reads `config.yaml` and nothing else. The commands succeed and write a file that nobody opens:
options keep their defaults, `jobmanager.rpc.address` is `localhost`, TaskManagers do not find the JobManager (`Could
not resolve ResourceManager address pekko.tcp://flink@localhost:6123`), and no log line mentions the file.

Flink 1.19 and 1.20 still read the file, and their image has `config.yaml` alone. `sed -i` finds nothing to edit. What
is appended makes a new file, which they read in the place of `config.yaml`: its memory sizes are gone, and the
process ends with `Either required fine-grained memory ..., or Total Flink Memory size ... need to be configured
explicitly`.

## What to do
Give the options by `FLINK_PROPERTIES`, or as `-D` options, or write `config.yaml`.

## Not when
The release is not known to be 1.19 or newer, or the command writes `config.yaml` too. For 1.19 and 1.20 also: a
volume or the build of the image may bring the file, or the command looks whether it is there.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: the file is gone
- <https://issues.apache.org/jira/browse/FLINK-33677>
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/>: which file is read
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.docker_image import HOME
from flink_flint.linter.flink.deployment.image_names import is_official
from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_WRITES = regex(
    r">>?[ \t]*[\"']?[^\s\"'<>|;&]*flink-conf\.yaml|\bsed[ \t]+-i[^\r\n;&|]*flink-conf\.yaml"
    r"|\btee\b[^\r\n;&|]*flink-conf\.yaml"
)

_MAY_SUIT = regex(
    r"\bif\b|\btest\b|\[[ \t]|\|\||\bcp\b|\bmv\b|/etc/|\.size\b|\btee[ \t]+[^\s-]"
    r"|(?<!>)>[ \t]*[\"']?[^\s\"'<>|;&]*flink-conf\.yaml"
)
"""What looks whether the file is there, writes all of it, or gives the sizes of memory, too."""


@rule(
    code="FLK974",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    flink=">=1.19",
    since="0.1",
)
def command_writes_unread_file(config: View) -> Iterator[Finding]:
    """a command writes options to a flink-conf.yaml that its image does not have"""
    if not config.target.certain:
        return
    for container in config.elements("container"):
        for number, word in enumerate(container.element.listed("args")):
            text = str(word.value)
            if _WRITES.search(text) is None or "config.yaml" in text:
                continue
            if config.since("2.0"):
                what = f"{config.releases_text} reads only config.yaml: none of them counts, and nothing is logged"
            elif _lacks_file(container) and _MAY_SUIT.search(text) is None:
                what = "the image has none: sed finds no file, and a new one hides the memory sizes in config.yaml"
            else:
                break
            yield container.finding(
                f"{container.name} writes its options to flink-conf.yaml, and {what}",
                of=f"args[{number}]",
                key="flink-conf.yaml",
                help="set them in FLINK_PROPERTIES, or write config.yaml",
                severity=None if config.since("2.0") else Severity.WARNING,
            )
            break


def _lacks_file(container: ElementView) -> bool:
    """Return whether a container runs Flink's own image, and nothing brings a flink-conf.yaml of its own."""
    if container.has("dockerfile") or not is_official(container.text("image") or ""):
        return False
    targets = [volume.text("target") for volume in container.items("volumes")]
    return all(one is not None and "/conf" not in one and one.rstrip("/") != HOME for one in targets)


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
        bad(_COMPOSE.format(image="1.20.1", file="flink-conf.yaml"), file="docker-compose.yaml",
            severity=Severity.WARNING, says="the image has none"),
        good(_COMPOSE.format(image="1.18.1", file="flink-conf.yaml"), file="docker-compose.yaml"),
        good(_COMPOSE.format(image="1.20.1", file="flink-conf.yaml").replace("echo", "[ -f a ] && echo"),
             file="docker-compose.yaml"),
        good(_COMPOSE.format(image="1.20.1", file="flink-conf.yaml").replace(">>", ">"), file="docker-compose.yaml"),
        good(_COMPOSE.format(image="1.20.1", file="flink-conf.yaml") + "    volumes: ['./conf:/opt/flink/conf']\n",
             file="docker-compose.yaml"),
        good(_COMPOSE.format(image="2.1.0", file="config.yaml"), file="docker-compose.yaml"),
        good(_COMPOSE.format(image="latest", file="flink-conf.yaml"), file="docker-compose.yaml"),
    ]  # fmt: skip
