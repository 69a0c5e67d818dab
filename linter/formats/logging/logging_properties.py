"""Logging properties files: log4j 2 (``rootLogger.level``) and log4j 1 (``log4j.rootLogger``)."""

from __future__ import annotations

import re

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.formats.logging.logging_evidence import evidence_of_logging
from flink_flint.linter.formats.logging.logging_format import LoggingFormat
from flink_flint.linter.formats.syntax.property_entries import Property, read_properties
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.model.limits import leave_out
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_LOG4J1 = regex(r"log4j\.(rootLogger|rootCategory|logger|category|appender|additivity)(?:\.(.+))?", re.DOTALL)
_REFERENCE = regex(r"\$\{([^${}:]+)\}")
_CONTINUATION = regex(r"\\(?=[\r\n])")
_WORD = regex(r"[^,\s]+")
_MAX_LINES = 20_000
_MAX_DEPTH = 8
_MAX_VALUE_LENGTH = 1_000
"""Maximum length of a value in which references are resolved."""

_LOGGING_LINE = regex(
    r"^[ \t]*(?:log4j\.(?:root(?:Logger|Category)|logger|appender)\b|rootLogger\b|appender\.\w|logger\.\w)",
    re.MULTILINE,
)
_FLINKS_NAMES = regex(r"log4j-(?:console|session|yarn-session|cli)\b.*")


def elements_of(text: str, file: str = "") -> list[Element]:
    """Return the elements in log4j properties: one ``logging`` element for the whole text, loggers, and appenders.

    Positions are those in the text. `file` is the file name of the text, if known. A text with neither loggers nor
    appenders has no elements.
    """
    reader = _Reader(text)
    found = reader.elements()
    return [reader.whole(file), *found] if found else []


class _Reader:
    """Reads the loggers and appenders of a log4j properties text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._one: list[Property] = []
        self._two: list[Property] = []
        self._variables: dict[str, str] = {}
        for number, entry in enumerate(read_properties(text)):
            if number >= _MAX_LINES:
                leave_out(f"the first {_MAX_LINES:,} lines of logging properties are read")
                break
            (self._one if entry.key.startswith("log4j.") else self._two).append(entry)
            if entry.key.startswith("property.") and len(entry.value) <= _MAX_VALUE_LENGTH:
                self._variables[entry.key.removeprefix("property.")] = entry.value
        has_two = any(entry.key.startswith(("rootLogger", "logger.", "appender.")) for entry in self._two)
        self.dialect = "log4j2" if has_two or not self._one else "log4j1"

    def elements(self) -> list[Element]:
        """Return the loggers, then the appenders, each in file order."""
        return self._of_log4j1() if self.dialect == "log4j1" else self._of_log4j2()

    def whole(self, file: str) -> Element:
        """Return the ``logging`` element, which describes the configuration as a whole."""
        entries = self._one if self.dialect == "log4j1" else self._two
        attributes = {}
        for entry in entries:
            if entry.key in ("monitorInterval", "status", "log4j.debug", "log4j.rootLogger", "log4j.rootCategory"):
                attributes[entry.key] = self._attribute(entry)
        place = entries[0].key_span
        if file:
            attributes["file"] = Attribute(file, place)
        return Element("logging", self.dialect, place, attributes)

    def _of_log4j1(self) -> list[Element]:
        loggers: dict[str, Element] = {}
        appenders: dict[str, Element] = {}
        additivity: list[tuple[str, Attribute]] = []
        for entry in self._one:
            match = _LOG4J1.fullmatch(entry.key)
            if match is None:
                continue
            what, name = match[1], match[2] or ""
            if what.startswith("root") and not name:
                loggers["root"] = Element("logger", "root", entry.key_span, self._level_and_appenders(entry))
            elif what in ("logger", "category") and name:
                loggers[name] = Element("logger", name, entry.key_span, self._level_and_appenders(entry))
            elif what == "additivity" and name:
                additivity.append((name, self._attribute(entry)))
            elif what == "appender" and name:
                of, _, rest = name.partition(".")
                element = appenders.setdefault(of, Element("appender", of, entry.key_span, {}))
                _put(element, rest or "type", self._attribute(entry))
        for name, attribute in additivity:
            if name in loggers:
                _put(loggers[name], "additivity", attribute)
        return [*loggers.values(), *appenders.values()]

    def _of_log4j2(self) -> list[Element]:
        groups: dict[str, list[tuple[str, Property]]] = {}
        for entry in self._two:
            what, _, rest = entry.key.partition(".")
            if what == "rootLogger":
                groups.setdefault("rootLogger", []).append((rest, entry))
            elif what in ("logger", "appender") and rest:
                name, _, rest = rest.partition(".")
                groups.setdefault(f"{what}.{name}", []).append((rest, entry))
        loggers, appenders = [], []
        for group, entries in groups.items():
            if group.startswith("appender."):
                appenders.append(self._appender(group.removeprefix("appender."), entries))
            else:
                loggers.append(self._logger(group, entries))
        return [*loggers, *appenders]

    def _logger(self, group: str, entries: list[tuple[str, Property]]) -> Element:
        attributes: dict[str, Attribute] = {}
        names: list[Attribute] = []
        name, place = ("root", None) if group == "rootLogger" else (group.removeprefix("logger."), None)
        for rest, entry in entries:
            if not rest:  # the short form: a level followed by appenders
                attributes.update(self._level_and_appenders(entry))
            elif rest == "name" and group != "rootLogger":
                known = self._attribute(entry)
                name, place = (known.value if isinstance(known.value, str) else entry.value), entry.value_span
            elif rest.startswith("appenderRef.") and rest.endswith(".ref"):
                names.append(self._attribute(entry))
            elif rest != "appenderRefs":
                attributes[rest] = self._attribute(entry)
        attributes.update((f"appenders[{number}]", attribute) for number, attribute in enumerate(names))
        return Element("logger", name, place or entries[0][1].key_span, attributes)

    def _appender(self, name: str, entries: list[tuple[str, Property]]) -> Element:
        element = Element("appender", name, entries[0][1].key_span, {})
        for rest, entry in entries:
            if not rest:
                continue
            attribute = self._attribute(entry)
            if rest == "name" and isinstance(attribute.value, str):
                element.name, element.span = attribute.value, entry.value_span
            else:
                _put(element, rest, attribute)
        return element

    def _attribute(self, entry: Property) -> Attribute:
        return Attribute(self._known(entry.value), entry.value_span, entry.key_span, entry.raw(self._text))

    def _known(self, value: str) -> str | None:
        """Return a value with references to properties of the file resolved, or None if it contains any other."""
        for _ in range(_MAX_DEPTH):
            if len(value) > _MAX_VALUE_LENGTH or (filled := _REFERENCE.sub(self._fill, value)) == value:
                break
            value = filled
        return None if is_templated(value) else value

    def _fill(self, reference: re.Match[str]) -> str:
        return self._variables.get(reference[1], reference[0])

    def _level_and_appenders(self, entry: Property) -> dict[str, Attribute]:
        """Return the attributes for a value of the form ``LEVEL, appender, appender``."""
        raw, start = _CONTINUATION.sub(" ", entry.raw(self._text)), entry.value_span.start
        attributes: dict[str, Attribute] = {}
        place = 0
        for number, part in enumerate(re.finditer(r"[^,]*", raw)):
            word = _WORD.search(part[0])
            if word is None:
                continue
            at = start + part.start() + word.start()
            attribute = Attribute(self._known(word[0]), Span(at, at + len(word[0])), entry.key_span, word[0])
            if number == 0:
                attributes["level"] = attribute
            else:
                attributes[f"appenders[{place}]"] = attribute
                place += 1
        return attributes


def _put(element: Element, name: str, attribute: Attribute) -> None:
    assert isinstance(element.attributes, dict)
    element.attributes[name] = attribute


class LoggingProperties(LoggingFormat):
    """log4j properties files that are related to Flink."""

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a log4j properties file has one of Flink's names, or mentions Flink's loggers or log file."""
        return self.weigh(name, head).is_sufficient

    def weigh(self, path: str, head: str) -> Evidence:
        """Return the evidence that a log4j properties file is Flink's, from its name, its loggers, and its log file."""
        if _LOGGING_LINE.search(head) is None:
            return NOTHING
        return evidence_of_logging(path, head, _FLINKS_NAMES)

    def elements(self, text: str, file: str) -> list[Element]:
        """Return the elements in `text`: one ``logging`` element for the whole text, loggers, and appenders."""
        return elements_of(text, file)


FILE_FORMAT = LoggingProperties()
