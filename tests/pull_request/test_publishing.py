"""The comments of a pull request after each push, each failure, and actions of people."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.pull_request.forge import ForgeError
from flink_flint.linter.pull_request.inline_comments import GONE
from flink_flint.linter.pull_request.publishing import MAX_INLINE, Done, publish
from flink_flint.linter.pull_request.report_comparison import Comparison, compare
from flink_flint.linter.pull_request.untrusted_report import reported_of
from tests.pull_request.memory_forge import MemoryForge
from tests.pull_request.reports import finding, fix, read, report

PATH = "conf/flink-conf.yaml"
BASE = (finding(50), finding(51))


def _pushed(*findings: dict[str, Any]) -> Comparison:
    """Return a push whose head has these findings in addition to those of the base."""
    return compare(read(*findings, *BASE), read(*BASE))


def _lines(forge: MemoryForge) -> list[int | None]:
    return [thread.line for thread in forge.inline.values()]


def _headline(forge: MemoryForge) -> str:
    (body,) = forge.summaries.values()
    return next(line for line in body.splitlines() if not line.startswith("<!--"))


def test_a_whole_life() -> None:
    forge = MemoryForge({PATH: frozenset(range(1, 40))})
    first = publish(forge, _pushed(finding(1), finding(2, fix=fix(2, "a", "b"))))
    assert first == Done(summary="created", created=2)
    assert (_headline(forge), _lines(forge)) == ("### flint: 2 new findings, 2 remaining", [1, 2])
    assert forge.writes == ["create_threads", "create_comment"]

    forge.person(1, answered=True)
    second = publish(forge, _pushed(finding(3), finding(2, fix=fix(2, "a", "b"))))
    assert second == Done(summary="updated", created=1, deleted=1)
    assert _lines(forge) == [2, 3]

    last = publish(forge, _pushed())
    assert last == Done(summary="updated", resolved=1, deleted=1)
    assert _headline(forge) == "### flint: nothing new, 2 remaining"
    (kept,) = forge.inline.values()
    assert (kept.line, kept.resolved, kept.answered) == (2, True, True)
    assert GONE in kept.body


def test_the_same_report_twice_writes_nothing() -> None:
    forge = MemoryForge()
    for comparison in (
        _pushed(finding(1), finding(2)),
        _pushed(finding(2)),
        _pushed(),
        compare(read(finding(4)), None),
    ):
        publish(forge, comparison)
        forge.writes.clear()
        assert publish(forge, comparison) == Done()
        assert forge.writes == []
        assert Done().words == "nothing to write"


def test_where_there_is_nothing_to_say_nothing_is_said() -> None:
    forge = MemoryForge({})
    assert publish(forge, _pushed()) == Done()
    assert publish(forge, compare(read(), None)) == Done()
    assert forge.state == ({}, {})


def test_an_earlier_comment_becomes_all_clear() -> None:
    forge = MemoryForge()
    publish(forge, compare(read(finding(1)), read()))
    publish(forge, compare(read(), read()))
    assert forge.inline == {}
    remembered = "<!-- flint:summary -->\n<!-- flint:inline 1 -->\n"
    assert list(forge.summaries.values()) == [f"{remembered}### flint: all clear\n"]


def test_comments_of_others_and_of_other_runs_stay() -> None:
    forge = MemoryForge()
    forge.create_comment("a word of a person's, with <!-- flint:summary --> in it")
    publish(forge, _pushed(finding(1)), name="helm")
    before = forge.state
    publish(forge, _pushed(finding(2)))
    publish(forge, _pushed())
    assert before[0].items() <= forge.summaries.items()
    assert before[1].items() <= forge.inline.items()


def test_new_findings_on_lines_that_the_pull_request_does_not_add_are_in_the_summary_alone() -> None:
    forge = MemoryForge({PATH: frozenset({7, 51})})
    publish(forge, _pushed(finding(1), finding(7)))
    assert _lines(forge) == [7], "51 is a line of an old finding"
    assert "flink-conf.yaml&#58;1</code>" in next(iter(forge.summaries.values()))


def test_at_most_so_many_inline_comments_are_made_the_worst_first() -> None:
    forge = MemoryForge()
    mild = [finding(number, severity="info") for number in range(1, 41)]
    publish(forge, _pushed(*mild, finding(45, severity="error")))
    assert len(forge.inline) == MAX_INLINE
    assert _lines(forge)[0] == 45
    forge.writes.clear()
    assert publish(forge, _pushed(*mild, finding(45, severity="error"))) == Done()


def test_a_pull_request_gets_so_many_inline_comments_in_its_life() -> None:
    forge = MemoryForge()
    made = 0
    for push in range(6):
        numbers = range(1 + 8 * push, 9 + 8 * push)
        made += publish(forge, _pushed(*(finding(number) for number in numbers))).created
    assert made == MAX_INLINE, "those that flint itself took away count too"
    assert _headline(forge) == "### flint: 8 new findings, 2 remaining"
    assert "<!-- flint:inline 30 -->" in next(iter(forge.summaries.values()))


def test_resolved_and_outdated_comments_count_without_a_summary() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(*(finding(number) for number in range(1, 31))))
    for place in range(30):
        forge.person(place, resolved=True, line=None, answered=True)
    forge.summaries.clear()
    assert publish(forge, _pushed(finding(40))).created == 0
    assert publish(forge, _pushed(finding(1))).created == 0, "an old one that has moved is not posted again either"


def test_a_change_next_to_old_findings_writes_nothing() -> None:
    forge = MemoryForge()
    old = [finding(number) for number in range(1, 7)]
    assert publish(forge, compare(read(*old), read(*old))) == Done()
    assert forge.writes == []


def test_a_comment_is_not_called_fixed_where_a_suppression_hides_its_finding() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    forge.person(0, answered=True)
    head = report(*BASE)
    quiet = {
        "code": "FLK101", "path": PATH, "line": 1, "document": None, "key": "blob.storage.directory", "by": "comment",
        "at": {"path": PATH, "line": 1}, "reason": "we like it", "finding": finding(1),
    }  # fmt: skip
    head["comparison"] = {
        "revision": "main", "hidden": 0, "newly_suppressed": [quiet], "settings": [], "no_longer_read": [],
        "unreadable": [], "moved": [], "fixed": [], "remaining": [], "deployments": [],
    }  # fmt: skip
    publish(forge, compare(reported_of(json.dumps(head).encode()), None))
    (kept,) = forge.inline.values()
    assert (GONE in kept.body, kept.resolved) == (False, False)
    assert "1 newly suppressed" in _headline(forge)


def test_without_inline_comments_threads_are_left_alone() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    before = forge.inline.copy()
    publish(forge, _pushed(finding(2)), inline=False)
    assert forge.inline == before


def test_a_finding_said_otherwise_changes_its_comment() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    assert publish(forge, _pushed(finding(1, message="worse now"))) == Done(summary="updated", updated=1)
    assert "worse now" in next(iter(forge.inline.values())).body


def test_a_comment_that_nobody_answered_follows_its_finding() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    moved = finding(1, start={"line": 9, "column": 1}, end={"line": 9, "column": 4})
    assert publish(forge, _pushed(moved)) == Done(summary="updated", created=1, deleted=1)
    assert _lines(forge) == [9]
    forge.person(0, line=None)  # a push has made it outdated
    publish(forge, _pushed(moved))
    assert _lines(forge) == [9]


def test_an_answered_comment_stays_where_it_is() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    forge.person(0, answered=True, line=None)
    moved = finding(1, start={"line": 9, "column": 1}, end={"line": 9, "column": 4}, message="moved")
    assert publish(forge, _pushed(moved)) == Done(summary="updated", updated=1)
    assert _lines(forge) == [None]


def test_what_a_person_resolved_stays_resolved() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    forge.person(0, resolved=True)
    moved = finding(1, start={"line": 9, "column": 1}, end={"line": 9, "column": 4})
    for comparison in (_pushed(finding(1)), _pushed(moved)):
        publish(forge, comparison)
        (thread,) = forge.inline.values()
        assert (thread.resolved, thread.line) == (True, 1)


def test_what_flint_resolved_is_opened_when_the_finding_is_back() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    before = forge.inline.copy()
    forge.person(0, answered=True)
    publish(forge, _pushed())
    assert publish(forge, _pushed(finding(1))) == Done(summary="updated", updated=1, reopened=1)
    (thread,) = forge.inline.values()
    assert not thread.resolved
    assert [thread.body] == [one.body for one in before.values()]


def test_a_kept_comment_that_somebody_reopened_stays_open() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    forge.person(0, answered=True)
    publish(forge, _pushed())
    forge.person(0, resolved=False)
    assert publish(forge, _pushed()) == Done()


def test_comments_that_runs_at_the_same_time_made_twice_become_one() -> None:
    forge = MemoryForge()
    publish(forge, _pushed(finding(1)))
    for body in list(forge.summaries.values()):
        forge.create_comment(body)
    (thread,) = forge.inline.values()
    forge.inline["again"] = thread._replace(id="again", comment="again")
    publish(forge, _pushed(finding(1)))
    assert (len(forge.summaries), len(forge.inline)) == (1, 1)


def test_bodies_keep_within_the_limit_of_the_forge() -> None:
    forge = MemoryForge(longest_body=900)
    publish(forge, _pushed(*(finding(number, message="long " * 30) for number in range(1, 20))))
    assert "left out here" in next(iter(forge.summaries.values()))
    for place in range(len(forge.inline)):
        forge.person(place, answered=True)
    publish(forge, _pushed())
    assert all(len(thread.body) <= 900 and GONE.strip() in thread.body for thread in forge.inline.values())


def test_refused_inline_comments_do_not_keep_the_summary_from_being_written() -> None:
    forge = MemoryForge()
    forge.refuses = frozenset({"create_threads"})
    with pytest.raises(ForgeError, match="create_threads"):
        publish(forge, _pushed(finding(1)))
    assert _headline(forge) == "### flint: 1 new finding, 2 remaining"


PUSH = st.tuples(st.sets(st.integers(1, 6), max_size=4), st.sets(st.integers(0, 5)), st.integers(0, 6))
"""The findings, which threads get replies then, and at which write the run fails."""


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(PUSH, min_size=1, max_size=4))
def test_a_run_that_breaks_off_anywhere_is_fixed_by_the_next(pushes: list[tuple[set[int], set[int], int]]) -> None:
    broken, sound = MemoryForge(), MemoryForge()
    for numbers, answered, breaks_at in pushes:
        comparison = _pushed(*(finding(number) for number in sorted(numbers)))
        broken.breaks_at = len(broken.writes) + breaks_at
        try:
            publish(broken, comparison)
        except ForgeError:
            # All existing comments are complete, and the summary mentions none that is missing.
            whole = re.compile(r"<!-- flint:summary -->\n(<!-- flint:inline \d+ -->\n)?### flint")
            assert all(whole.match(body) for body in broken.summaries.values())
        broken.breaks_at = None
        publish(broken, comparison)
        publish(sound, comparison)
        assert publish(broken, comparison) == Done()
        assert _standing(broken) == _standing(sound)
        for forge in (broken, sound):
            for place, thread in enumerate(sorted(forge.inline.values(), key=lambda one: one.body)):
                if place in answered:
                    forge.inline[thread.id] = thread._replace(answered=True)


def _standing(forge: MemoryForge) -> tuple[list[str], list[tuple[object, ...]]]:
    threads = [(one.body, one.path, one.line, one.resolved, one.answered) for one in forge.inline.values()]
    return list(forge.summaries.values()), sorted(threads)
