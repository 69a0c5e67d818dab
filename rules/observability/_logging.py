"""Logging configurations of log4j 1, log4j 2 and logback."""

from __future__ import annotations

import re

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_CLIENTS = regex(r"(?:log4j|logback)[\w.]*-(?:cli|session|yarn-session)\b.*")
_OPERATORS = regex(r"(?:log4j2?|logback)-operator\.\w+")
_TESTS = regex(r"(?:^|[/\\])(?:tests?|it)[/\\]|[-_.]tests?\.(?:properties|xml)", re.IGNORECASE)
_SOURCES = regex(r"(?:^|[/\\])src[/\\]")
_RESOURCES = regex(r"(?:^|[/\\])src[/\\](?:main|test)[/\\]resources[/\\]")
_RANKS = {"ALL": 0, "TRACE": 1, "DEBUG": 2, "INFO": 3, "WARN": 4, "WARNING": 4, "ERROR": 5, "FATAL": 6, "OFF": 7}

DEBUGGING = ("DEBUG", "TRACE", "ALL")


class Log(NamedTuple):
    """A logging configuration: the whole file's element, its loggers and its appenders."""

    whole: ElementView
    loggers: list[ElementView]
    appenders: list[ElementView]

    @property
    def dialect(self) -> str:
        """The library that reads the configuration: log4j1, log4j2 or logback."""
        return self.whole.name

    @property
    def file(self) -> str:
        """The name of the configuration's file; empty if it is unknown."""
        return self.whole.text("file") or ""

    @property
    def is_of_a_client(self) -> bool:
        """Whether the configuration is for the command-line client or a session's starter, which are short-lived."""
        return _CLIENTS.fullmatch(self.file) is not None

    @property
    def is_of_the_operator(self) -> bool:
        """Whether the configuration is for the log of Apache's operator itself, not for that of a job."""
        return _OPERATORS.fullmatch(self.file) is not None

    @property
    def is_whole(self) -> bool:
        """Whether all loggers are known; False if the text is appended to a file of the operator's chart."""
        return not self.whole.flag("appended")

    @property
    def root(self) -> ElementView | None:
        """The root logger; None if there is none."""
        return next((logger for logger in self.loggers if logger.name in ("root", "ROOT", "")), None)

    def of(self, logger: ElementView) -> list[ElementView]:
        """Return the appenders that a logger refers to."""
        names = {str(attribute.value) for name, attribute in logger.element.attributes.items() if _is_reference(name)}
        return [appender for appender in self.appenders if appender.name in names]


def logs(config: View) -> list[Log]:
    """Return the logging configurations of a document that something reads.

    From Flink 1.11 on, log4j 2 finds nothing in a file of log4j 1. Flink's images log with log4j, and read nothing of
    logback's file where a document has the files of both, as Flink's distribution does. In a JAR log4j 2 looks for
    files whose names begin with log4j2.
    """
    found = all_logs(config)
    has_both = len({log.dialect == "logback" for log in found}) > 1
    return [
        log
        for log in found
        if not (log.dialect == "log4j1" and not is_source(config) and config.since("1.11"))
        and not (log.dialect == "logback" and has_both)
        and not (log.dialect == "log4j2" and log.file == "log4j.properties" and _is_in_jar(config))
    ]


def all_logs(config: View) -> list[Log]:
    """Return the logging configurations of a document, including those that the release understands nothing of."""
    found: list[Log] = []
    for part in config.elements("logging", "logger", "appender"):
        if part.kind == "logging":
            found.append(Log(part, [], []))
        elif found:
            (found[-1].loggers if part.kind == "logger" else found[-1].appenders).append(part)
    return found


def _is_reference(name: str) -> bool:
    return name.startswith("appenders[")


def is_for_tests(config: View) -> bool:
    """Return whether a file belongs to the tests of a project."""
    return _TESTS.search(config.document.path) is not None


def is_source(config: View) -> bool:
    """Return whether a file is among a project's sources, where it may be for other processes than the cluster's."""
    return _SOURCES.search(config.document.path) is not None


def _is_in_jar(config: View) -> bool:
    """Return whether a file is among the resources of a JAR."""
    return _RESOURCES.search(config.document.path) is not None


def level(logger: ElementView) -> str:
    """Return the level of a logger in upper case; empty if it is unknown."""
    return (logger.text("level") or "").strip().upper()


def passes(appender: ElementView, word: str) -> bool:
    """Return whether an appender may accept messages of a level: no known threshold is above it."""
    for name, attribute in appender.element.attributes.items():
        last = name.rpartition(".")[2].lower()
        is_threshold = last == "threshold" or (last == "level" and "." in name)
        if is_threshold and isinstance(attribute.value, str):
            rank = _RANKS.get(attribute.value.strip().upper())
            if rank is not None and rank > _RANKS[word]:
                return False
    return True


def sort_of(appender: ElementView) -> str:
    """Return the type of an appender as one word: console, file, rollingfile, dailyrollingfile, ..."""
    name = (appender.text("type") or "").rpartition(".")[2].lower().removesuffix("appender")
    return name.replace("randomaccess", "")


def file_of(appender: ElementView) -> str | None:
    """Return the name of the attribute with an appender's file; None if it has none."""
    return next((name for name in appender.element.attributes if name.lower() in ("filename", "file")), None)


def raw(appender: ElementView, name: str) -> str:
    """Return the value of an appender's attribute as written, without quotes."""
    return appender.element.attributes[name].raw.strip("\"'")


def part_of(appender: ElementView, kind: str) -> str | None:
    """Return the path (``policies.size``) of the component of a type inside an appender; None without one."""
    for name, attribute in appender.element.attributes.items():
        path, _, last = name.rpartition(".")
        if last not in ("type", "class") or not path or not isinstance(attribute.value, str):
            continue
        if attribute.value.rpartition(".")[2].lower() == kind:
            return path
    return None
