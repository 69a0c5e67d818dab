"""The interface that the application offers its screens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.app import App
from textual.screen import Screen

from flink_flint.calculators.answering.calculator import Calculator
from flink_flint.calculators.command_line.open_configuration import Opened
from flink_flint.linter.flink.releases import Release


class FormBase(App[None]):
    """The state that screens share and the navigation between screens; `app.Form` implements them."""

    opened: Opened | None
    """The configuration that answers are compared with and written into; None without one."""
    release: Release
    """The release whose option names and defaults are used."""

    def question(
        self, asked: Calculator, *, reverse: bool = False, beside: Mapping[str, str] | None = None
    ) -> Screen[None]:
        """Return the screen of a calculator, with the previously typed values."""
        raise NotImplementedError

    def keep(self, screen: Any) -> None:
        """Store the typed values of a screen, for when it is shown again."""
        raise NotImplementedError

    def open_question(self, name: str) -> None:
        """Show the screen of a calculator."""
        raise NotImplementedError

    def to_picker(self) -> None:
        """Return to the list of calculators."""
        raise NotImplementedError

    def written(self, path: str | None) -> None:
        """Report that an answer was written into a configuration."""
        raise NotImplementedError

    def exported(self, path: str | None) -> None:
        """Report that an answer was saved."""
        raise NotImplementedError
