"""`flint recommend` as people see it: text, Markdown, JSON, patches."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flink_flint.calculators.history.recommend.recommend_jobs import recommend
from flink_flint.calculators.history.recommend.recommend_store import merged
from flink_flint.calculators.history.recommend.recommendation import Missing, Plan, Recommendation, Recommended
from flink_flint.calculators.history.samples import JOB, OPERATOR, TASKMANAGER
from flink_flint.calculators.recommend.deployments import open_deployments
from flink_flint.calculators.recommend.run_recommend import (
    RecommendArguments,
    plan_of,
    run_recommend,
    show_recommendations,
)
from flink_flint.calculators.recommend.text_formats import as_lines
from flink_flint.linter.output.terminal_style import GOOD, Style
from tests.history.observations import CLUSTER, seen

MIB = 1 << 20
SLOTS = 14 * 288
CONFIGURATION = """\
# the cluster of the orders
taskmanager.memory.process.size: 16gb # too much
execution.checkpointing.interval: 60 s
execution.checkpointing.timeout: {{ timeout }}
s3.secret-key: hush
parallelism.default: 2
"""


def found(settings: dict[str, str] | None = None) -> Recommended:
    """A job of which much is to be said, on a cluster of its own."""
    async_ = {"scope": OPERATOR, "task": "enrich", "operator": "async enrich", "step": 300}
    observed = [
        seen("lastCheckpointDuration", np.full(SLOTS, 400_000.0), scope=JOB, step=300),
        seen("lastCheckpointFullSize", np.full(SLOTS, 3e9), scope=JOB, step=300),
        seen("numRecordsInPerSecond", np.full((2, SLOTS), 900.0), task="window", step=300),
        seen("trueProcessingRate.vertex", np.full(SLOTS, 1000.0), task="window", step=300),
        seen("numRecordsInPerSecond", np.full(SLOTS, 200.0), **async_),  # type: ignore[arg-type]
        seen("inFlight", np.append(np.full(SLOTS, 8.0), np.full(40, 10_004.0)), **async_),  # type: ignore[arg-type]
        seen("inFlightTime", np.full(SLOTS, 40.0), **async_),  # type: ignore[arg-type]
        seen("serviceRate", np.full(40, 625.0), **async_),  # type: ignore[arg-type]
        seen("Status.JVM.Memory.Heap.Used", np.full(SLOTS, 2e9), scope=TASKMANAGER, step=300),
        seen("heapLiveSet", np.full(SLOTS // 2, 1e9), scope=TASKMANAGER, step=600),
        seen("numRestarts", np.full(20, 1.0), scope=JOB, job="young"),
        seen("lastCheckpointDuration", np.full(20, 1.0), scope=JOB, job="young"),
    ]
    rows = list(recommend(observed, [], Plan(given={"": settings} if settings else {})))
    result = {
        "recommendations": [list(one) for one in rows if isinstance(one, Recommendation)],
        "missing": [list(one) for one in rows if not isinstance(one, Recommendation)],
        "jobs": [(CLUSTER, "orders", "orders"), (CLUSTER, "young", "young")],
        "clusters": [CLUSTER],
    }
    return merged("store", ["2025-11-20", "2025-12-03"], Plan(), [result])


ARGUMENTS = RecommendArguments("store")


class Said:
    """What was said on standard error."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, message: str, kind: str = "error") -> None:
        self.lines.append(message)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@pytest.fixture
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "flink-conf.yaml"
    path.write_text(CONFIGURATION)
    return path


def shown(recommended: Recommended, form: str, path: Path, **options: Any) -> str:
    """The output of a form."""
    out = path / "out"
    config = (str(options.pop("config")),) if "config" in options else ()
    deployments = open_deployments(config, {CLUSTER: ["orders"]}, flink_version=None, named="")
    said = Said()
    arguments = ARGUMENTS._replace(output_format=form, output_file=str(out), config=config, **options)
    assert show_recommendations(recommended, deployments, arguments, said) == 0
    return out.read_text()


SETTINGS = {
    "taskmanager.memory.process.size": "16gb", "execution.checkpointing.interval": "60 s", "parallelism.default": "2",
}  # fmt: skip


@pytest.mark.parametrize("width", [80, 120])
def test_the_table(golden: Callable[[str, str], None], width: int) -> None:
    lines = list(as_lines(found(SETTINGS), Style(False), width, explain=False))
    golden(f"recommend/text-{width}.txt", "\n".join(lines) + "\n")
    assert max(map(len, lines)) <= width


def test_the_table_explained(golden: Callable[[str, str], None]) -> None:
    lines = list(as_lines(found(SETTINGS), Style(False), 100, explain=True))
    golden("recommend/explained.txt", "\n".join(lines) + "\n")
    assert max(map(len, lines)) <= 100


def test_what_a_terminal_colors_reads_the_same() -> None:
    import re

    plain = list(as_lines(found(SETTINGS), Style(False), 80, explain=True))
    painted = list(as_lines(found(SETTINGS), Style(True), 80, explain=True))
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in painted] == plain


def test_a_value_that_can_be_lowered_is_good_news() -> None:
    painted = [line for line in as_lines(found(SETTINGS), Style(True), 80, explain=False) if line.startswith("  ")]
    row = next(line for line in painted if "async-io.capacity" in line)
    assert row.startswith(f"  {Style(True).paint(GOOD, 'v')} ")


@pytest.mark.parametrize(("explain", "listed", "more"), [(False, 12, ["  and 2 more (--explain)"]), (True, 14, [])])
def test_missing_data_is_listed_up_to_a_limit(explain: bool, listed: int, more: list[str]) -> None:
    missing = [Missing(CLUSTER, "orders", "", "kinesis", f"no metric {number}") for number in range(14)]
    lines = list(as_lines(found(SETTINGS)._replace(missing=missing), Style(False), 80, explain=explain))
    assert sum(line.startswith("  - kinesis: no metric") for line in lines) == listed
    assert [line for line in lines if line.startswith("  and ")] == more


def test_the_markdown(golden: Callable[[str, str], None], tmp_path: Path) -> None:
    golden("recommend/markdown.md", shown(found(SETTINGS), "markdown", tmp_path))


def test_the_json(golden: Callable[[str, str], None], tmp_path: Path) -> None:
    text = shown(found(SETTINGS), "json", tmp_path)
    golden("recommend/answer.json", text)
    told = json.loads(text)
    assert told["version"] == 1
    capacity = next(one for one in told["recommendations"] if one["key"] == "async-io.capacity")
    assert (capacity["current"], capacity["severity"], capacity["unit"]) == (10_000, "lower", "count")
    order = [(one["job"], one["calculator"]) for one in told["recommendations"]]
    assert [job for job, _ in order] == sorted(job for job, _ in order)


def test_the_patch_changes_options_alone_and_applies(
    golden: Callable[[str, str], None], configuration: Path, tmp_path: Path
) -> None:
    text = shown(found(SETTINGS), "patch", tmp_path, config=configuration)
    golden("recommend/changes.patch", text)
    assert "hush" not in text
    assert "async-io" not in text
    assert "timeout }}" not in "".join(line for line in text.splitlines() if line.startswith(("-", "+")))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    flags = ["--unidiff-zero"] if text.startswith("#") else []
    subprocess.run(["git", "apply", *flags, "out"], cwd=tmp_path, check=True)
    changed = configuration.read_text()
    assert "# too much" in changed
    assert "s3.secret-key: hush" in changed
    assert "16gb" not in changed


def test_write_puts_the_same_into_the_file_and_tells_of_templates(configuration: Path) -> None:
    said = Said()
    deployments = open_deployments([str(configuration)], {CLUSTER: ["orders"]}, flink_version=None, named="")
    arguments = ARGUMENTS._replace(write=True, config=(str(configuration),), output_file=os.devnull)
    assert show_recommendations(found(SETTINGS), deployments, arguments, said) == 0
    written = configuration.read_text()
    assert "{{ timeout }}" in written
    assert "16gb" not in written
    assert "is not changed" in said.text
    assert "wrote" in said.text
    assert "nothing to change" not in said.text
    again = open_deployments([str(configuration)], {CLUSTER: ["orders"]}, flink_version=None, named="")
    show_recommendations(found(SETTINGS), again, arguments, said)
    assert configuration.read_text() == written
    assert "nothing to change" in said.text


def test_nothing_is_written_where_one_file_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good = tmp_path / "flink-conf.yaml"
    good.write_text("execution.checkpointing.interval: 60 s\n")
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "config.yaml"
    other.write_text("? execution.checkpointing.interval\n: 60 s\n")
    rows = found(SETTINGS).recommendations
    two = found(SETTINGS)._replace(recommendations=[*rows, *(one._replace(cluster="other") for one in rows)])
    clusters = {CLUSTER: ["orders"], "other": ["x"]}
    deployments = open_deployments([str(good)], clusters, flink_version="1.20", named=CLUSTER)
    deployments += open_deployments([str(other)], clusters, flink_version=None, named="other")
    arguments = ARGUMENTS._replace(write=True, config=(str(good), str(other)), output_file=os.devnull)
    before = good.read_text(), other.read_text()
    with pytest.raises(ValueError, match=r"other.config\.yaml"):
        show_recommendations(two, deployments, arguments, Said())
    assert (good.read_text(), other.read_text()) == before


def test_jobs_that_want_different_values_are_not_decided_between(configuration: Path) -> None:
    one = found(SETTINGS)
    key = "execution.checkpointing.interval"
    row = next(row for row in one.recommendations if row.key == key)
    other = row._replace(job="other", recommended=7200.0, recommended_text="2 h")
    said = Said()
    text = shown_with(one._replace(recommendations=[*one.recommendations, other]), configuration, said)
    assert key not in text
    assert "jobs need different values" in said.text


def shown_with(recommended: Recommended, configuration: Path, said: Said) -> str:
    deployments = open_deployments([str(configuration)], {CLUSTER: ["orders"]}, flink_version=None, named="")
    out = configuration.parent / "out"
    arguments = ARGUMENTS._replace(diff=True, config=(str(configuration),), output_file=str(out))
    show_recommendations(recommended, deployments, arguments, said)
    return "".join(line for line in out.read_text().splitlines() if line.startswith(("-", "+")))


def test_of_two_recommendations_for_an_option_the_larger_one_is_written(configuration: Path) -> None:
    one = found(SETTINGS)
    row = next(row for row in one.recommendations if row.key == "execution.checkpointing.interval")
    rows = [
        row._replace(recommended=value, recommended_text=text)
        for value, text in ((600.0, "10 min"), (1200.0, "20 min"), (300.0, "5 min"))
    ]
    text = shown_with(one._replace(recommendations=rows), configuration, Said())
    assert "+execution.checkpointing.interval: 20 min" in text


def test_which_cluster_a_configuration_is_for(tmp_path: Path) -> None:
    path = tmp_path / "flink-conf.yaml"
    path.write_text("kubernetes.cluster-id: my-cluster\n")
    clusters = {"my_cluster": ["a"], "other": ["b"]}
    (one,) = open_deployments([str(path)], clusters, flink_version=None, named="")
    assert one.cluster == "my_cluster"
    path.write_text("pipeline.name: b\n")
    (one,) = open_deployments([str(path)], clusters, flink_version=None, named="")
    assert one.cluster == "other"
    path.write_text("parallelism.default: 2\n")
    with pytest.raises(ValueError, match=r"does not name its cluster in the store \(my_cluster, other\)"):
        open_deployments([str(path)], clusters, flink_version=None, named="")
    with pytest.raises(ValueError, match="give one of the two"):
        open_deployments([str(path), str(path)], {"only": []}, flink_version=None, named="")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"write": True}, "^--write requires --config"),
        ({"diff": True}, "^--diff requires --config"),
        ({"output_format": "patch"}, "^--output-format patch requires --config"),
        ({"write": True, "output_format": "patch", "config": ("x",)}, "only show what --write"),
        ({"flink_version": "nine"}, "nine"),
        ({"window": "30 x"}, "write it like 30d"),
        ({"window": "5200000w"}, "100 years"),
        ({"write": True, "diff": True, "config": ("x",)}, "only show what --write"),
        ({"calculator": ("asink-io",)}, "did you mean async-io"),
        ({"window": "soon"}, "write it like 30d"),
        ({"window": "0"}, "more than 0"),
        ({"until": "yesterday"}, "write it like 2026-11-20"),
        ({"half_life": "-2d"}, "--half-life"),
    ],
)
def test_what_cannot_be_asked_is_told_before_spark_starts(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    from flink_flint.calculators.history.store.layout import Store

    store = Store(str(tmp_path / "store"))
    store.create()
    with pytest.raises(ValueError, match=message):
        run_recommend(ARGUMENTS._replace(history=store.path, **options), Said())


@pytest.mark.parametrize("options", [{"diff": True}, {"output_format": "patch"}, {"write": True}])
def test_a_change_of_a_configuration_can_be_shown_or_written(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="flint history import"):
        run_recommend(ARGUMENTS._replace(history=str(tmp_path / "none"), config=("x",), **options), Said())


def test_the_plan_without_options_is_the_default_one() -> None:
    assert plan_of(ARGUMENTS) == Plan()


def test_the_plan_of_all_options() -> None:
    arguments = ARGUMENTS._replace(
        cluster="eu", flink_version="1.20", job=("orders",), calculator=("Async_IO",), half_life="1w"
    )
    expected = Plan(flink_version="1.20", half_life=7, calculators=("async-io",), jobs=("orders",), cluster="eu")
    assert plan_of(arguments) == expected


def test_no_store_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="flint history import"):
        run_recommend(ARGUMENTS._replace(history=str(tmp_path / "none")), Said())


def test_the_output_goes_to_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    class Out(io.StringIO):
        buffer = io.BytesIO()

    out = Out()
    monkeypatch.setattr(sys, "stdout", out)
    show_recommendations(found(SETTINGS), [], ARGUMENTS._replace(output_format="json"), Said())
    assert json.loads(Out.buffer.getvalue())["version"] == 1
