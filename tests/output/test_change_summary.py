"""What a change does apart from its new findings, in words."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine.check_run import Problem, Report
from flink_flint.linter.engine.comparison_result import Comparison, FlintConfigChange, Moved, Unjudged
from flink_flint.linter.engine.discovery import Skipped
from flink_flint.linter.model.finding import Excerpt, Finding, Located, Severity
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.output.change_summary import (
    MAX_LINES,
    Line,
    counts_text,
    first_lines,
    flint_config_text,
    last_lines,
    shortened,
    unread_text,
    verdict,
)
from flink_flint.linter.text.spans import Position, Span

NOTHING = Comparison("main", "1234", (), 0, (), (), (), (), (), (), ())


def finding(path: str = "a.yaml", line: int = 3) -> Finding:
    made = Finding("it is wrong", Span(0, 0), severity=Severity.WARNING)
    made.path, made.code = path, "FLK900"
    made.where = Located(path, Position(line, 1), Position(line, 2), "", Excerpt(line, ("a",), 0, 1))
    return made


def silenced(reason: str = "", note: str | None = None, by: str = "comment") -> Silenced:
    one = finding()
    one.note = note
    return Silenced(one, by, "a.yaml", 2, reason)


def report(comparison: Comparison | None = None, **parts: object) -> Report:
    return Report([], [], [], 1, [], False, comparison=comparison)._replace(**parts)


def test_what_hides_findings_comes_first() -> None:
    comparison = NOTHING._replace(
        settings=(FlintConfigChange("flint.toml", "changed"),),
        newly_suppressed=(silenced(), silenced("known", "it grew")),
        no_longer_read=(Unjudged("b.yaml", "deleted", 0), Unjudged("c.yaml", "excluded", 1)),
        unreadable=(Unjudged("d.yaml", "too large", 2),),
    )
    text = "warning[FLK900] it is wrong (suppressed by a.yaml:2"
    assert first_lines(comparison) == [
        Line("flint configuration changed", "flint.toml", 0, "changed in this change"),
        Line("newly suppressed", "a.yaml", 3, f"{text}, without a reason)"),
        Line("newly suppressed", "a.yaml", 3, f"{text}: known; it grew)"),
        Line("no longer read", "b.yaml", 0, "deleted"),
        Line("no longer read", "c.yaml", 0, "excluded; it had 1 finding in main"),
        Line("could not be read", "d.yaml", 0, "too large; it had 2 findings in main"),
    ]
    assert [one.place for one in first_lines(comparison)[:2]] == ["flint.toml", "a.yaml:3"]
    assert first_lines(NOTHING) == last_lines(NOTHING) == []


def test_what_moved_and_what_is_fixed_comes_last() -> None:
    comparison = NOTHING._replace(moved=(Moved("a", "b", 0), Moved("c", "d", 1)), fixed=(finding(),))
    assert last_lines(comparison) == [
        Line("moved", "b", 0, "was a"),
        Line("moved", "d", 0, "was c, with 1 finding"),
        Line("fixed", "a.yaml", 3, "warning[FLK900] it is wrong"),
    ]


@pytest.mark.parametrize(
    ("hidden", "tail"),
    [(0, ""), (1, "1 of the new findings"), (2, "2 of the new findings")],
)
def test_changed_settings_count_after_the_merge(hidden: int, tail: str) -> None:
    changed = NOTHING._replace(settings=(FlintConfigChange("flint.toml", "added"),), hidden=hidden)
    text = "files are checked with the flint configuration of main until the change is merged"
    assert flint_config_text(changed) == text + (
        f"; the flint configuration of this change would hide {tail}" if tail else ""
    )
    assert flint_config_text(NOTHING) == ""


def test_long_lists_are_shortened_kind_by_kind() -> None:
    lines = [Line("fixed", f"{number}", 0, "") for number in range(MAX_LINES + 2)]
    moved = [Line("moved", f"{number}", 0, "") for number in range(MAX_LINES)]
    found = list(shortened([lines[0], *moved, *lines[1:]]))
    assert found[: MAX_LINES + 1] == [*lines[:MAX_LINES], Line("fixed", "2 more", 0, "the JSON report lists them")]
    assert found[MAX_LINES + 1 :] == moved


UNREAD = {"problems": [Problem("x.yaml", "it is too large")]}


@pytest.mark.parametrize(
    ("comparison", "parts", "text"),
    [
        (None, {}, None),
        (None, UNREAD, "No findings, but 1 file could not be read"),
        (NOTHING, {}, None),
        (NOTHING, UNREAD, "No new findings: 1 file could not be read"),
        (NOTHING._replace(fixed=(finding(),)), {}, "No new findings: 1 fixed"),
        (NOTHING._replace(fixed=(finding(),) * 2, remaining=(finding(),)), UNREAD,
         "No new findings: 2 fixed, 1 already in main and 1 file could not be read"),
        (NOTHING._replace(settings=(FlintConfigChange("flint.toml", "added"),)), {}, "No new findings"),
        (NOTHING._replace(newly_suppressed=(silenced(),), no_longer_read=(Unjudged("b", "deleted", 0),)), {},
         "No new findings: 1 newly suppressed and 1 no longer read"),
    ],
)  # fmt: skip
def test_the_result_without_findings(comparison: Comparison | None, parts: dict[str, object], text: str | None) -> None:
    assert verdict(report(comparison, **parts)) == text


@pytest.mark.parametrize(
    ("comparison", "parts", "text"),
    [
        (None, {}, ""), (NOTHING, {}, ""), (NOTHING._replace(fixed=(finding(),)), {}, ", 1 fixed"),
        (None, {"silenced": [silenced()]}, ", 1 suppressed by comments"),
        (None, {"silenced": [silenced(), silenced(by="baseline")]},
         ", 2 suppressed (1 by comments, 1 by the baseline)"),
        (None, {"skipped": [Skipped("b", ".gitignore"), Skipped("a", "exclude"), Skipped("c", "exclude")]},
         ", 3 skipped (.gitignore, exclude)"),
        (None, {"skipped": [Skipped("b", "too large", is_unread=True)]}, ", 1 file could not be read"),
        (None, UNREAD, ", 1 file could not be read"),
    ],
)  # fmt: skip
def test_the_other_counts(comparison: Comparison | None, parts: dict[str, object], text: str) -> None:
    assert counts_text(report(comparison, **parts)) == text
    assert unread_text(report(comparison, **parts)) in text
