"""Recommendations for a whole store: `recommend_store` distributes slices to executors and orders the results.

`recommend_slice` does the work of an executor, with JSON as input and output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from flink_flint.calculators.answering.calculator import NAMES
from flink_flint.calculators.formulas.quantity import spell_count
from flink_flint.calculators.history.pipeline.read_store import paths_of, read_groups, window_of
from flink_flint.calculators.history.recommend.evidence import gathered
from flink_flint.calculators.history.recommend.expected_demand import SCORED_DAYS
from flink_flint.calculators.history.recommend.process_sizes import agreed
from flink_flint.calculators.history.recommend.recommend_jobs import METRICS, TIME_SERIES, recommend
from flink_flint.calculators.history.recommend.recommendation import (
    WINDOW,
    Missing,
    Plan,
    Recommendation,
    Recommended,
    Row,
)
from flink_flint.calculators.history.store.layout import SLICES, File, Manifest, Store
from flink_flint.calculators.history.store.spark_session import Start, run_pieces
from flink_flint.linter.flink.reporter_names import sanitized

_PIECES = SLICES
"""One slice each: jobs differ in size, and small pieces keep all cores busy until the end."""


def recommend_slice(piece: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one JSON object with the recommendations for all jobs and clusters in the slices of `piece`.

    It runs on an executor.

    `piece`: ``store``, ``histograms`` and ``rollups`` (paths), ``slices`` and ``days`` (first and last), ``records``
    (files of the store) and ``plan``. Yields one object with ``recommendations``, ``missing`` and ``jobs``.
    """
    from flink_flint.calculators.history.pipeline.importing import read_records

    settings = piece["plan"]
    plan = Plan(
        **{**settings, "calculators": tuple(settings["calculators"]), "jobs": tuple(settings["jobs"])},
    )
    groups = read_groups(
        piece["histograms"], piece["rollups"], range(*piece["slices"]), (piece["days"][0], piece["days"][1]),
        half_life=plan.half_life, metrics=METRICS, time_series=TIME_SERIES,
    )  # fmt: skip
    manifest = Manifest(records=[File(*one) for one in piece["records"]])
    clusters = {group.cluster for group in groups}
    records = [one for one in read_records(Store(piece["store"]), manifest) if one.cluster in clusters]
    rows = list(recommend(groups.values(), records, plan))
    yield {
        "recommendations": [list(one) for one in rows if isinstance(one, Recommendation)],
        "missing": [list(one) for one in rows if isinstance(one, Missing)],
        "jobs": sorted({(job.cluster, job.job, job.name) for job in gathered(groups.values()).jobs}),
        "clusters": sorted(clusters),
    }


def recommend_store(start: Start, store: Store, plan: Plan, *, window: int = WINDOW, until: str = "") -> Recommended:
    """Return recommendations from the last `window` days (0: all) up to the date `until` (empty: the store's last).

    Raises ValueError for an empty store, and for an unknown cluster or job.
    """
    manifest = store.manifest()
    days = window_of(manifest, window, until)
    if not days:
        text = f" up to {until}" if until else ""
        raise ValueError(
            f"{store.path}: contains no days{text}; run `flint history import SOURCE --into {store.path}` first"
        )
    results = run_pieces(start, pieces_of(store, manifest, days, plan), recommend_slice)
    return merged(store.path, days, plan, results)


def clusters_of(store: Store) -> dict[str, list[str]]:
    """Return the clusters with recent data in a store, each with the sanitized names of its jobs."""
    from flink_flint.calculators.history.pipeline.staging import read_slices

    manifest = store.manifest()
    paths = paths_of(store, manifest, window_of(manifest, WINDOW), "series")
    pairs: set[tuple[str, str]] = set()
    for path in paths:
        for table in read_slices(path, range(SLICES), ["slice", "cluster", "job", "job_id"]):
            columns = (table.column(name).to_pylist() for name in ("cluster", "job", "job_id"))
            pairs.update((cluster, sanitized(job or job_id)) for cluster, job, job_id in zip(*columns, strict=True))
    found: dict[str, list[str]] = {}
    for cluster, job in sorted(pairs):
        found.setdefault(cluster, []).extend([job] if job else [])
    return found


def pieces_of(store: Store, manifest: Manifest, days: Sequence[str], plan: Plan) -> list[dict[str, Any]]:
    """Return the arguments of `recommend_slice` for all slices of a store."""
    histograms = paths_of(store, manifest, days, "histograms")
    rollups = paths_of(store, manifest, days[-SCORED_DAYS:], "rollups")
    step = SLICES // _PIECES
    plain = {**asdict(plan), "given": {name: _texts(given) for name, given in plan.given.items()}}
    return [
        {
            "store": store.path, "histograms": histograms, "rollups": rollups, "slices": [first, first + step],
            "days": [days[0], days[-1]], "records": [list(file) for file in manifest.records], "plan": plain,
        }
        for first in range(0, SLICES, step)
    ]  # fmt: skip


def _texts(settings: Mapping[str, object]) -> dict[str, object]:
    """Return settings as JSON stores them."""
    return {
        key: value if isinstance(value, bool | int | float | str) else str(value) for key, value in settings.items()
    }


def merged(path: str, days: Sequence[str], plan: Plan, results: Iterable[Mapping[str, Any]]) -> Recommended:
    """Merge the results of all slices in a fixed order; raise ValueError for an unknown cluster or job."""
    results = list(results)
    seen = sorted({(one[0], one[1], one[2]) for result in results for one in result["jobs"]})
    _check(path, plan, seen, {name for result in results for name in result["clusters"]})
    only = {cluster: [name for held, _, name in seen if held == cluster] for cluster, _, _ in seen}
    recommendations, missing = [], []
    for result in results:
        for row in result["recommendations"]:
            one = Recommendation(*row)
            recommendations.append(one._replace(job=_job_of(one, only), remove=tuple(one.remove)))
        for row in result["missing"]:
            lacking = Missing(*row)
            missing.append(lacking._replace(job=_job_of(lacking, only)))
    recommendations = agreed(sorted(recommendations, key=_order), plan.release)
    if plan.jobs:
        required = {name for _, job, name in seen if plan.wants_job(job)}
        recommendations = [one for one in recommendations if one.job in required]
        missing = [one for one in missing if one.job in required]
    jobs = [(cluster, name) for cluster, job, name in seen if plan.wants_job(job)]
    return Recommended(path, days[0], days[-1], sorted(recommendations, key=_order), sorted(missing, key=_order), jobs)


def _check(path: str, plan: Plan, seen: Sequence[tuple[str, str, str]], held: set[str]) -> None:
    if plan.cluster and plan.cluster not in held:
        raise ValueError(f"{path}: has no cluster {plan.cluster!r}; it has {_listed(sorted(held))}")
    known = {job for _, job, _ in seen}
    for required in plan.jobs:
        if sanitized(required) not in known:
            raise ValueError(f"{path}: has no job {required!r}; it has {_listed([name for _, _, name in seen])}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {spell_count(len(names) - 10)} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more if names else "none"


def _job_of(row: Row, only: Mapping[str, Sequence[str]]) -> str:
    """Return the job of a row; for a cluster's row, the only job that ran there."""
    ran = only.get(row.cluster, ())
    return row.job or (ran[0] if len(ran) == 1 else "")


def _order(row: Row) -> tuple[object, ...]:
    key = row.key if isinstance(row, Recommendation) else row.reason
    return row.cluster, row.job, NAMES.index(row.calculator), row.operator, key
