"""`flint recommend`: from command-line arguments to recommendations and the exit status."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING

from flink_flint.calculators.answering.calculator import NAMES
from flink_flint.calculators.command_line.similar_names import near_names
from flink_flint.linter.filesystem.writing import print_or_save, save
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.safe_text import names_without_secrets, neutral_painted
from flink_flint.linter.output.terminal_style import Style, count, terminal_width, uses_color
from flink_flint.linter.text.ascii_numbers import number
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.calculators.history.recommend.recommendation import Plan, Recommended
    from flink_flint.calculators.history.store.layout import Store
    from flink_flint.calculators.recommend.deployments import Deployment
    from flink_flint.calculators.recommend.patch import Patch

PrintMessage = Callable[..., None]

FORMATS = ("text", "json", "markdown", "patch")
_DAYS = {"d": 1, "w": 7, "day": 1, "days": 1, "week": 7, "weeks": 7}


class RecommendArguments(NamedTuple):
    """The arguments of `flint recommend`."""

    history: str
    """The path of the history store."""
    job: tuple[str, ...] = ()
    calculator: tuple[str, ...] = ()
    cluster: str | None = None
    config: tuple[str, ...] = ()
    flink_version: str | None = None
    window: str | None = None
    half_life: str | None = None
    until: str | None = None
    output_format: str = "text"
    output_file: str | None = None
    diff: bool = False
    write: bool = False
    report: str | None = None
    explain: bool = False
    master: str | None = None
    remote: str | None = None
    conf: tuple[str, ...] = ()


def run_recommend(arguments: RecommendArguments, print_message: PrintMessage) -> int:
    """Compute recommendations, print or write them, and return 0; raise ValueError for invalid options or data."""
    _agree(arguments)
    from flink_flint.linter.output.missing_packages import missing_history_package

    try:
        from flink_flint.calculators.history.recommend.recommend_store import recommend_store
        from flink_flint.calculators.history.store.layout import Store
        from flink_flint.calculators.history.store.spark_session import session
    except ModuleNotFoundError as missing:
        raise missing_history_package(missing) from None
    store = Store(arguments.history)
    store.check()
    deployments, plan = _with_deployments(store, arguments, plan_of(arguments))
    window, until = _window(arguments)
    start = cache(partial(session, arguments.master or "", arguments.remote or "", arguments.conf))
    found = recommend_store(start, store, plan, window=window, until=until)
    if arguments.report:
        _report(store, found, plan, arguments.report, print_message)
    return show_recommendations(found, deployments, arguments, print_message)


def plan_of(arguments: RecommendArguments) -> Plan:
    """Return the jobs, calculators and release to recommend for; raise ValueError for an invalid option."""
    from flink_flint.calculators.history.recommend.recommendation import HALF_LIFE, Plan

    return Plan(
        flink_version=_release(arguments.flink_version),
        half_life=_days(arguments.half_life, "--half-life") if arguments.half_life else HALF_LIFE,
        calculators=tuple(_calculator(name) for name in arguments.calculator),
        jobs=tuple(arguments.job),
        cluster=arguments.cluster or "",
    )


def show_recommendations(
    found: Recommended, deployments: Sequence[Deployment], arguments: RecommendArguments, print_message: PrintMessage
) -> int:
    """Print the recommendations, also write them into the configurations if requested, and return 0."""
    from flink_flint.calculators.recommend.patch import as_text, patches

    form = "patch" if arguments.diff else arguments.output_format
    made = patches(deployments, found.recommendations)
    if form == "patch":
        text = as_text(made)
        _about(made, print_message)
        if not text:
            print_message("nothing to change in the configurations given", kind="info")
    else:
        text = _rendered(names_without_secrets(found), form, arguments)
    print_or_save(text if form == "patch" else neutral_painted(text), arguments.output_file, "the recommendations")
    if arguments.write:
        _write(made, print_message)
    return 0


def _agree(arguments: RecommendArguments) -> None:
    """Raise ValueError for options that cannot be combined."""
    patch = arguments.output_format == "patch"
    if (arguments.write or arguments.diff or patch) and not arguments.config:
        wanting = "--write" if arguments.write else "--diff" if arguments.diff else "--output-format patch"
        raise ValueError(f"{wanting} requires --config FILE: the Flink configuration to change")
    if arguments.write and (arguments.diff or patch):
        raise ValueError("--diff and --output-format patch only show what --write would write: use one of them")


def _release(named: str | None) -> str:
    """Return the name of a release, empty for None; raise ValueError for an unknown one."""
    if named:
        parse_release(named)
    return named or ""


def _calculator(name: str) -> str:
    known = name.strip().lower().replace("_", "-")
    if known not in NAMES:
        near = near_names(known, NAMES, most=1)
        text = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(NAMES)}"
        raise ValueError(f"--calculator {name}: is not a calculator{text}")
    return known


def _days(text: str, flag: str) -> float:
    """Parse days from ``30d``, ``4 weeks``, ``30``. Raises ValueError."""
    text = text.strip().lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(digits) :].strip() or "d"
    amount = number(digits)
    if amount is None or unit not in _DAYS:
        raise ValueError(f"{flag} {text}: is not a number of days; write it like 30d or 4w")
    days = amount * _DAYS[unit]
    if not 0 < days <= 36_500:
        raise ValueError(f"{flag} {text}: allowed are more than 0 days and up to 100 years")
    return days


def _window(arguments: RecommendArguments) -> tuple[int, str]:
    from flink_flint.calculators.history.recommend.recommendation import WINDOW

    days = max(1, round(_days(arguments.window, "--window"))) if arguments.window else WINDOW
    until = arguments.until or ""
    if until:
        try:
            until = date.fromisoformat(until).isoformat()
        except ValueError:
            raise ValueError(f"--until {until}: is not a date; write it like 2026-11-20") from None
    return days, until


def _with_deployments(store: Store, arguments: RecommendArguments, plan: Plan) -> tuple[list[Deployment], Plan]:
    """Return the given configurations, and the plan with their settings."""
    if not arguments.config:
        return [], plan
    from flink_flint.calculators.history.recommend.recommend_store import clusters_of
    from flink_flint.calculators.recommend.deployments import open_deployments

    found = open_deployments(
        arguments.config, clusters_of(store), flink_version=arguments.flink_version, named=plan.cluster
    )
    given = {one.cluster: dict(one.opened.document.values()) for one in found}
    release = plan.flink_version or str(found[0].opened.release)
    return found, replace(plan, given=given, flink_version=release)


def _rendered(found: Recommended, form: str, arguments: RecommendArguments) -> str:
    if form == "json":
        return json.dumps(found.as_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    from flink_flint.calculators.recommend.text_formats import as_lines, as_markdown

    if form == "markdown":
        return as_markdown(found, explain=bool(arguments.explain))
    style = Style(uses_color() and not arguments.output_file)
    lines = as_lines(found, style, terminal_width(), explain=bool(arguments.explain))
    return "".join(f"{line}\n" for line in lines)


def _report(store: Store, found: Recommended, plan: Plan, path: str, print_message: PrintMessage) -> None:
    """Write the report page. Raises ValueError."""
    from flink_flint.calculators.history.pipeline.importing import read_records
    from flink_flint.calculators.history.pipeline.read_store import window_of
    from flink_flint.calculators.pages.history_page import history_page
    from flink_flint.calculators.recommend.report_data import groups_of, page_of

    manifest = store.manifest()
    days = [day for day in window_of(manifest) if found.first <= day <= found.last]
    groups = groups_of(store, manifest, days, found)
    page = page_of(found, groups, list(read_records(store, manifest)), plan, made=time.time())
    save(path, history_page(page).encode(), "the report")
    print_message(f"{path}: wrote the report", kind="info")


def _write(made: Sequence[Patch], print_message: PrintMessage) -> None:
    from flink_flint.calculators.recommend.patch import write_all

    written = set()
    for one in write_all(made):
        written.add(one.path)
        print_message(f"{one.path}: wrote {count(len(one.changes), 'change')}", kind="info")
    for one in made:
        if one.path not in written:
            print_message(f"{one.path}: nothing to change", kind="info")
    _about(made, print_message)


def _about(made: Sequence[Patch], print_message: PrintMessage) -> None:
    """Print the changes that must be made by hand."""
    for one in made:
        for alone in one.left_alone:
            text = "it should not be set" if alone.wanted is None else f"recommended is {alone.wanted}"
            print_message(
                f"{one.deployment.opened.place(alone.key)}: {alone.key} is not changed, as it is a template; {text}",
                kind="info",
            )
        for key in one.undecided:
            print_message(
                f"{one.path}: {key} is not changed: the jobs need different values; set it in each job",
                kind="info",
            )
