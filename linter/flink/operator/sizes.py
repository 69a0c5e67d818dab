"""The size of `resource.memory` in bytes."""

from __future__ import annotations

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.operator.refusal import Thrown
from flink_flint.linter.flink.values import parse_memory


def resource_memory(text: str) -> int | None:
    """Return the value of `resource.memory` in bytes, as operators from 1.7 on read it; None if they refuse it.

    First as Flink reads sizes, where ``2G`` is 2 GiB, then as a Kubernetes quantity with its case corrected (``2gi``).
    A quantity must not have a decimal point: the operator turns ``1.5Gi`` into ``1610612736.0``, which Flink refuses.
    """
    try:
        return int(parse_memory(text))
    except BadValue:
        pass
    from flink_flint.linter.flink.operator.quantities import memory_text

    try:
        return int(parse_memory(memory_text(text)))
    except (BadValue, Thrown):
        return None
