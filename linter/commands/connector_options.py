"""`flint options --connector NAME`: the options of a table connector, format, catalog or pipeline connector."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from flink_flint.linter.commands.errors import EXIT_ERROR, PrintMessage
from flink_flint.linter.flink.releases import MINORS, nearest_index, parse_release
from flink_flint.linter.flink.tables.connectors import SECTIONS, Factory, TableOption, connectors
from flink_flint.linter.output.option_facts import is_listed, spell_default
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, Style, count, terminal_width, uses_color

_WORDS = {
    "connectors": "table connector",
    "formats": "format",
    "catalogs": "catalog",
    "modules": "module",
    "pipelines": "pipeline connector of Flink CDC",
}


def list_connector_options(
    name: str, pattern: str, flink_version: str | None, output_format: str, print_message: PrintMessage
) -> int:
    """Print the options of everything that is called `name` and match a pattern, and return the exit status."""
    known = connectors()
    found = [one for section in SECTIONS if (one := known.factory(section, name)) is not None]
    if not found:
        near = get_close_matches(name.lower(), known.names(), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known.names('connectors'))}"
        print_message(f"no connector, format or catalog is called {name!r}; {hint}")
        return EXIT_ERROR
    index = None if flink_version is None else nearest_index(parse_release(flink_version))
    described = [(one, _places(one, index)) for one in found]
    if output_format == "json":
        print(json.dumps({
            "version": 1,
            "flink_version": None if index is None else MINORS[index],
            "connectors": [_object(one, places, pattern) for one, places in described],
        }, indent=1, ensure_ascii=False))  # fmt: skip
        return 0
    for number, (one, places) in enumerate(described):
        if number:
            print()
        for line in _lines(one, places, pattern):
            print(line)
    return 0


def _places(factory: Factory, index: int | None) -> list[int]:
    own = factory.own_places
    if index is None:
        return own
    return [place for place in factory.line.fitting(index) if place in own] or own


def _chosen(factory: Factory, places: Sequence[int], pattern: str) -> list[TableOption]:
    return [one for one in factory.options(places) if is_listed(one.key, pattern)]


def _object(factory: Factory, places: Sequence[int], pattern: str) -> dict[str, Any]:
    releases = factory.line.releases
    return {
        "name": factory.name,
        "kind": factory.section.removesuffix("s"),
        "used_as": sorted(factory.kinds),
        "artifacts": list(factory.line.artifacts),
        "releases": [releases[place].version for place in places],
        "takes_any": factory.is_open(places),
        "prefixes": list(factory.prefixes(places)),
        "options": [
            {
                "key": option.key,
                "type": option.type or None,
                "default": option.default,
                "enum": list(option.values) or None,
                "required": option.required,
                "aliases": list(option.aliases),
                "releases": [releases[place].version for place in factory.places(option.key) if place in places],
            }
            for option in _chosen(factory, places, pattern)
        ],
    }


def _lines(factory: Factory, places: Sequence[int], pattern: str) -> Iterator[str]:
    style, width = Style(uses_color()), terminal_width()
    releases, options = factory.line.releases, _chosen(factory, places, pattern)
    if options:
        longest = min(max(len(option.key) for option in options), max(30, width - 36))
        for option in options:
            have = [place for place in factory.places(option.key) if place in places]
            notes = ["required" if option.required else spell_default(option)]
            if len(have) < len(places):
                first, last = releases[have[0]].version, releases[have[-1]].version
                until = have[-1] < places[-1]
                since = have[0] > places[0]
                notes.append(
                    f"{first} to {last}" if since and until else f"since {first}" if since else f"up to {last}"
                )
            kind = style.paint(FRAME, f"{option.type or 'varies':<12}")
            yield f"{option.key:<{longest}}  {kind}  {'  '.join(filter(None, notes))}"
            if option.values:
                yield style.paint(DIM, f"{'':<{longest}}  {', '.join(option.values)}")
    prefixes = [prefix for prefix in factory.prefixes(places) if "{" not in prefix]
    for prefix in prefixes:
        yield f"{prefix}*"
    if factory.is_open(places):
        yield style.paint(DIM, "other keys are not refused")
    spelled = f"{releases[places[0]].version} to {releases[places[-1]].version}"
    yield style.paint(
        DIM,
        f"{count(len(options), 'option')} of the {_WORDS[factory.section]} {style.paint(BOLD, factory.name)} {spelled}",
    )
