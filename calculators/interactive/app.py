"""The terminal application of `flint size`: choose a calculator, change its inputs, see the answer update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import Screen
from textual.theme import Theme

from flink_flint.calculators.answering.calculator import Calculator, calculator
from flink_flint.calculators.answering.declaration import inputs_of
from flink_flint.calculators.command_line.open_configuration import Opened, open_configuration
from flink_flint.calculators.interactive.control_character_filter import NeutralFilter
from flink_flint.calculators.interactive.form_base import FormBase
from flink_flint.calculators.interactive.screen_frame import TALL, WIDE
from flink_flint.calculators.interactive.value_steps import text_of
from flink_flint.linter.flink.releases import Release

_THEME = Theme(
    name="flint",
    primary="#5fafd7",
    secondary="#d7af5f",
    warning="#d7875f",
    error="#e06c75",
    success="#87af87",
    foreground="#d7dae0",
    background="#16181d",
    surface="#1e2128",
    panel="#272b33",
    dark=True,
)


class Form(FormBase):
    """The application: navigation between its screens, and the configuration, release and typed values they share."""

    TITLE = "flint size"
    CSS_PATH = "form.tcss"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - as Textual declares them
    VERTICAL_BREAKPOINTS = [(0, "-low"), (TALL, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "quit", "Quit", priority=True, show=False)]

    def __init__(
        self,
        name: str | None = None,
        given: Mapping[str, Any] | None = None,
        *,
        reverse: bool = False,
        opened: Opened | None = None,
        release: Release,
    ) -> None:
        super().__init__()
        self.opened = opened
        self.release = release
        self._first = name
        self._drafts: dict[tuple[str, bool], dict[str, str]] = {}
        if name is not None:
            self._drafts[name, reverse] = texts_of(calculator(name), given or {}, reverse=reverse)
        self._first_reverse = reverse
        self.register_theme(_THEME)
        self.theme = "flint"
        self._neutral = NeutralFilter()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that every drawn line passes through."""
        return [*super().get_line_filters(), self._neutral]

    def on_mount(self) -> None:
        """Show the requested calculator or, if none was requested, the list of calculators."""
        if self._first is not None:
            self.push_screen(self.question(calculator(self._first), reverse=self._first_reverse))
            return
        from flink_flint.calculators.interactive.calculator_picker import PickerScreen

        self.push_screen(PickerScreen())

    def question(
        self, asked: Calculator, *, reverse: bool = False, beside: Mapping[str, str] | None = None
    ) -> Screen[None]:
        """Return a calculator's form with previously typed values; `beside`, from another form, overrides them."""
        from flink_flint.calculators.interactive.question_screen import QuestionScreen

        names = {declared.name for declared in inputs_of(asked.way(reverse=reverse).inputs)}
        texts = {**self._drafts.get((asked.name, reverse), {}), **(beside or {})}
        return QuestionScreen(
            asked, reverse=reverse, texts={name: text for name, text in texts.items() if name in names}
        )

    def keep(self, screen: Any) -> None:
        """Store the typed values of a form, for when it is shown again."""
        self._drafts[screen.calculator.name, screen.reverse] = screen.texts()

    def open_question(self, name: str) -> None:
        """Show the form of a calculator."""
        self.switch_screen(self.question(calculator(name)))

    def to_picker(self) -> None:
        """Show the list of calculators."""
        from flink_flint.calculators.interactive.calculator_picker import PickerScreen

        self.switch_screen(PickerScreen())

    def written(self, path: str | None) -> None:
        """Report that an answer was written to `path`, and reload the open configuration if it is that file."""
        if path is None:
            return
        if self.opened is not None and path == self.opened.path:
            self.opened = open_configuration(path, flink_version=str(self.opened.release))
        self.notify(f"Written: {path}", markup=False)

    def exported(self, path: str | None) -> None:
        """Report that inputs and answer were exported to `path`; do nothing if it is None."""
        if path is not None:
            self.notify(f"Written: {path}", markup=False)

    def action_help_quit(self) -> None:
        """Quit on Ctrl-C."""
        self.exit()


def texts_of(asked: Calculator, given: Mapping[str, Any], *, reverse: bool) -> dict[str, str]:
    """Format parsed values as form text that parses back to the same values."""
    declared = {one.name: one for one in inputs_of(asked.way(reverse=reverse).inputs)}
    return {
        name: text_of(declared[name].unit, value)
        for name, value in given.items()
        if name in declared and value is not None
    }


def run_form(
    name: str | None, given: Mapping[str, Any], opened: Opened | None, release: Release, *, reverse: bool = False
) -> int:
    """Run the form in this terminal and return the exit status.

    `name`: the first calculator, None for the list of questions. `given`: parsed values by field name. `opened`: the
    configuration to read current values from and to compare with.
    """
    form = Form(name, given, reverse=reverse, opened=opened, release=release)
    form.run()
    return 2 if form.return_code else 0
