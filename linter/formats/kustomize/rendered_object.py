"""Writes objects as YAML in which each character has an origin."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flink_flint.linter.formats.kustomize.object_tree import Mapping, Node, Scalar, Sequence
from flink_flint.linter.formats.kustomize.scalar_types import STRING, as_written, type_of
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

_PLAIN = regex(r"[A-Za-z_/](?:[\w./@:-]*[\w./@-])?(?: [\w./@()-]+)*", 256)  # re.ASCII
_BLOCK = regex(r"[^ \t\n\r][^\r\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]*\Z")
_FOLDED_BY = "\x85\u2028\u2029"


def rendered(root: Mapping) -> RenderedText:
    """Return an object as YAML in the style of kustomize, with the origin of each character."""
    fragments: list[Fragment] = []
    _write_mapping(root, "", fragments)
    return RenderedText(fragments)


def _write_mapping(mapping: Mapping, indent: str, out: list[Fragment], *, follows_dash: bool = False) -> None:
    for key, value in mapping.values.items():
        if not follows_dash:
            out.append(Fragment(indent, None))
        follows_dash = False
        at = mapping.keys[key]
        out += _inline(key, (Fragment(key, at.origin),))
        out.append(Fragment(":", None))
        _write_value(value, indent, out)


def _write_value(value: Node, indent: str, out: list[Fragment]) -> None:
    """Write the value of a key, from after the colon to the end of the line."""
    if isinstance(value, Scalar):
        out.append(Fragment(" ", None))
        _write_scalar(value, indent + "  ", out)
    elif isinstance(value, Mapping):
        if not value.values:
            out.append(Fragment(" {}\n", None))
            return
        out.append(Fragment("\n", None))
        _write_mapping(value, indent + "  ", out)
    else:
        if not value.items:
            out.append(Fragment(" []\n", None))
            return
        out.append(Fragment("\n", None))
        _write_items(value, indent, out)


def _write_items(sequence: Sequence, indent: str, out: list[Fragment], *, follows_dash: bool = False) -> None:
    for item in sequence.items:
        out.append(Fragment("- " if follows_dash else indent + "- ", None))
        follows_dash = False
        if isinstance(item, Scalar):
            _write_scalar(item, indent + "  ", out)
        elif isinstance(item, Mapping) and item.values:
            _write_mapping(item, indent + "  ", out, follows_dash=True)
        elif isinstance(item, Sequence) and item.items:
            _write_items(item, indent + "  ", out, follows_dash=True)
        else:
            out.append(Fragment("{}\n" if isinstance(item, Mapping) else "[]\n", None))


def _write_scalar(scalar: Scalar, indent: str, out: list[Fragment]) -> None:
    """Write a scalar to the end of its last line; the lines of a block are indented by `indent`."""
    if scalar.kind != STRING:
        text = as_written(scalar.text, scalar.kind)
        out.append(Fragment(text, scalar.origin))
        out.append(Fragment("\n", None))
        return
    if "\n" in scalar.text and _BLOCK.match(scalar.text):
        _write_block(scalar, indent, out)
        return
    out += _inline(scalar.text, scalar.pieces())
    out.append(Fragment("\n", None))


def _inline(text: str, pieces: tuple[Fragment, ...]) -> list[Fragment]:
    """Return a string as a plain scalar if possible, else quoted."""
    if _PLAIN.fullmatch(text) and type_of(text, is_yaml_1_1=True) == STRING:
        return list(pieces)
    escaped = [Fragment(_escaped(piece.text), piece.origin) for piece in pieces]
    return [Fragment('"', None), *escaped, Fragment('"', None)]


def _escaped(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    for character in ("\x7f", *_FOLDED_BY, "\ufeff"):
        quoted = quoted.replace(character, f"\\u{ord(character):04x}")
    return quoted


def _write_block(scalar: Scalar, indent: str, out: list[Fragment]) -> None:
    text = scalar.text
    chomping = "" if text.endswith("\n") and not text.endswith("\n\n") else "+" if text.endswith("\n") else "-"
    out.append(Fragment(f"|{chomping}\n", None))
    starts_line = True
    for line in _lines(scalar.pieces()):
        if starts_line and line.text != "\n":
            out.append(Fragment(indent, None))
        out.append(line)
        starts_line = line.text.endswith("\n")
    if not starts_line:
        out.append(Fragment("\n", None))


def _lines(pieces: tuple[Fragment, ...]) -> Iterator[Fragment]:
    """Yield pieces that are divided at line breaks, each with the place of its own characters."""
    for text, origin in pieces:
        is_verbatim = origin is not None and len(text) == origin.span.end - origin.span.start
        at = 0
        for line in text.split("\n"):
            end = min(at + len(line) + 1, len(text))
            if end > at:
                span = origin.span if origin is not None else Span(0, 0)
                place = (
                    Origin(origin.path, Span(span.start + at, span.start + end)) if origin and is_verbatim else origin
                )
                yield Fragment(text[at:end], place)
            at = end
