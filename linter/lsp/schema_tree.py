"""The tree of keys as definitions of a schema.

A key may be nested at any of its dots, so there is one definition for every place in the tree, and each lists all that
may follow: `taskmanager` has `memory`, `memory.process` and `memory.process.size`. An option is one definition too,
which all those places refer to.

Where everything belongs to Flink (`taskmanager.`), a key that it does not know is refused; elsewhere plug-ins,
connectors and jobs have keys of their own, which no catalogue can list.
"""

from __future__ import annotations

from flink_flint.linter.flink.key_segments import OWN
from flink_flint.linter.lsp.schema_options import is_old
from flink_flint.linter.lsp.schema_values import ANYTHING, Schema

_NAME = r"[^ \t\n\u000b\f\r.]+"
"""The name of a reporter, as Flink finds it."""
_DOT = r"\."


class _Place:
    """What may follow the beginning of a key: names that are known, and patterns of those that are not."""

    def __init__(self) -> None:
        self.names: dict[str, Schema] = {}
        self._patterns: dict[str, tuple[int, Schema]] = {}

    def add(self, rest: tuple[str, ...], found: Schema, *, is_whole: bool) -> None:
        """What follows: the whole rest of a key, or as much of it as leads to another place."""
        literal = sum(len(segment) for segment in rest if not segment.startswith("<"))
        if any(segment.startswith("<") for segment in rest):
            self.add_pattern(_pattern(rest, is_whole=is_whole), literal, found)
        else:
            self.names[".".join(rest)] = found

    def add_pattern(self, pattern: str, literal: int, found: Schema) -> None:
        """`literal` is how many characters of the pattern stand for themselves."""
        self._patterns[pattern] = (literal, found)

    def schema(self, *, closed: bool, strict: bool) -> Schema:
        """`closed` refuses all other keys, `strict` all but mappings."""
        found: Schema = {"properties": dict(sorted(self.names.items()))} if self.names else {}
        if self._patterns:
            # Of the patterns that match, an editor may ask only the first: that has to be the most specific one.
            ordered = sorted(self._patterns.items(), key=lambda item: (-item[1][0], item[0]))
            found["patternProperties"] = {pattern: content for pattern, (_, content) in ordered}
        found["additionalProperties"] = False if closed else refer("Any")
        kinds = "object" if strict else ["object", *(kind for kind in ANYTHING if kind != "object")]
        # In a branch of its own, as an editor that completes the name of a mapping writes the defaults of all its
        # `properties` out.
        return {"type": kinds, "allOf": [found]}


def tree(leaves: dict[str, Schema], *, nested: bool, is_open: bool) -> dict[str, Schema]:
    """The definitions of all options, and of all places where keys may be nested; that of the root is called ""."""
    places: dict[tuple[str, ...], _Place] = {(): _Place()}
    definitions: dict[str, Schema] = {}
    current = {
        path[:end]
        for key, leaf in leaves.items()
        if not is_old(leaf)
        for path in [_path(key)]
        for end in range(len(path))
    }
    for key, leaf in leaves.items():
        path = _path(key)
        is_rest = path[-1].startswith("<")
        name = "Any" if is_rest else _name(path)
        if not is_rest:
            definitions[name] = leaf
        for start in range(len(path) if nested else 1):
            place = places.setdefault(path[:start], _Place())
            place.add(path[start:], refer(name), is_whole=True)
            for end in range(start + 1, len(path) if nested else 0):
                if ".".join(path[:end]) in leaves:
                    continue  # an option as well, and offered as one
                found = refer(_name(path[:end]))
                if end > start + 1 or path[:end] not in current:
                    found = {"doNotSuggest": True, "allOf": [found]}
                place.add(path[start:end], found, is_whole=False)
    # What does not begin like a key of Flink is a parameter of the job, or of something that Flink loads.
    places[()].add_pattern(f"^(?!(?:{'|'.join(sorted(OWN))})\\.)", -1, refer("Any"))
    for path, place in places.items():
        name = _name(path)
        option = definitions.get(name)
        owned = not path or path[0] in OWN
        # Elsewhere a job may have a parameter of the name; and for the name of something any text may stand.
        strict = option is not None or (owned and not name.endswith("*"))
        found = place.schema(closed=owned and not is_open, strict=strict)
        if option is not None:
            shown: Schema = {word: option.pop(word) for word in ("description", "default") if word in option}
            found = {**shown, "anyOf": [option, found]}
        definitions[name] = found
    return definitions


def _path(key: str) -> tuple[str, ...]:
    return tuple(key.split("."))


def _name(path: tuple[str, ...]) -> str:
    """What the definition of a place is called; a reference is a URL, in which `<` and `>` may not stand."""
    return ".".join("*" if segment.startswith("<") else segment for segment in path)


def refer(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _pattern(rest: tuple[str, ...], *, is_whole: bool) -> str:
    """What a part of a key looks like that has names of others in it; at the end of a whole key anything may stand."""
    parts = []
    for place, segment in enumerate(rest):
        if not segment.startswith("<"):
            parts.append(segment)
        elif segment == "<name>" or (place == len(rest) - 1 and not is_whole):
            parts.append(_NAME)
        else:
            parts.append(".+")
    return f"^{_DOT.join(parts)}$"
