"""The tree of configuration keys, expressed as JSON Schema definitions.

A key may be nested at any of its dots, so there is one definition for every place in the tree, and each lists
everything that may follow: `taskmanager` has `memory`, `memory.process` and `memory.process.size`. Each option has one
definition as well, which all those places refer to.

Where all keys belong to Flink (`taskmanager.`), unknown ones are rejected; elsewhere plugins, connectors and jobs have
keys of their own that no catalogue can list.
"""

from __future__ import annotations

from flink_flint.linter.flink.key_segments import OWN
from flink_flint.linter.lsp.schema_options import is_old
from flink_flint.linter.lsp.schema_values import ANYTHING, Schema

_NAME = r"[^ \t\n\u000b\f\r.]+"
"""The name of a reporter, with Flink's syntax."""
_DOT = r"\."


class _Place:
    """What may follow the beginning of a key: known names, and patterns for others."""

    def __init__(self) -> None:
        self.names: dict[str, Schema] = {}
        self._patterns: dict[str, tuple[int, Schema]] = {}

    def add(self, rest: tuple[str, ...], found: Schema, *, is_whole: bool) -> None:
        """Add what follows: the whole rest of a key, or the part that leads to another place."""
        literal = sum(len(segment) for segment in rest if not segment.startswith("<"))
        if any(segment.startswith("<") for segment in rest):
            self.add_pattern(_pattern(rest, is_whole=is_whole), literal, found)
        else:
            self.names[".".join(rest)] = found

    def add_pattern(self, pattern: str, literal: int, found: Schema) -> None:
        """Add a pattern; `literal` is how many of its characters are literal."""
        self._patterns[pattern] = (literal, found)

    def schema(self, *, closed: bool, strict: bool) -> Schema:
        """Return the schema; `closed` rejects all other keys, `strict` everything but mappings."""
        found: Schema = {"properties": dict(sorted(self.names.items()))} if self.names else {}
        if self._patterns:
            # An editor may only try the first matching pattern, so it has to be the most specific one.
            ordered = sorted(self._patterns.items(), key=lambda item: (-item[1][0], item[0]))
            found["patternProperties"] = {pattern: content for pattern, (_, content) in ordered}
        found["additionalProperties"] = False if closed else refer("Any")
        kinds = "object" if strict else ["object", *(kind for kind in ANYTHING if kind != "object")]
        # In a branch of its own, because an editor that completes the name of a mapping inserts the defaults of all its
        # `properties`.
        return {"type": kinds, "allOf": [found]}


def tree(leaves: dict[str, Schema], *, nested: bool, is_open: bool) -> dict[str, Schema]:
    """Return a definition for each option and for each mapping that may contain keys; the root is called ""."""
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
                    continue  # an option as well, and completed as one
                found = refer(_name(path[:end]))
                if end > start + 1 or path[:end] not in current:
                    found = {"doNotSuggest": True, "allOf": [found]}
                place.add(path[start:end], found, is_whole=False)
    # Keys that do not begin like a Flink key are parameters of the job, or of something that Flink loads.
    places[()].add_pattern(f"^(?!(?:{'|'.join(sorted(OWN))})\\.)", -1, refer("Any"))
    for path, place in places.items():
        name = _name(path)
        option = definitions.get(name)
        owned = not path or path[0] in OWN
        # Elsewhere a job may have a parameter with the name; and a name may be any text.
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
    """Return the name of a place's definition; references are URLs, which must not contain `<` and `>`."""
    return ".".join("*" if segment.startswith("<") else segment for segment in path)


def refer(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _pattern(rest: tuple[str, ...], *, is_whole: bool) -> str:
    """Return the pattern of a part of a key with placeholders; the last part of a whole key may be anything."""
    parts = []
    for place, segment in enumerate(rest):
        if not segment.startswith("<"):
            parts.append(segment)
        elif segment == "<name>" or (place == len(rest) - 1 and not is_whole):
            parts.append(_NAME)
        else:
            parts.append(".+")
    return f"^{_DOT.join(parts)}$"
