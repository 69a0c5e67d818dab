"""The summary: its contents, how it is shortened, and that nothing in a report has an effect in it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from flink_flint.linter.model.safe_text import neutral_line
from flink_flint.linter.pull_request.report_comparison import Comparison, compare
from flink_flint.linter.pull_request.summary_comment import summary_body
from flink_flint.linter.pull_request.untrusted_report import ReportedFile, ReportedMove
from tests.output.test_escaped_markdown import HOSTILE
from tests.pull_request.rendered import Rendered
from tests.pull_request.reports import deployment, finding, read


def _url(path: str, start: int, line: int) -> str:
    return f"https://forge.example/blob/abc/{path}#L{start}-L{line}"


def _body(comparison: Comparison, longest: int = 65_536, template: str | None = None, name: str = "") -> str:
    return summary_body(comparison, template=template, longest=longest, line_url=_url, name=name)


def _many(count: int, **changed: Any) -> Comparison:
    return compare(read(*(finding(number, **changed) for number in range(1, count + 1))), read())


def test_the_headline_says_the_state_calmly() -> None:
    one, two, three = finding(1), finding(2), finding(3)
    for head, base, says in (
        ((one, two), (three,), "flint: 2 new findings, 1 fixed"),
        ((one, two), (two,), "flint: 1 new finding, 1 remaining"),
        ((one,), (one, two), "flint: nothing new, 1 fixed, 1 remaining"),
        ((), (two,), "flint: all clear, 1 fixed"),
        ((), (), "flint: all clear"),
        ((one, two), None, "flint: 2 findings"),
        ((), None, "flint: all clear"),
    ):
        body = _body(compare(read(*head), None if base is None else read(*base)))
        assert body.splitlines()[:2] == ["<!-- flint:summary -->", f"### {says}"]
    assert _body(compare(read(), None), name="helm").startswith("<!-- flint:summary helm -->\n")


def test_a_finding_is_reported_with_its_lines_its_remedy_and_links() -> None:
    place = {"line": 4, "column": 1}
    beside = {"path": "conf/other.yaml", "start": place, "end": {"line": 4, "column": 9}, "message": "set here too"}
    body = _body(compare(read(finding(12, related=[beside], note="holds for Flink 1.18")), read()))
    assert "\n```\n12 | blob.storage.directory: /tmp\n   | ^^^^^^^^^\n```\n" in body
    rendered = Rendered(body)
    assert rendered.links == [
        "https://github.com/flink-flint/flint/blob/main/docs/rules/blob-storage-in-tmp.md",
        "https://forge.example/blob/abc/conf/flink-conf.yaml#L12-L12",
        "https://forge.example/blob/abc/conf/other.yaml#L4-L4",
    ]
    for words in (
        "🟠 warning FLK101 blob-storage-in-tmp", "set blob.storage.directory to a folder", "holds for Flink 1.18",
        "set here too",
    ):  # fmt: skip
        assert words in rendered.words


def test_findings_are_grouped_by_deployment_worst_first() -> None:
    head = read(
        finding(1, document="FlinkDeployment default/calm", severity="info"),
        finding(2, document="FlinkDeployment default/orders", severity="error"),
        finding(3, document="FlinkDeployment default/orders", severity="warning"),
        finding(4),
    )
    headings = [line for line in _body(compare(head, read())).splitlines() if line.startswith("####")]
    assert headings == [
        "#### <code>FlinkDeployment default/orders</code>", "#### <code>conf/flink-conf.yaml</code>",
        "#### <code>FlinkDeployment default/calm</code>",
    ]  # fmt: skip


def test_beyond_ten_the_rest_is_folded() -> None:
    assert "<details>" not in _body(_many(10))
    body = _body(_many(13))
    assert "<details><summary>3 more</summary>" in body
    assert body.index("^^^") < body.index("<details>")
    assert body.count("**🟠 warning**") == 13


def test_fixed_and_remaining_ones_are_folded_and_the_fixed_have_no_line() -> None:
    body = _body(compare(read(finding(1)), read(finding(1), finding(2))))
    rendered = Rendered(body)
    assert "<details><summary>1 fixed</summary>" in body
    assert "<details><summary>1 remaining, there before this change</summary>" in body
    assert [link for link in rendered.links if link and "forge.example" in link] == [
        "https://forge.example/blob/abc/conf/flink-conf.yaml#L1-L1"
    ]
    assert "^^^" not in body


def test_without_a_base_no_finding_is_called_one_from_before_the_change() -> None:
    rendered = Rendered(_body(compare(read(finding(1)), None)))
    assert "there before this change" not in rendered.words
    assert rendered.words.count("job jars are stored under /tmp") == 1


def test_moved_files_are_listed_with_the_findings_they_took_along() -> None:
    moves = (ReportedMove("a.yaml", "b.yaml", 0), ReportedMove("c.yaml", "d.yaml", 2))
    body = _body(compare(read(), read())._replace(moved=moves))
    assert "<code>a.yaml</code> to <code>b.yaml</code>\n" in body
    assert "<code>c.yaml</code> to <code>d.yaml</code>, with 2 findings\n" in body


def test_moved_memory_is_a_table() -> None:
    gib = 1024**3
    before = read(deployments=(deployment(gib, "FlinkDeployment default/orders", network=64 * 1024**2),))
    after = read(deployments=(deployment(3 * gib // 2, "FlinkDeployment default/orders", network=1),))
    rendered = Rendered(_body(compare(after, before)))
    assert "table" in rendered.tags
    for words in (
        "TaskManager memory", "total process", "1 GiB (1,073,741,824 B)", "1536 MiB",
        "+512 MiB", "network", "1 B", "−",
    ):  # fmt: skip
        assert words in rendered.words
    refused = _body(
        compare(read(deployments=(deployment(None, network=None),)), read(deployments=(deployment(5, network=3),)))
    )
    assert refused.count("refused by Flink") == 1


@pytest.mark.slow
def test_whole_findings_are_left_out_from_the_end() -> None:
    comparison = compare(
        read(*(finding(number) for number in range(1, 40))), read(*(finding(number) for number in range(30, 60)))
    )
    whole = _body(comparison)
    lengths = set()
    for longest in range(400, len(whole), 97):
        body = _body(comparison, longest)
        lengths.add(len(body))
        assert len(body) <= longest
        assert body.startswith("<!-- flint:summary -->\n### flint: 29 new findings, 20 fixed, 10 remaining\n")
        assert body.count("```") % 2 == 0
        assert body.count("<details>") == body.count("</details>")
        shown = body.count("**🟠 warning**") + body.count("- 🟠")
        assert f"{59 - shown} more finding" in body
    assert len(lengths) > 10
    assert "left out" not in whole


def test_a_hundred_thousand_findings_are_reported_in_one_comment() -> None:
    one = read(finding(1, excerpt=None)).findings[0]
    every = tuple(one._replace(fingerprint=f"{number:032x}") for number in range(100_000))
    body = _body(Comparison(every, (), (), (), True))
    assert len(body) <= 65_536
    assert "flint: 100000 new findings" in body
    assert "findings are left out here" in body


def test_many_processes_are_bounded() -> None:
    names = [f"d{number}" for number in range(40)]
    base = read(deployments=tuple(deployment(1, name) for name in names))
    head = read(deployments=tuple(deployment(2, name) for name in names))
    body = _body(compare(head, base))
    assert body.count("TaskManager memory") == 10
    assert "The memory of 30 more processes changed." in body


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_have_no_effect_in_a_summary(text: str) -> None:
    place = {"line": 1, "column": 1}
    beside = {"path": "a`|<b>@x", "start": place, "end": place, "message": text}
    hostile = finding(
        1, message=text, help=text, note=text, document=text, key=text, related=[beside], path="a`|<b>@org #1",
        excerpt={"line": 1, "lines": [text, text], "start": 1, "end": 2},
        fix={"safety": "safe", "title": text, "edits": []},
    )  # fmt: skip
    other = finding(2, message=text, document=text)
    before, after = (read(hostile, deployments=(deployment(size, text),)) for size in (1, 2))
    for comparison in (
        compare(after, before._replace(findings=())),
        compare(read(other), before),
        compare(after, before),
        compare(after, None),
    ):
        rendered = Rendered(_body(comparison))
        assert rendered.tags <= {
            "h3", "h4", "p", "strong", "a", "code", "pre", "span", "details", "summary", "ul", "li", "table", "thead",
            "tbody", "tr", "th", "td",
        }  # fmt: skip
        assert {href.partition("#")[0].rpartition("/")[0] for href in rendered.links if href} <= {
            "https://github.com/flink-flint/flint/blob/main/docs/rules", "https://forge.example/blob/abc",
            "https://forge.example/blob/abc/conf",
        }  # fmt: skip
        assert rendered.linked == []
        assert rendered.comments == ["flint:summary"]
        assert all(set(attributes) <= {"href", "align"} for _, attributes in rendered.elements)


OWN = """{{ headline }}
{% for group in open %}{% for f in group.findings %}

* {{ f.severity }} {{ f.message }}
{% endfor %}{% endfor %}
"""


def test_the_users_own_template_is_filled_with_harmless_values() -> None:
    body = _body(compare(read(finding(1, message="{{ 7 * 7 }} <b> @org {% raw %}")), read()), template=OWN)
    assert body.startswith("<!-- flint:summary -->\nflint: 1 new finding\n")
    rendered = Rendered(body)
    assert "warning {{ 7 * 7 }} <b> @org {% raw %}" in rendered.words
    assert rendered.linked == []


def test_macros_sets_and_filters_of_a_template_keep_values_harmless() -> None:
    template = (
        "{% macro m(f) %}{{ f.message }}{% endmacro %}{% for f in open[0].findings %}{% set x = m(f) ~ f.help %}"
        "{{ x | upper }} {{ x | replace('o', 'b') }} {{ m(f) }} {{ [f.message, '<i>'] | join('<') }}{% endfor %}"
    )
    body = _body(compare(read(finding(1, message="<b>a @org/x", help="<i>")), read()), template=template)
    assert Rendered(body).tags <= {"p", "span"}
    assert Rendered(body).linked == []


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{% for %}", "cannot be read"),
        ("{{ nothing }}", "cannot be filled: 'nothing' is undefined"),
        ("{{ 1 / 0 }}", "cannot be filled"),
        ("{{ headline.__class__.__mro__ }}", "cannot be filled"),
        ("{{ ''.__class__.__base__.__subclasses__() }}", "cannot be filled"),
        ("{% include '/etc/passwd' %}", "cannot be filled"),
        ("{{ 'x' * 70000 }}", "without any finding"),
    ],
)
def test_templates_that_cannot_be_are_value_errors(template: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        _body(_many(1), template=template)


@pytest.mark.parametrize("name", ["a\x1b[31m\\b.yaml", "a\nb.yaml", "a\udcff.yaml", "c:x.yaml"])
def test_a_file_that_no_forge_can_be_asked_for_is_shown_without_a_link(name: str) -> None:
    place = {"line": 1, "column": 1}
    related = {"path": name, "start": place, "end": place, "message": "and this"}
    comparison = compare(read(finding(1, path=name), finding(2, related=[related])), read())
    rendered = Rendered(_body(comparison))
    assert sum(text.startswith(neutral_line(name)) for text in rendered.codes) >= 2
    assert [href for href in rendered.links if href and href.startswith("https://forge.example")] == [
        _url("conf/flink-conf.yaml", 2, 2)
    ]


def test_names_however_long_leave_a_comment_to_be_made() -> None:
    path = "\\" * 4_000
    files = tuple(ReportedFile(f"{path}{number}", "deleted", 1) for number in range(30))
    small, large = (
        read(finding(1), deployments=tuple(deployment(size) | {"path": f"{path}{number}"} for number in range(10)))
        for size in (1, 2)
    )
    comparison = compare(large, small)._replace(no_longer_read=files, unreadable=files)
    body = _body(comparison)
    assert len(body) <= 65_536
    assert "30 no longer read" in body
    assert re.search(r"^- \d+ more$", body, re.M)
    assert " more processes changed." in body
