"""`flint backtest`: scores recommendation methods on recorded metrics, prints the result, and can write a report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from flink_flint.linter.model.safe_text import names_without_secrets
from flink_flint.linter.output.missing_packages import missing_history_package
from flink_flint.linter.output.terminal_style import count
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.calculators.history.methods.demand import Demand
    from flink_flint.calculators.history.pipeline.read_store import Groups
    from flink_flint.linter.commands.errors import PrintMessage

_RATES = ("arrivalRate", "numRecordsInPerSecond")
"""Throughput metrics, the preferred one first: all subtasks together."""
_MEMORY = ("heapLiveSet",)
"""Memory metrics: the process with the highest usage."""
_MAX_SERIES = 200
"""The maximum number of series of a store to evaluate; further ones are reported."""


class BacktestArguments(NamedTuple):
    """The arguments of `flint backtest`."""

    traces: str | None
    store: str | None
    job: tuple[str, ...]
    output_format: str
    report: str | None


def run_backtest(arguments: BacktestArguments, print_message: PrintMessage) -> int:
    """Run the backtest, print its result and return the exit status; raise ValueError for unusable input."""
    traces, store = arguments.traces, arguments.store
    if (traces is None) == (store is None):
        raise ValueError("give --traces DIR or --history STORE")
    if traces is not None and arguments.job:
        raise ValueError("--job requires --history STORE; traces have no jobs")
    try:
        from flink_flint.calculators.history.backtest.score_report import backtest
        from flink_flint.calculators.history.backtest.traces import read_traces
    except ModuleNotFoundError as missing:
        raise missing_history_package(missing) from None
    series = read_traces(Path(traces)) if traces is not None else _series(store or "", arguments.job, print_message)
    result = names_without_secrets(backtest(series))
    if arguments.report:
        from flink_flint.calculators.pages.backtest_page import backtest_page
        from flink_flint.linter.filesystem.writing import save

        save(arguments.report, backtest_page(result, traces or store or "").encode(), "the report")
    print(result.as_json() if arguments.output_format == "json" else result.as_text())
    return 0


def _series(path: str, jobs: tuple[str, ...], print_message: PrintMessage) -> dict[str, Demand]:
    """Return the demand series in a store, by display name."""
    from flink_flint.calculators.history.pipeline.read_store import paths_of, read_groups, window_of
    from flink_flint.calculators.history.store.layout import SLICES, Store
    from flink_flint.linter.flink.reporter_names import sanitized

    store = Store(path)
    manifest = store.manifest()
    days = window_of(manifest)
    if not days:
        raise ValueError(f"{path}: nothing imported yet: run `flint history import SOURCE --into {path}`")
    metrics = (*_RATES, *_MEMORY)
    found: dict[str, Demand] = {}
    for part in range(SLICES):
        groups = read_groups(
            paths_of(store, manifest, days, "histograms"), paths_of(store, manifest, days, "rollups"),
            range(part, part + 1), (days[0], days[-1]), half_life=7.0, metrics=metrics, time_series=metrics,
        )  # fmt: skip
        found.update(_demands(groups))
    if jobs:
        requested = {sanitized(job) for job in jobs}
        if unknown := requested - {sanitized(name.partition("/")[0]) for name in found}:
            raise ValueError(f"{path}: has no demand of a job {sorted(unknown)[0]}; see `flint history status {path}`")
        found = {name: demand for name, demand in found.items() if sanitized(name.partition("/")[0]) in requested}
    if len(found) > _MAX_SERIES:
        print_message(
            f"{count(len(found), 'series')} found, evaluating the {_MAX_SERIES} longest; select some with --job",
            kind="info",
        )
        longest = sorted(found, key=lambda name: (-len(found[name].times), name))[:_MAX_SERIES]
        found = {name: found[name] for name in sorted(longest)}
    return dict(sorted(found.items()))


def _demands(groups: Groups) -> Iterator[tuple[str, Demand]]:
    from flink_flint.calculators.history.methods.demand import Demand

    better = {group[:-1] for group in groups if group.metric == _RATES[0]}
    for group, observed in groups.items():
        time_series = observed.time_series
        if time_series is None or (group.metric == _RATES[1] and (group.scope != "task" or group[:-1] in better)):
            continue
        name = "/".join(filter(None, (group.job or f"({group.cluster})", group.task, group.operator, group.metric)))
        values = time_series.top if group.metric in _MEMORY else time_series.total
        yield name, Demand.of(time_series.times, values.astype(float))
