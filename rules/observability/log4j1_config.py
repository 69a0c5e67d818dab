"""A configuration of log4j 1 for a release that logs with log4j 2.

## What it does
Reports a file in the syntax of log4j 1 (`log4j.rootLogger=`, `<log4j:configuration>`) where the release is 1.11 or
newer.

## Why it matters
From 1.11 on Flink ships log4j 2. Up to 2.2 it takes such a file without a word and finds no logger in it: errors alone
reach the console and no log file is written. The log4j of 2.3 refuses the file: `ConfigurationException: No type
attribute provided for component log4j`. The log in the web interface stays empty, and after a failure there is nothing
to read.

## What to do
Start from the file of the same name in the release's `conf` folder and bring appenders and levels over.

## Not when
The release is not known, or is older than 1.11. A file among a project's sources (`src/...`) is not the cluster's.
Whoever has put the jars of log4j 1 in Flink's `lib` folder in place of those of log4j 2 can ignore this.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.11/release-notes/flink-1.11.html>: log4j 2 by default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/>: how to go back to log4j 1
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observability._logging import all_logs, is_for_tests, is_source


@rule(
    code="FLK930",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:logging"],
    flink=">=1.11",
    every_release=True,
    since="0.1",
)
def log4j1_config(config: View) -> Iterator[Finding]:
    """a configuration of log4j 1 for a release that logs with log4j 2"""
    if is_for_tests(config) or is_source(config):
        return
    for log in all_logs(config):
        if log.dialect == "log4j1":
            yield (log.root or log.whole).finding(
                "this is the syntax of log4j 1, of which log4j 2 (in Flink from 1.11 on) understands nothing: only"
                " errors are logged, to the console, and no log file is written",
                help=f"start from {log.file or 'the file of the same name'} of the release and write rootLogger.level,"
                " appender.<name>.type, ...",
                key="log4j.rootLogger",
            )


_ONE = (
    "log4j.rootLogger=INFO, file\nlog4j.appender.file=org.apache.log4j.FileAppender\n"
    "log4j.appender.file.file=${log.file}\n"
)


def cases() -> list[Case]:
    return [
        bad(_ONE, file="log4j.properties", flink="1.20", at="log4j.rootLogger", severity=Severity.ERROR),
        bad(_ONE, file="log4j-console.properties", flink="1.11", severity=Severity.ERROR),
        good(_ONE, file="log4j.properties", flink="1.10"),
        good(_ONE, file="log4j.properties"),
        good(
            "rootLogger.level = INFO\nappender.file.fileName = ${sys:log.file}\n", file="log4j.properties", flink="1.20"
        ),
        good(_ONE, file="log4j-test.properties", flink="1.20"),
        bad(
            "log4j.appender.file=org.apache.log4j.FileAppender\nlog4j.appender.file.file=${log.file}\n",
            file="log4j.properties",
            flink="1.20",
        ),
        bad(
            "log4j.appender.file=org.apache.log4j.FileAppender\n" + _ONE,
            file="log4j.properties",
            flink="1.20",
            at="log4j.rootLogger",
        ),
        good(_ONE, file="src/main/resources/log4j.properties", flink="1.20"),
    ]


_NEW = (
    "rootLogger.level = INFO\nrootLogger.appenderRef.out.ref = out\n"
    "appender.out.name = out\nappender.out.type = CONSOLE\n"
)


def claims() -> list[Claim]:
    return [
        flink_uses("log4j", _ONE, "ERROR to [DefaultConsole]", good=_NEW, releases=">=1.11,<2.3"),
        flink_fails("log4j", _ONE, good=_NEW, releases=">=2.3"),
    ]
