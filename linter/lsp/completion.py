"""Completion of options and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.output.option_facts import spell_default
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.lsp.cursor import Spot

_PLACEHOLDER = r"<[^<>]*>"


class Offer(NamedTuple):
    """One suggestion in the editor's completion list."""

    label: str
    text: str
    """The text to insert in place of the typed text."""
    kind: str
    """The kind of the suggestion: ``option``, ``mapping``, ``value`` or ``default``."""
    key: str
    """The key of the suggested option; empty for a mapping."""
    detail: str = ""
    is_deprecated: bool = False


def offers(spot: Spot, index: int, written: Iterable[str]) -> list[Offer]:
    """Return the completions at `spot` for the release at `index`, given the keys `written` in the file."""
    if spot.is_value:
        return list(_values(spot.key, index))
    names = {key for key in written if key != spot.key}
    found = {offer.label: offer for offer in _keys(spot, index, names)}
    return list(found.values())


@cache
def _options(index: int) -> tuple[Option, ...]:
    return tuple(catalogue().keys(index))


def _keys(spot: Spot, index: int, written: set[str]) -> Iterator[Offer]:
    whole = spot.parents + spot.typed
    segments: dict[str, int] = {}
    for option in _options(index):
        for key in _instances(option, whole, written):
            if not key.startswith(spot.parents) or key in written:
                continue
            rest = key[len(spot.parents) :]
            detail = f"{option.type}, default {spell_default(option)}"
            yield Offer(rest, rest + spot.separator, "option", option.key, detail, option.deprecated)
            if "." in rest and "<" not in rest:
                segment = rest.partition(".")[0]
                segments[segment] = segments.get(segment, 0) + 1
    if spot.may_nest:
        for segment, count in segments.items():
            if count > 1:
                yield Offer(segment, f"{segment}:" if spot.separator else segment, "mapping", "", f"{count} options")


def _instances(option: Option, whole: str, written: Iterable[str]) -> Iterator[str]:
    """Yield the keys of an option; for a family, those of the names already typed or written, and the template."""
    if not option.templated:
        yield option.key
        return
    names = {name for key in (whole, *written) if (name := _name_in(option.key, key)) is not None}
    for name in sorted(names):
        yield re.sub(_PLACEHOLDER, lambda _, name=name: name, option.key, count=1)  # type: ignore[misc]
    if not names:
        yield option.key


def _name_in(template: str, key: str) -> str | None:
    """Return the name that a key, or the beginning of one, has in place of a template's placeholder."""
    before = template[: template.index("<")]
    if not key.startswith(before):
        return None
    name, dot, _ = key[len(before) :].partition(".")
    return name if name and dot else None


def _values(key: str, index: int) -> Iterator[Offer]:
    accepted = catalogue().accept(key, index)
    if accepted is None or accepted.how == "map":
        return
    option = accepted.option
    default = spell_default(option) if option.default is not None else None
    if option.type == "Boolean":
        values: tuple[str, ...] = ("true", "false")
    else:
        values = option.enum
    for value in values:
        yield Offer(value, value, "value", option.key, "the default" if value == default else "")
    if not values and default is not None and "${" not in default and isinstance(option.default, (str, int, float)):
        text = str(option.default)
        yield Offer(text, text, "default", option.key, "the default")
