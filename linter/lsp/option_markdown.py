"""The description of a Flink option in Markdown, as in `flint explain`, for one release."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.engine.registry import registry
from flink_flint.linter.flink.grammars.readings import allowed_values
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.releases import MINORS, NEWEST, spell
from flink_flint.linter.flink.values import Duration, MemorySize, parse
from flink_flint.linter.model.rule import DOCS
from flink_flint.linter.output.option_facts import FLINK_DOCS, OLD_PAGES, spell_default
from flink_flint.linter.output.option_facts import default_history as default_history
from flink_flint.linter.output.option_facts import is_read as is_read

_MAX_RULES = 12


def describe(key: str, index: int) -> str | None:
    """Return the Markdown description of a key in a release; None for a key that no release knows."""
    options = catalogue()
    releases = options.releases(key)
    accepted = options.accept(key, index)
    if accepted is None and not releases:
        if options.passes_through(key):
            return f"**`{key}`**\n\nPassed to a file system, connector or operator, which reads it itself."
        return None
    lines = [f"**`{key}`**"]
    if accepted is None:
        lines.append(f"Not an option of Flink {MINORS[index]}; known to {spell(releases)}.")
        accepted = options.accept(key, releases[-1])
        index = releases[-1]
    assert accepted is not None
    option, how = accepted
    if how in ("deprecated", "fallback"):
        lines.append(f"{'An old spelling' if how == 'deprecated' else 'A fallback'} of `{option.key}`.")
    elif how in ("template", "map"):
        lines.append(f"{'An instance' if how == 'template' else 'An entry'} of `{option.key}`.")
    if (newest := [name for name in options.current_names(key) if name not in (key, option.key)]) and how != "map":
        lines.append(f"The newest Flink release calls it {' or '.join(f'`{name}`' for name in newest)}.")
    if option.deprecated:
        lines.append("Deprecated.")
    lines += ["\n".join(_facts(option, index, releases)), *_readers(key)]
    page = OLD_PAGES.get(MINORS[index], "docs/deployment/config/")
    lines.append(f"[Flink's documentation]({FLINK_DOCS.format(minor=MINORS[index], page=page)})")
    return "\n\n".join(lines)


def _facts(option: Option, index: int, releases: list[int]) -> Iterator[str]:
    yield f"- type: `{option.type}`"
    yield f"- default in {MINORS[index]}: `{spell_default(option)}`"
    for first, last, default in default_history(option.key, catalogue()):
        yield f"    - in {spell(range(first, last + 1))}: `{default}`"
    if option.enum:
        yield f"- values: {', '.join(f'`{value}`' for value in option.enum)}"
    if allowed := allowed_values((option.key, *catalogue().current_names(option.key)), index):
        yield f"- allowed: {allowed}"
    if option.fallback_keys:
        yield f"- falls back to {', '.join(f'`{name}`' for name in option.fallback_keys)}"
    if option.deprecated_keys:
        yield f"- old spellings: {', '.join(f'`{name}`' for name in option.deprecated_keys)}"
    yield f"- known to Flink {spell(releases)}" + (f" (since {MINORS[option.since]})" if option.since else "")
    if option.until < NEWEST:
        yield f"- the last release that has it: {MINORS[option.until]}"


def _readers(key: str) -> Iterator[str]:
    """Yield the rules that read an option, with their pages."""
    names = {key, *catalogue().current_names(key)}
    rules = [one for one in registry().declarations if any(is_read(name, one.reads) for name in names)]
    if rules:
        links = [f"[{one.code} {one.name}]({DOCS}/{one.name}.md)" for one in rules[:_MAX_RULES]]
        more = f" and {len(rules) - _MAX_RULES} more" if len(rules) > _MAX_RULES else ""
        yield f"Rules that read it: {', '.join(links)}{more}"


def meaning(key: str, text: str, index: int, *, yaml: bool) -> str | None:
    """Return the size in bytes or duration in ms that a value means, or why Flink refuses it; None for other types."""
    accepted = catalogue().accept(key, index)
    if accepted is None or accepted.how == "map":
        return None
    try:
        value = parse(accepted.option.type, accepted.option.enum, text, index, yaml=yaml)
    except BadValue as refused:
        return f"Flink {MINORS[index]} refuses this value: {refused}" if accepted.option.type in _MEASURES else None
    if isinstance(value, MemorySize):
        return f"{_grouped(int(value))} bytes ({value})"
    if isinstance(value, Duration):
        milliseconds, rest = divmod(int(value), 1_000_000)
        return f"{_grouped(milliseconds)} ms ({value})" if not rest else f"{_grouped(int(value))} ns"
    return None


_MEASURES = ("Duration", "MemorySize")


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")
