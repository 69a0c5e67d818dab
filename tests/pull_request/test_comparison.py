"""New, fixed and remaining findings, and changed memory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flink_flint.linter.pull_request.report_comparison import Moved, compare
from flink_flint.linter.pull_request.summary_comment import headline
from flink_flint.linter.pull_request.untrusted_report import Reported, reported_of
from tests.pull_request.reports import deployment, finding, read, report


def _numbers(findings: object) -> list[int]:
    return [int(one.fingerprint, 16) for one in findings]  # type: ignore[attr-defined]


def test_findings_are_reported_apart_by_fingerprint_and_come_worst_first() -> None:
    head = read(finding(1), finding(2, severity="info"), finding(3, severity="error"), finding(4))
    base = read(finding(1, message="worded otherwise"), finding(9), finding(8, severity="error"))
    found = compare(head, base)
    assert _numbers(found.new) == [3, 4, 2]
    assert _numbers(found.fixed) == [8, 9]
    assert _numbers(found.remaining) == [1]
    assert found.remaining[0].message == "job jars are stored under /tmp"
    assert found.is_meaningful


def test_without_a_base_nothing_is_called_new() -> None:
    found = compare(read(finding(2, severity="info"), finding(1)), None)
    assert (_numbers(found.remaining), found.new, found.fixed, found.compared) == ([1, 2], (), (), False)
    assert found.is_meaningful
    assert not compare(read(), None).is_meaningful


def test_a_change_that_changes_nothing_says_nothing() -> None:
    same = read(finding(1), deployments=(deployment(2048),))
    assert not compare(same, same).is_meaningful


def test_memory_that_moves_is_reported_by_process_and_part_of_known_documents() -> None:
    base = read(deployments=(deployment(2048, network=10, managed=7), deployment(5, "gone")))
    head = read(deployments=(deployment(4096, network=20, managed=7), deployment(5, "added")))
    found = compare(head, base)
    (moved,) = found.memory
    assert (moved.path, moved.document, moved.process) == ("conf/flink-conf.yaml", None, "taskmanager")
    assert moved.parts == (Moved("process_size", 2048, 4096), Moved("network", 10, 20))
    assert found.is_meaningful


def test_memory_that_flink_begins_to_refuse_moves() -> None:
    found = compare(read(deployments=(deployment(None),)), read(deployments=(deployment(2048),)))
    assert found.memory[0].parts == (Moved("process_size", 2048, None),)


def test_what_is_worse_by_its_measure_is_reported_as_new_with_both_numbers() -> None:
    head = read(finding(1, measure=25.5), finding(2, measure=3), finding(3, measure=2), finding(4, measure=-4000))
    base = read(finding(1, measure=20.4), finding(2, measure=3), finding(3, measure=9), finding(4, measure=-5000))
    found = compare(head, base)
    assert _numbers(found.new) == [1, 4]
    assert [one.note for one in found.new] == [
        "worse than before the change: 25.5 now, 20.4 there",
        "worse than before the change: 4000 now, 5000 there",
    ]
    assert _numbers(found.remaining) == [2, 3]
    assert found.fixed == ()


# -- two independent reports

CONF = "conf/flink-conf.yaml"
OTHER = "new/flink-conf.yaml"


def reported(*findings: dict[str, Any], files: tuple[str, ...] = (CONF,), **changed: Any) -> Reported:
    """Return a report that has read these files."""
    document = report(*findings)
    document["coverage"] = {"read": len(files), "files": list(files), "skipped": [], "unreadable": []}
    for name, value in changed.items():
        document[name] = {**document[name], **value} if isinstance(value, dict) else value
    return reported_of(json.dumps(document).encode())


def silenced(by: str, **changed: Any) -> dict[str, Any]:
    return {
        "code": "FLK101", "path": CONF, "line": 1, "document": None, "key": "blob.storage.directory", "by": by,
        "at": {"path": CONF, "line": 1}, "reason": "we like it", **changed,
    }  # fmt: skip


def test_what_a_comment_hides_in_the_head_is_suppressed_and_not_fixed() -> None:
    quiet = [silenced("comment")]
    head = reported(silenced=quiet, suppressed={"comment": 1})
    compared = compare(head, reported(finding(1)))
    assert (compared.fixed, compared.new) == ((), ())
    assert [(one.by, one.reason) for one in compared.newly_suppressed] == [(f"{CONF}:1", "we like it")]
    assert headline(compared) == "flint: nothing new, 1 newly suppressed"
    # A finding that the base already suppresses does not hide another one.
    base = reported(finding(1), silenced=quiet, suppressed={"comment": 1})
    assert compare(head, base).newly_suppressed == ()


@pytest.mark.parametrize(
    ("at", "by"),
    [
        ({"path": CONF, "line": 3}, f"{CONF}:3"),
        ({"path": "baseline.json", "line": 0}, "baseline.json"),
        ({"path": "", "line": 0}, "baseline"),
    ],
)
def test_what_suppresses_is_named_as_exactly_as_the_head_says(at: dict[str, Any], by: str) -> None:
    head = reported(silenced=[silenced("baseline", at=at)], suppressed={"baseline": 1})
    assert [one.by for one in compare(head, reported(finding(1))).newly_suppressed] == [by]


def test_a_new_finding_that_the_head_suppresses_is_said() -> None:
    compared = compare(reported(silenced=[silenced("comment")], suppressed={"comment": 1}), reported())
    assert "1 finding is suppressed in the head and unknown to the base, such as FLK101" in compared.disagreement
    assert (compared.is_meaningful, "clear" in headline(compared)) == (True, False)


def test_what_other_settings_hide_is_not_fixed() -> None:
    base = reported(finding(1), settings=[{"path": "flint.toml", "sha256": "a" * 64}])
    head = reported(settings=[{"path": "flint.toml", "sha256": "b" * 64}])
    compared = compare(head, base)
    assert (compared.fixed, len(compared.newly_suppressed)) == ((), 1)
    assert "different flint configurations" in compared.disagreement
    assert "clear" not in headline(compared)
    assert compared.is_meaningful


def test_a_file_that_the_head_has_not_read_has_nothing_fixed() -> None:
    compared = compare(reported(files=()), reported(finding(1)))
    assert (compared.fixed, compared.no_longer_read[0].findings) == ((), 1)
    assert headline(compared) == "flint: nothing new, 1 no longer read"
    unread = {"unreadable": [{"path": CONF, "reason": "too large"}]}
    compared = compare(reported(files=(), coverage={"read": 0, "files": [], **unread}), reported(finding(1)))
    assert (compared.fixed, [one.reason for one in compared.unreadable]) == ((), ["too large"])
    assert compared.no_longer_read == ()


def test_a_file_that_the_head_has_not_read_is_named_even_if_it_had_no_finding() -> None:
    compared = compare(reported(), reported(files=(CONF, OTHER)))
    assert [(one.path, one.findings) for one in compared.no_longer_read] == [(OTHER, 0)]


def test_a_file_that_the_head_has_not_read_is_named_even_if_the_base_does_not_say_what_it_read() -> None:
    base = reported_of(json.dumps({"version": 1, "findings": [finding(1)]}).encode())
    compared = compare(reported(files=()), base)
    assert (compared.fixed, [(one.path, one.findings) for one in compared.no_longer_read]) == ((), [(CONF, 1)])


@pytest.mark.parametrize("unread", [True, False])
def test_a_file_in_a_folder_that_was_left_out_has_the_reason_of_the_folder(unread: bool) -> None:
    left_out = {"skipped": [{"path": "conf/", "reason": "permission denied", "unread": unread}]}
    compared = compare(reported(files=(), coverage={"read": 0, "files": [], **left_out}), reported(finding(1)))
    assert [(one.path, one.reason) for one in compared.no_longer_read] == [(CONF, "permission denied")]


def test_a_renamed_file_has_nothing_new_and_nothing_fixed() -> None:
    compared = compare(
        reported(finding(1, path=OTHER, fingerprint="f" * 32), finding(2), files=(CONF, OTHER)),
        reported(finding(1, path="old/flink-conf.yaml"), finding(2), files=(CONF, "old/flink-conf.yaml")),
    )
    assert (compared.new, compared.fixed, compared.no_longer_read) == ((), (), ())
    assert [(one.old, one.new, one.findings) for one in compared.moved] == [("old/flink-conf.yaml", OTHER, 1)]


def test_a_claim_without_the_files_is_never_called_clear() -> None:
    silent = reported_of(b'{"version": 1, "findings": []}')
    assert headline(compare(silent, None)) == "flint: no findings reported"
    assert headline(compare(reported(files=()), None)) == "flint: no findings reported"
    assert headline(compare(reported(), None)) == "flint: all clear"
    compared = compare(silent, reported(finding(1)))
    assert "only the report of the base says which files were read" in compared.disagreement
    assert "clear" not in headline(compared)


def test_a_base_of_ones_own_counts_before_what_the_head_says_of_its_base() -> None:
    output = {
        "revision": "main", "hidden": 0, "newly_suppressed": [], "no_longer_read": [], "unreadable": [], "moved": [],
        "settings": [{"path": "flint.toml", "change": "changed"}],
        "fixed": [finding(9)], "remaining": [finding(1)], "deployments": [],
    }  # fmt: skip
    document = report() | {"comparison": output}
    head = reported_of(json.dumps(document).encode())
    assert [one.start_line for one in compare(head, None).remaining] == [1]
    compared = compare(head, reported())
    assert ([one.start_line for one in compared.new], compared.fixed) == ([1], ())
    assert [one.path for one in compared.settings] == ["flint.toml"]


def test_a_rule_that_failed_has_fixed_nothing() -> None:
    crash = finding(5, code="FLK000", rule="internal-error", severity="error")
    compared = compare(reported(crash), reported(finding(1)))
    assert (compared.fixed, "a rule failed" in compared.disagreement) == ((), True)


# -- documents and values


def documents(*rows: tuple[str | None, dict[str, Any]], files: tuple[str, ...] = (CONF,)) -> dict[str, Any]:
    """Return the coverage of a report that lists what was read of each document."""
    usual = {"path": CONF, "unjudged": None, "unknown": [], "inserted": 0}
    listed = [{**usual, "document": name, **changed} for name, changed in rows]
    return {"read": len(files), "files": list(files), "skipped": [], "unreadable": [], "documents": listed}


@pytest.mark.parametrize(
    ("rows", "kind", "reason"),
    [
        ([("b", {})], "no_longer_read", "a was removed, renamed or is no longer recognized"),
        ([("a", {"unjudged": "this is not YAML"})], "unreadable", "this is not YAML"),
        ([("a", {"unknown": ["a.b", "c.d"]})], "unreadable", "the values of a.b and c.d are no longer known"),
        ([("a", {"unknown": ["rest.port"]})], "unreadable", "the value of rest.port is no longer known"),
        ([("a", {"inserted": 1})], "unreadable", "settings may be added that are not in the file"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_of_a_document_any_more_is_not_fixed(
    rows: list[tuple[str | None, dict[str, Any]]], kind: str, reason: str
) -> None:
    base = reported(finding(1, document="a"), coverage=documents(("a", {})))
    found = compare(reported(coverage=documents(*rows)), base)
    assert found.fixed == ()
    assert [(one.path, one.reason, one.findings) for one in getattr(found, kind)] == [(CONF, reason, 1)]
    assert not found.hides_nothing
    assert compare(reported(coverage=documents(("a", {}))), base).fixed


def test_a_head_that_does_not_say_what_it_read_of_documents_cannot_be_compared() -> None:
    base = reported(finding(1, document="a"), coverage=documents(("a", {})))
    assert "what was read of each document" in compare(reported(), base).disagreement


def test_a_severity_that_rises_is_new_with_both() -> None:
    found = compare(reported(finding(1, severity="error")), reported(finding(1)))
    assert [one.note for one in found.new] == ["worse than before the change: error now, warning there"]
