"""Dialogs that save an answer to a configuration or a JSON file, and the text for the clipboard."""

from __future__ import annotations

import json
import os
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from flink_flint.calculators.command_line.answer_formats import as_json, as_patch, rows
from flink_flint.calculators.command_line.collect_inputs import Asked, ask
from flink_flint.calculators.command_line.open_configuration import Opened, open_configuration
from flink_flint.calculators.command_line.write_settings import applied, diff, write
from flink_flint.calculators.interactive.answer_panes import ERROR, GOOD, MUTED
from flink_flint.calculators.interactive.screen_frame import Keys
from flink_flint.linter.filesystem.writing import write_whole


def to_copy(asked: Asked, opened: Opened | None) -> tuple[str, str]:
    """Return the text for the clipboard and its description; both are empty if there is nothing to copy.

    The text is the diff if a configuration is open, otherwise the settings as lines, or code if there are none.
    Raises ValueError if the changes to the configuration cannot be made by an edit.
    """
    if opened is not None and (patch := as_patch(asked, opened.at(asked.release))):
        return patch, f"the diff of {opened.path}"
    if opened is None and (listed := rows(asked)):
        return "".join(f"{row.key}: {row.wanted}\n" for row in listed), "the settings"
    snippets = asked.answer.elsewhere
    return "".join(f"{snippet.text}\n" for snippet in snippets), " and ".join(snippet.where for snippet in snippets)


class _AskingForPath(ModalScreen[str | None]):
    """A dialog that asks for a file, shows what would be written, and writes it once confirmed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go_on", "Continue", key_display="enter"),
        Binding("escape", "dismiss(None)", "Cancel"),
    ]
    AUTO_FOCUS = ""
    heading = ""
    button = ""
    looks_at_once = False
    """Whether the dialog previews its initial path when it opens."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path
        self._ready_for: str | None = None
        """The path that was previewed and may be written; None if there is none."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(self.heading, classes="heading", markup=False)
            yield Input(self._path, placeholder="the file", id="path", compact=True)
            with VerticalScroll(id="shown"):
                yield Static(id="text")
            with Horizontal(classes="buttons"):
                yield Button(self.button, id="do", compact=True)
                yield Button("Cancel", id="cancel", compact=True)
            yield Keys()

    def on_mount(self) -> None:
        self.query_one("#do", Button).disabled = True
        field = self.query_one("#path", Input)
        field.cursor_blink = False
        field.focus()
        if self._path and self.looks_at_once:
            self.look_at(self._path)

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value.strip() != self._ready_for:
            self._ready_for = None
            self.query_one("#do", Button).disabled = True

    def on_input_submitted(self, event: Input.Submitted) -> None:
        path = event.value.strip()
        if path:
            self.look_at(path)

    def look_at(self, path: str) -> None:
        """Show what would be written to a path."""
        raise NotImplementedError

    def do(self, path: str) -> None:
        """Write the file; raises ValueError or OSError."""
        raise NotImplementedError

    def show_message(self, content: Content, *, ready_for: str | None = None) -> None:
        """Show a text; `ready_for`: the path that may now be written."""
        self.query_one("#text", Static).update(content)
        self._ready_for = ready_for
        button = self.query_one("#do", Button)
        button.disabled = ready_for is None
        (self.query_one("#path", Input) if ready_for is None else button).focus()

    def refuse(self, why: object) -> None:
        """Show why the file cannot be written."""
        self.show_message(Content.assemble(("✗ ", ERROR), str(why)))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "cancel":
            self.dismiss(None)
        elif self._ready_for is not None:
            path = self._ready_for
            self.finish(path)

    def finish(self, path: str) -> None:
        """Write and close, or show why that fails."""
        try:
            self.do(path)
        except (ValueError, OSError) as error:
            self.refuse(error)
        else:
            self.dismiss(path)

    def action_go_on(self) -> None:
        """Continue on Enter outside a field or button, as in the field."""
        self.query_one("#path", Input).focus()


class WriteScreen(_AskingForPath):
    """The dialog that writes an answer's settings into a configuration, after showing the diff."""

    heading = "Write the settings into which configuration?"
    button = "Write"
    looks_at_once = True

    def __init__(self, asked: Asked, opened: Opened | None) -> None:
        super().__init__("" if opened is None else opened.path)
        self._asked = asked
        self._opened: Opened | None = None
        self._new = b""

    def look_at(self, path: str) -> None:
        """Show the diff between the configuration at `path` and the result of writing the answer."""
        asked = self._asked
        try:
            opened = open_configuration(path, flink_version=str(asked.release))
            again = ask(asked.calculator, asked.inputs, reverse=asked.reverse, release=asked.release, opened=opened)
            new = applied(opened, again.changes or ())
            text = diff(opened, new)
        except (ValueError, OSError) as error:
            self.refuse(error)
            return
        self._opened, self._new = opened, new
        if not text:
            besides = ", except for its templates" if again.left_alone else ""
            self.show_message(Content.assemble(("✓ ", GOOD), f"{path} has all these settings already{besides}."))
            return
        lines = [_colored(line) for line in text.splitlines()]
        if asked.answer.elsewhere:
            where = ", ".join(snippet.where for snippet in asked.answer.elsewhere)
            lines += [Content(""), Content.styled(f"Not in this file, to be changed by hand: {where}.", MUTED)]
        self.show_message(Content("\n").join(lines), ready_for=path)

    def do(self, path: str) -> None:
        """Write the answer's settings into the configuration at `path`."""
        assert self._opened is not None
        if open_configuration(path, flink_version=str(self._asked.release)).source.data != self._opened.source.data:
            raise ValueError(f"{path} has changed in the meantime; press enter in the field to see the new diff")
        write(self._opened, self._new)


class ExportScreen(_AskingForPath):
    """The dialog that writes inputs and answer as JSON."""

    heading = "Export inputs and answer as JSON into which file?"
    button = "Export"

    def __init__(self, asked: Asked) -> None:
        super().__init__(f"{asked.calculator.name}.json")
        self._asked = asked

    def look_at(self, path: str) -> None:
        """Check `path` and write the JSON file: refuse a folder, and ask before replacing an existing file."""
        folder = os.path.dirname(path) or "."
        if os.path.isdir(path) or not os.path.isdir(folder):
            self.refuse(f"{path} is a folder" if os.path.isdir(path) else f"there is no folder {folder}")
        elif os.path.exists(path):
            self.show_message(Content(f"{path} exists and would be replaced; enter replaces it."), ready_for=path)
        else:
            self.finish(path)

    def do(self, path: str) -> None:
        """Write the JSON file at `path`."""
        text = json.dumps(as_json(self._asked), indent=1, ensure_ascii=False, allow_nan=False)
        write_whole(path, f"{text}\n".encode())


def _colored(line: str) -> Content:
    if line.startswith(("+++", "---", "@@", "#")):
        return Content.styled(line, MUTED)
    style = {"+": GOOD, "-": ERROR}.get(line[:1])
    return Content.styled(line, style) if style else Content(line)
