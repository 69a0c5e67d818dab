"""`flint size NAME`: from the words of the command line to the answer and the exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calculators.calculator import Calculator
from calculators.declaration import BadInput, Input, missing
from linter.flink.releases import KNOWN, NEWEST, Release, nearest_index, release_at
from linter.reports.style import BOLD, Style, count, terminal_width, wants_color, wrap
from linter.sizing.answers import as_json, as_markdown, as_text
from linter.sizing.asking import Asked, ask, gather, read_texts

if TYPE_CHECKING:
    from linter.sizing.opening import Opened
    from linter.sizing.tables import Table

Say = Callable[..., None]

TROUBLE = 2


def run_size(calculator: Calculator, reverse: bool, texts: dict[str, str], options: Mapping[str, Any], say: Say) -> int:
    """Answer; 0 for an answer, 1 where what is in force breaks, 2 for inputs nobody can use.

    Raises ValueError for files and values that cannot be used.
    """
    writes = options["write"] or options["diff"]
    if writes and not options["config"]:
        raise ValueError("--write and --diff want --config FILE: the Flink configuration to write into")
    opened = None
    if options["config"]:
        from linter.sizing.opening import open_configuration

        opened = open_configuration(options["config"], flink_version=options["flink_version"])
    release = release_of(options["flink_version"], opened, say)
    given = _given(calculator, reverse, texts, options["input"], say)
    if given is None:
        return TROUBLE
    completed = _complete(calculator, reverse, given, release, opened, say)
    if completed is None:
        return TROUBLE
    asked = ask(calculator, completed, reverse=reverse, release=release, opened=opened)
    form = "patch" if options["diff"] else options["output_format"]
    text = "".join(_render(asked, opened, options["what_if"], form, to_file=bool(options["output_file"])))
    _print(text, options["output_file"])
    if form == "patch" and not text:
        say(_nothing_to_write(asked), kind="info")
    if options["write"] and not options["diff"] and opened is not None:
        _write(opened, asked, say)
    return int(bool(asked.answer.errors))


def _nothing_to_write(asked: Asked) -> str:
    if asked.settings.settings or asked.answer.remove:
        return "nothing to change: the configuration holds these settings already"
    return f"{asked.calculator.name} sizes nothing that an option of Flink holds; the text form tells what to do"


def release_of(flink_version: str | None, opened: Opened | None, say: Say) -> Release:
    """The release to answer for: as asked, as the configuration tells, else the newest. Raises ValueError."""
    if opened is not None:
        release = opened.release
        if not opened.certain:
            say(f"{opened.path}: nothing says its release; answered as for {release} (--flink-version)", kind="info")
    elif flink_version:
        from linter.target import target_from_version

        target = target_from_version(flink_version, "--flink-version")
        release = target.release_at(target.indices[-1])
    else:
        return release_at(NEWEST)
    if release.place is None:
        nearest = release_at(nearest_index(release))
        say(f"Flink {release} is not in the option catalogue ({KNOWN}); answered as for {nearest}", kind="warning")
    return release


def _given(
    calculator: Calculator, reverse: bool, texts: Mapping[str, str], input_file: str | None, say: Say
) -> dict[str, Any] | None:
    """The values of flags and file; None where a flag's cannot be used, which is then told, of all flags."""
    given: dict[str, Any] = {}
    if input_file:
        from linter.sizing.input_file import read_input_file

        given = read_input_file(input_file, calculator, reverse=reverse).values
    usable = True
    for name, text in texts.items():
        try:
            given |= read_texts(calculator, {name: text}, reverse=reverse)
        except BadInput as bad:
            say(str(bad))
            usable = False
    return given if usable else None


def _complete(
    calculator: Calculator, reverse: bool, given: dict[str, Any], release: Release, opened: Opened | None, say: Say
) -> dict[str, Any] | None:
    """The given values with what was still missing, asked for where somebody can answer; else None, and all told."""
    way = calculator.way(reverse=reverse)

    def still_missing(more: dict[str, Any]) -> list[Input]:
        return missing(way.inputs, gather(way, {**given, **more}, release, opened)[0])

    if not still_missing({}):
        return given
    from linter.sizing.prompting import can_prompt, prompt, sample, wanted

    if can_prompt():
        answers = prompt(way, still_missing)
        if answers is not None:
            return {**given, **answers}
    inputs = wanted(way, gather(way, given, release, opened)[0])
    flags = [f"{declared.flag} {sample(declared, way)}" for declared in inputs]
    longest = max(map(len, flags))
    lines = [
        f"  {flag:<{longest}}  {wrap(_about(declared), 110, ' ' * (longest + 4), used=longest + 4)}"
        for flag, declared in zip(flags, inputs, strict=True)
    ]
    say(f"{calculator.name} wants {count(len(inputs), 'more input')}, such as\n" + "\n".join(lines))
    return None


def _about(declared: Input) -> str:
    bounds = "" if declared.range == "any" or declared.unit.choices else f" ({declared.range})"
    return f"{declared.meaning}{bounds}"


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
        from linter.sizing.answers import as_patch

        yield as_patch(asked, opened)
    else:
        style = Style(wants_color() and not to_file)
        width = min(terminal_width(), 100)
        if not tables:
            yield "".join(f"{line}\n" for line in as_text(asked, style, width))
            return
        yield style.paint(BOLD, f"{asked.calculator.title}, for Flink {asked.release}") + "\n"
        for table in tables:
            yield "\n" + "".join(f"{line}\n" for line in table.as_text(style, terminal_width()))


def _table(asked: Asked, text: str, opened: Opened | None) -> Table:
    from linter.sizing.tables import table
    from linter.sizing.what_if import parse_variation, what_if

    variation = parse_variation(asked.calculator, text, reverse=asked.reverse)
    return table(asked, variation, what_if(asked, variation, opened))


def _print(text: str, output_file: str | None) -> None:
    if output_file is None:
        sys.stdout.flush()
        # As bytes, so that those of a file that are no UTF-8 stay what they are in a patch.
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
        return
    from linter.writing import write_whole

    try:
        write_whole(output_file, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise ValueError(f"{output_file}: cannot write the answer: {(error.strerror or str(error)).lower()}") from None


def _write(opened: Opened, asked: Asked, say: Say) -> None:
    """Write the settings and tell on standard error what was done."""
    from linter.sizing.applying import applied, write

    changes = asked.changes or []
    if not changes:
        say(f"{opened.path}: nothing to change", kind="info")
        return
    write(opened, applied(opened, changes))
    kinds = [("added", "add"), ("changed", "change"), ("removed", "remove")]
    numbers = [(word, sum(change.kind == kind for change in changes)) for word, kind in kinds]
    told = ", ".join(f"{number} {word}" for word, number in numbers if number)
    say(f"{opened.path}: wrote {count(len(changes), 'change')} ({told})", kind="info")


def said_anything(texts: Mapping[str, str], options: Mapping[str, Any]) -> bool:
    """Whether anything was said beside the calculator's name."""
    return (
        bool(texts)
        or any(value for name, value in options.items() if name != "output_format")
        or (options["output_format"] != "text")
    )
