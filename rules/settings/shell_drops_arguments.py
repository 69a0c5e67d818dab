"""Words behind the script of `sh -c` are not part of it, so Flink's program starts without them.

The container ends at once with `Usage: jobmanager.sh ((start|start-foreground) [args])|stop|stop-all`, or Flink runs
without its `-D` options.

## What it does
Reports containers whose command line is `sh -c SCRIPT WORD ...` (or `bash`), where the script is a program of Flink
and does not read its parameters (`$1`, `$@`).

## Why it matters
The option `-c` takes one word as the script. What follows are the script's `$0`, `$1` and so on, which nobody reads:
`bash -c jobmanager.sh start-foreground` runs `jobmanager.sh` alone, which prints how it is used and ends. Two lists
that look like one command line do that, such as `command: [bash, -c]` above `args: [jobmanager.sh,
start-foreground]`, and so does a folded text in Compose: `command: >` is split at its blanks, and appended to
`entrypoint: [bash, -c]`.

## What to do
Delete `bash -c`, or write the script as one word: `args: ["jobmanager.sh start-foreground"]`; in Compose, as the only
item of a list.

## Not when
The script reads its parameters, or a template gives the script.

## Sources
- <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/sh.html>: what follows the command string of `-c`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.settings._words import shown

_SHELLS = ("bash", "sh", "dash", "ash")
_RUNS_FLINK = regex(
    r"(?:^|[\s/;&|])(?:(?:jobmanager|taskmanager|standalone-job|sql-gateway|sql-client|historyserver|start-cluster"
    r"|kubernetes-session|yarn-session|docker-entrypoint)\.sh|bin/flink|flink)(?=\s|$|\")"
)
_READS_PARAMETERS = regex(r"\$[@*0-9#]|\$\{[@*0-9#]|\bshift\b|\{\{")
_NO_ARGUMENT = ("", "_", "-", "--")
"""What scripts are given as their own name, `$0`."""


@rule(code="FLK087", severity=Severity.ERROR, confidence=Confidence.HIGH, when=["element:container"], since="0.1")
def shell_drops_arguments(config: View) -> Iterator[Finding]:
    """words behind the script of `sh -c` are not part of it, and Flink lacks them"""
    for container in config.elements("container"):
        words = container.element.listed("args")
        at = _script(words)
        if at is None:
            continue
        script, dropped = str(words[at].value), [str(one.value) for one in words[at + 1 :]]
        if not dropped or not _RUNS_FLINK.search(script) or _READS_PARAMETERS.search(script):
            continue
        if len(dropped) == 1 and (dropped[0] in _NO_ARGUMENT or dropped[0].rpartition("/")[2] in _SHELLS):
            continue
        shell = str(words[0].value).rpartition("/")[2]
        runs, lost = (shown(" ".join(text.split())) for text in (script, " ".join(dropped)))
        yield container.finding(
            f"{shell} -c runs '{runs}' alone: '{lost}' is not part of the script, and nothing reads it",
            of=f"args[{at + 1}]",
            key="args",
            help=f"delete {shell} -c, or write the whole command as one word behind it",
        )


def _script(words: Sequence[Attribute]) -> int | None:
    """Return the place of the script that a shell is given by `-c` at the start of a command line; None if none is."""
    if not words or str(words[0].value).rpartition("/")[2] not in _SHELLS:
        return None
    is_script = False
    for at, word in enumerate(words[1:], 1):
        text = str(word.value)
        if not text.startswith("-"):
            return at if is_script else None
        is_script = is_script or (not text.startswith("--") and "c" in text)
    return None


_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-jobmanager}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.20
          command: %s
          args: %s
"""
_COMPOSE = """services:
  sql-gateway:
    image: flink:2.0
    entrypoint: ["/bin/bash", "-c"]
    command: %s
"""


def cases() -> list[Case]:
    bash, start = '["/bin/bash", "-c"]', '["/opt/flink/bin/jobmanager.sh", "start-foreground"]'
    folded = (
        ">\n      /opt/flink/bin/sql-gateway.sh start-foreground\n      -Dsql-gateway.endpoint.rest.address=gateway"
    )
    return [
        bad(
            _POD % (bash, start), file="flink.yaml", at='"start-foreground"', severity=Severity.ERROR,
            says="bash -c runs '/opt/flink/bin/jobmanager.sh' alone: 'start-foreground' is not",
        ),
        bad(_COMPOSE % folded, file="docker-compose.yml", says="'start-foreground -Dsql-gateway.endpoi...'"),
        bad(_POD % ("[sh, -exc]", '["jobmanager.sh start-foreground", "-Drest.port=8082"]'), file="flink.yaml"),
        bad(_POD % ("[bash, -c, flink, run, -d, job.jar]", "[]"), file="flink.yaml", says="bash -c runs 'flink' alone"),
        good(_POD % (bash, '["/opt/flink/bin/jobmanager.sh start-foreground"]'), file="flink.yaml"),
        good(_COMPOSE % f"[{folded[1:].replace('>', '')!r}]".replace("\\n", " "), file="docker-compose.yml"),
        good(_POD % (bash, '["jobmanager.sh start-foreground", "bash"]'), file="flink.yaml"),
        good(_POD % (bash, '["exec /docker-entrypoint.sh \\"$@\\"", "--", "jobmanager"]'), file="flink.yaml"),
        good(_POD % (bash, '["sleep", "100"]'), file="flink.yaml"),
        good(_POD % ("[bash, jobmanager.sh, start-foreground]", "[]"), file="flink.yaml"),
        good(_POD % ("[jobmanager.sh]", "[start-foreground]"), file="flink.yaml"),
        good(_POD % (bash, '["{{ .Values.script }}", "jobmanager"]'), file="templates/flink.yaml"),
    ]  # fmt: skip
