"""GitHub on the loopback interface: the pull request after each request, and server errors."""

from __future__ import annotations

import difflib
import json
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.filesystem.http_client import RetryPolicy
from flink_flint.linter.pull_request.forge import Comment, ForgeError, NewThread, Thread
from flink_flint.linter.pull_request.github import GitHub
from flink_flint.linter.pull_request.github_run import run_of
from flink_flint.linter.pull_request.hunks import shown_lines
from flink_flint.linter.pull_request.publishing import Done, publish
from flink_flint.linter.pull_request.report_comparison import compare
from tests.marks import mostly_slow
from tests.pull_request.github_life import play
from tests.pull_request.github_server import BOT, TOKEN, Clock, Fault, Server, hunks, serving
from tests.pull_request.reports import finding, read, save

CONF = "conf/flink-conf.yaml"
PATCH = "@@ -1,3 +1,4 @@\n a: 1\n-b: 2\n+b: 3\n+c: 4\n d: 5\n@@ -20,2 +21,2 @@ x\n-y: 1\n+y: 2\n z: 3"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(clock: Clock) -> Iterator[Server]:
    with serving() as running:
        running.files = {CONF: PATCH}
        running.clock = clock
        yield running
        assert running.graphql_errors == []


@pytest.fixture
def forge(server: Server, clock: Clock) -> GitHub:
    return forge_of(server, clock)


def environment(server: Server, **more: str) -> dict[str, str]:
    return {
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_API_URL": server.url + server.prefix,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": server.repository,
        **more,
    }


def forge_of(server: Server, clock: Clock, seconds: float = 600) -> GitHub:
    return GitHub.from_environment(environment(server), None, 7, retry=RetryPolicy(seconds, clock.sleep, clock.now))


def one_line(line: int = 2, body: str = "<!-- flint:finding 1 -->\nbad") -> NewThread:
    return NewThread(CONF, line, line, body)


# Comments


def test_only_comments_of_the_token_s_owner_are_ours(server: Server, forge: GitHub) -> None:
    mine = server.print_message(BOT, "<!-- flint:summary -->\nhello")
    server.print_message("github-actions", "<!-- flint:summary -->\nan account that is called like the bot")
    server.print_message("mallory", "<!-- flint:summary -->\nnot yours")
    assert forge.comments() == [Comment(str(mine["id"]), mine["body"])]


def test_a_person_s_token_sees_the_person_s_comments(server: Server, forge: GitHub) -> None:
    server.viewer = "ada"
    server.print_message(BOT, "the bot's")
    server.print_message("ada", "mine")
    assert [comment.body for comment in forge.comments()] == ["mine"]


def test_comments_come_from_all_pages_oldest_first(server: Server, forge: GitHub) -> None:
    server.largest_page = 2
    for number in range(7):
        server.print_message(BOT, f"comment {number}")
    assert [comment.body for comment in forge.comments()] == [f"comment {number}" for number in range(7)]
    assert sum("issues/7/comments" in one.path for one in server.asked) == 4


def test_a_comment_is_made_changed_and_removed(server: Server, forge: GitHub) -> None:
    forge.create_comment("first")
    (comment,) = forge.comments()
    forge.update_comment(comment, "second")
    assert server.bodies() == ["second"]
    forge.delete_comment(comment)
    assert server.bodies() == []


def test_a_comment_that_is_gone_already_is_removed_without_complaint(server: Server, forge: GitHub) -> None:
    forge.delete_comment(Comment("99", "gone"))
    forge.delete_thread(Thread("PRRT_9", "99", "gone", CONF, 1, False, False))


def test_a_body_of_the_longest_length_is_taken_and_a_longer_one_refused(server: Server, forge: GitHub) -> None:
    forge.create_comment("ü" * forge.longest_body)
    with pytest.raises(ForgeError, match=r"commenting on acme/jobs#7: GitHub responded with 422: .*Body is too long"):
        forge.create_comment("ü" * (forge.longest_body + 1))
    assert len(server.comments) == 1


# Threads


def test_several_lines_are_commented_in_one_review(server: Server, forge: GitHub) -> None:
    forge.create_threads([one_line(2), NewThread(CONF, 2, 4, "range"), one_line(21)])
    assert server.writes == ["POST /repos/acme/jobs/pulls/7/reviews"]
    assert [(one["start_line"], one["line"]) for one in server.threads] == [(2, 2), (2, 4), (21, 21)]
    assert {one["commit"] for one in server.threads} == {"a" * 40}


def test_no_lines_make_no_request(server: Server, forge: GitHub) -> None:
    assert forge.create_threads([]) == 0
    assert server.asked == []


def test_threads_tell_what_became_of_them(server: Server, forge: GitHub) -> None:
    forge.create_threads([one_line(1), one_line(2), one_line(3), one_line(4), one_line(21)])
    _, second, third, fourth, _ = server.threads
    second["resolved"] = True
    server.reply(third, "ada", "I disagree")
    server.reply(fourth, BOT, "a word of ours")
    server.start_thread("ada", "<!-- flint:finding 9 -->", CONF, 1)
    server.push("d" * 40, {CONF: PATCH.replace("y: 2", "y: 7")})
    output = [(one.line, one.resolved, one.answered) for one in forge.threads()]
    assert output == [(1, False, False), (2, True, False), (3, False, True), (4, False, False), (None, False, False)]


def test_an_answer_by_an_account_that_is_gone_is_an_answer(server: Server, forge: GitHub) -> None:
    forge.create_threads([one_line()])
    server.reply(server.threads[0], "ghost", "hello")
    server.threads[0]["comments"][-1]["login"] = None
    assert forge.threads()[0].answered


def test_threads_and_replies_come_from_all_pages(server: Server, forge: GitHub) -> None:
    forge.create_threads([one_line(line, f"at {line}") for line in (1, 2, 3, 4, 21)])
    for _ in range(5):
        server.reply(server.threads[4], BOT, "ours")
    server.reply(server.threads[4], "ada", "theirs")
    server.largest_page = 2
    assert [(one.body, one.answered) for one in forge.threads()] == [
        ("at 1", False), ("at 2", False), ("at 3", False), ("at 4", False), ("at 21", True),
    ]  # fmt: skip


def test_the_first_comment_of_a_thread_is_changed_and_removed(server: Server, forge: GitHub) -> None:
    forge.create_threads([one_line(1), one_line(2)])
    first, second = forge.threads()
    forge.update_thread(first, "other")
    forge.delete_thread(second)
    assert [one["comments"][0]["body"] for one in server.threads] == ["other"]


def test_a_token_that_may_write_contents_resolves_and_reopens(server: Server, forge: GitHub) -> None:
    server.may = {"pull-requests", "contents"}
    forge.create_threads([one_line()])
    forge.resolve(forge.threads()[0])
    assert (server.threads[0]["resolved"], server.threads[0]["comments"][0]["minimized"]) == (True, False)
    assert forge.threads()[0].resolved
    forge.reopen(forge.threads()[0])
    assert not forge.threads()[0].resolved


def test_a_token_that_may_not_hides_its_comment_as_resolved_and_shows_it_again(server: Server, forge: GitHub) -> None:
    forge.create_threads([one_line()])
    forge.resolve(forge.threads()[0])
    assert (server.threads[0]["resolved"], server.threads[0]["comments"][0]["minimized"]) == (False, True)
    assert forge.threads()[0].resolved
    forge.reopen(forge.threads()[0])
    assert not forge.threads()[0].resolved


def test_what_a_person_resolved_stays_so_where_the_token_may_not_open_it(server: Server, forge: GitHub) -> None:
    forge.create_threads([one_line()])
    server.threads[0]["resolved"] = True
    forge.reopen(forge.threads()[0])
    assert server.threads[0]["resolved"]


def test_a_token_that_may_only_read_is_reported_what_to_give_it(server: Server, forge: GitHub) -> None:
    forge.create_threads([one_line()])
    thread = forge.threads()[0]
    server.may = set()
    wanted = (
        r"403: Resource not accessible by integration\. Give the job `permissions: pull-requests: write`\. A run for"
    )
    for write in (
        lambda: forge.create_comment("x"),
        lambda: forge.create_threads([one_line(3)]),
        lambda: forge.update_thread(thread, "x"),
        lambda: forge.delete_thread(thread),
        lambda: forge.resolve(thread),
    ):
        with pytest.raises(ForgeError, match=wanted):
            write()
    assert len(server.threads) == 1


# A rejected review


def test_a_line_outside_the_diff_is_left_out_and_the_others_are_posted(server: Server, forge: GitHub) -> None:
    outside = [one_line(15), NewThread(CONF, 4, 21, "two hunks"), NewThread("x", 1, 1, "new")]
    assert forge.create_threads([one_line(2), *outside]) == 1
    assert [one["line"] for one in server.threads] == [2]
    assert len(server.writes) == 2


def test_where_no_line_is_in_the_diff_nothing_is_posted(server: Server, forge: GitHub) -> None:
    assert forge.create_threads([one_line(15)]) == 0
    assert (server.threads, len(server.writes)) == ([], 1)


def test_a_review_that_is_refused_for_another_reason_posts_nothing(server: Server, forge: GitHub) -> None:
    with pytest.raises(ForgeError, match=r"reviewing acme/jobs#7: GitHub responded with 422: .*Body is too long"):
        forge.create_threads([one_line(2), one_line(3, "x" * 70_000)])
    assert (server.threads, len(server.writes)) == ([], 1)


def test_a_push_in_the_middle_is_reported_and_nothing_posted(server: Server, forge: GitHub) -> None:
    forge.threads()
    server.push("d" * 40, {CONF: "@@ -1 +1 @@\n-a\n+b"})
    with pytest.raises(ForgeError, match=r"is commit dddddddddddd, but aaaaaaaaaaaa was checked: nothing is posted"):
        forge.create_threads([one_line(2)])
    assert server.threads == []


# Lines


def test_lines_of_hunks_take_comments(server: Server, forge: GitHub) -> None:
    server.largest_page = 1
    server.files |= {"huge.yaml": None, "gone.yaml": "@@ -1,2 +0,0 @@\n-a\n-b", "new.yaml": "@@ -0,0 +1 @@\n+a"}
    assert forge.changed_lines() == {CONF: frozenset({2, 3, 21}), "new.yaml": frozenset({1})}


@pytest.mark.parametrize(
    ("patch", "lines"),
    [
        ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file", {1}),
        ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file", {1}),
        ("@@ -1,2 +1,3 @@\n a\n+@@ -1 +90,5 @@\n b", {1, 2, 3}),
        ("@@ -1,3 +1,3 @@\n a\n--- x\n+++ y\n b", {1, 2, 3}),
        ("@@ -5,2 +5,2 @@ section\n a\x0b\u2028b\r\n-c\x0c\n+d\x85e", {5, 6}),
        ("@@ -0,0 +1,2 @@\n+a\n+", {1, 2}),
        ("Binary files differ", set()),
        ("", set()),
    ],
)
def test_patches_are_read_to_the_letter(patch: str, lines: set[int]) -> None:
    assert frozenset(shown_lines(patch)) == lines


LINES = st.lists(st.sampled_from(["a", "b", "@@ -1 +1 @@", "-", "+", "\\", "", "\x0b"]), max_size=12)


@given(LINES, LINES, st.integers(0, 3))
def test_patches_show_what_differs_and_the_lines_around(old: list[str], new: list[str], around: int) -> None:
    diff = list(difflib.unified_diff(old, new, lineterm="", n=around))[2:]
    groups = difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(around)
    shown = {line + 1 for group in groups for *_, start, end in group for line in range(start, end)}
    assert frozenset(shown_lines("\n".join(diff))) == shown


def test_lines_are_linked_at_the_head_with_the_path_encoded(server: Server, forge: GitHub) -> None:
    path = "conf dir/a(b)#c?[ü].yaml"
    wanted = f"https://github.com/acme/jobs/blob/{'a' * 40}/conf%20dir/a%28b%29%23c%3F%5B%C3%BC%5D.yaml"
    assert forge.line_url(path, 10, 12) == f"{wanted}#L10-L12"
    assert forge.line_url(path, 10, 10) == f"{wanted}#L10"


def test_enterprise_is_requested_under_its_own_paths(clock: Clock) -> None:
    with serving("/api/v3") as server:
        server.files = {CONF: PATCH}
        server.largest_page = 1
        forge = GitHub.from_environment(
            environment(server, GITHUB_SERVER_URL="https://git.example/"),
            None,
            7,
            RetryPolicy(600, clock.sleep, clock.now),
        )
        forge.create_comment("one")
        forge.create_comment("two")
        forge.create_threads([one_line()])
        assert [comment.body for comment in forge.comments()] == ["one", "two"]
        assert len(forge.threads()) == 1
        assert forge.line_url("a", 1, 1) == f"https://git.example/acme/jobs/blob/{'a' * 40}/a#L1"
        assert {one.path.split("/repos")[0] for one in server.asked} == {"/api/v3", "/api/graphql"}


# Server errors


def test_writes_keep_a_second_s_distance(server: Server, forge: GitHub, clock: Clock) -> None:
    for number in range(4):
        forge.create_comment(f"comment {number}")
    assert len(server.comments) == 4
    assert clock.slept == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_error_is_tried_again_with_growing_pauses(
    server: Server, forge: GitHub, clock: Clock, status: int
) -> None:
    server.faults = [Fault(status, on="GET .*comments")] * 3
    assert forge.comments() == []
    assert clock.slept == [1, 2, 4]


def test_a_lost_connection_and_a_torn_answer_are_tried_again(server: Server, forge: GitHub, clock: Clock) -> None:
    server.faults = [Fault(lost=True, on="GET .*comments"), Fault(200, on="GET .*comments", answer=b'[{"id": 1')]
    assert forge.comments() == []
    assert clock.slept == [1, 2]


def test_a_server_that_stays_down_is_given_up(server: Server, forge: GitHub, clock: Clock) -> None:
    server.faults = [Fault(502, on="files")] * 20
    with pytest.raises(
        ForgeError,
        match=r"reading the changed files of acme/jobs#7: GitHub responded with 502: Server Error, 6 times\. Run the",
    ):
        forge.changed_lines()
    assert clock.slept == [1, 2, 4, 8, 16]


SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "slept"),
    [
        (Fault(403, SECONDARY, {"Retry-After": "7"}), [7]),
        (Fault(429, SECONDARY, {"Retry-After": "7"}), [7]),
        (Fault(403, SECONDARY), [60]),
        (Fault(429, SECONDARY), [60]),
        (Fault(403, PRIMARY, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000030"}), [31]),
        (Fault(403, "Forbidden for now.", {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000005"}), [6]),
        (Fault(503, "Maintenance", {"Retry-After": "20"}), [20]),
    ],
    ids=lambda value: str(value)[:60],
)
@pytest.mark.parametrize("on", ["GET .*comments", "POST .*comments", "graphql"])
def test_limits_are_waited_for_as_long_as_github_says(
    server: Server, forge: GitHub, clock: Clock, fault: Fault, slept: list[int], on: str
) -> None:
    server.clock = None
    server.faults = [fault._replace(on=on)]
    forge.create_comment("hello")
    assert server.bodies() == ["hello"]
    assert [pause for pause in clock.slept if pause != 1] == slept


def test_a_limit_on_queries_comes_with_status_200(server: Server, forge: GitHub, clock: Clock) -> None:
    limited = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000010"}
    unwell = {"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}
    server.faults = [
        Fault(200, on="graphql", answer=limited, headers=headers),
        Fault(200, on="graphql", answer=unwell),
    ]
    assert forge.threads() == []
    assert clock.slept == [11, 2]


def test_a_limit_that_lasts_longer_than_the_run_may_wait_is_reported(server: Server, clock: Clock) -> None:
    forge = forge_of(server, clock, seconds=100)
    server.faults = [Fault(403, PRIMARY, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800001800"})]
    with pytest.raises(ForgeError, match=r"A rate limit is exhausted\. It resets in 1801 seconds\. Run the job again"):
        forge.comments()
    assert clock.slept == []


def test_all_waiting_of_a_run_together_is_bounded(server: Server, clock: Clock) -> None:
    forge = forge_of(server, clock, seconds=100)
    server.faults = [Fault(429, SECONDARY, {"Retry-After": "40"}, on="GET .*comments")] * 3
    with pytest.raises(ForgeError, match="limit"):
        forge.comments()
    assert clock.slept == [40, 40]


def test_a_refusal_for_good_is_not_tried_again(server: Server, forge: GitHub, clock: Clock) -> None:
    forge.comments()
    server.faults = [Fault(403, "Unable to create comment because issue is locked.", on="POST")]
    with pytest.raises(ForgeError, match="403: Unable to create comment because issue is locked"):
        forge.create_comment("hello")
    used_up = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000005"}
    server.faults = [Fault(403, "Resource not accessible by integration", used_up, on="POST")]
    with pytest.raises(ForgeError, match="permissions"):
        forge.create_comment("hello")
    server.faults = [Fault(422, "rate limit exceeded: this word is not allowed", on="POST")]
    with pytest.raises(ForgeError, match=r"422: rate limit exceeded: this word is not allowed$"):
        forge.create_comment("hello")
    assert (server.bodies(), [pause for pause in clock.slept if pause != 1]) == ([], [])


AMBIGUOUS = [
    Fault(502, done=True),
    Fault(504, done=True),
    Fault(done=True, lost=True),
    Fault(201, done=True, answer=b'{"id": 1'),
    Fault(200, done=True, answer={"message": "neither here nor there"}),
]


@pytest.mark.parametrize("fault", AMBIGUOUS)
def test_a_comment_that_was_made_without_an_answer_is_not_made_twice(
    server: Server, forge: GitHub, fault: Fault
) -> None:
    server.print_message(BOT, "<!-- flint:summary -->\nan earlier one")
    server.faults = [fault._replace(on="POST .*comments")]
    forge.create_comment("<!-- flint:summary -->\nhello  ")
    assert len(server.comments) == 2
    assert sum("POST" in write for write in server.writes) == 1


@pytest.mark.parametrize("fault", AMBIGUOUS)
def test_a_comment_that_was_not_made_is_made_once_at_the_next_try(server: Server, forge: GitHub, fault: Fault) -> None:
    server.print_message(BOT, "<!-- flint:summary -->\nan earlier one")
    server.faults = [fault._replace(on="POST .*comments", done=False)]
    forge.create_comment("<!-- flint:summary -->\nhello")
    assert len(server.comments) == 2
    assert sum("POST" in write for write in server.writes) == 2


@pytest.mark.slow
@pytest.mark.parametrize("fault", AMBIGUOUS)
@pytest.mark.parametrize("done", [True, False])
def test_a_review_without_an_answer_stands_once(server: Server, forge: GitHub, fault: Fault, done: bool) -> None:
    forge.create_threads([one_line(4)])
    server.faults = [fault._replace(on="reviews", done=done)]
    forge.create_threads([one_line(2), one_line(3, "no mark")])
    assert [one["line"] for one in server.threads] == [4, 2, 3]


def test_what_was_just_made_does_not_pass_for_what_comes_next(server: Server, forge: GitHub) -> None:
    forge.create_comment("hello")
    forge.create_threads([one_line()])
    server.faults = [Fault(502, on="POST .*comments"), Fault(502, on="reviews")]
    forge.create_comment("hello")
    forge.create_threads([one_line()])
    assert (len(server.comments), len(server.threads)) == (2, 2)


def test_the_last_try_counts_too_where_its_answer_was_lost(server: Server, forge: GitHub) -> None:
    server.faults = [*[Fault(502, on="POST .*comments")] * 5, Fault(502, on="POST .*comments", done=True)]
    forge.create_comment("hello")
    assert server.bodies() == ["hello"]


def test_a_removal_that_was_done_without_an_answer_is_done(server: Server, forge: GitHub) -> None:
    forge.create_comment("hello")
    server.faults = [Fault(502, on="DELETE", done=True)]
    forge.delete_comment(forge.comments()[0])
    assert server.bodies() == []


@pytest.mark.parametrize(
    "answer",
    [{"message": "no list"}, [{"no": "id"}], ["text"], [{"id": 1, "user": {"no": "login"}}], b"<html>Sign in</html>"],
)
def test_an_answer_of_another_shape_is_reported(server: Server, forge: GitHub, answer: Any) -> None:
    server.faults = [Fault(200, on="GET .*comments", answer=answer)] * 6
    with pytest.raises(
        ForgeError, match=r"reading the comments of acme/jobs#7: (GitHub .* 200: )?the (answer|response) is not"
    ):
        forge.comments()


def test_nobody_at_the_address_is_reported(clock: Clock) -> None:
    with serving() as server:
        forge = forge_of(server, clock)
    with pytest.raises(
        ForgeError, match=r"reading the owner of the token from GitHub: no response from GitHub: connection refused"
    ):
        forge.comments()


def test_what_github_says_is_reported_in_one_line_of_bounded_length(server: Server, forge: GitHub) -> None:
    server.faults = [Fault(418, "first\n::error::\x1b[31msecond\u202e " + "x" * 5000, on="files")]
    with pytest.raises(ForgeError) as caught:
        forge.changed_lines()
    text = str(caught.value)
    assert "first ::error::[31msecond xxx" in text
    assert text.isprintable()
    assert len(text) < 600


# The token

FAULTS = {
    "refused": Fault(401, "Bad credentials"),
    "echoed": Fault(403, f"who is {TOKEN}?"),
    "echoed by a query": Fault(200, answer={"errors": [{"message": f"who is {TOKEN}?"}]}),
    "echoed in place of JSON": Fault(200, answer=b"{" + TOKEN.encode()),
    "echoed in place of a list": Fault(200, answer=TOKEN.encode()),
    "echoed in a list": Fault(200, answer=[TOKEN]),
    "down": Fault(502, f"{TOKEN} is down"),
    "limited": Fault(429, TOKEN, {"Retry-After": "100000"}),
    "lost": Fault(lost=True),
    "led away": Fault(301, headers={"Location": f"https://127.0.0.1/{TOKEN}"}),
    "led to itself": Fault(301, headers={"Location": "http://localhost/x"}),
}
CALLS: dict[str, Callable[[GitHub], object]] = {
    "comments": lambda forge: forge.comments(),
    "create_comment": lambda forge: forge.create_comment("x"),
    "update_comment": lambda forge: forge.update_comment(Comment("1", ""), "x"),
    "threads": lambda forge: forge.threads(),
    "create_threads": lambda forge: forge.create_threads([one_line()]),
    "resolve": lambda forge: forge.resolve(Thread("PRRT_1", "1", "", CONF, 1, False, False)),
    "changed_lines": lambda forge: forge.changed_lines(),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_token_is_reported_nowhere(
    server: Server, forge: GitHub, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str],
    fault: Fault, call: Callable[[GitHub], object],
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    server.faults = [fault] * 50
    with pytest.raises(ForgeError) as caught:
        call(forge)
    error = caught.value
    assert error.__context__ is None
    assert error.__cause__ is None
    output = traceback.TracebackException.from_exception(error, capture_locals=True)
    frames = [str(frame.locals) for frame in output.stack if "/tests/" not in frame.filename]
    assert frames
    said = [str(error), repr(error), repr(error.__dict__), repr(forge), repr(vars(forge)), *frames, *capfd.readouterr()]
    # The client logs what a server sends as it is; no server has the token except to check it.
    logged = [] if TOKEN in str(fault) else [caplog.text]
    assert all(TOKEN not in text for text in (*said, *logged))


def test_requests_that_go_well_are_logged_without_the_token(
    server: Server, forge: GitHub, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    forge.create_comment("hello")
    forge.create_threads([one_line()])
    assert "POST" in caplog.text
    assert TOKEN not in caplog.text


@pytest.mark.parametrize("token", ["ghs_ä", "ghs_a\r\nX-Evil: 1", "ghs a", "ghs_\x00"])
def test_a_token_that_cannot_be_one_is_refused_without_telling_it(server: Server, token: str) -> None:
    with pytest.raises(ValueError, match="token") as caught:
        GitHub.from_environment(environment(server, GITHUB_TOKEN=token), None, 7)
    assert token not in str(caught.value)
    assert server.asked == []


def test_a_page_on_another_host_is_requested_at_the_same_host(server: Server, forge: GitHub) -> None:
    link = {"Link": f'<http://localhost:1{"/repos/acme/jobs/issues/7/comments"}?page=2>; rel="next"'}
    server.faults = [Fault(200, on="GET .*comments", answer=[], headers=link)]
    server.print_message(BOT, "hello")
    forge.comments()
    assert server.asked[-1].path == "/repos/acme/jobs/issues/7/comments?page=2"


# The environment


def event(tmp_path: Path, content: object) -> dict[str, str]:
    path = tmp_path / "event.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return {"GITHUB_REPOSITORY": "acme/jobs", "GITHUB_EVENT_PATH": str(path)}


def after_a_run(server: Server, tmp_path: Path, pulls: object = (), **more: object) -> dict[str, str]:
    run = {
        "event": "pull_request",
        "head_sha": "a" * 40,
        "head_branch": "tune",
        "head_repository": {"full_name": "fork/jobs", "owner": {"login": "fork"}},
        "pull_requests": pulls,
        **more,
    }
    content = {"workflow_run": run, "repository": {"id": 1, "full_name": "acme/jobs"}}
    return environment(server, **event(tmp_path, content))


def listed(number: int, sha: str = "a" * 40, home: int = 1) -> dict[str, Any]:
    return {"number": number, "head": {"sha": sha}, "base": {"repo": {"id": home}}}


def test_a_run_for_a_pull_request_finds_it(server: Server, clock: Clock, tmp_path: Path) -> None:
    content = {"pull_request": {"number": 7, "head": {"sha": "a" * 40}}}
    forge = GitHub.from_environment(environment(server, **event(tmp_path, content)))
    assert repr(forge) == "GitHub(acme/jobs#7)"


def test_gh_token_will_do(server: Server) -> None:
    forge = GitHub.from_environment(environment(server, GITHUB_TOKEN="", GH_TOKEN=TOKEN), None, 7)
    assert forge.comments() == []


def test_a_repository_that_was_renamed_is_written_to_under_its_name(
    server: Server, forge: GitHub, clock: Clock
) -> None:
    moved = {"Location": f"{server.url}/repos/acme/jobs/pulls/7"}
    server.faults = [Fault(301, "Moved Permanently", moved, on="GET /repos/acme/former/pulls/7")]
    retry = RetryPolicy(600, clock.sleep, clock.now)
    former = GitHub.from_environment(environment(server), "acme/former", 7, retry)
    former.create_comment("hello")
    former.create_threads([one_line()])
    assert server.writes == ["POST /repos/acme/jobs/issues/7/comments", "POST /repos/acme/jobs/pulls/7/reviews"]


def test_a_run_that_a_push_has_overtaken_does_not_comment(server: Server, tmp_path: Path) -> None:
    content = {"pull_request": {"number": 7, "head": {"sha": "e" * 40}}}
    with pytest.raises(ForgeError, match=r"acme/jobs#7 is commit a{12}, but e{12} was checked: nothing is posted"):
        GitHub.from_environment(environment(server, **event(tmp_path, content)))


@pytest.mark.parametrize(
    ("content", "environ", "number"),
    [
        ({"issue": {"number": 5, "pull_request": {}}}, {}, 5),
        ({"issue": {"number": 5}}, {"GITHUB_REF": "refs/pull/8/merge"}, 8),
        ({}, {"GITHUB_REF": "refs/pull/9/head"}, 9),
    ],
)
def test_other_events_name_the_pull_request_in_their_own_way(
    tmp_path: Path, content: object, environ: dict[str, str], number: int
) -> None:
    run = run_of({**event(tmp_path, content), **environ})
    assert (run.repository, run.number, run.head) == ("acme/jobs", number, None)


def test_what_is_given_wins(tmp_path: Path) -> None:
    content = {"pull_request": {"number": 7, "head": {"sha": "a" * 40}}}
    assert run_of(event(tmp_path, content), "other/jobs", 3) == ("other/jobs", 3, None, None)
    assert run_of(event(tmp_path, content), None, 7) == ("acme/jobs", 7, "a" * 40, None)
    assert run_of({}, "other/jobs", 3) == ("other/jobs", 3, None, None)


def test_a_run_after_a_run_within_the_repository_is_reported_the_number(server: Server, tmp_path: Path) -> None:
    pulls = [listed(12, home=2), listed(13, "f" * 40), listed(7)]
    GitHub.from_environment(after_a_run(server, tmp_path, pulls))
    assert [one.path for one in server.asked] == ["/repos/acme/jobs/pulls/7"]


def test_a_run_after_a_fork_s_run_finds_the_pull_request_by_its_branch(server: Server, tmp_path: Path) -> None:
    server.head = {"repository": "fork/jobs", "ref": "tune", "sha": "a" * 40}
    assert str(GitHub.from_environment(after_a_run(server, tmp_path))) == "acme/jobs#7"
    assert "head=fork%3Atune" in server.asked[0].path
    assert "state=open" in server.asked[0].path


def test_a_fork_s_pull_request_that_was_closed_or_pushed_to_is_not_commented(server: Server, tmp_path: Path) -> None:
    server.head = {"repository": "fork/jobs", "ref": "tune", "sha": "f" * 40}
    with pytest.raises(ForgeError, match="there is no open one that ends in the commit that was checked, aaaaaaaaaaaa"):
        GitHub.from_environment(after_a_run(server, tmp_path))
    server.open = False
    with pytest.raises(ForgeError, match="there is no open one"):
        GitHub.from_environment(after_a_run(server, tmp_path))


def test_a_number_that_an_untrusted_run_has_reported_is_held_against_what_was_checked(
    server: Server, tmp_path: Path
) -> None:
    GitHub.from_environment(after_a_run(server, tmp_path), None, 7)
    server.head = {**server.head, "sha": "f" * 40}
    with pytest.raises(ForgeError, match="the number is not that of the pull request that was checked"):
        GitHub.from_environment(after_a_run(server, tmp_path), None, 7)
    assert server.writes == []


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({"GITHUB_TOKEN": "", "GH_TOKEN": " "}, "neither GITHUB_TOKEN nor GH_TOKEN is set"),
        ({"GITHUB_REPOSITORY": ""}, "GITHUB_REPOSITORY is not set"),
        ({"GITHUB_REPOSITORY": "acme/jobs/../x"}, "is not of the form OWNER/NAME"),
        ({"GITHUB_API_URL": "api.github.com"}, "GITHUB_API_URL is not an address"),
        ({"GITHUB_API_URL": "https://user:password@git.example"}, "GITHUB_API_URL is not an address"),
        ({"GITHUB_EVENT_PATH": "/nowhere/event.json"}, "the file of GITHUB_EVENT_PATH cannot be read: No such file"),
    ],
)
def test_what_is_missing_is_named(server: Server, environ: dict[str, str], wanted: str) -> None:
    with pytest.raises(ValueError, match=wanted):
        GitHub.from_environment(environment(server, **environ), None, 7)


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("{", "is not JSON"),
        ("[]", "is not an event"),
        ({}, "the event of this run has none, and GITHUB_REF is not refs/pull/NUMBER/merge"),
        ({"issue": {"number": 4}}, "the event of this run has none"),
        ({"pull_request": {"number": "7"}}, "has no number of a pull request"),
        ({"workflow_run": {}}, "has no head_sha"),
        ({"workflow_run": {"head_sha": "a" * 40}}, "names neither a pull request nor a branch"),
        ({"workflow_run": {"head_sha": "a" * 40, "head_branch": "x", "head_repository": None}}, "names neither"),
    ],
)
def test_what_is_wrong_with_an_event_is_reported(tmp_path: Path, content: object, wanted: str) -> None:
    with pytest.raises(ValueError, match=wanted):
        run_of(event(tmp_path, content))


def test_without_an_event_the_variable_is_named() -> None:
    with pytest.raises(ValueError, match="GITHUB_EVENT_PATH is not set"):
        run_of({"GITHUB_REPOSITORY": "acme/jobs"})
    with pytest.raises(ValueError, match="0 is not a pull request number"):
        run_of({"GITHUB_REPOSITORY": "acme/jobs"}, None, 0)


def test_the_server_reads_patches_as_flint_does() -> None:
    assert {number for hunk in hunks(PATCH) for number in hunk} == set(shown_lines(PATCH))


# A whole life cycle


def test_the_life_of_a_pull_request(server: Server, clock: Clock) -> None:
    play(server, lambda: forge_of(server, clock))


@pytest.mark.slow
def test_the_life_of_a_pull_request_on_a_github_in_trouble(server: Server, clock: Clock) -> None:
    """Every third request gets a server error, and half of these are executed anyway."""
    count = 0

    class Troubles(list[Fault]):
        def __iter__(self) -> Iterator[Fault]:
            nonlocal count
            count += 1
            if count % 3 == 0:
                yield Fault(502, done=count % 2 == 0)

        def remove(self, value: Fault) -> None:
            """Keep the fault."""

    server.faults = Troubles()
    play(server, lambda: forge_of(server, clock, seconds=10_000))
    assert count > 60


@pytest.mark.parametrize("breaks", mostly_slow(range(1, 16), every=4))
def test_a_run_that_breaks_off_anywhere_is_fixed_by_the_next(server: Server, clock: Clock, breaks: int) -> None:
    """GitHub fails permanently at each request of a run in turn: no finding is ever reported twice."""
    server.files = {CONF: "@@ -0,0 +1,3 @@\n+a\n+b\n+c"}
    publish(forge_of(server, clock), compare(read(finding(1), finding(2)), None))
    server.reply(server.threads[0], "ada", "why?")
    server.asked.clear()

    class Down(list[Fault]):
        def __iter__(self) -> Iterator[Fault]:
            if len(server.asked) >= breaks:
                yield Fault(503)

        def remove(self, value: Fault) -> None:
            """Keep the fault."""

    server.faults = Down()
    second = compare(read(finding(3)), None)
    with suppress(ForgeError):
        publish(forge_of(server, clock, seconds=0), second)
    server.faults = []
    publish(forge_of(server, clock), second)
    texts = [one["comments"][0]["body"] for one in server.threads]
    assert [text.partition("\n")[0] for text in texts] == [
        f"<!-- flint:finding {1:032x} --><!-- flint:fixed -->", f"<!-- flint:finding {3:032x} -->",
    ]  # fmt: skip
    assert len(server.comments) == 1
    assert publish(forge_of(server, clock), second) == Done()


@pytest.mark.slow
def test_the_command_comments_from_the_environment_of_a_job(server: Server, tmp_path: Path) -> None:
    server.clock = None
    content = {"pull_request": {"number": 7, "head": {"sha": "a" * 40}}}
    environ = {**os.environ, "GITHUB_ACTIONS": "true", **environment(server, **event(tmp_path, content))}
    report = save(tmp_path / "report.json", finding(40))
    ran = subprocess.run(
        [sys.executable, "-m", "flink_flint", "comment", report],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [body.partition("\n")[0] for body in server.bodies()] == ["<!-- flint:summary -->"]
    server.may = set()
    save(tmp_path / "report.json", finding(41))
    ran = subprocess.run(
        [sys.executable, "-m", "flink_flint", "comment", report],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "Give the job `permissions: pull-requests: write`" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert TOKEN not in ran.stdout + ran.stderr
