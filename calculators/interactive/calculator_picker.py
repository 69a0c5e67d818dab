"""The screen for choosing a calculator."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from flink_flint.calculators.answering.calculator import NAMES, Calculator, calculator
from flink_flint.calculators.answering.declaration import inputs_of
from flink_flint.calculators.interactive.screen_frame import Keys, Title

if TYPE_CHECKING:
    from flink_flint.calculators.interactive.form_base import FormBase

_MARGINS = 12
"""The number of columns around and between a question and its subject."""


class PickerScreen(Screen[None]):
    """The screen that lists calculators by the problem they solve, and filters them as the user types."""

    AUTO_FOCUS = "#filter"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "pick", "Open", key_display="enter"),
        Binding("up", "mark_previous", "Up", show=False, priority=True),
        Binding("down", "mark_next", "Down", show=False, priority=True),
        Binding("f1", "help", "Help"),
        Binding("escape", "clear", "Clear"),
        Binding("ctrl+q", "app.quit", "Quit"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._all = [calculator(name) for name in NAMES]
        self._wide: bool | None = None

    def compose(self) -> ComposeResult:
        """Yield the widgets of the screen."""
        yield Title()
        with Vertical(id="picker"):
            yield Static("What is the problem?", classes="asks")
            yield Input(placeholder="type a word: timeout, memory, kafka", id="filter", compact=True)
            yield OptionList(id="questions", compact=True)
            yield Static("No calculator matches. Press escape to clear the filter.", classes="nothing")
            yield Static(classes="about", markup=False)
        yield Keys()

    def on_mount(self) -> None:
        """Show the title, and keep the focus in the filter."""
        form = cast("FormBase", self.app)
        release = f"Flink {form.release}"
        parts = [release] if form.opened is None else [release, form.opened.path]
        self.query_one(Title).show("flint size", (" · ".join(parts), release, ""))
        self.query_one("#questions", OptionList).can_focus = False
        self.query_one("#filter", Input).cursor_blink = False

    def on_resize(self, event: Resize) -> None:
        """Redraw the list for the new width."""
        both = max(len(one.question) for one in self._all) + max(len(_subject(one)) for one in self._all)
        wide = event.size.width >= both + _MARGINS
        if self._wide != wide:
            self._wide = wide
            self._list()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter the list."""
        self._list()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the highlighted calculator."""
        self.action_pick()

    def _list(self) -> None:
        options = self.query_one("#questions", OptionList)
        found = matching(self._all, self.query_one("#filter", Input).value)
        room = max(len(one.question) for one in self._all)
        options.set_options(Option(_prompt(one, room if self._wide else 0), id=one.name) for one in found)
        options.display = bool(found)
        self.query_one(".nothing", Static).display = not found
        if found:
            options.highlighted = 0
        else:
            self.query_one(".about", Static).update("")

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the title of the highlighted calculator."""
        marked = next(one for one in self._all if one.name == event.option_id)
        self.query_one(".about", Static).update(marked.title)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the selected calculator."""
        cast("FormBase", self.app).open_question(event.option_id or "")

    def action_pick(self) -> None:
        """Open the highlighted calculator."""
        self.query_one("#questions", OptionList).action_select()

    def action_mark_next(self) -> None:
        """Highlight the next calculator; the focus stays in the filter."""
        self.query_one("#questions", OptionList).action_cursor_down()

    def action_mark_previous(self) -> None:
        """Highlight the previous calculator; the focus stays in the filter."""
        self.query_one("#questions", OptionList).action_cursor_up()

    def action_clear(self) -> None:
        """Show all calculators again."""
        self.query_one("#filter", Input).value = ""

    def action_help(self) -> None:
        """Show the help for keys."""
        from flink_flint.calculators.interactive.key_help import HelpScreen

        self.app.push_screen(HelpScreen())


def matching(calculators: list[Calculator], words: str) -> list[Calculator]:
    """Return the calculators whose typical problem, title, name or options contain every word of `words`."""
    required = words.lower().split()
    return [one for one in calculators if all(word in _searched(one) for word in required)]


def _searched(one: Calculator) -> str:
    options = (declared.option for way in (one.forward, one.reverse) for declared in inputs_of(way.inputs))
    return " ".join([one.question, one.title, one.name, *options]).lower()


def _prompt(one: Calculator, room: int) -> Content:
    if not room:
        return Content(f" {one.question}")
    return Content.assemble(f" {one.question:<{room}}   ", (_subject(one), "dim"))


def _subject(one: Calculator) -> str:
    """Return the first part of a calculator's title, such as ``Async I/O``."""
    return one.title.partition(":")[0]
