"""Effective settings with the chain of places that set them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.options import Acceptance
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.processes.process import Origin, Value
from flink_flint.linter.text.named_tuple import NamedTuple

NOT_READ = "not read by this release"


class Layer(NamedTuple):
    """The entries of a document that apply to a process, in file order, with the reason why they apply."""

    document: Document
    entries: Sequence[Entry]
    why: str


class Effective(NamedTuple):
    """The settings of a process in one release."""

    configuration: Configuration
    settings: Mapping[str, Value]


def effective(layers: Sequence[Layer], release: Release, *, yaml: bool) -> Effective:
    """Return the effective settings of layers (lowest first) as a release reads them.

    Different spellings of one option are one setting: the spelling that the release reads first decides. An option
    that a program sets by constant or setter overrides all spellings in lower layers, and so does a document that
    prevails.
    """
    layers = sorted(layers, key=lambda layer: layer.document.prevails)
    places: dict[str, list[Origin]] = defaultdict(list)
    raw: dict[str, object] = {}
    removed: set[str] = set()
    for layer in reversed(layers):
        for entry in reversed(layer.entries):
            if entry.key in removed:
                continue
            if entry.removes:
                if entry.key not in places:
                    removed.add(entry.key)
                continue
            places[entry.key].append(origin_of(layer, entry))
            raw.setdefault(entry.key, entry.value)
    configuration = Configuration(raw, release, yaml=yaml, sole=True)
    by_program = _set_by_program(layers)
    groups: dict[str, list[str]] = defaultdict(list)
    notes: dict[str, str] = {}
    for key in places:
        accepted = configuration.catalogue.accept(key, configuration.index)
        if accepted is None and not configuration.catalogue.passes_through(key):
            notes[key] = NOT_READ
        groups[_name_of(key, accepted)].append(key)
    settings: dict[str, Value] = {}
    for name in sorted(groups):
        keys = _ordered(groups[name], configuration, by_program)
        chain = tuple(origin for key in keys for origin in places[key])
        settings[name] = Value(chain[0].text, chain, notes.get(keys[0], ""))
    return Effective(configuration, settings)


def origin_of(layer: Layer, entry: Entry) -> Origin:
    """Return the place of an entry, described by its layer and its field or variable."""
    parts = dict.fromkeys(part for part in (layer.why, layer.document.source_of(entry)) if part)
    return Origin(layer.document, entry.value_span, ", ".join(parts), entry.text, entry.key, entry.key_span)


def _name_of(key: str, accepted: Acceptance | None) -> str:
    """Return the key of the option that a written key sets; its own for the entry of a map or an unknown option."""
    return key if accepted is None or accepted.how in ("template", "map") else accepted.option.key


def _set_by_program(layers: Iterable[Layer]) -> frozenset[str]:
    return frozenset(
        entry.key
        for layer in layers
        for entry in layer.entries
        if layer.document.prevails or (layer.document.kind == "source" and entry.layer)
    )


def _ordered(keys: list[str], configuration: Configuration, by_program: frozenset[str]) -> list[str]:
    """Return the spellings of one option, the one that decides first."""
    if len(keys) == 1:
        return keys
    return sorted(keys, key=lambda key: (key not in by_program, configuration.overridden_by(key) is not None))
