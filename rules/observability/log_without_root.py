"""A logging file of a process has loggers of its own and no root logger.

## What it does
Looks at files for log4j 2 by the names that Flink's processes read (`log4j-console.properties`, `log4j.properties`) in
`logConfiguration` of a custom resource, in a ConfigMap or in a file of a configuration directory, and reports one that
configures loggers, and not the root.

## Why it matters
Such a file is the whole configuration, not an addition to the one that Flink ships. Without a root log4j takes one at
the level `ERROR` (`No Root logger was configured, creating default ERROR-level Root logger with Console appender`): the
log has what the listed loggers say, and of Flink itself neither its start, nor its configuration, nor checkpoints and
restarts. That is noticed when they are looked for.

## What to do
Begin with the file that Flink ships, and add the loggers to it: `rootLogger.level = INFO`, `rootLogger.appenderRef…`
and the appenders.

## Not when
The text is appended to a file of the operator's chart (`defaultConfiguration.append`), a template makes a part of it,
or it is for tests or for the command-line client.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/#configuring-log4j-2>
- <https://logging.apache.org/log4j/2.x/manual/configuration.html#configure-root-logger>
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/metrics-logging/#logging>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.observability._logging import logs

_FILES = ("log4j-console.properties", "log4j.properties")


@rule(
    code="FLK261",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:logging"],
    flink=">=1.11",
    since="0.1",
)
def log_without_root(config: View) -> Iterator[Finding]:
    """a logging file of a process has loggers and no root logger"""
    for log in logs(config):
        file = log.file or config.document.file_name
        if log.dialect != "log4j2" or file not in _FILES or not log.is_whole or not log.loggers:
            continue
        if log.root is not None or is_templated(config.document.text):
            continue
        names = ", ".join(logger.name for logger in log.loggers[:2])
        yield log.loggers[0].finding(
            f"{file} configures {names} and no root logger: log4j then takes the level ERROR for all else, and"
            " Flink's own log is gone",
            key=file,
            help="begin with the file that Flink ships, which has rootLogger.level = INFO and its appenders",
        )


_LOGGERS = "logger.orders.name = com.example.orders\nlogger.orders.level = DEBUG\n"
_ROOT = "rootLogger.level = INFO\nrootLogger.appenderRef.c.ref = C\nappender.c.name = C\nappender.c.type = Console\n"
_APPENDER = "appender.c.name = C\nappender.c.type = Console\n"
_MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: flink-config}
data:
  flink-conf.yaml: |
    jobmanager.rpc.address: jm
  log4j-console.properties: |
"""


def _in_map(text: str) -> str:
    return _MAP + "".join(f"    {line}\n" for line in text.splitlines())


def _in_resource(text: str, file: str = "log4j-console.properties") -> str:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return deployment(spec=f"logConfiguration:\n  {file}: |\n{lines}")


def cases() -> list[Case]:
    return [
        bad(_in_resource(_LOGGERS), file="orders.yaml", at="orders", says="configures com.example.orders and no root"),
        bad(_in_map(_LOGGERS), file="flink.yaml", says="the level ERROR"),
        bad(_in_resource(_LOGGERS, "log4j.properties"), file="orders.yaml", says="log4j.properties configures"),
        bad(_APPENDER + _LOGGERS, file="log4j-console.properties", flink="1.20", at="orders"),
        good(_in_resource(_LOGGERS, "log4j-operator.properties"), file="orders.yaml"),
        good(_in_resource(_ROOT + _LOGGERS), file="orders.yaml"),
        good(_in_map(_ROOT + _LOGGERS), file="flink.yaml"),
        good(_in_map("rootLogger = INFO, C\n" + _LOGGERS), file="flink.yaml"),
        good(_in_map(_LOGGERS).replace("    logger.orders.level", "    {{ .Values.log }}\n    logger.orders.level"),
             file="templates/flink.yaml"),
        good(
            "image: {repository: apache/flink-kubernetes-operator}\ndefaultConfiguration:\n  append: true\n"
            "  log4j-console.properties: |\n    logger.orders.name = com.example\n    logger.orders.level = DEBUG\n",
            file="values.yaml",
        ),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses("log4j", _APPENDER + _LOGGERS, "ERROR to [DefaultConsole]", good=_ROOT + _LOGGERS, releases=">=1.11")
    ]
