"""What is new, fixed and still there, and which memory moved."""

from __future__ import annotations

from linter.forges.comparison import Moved, compare
from tests.forges.reports import deployment, finding, read


def _numbers(findings: object) -> list[int]:
    return [int(one.fingerprint, 16) for one in findings]  # type: ignore[attr-defined]


def test_findings_are_told_apart_by_fingerprint_and_come_worst_first() -> None:
    head = read(finding(1), finding(2, severity="info"), finding(3, severity="error"), finding(4))
    base = read(finding(1, message="worded otherwise"), finding(9), finding(8, severity="error"))
    found = compare(head, base)
    assert _numbers(found.new) == [3, 4, 2]
    assert _numbers(found.fixed) == [8, 9]
    assert _numbers(found.remaining) == [1]
    assert found.remaining[0].message == "job jars are stored under /tmp"
    assert found.says_something


def test_without_a_base_nothing_is_called_new() -> None:
    found = compare(read(finding(2, severity="info"), finding(1)), None)
    assert (_numbers(found.remaining), found.new, found.fixed, found.compared) == ([1, 2], (), (), False)
    assert found.says_something
    assert not compare(read(), None).says_something


def test_a_change_that_changes_nothing_says_nothing() -> None:
    same = read(finding(1), deployments=(deployment(2048),))
    assert not compare(same, same).says_something


def test_memory_that_moves_is_told_by_process_and_part_of_known_documents() -> None:
    base = read(deployments=(deployment(2048, network=10, managed=7), deployment(5, "gone")))
    head = read(deployments=(deployment(4096, network=20, managed=7), deployment(5, "added")))
    found = compare(head, base)
    (moved,) = found.memory
    assert (moved.path, moved.document, moved.process) == ("conf/flink-conf.yaml", None, "taskmanager")
    assert moved.parts == (Moved("process_size", 2048, 4096), Moved("network", 10, 20))
    assert found.says_something


def test_memory_that_flink_begins_to_refuse_moves() -> None:
    found = compare(read(deployments=(deployment(None),)), read(deployments=(deployment(2048),)))
    assert found.memory[0].parts == (Moved("process_size", 2048, None),)


def test_what_is_worse_by_its_measure_is_told_as_new_with_both_numbers() -> None:
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
