"""The fields of a form: one row per input, generated from its declaration."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Focus, Key
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.answering.declaration import Input as Declared
from flink_flint.calculators.interactive.answer_panes import MUTED
from flink_flint.calculators.interactive.value_steps import can_step, stepped, text_of
from flink_flint.linter.text.named_tuple import NamedTuple

_CONTROL_WIDTH = 16


class Shown(NamedTuple):
    """The default, remarks and error that a field shows next to its typed value."""

    assumed: str = ""
    """The text of the value that is used while the field is empty."""
    remarks: tuple[str, ...] = ()
    """The versions of the remark shown after the field, longest first; the form shows the longest that fits."""
    error: str = ""
    wanted: bool = False
    """Whether an answer requires the input."""


class Typed(Message):
    """The message that a field posts when its text changes."""


class Left(Message):
    """The message that a field posts when Enter is pressed in it."""


class TextField(Input):
    """A text field for a quantity, which the up and down keys increase and decrease."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(1)", "More", show=False),
        Binding("down", "step(-1)", "Less", show=False),
    ]

    def __init__(self, declared: Declared, text: str) -> None:
        super().__init__(text, compact=True, select_on_focus=False)
        self.declared = declared
        self.assumed: str = ""
        self.cursor_blink = False

    def action_step(self, direction: int) -> None:
        """Increase (`direction` 1) or decrease (-1) the value to a round number; leave an invalid text unchanged."""
        if not can_step(self.declared.unit):
            return
        current = self.value.strip()
        try:
            if current in ("", "?"):
                current = self.assumed
                if not current:
                    self.value = text_of(self.declared.unit, self.declared.read(self.declared.example))
                    return
            value = self.declared.read(current)
        except BadInput:
            return
        self.value = text_of(self.declared.unit, stepped(self.declared, value, direction))
        self.cursor_position = len(self.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Report that the text has changed."""
        event.stop()
        self.post_message(Typed())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Report that Enter was pressed."""
        event.stop()
        self.post_message(Left())


class ChoiceField(Widget, can_focus=True):
    """A field for choosing one of a few words with the arrow keys, space or the first letter of a word."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,down,space", "turn(1)", "Next", show=False),
        Binding("left,up", "turn(-1)", "Previous", show=False),
        Binding("delete,backspace,question_mark", "forget", "Use the assumed value", show=False),
        Binding("enter", "leave", "Next field", show=False),
    ]
    value = reactive("", init=False)
    """The chosen word; empty to use the assumed value."""
    assumed: reactive[str] = reactive("")

    def __init__(self, words: tuple[str, ...], text: str) -> None:
        super().__init__()
        self.words = words
        self.set_reactive(ChoiceField.value, text)

    def render(self) -> RenderResult:
        """Return the chosen word, or the assumed word in a muted style."""
        word = self.value or self.assumed or "not given"
        return Content.assemble(("‹ ", MUTED), word if self.value else (word, MUTED), (" ›", MUTED))

    def watch_value(self) -> None:
        """Report that another word was chosen."""
        self.post_message(Typed())

    def action_turn(self, direction: int) -> None:
        """Choose the next (`direction` 1) or previous (-1) word."""
        current = self.value or self.assumed
        place = self.words.index(current) + direction if current in self.words else 0
        self.value = self.words[place % len(self.words)]

    def action_forget(self) -> None:
        """Clear the choice, so that the assumed value is used."""
        self.value = ""

    def action_leave(self) -> None:
        """Report that Enter was pressed."""
        self.post_message(Left())

    def on_key(self, event: Key) -> None:
        """Choose the next word that starts with the typed letter."""
        letter = (event.character or "").lower()
        if not letter.isalnum():
            return
        current = self.words.index(self.value) if self.value in self.words else -1
        later = [*self.words[current + 1 :], *self.words[: current + 1]]
        if found := next((word for word in later if word.startswith(letter)), None):
            self.value = found
            event.stop()

    def on_click(self) -> None:
        """Choose the next word."""
        self.action_turn(1)


class Remark(Widget):
    """A widget that shows the longest version of a remark that fits its width."""

    texts: reactive[tuple[str, ...]] = reactive(())

    def render(self) -> RenderResult:
        """Return the longest text that fits the width, or an empty one if none does."""
        fitting = (text for text in self.texts if len(text) <= self.size.width)
        return Content(next(fitting, ""))


class Field(Widget):
    """A form row for one input of a calculator: its name, the typed value, and its default or error."""

    def __init__(self, declared: Declared, text: str, label_width: int) -> None:
        super().__init__(id=f"field-{declared.name}")
        self.declared = declared
        self._label_width = label_width
        self._first_text = text
        self._error: Static | None = None
        self.control: TextField | ChoiceField

    def compose(self) -> ComposeResult:
        """Yield the widgets of the row."""
        words = words_of(self.declared)
        self.control = ChoiceField(words, self._first_text) if words else TextField(self.declared, self._first_text)
        with Horizontal(classes="line"):
            label = Static(classes="label", markup=False)
            label.styles.width = self._label_width + 4
            yield label
            self.control.styles.width = (
                max(_CONTROL_WIDTH, *(len(word) + 4 for word in words)) if words else _CONTROL_WIDTH
            )
            yield self.control
            yield Remark(classes="remark")

    @property
    def text(self) -> str:
        """The typed text; empty if nothing or only a question mark was typed."""
        text = self.control.value.strip()
        return "" if text == "?" else text

    @text.setter
    def text(self, text: str) -> None:
        self.control.value = text

    def read(self) -> Any:
        """Return the parsed value, or None if nothing was typed; raise BadInput if the text is invalid."""
        return self.declared.read(self.text) if self.text else None

    def show(self, shown: Shown) -> None:
        """Show `shown` next to the typed value, and mark the field if it is required or invalid."""
        mark = "✗" if shown.error else "•" if shown.wanted else " "
        self.query_one(".label", Static).update(f" {mark} {label_of(self.declared)}")
        self.control.assumed = shown.assumed
        if isinstance(self.control, TextField):
            self.control.placeholder = shown.assumed
        self.query_one(Remark).texts = shown.remarks
        if shown.error and self._error is None:
            # Most fields never need one, and a form with fewer widgets opens faster.
            self._error = Static(classes="error", markup=False)
            self.mount(self._error)
        if self._error is not None:
            self._error.update(shown.error)
        self.set_class(bool(shown.error), "-wrong")
        self.set_class(shown.wanted and not self.text and not shown.assumed, "-wanted")

    def on_descendant_focus(self, event: Focus) -> None:
        """Scroll the row into view."""
        self.scroll_visible(animate=False)


def words_of(declared: Declared) -> tuple[str, ...]:
    """Return the words that an input allows; empty for a quantity."""
    return ("yes", "no") if declared.unit.name == "yes/no" else declared.unit.choices


def label_of(declared: Declared) -> str:
    """Return the label of an input's field."""
    return declared.name.replace("_", " ")


def meaning_of(value: Any, declared: Declared, text: str) -> str:
    """Return the interpretation of a quantity, such as ``= 10 000`` for ``10k``; empty if it equals the typed text."""
    spelled = declared.unit.spell(value)
    plain = _bare(spelled) == _bare(text) or re.search(r"[KMGTP]iB(/s)?$", text) is not None
    return "" if plain else f"= {spelled}"


def _bare(text: str) -> str:
    return "".join(text.split()).lower()
