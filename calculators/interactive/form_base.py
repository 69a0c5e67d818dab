"""The interface that the application offers to its screens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.app import App
from textual.screen import Screen

from flink_flint.calculators.answering.calculator import Calculator
from flink_flint.calculators.command_line.open_configuration import Opened
from flink_flint.linter.flink.releases import Release


class FormBase(App[None]):
    """The application as its screens see it: shared state and navigation, implemented by `app.Form`."""

    opened: Opened | None
    """The configuration that answers are compared with and written to; None if no configuration is open."""
    release: Release
    """The Flink release whose option names and defaults are used."""

    def question(
        self, asked: Calculator, *, reverse: bool = False, beside: Mapping[str, str] | None = None
    ) -> Screen[None]:
        """Return a calculator's screen with previously typed values; `beside`, from another screen, overrides them."""
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
        """Report that an answer was written to the configuration at `path`; do nothing if it is None."""
        raise NotImplementedError

    def exported(self, path: str | None) -> None:
        """Report that inputs and answer were exported to `path`; do nothing if it is None."""
        raise NotImplementedError
