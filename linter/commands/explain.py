"""`flint explain`, `flint rules` and `flint options`: describe rules, options and calculators."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from flink_flint.linter.commands.errors import EXIT_ERROR, PrintMessage
from flink_flint.linter.config.flint_config import FlintConfigFile, flint_config_for
from flink_flint.linter.engine.registry import (
    Declaration,
    described,
    file_of,
    modules,
    read_index,
    registry,
    stale_declarations,
    walk,
)
from flink_flint.linter.engine.verdicts import verified_on
from flink_flint.linter.flink.grammars.readings import allowed_values
from flink_flint.linter.flink.nearest import nearest
from flink_flint.linter.flink.options import Catalogue, Option, catalogue
from flink_flint.linter.flink.releases import MINORS, NEWEST, nearest_index, parse_release, spell
from flink_flint.linter.model.finding import Confidence, Severity
from flink_flint.linter.model.rule import FAMILIES, RETIRED, Case, CaseError, Rule
from flink_flint.linter.output.option_facts import (
    FLINK_DOCS,
    OLD_PAGES,
    default_history,
    is_listed,
    is_read,
    spell_default,
)
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, Style, count, terminal_width, uses_color, wrap

if TYPE_CHECKING:
    from flink_flint.calculators.answering.calculator import Calculator

SECTIONS = ("What it does", "Why it matters", "What to do", "Sources")
"""The section headings of every rule page, in order; a `Not when` section may precede `Sources`."""

_MAX_EXAMPLES = 2
_LONGEST_SUMMARY = 80
_FEWEST_CASES = 2
_PEDANTIC = " (only if selected)"


# -- rules


def rule_object(declaration: Declaration) -> dict[str, Any]:
    """Return the JSON object that describes a rule in the output of `flint rules` and `flint explain`."""
    return {
        "code": declaration.code,
        "name": declaration.name,
        "family": declaration.family,
        "severity": Severity(declaration.severity).word,
        "confidence": Confidence(declaration.confidence).word,
        "pedantic": declaration.pedantic,
        "summary": declaration.summary,
        "since": declaration.since,
        "flink": declaration.flink,
        "fix": _fixes(declaration.load()),
        "url": declaration.load().url,
    }


def _fixes(rule: Rule) -> bool:
    return any(case.fixed is not None for case in cases_of(rule))


def cases_of(rule: Rule) -> list[Case]:
    """Return the test cases of a rule, as created by the `cases` function of its module; empty without one.

    Raises ValueError, in one line with the file, if the code of the cases fails.
    """
    cases: Callable[[], list[Case]] = getattr(sys.modules[rule.module], "cases", list)
    try:
        found = list(cases())
    except CaseError:  # names the file
        raise
    except Exception as error:  # whatever a half-written function does
        raise ValueError(described(error, source_of(rule))) from error
    if other := [one for one in found if not isinstance(one, Case)]:
        raise ValueError(f"{shown_source(rule)}: cases() must return bad(...) and good(...), not {other[0]!r}")
    return found


def source_of(rule: Rule) -> str:
    """Return the path of a rule's own file, or the rule's code if it is declared in `flint.toml`."""
    file: str | None = getattr(sys.modules[rule.module], "__file__", None)
    if file is None and rule.own:
        return rule.code
    return os.path.realpath(file or file_of(rule.module))


def shown_source(rule: Rule) -> str:
    """Return the source of a rule for messages: its file's path relative to the current folder, or its code."""
    return os.path.relpath(source_of(rule))


def list_rules(output_format: str, print_message: PrintMessage) -> int:
    """Print all rules and return the exit status."""
    try:
        own_rules_here()
    except ValueError as error:
        print_message(str(error))
        return EXIT_ERROR
    families = registry().families
    declarations = sorted(registry().declarations, key=lambda one: families.index(one.family))
    if output_format == "json":
        print(json.dumps({"version": 1, "rules": [rule_object(d) for d in declarations]}, indent=1, ensure_ascii=False))
        return 0
    style, width = Style(uses_color()), terminal_width()
    longest = max(len(declaration.name) for declaration in declarations)
    family = ""
    for declaration in declarations:
        if declaration.family != family:
            family = declaration.family
            print(f"{'' if declaration is declarations[0] else chr(10)}{style.paint(BOLD, family)}")
        severity = Severity(declaration.severity)
        lead = 2 + 6 + 2 + longest + 2 + 7 + 2
        print(
            f"  {declaration.code}  {declaration.name:<{longest}}  {style.severity(severity, f'{severity.word:<7}')}  "
            + wrap(declaration.summary + _PEDANTIC * declaration.pedantic, max(lead + 30, width), " " * lead, used=lead)
        )
    return 0


def check_rules(print_message: PrintMessage) -> int:
    """Check all rules and their index, run the test cases of the user's own rules, and return the exit status."""
    problems = [f"{declaration.module}: {problem}" for declaration in walk() for problem in problems_of(declaration)]
    if sorted(read_index()) != sorted(walk()) or stale_declarations():
        problems.append("rules/index.json is out of date: run `make index`")
    try:
        own, flint_config = own_rules_here()
    except ValueError as error:
        print_message(str(error))
        return EXIT_ERROR
    for rule in own:
        problems += [f"{flint_config.path}: {rule.code}: {problem}" for problem in _failing(rule, flint_config)]
    for problem in problems:
        print_message(problem)
    if not problems:
        tried = count(sum(len(cases_of(rule)) for rule in own), "case")
        print(f"{len(modules())} rules, no problems" + (f"; {len(own)} of your own, {tried} tried" if own else ""))
    return int(bool(problems))


def own_rules_here() -> tuple[Sequence[Rule], FlintConfigFile]:
    """Register the rules of the current folder's flint configuration; return these rules and the configuration.

    Raises ValueError if the configuration or one of the rules is invalid.
    """
    from flink_flint.linter.engine.chosen_rules import register

    flint_config = flint_config_for(os.getcwd())
    return register(flint_config), flint_config


def _failing(rule: Rule, flint_config: FlintConfigFile) -> Iterator[str]:
    """Yield the failing cases of a user's rule."""
    from flink_flint.linter.commands.rule_cases import case_name, failing

    cases = cases_of(rule)
    for number, case in enumerate(cases, 1):
        problem = failing(rule, case, flint_config)
        if problem is not None:
            yield f"{case_name(number, case)}: {problem}"
    if not any(case.bad for case in cases):
        yield "it has no bad case: add a [[rule.case]] with `bad`"


def problems_of(declaration: Declaration) -> Iterator[str]:
    """Yield the problems of a rule's declaration, page and test cases."""
    rule = declaration.load()
    headings = re.findall(r"^## (.+)$", rule.page, re.MULTILINE)
    if [heading for heading in headings if heading != "Not when"] != list(SECTIONS):
        yield f"its page has the sections {headings}, not {list(SECTIONS)}"
    if not rule.summary or len(rule.summary) > _LONGEST_SUMMARY or rule.summary.endswith("."):
        yield f"its summary (docstring of the function) must have 1 to {_LONGEST_SUMMARY} characters and no full stop"
    if not any(int(rule.code[3:]) in block for block in FAMILIES.get(rule.family, ())):
        yield f"{rule.code} is not in the blocks of codes of the family {rule.family}"
    if rule.code in RETIRED:
        yield f"{rule.code} is retired ({RETIRED[rule.code]}): use a code that no rule has ever had"
    cases = cases_of(rule)
    # No file can make a rule crash on purpose; tests of the engine cover that. Wheels leave out cases in folders.
    in_module = [case for case in cases if not case.title]
    bad = sum(case.bad for case in in_module)
    if rule.scope != "crash" and min(bad, len(in_module) - bad) < _FEWEST_CASES:
        yield (
            f"it has {count(bad, 'bad case')} and {len(in_module) - bad} good, without those in folders: it needs at "
            f"least {_FEWEST_CASES} of each"
        )
    for read in rule.reads:
        # A key that is itself the hazard is not an option, but a case must show it.
        if not _known(read) and not any(case.bad and read in case.text for case in cases_of(rule)):
            yield f"it reads {read}, which no release knows"


def _known(read: str) -> bool:
    options = catalogue()
    return (
        read.endswith(".")
        or options.passes_through(read)
        or any(options.option(read, index) for index in range(len(MINORS)))
        or bool(options.releases(read))
    )


def run_explain(word: str, output_format: str, flink_version: str | None, print_message: PrintMessage) -> int:
    """Print the page of a rule or calculator, or the definition of an option; return the exit status."""
    try:
        own_rules_here()
    except ValueError as error:
        print_message(str(error))
        return EXIT_ERROR
    declaration = registry().find(word)
    if declaration is not None:
        _explain_rule(declaration, output_format)
        return 0
    options = catalogue()
    if options.releases(word) or options.passes_through(word):
        _explain_option(word, options, output_format, flink_version)
        return 0
    # Imported late, because calculators need many modules that a rule's page does not.
    import difflib

    from flink_flint.calculators.answering.calculator import NAMES, calculator

    try:
        found = calculator(word)
    except KeyError:
        pass
    else:
        _explain_calculator(found, output_format)
        return 0
    close = difflib.get_close_matches
    names, codes = close(word.lower(), [*registry().by_name, *NAMES], n=2), close(word.upper(), registry().by_code, n=1)
    near = [*names, *codes, *nearest(options, word, None)][:3]
    hint = f"; did you mean {' or '.join(near)}?" if near else "; see `flint rules`, `flint options` and `flint size`"
    print_message(f"no rule, Flink option or calculator is called {word!r}{hint}")
    return 2


def _explain_calculator(found: Calculator, output_format: str) -> None:
    from flink_flint.calculators.command_line.reference_page import page_object, page_of

    if output_format == "json":
        print(json.dumps(page_object(found), indent=1, ensure_ascii=False))
    elif output_format == "markdown":
        print(page_of(found), end="")
    else:
        print(_plain(page_of(found), Style(uses_color()), min(terminal_width(), 100)), end="")


def page_of(rule: Rule) -> str:
    """Return the Markdown page of a rule: its module's docstring, and its first test cases as examples."""
    first, _, rest = rule.page.partition("\n")
    parts = [
        f"# {rule.name} ({rule.code})",
        "",
        first,
        "",
        f"Severity **{rule.severity.word}**, confidence **{rule.confidence.word}**, family `{rule.family}`, "
        f"Flink {rule.flink}"
        + (f", since flint {rule.since}" if rule.since else "")
        + (", flint can fix it" if _fixes(rule) else "")
        + "."
        + (f" Verified on Flink {verified}." if (verified := verified_on(rule.code)) else ""),
        *(("", rest.strip()) if rest.strip() else ()),
    ]
    for is_bad, title in ((True, "Found"), (False, "Not found")):
        examples = [case for case in cases_of(rule) if case.bad is is_bad and case.text.strip()][:_MAX_EXAMPLES]
        if examples:
            parts += ["", f"## {title}"]
        for case in examples:
            release = f" (Flink {case.flink})" if case.flink else ""
            parts += ["", f"`{case.name}`{release}", "```yaml", case.text.strip("\n"), "```"]
            if case.observed:
                parts += ["", "with a history of", "```json", json.dumps(case.observed, indent=1), "```"]
            if case.fixed is not None:
                parts += ["", "after the fix", "```yaml", case.fixed.strip("\n"), "```"]
    return "\n".join(parts) + "\n"


def _explain_rule(declaration: Declaration, output_format: str) -> None:
    page = page_of(declaration.load())
    if output_format == "json":
        print(json.dumps({**rule_object(declaration), "page": page}, indent=1, ensure_ascii=False))
    elif output_format == "markdown":
        print(page, end="")
    else:
        print(_plain(page, Style(uses_color()), min(terminal_width(), 100)), end="")


def _plain(page: str, style: Style, width: int) -> str:
    """Return Markdown formatted for a terminal: headings bold, paragraphs and list items wrapped, code indented, rows
    of a table as items under their first cell."""
    lines: list[str] = []
    paragraph: list[str] = []
    titles: list[str] = []
    code = False

    def finish() -> None:
        if paragraph:
            indent = "  " if paragraph[0].startswith("- ") else ""
            filled = wrap(" ".join(paragraph), width, indent)
            lines.append(re.sub(r"\*\*(.+?)\*\*", lambda match: style.paint(BOLD, match[1]), filled))
            paragraph.clear()

    for line in page.splitlines():
        if line.startswith("```"):
            finish()
            code = not code
        elif code:
            lines.append(style.paint(DIM, f"    {line}") if line else "")
        elif line.startswith("#"):
            finish()
            lines.append(style.paint(BOLD, line.lstrip("# ")))
        elif line.startswith("|"):
            finish()
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not titles:
                titles = cells
            elif set(line) - set("|-"):
                lines += _item(titles, cells, style, width)
        elif not line.strip() or line.startswith("- "):
            finish()
            titles = []
            paragraph += [line] if line.strip() else []
            lines += [] if line.strip() else [""]
        else:
            paragraph.append(line.strip())
    finish()
    return "\n".join(lines) + "\n"


def _item(titles: list[str], cells: list[str], style: Style, width: int) -> list[str]:
    """Return a row of a table: its first cell, and below it the others with their titles."""
    rest = [f"{title}: {cell}" for title, cell in zip(titles[2:], cells[2:], strict=False) if cell]
    return [
        style.paint(FRAME, f"  {cells[0].strip('`')}"),
        *(f"      {wrap(text, width, ' ' * 6, used=6)}" for text in (cells[1], "; ".join(rest)) if text),
    ]


# -- options


def option_object(option: Option) -> dict[str, Any]:
    """Return the JSON object that describes an option in the output of `flint options` and `flint explain`."""
    return {
        "key": option.key,
        "type": option.type,
        "default": option.default if option.has_default else None,
        "enum": list(option.enum) or None,
        "fallback_keys": list(option.fallback_keys),
        "deprecated_keys": list(option.deprecated_keys),
        "deprecated": option.deprecated,
        "templated": option.templated,
        "since": MINORS[option.since],
        "until": None if option.until == NEWEST else MINORS[option.until],
    }


def _suffixes(options: Iterable[Option]) -> list[dict[str, Any]]:
    """Return the relative keys that some classes declare (``factory.class``), each with its full templates."""
    found: dict[str, dict[str, Any]] = {}
    for option in options:
        if option.suffix is not None:
            row = found.setdefault(option.suffix, {**option_object(option), "key": option.suffix, "suffix_of": []})
            row["suffix_of"].append(option.key)
    return list(found.values())


def _index_of(flink_version: str | None) -> int:
    return NEWEST if flink_version is None else nearest_index(parse_release(flink_version))


def list_options(pattern: str, flink_version: str | None, output_format: str, print_message: PrintMessage) -> int:
    """Print the options of a Flink release that match a pattern, and return the exit status."""
    index = _index_of(flink_version)
    chosen = [option for option in catalogue().keys(index) if is_listed(option.key, pattern)]
    if output_format == "json":
        listed = [*(option_object(option) for option in chosen), *_suffixes(chosen)]
        print(
            json.dumps({"version": 1, "flink_version": MINORS[index], "options": listed}, indent=1, ensure_ascii=False)
        )
        return 0
    if not chosen:
        near = nearest(catalogue(), pattern, index)
        print_message(
            f"Flink {MINORS[index]} has no option like {pattern!r}" + (f"; did you mean {near[0]!r}?" if near else "")
        )
        return 2
    style, width = Style(uses_color()), terminal_width()
    longest = min(max(len(option.key) for option in chosen), max(30, width - 36))
    for option in chosen:
        key, kind = f"{option.key:<{longest}}", style.paint(FRAME, f"{option.type:<12}")
        print(f"{style.paint(DIM, key) if option.deprecated else key}  {kind}  {spell_default(option)}")
    print(style.paint(DIM, f"{count(len(chosen), 'option')} of Flink {MINORS[index]}"))
    return 0


def _explain_option(key: str, options: Catalogue, output_format: str, flink_version: str | None) -> None:
    releases = options.releases(key)
    index = _index_of(flink_version)
    if flink_version is None and releases and index not in releases:
        index = releases[-1]
    accepted = options.accept(key, index)
    names = {key, *options.current_names(key)}
    readers = [d for d in registry().declarations if any(is_read(name, d.reads) for name in names)]
    if output_format == "json":
        print(json.dumps({
            "version": 1, "key": key, "flink_version": MINORS[index],
            "accepted_as": accepted.how if accepted else None,
            "option": option_object(accepted.option) if accepted else None,
            "releases": [MINORS[release] for release in releases],
            "rules": [declaration.code for declaration in readers],
        }, indent=1, ensure_ascii=False))  # fmt: skip
        return
    for line in _option_lines(key, options, index, readers):
        print(line)


def _option_lines(key: str, options: Catalogue, index: int, readers: list[Declaration]) -> Iterator[str]:
    style = Style(uses_color())
    accepted = options.accept(key, index)
    yield style.paint(BOLD, key)
    if accepted is None:
        releases = options.releases(key)
        yield f"  not an option of Flink {MINORS[index]}" + (f"; known to {spell(releases)}" if releases else "")
        if options.passes_through(key):
            yield "  passed to a file system, connector or operator, which reads it itself"
        return
    option, how = accepted
    if how in ("deprecated", "fallback"):
        yield f"  {'an old spelling' if how == 'deprecated' else 'a fallback'} of {style.paint(BOLD, option.key)}"
    elif how in ("template", "map"):
        yield f"  {'an instance' if how == 'template' else 'an entry'} of {style.paint(BOLD, option.key)}"
    rows = [("type", option.type), ("default", spell_default(option))]
    if option.enum:
        rows.append(("values", ", ".join(option.enum)))
    if allowed := allowed_values((option.key, *options.current_names(option.key)), index):
        rows.append(("allowed", allowed))
    if option.fallback_keys:
        rows.append(("falls back to", ", ".join(option.fallback_keys)))
    if option.deprecated_keys:
        rows.append(("old spellings", ", ".join(option.deprecated_keys)))
    rows.append(("known to", f"Flink {spell(options.releases(key))}"))
    for first, last, default in default_history(option.key, options):
        rows.append((f"default in {spell(range(first, last + 1))}", default))
    if option.deprecated:
        rows.append(("deprecated", "yes"))
    if readers:
        rows.append(("read by", ", ".join(f"{d.code} {d.name}" for d in readers)))
    page = OLD_PAGES.get(MINORS[index], "docs/deployment/config/")
    rows.append(("see", FLINK_DOCS.format(minor=MINORS[index], page=page)))
    longest = max(len(name) for name, _ in rows)
    indent = " " * (longest + 4)
    for name, value in rows:
        text = wrap(value, max(len(indent) + 30, terminal_width()), indent, used=len(indent))
        yield f"  {style.paint(FRAME, f'{name:<{longest}}')}  {text}"
