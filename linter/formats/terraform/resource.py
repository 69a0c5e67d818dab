"""A resource of Terraform, from HCL, JSON or a plan."""

from __future__ import annotations

from flink_flint.linter.formats.syntax.value_tree import Node
from flink_flint.linter.text.named_tuple import NamedTuple


class Resource(NamedTuple):
    """A resource of Terraform: its type, its own name, and its arguments and blocks."""

    type: str
    name: str
    body: Node
