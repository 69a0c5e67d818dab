"""Widgets that all screens use: the title bar at the top, pages of text, and the keys at the bottom."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult, RenderResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from flink_flint.calculators.interactive.answer_panes import MUTED, STRONG, in_lines
from flink_flint.calculators.interactive.fields import Remark

WIDE, TALL = 110, 38
"""The minimum terminal columns to show form and answer side by side, and the minimum lines to show a chart."""


class Title(Horizontal):
    """A bar with a title on the left and, on the right, the longest version of a remark that fits."""

    def compose(self) -> ComposeResult:
        """Yield the widgets of the title and the remark."""
        yield Static(classes="what", markup=False)
        yield Remark(classes="where")

    def show(self, what: str, where: tuple[str, ...]) -> None:
        """Set the title (`what`) and the versions of the remark (`where`), from long to short."""
        self.query_one(".what", Static).update(what)
        self.query_one(Remark).texts = where


class Page(Widget):
    """A widget whose text is laid out again for each width."""

    _write: Callable[[int], Content] = staticmethod(lambda width: Content(""))

    def show(self, write: Callable[[int], Content]) -> None:
        """Show the text that `write` returns for a width in columns."""
        self._write = write
        self.refresh(layout=True)

    def render(self) -> RenderResult:
        """Return the text for the current width."""
        return self._write(self.content_size.width)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return the number of lines that the text needs at a width of `width` columns."""
        return self._write(width).plain.count("\n") + 1


class Keys(Widget):
    """A widget with the clickable keys of a screen, on as many lines as needed."""

    bindings: reactive[tuple[Binding, ...]] = reactive((), layout=True)

    def __init__(self) -> None:
        super().__init__()
        self.can_focus = False

    def on_mount(self) -> None:
        """Show the keys that the screen binds."""
        bound = self.screen._bindings.key_to_bindings.values()
        seen: dict[str, Binding] = {}
        for binding in (one for group in bound for one in group):
            if binding.show and binding.description:
                seen.setdefault(binding.description, binding)
        self.bindings = tuple(seen.values())

    def render(self) -> RenderResult:
        """Return the keys to press and what they do, in lines of the current width."""
        return self._laid_out(self.size.width)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return the number of lines that the keys need at a width of `width` columns."""
        return self._laid_out(width).plain.count("\n") + 1

    def _laid_out(self, width: int) -> Content:
        return in_lines([self._key(binding) for binding in self.bindings], width)

    def _key(self, binding: Binding) -> Content:
        key, action = self.app.get_key_display(binding), binding.action
        click = f"@click={action}" if "." in action else f"@click=screen.{action}"
        markup = f"[{click}][{STRONG}]$key[/] [{MUTED}]$text[/][/]"
        return Content.from_markup(markup, key=key, text=binding.description)
