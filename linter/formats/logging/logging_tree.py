"""Logging configuration as a tree: logback and log4j 1 in XML, and log4j 2 in XML, YAML, or JSON."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.logging.logging_evidence import evidence_of_logging
from flink_flint.linter.formats.logging.logging_format import LoggingFormat
from flink_flint.linter.formats.syntax.xml_tree import Tag, read_xml
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.text.lazy_regex import regex

_ROOT_OF_XML = regex(r"(?:log4j:)?configuration", re.IGNORECASE)
_ROOT_OF_TREE = regex(r"^[ \t{]*+[\"']?configuration[\"']?[ \t]*+:", re.IGNORECASE | re.MULTILINE)
_COMMENT = regex(r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)")
_TAG = regex(r"<([A-Za-z][\w:.-]*+)")
_LOGGING = regex(r"appender|logger|<root", re.IGNORECASE)
_FLINKS_NAMES = regex(r"logback-(?:console|session)\b.*")
_TREES = regex(r"log4j2?[\w-]*\.(?:ya?ml|jso?n)(?:\.\w+)?")
_REFERENCE = regex(r"\$\{([^${}:]+)\}")
_MAX_DEPTH = 40
_MAX_NODES = 20_000
_MAX_VALUE_LENGTH = 1_000
_CONDITIONS = {"if", "springprofile", "sift"}


def elements_of(text: str, file: str = "") -> list[Element]:
    """Return the elements in XML, YAML, or JSON: one ``logging`` element for the whole text, loggers, and appenders.

    Positions are those in the text. `file` is the file name of the text, if known. A text that starts like XML is read
    as XML, any other as YAML. A text with neither loggers nor appenders has no elements.
    """
    root = read_xml(text) if text.lstrip("\ufeff \t\r\n").startswith("<") else _tree(text)
    if root is None:
        return []
    dialect = _dialect(root)
    found = _Reader(root, dialect).elements()
    if not found:
        return []
    attributes = {name: attribute for name, attribute in root.attributes.items() if not name.startswith("xmlns")}
    if file:
        attributes["file"] = Attribute(file, root.span)
    return [Element("logging", dialect, root.span, attributes), *found]


def _dialect(root: Tag) -> str:
    """Return which library reads the tree, judging by the tag's prefix or by groups that only log4j 2 has."""
    if root.name.lower().startswith("log4j:"):
        return "log4j1"
    groups = {child.name.lower() for child in root.children}
    return "log4j2" if groups & {"appenders", "loggers"} else "logback"


def _tree(text: str) -> Tag | None:
    """Return the ``configuration`` tree of a YAML or JSON text."""
    for tree in read_trees(text):
        if tree.root is not None and tree.root.is_mapping:
            for key, span, value in tree.root.pairs():
                if key.lower() == "configuration" and value.is_mapping:
                    root = Tag(key, span, {})
                    _fill(root, value, 0, [_MAX_NODES])
                    return root
    return None


def _fill(tag: Tag, value: Value, depth: int, left: list[int]) -> None:
    """Add the entries of a mapping to a tag (scalars as attributes, mappings as child tags), up to a limit."""
    for key, span, child in value.pairs():
        for member in child.items() if child.is_sequence else [child]:
            left[0] -= 1
            if left[0] < 0:
                return
            if member.is_scalar:
                tag.attributes[key] = Attribute(member.text, member.span, span, member.raw)
            elif member.is_mapping and depth < _MAX_DEPTH:
                inner = Tag(key, span, {})
                tag.children.append(inner)
                _fill(inner, member, depth + 1, left)


class _Reader:
    """Reads the loggers and appenders of a tree for one of the logging libraries."""

    def __init__(self, root: Tag, dialect: str) -> None:
        self._root, self._dialect = root, dialect
        self._variables: dict[str, str] = {}
        for tag in root.walk():
            name, value = tag.text("name"), tag.text("value")
            if tag.name.lower() in ("property", "variable") and name:
                value = value or (tag.content.value if tag.content else None)  # type: ignore[assignment]
                if isinstance(value, str) and len(value) <= _MAX_VALUE_LENGTH:
                    self._variables[name] = value

    def elements(self) -> list[Element]:
        """Return the loggers, then the appenders, each in file order."""
        loggers, appenders = [], []
        if self._dialect == "log4j2":
            for group in self._root.children:
                name = group.name.lower()
                if name == "appenders":
                    appenders += [self._appender(tag) for tag in group.children]
                elif name == "loggers":
                    loggers += [self._logger(tag) for tag in group.children]
        else:
            for tag in self._certain():
                name = tag.name.lower()
                if name == "appender":
                    appenders.append(self._appender(tag))
                elif name in ("root", "logger", "category"):
                    loggers.append(self._logger(tag))
        return [*loggers, *appenders]

    def _certain(self) -> Iterator[Tag]:
        """Return the children of the root that do not depend on a condition."""
        return (tag for tag in self._root.children if tag.name.lower() not in _CONDITIONS)

    def _logger(self, tag: Tag) -> Element:
        kind = tag.name.lower()
        named = tag.attribute("name") if kind not in ("root", "asyncroot") else None
        attributes = {name: self._known(attribute) for name, attribute in tag.attributes.items() if name != "name"}
        count = 0
        for child in tag.children:
            inner = child.name.lower()
            if inner in ("level", "priority") and (level := child.attribute("value")) is not None:
                attributes["level"] = self._known(level)
            elif inner in ("appender-ref", "appenderref") and (ref := child.attribute("ref")) is not None:
                attributes[f"appenders[{count}]"] = self._known(ref)
                count += 1
        name = "root" if named is None else str(named.value)
        return Element("logger", name, tag.span if named is None else named.span, attributes)

    def _appender(self, tag: Tag) -> Element:
        named = tag.attribute("name")
        attributes: dict[str, Attribute] = {}
        if self._dialect == "log4j2" and "type" not in tag.attributes:
            attributes["type"] = Attribute(tag.name, tag.span, None, tag.name)
        self._gather(tag, "", attributes, 0)
        attributes.pop("name", None)
        if "class" in attributes:
            attributes["type"] = attributes.pop("class")
        name = tag.name if named is None else str(named.value)
        return Element("appender", name, tag.span if named is None else named.span, attributes)

    def _gather(self, tag: Tag, prefix: str, attributes: dict[str, Attribute], depth: int) -> None:
        """Add the attributes of a tag and its children, by dotted path, and the `type` of log4j 2 components."""
        for name, attribute in tag.attributes.items():
            attributes[prefix + name] = self._known(attribute)
        if depth > _MAX_DEPTH:
            return
        counts = dict.fromkeys(tag.attributes, 1)
        for child in tag.children:
            named, given = child.text("name"), child.attribute("value")
            if child.name.lower() in ("param", "property") and named and given is not None:
                attributes[prefix + named] = self._known(given)
                continue
            count = counts[child.name] = counts.get(child.name, 0) + 1
            path = prefix + child.name + (f"[{count}]" if count > 1 else "")
            if child.content is not None and not child.attributes:
                attributes[path] = self._known(child.content)
                continue
            if self._dialect == "log4j2" and "type" not in child.attributes:
                attributes[f"{path}.type"] = Attribute(child.name, child.span, None, child.name)
            self._gather(child, f"{path}.", attributes, depth + 1)

    def _known(self, attribute: Attribute) -> Attribute:
        """Return an attribute with references to properties of the file resolved; unknown if it contains any other."""
        if not isinstance(attribute.value, str):
            return attribute
        value = attribute.value
        for _ in range(8):
            if len(value) > _MAX_VALUE_LENGTH or (filled := _REFERENCE.sub(self._variable, value)) == value:
                break
            value = filled
        return attribute._replace(value=None if is_templated(value) else value)

    def _variable(self, reference: re.Match[str]) -> str:
        return self._variables.get(reference[1], reference[0])


def _is_configuration(head: str) -> bool:
    """Return whether the root of a text is a configuration, and not a POM with one inside, for example."""
    is_xml = head.lstrip("\ufeff \t\r\n").startswith("<")
    if not is_xml and _ROOT_OF_TREE.search(head) is not None:
        return True
    first = _TAG.search(_COMMENT.sub("", head))
    return first is not None and _ROOT_OF_XML.fullmatch(first[1]) is not None


class LoggingTree(Grammatical, LoggingFormat):
    """Logging configuration files in XML, YAML, or JSON that are related to Flink."""

    comments = ("<!--", "#")
    grammar = "xml"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a logging configuration has one of Flink's file names or mentions Flink or its log file."""
        return self.weigh(name, head).is_sufficient

    def weigh(self, path: str, head: str) -> Evidence:
        """Return the evidence that a logging configuration is Flink's, from its name, its loggers, and its log file."""
        name = os.path.basename(path)
        is_tree = ".xml" in name or _TREES.fullmatch(name) is not None
        if not is_tree or not _is_configuration(head) or _LOGGING.search(head) is None:
            return NOTHING
        return evidence_of_logging(path, head, _FLINKS_NAMES)

    def elements(self, text: str, file: str) -> list[Element]:
        """Return the elements in `text`: one ``logging`` element for the whole text, loggers, and appenders."""
        return elements_of(text, file)


FILE_FORMAT = LoggingTree()
