"""Inline comments: their locations and their suggestions."""

from __future__ import annotations

from typing import Any

import pytest

from flink_flint.linter.pull_request.inline_comments import Suggestion, inline_thread, suggested, touched
from flink_flint.linter.pull_request.markers import check_name, finding_mark, marked, summary_mark
from flink_flint.linter.pull_request.untrusted_finding import ReportedFinding
from tests.pull_request.rendered import Rendered
from tests.pull_request.reports import finding, fix, read

PATH = "conf/flink-conf.yaml"


def _one(number: int = 3, **changed: Any) -> ReportedFinding:
    return read(finding(number, **changed)).findings[0]


def _thread(found: ReportedFinding, lines: set[int], block: str = "suggestion") -> Any:
    return inline_thread(found, {PATH: frozenset(lines)}, block, 65_536)


def test_a_safe_fix_becomes_a_suggestion_of_whole_lines() -> None:
    edits = {
        "safety": "safe", "title": "drop the quotes",
        "edits": [{"path": PATH, "start": {"line": 3, "column": 4}, "end": {"line": 3, "column": 7}, "text": "8"}],
        "before": {"line": 3, "lines": ['a: "8"']},
    }  # fmt: skip
    thread = _thread(_one(fix=edits), {3})
    assert (thread.path, thread.start_line, thread.line) == (PATH, 3, 3)
    assert thread.body.startswith("<!-- flint:finding 00000000000000000000000000000003 -->\n")
    assert thread.body.endswith("\n```suggestion\na: 8\n```\n")
    assert "drop the quotes (<code>flint check --fix</code>)" in thread.body


def test_several_lines_are_suggested_together_as_the_forge_wants_it() -> None:
    edits = {
        "safety": "safe", "title": "t",
        "edits": [
            {"path": PATH, "start": {"line": 3, "column": 1}, "end": {"line": 4, "column": 1}, "text": ""},
            {"path": PATH, "start": {"line": 5, "column": 2}, "end": {"line": 5, "column": 2}, "text": "d\ne"},
        ],
        "before": {"line": 3, "lines": ["a", "b", "c"]},
    }  # fmt: skip
    found = _one(fix=edits)
    assert suggested(found) == Suggestion(3, 5, ("b", "cd", "e"))
    thread = _thread(found, {3, 4, 5}, "suggestion:-{above}+{below}")
    assert (thread.start_line, thread.line) == (3, 5)
    assert thread.body.endswith("```suggestion:-2+0\nb\ncd\ne\n```\n")
    assert touched(found) == {3, 4, 5}
    partly = _thread(found, {3, 4})
    assert (partly.start_line, partly.line) == (3, 3)
    assert "```" not in partly.body


def test_a_line_that_goes_is_an_empty_suggestion() -> None:
    edits = {
        "safety": "safe", "title": "t",
        "edits": [{"path": PATH, "start": {"line": 3, "column": 1}, "end": {"line": 4, "column": 1}, "text": ""}],
        "before": {"line": 3, "lines": ["a: 1"]},
    }  # fmt: skip
    assert suggested(_one(fix=edits)) == Suggestion(3, 3, ())
    assert _thread(_one(fix=edits), {3}).body.endswith("```suggestion\n```\n")


@pytest.mark.parametrize(
    "edits",
    [
        fix(3, "a", "b", safe=False),
        fix(3, "a", "b") | {"before": None},
        fix(3, "a", "b") | {"before": {"line": 3, "lines": ["x"] * 50}},
        fix(3, "a", "b", path="conf/other.yaml"),
        fix(3, "a", "a"),
        fix(3, "a", "x\u202ey"),
        fix(3, "a", "x\u200by"),
        fix(3, "a", "x\x1b[1m"),
        fix(3, "a", "b\r"),
        fix(3, "a", "b\ud800"),
        fix(3, "a", "b\u3164"),
        fix(3, "a", "b\U000e0101"),
        fix(3, "a", "/close"),
        fix(3, "a", "b\n  /merge"),
        fix(3, "a", "b\n" * 60),
        fix(4, "a", "b") | {"before": {"line": 3, "lines": ["a"]}},
        fix(3, "a" * 9, "b") | {"before": {"line": 3, "lines": ["a"]}},
    ],
)
def test_no_suggestion_where_the_fix_cannot_be_reported_or_trusted(edits: dict[str, Any]) -> None:
    found = _one(fix=edits)
    assert suggested(found) is None
    assert "```" not in _thread(found, {1, 2, 3, 4, 5}).body


def test_edits_that_overlap_or_join_lines_are_not_suggested() -> None:
    overlapping = fix(3, "abc", "x")
    overlapping["edits"] *= 2
    assert suggested(_one(fix=overlapping)) is None
    joining = fix(3, "abc", "x")
    joining["edits"][0]["end"] = {"line": 4, "column": 1}
    assert suggested(_one(fix=joining)) is None


@pytest.mark.parametrize("text", ["```", "a\n```\n@org/team <img src=x>\n~~~", "````suggestion\nx\n````"])
def test_a_suggestion_cannot_close_its_fence(text: str) -> None:
    rendered = Rendered(_thread(_one(fix=fix(3, "a", text)), {3}).body)
    assert rendered.codes[-1] == f"{text}\n"
    assert rendered.tags <= {"p", "strong", "a", "code", "pre"}
    assert rendered.linked == []


def test_a_comment_stands_on_the_first_shown_lines_of_its_finding() -> None:
    long = _one(start={"line": 3, "column": 1}, end={"line": 9, "column": 1})
    assert long.last_line == 8
    for lines, placed in (({3}, (3, 3)), ({4, 5, 7}, (4, 5)), ({2, 3, 4, 8, 9}, (3, 4)), ({8}, (8, 8))):
        thread = _thread(long, lines)
        assert (thread.start_line, thread.line) == placed
    assert _thread(long, {2, 9}) is None
    assert inline_thread(long, {"other": frozenset({3})}, "suggestion", 100) is None
    endless = _one(end={"line": 2**60, "column": 1})
    assert _thread(endless, set(range(1, 100))).line < 30


def test_a_body_beyond_the_limit_goes_without_its_suggestion() -> None:
    found = _one(fix=fix(3, "a", "b"))
    whole = _thread(found, {3}).body
    shortened = inline_thread(found, {PATH: frozenset({3})}, "suggestion", len(whole) - 1)
    assert shortened is not None
    assert len(shortened.body) < len(whole)
    assert "```" not in shortened.body


def test_hostile_lengths_leave_the_text_within_the_limit() -> None:
    long = "$" * 5_000
    found = _one(message=long, help=long, note=long, fix=fix(3, "a", "b") | {"title": long})
    thread = inline_thread(found, {PATH: frozenset({3})}, "suggestion", 65_536)
    assert thread is not None
    assert 30_000 < len(thread.body) <= 65_536
    assert thread.body.startswith(finding_mark(found.fingerprint, ""))
    assert thread.body.endswith("\n")


def test_marks_count_at_the_very_start_and_for_their_name_alone() -> None:
    print_ = "ab" * 16
    body = finding_mark(print_, "helm") + "text"
    found = marked(body, "helm")
    assert found is not None
    assert (found.fingerprint, found.fixed, found.text) == (print_, False, "text")
    assert marked(body.replace("\n", "\r\n"), "helm") == found
    assert marked(body, "") is None
    assert marked(f"> {body}", "helm") is None
    assert marked(f"```\n{finding_mark(print_, '')}```", "") is None
    gone = marked(finding_mark(print_, "", fixed=True) + "text", "")
    assert gone is not None
    assert gone.fixed


def test_names_make_marks_of_their_own() -> None:
    assert {summary_mark(check_name(name)) for name in ("", "helm", "a-")} == {
        "<!-- flint:summary -->\n", "<!-- flint:summary helm -->\n", "<!-- flint:summary a- -->\n",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["a b", "-->", "a--b", "x" * 41, "ä", "a\n", "-a"])
def test_a_name_cannot_break_the_mark(name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid name for comments"):
        check_name(name)


def test_hostile_texts_have_no_effect_in_a_comment() -> None:
    hostile = "@org/team <img src=x onerror=1> #1 <!-- flint:finding 00 --> [x](javascript:1) ``` \n/close"
    rendered = Rendered(_thread(_one(message=hostile, help=hostile, note=hostile, document=hostile), {3}).body)
    assert rendered.tags <= {"p", "strong", "a", "code", "span"}
    assert rendered.links == ["https://github.com/flink-flint/flint/blob/main/docs/rules/blob-storage-in-tmp.md"]
    assert rendered.comments == ["flint:finding 00000000000000000000000000000003"]
    assert rendered.linked == []
