"""Helm commands that install the Flink Kubernetes Operator: the release of its chart, and the operator's image."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.formats.shell.command_words import ScriptWord
from flink_flint.linter.formats.shell.helm_commands import helm_commands, words_after
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

CHART = "flink-kubernetes-operator"
_RELEASE = regex(r"flink-kubernetes-operator-v?(\d+\.\d+(?:\.\d+)?)(?![\w.]*\d)")
_NUMBER = regex(r"v?(\d+\.\d+(?:\.\d+)?)")
_SET = ("--set", "--set-string")
_VERBS = ("install", "upgrade")
_NAMED = ("image.repository", "image.tag")


def operator_installs(text: str) -> Iterator[Element]:
    """Yield an ``operator-install`` element for each command that installs or upgrades the operator's chart."""
    repositories: dict[str, Attribute] = {}
    for words in helm_commands(text) if CHART in text else ():
        if [word.text for word in words[:2]] == ["repo", "add"] and len(words) > 3:
            release = _released(words[3])
            if release is not None:
                repositories[words[2].text] = release
            continue
        given = words_after(_VERBS, words)
        element = _element(given, repositories) if given is not None else None
        if element is not None and any(word.text == "upgrade" for word in words):
            element.attributes = {**element.attributes, "upgrades": Attribute(True, element.span)}
        if element is not None:
            yield element


def _element(words: Sequence[ScriptWord], repositories: Mapping[str, Attribute]) -> Element | None:
    has_address = any(word.text.partition("=")[0] == "--repo" for word in words)
    named = [word for word in words if has_address and word.text == CHART]
    chart = next((word for word in words if _is_chart(word.text)), named[-1] if named else None)
    if chart is None:
        return None
    attributes: dict[str, Attribute] = {}
    release = _released(chart) or repositories.get(chart.text.partition("/")[0])
    for word, value in _options(words):
        name = word.text.partition("=")[0]
        if name == "--version":
            version = _NUMBER.fullmatch(value.text.removeprefix("--version=")) if value.is_known else None
            release = Attribute(version[1] if version is not None else None, value.span)
        elif name == "--repo":
            release = _released(value) or release
        elif name in _SET:
            attributes.update(_settings(value, 0 if value is not word else len(name) + 1))
    if release is not None:
        attributes["release"] = release
    return Element("operator-install", CHART, chart.span, attributes)


def _is_chart(text: str) -> bool:
    return CHART in text and not text.startswith("-") and ("/" in text or text.endswith(".tgz"))


def _options(words: Sequence[ScriptWord]) -> Iterator[tuple[ScriptWord, ScriptWord]]:
    """Yield each option with the word that has its value."""
    for place, word in enumerate(words):
        if word.text.startswith("--"):
            if "=" in word.text.partition(" ")[0]:
                yield word, word
            elif place + 1 < len(words):
                yield word, words[place + 1]


def _released(word: ScriptWord) -> Attribute | None:
    """Return the release that a chart's address or archive names."""
    found = _RELEASE.search(word.text)
    return None if found is None else Attribute(found[1], word.extract.span(Span(*found.span(1))), None, found[1])


def _settings(word: ScriptWord, start: int) -> Iterator[tuple[str, Attribute]]:
    for pair in word.text[start:].split(","):
        name, equals, value = pair.partition("=")
        if name in _NAMED and equals:
            yield name, Attribute(None if "$" in value or "{{" in value else value, word.span, None, value)
