"""The form of one calculator: its fields, and an answer that updates with every key press."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static, Tab, Tabs

from flink_flint.calculators.answering.calculator import Calculator
from flink_flint.calculators.answering.declaration import (
    BadInput,
    Input,
    MissingInput,
    draft,
    inputs_of,
    missing,
    with_defaults,
)
from flink_flint.calculators.command_line.collect_inputs import Asked, Source, ask, gather
from flink_flint.calculators.interactive.answer_chart import Picture
from flink_flint.calculators.interactive.answer_panes import (
    STRONG,
    answer_page,
    headline,
    help_lines,
    reasoning_page,
    settings_page,
    waiting_page,
)
from flink_flint.calculators.interactive.fields import Field, Left, Shown, Typed, label_of, meaning_of
from flink_flint.calculators.interactive.large_figures import large
from flink_flint.calculators.interactive.screen_frame import TALL, WIDE, Keys, Page, Title
from flink_flint.linter.flink.releases import Release

if TYPE_CHECKING:
    from flink_flint.calculators.interactive.form_base import FormBase

VIEWS = {"answer": "Answer", "reasoning": "Reasoning", "picture": "Chart", "settings": "Settings"}


class QuestionScreen(Screen[None]):
    """The form of one calculator, which sizes settings or, in reverse, computes the load that settings sustain."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r,f6", "turn_round", "Reverse", priority=True),
        Binding("ctrl+l,f7", "choose_release", "Release", priority=True),
        Binding("ctrl+y,f8", "copy_settings", "Copy", priority=True),
        Binding("ctrl+s,f9", "write_settings", "Save", priority=True),
        Binding("ctrl+o,f10", "export", "JSON", priority=True),
        Binding("f1", "help", "Help"),
        Binding("escape", "leave", "Back"),
        Binding("ctrl+q", "app.quit", "Quit"),
        Binding("ctrl+g", "example", "Example", priority=True, show=False),
        Binding("f2", "view('answer')", "Answer", show=False),
        Binding("f3", "view('reasoning')", "Reasoning", show=False),
        Binding("f4", "view('picture')", "Chart", show=False),
        Binding("f5", "view('settings')", "Settings", show=False),
        Binding("pagedown", "scroll_answer(1)", "Scroll the answer", show=False, priority=True),
        Binding("pageup", "scroll_answer(-1)", "Scroll the answer", show=False, priority=True),
    ]

    def __init__(self, calculator: Calculator, *, reverse: bool, texts: Mapping[str, str]) -> None:
        super().__init__()
        self.calculator = calculator
        self.reverse = reverse
        self.asked: Asked | None = None
        """The answer to the values in the fields; None while a value is missing or wrong."""
        self._last: Asked | None = None
        self._way = calculator.way(reverse=reverse)
        self._declared = inputs_of(self._way.inputs)
        self._texts = dict(texts)

    @property
    def form(self) -> FormBase:
        """The application that shows this form, with the configuration and the release."""
        return cast("FormBase", self.app)

    # -- what is on the screen

    def compose(self) -> ComposeResult:
        """Yield the widgets of the screen."""
        width = max(len(label_of(declared)) for declared in self._declared)
        yield Title()
        with Container(id="body"):
            with Vertical(id="asking"):
                with VerticalScroll(id="fields", can_focus=False):
                    for declared in self._declared:
                        yield Field(declared, self._texts.get(declared.name, ""), width)
                yield Page(classes="about")
            with Vertical(id="answering"):
                with Horizontal(id="headline"):
                    yield Static(classes="short")
                    yield Static(classes="name", markup=False)
                    yield Page(classes="big")
                    yield Static(classes="now", markup=False)
                yield Tabs(*(Tab(f"[dim]F{n}[/] {title}", id=name) for n, (name, title) in enumerate(VIEWS.items(), 2)))
                with ContentSwitcher(initial="pane-answer"):
                    for name in ("answer", "reasoning"):
                        with VerticalScroll(id=f"pane-{name}"):
                            yield Page(classes=name)
                    with VerticalScroll(id="pane-picture"):
                        yield Picture(id="picture")
                    with VerticalScroll(id="pane-settings"):
                        yield Page(classes="settings")
                yield Picture(id="beside")
        yield Keys()

    def on_mount(self) -> None:
        """Show the first answer, and focus the first field that needs a value."""
        self.recompute()
        fields = [field for field in self.query(Field) if field.display]
        next((field for field in fields if field.has_class("-wanted")), fields[0]).control.focus()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Show the help for the focused field."""
        focused = [field.declared for field in self.query(Field) if field.control is event.widget]
        if focused:
            self.query_one(".about", Page).show(lambda width: help_lines(focused[0], width))

    def on_resize(self, event: Resize) -> None:
        """Hide the chart's tab if the new size has room for a chart that is always visible."""
        beside = event.size.width >= WIDE and event.size.height >= TALL
        tabs = self.query_one(Tabs)
        if beside and tabs.active == "picture":
            tabs.active = "answer"
        tab = tabs.query_one("#picture", Tab)
        tab.display = not beside
        self._name_pictures()

    # -- computing

    def texts(self) -> dict[str, str]:
        """Return the typed text of each field that has one, by field name."""
        return {field.declared.name: field.text for field in self.query(Field) if field.text}

    def on_typed(self, event: Typed) -> None:
        """Recompute the answer."""
        event.stop()
        self.recompute()

    def on_left(self, event: Left) -> None:
        """Move the focus to the next field."""
        event.stop()
        self.focus_next()

    def recompute(self) -> None:
        """Run the calculator with the typed values and show the answer."""
        fields = {field.declared.name: field for field in self.query(Field)}
        given: dict[str, Any] = {}
        wrong: dict[str, str] = {}
        for name, field in fields.items():
            try:
                value = field.read()
            except BadInput as bad:
                wrong[name] = bad.message
            else:
                if value is not None:
                    given[name] = value
        release, opened = self.form.release, self.form.opened
        general: list[str] = []
        known: dict[str, Any] = given
        sources: dict[str, Source] = {}
        try:
            known, sources = gather(self._way, given, release, None if opened is None else opened.at(release))
        except BadInput as bad:
            wrong.setdefault(bad.name, bad.message)
        seen = draft(self._way.inputs, with_defaults(self._way.inputs, known))
        playing = {name for name, field in fields.items() if field.declared.matters(seen)}
        wrong = {name: message for name, message in wrong.items() if name in playing}
        self.asked = None
        if not wrong:
            try:
                self.asked = ask(self.calculator, given, reverse=self.reverse, release=release, opened=opened)
            except MissingInput:
                pass
            except BadInput as bad:
                if bad.name in playing:
                    wrong[bad.name] = bad.message
                else:
                    general.append(str(bad))
        required = missing(self._way.inputs, known)
        for name, field in fields.items():
            field.display = name in playing
            if name in playing:
                field.show(_shown(field, given, known, sources, wrong.get(name, ""), field.declared.is_required(seen)))
        reasons = [*(f"{name.replace('_', ' ')}: {text}" for name, text in wrong.items()), *general]
        self._show_answer(required, reasons)
        self._show_title()

    def _show_title(self) -> None:
        ask_for = "load of the settings" if self.reverse else "what is needed"
        release = f"Flink {self.form.release}"
        variants = [(ask_for, release), (release,)]
        if self.form.opened is not None:
            path = self.form.opened.path
            names = dict.fromkeys((path, os.path.basename(path)))
            variants = [*((ask_for, release, name) for name in names), *((release, name) for name in names), *variants]
        self.query_one(Title).show(self.calculator.title, (*map(" · ".join, variants), ""))

    def _show_answer(self, wanted: list[Input], wrong: list[str]) -> None:
        """Show the answer. While a typed value is unusable, the last answer stays, marked as outdated."""
        if self.asked is not None or not wrong:
            self._last = self.asked
        shown = self._last
        path = None if self.form.opened is None else self.form.opened.path
        self.set_class(shown is not None and self.asked is None, "-stale")
        for picture in self.query(Picture):
            picture.show(shown.answer if shown else None)
        short, name, now = (self.query_one(f"#headline .{part}", Static) for part in ("short", "name", "now"))
        big = self.query_one(".big", Page)
        pages = {view: self.query_one(f".{view}", Page) for view in ("answer", "reasoning", "settings")}
        if shown is None:
            short.update(Content.styled(self.calculator.question, STRONG))
            name.update(Content.styled(self.calculator.question, STRONG))
            now.update("")
            big.show(lambda width: Content(""))
            for page in pages.values():
                page.show(lambda width: waiting_page(wanted, wrong, width))
        else:
            first = shown.answer.values[0]
            short.update(headline(shown))
            name.update(first.title)
            now.update("" if first.present is None else f"now {first.unit.spell(first.present)}")
            big.show(lambda width: Content(large(first.text, width)))
            pages["answer"].show(lambda width: answer_page(shown, width, wrong=wrong, roomy=self.has_class("-tall")))
            pages["reasoning"].show(lambda width: reasoning_page(shown, width))
            pages["settings"].show(lambda width: settings_page(shown, path, width))
        self._name_pictures()

    def _name_pictures(self) -> None:
        answer = self._last.answer if self._last else None
        has_picture = answer is not None and (answer.chart is not None or answer.memory is not None)
        self.query_one("#beside", Picture).set_class(not has_picture, "-nothing")
        name = "Memory" if answer is not None and answer.memory is not None else "Chart"
        self.query_one(Tabs).query_one("#picture", Tab).label = Content.from_markup(f"[dim]F4[/] {name}")

    # -- keys

    def on_tabs_tab_activated(self, event: Tabs.TabActivated) -> None:
        """Show the pane that belongs to the selected tab."""
        if event.tab.id:
            self.query_one(ContentSwitcher).current = f"pane-{event.tab.id}"
            self.set_class(event.tab.id == "picture", "-picture")

    def action_view(self, name: str) -> None:
        """Show the pane called `name`."""
        tabs = self.query_one(Tabs)
        if tabs.query_one(f"#{name}", Tab).display:
            tabs.active = name

    def action_scroll_answer(self, pages: int) -> None:
        """Scroll the visible pane by `pages`, wherever the focus is."""
        current = self.query_one(f"#{self.query_one(ContentSwitcher).current}")
        current.scroll_relative(y=pages * max(1, current.size.height - 1), animate=False)

    def action_turn_round(self) -> None:
        """Switch between sizing settings and computing the load that settings sustain; keep the inputs of both."""
        self.form.keep(self)
        self.form.switch_screen(self.form.question(self.calculator, reverse=not self.reverse, beside=self.texts()))

    def action_example(self) -> None:
        """Fill in the worked example."""
        for field in self.query(Field):
            field.text = self._way.example.get(field.declared.name, "")

    def action_choose_release(self) -> None:
        """Open the dialog for choosing the release whose option names and defaults are used."""
        from flink_flint.calculators.interactive.release_picker import ReleaseScreen

        def chosen(release: Release | None) -> None:
            if release is not None:
                self.form.release = release
                self.recompute()

        self.form.push_screen(ReleaseScreen(self.form.release), chosen)

    def action_copy_settings(self) -> None:
        """Copy the settings, or their diff if a configuration is open, to the clipboard."""
        from flink_flint.calculators.interactive.save_answer import to_copy

        self.recompute()  # recent key presses may not have been processed yet
        if self.asked is None:
            self.notify("There is nothing to copy until there is an answer.", severity="warning")
            return
        try:
            text, what = to_copy(self.asked, self.form.opened)
        except ValueError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        if text:
            self.form.copy_to_clipboard(text)
        self.notify(f"Copied: {what}" if text else "There is nothing to change.", markup=False)

    def action_write_settings(self) -> None:
        """Open the dialog that writes the settings into a configuration."""
        from flink_flint.calculators.interactive.save_answer import WriteScreen

        self.recompute()  # recent key presses may not have been processed yet
        if self.asked is None or not (self.asked.settings.settings or self.asked.answer.remove):
            why = "until there is an answer" if self.asked is None else "this answer sets no option of Flink"
            self.notify(f"There is nothing to write: {why}.", severity="warning")
            return
        self.form.push_screen(WriteScreen(self.asked, self.form.opened), self._written)

    def _written(self, path: str | None) -> None:
        self.form.written(path)
        self.recompute()

    def action_export(self) -> None:
        """Open the dialog that writes inputs and answer as JSON."""
        from flink_flint.calculators.interactive.save_answer import ExportScreen

        self.recompute()  # recent key presses may not have been processed yet
        if self.asked is None:
            self.notify("There is nothing to export until there is an answer.", severity="warning")
            return
        self.form.push_screen(ExportScreen(self.asked), self.form.exported)

    def action_help(self) -> None:
        """Show the help for keys."""
        from flink_flint.calculators.interactive.key_help import HelpScreen

        self.form.push_screen(HelpScreen())

    def action_leave(self) -> None:
        """Return to the list of calculators."""
        self.form.keep(self)
        self.form.to_picker()


def _shown(
    field: Field,
    given: Mapping[str, Any],
    known: Mapping[str, Any],
    sources: Mapping[str, Source],
    error: str,
    wanted: bool,
) -> Shown:
    """Return the texts that a field shows next to the typed value."""
    declared, name = field.declared, field.declared.name
    if error or name in given:
        understood = meaning_of(given[name], declared, field.text) if name in given else ""
        return Shown("", (understood,), error, wanted)
    if name not in known:
        return Shown("", ("required",) if wanted else ("optional",), "", wanted)
    source = sources.get(name)
    spelled = declared.unit.spell(known[name])
    if source is None or source.kind == "assumed":
        why = source.text if source else ""
        return Shown(spelled, (f"assumed: {why}", "assumed") if why else ("assumed",), "", wanted)
    short = source.text.rpartition("/")[2]
    return Shown(spelled, (source.text, short, "in the file" if source.kind == "file" else "default"), "", wanted)
