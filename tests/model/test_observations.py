"""Observed metrics: the summary file, the choice of the cluster, the metrics of rules, and a run with a history."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.engine.registry import modules, registry, rule_of
from flink_flint.linter.engine.selection import called_by_a_history
from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.model.observations import METRICS, Observations, Operator, Store, scoped
from flink_flint.linter.model.observed_summary import COLUMNS, NAME, SummaryFile, holders_of, write_summary
from flink_flint.linter.model.rule import Case, Rule
from tests.conftest import Flint
from tests.rules.cases import run
from tests.rules.observed_store import UNTIL, row_of, summary_of, write_store
from tests.test_imports import heavy, imported, rules_among

DURATION = "job/lastCheckpointDuration"
BUSY = "task/busyTimeMsPerSecond"
HEAP = "taskmanager/heapLiveSet"
OBSERVED: Mapping[str, Any] = {
    DURATION: {"p50": 20_000, "p99": 58_000},
    f"{DURATION} @ payments": {"p50": 2000, "p99": 4000},
    BUSY: {"p95": 700},
    f"{BUSY} @ Source: in": {"p95": 300},
    HEAP: 500 << 20,
}


def observations(folder: Path, values: Mapping[str, object] | None = None, **clusters: Any) -> Observations | None:
    return Store(write_store(folder, **(clusters or {"default": OBSERVED}))).of(values or {}, None)


def known(found: Observations | None) -> Observations:
    assert found is not None
    return found


# -- the file


numbers = st.none() | st.integers(-(2**50), 2**50) | st.floats(-1e15, 1e15).map(lambda value: float(f"{value:.6g}"))
rows = st.lists(numbers, min_size=len(COLUMNS) - 2, max_size=len(COLUMNS) - 2).map(lambda row: [60.0, 10.0, *row])
names = st.text(st.characters(codec="utf-8", exclude_characters="#"), min_size=1, max_size=8)


@st.composite
def summaries(draw: st.DrawFn) -> dict[str, Any]:
    def metrics(*scopes: str) -> dict[str, Any]:
        given_ = st.sampled_from(scopes)
        return draw(st.dictionaries(st.tuples(given_, names).map("/".join), rows, max_size=3))

    def jobs() -> dict[str, Any]:
        keys = draw(st.lists(names, max_size=3, unique=True))
        return {key: {"name": key, "from": 1, "until": 2, "metrics": metrics("job"), "operators": operators()}
                for key in keys}  # fmt: skip

    def operators() -> dict[str, Any]:
        keys = draw(st.lists(names, max_size=3, unique=True))
        return {key: {"name": key, "parallelism": 3, "metrics": metrics("task", "operator")} for key in keys}

    clusters = draw(st.lists(names, max_size=3, unique=True))
    return {
        "flint": "0.1.0", "until": 2,
        "clusters": {name: {"from": 1, "until": 2, "metrics": metrics("jobmanager", "stream"), "jobs": jobs()}
                     for name in clusters},
    }  # fmt: skip


def close(one: float | None, other: float | None) -> bool:
    return one == other or (one is not None and other is not None and abs(one - other) <= 1e-5 * abs(other))


@given(summaries())
@pytest.mark.slow
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, summary: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("store") / NAME
    path.write_bytes(write_summary(summary))
    store = Store(str(path.parent))
    assert store.clusters == list(summary["clusters"])
    for name, cluster in summary["clusters"].items():
        found = known(Store(f"{path.parent}#{name}").of({}, None))
        for metric, row in cluster["metrics"].items():
            assert all(close(found.at(metric, column, 0), row[n]) for n, column in enumerate(COLUMNS))
        assert [job.name for job in found.jobs()] == list(cluster["jobs"])
        for job in found.jobs():
            written = cluster["jobs"][job.key]
            assert all(
                close(job.number(m, column), row[n])
                for m, row in written["metrics"].items() for n, column in enumerate(COLUMNS)
            )  # fmt: skip
            assert [one.name for one in job.operators] == list(written["operators"])
            for one in job.operators:
                assert all(
                    close(one.number(m, column), row[n])
                    for m, row in written["operators"][one.key]["metrics"].items() for n, column in enumerate(COLUMNS)
                )  # fmt: skip


@given(summaries())
@pytest.mark.slow
def test_the_file_is_json_one_part_a_line(summary: dict[str, Any]) -> None:
    data = write_summary(summary)
    whole = json.loads(data)
    assert whole["format"] == 1
    assert len(whole["parts"]) == len(data.splitlines()) - 2
    for cluster in whole["clusters"].values():
        start, length = cluster["at"]
        begin = data.index(b"\n") + 1 + start
        assert json.loads(data[begin : begin + length])["jobs"] is not None


def test_infinite_numbers_are_left_out(tmp_path: Path) -> None:
    row = row_of({"p50": 1.0, "p95": float("nan"), "p99": float("inf")})
    summary = summary_of(default={HEAP: 1})
    summary["clusters"]["default"]["metrics"][HEAP] = row
    (tmp_path / NAME).write_bytes(write_summary(summary))
    found = known(Store(str(tmp_path)).of({}, None))
    assert found.observed(HEAP, p=0.5) == 1.0
    assert found.observed(HEAP, p=0.95) is None
    assert found.observed(HEAP, p=0.99) is None


@pytest.mark.parametrize(("samples", "minutes", "kept"), [(60, 10, True), (59, 10, False), (60, 9, False)])
def test_metrics_with_too_little_data_are_left_out(tmp_path: Path, samples: int, minutes: int, kept: bool) -> None:
    row = {"p50": 5, "samples": samples, "minutes": minutes}
    found = known(observations(tmp_path, default={DURATION: row, HEAP: row}))
    assert (found.observed(DURATION, p=0.5) is not None) is kept
    assert (found.observed(HEAP, p=0.5) is not None) is kept
    assert found.meets(DURATION) is kept


def test_one_sample_of_a_too_large_message_is_enough(tmp_path: Path) -> None:
    once = {"max": 9, "samples": 1, "minutes": 1}
    found = known(observations(tmp_path, default={"taskmanager/rpcMessageSize": once}))
    assert found.observed("taskmanager/rpcMessageSize") == 9


def broken(folder: Path, content: bytes) -> str:
    folder.mkdir(exist_ok=True)
    (folder / NAME).write_bytes(content)
    return str(folder)


def test_invalid_stores_are_errors(tmp_path: Path) -> None:
    whole = write_summary(summary_of(default=OBSERVED))
    with pytest.raises(ValueError, match=r"nowhere: no such history store; `flint history import SOURCE --into ST"):
        Store(str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match=rf"not a history store: it has no {NAME}; `flint history import"):
        Store(str(tmp_path))
    with pytest.raises(ValueError, match=r"s3://bucket/store: a check reads a local folder; copy summary\.json"):
        Store("s3://bucket/store")
    with pytest.raises(ValueError, match=r"is empty: write it again"):
        Store(broken(tmp_path / "empty", b""))
    with pytest.raises(ValueError, match=r"damaged .*: write it again with `flint history import`"):
        Store(broken(tmp_path / "other", b'{"version": 3}\n'))
    with pytest.raises(ValueError, match=r"damaged .*first line does not name clusters"):
        Store(broken(tmp_path / "half", b'{"format":1,"clusters":3,"parts":[\n'))
    with pytest.raises(ValueError, match="has format 7, and this version of flint reads up to 1: use the version"):
        Store(broken(tmp_path / "newer", whole.replace(b'{"format":1', b'{"format":7', 1)))
    cut = Store(broken(tmp_path / "cut", whole[: len(whole) // 2]))
    with pytest.raises(ValueError, match=r"cut: its summary\.json is damaged"):
        cut.of({}, None)


def test_an_open_summary_is_not_affected_by_its_replacement(tmp_path: Path) -> None:
    store = Store(write_store(tmp_path, default=OBSERVED))
    (tmp_path / "new").write_bytes(write_summary(summary_of(other={})))
    (tmp_path / "new").replace(tmp_path / NAME)
    assert known(store.of({}, None)).observed(DURATION, p=0.99) == 58_000
    assert SummaryFile(str(tmp_path)).clusters.keys() == {"other"}


# -- whose it is


TWO: Mapping[str, Any] = {"one": {HEAP: 1}, "ns_two": {HEAP: 2, DURATION: 5, f"{DURATION} @ pay-ments": 6}}


@pytest.mark.parametrize(
    ("values", "name", "cluster"),
    [
        ({"kubernetes.cluster-id": "one"}, None, "one"),
        ({"high-availability.cluster-id": "/one"}, None, "one"),
        ({"yarn.application.name": "ns two"}, None, "ns_two"),
        ({}, "FlinkDeployment ns/two", "ns_two"),
        ({}, "FlinkDeployment ns/one", "one"),
        ({"pipeline.name": "pay-ments"}, None, "ns_two"),
        ({}, None, None),
        ({"kubernetes.cluster-id": "three"}, None, None),
        ({"kubernetes.cluster-id": "one", "yarn.application.name": "ns_two"}, None, None),
        ({"kubernetes.cluster-id": "{{ .Values.name }}"}, None, None),
    ],
)
def test_a_document_names_its_cluster(
    tmp_path: Path, values: dict[str, object], name: str | None, cluster: str | None
) -> None:
    found = Store(write_store(tmp_path, **TWO)).of(values, name)
    assert (None if found is None else found.cluster) == cluster


def test_the_only_cluster_needs_no_name(tmp_path: Path) -> None:
    assert known(observations(tmp_path, {"kubernetes.cluster-id": "something-else"})).cluster == "default"


def test_a_cluster_named_with_the_store_wins(tmp_path: Path) -> None:
    path = write_store(tmp_path, **TWO)
    assert known(Store(f"{path}#one").of({"kubernetes.cluster-id": "ns_two"}, None)).cluster == "one"
    with pytest.raises(ValueError, match=r"has no cluster 'three'; it has one, ns_two"):
        Store(f"{path}#three")


def test_a_store_may_have_the_mark_in_its_name(tmp_path: Path) -> None:
    assert Store(write_store(tmp_path / "a#b", default=OBSERVED)).clusters == ["default"]


def test_a_document_that_names_its_job_sees_no_other(tmp_path: Path) -> None:
    both = known(observations(tmp_path))
    assert [job.name for job in both.jobs()] == ["orders", "payments"]
    assert both.observed(DURATION, p=0.99) == 58_000
    one = known(observations(tmp_path, {"pipeline.name": "payments"}))
    assert [job.name for job in one.jobs()] == ["payments"]
    assert one.observed(DURATION, p=0.99) == 4000
    assert one.observed(BUSY, p=0.95) is None
    assert one.observed(HEAP) == 500 << 20
    unknown = known(observations(tmp_path, {"pipeline.name": "refunds"}))
    assert unknown.jobs() == []
    assert unknown.observed(DURATION, p=0.99) is None


def test_names_are_matched_as_reporters_spell_them() -> None:
    assert sanitized("my job #1 (demo)") == "my_job__1__demo_"
    assert sanitized("Source: a:b_c") == "Source:_a:b_c"


# -- what rules hear


def test_an_observation_is_a_number_that_knows_where_it_comes_from(tmp_path: Path) -> None:
    longest = known(observations(tmp_path)).observed("lastCheckpointDuration", p=0.99)
    assert longest is not None
    assert longest / 1000 == 58.0
    assert longest.basis == "p99 of 14 days to 2025-11-20"
    assert longest.evidence == {
        "metric": DURATION, "statistic": "p99", "value": 58_000, "samples": 20_160, "minutes": 20_160, "days": 14,
        "cluster": "default", "job": "orders", "from": UNTIL - 14 * 86_400_000, "until": UNTIL,
    }  # fmt: skip
    json.dumps(longest.evidence)


def test_holders_beyond_a_bound_come_with_the_farthest_first(tmp_path: Path) -> None:
    found = known(observations(tmp_path))
    assert [float(busy) for busy in found.where(BUSY, p=0.95, above=100)] == [700, 300]
    assert [float(busy) for busy in found.where(BUSY, p=0.95, below=900)] == [300, 700]
    assert [float(busy) for busy in found.where(BUSY, p=0.95, above=300)] == [700]
    assert found.where(BUSY, p=0.95, above=700) == []
    operator = found.where(BUSY, p=0.95, below=400)[0].holder
    assert isinstance(operator, Operator)
    assert (operator.name, operator.parallelism, operator.job.name) == ("Source: in", 4, "orders")
    assert operator.is_source
    assert [one.name for one in operator.job.operators] == ["enrich", "Source: in"]


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        (BUSY, True), (HEAP, True), ("task/busySkew", False),
        (f"{BUSY} p95 > 699", True), (f"{BUSY} p95 > 700", False), (f"{BUSY} p95 < 301", True),
        (f"{BUSY} p95 < 300", False), (f"{BUSY} total > 0", False), ("task/busySkew p50 > 0", False),
        (f"{HEAP} max > 1000", True), (f"{HEAP} max < 1000", False), ("jobmanager/heapLiveSet max > 0", False),
    ],
)  # fmt: skip
def test_a_rule_runs_if_its_condition_is_met(tmp_path: Path, condition: str, met: bool) -> None:
    assert known(observations(tmp_path)).meets(condition) is met


def test_a_metric_goes_by_its_name_where_one_scope_has_it() -> None:
    assert scoped("lastCheckpointDuration") == DURATION
    assert scoped("task/whatever") == "task/whatever"
    with pytest.raises(ValueError, match="'heapLiveSet' is the name of several metrics"):
        scoped("heapLiveSet")
    with pytest.raises(ValueError, match="'uptime' is not a metric of a summary"):
        scoped("uptime")


def test_a_statistic_that_is_not_kept_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'p90' is not a statistic of a summary; use one of samples, minutes"):
        known(observations(tmp_path)).observed(DURATION, p=0.9)


@pytest.mark.slow
def test_a_summary_has_the_metrics_that_rules_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`METRICS` is exactly what the rules read in all of their cases."""
    seen = {
        word.removeprefix("observed:").split()[0]
        for declaration in registry().declarations
        for word in declaration.when
        if word.startswith("observed:")
    }
    at, between = Observations.at, Observations._between
    monkeypatch.setattr(Observations, "at", lambda self, m, s, p: (seen.add(m), at(self, m, s, p))[1])
    monkeypatch.setattr(Observations, "_between", lambda self, m, s, a, b: (seen.add(m), between(self, m, s, a, b))[1])
    cases: list[tuple[Rule, Case]] = [
        (rule, case)
        for module in modules()
        if (rule := rule_of(module)) is not None and rule.family == "observed"
        for case in importlib.import_module(module).cases()
    ]
    for number, (rule, case) in enumerate(cases):
        (tmp_path / str(number)).mkdir()
        run(rule, case, case.text, tmp_path / str(number))
    assert len({rule.code for rule, _ in cases}) >= 22
    assert sorted(seen) == sorted(METRICS)
    of_clusters = {metric.partition("/")[0] for metric in METRICS if holders_of(metric) is None}
    assert of_clusters == {"jobmanager", "taskmanager", "stream"}


def test_rules_of_the_family_wait_for_a_history() -> None:
    assert called_by_a_history() == registry().selected("observed")


def test_every_finding_of_the_family_shows_its_numbers(tmp_path: Path) -> None:
    for module in modules():
        rule = rule_of(module)
        if rule is None or rule.family != "observed":
            continue
        case = next(case for case in importlib.import_module(module).cases() if case.bad)
        folder = tmp_path / rule.name
        folder.mkdir()
        (finding,) = run(rule, case, case.text, folder).findings
        evidence = json.loads(json.dumps(finding.evidence))
        assert {"metric", "statistic", "value", "samples", "days", "cluster", "until"} <= evidence.keys(), rule.name
        assert "2025-11-20" in finding.message, rule.name
        assert finding.help, rule.name


# -- a run


CONFIG = "execution.checkpointing.timeout: 60 s\n"


def test_a_check_compares_with_the_history(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG)
    store = write_store(tmp_path / "store", default=OBSERVED)
    assert flint("check", "config.yaml", "--select", "observed").returncode == 0
    done = flint("check", "config.yaml", "--select", "observed", "--history", store, "--output-format", "json")
    assert (done.returncode, done.stderr) == (1, "")
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["code"], finding["family"]) == ("FLK650", "observed")
    assert finding["evidence"]["value"] == 58_000
    assert finding["fix"]["safety"] == "unsafe"


def test_a_fix_writes_the_value_that_the_history_suggests(flint: Flint, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)
    store = write_store(tmp_path / "store", default=OBSERVED)
    done = flint("check", config, "--select", "observed", "--history", store, "--fix", "--unsafe-fixes")
    assert done.returncode == 0, done.stderr
    assert config.read_text() == "execution.checkpointing.timeout: 10 min\n"


def test_a_history_of_other_clusters_has_no_findings_and_a_notice(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG)
    store = write_store(tmp_path / "store", **TWO)
    done = flint("check", "config.yaml", "--select", "observed", "--history", store)
    assert done.returncode == 0
    assert done.stderr == (
        f"info: config.yaml: the cluster in the history is unknown; {store} has one, ns_two: name one, as"
        f" in --history {store}#one\n"
    )
    assert flint("check", "config.yaml", "--select", "observed", "--history", f"{store}#one").stderr == ""
    empty = write_store(tmp_path / "empty")
    assert "contains no cluster yet" in flint("check", "config.yaml", "--history", empty).stderr


def test_an_unusable_store_ends_the_run(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG)
    done = flint("check", "config.yaml", "--history", tmp_path)
    assert done.returncode == 2
    assert "not a history store" in done.stderr


def test_flint_toml_may_name_the_history(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text(CONFIG)
    (tmp_path / "flint.toml").write_text('history = "store"\nselect = ["observed"]\n')
    write_store(tmp_path / "store", default=OBSERVED)
    done = flint("check", "conf/config.yaml", "--output-format", "concise")
    assert done.returncode == 1, done.stderr
    assert "FLK650" in done.stdout


def test_a_comment_that_accepts_an_observation_is_used_only_with_a_history(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(f"{CONFIG.strip()}  # flint: ignore[checkpoint-timeout-observed] known\n")
    store = write_store(tmp_path / "store", default=OBSERVED)
    selected = ("check", "config.yaml", "--select", "observed", "--extend-select", "unused-suppression")
    assert flint(*selected).stdout.count("FLK") == 0
    assert flint(*selected, "--history", store).stdout.count("FLK") == 0
    quiet = write_store(tmp_path / "quiet", default={HEAP: 1})
    assert "FLK044" in flint(*selected, "--history", quiet).stdout


def test_a_run_without_a_history_imports_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG)
    modules_ = imported(tmp_path, "check", "--exit-zero", "config.yaml")
    assert not {
        name
        for name in modules_
        if name.startswith(
            (
                "flink_flint.linter.model.observations",
                "flink_flint.linter.model.observed_summary",
                "flink_flint.rules.observed",
            )
        )
    }


def test_a_run_with_a_history_imports_only_the_rules_that_can_fire(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG)
    store = write_store(tmp_path / "store", default={"task/busySkew": 1.2, HEAP: 1 << 20})
    modules_ = imported(tmp_path, "check", "--exit-zero", "config.yaml", "--history", store)
    assert {name for name in rules_among(modules_) if name.startswith("flink_flint.rules.observed.")} == {
        "flink_flint.rules.observed.taskmanager_heap_tight", "flink_flint.rules.observed.taskmanager_heap_idle",
    }  # fmt: skip
    assert heavy(modules_) == set()
    assert "numpy" not in modules_
