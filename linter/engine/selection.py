"""Rule selection: which rules are selected, and which selected rules a document triggers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from flink_flint.linter.engine.registry import PEDANTIC, Declaration, comparisons, registry
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.model.observations import Observations

_OBSERVED = "observed:"


@cache
def select_codes(
    select: tuple[str, ...], extend: tuple[str, ...], ignore: tuple[str, ...], own: frozenset[str]
) -> frozenset[str]:
    """Return the identities of the selected rules; raise ValueError for a selector that matches no rule.

    The identity of a rule of flint is its code. An empty `select` means all but the pedantic rules, which
    families and prefixes do not include either. Of users' rules, only the `own` rules of a file are included.
    """
    codes = set().union(*(_chosen(selector) for selector in select)) if select else codes_of("ALL") - codes_of(PEDANTIC)
    codes.update(*(_chosen(selector) for selector in extend))
    codes.difference_update(*(codes_of(selector) for selector in ignore), registry().own.keys() - own)
    return frozenset(codes)


def _chosen(selector: str) -> set[str]:
    """Return the codes that a selector enables."""
    codes = codes_of(selector)
    if selector.upper() == "ALL" or selector.lower() == PEDANTIC or registry().find(selector) is not None:
        return codes
    return codes - codes_of(PEDANTIC)


def codes_of(selector: str) -> set[str]:
    """Return the identities of the rules that a selector matches; raise ValueError if there are none."""
    codes = registry().selected(selector)
    if selector.lower() == PEDANTIC:
        return codes
    if codes:
        return codes
    import difflib

    words = [*registry().by_name, *registry().by_code, *registry().families]
    near = difflib.get_close_matches(selector, words, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "; `flint rules` lists them"
    raise ValueError(f"no rule has the code, name or family {selector!r}{hint}")


@cache
def called_by_a_history() -> frozenset[str]:
    """Return the identities of the rules that only a metrics history can trigger."""
    return frozenset(
        declaration.identity
        for declaration in registry().declarations
        if not declaration.reads and declaration.when and all(word.startswith(_OBSERVED) for word in declaration.when)
    )


@cache
def called_by_a_change() -> frozenset[str]:
    """Return the identities of the rules that compare a document with its earlier revision."""
    return frozenset(declaration.identity for declaration in registry().declarations if declaration.scope == "change")


def changed_for(old: Document, new: Document, codes: frozenset[str]) -> Iterator[Declaration]:
    """Yield the rules in `codes` (which compare revisions) that the old or the new document triggers."""
    if not codes:
        return
    called = {*_occasions(old), *_occasions(new)}
    called.update(call for document in (old, new) for key in document.effective for call in _calls(key))
    for code in sorted(codes):
        declaration = registry().by_identity[code]
        if declaration.always or not called.isdisjoint((*declaration.reads, *declaration.when)):
            yield declaration


def project_triggers(document: Document) -> Sequence[str]:
    """Return the keys and other features of a document that concern flint's rules of scope "project"."""
    if document.project_triggers is None:
        found = set(_occasions(document))
        for key, entry in document.effective.items():
            calls = _calls(key)
            found.update(calls if not entry.layer else (call for call in calls if call != "irregular-key"))
        triggers = _project_triggers()
        document.project_triggers = sorted(
            one for one in found if one in triggers.words or one.startswith(triggers.prefixes)
        )
    return document.project_triggers


@cache
def project_rules(codes: frozenset[str]) -> Sequence[Declaration]:
    """Return the rules of scope "project" in `codes`, ordered by code."""
    found = map(registry().by_identity.__getitem__, sorted(codes))
    return tuple(declaration for declaration in found if declaration.scope == "project")


def project_rules_called(document: Document, codes: frozenset[str], platform: str | None = None) -> frozenset[str]:
    """Return the identities of the rules of scope "project" that a document triggers (see `called_for`)."""
    if registry().own:
        called = called_for(document, codes, platform=platform)
        return frozenset(declaration.identity for declaration, _ in called if declaration.scope == "project")
    return _project_rules_called((*project_triggers(document), f"platform:{platform}"), codes, document.whole)


@cache
def _project_rules_called(found: tuple[str, ...], codes: frozenset[str], is_whole: bool) -> frozenset[str]:
    triggers = set(found)
    return frozenset(
        declaration.identity
        for declaration in registry().declarations
        if declaration.scope == "project"
        and declaration.identity in codes
        and ((declaration.always and is_whole) or _has_one_of(triggers, (*declaration.reads, *declaration.when)))
        and (not declaration.only or not triggers.isdisjoint(declaration.only))
    )


def _has_one_of(triggers: set[str], words: Iterable[str]) -> bool:
    return any(
        any(trigger.startswith(word) for trigger in triggers) if word.endswith(".") else word in triggers
        for word in words
    )


class _Triggers(NamedTuple):
    words: frozenset[str]
    prefixes: tuple[str, ...]


@cache
def _project_triggers() -> _Triggers:
    """Return the triggers of all of flint's rules of scope "project", and those by which they compare documents."""
    declared = [one for one in registry().declarations if one.scope == "project"]
    words = {trigger for one in declared for trigger in (*one.reads, *one.when, *one.only)}
    for compares in comparisons().values():
        for one in compares or ():
            if not isinstance(one, str):
                words.update(*one)
    return _Triggers(frozenset(words), tuple(sorted(word for word in words if word.endswith("."))))


def called_for(
    document: Document,
    codes: frozenset[str],
    observations: Observations | None = None,
    platform: str | None = None,
) -> Iterator[tuple[Declaration, Collection[str]]]:
    """Yield the rules that a document triggers, ordered by code, each with the written keys that trigger it."""
    readers = _readers(codes)
    asking: dict[str, Collection[str]] = dict.fromkeys(readers.always if document.whole else (), ())
    asking.update(_callers(document, codes))
    occasions = {*_occasions(document), f"platform:{platform}"}
    for occasion in occasions:
        for declaration in readers.by_occasion.get(occasion, ()):
            asking.setdefault(declaration.identity, ())
    if observations is not None:
        for occasion in readers.observed:
            if observations.meets(occasion.removeprefix(_OBSERVED)):
                for declaration in readers.by_occasion[occasion]:
                    asking.setdefault(declaration.identity, ())
    by_identity = registry().by_identity
    for code in sorted(asking):
        declaration = by_identity[code]
        if not declaration.only or not occasions.isdisjoint(declaration.only):
            yield declaration, asking[code]


def _callers(document: Document, codes: frozenset[str]) -> dict[str, list[str]]:
    """Return the written keys of a document by the codes of the rules they trigger."""
    callers: dict[str, list[str]] = {}
    for key, entry in document.effective.items():
        for code in called_by(key, codes, implied=bool(entry.layer)):
            callers.setdefault(code, []).append(key)
    return callers


def _occasions(document: Document) -> Iterator[str]:
    """Yield the properties of a file that can trigger rules (see `linter.model.rule.rule`)."""
    yield document.syntax
    for element in document.elements:
        yield f"element:{element.kind}"
        if element.kind == "kubernetes-object":
            yield f"element:kubernetes-object/{element.name}"
        elif element.kind == "container":
            yield f"element:container/{document.kind}"
            if element.has("volumes") or element.has("copies"):
                yield "element:container/files"
    if document.skipped:
        yield "skipped-line"
    if document.refusals:
        yield "refusal"
    if len(document.effective) < len(document.entries):
        yield "overridden-entry"


@cache
def called_by(key: str, codes: frozenset[str], *, implied: bool = False) -> tuple[str, ...]:
    """Return the identities of the rules that a key in a file triggers, by its option, template, prefix or type.

    The name of an `implied` key is not in the file, so rules about names do not apply.
    """
    readers = _readers(codes)
    found: dict[str, None] = dict.fromkeys(readers.each_key)
    for call in _calls(key):
        if implied and call == "irregular-key":
            continue
        for declaration in readers.by_occasion.get(call, ()):
            found[declaration.identity] = None
        for prefix, declarations in readers.prefixes:
            if call.startswith(prefix):
                found.update(dict.fromkeys(declaration.identity for declaration in declarations))
    return tuple(found)


@cache
def _calls(key: str) -> tuple[str, ...]:
    """Yield the names that can trigger rules for a key: as written, its option, its template, its types."""
    from flink_flint.linter.flink.options import catalogue

    options = catalogue()
    calls = {key: None, **dict.fromkeys(options.current_names(key))}
    is_plain = True
    for index in range(len(MINORS)):
        accepted = options.accept(key, index)
        if accepted is None or accepted.how in ("deprecated", "fallback") or accepted.option.deprecated:
            is_plain = False
        if accepted is not None:
            calls[accepted.option.key] = None
            calls[f"type:{accepted.option.type}"] = None
    if not is_plain:
        calls["irregular-key"] = None
    return tuple(calls)


class _Readers(NamedTuple):
    """The selected rules by what triggers them."""

    by_occasion: dict[str, list[Declaration]]
    """Declarations by the key, type or occasion that triggers them."""
    prefixes: list[tuple[str, list[Declaration]]]
    always: list[str]
    """Codes of the rules that every document triggers."""
    each_key: list[str]
    """Codes of the rules that every key triggers."""
    observed: list[str]
    """Names in `by_occasion` that a history provides."""


@cache
def _readers(codes: frozenset[str]) -> _Readers:
    by_occasion: dict[str, list[Declaration]] = {}
    by_prefix: dict[str, list[Declaration]] = {}
    always: list[str] = []
    each_key: list[str] = []
    for declaration in registry().declarations:
        if declaration.identity not in codes or declaration.scope not in ("document", "key", "project"):
            continue
        if declaration.always:
            (each_key if declaration.scope == "key" else always).append(declaration.identity)
        for occasion in (*declaration.reads, *declaration.when):
            (by_prefix if occasion.endswith(".") else by_occasion).setdefault(occasion, []).append(declaration)
    observed = [occasion for occasion in by_occasion if occasion.startswith(_OBSERVED)]
    return _Readers(by_occasion, list(by_prefix.items()), always, each_key, observed)
