"""The release has no such command-line option, and takes it for an argument.

`flink run` ends with `FileNotFoundException: JAR file does not exist: -yn`, or a YARN session starts with default
memory although the command line says otherwise.

## What it does
Reports options of `flink run`, `yarn-session.sh` and `sql-client.sh` that the release no longer has, where the release
is known, and the action `flink run-application` from 2.0 on:

| option | last release |
|---|---|
| `-yn`, `-yst` of `flink run`; `-n`, `-st` of `yarn-session.sh` | 1.9 |
| `-q` of `flink run` | 1.11 |
| `-d` (`--defaults`) of `sql-client.sh` | 1.13 |
| `-yd` of `flink run`, `-u` (`--update`) of `sql-client.sh`, `flink run-application` | 1.20 |

## Why it matters
Flink's commands stop reading options at the first word that they do not know. `flink run` takes that word for the JAR
of the program and fails. The other scripts ignore it with all options that follow, also those that they do know: a
session after `-n 2 -jm 4096 -tm 8192` has neither four nor eight gigabytes.

## What to do
Delete the option: `flink run -m yarn-cluster -yn 2 -yjm 1024 job.jar` becomes
`flink run -m yarn-cluster -yjm 1024 job.jar`. Since 1.10 the number of TaskManagers follows from the parallelism and
the slots. Write `-d` for `-yd`, and `flink run -t yarn-application` for `flink run-application -t yarn-application`.

## Not when
The release is not known: then the option or action shows an older one.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.10/release-notes/flink-1.10.html>: `-yn` and `-yst` are gone
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: what 2.0 removed
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.command_options import LAST_RUN_APPLICATION, removed_options
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.finding import RELEASES
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK967",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:command"],
    flink=">=1.10",
    since="0.1",
)
def command_option_gone(config: View) -> Iterator[Finding]:
    """the release has no such command-line option, and takes it for an argument"""
    for command in config.elements("command"):
        action = command.text("action") or ""
        for name, removed in removed_options(command.name, action).items():
            option = f"options.{name}"
            if command.has(option) and config.since(MINORS[removed.last + 1]):
                span = command.span(option, at="key")
                written = command.document.text[slice(*span)].partition("=")[0]
                yield command.finding(
                    f"{RELEASES} has no option {written} and {_effect(command, written)}",
                    of=option,
                    at="key",
                    help=removed.instead,
                )
        if action == "run-application" and config.since(MINORS[LAST_RUN_APPLICATION + 1]):
            yield command.finding(
                f"{RELEASES} has no action run-application, so nothing is submitted",
                of="action",
                help="write run; -t yarn-application or kubernetes-application says the rest",
            )


def _effect(command: ElementView, written: str) -> str:
    if command.name == "flink":
        return "takes it for the program's JAR, so nothing is submitted"
    if written == "-st":
        return "reads it as -s t, so the session does not start"
    return "ignores it together with all options after it"


def cases() -> list[Case]:
    return [
        bad(
            "flink run -m yarn-cluster -yn 2 -yjm 1024 job.jar\n",
            file="run.sh",
            flink="1.10",
            severity=Severity.ERROR,
            says="takes it for the program's JAR",
        ),
        bad("flink run -yst job.jar\n", file="run.sh", flink="1.17", says="-yst"),
        bad("flink run --yarncontainer=2 job.jar\n", file="run.sh", flink="1.17", says="no option --yarncontainer and"),
        bad("flink run -q job.jar\n", file="run.sh", flink="1.12"),
        bad("flink run -m yarn-cluster -yd job.jar\n", file="run.sh", flink="2.0", says="-yd"),
        bad("yarn-session.sh -n 2 -jm 1600 -tm 4096\n", file="run.sh", flink="1.20", says="all options after it"),
        bad("yarn-session.sh -jm 1600 -tm 4096 -st\n", file="run.sh", flink="1.20", says="-s t"),
        bad("/opt/flink/bin/sql-client.sh embedded -d defaults.yaml\n", file="run.sh", flink="1.14", says="-d"),
        bad('/opt/flink/bin/sql-client.sh -u "INSERT INTO a SELECT * FROM b"\n', file="run.sh", flink="2.0"),
        bad("flink run-application -t yarn-application job.jar\n", file="run.sh", flink="2.0", says="no action"),
        good("flink run-application -t yarn-application job.jar\n", file="run.sh", flink="1.20"),
        good("flink run-application -t yarn-application job.jar\n", file="run.sh", title="shows one before 2.0"),
        good(
            "curl -O https://archive.apache.org/dist/flink/flink-1.17.1/flink-1.17.1-bin-scala_2.12.tgz\n"
            "flink run -yd job.jar\n",
            file="run.sh",
            title="downloads an older release",
        ),
        bad(
            "curl -O https://archive.apache.org/dist/flink/flink-2.0.0/flink-2.0.0-bin-scala_2.12.tgz\n"
            "flink run-application -t yarn-application job.jar\n",
            file="run.sh",
            severity=Severity.ERROR,
        ),
        good("flink run -yd -yqu etl job.jar\n", file="run.sh", flink="1.20"),
        good("flink run -q job.jar\n", file="run.sh", flink="1.11"),
        good("flink run -p 2 job.jar -yn 2 -q\n", file="run.sh", flink="1.20", title="of the program"),
        good("flink run -n -s s3://b/sp job.jar\n", file="run.sh", flink="1.20", title="-n of flink run is another"),
        good("flink run -yn 2 job.jar\n", file="run.sh", title="shows an older release"),
        good("/opt/flink/bin/sql-client.sh -i init.sql -f job.sql\n", file="run.sh", flink="2.0"),
        good("flink cancel -q 1234\n", file="run.sh", flink="1.20"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses("flink command", "flink run -q job.jar\n", good="flink run job.jar\n", releases=">=2.3"),
        flink_refuses(
            "flink command",
            "flink run-application -t yarn-application job.jar\n",
            good="flink run job.jar\n",
            releases=">=2.3",
        ),
    ]
