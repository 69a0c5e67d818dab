"""The help screen of the interactive form."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from flink_flint.calculators.interactive.answer_panes import MUTED, STRONG
from flink_flint.calculators.interactive.screen_frame import Keys

_KEYS = (
    ("In the form", (
        ("tab, enter", "next field; shift+tab goes back"),
        ("up, down", "increase or decrease to a round value; choose another word"),
        ("?, empty", "use the assumed value"),
        ("ctrl+g", "fill in a worked example"),
        ("page up, down", "scroll the answer"),
    )),
    ("The answer", (
        ("F2 to F5", "answer, reasoning, chart, settings"),
        ("ctrl+r, F6", "reverse: compute the load that these settings sustain"),
        ("ctrl+l, F7", "another release of Flink"),
        ("ctrl+y, F8", "copy the settings"),
        ("ctrl+s, F9", "write them into a file, after showing the diff"),
        ("ctrl+o, F10", "export inputs and answer as JSON"),
    )),
    ("Everywhere", (
        ("escape", "back"),
        ("ctrl+q, ctrl+c", "quit without writing"),
    )),
)  # fmt: skip

_MARKS = (
    ("•", "required for an answer"),
    ("✗", "cannot be used; the reason is shown below"),
    ("→ =", "the recommendation differs from the current value, or equals it"),
)


class HelpScreen(ModalScreen[None]):
    """A screen that explains the keys and marks of the form."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,enter", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """Yield the widgets of the screen."""
        with Vertical(classes="dialog"):
            yield Static("Keys", classes="heading")
            with VerticalScroll():
                yield Static(_text())
            yield Keys()


def _text() -> Content:
    blocks = [*_KEYS, ("Marks", _MARKS)]
    parts = []
    for title, rows in blocks:
        lines = [Content.assemble(f"  {key:<16}", (text, MUTED)) for key, text in rows]
        parts.append(Content("\n").join([Content.styled(title, STRONG), *lines]))
    return Content("\n\n").join(parts)
