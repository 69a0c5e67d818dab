"""A Terraform resource, from HCL, JSON, or a plan."""

from __future__ import annotations

from flink_flint.linter.formats.syntax.value_tree import Node
from flink_flint.linter.text.named_tuple import NamedTuple


class Resource(NamedTuple):
    """A Terraform resource: its type, its name, and its arguments and blocks."""

    type: str
    name: str
    body: Node
