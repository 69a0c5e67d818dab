"""The Markdown job summary as rendered: no text of a configuration becomes structure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.discovery import Problem
from flink_flint.linter.model.finding import Excerpt
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.output import Context, markdown
from tests.output.odd_files import ODD, checked, rendered, write

HOSTILE = (
    "<script>alert(1)</script>", "](https://example.com) [x](https://example.com)", "![](https://example.com/a.png)",
    "`` ` ``` code", "**bold** _it_ ~~no~~", "| a | b |\n| - | - |", "# heading\n- item\n1. one\n> quote\n---",
    "<!-- hidden", "&lt;b&gt;", "back\\slash \\` \\|", "@everyone", "1. one", "- item", "\x1b[31mred\u202e", "$x$",
)  # fmt: skip


@pytest.fixture
def report(tmp_path: Path) -> Report:
    write(tmp_path, ODD)
    return checked(tmp_path)


def html(text: str) -> str:
    return str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


def test_the_headline_counts_and_the_table_lists_the_worst_file_first(report: Report, tmp_path: Path) -> None:
    kinds = ("comment", "comment", "baseline")
    quiet = [Silenced(one, by, "a", 1) for one, by in zip(report.findings[:3], kinds, strict=True)]
    text = rendered("markdown", report._replace(silenced=quiet), tmp_path)
    counted = "2 errors, 7 warnings and 11 info in 8 files, 3 suppressed (2 by comments, 1 by the baseline)"
    assert text.startswith(f"## flint: {counted}\n")
    rows = re.findall(r"<tr>\s*<td.*?><code>(.*?)</code></td>", html(text))
    assert rows[:2] == ["wide letters/config.yaml", "wide letters/run.sh"]
    assert sorted(rows) == sorted(ODD)
    assert re.findall(r"<h3><code>(.*?)</code></h3>", html(text)) == rows
    for finding in report.findings:
        assert f'<a href="{finding.url}">{finding.code} {finding.rule}</a>' in html(text)


def test_a_finding_shows_its_line_its_remedy_and_what_it_relates_to(report: Report, tmp_path: Path) -> None:
    page = html(rendered("markdown", report, tmp_path))
    assert "8 |     &quot;blob.storage.directory&quot;: &quot;/tmp/orders&quot; # 数据\n" in page
    assert "Help: set blob.storage.directory to a folder that nothing cleans" in page
    assert "Fix: write pekko.framesize (<code>flint check --fix</code>)" in page
    assert "(<code>flint check --fix --unsafe-fixes</code>)" in page
    assert "s3.secret-key: ******" in page
    assert "See <code>east/flink-conf.yaml:1</code>" in page


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_shows_as_it_is(hostile: str, report: Report, tmp_path: Path) -> None:
    plain = html(rendered("markdown", report, tmp_path))
    finding = report.findings[0]
    finding.message = finding.help = finding.document = hostile
    finding.where = finding.where._replace(excerpt=Excerpt(1, tuple(hostile.split("\n")), 0, 1))
    page = html(rendered("markdown", report, tmp_path))

    def tags(text: str) -> list[str]:
        return [tag for tag in re.findall(r"</?[a-z0-9]+", text) if not tag.endswith(("code", "span"))]

    assert tags(page) == tags(plain)
    assert 'example.com"' not in page
    assert "\x1b" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize("text", ["a ``` b", "````", "~~~", "   ```", "```text"])
def test_no_line_ends_the_fence(text: str, report: Report, tmp_path: Path) -> None:
    finding = report.findings[0]
    finding.where = finding.where._replace(excerpt=Excerpt(9, (text, "x" * 400, "tab\t."), 0, 1))
    page = html(rendered("markdown", report, tmp_path))
    assert f" 9 | {text}\n10 | {'x' * 160}…\n11 | tab    .\n</code></pre>" in page


def test_messages_keep_their_code(report: Report, tmp_path: Path) -> None:
    report.findings[0].message = "write `key: ` and `<b>`"
    assert "write <code>key: </code> and <code>&lt;b&gt;</code>" in html(rendered("markdown", report, tmp_path))


@pytest.mark.parametrize("name", ["`a", "a`", "a ``b", "a"])
def test_a_name_shows_as_code_wherever_it_has_a_backtick(name: str, report: Report, tmp_path: Path) -> None:
    text = rendered("markdown", report._replace(problems=[Problem(name, "cannot be read")]), tmp_path)
    assert f"<li><code>{name}</code> could not be read" in html(text).replace("<p>", "").replace("\n", "")


def test_a_path_breaks_neither_table_nor_heading(tmp_path: Path) -> None:
    write(tmp_path, {"a|`b\n# c/config.yaml": b"akka.framesize: 20971520b\n"})
    page = html(rendered("markdown", checked(tmp_path), tmp_path))
    assert "<h3><code>a|`b # c/config.yaml</code></h3>" in page
    assert page.count("<tr>") == 2
    assert "<h1>" not in page


def test_what_could_not_be_read_is_reported(report: Report, tmp_path: Path) -> None:
    problems = [Problem("no such.yaml", "no such file or folder")]
    text = rendered("markdown", report._replace(problems=problems), tmp_path)
    assert "8 files, 1 file could not be read\n" in text
    assert "- `no such.yaml` could not be read: no such file or folder\n" in text


def test_a_summary_stays_below_what_github_takes(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert markdown.MAX_BYTES < 1024 * 1024
    monkeypatch.setattr(markdown, "MAX_BYTES", 3000)
    text = rendered("markdown", report, tmp_path)
    assert len(text.encode()) < 3200
    output = text.count("\n```text\n")
    assert 1 < output < len(report.findings)
    left = re.search(r"…and (\d+) warnings and (\d+) info more", text)
    assert left is not None
    assert output + int(left[1]) + int(left[2]) == len(report.findings)


def test_statistics(report: Report, tmp_path: Path) -> None:
    text = rendered("markdown", report, tmp_path, Context(statistics=True))
    assert "| FLK003 deprecated-key | 10 |" in text
