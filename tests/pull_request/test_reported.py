"""Reports are read as untrusted input."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.model.finding import Severity
from flink_flint.linter.output.memory.memory_components import PARTS
from flink_flint.linter.pull_request import untrusted_report as reported
from flink_flint.linter.pull_request.report_comparison import compare
from flink_flint.linter.pull_request.summary_comment import headline
from flink_flint.linter.pull_request.untrusted_object import LONGEST_BESIDE, LONGEST_TEXT, checked_path, is_addressable
from flink_flint.linter.pull_request.untrusted_report import read_reports, reported_of
from tests.conftest import ROOT, Flint
from tests.pull_request.reports import deployment, finding, fix, read, report, save


def _refused(document: object) -> str:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - what it says is what the callers look at
        reported_of(json.dumps(document).encode())
    return str(refused.value)


@pytest.mark.slow
def test_a_report_of_flint_check_is_read_whole(tmp_path: Path, flint: Flint) -> None:
    flint("check", ROOT / "examples" / "session", cwd=tmp_path)
    (tmp_path / "flink-conf.yaml").write_bytes((ROOT / "examples/session/conf/flink-conf.yaml").read_bytes())
    done = flint("check", ".", "--output-format", "json", "-o", "report.json")
    assert done.returncode == 1
    raw = json.loads((tmp_path / "report.json").read_text())
    found = read_reports([str(tmp_path / "report.json")])
    assert [one.fingerprint for one in found.findings] == [one["fingerprint"] for one in raw["findings"]]
    quoted = next(one for one in found.findings if one.code == "FLK010")
    assert (quoted.severity, quoted.path, quoted.start_line) == (Severity.ERROR, "flink-conf.yaml", 9)
    assert quoted.excerpt is not None
    assert quoted.excerpt.lines[0][quoted.excerpt.start : quoted.excerpt.end] == '"8"'
    assert quoted.fix is not None
    assert quoted.fix.before == ('taskmanager.numberOfTaskSlots: "8"',)
    assert found.deployments[0].memory["taskmanager"].keys() == set(PARTS["taskmanager"])


def test_several_reports_count_together_and_a_fingerprint_once(tmp_path: Path) -> None:
    one = save(tmp_path / "a.json", finding(1), finding(2))
    other = save(tmp_path / "b.json", finding(2), finding(3), deployments=(deployment(2048),))
    found = read_reports([one, other])
    assert [int(each.fingerprint, 16) for each in found.findings] == [1, 2, 3]
    assert len(found.deployments) == 1


def test_what_is_no_report_is_refused_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    for content, why in (
        (b"", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 200_000, "nested too deep"),
        (b'{"findings": ' * 100_000, "nested too deep"),
        (b'{"version": 1, "findings": [], "measure": NaN}', "NaN is not a number"),
        (b'{"version": 1, "findings": [], "measure": -Infinity}', "-Infinity is not a number"),
        (b"1" * 10_000, "not JSON"),
        (b"[]", "flint check --output-format json"),
        (b'{"version": 1}', "flint check --output-format json"),
        (b'{"version": 2, "findings": []}', "version 1 is required"),
        (b'{"version": true, "findings": []}', "version 1 is required"),
        (b'{"version": 1, "findings": {}}', "findings is not a list"),
        (b'{"version": 1, "findings": [1]}', "findings[0] is not an object"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"r\.json: ") as refused:
            read_reports([str(path)])
        assert why in str(refused.value)
        assert len(str(refused.value)) < 300 + len(str(path))


def test_a_missing_report_is_a_value_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot read the report"):
        read_reports([str(tmp_path / "none.json")])
    with pytest.raises(ValueError, match="cannot read the report"):
        read_reports([str(tmp_path)])


def test_reports_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = save(tmp_path / "a.json", finding(1))
    monkeypatch.setattr(reported, "LARGEST_REPORT", Path(one).stat().st_size + 10)
    assert len(read_reports([one]).findings) == 1
    other = save(tmp_path / "b.json", finding(2))
    with pytest.raises(ValueError, match=r"b\.json: more than"):
        read_reports([one, other])


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("code", "FLK101](https://evil.example)"),
        ("code", None),
        ("rule", "blob storage"),
        ("rule", "../../evil"),
        ("severity", "fatal"),
        ("severity", ["error"]),
        ("confidence", 3),
        ("message", None),
        ("message", {"a": 1}),
        ("help", 7),
        ("start", None),
        ("start", {"line": 0, "column": 1}),
        ("start", {"line": True, "column": 1}),
        ("start", {"line": 1.5, "column": 1}),
        ("start", {"line": 10**400, "column": 1}),
        ("end", []),
        ("end", {"line": 1, "column": 0}),
        ("document", 1),
        ("fingerprint", "0" * 31),
        ("fingerprint", "0" * 32 + " -->"),
        ("fingerprint", "0" * 32 + "\n"),
        ("measure", "1"),
        ("measure", True),
        ("excerpt", {"line": 1, "lines": [], "start": 1, "end": 1}),
        ("excerpt", {"line": 1, "lines": ["a"] * 500, "start": 1, "end": 1}),
        ("excerpt", {"line": 1, "lines": [1], "start": 1, "end": 1}),
        ("excerpt", {"line": 1, "lines": ["a"], "start": -1, "end": 1}),
        ("related", "x"),
        ("related", [{"path": "/etc/passwd", "start": {}, "end": {}}]),
        ("evidence", []),
        ("fix", []),
        ("fix", {"safety": "sure", "title": "t", "edits": []}),
        ("fix", {"safety": "safe", "title": "t", "edits": [{"path": "a"}]}),
    ],
)
def test_members_of_another_shape_are_refused_with_their_place(member: str, value: Any) -> None:
    assert f"findings[0].{member}" in _refused(report(finding(**{member: value})))


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "../x", "a/../../x", "..", ".", "//host/x", "x" * 5_000,
    ],
)  # fmt: skip
def test_paths_out_of_the_repository_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"is not (a|the) path"):
        checked_path(path)
    assert "findings[0].path" in _refused(report(finding(path=path)))
    assert "deployments[0].path" in _refused(report(deployments=(deployment(1) | {"path": path},)))
    edit = fix(1, "a", "b", path=path)
    assert "findings[0].fix.edits[0].path" in _refused(report(finding(fix=edit)))


def test_paths_are_normal() -> None:
    assert checked_path("./a//b/../c.yaml") == "a/c.yaml"
    assert checked_path("häuser/数据 x.yaml") == "häuser/数据 x.yaml"


ODD_NAMES = (
    "a\\b",
    "C:/x",
    "c:x",
    "a\nb",
    "a\0b",
    "a\x1b[31mb",
    "a\u202eb",
    "a\u200bb",
    "a\ud800",
    "a\udcffb",
    "x" * 4_000,
)


@pytest.mark.parametrize("path", ODD_NAMES)
def test_a_file_of_any_name_that_a_pull_request_can_add_is_read(path: str) -> None:
    assert checked_path(path) == path
    (found,) = read(
        finding(path=path, fix=fix(1, "a", "b", path=path)), deployments=(deployment(1) | {"path": path},)
    ).findings
    assert found.path == path
    assert is_addressable(path) == (path[0] == "x")


def test_numbers_as_large_as_flinks_are_read_and_a_larger_measure_is_the_largest() -> None:
    largest = 2**63 - 1
    assert read(deployments=(deployment(largest),)).deployments[0].memory["taskmanager"]["process_size"] == largest
    for measure in (1e300, 10**400):
        assert read(finding(measure=measure)).findings[0].measure == largest
        assert read(finding(measure=-measure)).findings[0].measure == -largest


def test_long_texts_are_cut_and_long_fixes_left_out() -> None:
    here = {"line": 1, "column": 1}
    beside = {"path": "a", "start": here, "end": here, "message": "x" * 5_000}
    (found,) = read(
        finding(
            message="x" * 1_000_000,
            key="k" * 5_000,
            related=[beside],
            fix=fix(1, "a", "b" * 5_000),
            evidence={"a": [1], "b": 10**400},
        )
    ).findings
    assert len(found.message) == LONGEST_TEXT
    assert found.message.endswith("…")
    assert [len(found.key or ""), *(len(one.message) for one in found.related)] == [LONGEST_BESIDE] * 2
    assert found.fix is None
    assert found.evidence == {}
    many = fix(1, "a", "b")
    many["edits"] *= 100
    assert read(finding(fix=many)).findings[0].fix is None


def test_the_page_of_a_rule_is_never_what_the_report_says() -> None:
    known, named, foreign = read(
        finding(1, url="javascript:alert(1)"),
        finding(2, rule="another-name"),
        finding(3, code="ACME1", rule="acme-rule", url="https://acme.example"),
    ).findings
    assert known.url is not None
    assert known.url.endswith("docs/rules/blob-storage-in-tmp.md")
    assert (named.url, foreign.url) == (None, None)


def test_sizes_that_are_none_are_refused() -> None:
    assert "process_size" in _refused(report(deployments=(deployment(-1),)))
    assert "process_size" in _refused(report(deployments=(deployment(10**30),)))
    assert "memory" in _refused(report(deployments=(deployment(1) | {"memory": 3},)))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(sorted(finding())), _JSON, max_size=4), _JSON)
def test_any_json_is_read_or_refused_as_a_value_error(changed: dict[str, Any], deployments: Any) -> None:
    document = report(finding(**changed)) | {"deployments": deployments}
    with suppress(ValueError):
        reported_of(json.dumps(document).encode())


def test_a_report_of_a_check_that_could_not_read_everything_says_what(tmp_path: Path, flint: Flint) -> None:
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/a\n", encoding="utf-8")
    wrong = flint("check", "flink-conf.yaml", "missing.yaml", "--output-format", "json", "-o", "report.json")
    assert wrong.returncode == 2
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["unread"] == ["missing.yaml"]
    reported = read_reports([str(tmp_path / "report.json")])
    assert reported.coverage is not None
    assert [(one.path, one.reason) for one in reported.coverage.unread] == [("missing.yaml", "no such file or folder")]
    assert "1 could not be read" in headline(compare(reported, None))
    assert "clear" not in headline(compare(reported_of(b'{"version": 1, "findings": []}'), None)), "an older report"
    with pytest.raises(ValueError, match="could not read every file"):
        reported_of(b'{"version": 1, "findings": [], "unread": ["x"]}')


@pytest.mark.parametrize(
    ("member", "value", "why"),
    [
        ("suppressed", {"comment": 1, "baseline": 0, "flint_toml": 0}, "suppressed.comment is not 0"),
        ("coverage", {"read": 9, "files": ["a.yaml"]}, "coverage.read is not 1"),
        ("coverage", {"read": 1, "files": ["../a.yaml"]}, "not a path below"),
        ("coverage", {"read": 0, "files": [], "skipped": [{"path": "a", "reason": "b", "unread": 1}]}, "true or false"),
        ("silenced", [{"code": "FLK101", "path": "a", "line": 1, "by": "magic"}], "one of comment, baseline"),
        ("comparison", {"revision": "main", "hidden": "no"}, "comparison.hidden is not"),
    ],
)
def test_counts_are_those_of_the_lists(member: str, value: Any, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        reported_of(json.dumps(report() | {member: value}).encode())
