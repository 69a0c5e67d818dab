"""The pages of rules, docs/rules/NAME.md, and their index by family."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from docs.case_findings import printed
from docs.markdown import fenced, language_of, prose, table
from docs.option_pages import PAGE as OPTIONS
from docs.option_pages import anchor_of, spelled, summary_of
from flink_flint.linter.commands.explain import cases_of
from flink_flint.linter.engine.registry import Declaration
from flink_flint.linter.engine.verdicts import verified_on
from flink_flint.linter.flink.releases import MINORS, ReleaseRange, release_at, spell
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.model.rule import CATALOGUED, Case, Rule, Threshold

INDEX = "README.md"

_SCOPES = {
    "document": "each document with its base layers",
    "key": "each setting",
    "project": "all documents of a run together",
    "change": "each document compared with its base revision (`flint check --diff-base REV`)",
    "crash": "flint itself",
    "suppressions": "comments and annotations that suppress findings",
}

_OCCASIONS = {
    "config-yaml": "any `config.yaml`",
    "flink-conf": "any `flink-conf.yaml`",
    "irregular-key": "a key that some release does not read as a plain option",
    "map": "options of type Map",
    "overridden-entry": "a key that is set twice",
    "refusal": "a file that Flink refuses",
    "skipped-line": "a line that Flink skips",
}


def page_of(rule: Rule) -> str:
    """Return the page of a rule: its declaration, its docstring, and examples from its cases with flint's output."""
    first, _, rest = rule.page.partition("\n")
    body, heading, sources = rest.strip().partition("## Sources\n")
    found = [case for case in cases_of(rule) if case.bad and case.text.strip()]
    # Prefer a case that also shows the fix; otherwise the first one, which the author chose as the clearest.
    shown = next((case for case in found if case.fixed is not None and not case.beside), next(iter(found), None))
    fixes = {safe for case in found if case.fixed is not None for safe in printed(rule, case).safe}
    lines = [
        f"# {rule.code} {rule.name}",
        "",
        first,
        "",
        *table(("", ""), _declared(rule, fixes)),
        "",
        body.strip(),
        *(_example(rule, shown) if shown else ()),
        *_options(rule),
        *_thresholds(rule),
        *_suppressing(rule, shown),
        "",
        heading.strip(),
        sources.strip(),
    ]
    return "\n".join(lines) + "\n"


def _declared(rule: Rule, fixes: set[bool]) -> Iterator[tuple[str, str]]:
    milder = "; info at most under the profile `development`" if rule.of_scale else ""
    yield "severity", f"**{rule.severity.word}**{milder}"
    yield "confidence", rule.confidence.word
    if rule.pedantic:
        yield "runs", f"only where selected: `--select pedantic`, `--extend-select {rule.name}`"
    yield "family", f"[{rule.family}]({INDEX}#{rule.family})"
    yield "looks at", _SCOPES[rule.scope]
    yield "Flink", _releases(rule)
    if verified := verified_on(rule.code):
        yield "verified on", f"Flink {verified}"
    yield "fix", _fix(fixes)
    yield "since", f"flint {rule.since}"


def _releases(rule: Rule) -> str:
    if rule.flink == CATALOGUED:
        return f"every release flint knows, {spell(range(len(MINORS)))}"
    spoken = ReleaseRange(rule.flink)
    known = [index for index in range(len(MINORS)) if release_at(index) in spoken]
    return f"`{rule.flink}`" + (f": {spell(known)}" if known else "")


def _fix(kinds: set[bool]) -> str:
    if not kinds:
        return "none: you decide what to write instead"
    safe, unsafe = "safe (`flint check --fix`)", "one that changes what Flink does (`flint check --fix --unsafe-fixes`)"
    if len(kinds) == 2:
        return f"{safe} if Flink does the same as before; otherwise {unsafe}"
    return safe if True in kinds else unsafe


# -- examples


def _example(rule: Rule, found: Case) -> Iterator[str]:
    judged = printed(rule, found)
    yield from ("", "## Example", "")
    if found.before is not None:
        yield from ("Before, on `main`:", "", *_files(found, found.before), "", "Now:", "")
    yield from _files(found, found.text)
    yield from ("", *fenced(f"$ {judged.command}\n{judged.output.rstrip()}", "console"))
    if found.fixed is not None:
        flags = "--fix" if judged.safe == {True} else "--fix --unsafe-fixes"
        yield from ("", f"After `flint check {flags}`:", "", *fenced(found.fixed, language_of(found.name)))
        return
    sound = next((case for case in cases_of(rule) if not case.bad and case.text.strip() and not case.before), None)
    if sound is not None:
        yield from ("", "flint reports nothing for this file:", "")
        yield from _files(sound, sound.text)


def _files(case: Case, text: str) -> Iterator[str]:
    judged_for = [f"Flink {case.flink}"] if case.flink else []
    judged_for += [f"platform {case.platform}"] if case.platform else []
    judged_for += [f"profile {case.profile}"] if case.profile != "production" else []
    yield f"`{case.name}`" + (f" ({', '.join(judged_for)})" if judged_for else "")
    yield from ("", *fenced(text, language_of(case.name)))
    for name, beside in case.beside.items():
        yield from ("", f"and `{name}`", "", *fenced(beside, language_of(name)))
    if case.observed:
        rows = ((f"`{metric}`", _spelled_statistics(given)) for metric, given in case.observed.items())
        yield from ("", "and a history with", "", *table(("metric", "observed"), rows))


def _spelled_statistics(given: object) -> str:
    if not isinstance(given, dict):
        return str(given)
    return ", ".join(f"{name} {value}" for name, value in given.items())


# -- options


def _options(rule: Rule) -> Iterator[str]:
    occasions = [text for when in rule.when if (text := _occasion(when))]
    if not rule.reads and not occasions:
        return
    yield from ("", "## Options", "")
    if rule.reads:
        rows = ((f"[{spelled(read)}](../{OPTIONS}#{anchor_of(read)})", summary_of(read)) for read in rule.reads)
        yield from table(("option", "type and default"), rows)
    if occasions:
        yield from (
            ("", f"Also triggered by {', '.join(occasions)}.")
            if rule.reads
            else (f"Triggered by {', '.join(occasions)}.",)
        )


def _occasion(when: str) -> str:
    """Describe what triggers a rule in addition to its options; empty if that is not shown."""
    kind, _, what = when.partition(":")
    if kind == "type":
        return f"every option of type `{what}`"
    if kind == "observed":
        metric, _, bound = what.partition(" ")
        return f"`{metric.rpartition('/')[2]}` in a history" + (f" where its {bound}" if bound else "")
    if kind == "element":
        element, _, of = what.partition("/")
        if element == "container" and of:
            return _CONTAINERS[of]
        return f"`{of}`" if of else _plural(element.replace("-", " "))
    if kind == "platform":
        return f"the platform `{what}`"
    return _OCCASIONS.get(when, "")


_CONTAINERS = {
    "compose": "containers of Compose files and workloads",
    "helm": "containers of chart templates",
    "files": "containers with files",
}


def _plural(noun: str) -> str:
    if noun.endswith(("s", "ing")):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") and not noun.endswith("ey") else f"{noun}s"


# -- thresholds


def _thresholds(rule: Rule) -> Iterator[str]:
    if not rule.thresholds:
        return
    yield from (
        "",
        "## Thresholds",
        "",
        "The defaults are recommendations; change them in [`flint.toml`](../flint-config.md):",
        "",
    )
    rows = ((f"`{name}`", f"`{_spelled(one)}`", prose(one.meaning)) for name, one in rule.thresholds.items())
    yield from table(("threshold", "default", "meaning"), rows)
    lines = [f"{name} = {_spelled(one)}" for name, one in rule.thresholds.items()]
    yield from ("", *fenced("\n".join([f"[thresholds.{rule.name}]", *lines]), "toml"))


def _spelled(threshold: Threshold) -> str:
    return json.dumps(threshold.default)


# -- suppressing


def _suppressing(rule: Rule, shown: Case | None) -> Iterator[str]:
    if rule.scope in ("crash", "suppressions"):
        return
    language = language_of(shown.name if shown else "config.yaml")
    mark, end = {
        "sql": ("-- ", ""),
        "xml": ("<!-- ", " -->"),
        **dict.fromkeys(("java", "scala", "kotlin"), ("// ", "")),
    }.get(language, ("# ", ""))
    yield from ("", "## How to suppress it", "")
    if language == "json":
        yield "JSON has no comments; use [`flint.toml`](../flint-config.md), for all files or for some paths:"
    else:
        more = "[more ways](../files.md#suppressing-a-finding)"
        yield f"Write this at the end of the line, or alone on the line above it ({more}):"
        yield from ("", *fenced(f"{mark}flint: ignore[{rule.name}] the reason{end}", language))
        yield from ("", "For all files, or some of them, use [`flint.toml`](../flint-config.md):")
    milder = "info" if rule.severity > Severity.INFO else "warning"
    yield from ("", *fenced(f'ignore = ["{rule.name}"]\n# or: severity = {{ {rule.name} = "{milder}" }}', "toml"))


# -- index


def index_page(declarations: Iterable[Declaration]) -> str:
    """Return the index by family."""
    rules = list(declarations)
    families = list(dict.fromkeys(rule.family for rule in rules))
    lines = [
        "# Rules",
        "",
        (
            f"{len(rules)} rules in {len(families)} families. There is also [an index by option](../{OPTIONS}). "
            "`flint rules` lists them in the terminal, `flint explain CODE` prints a page."
        ),
        "",
        " · ".join(f"[{family}](#{family})" for family in families),
    ]
    for family in families:
        members = [rule for rule in rules if rule.family == family]
        rows = (
            (rule.code, f"[{rule.name}]({rule.name}.md)", Severity(rule.severity).word, prose(rule.summary))
            for rule in members
        )
        lines += ["", f"## {family}", "", *table(("code", "rule", "severity", "what it finds"), rows)]
    return "\n".join(lines) + "\n"
