"""`flint recommend`: from command-line arguments to recommendations and the exit status."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.answering.calculator import NAMES
from flink_flint.calculators.command_line.similar_names import near_names
from flink_flint.linter.filesystem.writing import put_out, save
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.encoding import names_without_secrets, neutral_painted
from flink_flint.linter.output.terminal_style import Style, count, terminal_width, uses_color
from flink_flint.linter.text.digits import number

if TYPE_CHECKING:
    from flink_flint.calculators.history.recommend.recommendation import Plan, Recommended
    from flink_flint.calculators.history.store.layout import Store
    from flink_flint.calculators.recommend.deployments import Deployment
    from flink_flint.calculators.recommend.patch import Patch

PrintMessage = Callable[..., None]

FORMATS = ("text", "json", "markdown", "patch")
_DAYS = {"d": 1, "w": 7, "day": 1, "days": 1, "week": 7, "weeks": 7}


def run_recommend(options: Mapping[str, Any], print_message: PrintMessage) -> int:
    """Compute recommendations and print or write them; return 0. Raises ValueError for bad options or data.

    `options` are those of the command by name: ``history``, ``job``, ``calculator``, ``cluster``, ``config``,
    ``flink_version``, ``window``, ``half_life``, ``until``, ``output_format``, ``output_file``, ``write``, ``diff``,
    ``report``, ``explain``, ``master``, ``remote``, ``conf``.
    """
    _agree(options)
    from flink_flint.linter.output.missing_packages import missing_history_package

    try:
        from flink_flint.calculators.history.recommend.recommend_store import recommend_store
        from flink_flint.calculators.history.recommend.recommendation import HALF_LIFE, Plan
        from flink_flint.calculators.history.store.layout import Store
        from flink_flint.calculators.history.store.spark_session import session
    except ModuleNotFoundError as missing:
        raise missing_history_package(missing) from None
    store = Store(options["history"])
    store.check()
    plan = Plan(
        flink_version=_release(options["flink_version"]),
        half_life=_days(options["half_life"], "--half-life") if options["half_life"] else HALF_LIFE,
        calculators=tuple(_calculator(name) for name in options["calculator"]),
        jobs=tuple(options["job"]),
        cluster=options["cluster"] or "",
    )
    deployments, plan = _with_deployments(store, options, plan)
    window, until = _window(options)
    start = cache(partial(session, options["master"] or "", options["remote"] or "", options["conf"]))
    found = recommend_store(start, store, plan, window=window, until=until)
    if options["report"]:
        _report(store, found, plan, options["report"], print_message)
    return show_recommendations(found, deployments, options, print_message)


def show_recommendations(
    found: Recommended, deployments: Sequence[Deployment], options: Mapping[str, Any], print_message: PrintMessage
) -> int:
    """Print what was found, or write it into the configurations."""
    from flink_flint.calculators.recommend.patch import as_text, patches

    form = "patch" if options["diff"] else options["output_format"]
    made = patches(deployments, found.recommendations)
    if form == "patch":
        text = as_text(made)
        _about(made, print_message)
        if not text:
            print_message("nothing to change in the configurations given", kind="info")
    else:
        text = _rendered(names_without_secrets(found), form, options)
    put_out(text if form == "patch" else neutral_painted(text), options["output_file"], "the recommendations")
    if options["write"]:
        _write(made, print_message)
    return 0


def _agree(options: Mapping[str, Any]) -> None:
    """Raise ValueError for options that cannot be combined."""
    patch = options["output_format"] == "patch"
    if (options["write"] or options["diff"] or patch) and not options["config"]:
        wanting = "--write" if options["write"] else "--diff" if options["diff"] else "--output-format patch"
        raise ValueError(f"{wanting} requires --config FILE: the Flink configuration to change")
    if options["write"] and (options["diff"] or patch):
        raise ValueError("--diff and --output-format patch only show what --write would write: give one of them")


def _release(named: str | None) -> str:
    """Return a release as given; raises ValueError for an unknown one."""
    if named:
        parse_release(named)
    return named or ""


def _calculator(name: str) -> str:
    known = name.strip().lower().replace("_", "-")
    if known not in NAMES:
        near = near_names(known, NAMES, most=1)
        text = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(NAMES)}"
        raise ValueError(f"--calculator {name}: is no calculator{text}")
    return known


def _days(text: str, flag: str) -> float:
    """Parse days from ``30d``, ``4 weeks``, ``30``. Raises ValueError."""
    text = text.strip().lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(digits) :].strip() or "d"
    amount = number(digits)
    if amount is None or unit not in _DAYS:
        raise ValueError(f"{flag} {text}: is no number of days; write it like 30d or 4w")
    days = amount * _DAYS[unit]
    if not 0 < days <= 36_500:
        raise ValueError(f"{flag} {text}: allowed are more than 0 and up to 100 years of days")
    return days


def _window(options: Mapping[str, Any]) -> tuple[int, str]:
    from flink_flint.calculators.history.recommend.recommendation import WINDOW

    days = max(1, round(_days(options["window"], "--window"))) if options["window"] else WINDOW
    until = options["until"] or ""
    if until:
        try:
            until = date.fromisoformat(until).isoformat()
        except ValueError:
            raise ValueError(f"--until {until}: is no date; write it like 2026-11-20") from None
    return days, until


def _with_deployments(store: Store, options: Mapping[str, Any], plan: Plan) -> tuple[list[Deployment], Plan]:
    """Return the given configurations, and the plan with their settings."""
    if not options["config"]:
        return [], plan
    from flink_flint.calculators.history.recommend.recommend_store import clusters_of
    from flink_flint.calculators.recommend.deployments import open_deployments

    found = open_deployments(
        options["config"], clusters_of(store), flink_version=options["flink_version"], named=plan.cluster
    )
    given = {one.cluster: dict(one.opened.document.values()) for one in found}
    release = plan.flink_version or str(found[0].opened.release)
    return found, replace(plan, given=given, flink_version=release)


def _rendered(found: Recommended, form: str, options: Mapping[str, Any]) -> str:
    if form == "json":
        return json.dumps(found.as_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    from flink_flint.calculators.recommend.text_formats import as_lines, as_markdown

    if form == "markdown":
        return as_markdown(found, explain=bool(options["explain"]))
    style = Style(uses_color() and not options["output_file"])
    lines = as_lines(found, style, terminal_width(), explain=bool(options["explain"]))
    return "".join(f"{line}\n" for line in lines)


def _report(store: Store, found: Recommended, plan: Plan, path: str, print_message: PrintMessage) -> None:
    """Write the report page. Raises ValueError."""
    from flink_flint.calculators.history.pipeline.importing import read_records
    from flink_flint.calculators.history.pipeline.windows import window_of
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
    """Print what remains to be done by hand."""
    for one in made:
        for alone in one.left_alone:
            text = "it should not be set" if alone.wanted is None else f"wanted is {alone.wanted}"
            print_message(
                f"{one.deployment.opened.place(alone.key)}: {alone.key} is left alone, as it is a template; {text}",
                kind="info",
            )
        for key in one.undecided:
            print_message(
                f"{one.path}: {key} is left alone: the jobs want different values of it; set it in each job",
                kind="info",
            )
