"""Suggestions applied one at a time, as reviewers do, give the same result as `--fix`."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from flink_flint.linter.commands.rule_cases import kind_of_case
from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.registry import modules, rule_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.fix.make_edits import resolve_fixes
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Rule
from flink_flint.linter.output.repository_paths import documents_of
from flink_flint.linter.output.suggestions import on_lines_there_are, suggestion, visible
from flink_flint.linter.text.spans import Edit, Span, apply_edits
from tests import fix_edits
from tests.output.odd_files import ODD, RULES, checked, inside, rendered, write


def taken_from_rdjson(text: str, path: str, data: bytes) -> bytes | None:
    """Return a file after its first suggestion; None if there is none."""
    for diagnostic in json.loads(text)["diagnostics"]:
        suggestions = diagnostic.get("suggestions", [])
        assert len(suggestions) < 2, "each would be taken alone"
        if diagnostic["location"]["path"] != path or not suggestions:
            continue
        starts = [0, *(match.end() for match in re.finditer(rb"\r\n|\n|\r", data))]
        range_ = suggestions[0]["range"]
        start, end = (starts[range_[at]["line"] - 1] + range_[at]["column"] - 1 for at in ("start", "end"))
        return data[:start] + suggestions[0]["text"].encode("utf-8", "surrogateescape") + data[end:]
    return None


def taken_from_sarif(text: str, path: str, data: bytes) -> bytes | None:
    """Return a file after the first fix in a SARIF log; None if there is none."""
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    shown = data[len(mark) :].decode("utf-8", "surrogateescape")
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", shown))]
    for result in json.loads(text)["runs"][0]["results"]:
        for one in result.get("fixes", ()):
            (change,) = one["artifactChanges"]
            if unquote(change["artifactLocation"]["uri"]) != path:
                continue
            (replacement,) = change["replacements"]
            region = replacement["deletedRegion"]
            # Only a file that is deleted as a whole has no replacement text.
            inserted = replacement["insertedContent"]["text"] if "insertedContent" in replacement else ""
            start = starts[region["startLine"] - 1] + region["startColumn"] - 1
            end = starts[region["endLine"] - 1] + region["endColumn"] - 1
            return mark + (shown[:start] + inserted + shown[end:]).encode("utf-8", "surrogateescape")
    return None


TAKE = {"rdjson": taken_from_rdjson, "sarif": taken_from_sarif}


def all_taken(name: str, folder: Path, path: str, options: Options) -> bytes:
    """Return a file after all its suggestions, each from a new report."""
    for _ in range(40):
        with inside(folder):
            text = rendered(name, fix_edits.checked(find(["."], kind_of=kind_of_case), options), folder)
        data = TAKE[name](text, path, (folder / path).read_bytes())
        if data is None:
            break
        (folder / path).write_bytes(data)
    return (folder / path).read_bytes()


def fixed(folder: Path, path: str, options: Options) -> bytes:
    """Return a file as `--fix --unsafe-fixes` would write it."""
    with inside(folder):
        sources = [source for source in find(["."], kind_of=kind_of_case) if isinstance(source, Source)]
        return next(one.after.data for one in fix(sources, options, unsafe=True) if one.before.path == path)


@pytest.mark.slow
@pytest.mark.parametrize("name", TAKE)
@pytest.mark.parametrize("path", ODD)
def test_suggestions_leave_what_fix_writes(name: str, path: str, tmp_path: Path) -> None:
    write(tmp_path, ODD)
    options = Options(flink_version="1.20", select=RULES)
    wanted = fixed(tmp_path, path, options)
    assert wanted != ODD[path]
    assert all_taken(name, tmp_path, path, options) == wanted


CASES = [
    pytest.param(rule, case, id=f"{rule.code}-{number}")
    for module in modules()
    if (rule := rule_of(module)) is not None and rule.scope != "crash"
    for number, case in enumerate(importlib.import_module(module).cases())
    if case.fixed is not None and not case.observed and not case.beside
]


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_the_suggestions_of_every_rule_do_what_its_fix_does(rule: Rule, case: Case, tmp_path: Path) -> None:
    options = Options(case.flink, case.platform, case.profile, select=(rule.code,))
    data = case.text.encode("utf-8", "surrogateescape")
    assert case.fixed is not None
    for name in TAKE:
        folder = tmp_path / name
        write(folder, {case.name: data})
        with inside(folder):
            report = fix_edits.checked(find(["."], kind_of=kind_of_case), options)
        if any(finding.fix is not None and not finding.edits for finding in report.findings):
            return  # a fix that would show a secret is not a suggestion
        left = all_taken(name, folder, case.name, options)
        assert left.decode("utf-8", "surrogateescape") == case.fixed


# -- as in reviewdog and GitHub


def commented(text: str, path: str, data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield the comments reviewdog would post on a file: first and last line, and their replacement.

    It adds the text of the first and last line around the replaced part.
    """
    lines = data.decode().split("\n")
    for diagnostic in json.loads(text)["diagnostics"]:
        for one in diagnostic.get("suggestions", ()):
            if diagnostic["location"]["path"] == path:
                start, end = one["range"]["start"], one["range"]["end"]
                first, last = lines[start["line"] - 1].encode(), lines[end["line"] - 1].encode()
                head, tail = first[: start["column"] - 1].decode(), last[end["column"] - 1 :].decode()
                yield start["line"], end["line"], head + one["text"] + tail


@pytest.mark.parametrize("path", ["last line/flink-conf.yaml", "manifest.yaml", "secret/flink-conf.yaml"])
def test_a_suggestion_stands_on_lines_that_a_comment_can_be_on(path: str, tmp_path: Path) -> None:
    write(tmp_path, ODD)
    report, data = checked(tmp_path), ODD[path]
    comments = list(commented(rendered("rdjson", report, tmp_path), path, data))
    assert comments
    lines = data.decode().removesuffix("\n").split("\n")
    for first, last, text in comments:
        assert 1 <= first <= last <= len(lines)
        accepted = "\n".join([*lines[: first - 1], text, *lines[last:]]) + "\n"
        (tmp_path / path).write_text(accepted)
        assert len(checked(tmp_path).findings) < len(report.findings)


TEXT = "a: 1\nb: 2\nc: 3\n"


def report_with(folder: Path, text: str, edits: list[Edit]) -> Report:
    """Return a report whose one finding has these edits as its fix."""
    write(folder, {"flink-conf.yaml": f"{text}akka.framesize: 10485760b\n".encode()})
    report = checked(folder, "deprecated-key", flink_version="1.18")
    (finding,) = report.findings
    finding.proposed = Fix("change it", edits)
    resolve_fixes(report.findings, documents_of(report))
    return report


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("start", "end", "text"),
    [(15, 15, "d: 4\n"), (10, 15, ""), (10, 15, "d: 4\n"), (0, 15, ""), (5, 15, "x"), (14, 15, ""), (15, 15, "d")],
)
def test_the_end_of_a_file_is_reported_by_its_last_line(start: int, end: int, text: str, line_end: str) -> None:
    whole = TEXT.replace("\n", line_end)
    first = start + (len(line_end) - 1) * TEXT[:start].count("\n")
    last = end + (len(line_end) - 1) * TEXT[:end].count("\n")
    edit = Edit(Span(first, last), text.replace("\n", line_end))
    moved = on_lines_there_are(whole, edit)
    assert apply_edits(whole, [moved]) == apply_edits(whole, [edit])
    if text in ("d: 4\n", "") and start in (10, 15):
        assert moved.span.end < len(whole)


def test_edits_become_one_with_the_text_between_them(tmp_path: Path) -> None:
    report = report_with(tmp_path, TEXT, [Edit(Span(10, 11), "z"), Edit(Span(3, 4), "one")])
    documents = [one.document for one in report.documents]
    assert suggestion(report.findings[0], documents) == Edit(Span(3, 11), "one\nb: 2\nz")


def test_no_suggestion_shows_a_secret_between_its_edits(tmp_path: Path) -> None:
    text = "a: 1\ns3.secret-key: hush-7f3a\nc: 3\n"
    report = report_with(
        tmp_path, text, [Edit(Span(3, 4), "one"), Edit(Span(text.index("c:"), text.index("c:") + 1), "z")]
    )
    documents = [one.document for one in report.documents]
    assert suggestion(report.findings[0], documents) is None
    for name in ("rdjson", "sarif"):
        assert "hush" not in rendered(name, report, tmp_path)


def test_only_a_fix_that_is_suggested_is_called_unsafe(tmp_path: Path) -> None:
    text = "a: 1\ns3.secret-key: hush-7f3a\nc: 3\n"
    around = [Edit(Span(3, 4), "one"), Edit(Span(text.index("c:"), text.index("c:") + 1), "z")]
    for edits, is_suggested in ((around[:1], True), (around, False)):
        report = report_with(tmp_path, text, edits)
        report.findings[0].doubt_fix("may break the job")
        (diagnostic,) = json.loads(rendered("rdjson", report, tmp_path))["diagnostics"]
        assert ("suggestions" in diagnostic) == is_suggested
        assert ("The suggestion is not safe: change it (it may break the job)" in diagnostic["message"]) == is_suggested


def test_nothing_is_inserted_but_something(tmp_path: Path) -> None:
    """A deletion is written as a replacement with an adjacent character, never a secret or half a line end."""
    text = "a: 1\r\ns3.secret-key: hush-7f3a\r\nc: 3\r\n"
    report = report_with(tmp_path, text, [])
    documents = [one.document for one in report.documents]
    whole = documents[0].text
    secret = range(whole.index("hush"), whole.index("hush") + len("hush-7f3a"))
    for start in range(len(whole)):
        for end in (start + 1, start + 4, len(whole)):
            edit = visible(Edit(Span(start, end), ""), documents)
            assert apply_edits(whole, [edit]) == apply_edits(whole, [Edit(Span(start, end), "")])
            kept = [at for at in range(edit.span.start, edit.span.end) if not start <= at < end]
            assert not set(kept) & set(secret)
            # Half a line end only remains if the deletion itself removed the other half.
            assert edit.text in ("", "\r\n") or len(edit.text) == 1
