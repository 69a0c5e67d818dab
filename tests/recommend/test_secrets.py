"""Names of jobs, operators and clusters come from outside: output with such names is safe."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from flink_flint.calculators.history.backtest.score_report import backtest
from flink_flint.calculators.history.methods.demand import Demand
from flink_flint.calculators.history.pipeline import coverage
from flink_flint.calculators.history.pipeline.coverage import Coverage, JobDays
from flink_flint.calculators.history.recommend.recommendation import Missing, Plan, Recommended
from flink_flint.calculators.history.samples import Record
from flink_flint.calculators.history.store.layout import Store
from flink_flint.calculators.pages.backtest_page import backtest_page
from flink_flint.calculators.pages.history_page import history_page
from flink_flint.calculators.recommend.deployments import open_deployments
from flink_flint.calculators.recommend.report_data import page_of
from flink_flint.calculators.recommend.run_recommend import show_recommendations
from flink_flint.linter.commands import backtest as backtesting
from flink_flint.linter.commands.backtest import BacktestArguments, run_backtest
from flink_flint.linter.commands.history import run_status
from flink_flint.linter.flink.secrets import HIDDEN
from flink_flint.linter.model.masking import settings_without_secrets
from flink_flint.linter.model.safe_text import names_without_secrets
from tests.recommend.test_running import ARGUMENTS, SETTINGS, Said, found

ACTING = "\x1b[31m\x07\x9b\u202e\u2066\u200b"
NAMES = (
    "orders password=hush01x7f3aQQ99",
    "s3://user:hush02x7f3aQQ99@bucket",
    "orders ghp_hush03x7f3aQQ99abcdefghijklmnopqrstuv",
    "orders-token: hush04x7f3aQQ99",
    f"orders {ACTING}",
)


def leaks(text: str) -> list[str]:
    """What of the names must not be shown."""
    acting = [char for char in ACTING if char in text and char not in "[31m"]
    return [*("hush" for _ in range(text.count("x7f3aQQ99"))), *acting]


def named(name: str) -> Recommended:
    """Recommendations for a job, an operator and a cluster of this name."""
    rows = [row._replace(job=name, operator=row.operator and name, cluster=name) for row in found().recommendations]
    rows = [row._replace(reason=f"{row.reason} of {name}") for row in rows]
    lacks = [Missing(name, name, name, "rocksdb", f"nothing is known of {name}")]
    return Recommended("store", "2025-11-20", "2025-12-03", rows, lacks, [(name, name)])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_no_form_shows_a_secret_or_acts(form: str, name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ARGUMENTS._replace(output_format=form, output_file=str(out), explain=True)
    assert show_recommendations(named(name), [], arguments, Said()) == 0
    text = out.read_text()
    assert leaks(text) == []
    assert "taskmanager.memory.process.size" in text
    if form == "json":
        assert all(one["cluster"] for one in json.loads(text)["recommendations"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_page_shows_a_secret_or_acts(name: str) -> None:
    page = page_of(named(name), {}, [], Plan(), made=1_770_000_000.0)
    assert leaks(history_page(page)) == []
    times = np.arange(0, 20 * 86400, 1800)
    judged = backtest({name: Demand(times, 100 + 50 * np.sin(times / 86400))})
    assert leaks(backtest_page(judged, name)) == []


def test_the_page_hides_the_secrets_among_the_settings() -> None:
    settings = {
        "s3.secret-key": "hush01x7f3aQQ99",
        "s3.secert-key": "hush02x7f3aQQ99",
        "state.checkpoints.dir": "s3://user:hush03x7f3aQQ99@bucket/x",
        "parallelism.default": "hush01x7f3aQQ99",
        "env.java.opts.all": "-Djavax.net.ssl.keyStorePassword=hush04x7f3aQQ99 -Xss1m",
        "rest.port": "8081",
    }
    recorded = Record("configuration", "prod", "", "", 1, dict(settings))
    for plan, records in ((Plan(given={"": settings}), []), (Plan(), [recorded])):
        text = history_page(page_of(found(), {}, records, plan, made=1_770_000_000.0))
        assert leaks(text) == []
        assert "env.java.opts.all" in text
    assert settings_without_secrets(settings)["rest.port"] == "8081"
    assert settings_without_secrets(settings)["state.checkpoints.dir"] == f"s3://user:{HIDDEN}@bucket/x"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_status_and_the_backtest_of_a_store_show_none(
    form: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(str(tmp_path / "store"))
    store.create()
    job = JobDays(name, name, {"2025-11-20": 1.0})
    sizes = dict.fromkeys(("samples", "series", "histograms", "rollups", "records", "quarantine"), (0, 0, 0))
    held = Coverage([job], sizes, ["2025-11-20"], 0, 0, [{"source": name}])
    monkeypatch.setattr(coverage, "coverage", lambda store, manifest: held)
    assert run_status(store.path, form, print) == 0
    times = np.arange(0, 20 * 86400, 1800)
    demand = Demand(times, 100 + 50 * np.sin(times / 86400))
    monkeypatch.setattr(backtesting, "_series", lambda path, jobs, show_recommendations: {name: demand})
    arguments = BacktestArguments(traces=None, store=store.path, job=(), output_format=form, report=None)
    assert run_backtest(arguments, print) == 0
    text = capsys.readouterr().out
    shown = text if form == "text" else text.encode().decode("unicode_escape")
    assert [one for one in leaks(shown) if one == "hush"] == []


def test_the_clusters_of_a_store_are_named_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "flink-conf.yaml"
    path.write_text("parallelism.default: 2\n")
    with pytest.raises(ValueError, match="does not name its cluster in the store") as raised:
        open_deployments([str(path)], {NAMES[0]: [], NAMES[1]: []}, flink_version=None, named="")
    assert leaks(str(raised.value)) == []


def test_what_has_no_secret_stays_as_it_is() -> None:
    whole = found(SETTINGS)
    assert names_without_secrets(whole) == whole
    assert names_without_secrets({"a": [1, ("x", None)], "b": "key groups: 128"}) == {
        "a": [1, ("x", None)], "b": "key groups: 128",
    }  # fmt: skip
