"""Runs `flint size NAME`: reads inputs, prints the answer or writes its settings, and returns the exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.answering.declaration import BadInput, Input, inputs_of, missing
from flink_flint.calculators.answering.setting_changes import Change, LeftAlone
from flink_flint.calculators.command_line.answer_formats import as_json, as_markdown, as_text, headline_text
from flink_flint.calculators.command_line.collect_inputs import Asked, ask, gather, read_texts, template_of
from flink_flint.calculators.command_line.size_options import SizeOptions
from flink_flint.linter.filesystem.writing import print_or_save
from flink_flint.linter.flink.releases import KNOWN, NEWEST, Release, nearest_index, parse_release, release_at
from flink_flint.linter.model.safe_text import neutral_painted
from flink_flint.linter.output.terminal_style import Style, count, terminal_width, uses_color, wrap

if TYPE_CHECKING:
    from flink_flint.calculators.command_line.open_configuration import Opened
    from flink_flint.calculators.command_line.what_if_table import Table

PrintMessage = Callable[..., None]

EXIT_ERROR = 2
ABORTED = 130
"""The exit status after an interruption with Ctrl-C."""


def run_size(
    calculator: Calculator,
    reverse: bool,
    texts: dict[str, str],
    options: SizeOptions,
    print_message: PrintMessage,
) -> int:
    """Run a calculator; return 0 for an answer, 1 if the current settings fail, 2 for bad inputs, 130 if interrupted.

    After writing, the written settings are evaluated. Raises ValueError for unusable files and values.
    """
    _agree(options)
    opened = None
    if options.config:
        from flink_flint.calculators.command_line.open_configuration import open_configuration

        opened = open_configuration(options.config, flink_version=options.flink_version)
    release = release_of(options.flink_version, opened, print_message)
    given = _given(calculator, reverse, texts, options.input, print_message)
    if given is None:
        return EXIT_ERROR
    completed = _complete(calculator, reverse, given, release, opened, print_message)
    if isinstance(completed, int):
        return completed
    asked = ask(calculator, completed, reverse=reverse, release=release, opened=opened)
    form = "patch" if options.diff else options.output_format
    text = "".join(_render(asked, opened, options.what_if, form, to_file=bool(options.output_file)))
    # A patch is already neutral; a byte order mark in it is kept.
    print_or_save(text if form == "patch" else neutral_painted(text), options.output_file, "the answer")
    if form == "patch":
        _about_patch(asked, opened, text, print_message)
    if options.write and opened is not None:
        return int(_breaks_once_written(asked, opened, _write(opened, asked, print_message), print_message))
    return int(bool(asked.answer.errors))


def _agree(options: SizeOptions) -> None:
    """Raise ValueError for options that cannot be combined."""
    if (options.write or options.diff) and not options.config:
        raise ValueError("--write and --diff require --config FILE: the Flink configuration to write into")
    if options.write and options.diff:
        raise ValueError("--diff only shows what --write would write: use one of the two")
    patch = options.output_format == "patch"
    if options.write and patch:
        raise ValueError("--output-format patch only shows what --write would write: use one of the two")
    if options.what_if and (patch or options.diff or options.write):
        other = "--write" if options.write else "--diff" if options.diff else "--output-format patch"
        raise ValueError(f"--what-if makes a table, and {other} requires a single answer: use one of the two")


def _about_patch(asked: Asked, opened: Opened | None, text: str, print_message: PrintMessage) -> None:
    """Print on standard error what the patch does not contain."""
    if not text:
        print_message(_nothing_to_write(asked), kind="info")
    for one in asked.left_alone:
        assert opened is not None
        print_message(_left_alone(one, opened), kind="info")
    if text.startswith("#"):
        print_message(
            "the line below a change contains a secret and is omitted: use `git apply --unidiff-zero`", kind="info"
        )


def _left_alone(one: LeftAlone, opened: Opened) -> str:
    text = "it should not be set" if one.wanted is None else f"recommended is {one.wanted}"
    return f"{opened.place(one.key)}: {one.key} is not changed, as it is a template; {text}"


def _nothing_to_write(asked: Asked) -> str:
    if asked.left_alone:
        return "nothing to change except values from templates"
    if asked.settings.settings or asked.answer.remove:
        return "nothing to change: the configuration already has these settings"
    return f"{asked.calculator.name} sizes nothing that a Flink option sets; the text output shows what to do"


def release_of(flink_version: str | None, opened: Opened | None, print_message: PrintMessage) -> Release:
    """Return the release to size for: the requested one, the configuration's, or the newest.

    Raises ValueError for an invalid version.
    """
    named = parse_release(flink_version) if flink_version else None
    if opened is not None:
        release = opened.release
        if not opened.certain:
            print_message(
                f"{opened.path}: its Flink release is not known; answering for {release} (--flink-version)", kind="info"
            )
    else:
        release = named or release_at(NEWEST)
    if release.place is None:
        text = f"Flink {release} is not in the option catalogue ({KNOWN}): options and defaults are those of"
        print_message(f"{text} {release_at(nearest_index(release))}", kind="warning")
    return release


def _given(
    calculator: Calculator, reverse: bool, texts: Mapping[str, str], input_file: str | None, print_message: PrintMessage
) -> dict[str, Any] | None:
    """Return the values of flags and input file; None if some are unusable, after printing all errors."""
    given: dict[str, Any] = {}
    usable = True
    if input_file:
        from flink_flint.calculators.command_line.input_file import BadInputFile, read_input_file

        try:
            given = read_input_file(input_file, calculator, reverse=reverse).values
        except BadInputFile as bad:
            for fault in bad.faults:
                print_message(fault)
            usable = False
    for name, text in texts.items():
        try:
            given |= read_texts(calculator, {name: text}, reverse=reverse)
        except BadInput as bad:
            print_message(str(bad))
            usable = False
    return given if usable else None


def _complete(
    calculator: Calculator,
    reverse: bool,
    given: dict[str, Any],
    release: Release,
    opened: Opened | None,
    print_message: PrintMessage,
) -> dict[str, Any] | int:
    """Return the given values with the missing ones from prompts, or an exit status if prompts are impossible.

    Without an interactive terminal, report everything that is missing.
    """
    way = calculator.way(reverse=reverse)

    def still_missing(more: dict[str, Any]) -> list[Input]:
        return missing(way.inputs, gather(way, {**given, **more}, release, opened)[0])

    if not still_missing({}):
        return given
    from flink_flint.calculators.command_line.prompts import can_prompt, prompt, sample, wanted

    if can_prompt():
        answers = prompt(way, still_missing)
        if answers is None:
            print_message("aborted")
            return ABORTED
        return {**given, **answers}
    known = gather(way, given, release, opened)[0]
    inputs = wanted(way, known)
    flags = [f"{declared.flag} {sample(declared, way)}" for declared in inputs]
    width = min(terminal_width(sys.stderr), 110)
    longest = max(map(len, flags))
    below = width - longest - 4 < _NARROWEST
    indent = " " * (6 if below else longest + 4)
    lines = []
    for flag, declared in zip(flags, inputs, strict=True):
        about = wrap(_about(declared, way, known, opened), width, indent, used=len(indent))
        lines += [f"  {flag}", f"{indent}{about}"] if below else [f"  {flag:<{longest}}  {about}"]
    print_message(f"{calculator.name} requires {count(len(inputs), 'more input')}, such as\n" + "\n".join(lines))
    return EXIT_ERROR


_NARROWEST = 24
"""The minimum columns for a description next to its flag; with fewer it goes on the line below."""


def _about(declared: Input, way: Way, known: Mapping[str, Any], opened: Opened | None) -> str:
    from flink_flint.calculators.answering.input_conditions import instead

    result = declared.meaning
    if declared.range != "any" and not declared.unit.choices:
        result += f" ({declared.range})"
    others = instead(way.inputs, known, declared)
    template = None if opened is None else template_of(declared, opened)
    if template is not None and opened is not None:
        result += f"; {opened.place(template)} has a template for it"
    return f"{result}; or use {others} instead" if others else result


# -- output


def _render(
    asked: Asked, opened: Opened | None, variations: Sequence[str], form: str, *, to_file: bool
) -> Iterator[str]:
    tables = [_table(asked, text, opened) for text in variations]
    if form == "json":
        import json

        answer = as_json(asked)
        if tables:
            answer["what_if"] = [table.as_json() for table in tables]
        yield json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    elif form == "markdown":
        yield as_markdown(asked)
        yield from (table.as_markdown() for table in tables)
    elif form == "patch":
        from flink_flint.calculators.command_line.answer_formats import as_patch

        yield as_patch(asked, opened)
    else:
        style = Style(uses_color() and not to_file)
        width = min(terminal_width(), 100)
        if not tables:
            yield "".join(f"{line}\n" for line in as_text(asked, style, width))
            return
        yield "".join(f"{line}\n" for line in headline_text(asked, style, width))
        for table in tables:
            yield "\n" + "".join(f"{line}\n" for line in table.as_text(style, terminal_width()))


def _table(asked: Asked, text: str, opened: Opened | None) -> Table:
    from flink_flint.calculators.command_line.what_if import parse_variation, what_if
    from flink_flint.calculators.command_line.what_if_table import table

    variation = parse_variation(asked.calculator, text, reverse=asked.reverse)
    return table(asked, variation, what_if(asked, variation, opened))


def _write(opened: Opened, asked: Asked, print_message: PrintMessage) -> list[Change]:
    """Write the settings, print a report on standard error, and return the changes."""
    from flink_flint.calculators.command_line.write_settings import applied, write

    changes = asked.changes or []
    if changes:
        write(opened, applied(opened, changes))
        kinds = [("added", "add"), ("changed", "change"), ("removed", "remove")]
        numbers = [(word, sum(change.kind == kind for change in changes)) for word, kind in kinds]
        text = ", ".join(f"{number} {word}" for word, number in numbers if number)
        print_message(f"{opened.path}: wrote {count(len(changes), 'change')} ({text})", kind="info")
    else:
        print_message(f"{opened.path}: {_nothing_to_write(asked)}", kind="info")
    for one in asked.left_alone:
        print_message(_left_alone(one, opened), kind="info")
    return changes


def _breaks_once_written(asked: Asked, opened: Opened, changes: Sequence[Change], print_message: PrintMessage) -> bool:
    """Return whether the configuration still has errors after writing, and print them.

    A current value that was given by a flag and has been written is read from the file.
    """
    if not changes or not asked.answer.errors:
        return bool(asked.answer.errors)
    from flink_flint.calculators.command_line.open_configuration import open_configuration

    written = open_configuration(opened.path, flink_version=str(asked.release))
    keys = {change.key for change in changes}
    names = {
        one.name
        for one in inputs_of(asked.way.inputs)
        if one.option and written.configuration.resolve(one.option).written in keys
    }
    given = {name: value for name, value in asked.given.items() if name not in names}
    try:
        again = ask(asked.calculator, given, reverse=asked.reverse, release=asked.release, opened=written)
    except BadInput as bad:
        print_message(f"with the written settings: {bad}")
        return True
    for error in again.answer.errors:
        print_message(f"with the written settings: {error}")
    return bool(again.answer.errors)
