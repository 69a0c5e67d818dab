"""A dialog for choosing the release whose option names and defaults are used."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from flink_flint.calculators.interactive.screen_frame import Keys
from flink_flint.linter.flink.releases import MINORS, Release, nearest_index, parse_release


class ReleaseScreen(ModalScreen[Release | None]):
    """A dialog that lists the minor releases with known options, newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Choose", key_display="enter"),
        Binding("escape", "dismiss", "Cancel"),
    ]

    def __init__(self, current: Release) -> None:
        super().__init__()
        self._current = current

    def compose(self) -> ComposeResult:
        """Yield the widgets of the screen."""
        with Vertical(classes="dialog -small"):
            yield Static("For which release of Flink?", classes="heading")
            minors = MINORS[::-1]
            now = MINORS[nearest_index(self._current)]
            options = OptionList(
                *(Option(f" {minor}{'   now' if minor == now else ''}", id=minor) for minor in minors), compact=True
            )
            options.highlighted = minors.index(now)
            yield options
            yield Keys()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close the dialog with the selected release."""
        self.dismiss(parse_release(event.option_id or ""))

    def action_choose(self) -> None:
        """Choose the highlighted release."""
        self.query_one(OptionList).action_select()
