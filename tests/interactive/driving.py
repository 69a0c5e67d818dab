"""Driving the form as a person does: keys in, text of the screen out."""

from __future__ import annotations

from pathlib import Path

from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip

from flink_flint.calculators.command_line.open_configuration import open_configuration
from flink_flint.calculators.interactive.app import Form
from flink_flint.calculators.interactive.fields import Field
from flink_flint.calculators.interactive.question_screen import QuestionScreen
from flink_flint.linter.flink.releases import parse_release

CONFIG = """\
# the cluster of the orders job
taskmanager:
  numberOfTaskSlots: 4
  memory:
    process:
      size: 4096m    # from the operators' guide
parallelism.default: 8
"""

_KEYS = {" ": "space", ".": "full_stop", "/": "slash", "-": "minus", "_": "underscore", "?": "question_mark"}


def form(name: str | None = None, *, version: str = "1.20", config: Path | None = None, **given: object) -> Form:
    """The app, for a release or for a configuration."""
    opened = open_configuration(str(config), flink_version=version) if config else None
    return Form(name, given, opened=opened, release=parse_release(version))


def question(app: Form) -> QuestionScreen:
    """The form on the screen."""
    assert isinstance(app.screen, QuestionScreen)
    return app.screen


def field(app: Form, name: str) -> Field:
    """A field of the form on the screen."""
    return question(app).query_one(f"#field-{name}", Field)


def visible(app: Form) -> list[str]:
    """The names of the fields that are shown."""
    return [one.declared.name for one in question(app).query(Field) if one.display]


def seen(app: App[None]) -> str:
    """The text on the terminal."""
    strips: list[Strip] = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


async def type_in(pilot: Pilot[None], text: str) -> None:
    """Type a text where the focus is."""
    await pilot.press(*(_KEYS.get(letter, letter) for letter in text))


async def fill(pilot: Pilot[None], app: Form, **texts: str) -> None:
    """Type texts into fields."""
    for name, text in texts.items():
        field(app, name).control.focus()
        await pilot.pause()
        await type_in(pilot, text)
    await pilot.pause()


async def told(pilot: Pilot[None], app: Form, text: str) -> None:
    """Wait until a text is on the terminal: a notice comes a moment after the key."""
    for _ in range(100):
        if text in seen(app):
            return
        await pilot.pause(0.05)
    raise AssertionError(f"{text!r} is not in:\n{seen(app)}")
