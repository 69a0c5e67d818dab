"""Charts of the repository that Terraform installs (`helm_release`)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from flink_flint.linter.formats.chart_uses.chart_use import (
    ChartUse,
    Read,
    UnknownValues,
    Values,
    file_values,
    local_chart,
    single_values,
    text_values,
)
from flink_flint.linter.formats.helm.parameters import Parameter
from flink_flint.linter.formats.syntax.hcl_tree import Block, read_blocks
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, Node
from flink_flint.linter.formats.terraform.json_text import as_json, text_of
from flink_flint.linter.text.lazy_regex import regex

_FILE = regex(r'file\(\s*"([^"\n]+)"\s*\)')
_QUOTED = regex(r'"([^"\n]+)"')
_MODULE = regex(r"\$\{path\.(?:module|root|cwd)\}/?|^\$\{abspath\(path\.module\)\}/?")


def terraform_uses(path: str, text: str, read: Read) -> Iterator[ChartUse]:
    """Yield the releases of a Terraform file whose charts are in the repository and whose values are known."""
    folder = posixpath.dirname(path)
    for block in read_blocks(text):
        if block.kind != "resource" or block.labels[:1] != ("helm_release",):
            continue
        chart = local_chart(folder, _text(block, "chart"), read)
        if chart is None or "repository" in block.attributes:
            continue
        try:
            values = (*_values(path, text, folder, block, read), *single_values(path, text, _parameters(block)))
        except UnknownValues:
            continue
        yield ChartUse(chart, values, path, _text(block, "name"), _text(block, "namespace") or "default")


def _text(block: Block, name: str) -> str:
    """Return a string without references to the module's folder, to which its paths are relative anyway."""
    _, node = block.attributes.get(name, (None, None))
    if node is None:
        return ""
    quoted = _QUOTED.fullmatch(node.raw)
    return _MODULE.sub("", node.text if node.text is not None else quoted[1] if quoted is not None else node.raw)


def _values(path: str, text: str, folder: str, block: Block, read: Read) -> Iterator[Values]:
    _, listed = block.attributes.get("values", (None, None))
    if listed is None:
        return
    if listed.kind != LIST or listed.is_open:
        raise UnknownValues
    for item in listed.items:
        named = _FILE.fullmatch(item.raw)
        if named is not None:
            yield file_values(folder, _MODULE.sub("", named[1]), read)
        elif item.kind == MAPPING:
            yield text_values(path, as_json(text, item))
        elif (extract := text_of(text, item)) is not None:
            yield text_values(path, extract)
        else:
            raise UnknownValues


def _parameters(block: Block) -> Iterator[Parameter]:
    for inner in block.blocks:
        if inner.kind in ("set_list", "dynamic", "postrender"):
            raise UnknownValues
        if inner.kind in ("set", "set_sensitive"):
            yield _parameter({name: node for name, (_, node) in inner.attributes.items()})
    _, listed = block.attributes.get("set", (None, None))
    for item in listed.items if listed is not None else ():
        yield _parameter({name: node for name, _, node in item.pairs})


def _parameter(fields: dict[str, Node]) -> Parameter:
    name, value, kind = fields.get("name"), fields.get("value"), fields.get("type")
    if name is None or name.text is None or value is None:
        raise UnknownValues
    is_text = kind is not None and kind.text == "string"
    written = value.text if value.text is not None else value.placeholder()
    return Parameter(name.text, name.span, written, value.span, is_text)
