"""What a change does apart from its new findings, in the formats that people read and in JSON; and long reports."""

from __future__ import annotations

import json
from copy import copy
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.comparison_result import FlintConfigChange, Unjudged
from flink_flint.linter.engine.discovery import Problem, Skipped, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.finding import Excerpt
from flink_flint.linter.output import Context
from tests.output.odd_files import checked, rendered, write
from tests.output.test_change_summary import NOTHING

CHANGED = NOTHING._replace(settings=(FlintConfigChange("flint.toml", "changed"),))
NOTE = "files are checked with the flint configuration of main until the change is merged"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report with a finding."""
    file = tmp_path_factory.mktemp("conf") / "flink-conf.yaml"
    file.write_text("blob.storage.directory: /tmp/blobs\n", encoding="utf-8")
    return check(find([str(file)]), Options(flink_version="1.20", select=("FLK101",)))


def test_the_terminal_shows_what_hides_findings_first(plain: Report, tmp_path: Path) -> None:
    def head(report: Report) -> str:
        return rendered("full", report, tmp_path).partition("FLK101")[0]

    assert head(plain) == head(plain._replace(comparison=NOTHING)) != head(plain._replace(comparison=CHANGED))
    shown = head(plain._replace(comparison=CHANGED))
    assert shown.splitlines()[:3] == [
        "flint configuration changed: flint.toml: changed in this change",
        f"note: {NOTE}",
        "",
    ]
    gone = head(plain._replace(comparison=NOTHING._replace(no_longer_read=(Unjudged("b.yaml", "deleted", 2),))))
    assert gone.splitlines()[:2] == ["no longer read: b.yaml: deleted; it had 2 findings in main", ""]
    assert "note:" not in gone


def test_markdown_shows_what_hides_findings_first(plain: Report, tmp_path: Path) -> None:
    def shown(report: Report) -> str:
        return rendered("markdown", report, tmp_path)

    text = shown(plain._replace(comparison=CHANGED))
    assert "- **flint configuration changed** `flint.toml`: changed in this change\n" in text
    assert f"\n{NOTE[0].upper()}{NOTE[1:]}.\n" in text
    gone = shown(plain._replace(comparison=NOTHING._replace(no_longer_read=(Unjudged("b.yaml", "deleted", 0),))))
    assert "- **no longer read** `b.yaml`: deleted\n" in gone
    assert NOTE[1:] not in gone
    assert "**flint configuration changed**" not in shown(plain)


def test_json_names_what_was_not_read_and_counts_if_wanted(plain: Report, tmp_path: Path) -> None:
    def shown(report: Report, context: Context = Context()) -> dict[str, object]:  # noqa: B008
        made: dict[str, object] = json.loads(rendered("json", report, tmp_path, context))
        return made

    assert {"unread", "statistics", "comparison"}.isdisjoint(shown(plain))
    assert shown(plain._replace(problems=[Problem("x.yaml", "too large")]))["unread"] == ["x.yaml"]
    assert shown(plain, Context(statistics=True))["statistics"] == {"FLK101": 1}
    assert "comparison" in shown(plain._replace(comparison=NOTHING))


def test_reasons_for_not_reading_are_named_once(plain: Report, tmp_path: Path) -> None:
    skipped = [Skipped(name, "too large", is_unread=True) for name in ("b", "c", "d")]
    text = rendered("markdown", plain._replace(skipped=[*skipped, Skipped("e", "exclude")]), tmp_path)
    assert "too large (and 2 more)" in text
    assert "too large (and" not in rendered("markdown", plain._replace(skipped=skipped[:1]), tmp_path)


@pytest.mark.parametrize(
    ("line", "start", "shown"),
    [
        ("x" * 160, 150, "x" * 160),
        ("a" + "x" * 160, 0, "a" + "x" * 159 + "…"),
        ("a" + "x" * 160, 160, "…" + "x" * 160),
        ("a" * 100 + "b" * 300, 100, "…" + "a" * 40 + "b" * 120 + "…"),
        ("a\tb\x1b", 0, "a    b"),
    ],
)
def test_long_lines_are_cut_around_the_finding(
    plain: Report, tmp_path: Path, line: str, start: int, shown: str
) -> None:
    (one,) = plain.findings
    found = copy(one)
    found.where = one.where._replace(excerpt=Excerpt(1, (line,), start, start + 1))
    text = rendered("markdown", plain._replace(findings=[found]), tmp_path)
    excerpt = next(line for line in text.splitlines() if line.startswith("1 | "))
    assert excerpt.removeprefix("1 | ").rstrip("\ufffd ") == shown


def test_files_that_were_left_out_on_purpose_are_no_problem(plain: Report, tmp_path: Path) -> None:
    quiet = plain._replace(findings=[], skipped=[Skipped("e", "exclude")])
    assert "nothing found in 1 file" in rendered("markdown", quiet, tmp_path)
    assert "All checks passed in 1 file" in rendered("full", quiet, tmp_path)
    assert "exclude" not in rendered("markdown", quiet, tmp_path)
    (notes,) = json.loads(rendered("sarif", quiet, tmp_path))["runs"][0]["invocations"]
    assert [note["level"] for note in notes["toolExecutionNotifications"]] == ["note"]


def test_unread_files_are_named_where_nothing_is_found(plain: Report, tmp_path: Path) -> None:
    unread = plain._replace(findings=[], skipped=[Skipped("b", "too large", is_unread=True)])
    assert "no findings, but 1 file could not be read" in rendered("markdown", unread, tmp_path)
    assert "No findings, but 1 file could not be read.\n" in rendered("full", unread, tmp_path)
    (notes,) = json.loads(rendered("sarif", unread, tmp_path))["runs"][0]["invocations"]
    assert [note["level"] for note in notes["toolExecutionNotifications"]] == ["warning"]


def test_a_doubt_about_a_fix_is_reported(tmp_path: Path) -> None:
    write(tmp_path, {"flink-conf.yaml": b"akka.framesize: 20971520b\n"})
    report = checked(tmp_path, "deprecated-key")
    (one,) = report.findings

    def fix() -> dict[str, object]:
        (found,) = json.loads(rendered("json", report, tmp_path))["findings"]
        return found["fix"]  # type: ignore[no-any-return]

    def message() -> str:
        (found,) = json.loads(rendered("rdjson", report, tmp_path))["diagnostics"]
        return found["message"]  # type: ignore[no-any-return]

    assert (fix()["safety"], fix()["doubt"]) == ("safe", None)
    assert "not safe" not in message()
    one.doubt_fix("leads to other findings")
    assert (fix()["safety"], fix()["doubt"]) == ("unsafe", "leads to other findings")
    assert "The suggestion is not safe: " in message()
    assert "leads to other findings" in message()


def test_a_comment_holds_the_worst_files_first_and_says_what_is_left_out(plain: Report, tmp_path: Path) -> None:
    (one,) = plain.findings
    few, many = (rendered("markdown", plain._replace(findings=[one] * n), tmp_path) for n in (2, 5_000))
    assert few.count("**warning**") == 2
    assert len(many) < 1_200_000
    assert 2 < many.count("**warning**") < 5_000
