"""`flint explain`, `flint rules` and `flint options`; the pages of calculators are tested in tests/calculators."""

from __future__ import annotations

import json

import pytest

from flink_flint.linter.commands.explain import problems_of
from flink_flint.linter.engine.registry import modules, registry
from tests.conftest import Flint


@pytest.mark.slow
def test_every_rule_is_listed_and_explained(flint: Flint) -> None:
    listed = json.loads(flint("rules", "--output-format", "json").stdout)
    assert listed["version"] == 1
    assert len(listed["rules"]) == len(modules())
    for row in listed["rules"]:
        assert set(row) == {
            *("code", "name", "family", "severity", "confidence", "pedantic", "summary", "since", "flink", "fix", "url")
        }
    text = flint("rules").stdout
    assert [row["code"] for row in listed["rules"] if row["code"] not in text] == []


@pytest.mark.slow
@pytest.mark.parametrize("word", ["FLK101", "flk101", "blob-storage-in-tmp", "blob_storage_in_tmp"])
def test_a_rule_by_code_or_name(word: str, flint: Flint) -> None:
    row = json.loads(flint("explain", word, "--output-format", "json").stdout)
    assert row["code"] == "FLK101"
    assert row["page"].startswith("# blob-storage-in-tmp (FLK101)\n")
    for section in ("What it does", "Why it matters", "What to do", "Sources", "Found", "Not found"):
        assert f"\n## {section}\n" in row["page"]
    assert "What to do" in flint("explain", word).stdout


def test_the_text_of_a_page_fits_the_terminal(flint: Flint) -> None:
    lines = flint("explain", "FLK101", COLUMNS="60").stdout.splitlines()
    assert [line for line in lines if len(line) > 60 and "http" not in line and not line.startswith("    ")] == []


def test_an_option_with_its_aliases_history_and_rules(flint: Flint) -> None:
    row = json.loads(flint("explain", "state.checkpoints.dir", "--output-format", "json").stdout)
    assert row["accepted_as"] == "deprecated"
    assert row["option"]["key"] == "execution.checkpointing.dir"
    old = json.loads(
        flint("explain", "state.checkpoints.dir", "--flink-version", "1.17", "--output-format", "json").stdout
    )
    assert (old["accepted_as"], old["option"]["key"]) == ("primary", "state.checkpoints.dir")
    text = flint("explain", "taskmanager.memory.network.max").stdout
    assert "1 gb" in text
    assert "1.17" in text
    assert "known to" in flint("explain", "metrics.reporter.prom.port").stdout


def test_a_removed_option_is_explained_for_its_last_release(flint: Flint) -> None:
    row = json.loads(flint("explain", "jobmanager.heap.size", "--output-format", "json").stdout)
    assert row["flink_version"] == "1.20"
    assert row["releases"][-1] == "1.20"


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("FLK1011", "FLK101"),
        ("blob-storage-tmp", "blob-storage-in-tmp"),
        ("akka.framsize", "akka.framesize"),
        ("asyncio", "async-io"),
    ],
)
def test_a_word_nobody_knows_gets_a_hint(word: str, hint: str, flint: Flint) -> None:
    result = flint("explain", word)
    assert result.returncode == 2
    assert hint in result.stderr


def test_options_of_a_release(flint: Flint) -> None:
    report = json.loads(flint("options", "framesize", "--flink-version", "1.17", "--output-format", "json").stdout)
    assert report["flink_version"] == "1.17"
    assert [option["key"] for option in report["options"]] == ["akka.framesize"]
    (option,) = json.loads(flint("options", "pekko.framesize", "--output-format", "json").stdout)["options"]
    assert option == {
        "key": "pekko.framesize", "type": "String", "default": "10485760b", "enum": None, "fallback_keys": [],
        "deprecated_keys": ["akka.framesize"], "deprecated": False, "templated": False, "since": "1.18", "until": None,
    }  # fmt: skip
    assert "akka.framesize" in flint("options", "*framesize", "--flink-version", "1.13").stdout
    assert flint("options", "no-such-thing-at-all").returncode == 2


def test_suffix_options_stand_under_their_template_and_as_declared(flint: Flint) -> None:
    report = json.loads(flint("options", "--flink-version", "1.20", "--output-format", "json").stdout)
    by_key = {option["key"]: option for option in report["options"]}
    assert by_key["metrics.reporter.<name>.factory.class"]["templated"]
    assert "metrics.reporter.<name>.factory.class" in by_key["factory.class"]["suffix_of"]
    assert len(by_key) == len(report["options"])


def test_rules_check_finds_them_in_order(flint: Flint) -> None:
    result = flint("rules", "--check")
    assert (result.returncode, result.stderr) == (0, "")
    assert str(sum(one.identity not in registry().own for one in registry().declarations)) in result.stdout


@pytest.mark.parametrize(
    ("summary", "is_fine"), [("", False), ("S", True), ("S" * 80, True), ("S" * 81, False), ("It says so.", False)]
)
def test_a_summary_is_one_short_line_without_a_full_stop(
    summary: str, is_fine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    declaration = registry().by_code["FLK101"]
    monkeypatch.setattr(declaration.load(), "summary", summary)
    problem = "its summary (docstring of the function) must have 1 to 80 characters and no full stop"
    assert list(problems_of(declaration)) == ([] if is_fine else [problem])
