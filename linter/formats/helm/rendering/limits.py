"""Limits on the cost of rendering a chart, and the exceptions that stop the rendering.

A chart may be hostile: loops that double a text, templates that include themselves, values that repeat each other
through YAML aliases. Everything that grows is charged to one budget.
"""

from __future__ import annotations

from flink_flint.linter.text.rendered_text import Origin

MAX_STEPS = 2_000_000
"""The maximum number of steps to render a chart once; the largest public charts need a tenth of that."""
MAX_TEXT = 2 << 20
"""The maximum number of characters in the output of a template, or in any text that it computes."""
MAX_DEPTH = 60
"""The maximum nesting of includes, blocks and values in a chart, far below Python's own limit of a thousand frames."""
MAX_ITEMS = 100_000
"""The maximum number of items in a list that a template function creates."""


class NotRendered(Exception):  # noqa: N818 - it says what happened
    """Raised if a template cannot be rendered: it also fails in Helm, or it uses something flint does not evaluate."""

    def __init__(self, reason: str, origin: Origin | None = None) -> None:
        super().__init__(reason)
        self.reason, self.origin = reason, origin


class LimitExceeded(NotRendered):
    """Raised if rendering a chart costs more than its budget; the rest of the chart is then not rendered."""


class NotEvaluated(Exception):  # noqa: N818 - it says what happened
    """Raised by a function that flint does not evaluate (or not for these arguments); its result is then unknown."""


class Budget:
    """The steps that are left for rendering one chart."""

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Deduct `steps` from the steps that are left; raise `LimitExceeded` if there are too few."""
        self.left -= steps
        if self.left < 0:
            raise LimitExceeded("rendering takes too many steps")

    def text(self, characters: int) -> None:
        """Deduct the steps that a text of this length costs; raise `LimitExceeded` if the text is too long."""
        if characters > MAX_TEXT:
            raise LimitExceeded("a text has more than 2 MiB")
        self.spend(1 + characters // 64)

    def items(self, number: int) -> None:
        """Deduct the steps that a list of this length costs; raise `LimitExceeded` if the list is too long."""
        if number > MAX_ITEMS:
            raise LimitExceeded(f"a list has more than {MAX_ITEMS:,} members")
        self.spend(1 + max(number, 0))
