"""Comments on GitLab's merge requests, with the real client against a test server."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.filesystem.http_client import RetryPolicy
from flink_flint.linter.pull_request.forge import Forge, ForgeError, NewThread
from flink_flint.linter.pull_request.gitlab import GitLab
from flink_flint.linter.pull_request.gitlab_positions import DiffRefs, ShownFile, line_code, position
from flink_flint.linter.pull_request.hunks import shown_lines
from flink_flint.linter.pull_request.publishing import Done, publish
from flink_flint.linter.pull_request.quick_actions import without_quick_actions
from flink_flint.linter.pull_request.report_comparison import compare
from flink_flint.linter.pull_request.untrusted_report import read_reports
from tests.pull_request.gitlab_server import GUEST, REPORTER, Fault, GitLabServer, User, diff_of

TOKEN = "glpat-Zx81/verysecret+7"
BOT, PERSON = User(7, "project_42_bot_1f"), User(8, "ada")
PATH = "conf/flink-conf.yaml"
BASE = "".join(f"key.{number}: {number}\n" for number in range(1, 21))
HEAD = BASE.replace("key.5: 5\n", "key.5: five\nkey.5b: more\n").replace("key.9: 9\n", "")
SUGGESTING = "<!-- flint:finding {0:032x} -->\nHere.\n\n```suggestion:-0+0\nkey.5: 6\n```\n"


@pytest.fixture(params=["", "/gitlab"], ids=["at the root", "under a path"])
def server(request: pytest.FixtureRequest) -> Iterator[GitLabServer]:
    with GitLabServer(request.param).serving() as running:
        running.tokens[TOKEN] = BOT
        running.base, running.head = {PATH: BASE}, {PATH: HEAD}
        yield running
        assert running.violations == []


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def forge(server: GitLabServer, waits: list[float]) -> GitLab:
    return connected(server, waits)


def connected(server: GitLabServer, waits: list[float] | None = None, token: str = TOKEN) -> GitLab:
    environ = {
        "GITLAB_TOKEN": token,
        "CI_API_V4_URL": f"{server.address}/api/v4",
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
    }
    return GitLab.from_environment(environ, retry=RetryPolicy(sleep=([] if waits is None else waits).append))


def thread(number: int, line: int, start: int | None = None, path: str = PATH) -> NewThread:
    return NewThread(path, start or line, line, SUGGESTING.format(number))


# Comments on the merge request.


def test_a_comment_is_made_found_changed_and_deleted(server: GitLabServer, forge: Forge) -> None:
    server.write(PERSON, "Looks good")
    server.write(BOT, "on a line", PATH, 5)
    forge.create_comment("<!-- flint:summary -->\nThree findings\r\n\n")
    [comment] = forge.comments()
    assert comment.body == "<!-- flint:summary -->\nThree findings"
    forge.update_comment(comment, "<!-- flint:summary -->\nAll clear")
    assert server.comments == ["Looks good", "<!-- flint:summary -->\nAll clear"]
    forge.delete_comment(comment)
    forge.delete_comment(comment)
    assert server.comments == ["Looks good"]


def test_a_body_that_stands_there_already_is_not_written_again(server: GitLabServer, forge: Forge) -> None:
    forge.create_comment("same\n/close\n")
    forge.create_threads([thread(1, 5)])
    server.log.clear()
    [comment], [known] = forge.comments(), forge.threads()
    forge.update_comment(comment, "same\r\n/close\n\n")
    forge.update_thread(known, SUGGESTING.format(1))
    assert server.writes == []


def test_all_pages_are_read_though_the_server_knows_itself_by_another_name(server: GitLabServer, forge: Forge) -> None:
    for number in range(230):
        server.write(BOT if number % 2 else PERSON, f"comment {number}")
    server.write(BOT, "inline", PATH, 5)
    assert [comment.body for comment in forge.comments()] == [f"comment {number}" for number in range(1, 230, 2)]
    assert len(forge.threads()) == 1
    assert server.log.count("GET /projects/42/merge_requests/7/notes") == 3


def test_the_longest_body_is_taken_and_a_longer_one_is_refused_in_gitlabs_words(
    server: GitLabServer, forge: GitLab
) -> None:
    forge.create_comment("x" * forge.longest_body)
    assert len(server.comments[0]) == 1_000_000
    with pytest.raises(
        ForgeError, match=r"commenting on 42!7: GitLab responded with 400: .*too long \(maximum is 1000000 characters\)"
    ):
        forge.create_comment("x" * (forge.longest_body + 1))


def test_a_path_names_the_project_as_well_as_its_id(server: GitLabServer) -> None:
    forge = GitLab(server.address, "group/orders", 7, token=TOKEN)
    forge.create_comment("hello")
    assert server.log[0] == "POST /projects/group%2Forders/merge_requests/7/notes"
    assert server.comments == ["hello"]


# Comments on lines.


def test_inline_comments_are_published_together(server: GitLabServer, forge: Forge) -> None:
    # An added line, unchanged ones before and after the change, and several lines.
    forge.create_threads([thread(1, 6), thread(2, 4), thread(3, 8), thread(4, 7, start=5)])
    assert server.writes[-1].endswith("POST /projects/42/merge_requests/7/draft_notes/bulk_publish")
    assert server.drafts == []
    codes = server.codes(PATH)
    assert [
        (note["position"].get("old_line"), note["position"]["new_line"], note["position"].get("line_range"))
        for note in server.inline
    ] == [
        (None, 6, None),
        (4, 4, None),
        (7, 8, None),
        (
            6,
            7,
            {
                "start": {"line_code": codes[5][0], "type": "new", "new_line": 5},
                "end": {"line_code": codes[7][0], "type": "old", "old_line": 6, "new_line": 7},
            },
        ),
    ]
    assert [(one.path, one.line, one.resolved, one.answered) for one in forge.threads()] == [
        (PATH, 6, False, False), (PATH, 4, False, False), (PATH, 8, False, False), (PATH, 7, False, False),
    ]  # fmt: skip


def test_every_added_line_takes_a_comment(server: GitLabServer, forge: Forge) -> None:
    server.base |= {"a.sql": "one\ntwo\n", "old.yaml": BASE, "gone.yaml": BASE, "ü b/100%.yaml": "x: 1\n"}
    server.head |= {
        "a.sql": "two\nthree\n",
        "new.yaml": BASE + "last: 1",
        "fresh.yaml": "a: 1\nb: 2\n",
        "ü b/100%.yaml": "y",
    }
    server.renamed["new.yaml"] = "old.yaml"
    shown = forge.changed_lines()
    assert shown["fresh.yaml"] == {1, 2}
    assert shown["new.yaml"] == {21}
    assert "gone.yaml" not in shown
    assert "old.yaml" not in shown
    every = [(path, line) for path in sorted(shown) for line in sorted(shown[path])]
    forge.create_threads([thread(number, line, path=path) for number, (path, line) in enumerate(every)])
    assert [(note["position"]["new_path"], note["position"]["new_line"]) for note in server.inline] == every


def test_lines_are_added_as_far_as_the_diff_shows(server: GitLabServer, forge: Forge) -> None:
    server.base["large.yaml"], server.head["large.yaml"] = "a: 1\n", "a: 2\n"
    server.folded.add("large.yaml")
    assert forge.changed_lines() == {PATH: frozenset({5, 6})}
    with pytest.raises(ForgeError, match=r"42!7 does not show line 1 of large\.yaml"):
        forge.create_threads([thread(1, 5), thread(2, 1, path="large.yaml")])
    with pytest.raises(ForgeError, match=r"does not show line 20 of conf/flink-conf\.yaml"):
        forge.create_threads([thread(1, 5), thread(2, 20)])
    assert server.writes == []


def test_a_diff_of_many_files_is_read_in_pages_that_old_servers_take(server: GitLabServer, forge: Forge) -> None:
    for number in range(70):
        server.head[f"f{number:02}.yaml"] = "a: 1\n"
    assert len(forge.changed_lines()) == 71
    assert server.log.count("GET /projects/42/merge_requests/7/diffs") == 4


def test_a_refused_draft_takes_the_others_back(server: GitLabServer, forge: Forge) -> None:
    server.faults.append(Fault("POST .*/draft_notes$", 403, answer={"message": "403 Forbidden"}, after=1))
    with pytest.raises(ForgeError, match=r"commenting on line 6 of conf/flink-conf\.yaml: GitLab responded with 403"):
        forge.create_threads([thread(1, 5), thread(2, 6), thread(3, 7)])
    assert [request.split()[0] for request in server.writes] == ["POST", "POST", "DELETE"]
    assert server.drafts == []
    assert server.inline == []


def test_what_a_broken_run_left_is_not_published_twice(server: GitLabServer) -> None:
    broken = connected(server)
    server.faults += [
        Fault("POST .*/bulk_publish", 403, answer={"message": "403 Forbidden"}),
        Fault("DELETE .*/draft_notes", 403, answer={"message": "403 Forbidden"}, times=9),
    ]
    with pytest.raises(
        ForgeError, match="publishing the inline comments on 42!7: GitLab responded with 403: Forbidden"
    ):
        broken.create_threads([thread(1, 5), thread(2, 6)])
    assert len(server.drafts) == 2
    server.faults.clear()
    connected(server).create_threads([thread(1, 5), thread(2, 6)])
    assert len(server.inline) == 2
    assert server.drafts == []


def test_the_unfinished_review_of_the_tokens_owner_stays_unpublished(server: GitLabServer, forge: Forge) -> None:
    server.drafts.append({"id": 1, "author_id": BOT.id, "note": "still thinking", "position": None})
    forge.create_threads([thread(1, 5), thread(2, 6)])
    assert [draft["note"] for draft in server.drafts] == ["still thinking"]
    assert len(server.inline) == 2
    assert not any(request.endswith("bulk_publish") for request in server.log)


@pytest.mark.parametrize("missing", ["has_drafts", "drafts_have_positions"])
def test_a_server_without_drafts_on_lines_gets_discussions(server: GitLabServer, forge: Forge, missing: str) -> None:
    setattr(server, missing, False)
    forge.create_threads([thread(1, 5), thread(2, 4)])
    assert [note["position"]["new_line"] for note in server.inline] == [5, 4]
    assert server.drafts == []


def test_drafts_that_may_not_be_read_are_reported(server: GitLabServer, forge: Forge) -> None:
    server.faults.append(Fault("GET .*/draft_notes", 403, answer={"message": "403 Forbidden"}))
    with pytest.raises(ForgeError, match="reading the draft notes of 42!7: GitLab responded with 403: Forbidden"):
        forge.create_threads([thread(1, 5)])
    assert server.writes == []


def test_drafts_that_are_gone_in_the_middle_are_reported(server: GitLabServer, forge: Forge) -> None:
    server.faults.append(Fault("POST .*/draft_notes$", 502, answer={}))
    server.faults.append(Fault("GET .*/draft_notes", 404, answer={"message": "404 Not found"}, after=1))
    with pytest.raises(ForgeError, match="reading the draft notes of 42!7: GitLab responded with 404: Not found"):
        forge.create_threads([thread(1, 5)])
    assert (server.drafts, server.inline) == ([], [])


def test_a_refused_discussion_takes_the_others_back(server: GitLabServer, forge: Forge) -> None:
    server.has_drafts = False
    server.faults.append(Fault("POST .*/discussions$", 400, answer={"message": "400 Bad request"}, after=1))
    with pytest.raises(
        ForgeError, match=r"commenting on line 6 of conf/flink-conf\.yaml: GitLab responded with 400: Bad request"
    ):
        forge.create_threads([thread(1, 5), thread(2, 6), thread(3, 7)])
    assert server.inline == []


def test_a_push_meanwhile_is_reported_in_gitlabs_words(server: GitLabServer, forge: Forge) -> None:
    server.has_drafts = False
    forge.changed_lines()
    server.push({PATH: HEAD + "last: 1\n"})
    with pytest.raises(
        ForgeError, match=r"commenting on line 5 .*: GitLab responded with 400: .*must be a valid line code"
    ):
        forge.create_threads([thread(1, 5)])
    assert server.inline == []


def test_a_draft_that_gitlab_drops_is_reported(server: GitLabServer, forge: Forge) -> None:
    forge.changed_lines()
    server.push({PATH: BASE.replace("key.20: 20\n", "key.20: twenty\n")})
    with pytest.raises(ForgeError, match=r"published 0 of 1 inline comments on 42!7, not on conf/flink-conf.yaml:5"):
        forge.create_threads([thread(1, 5)])


def test_threads_tell_who_answered_and_whether_a_push_outdated_them(server: GitLabServer, forge: Forge) -> None:
    forge.create_threads([thread(1, 5), thread(2, 6), thread(3, 8)])
    server.write(PERSON, "mine", PATH, 6)
    server.reply(BOT, "not an answer")
    server.reply(PERSON, "why?", lambda note: note["position"]["new_line"] == 8)
    server.push({PATH: "first: 0\n" + HEAD.replace("key.5b: more\n", "key.5b: changed\n")})
    assert [(one.line, one.answered) for one in connected(server).threads()] == [(6, False), (None, False), (9, True)]


def test_threads_are_changed_resolved_reopened_and_deleted(server: GitLabServer, forge: Forge) -> None:
    forge.create_threads([thread(1, 5), thread(2, 6)])
    one, two = forge.threads()
    forge.update_thread(one, "<!-- flint:finding -->\nanother")
    forge.resolve(one)
    assert (forge.threads()[0].body, forge.threads()[0].resolved) == ("<!-- flint:finding -->\nanother", True)
    forge.reopen(one)
    assert not forge.threads()[0].resolved
    forge.delete_thread(two)
    forge.delete_thread(two)
    assert [kept.id for kept in forge.threads()] == [one.id]


def test_a_line_url_is_that_of_the_head_in_the_project(server: GitLabServer, forge: Forge) -> None:
    project = f"{server.address}/group/orders/-/blob/{server.head_sha}"
    assert forge.line_url(PATH, 10, 12) == f"{project}/conf/flink-conf.yaml#L10-12"
    assert forge.line_url("ü b/100%#?.yaml", 3, 3) == f"{project}/%C3%BC%20b/100%25%23%3F.yaml#L3"


def test_a_diff_that_is_not_prepared_yet_is_waited_for(server: GitLabServer, forge: Forge, waits: list[float]) -> None:
    server.unprepared = 2
    assert forge.changed_lines()
    assert forge.threads() == []
    assert waits == [2, 4]
    server.unprepared = 9
    with pytest.raises(ForgeError, match=r"GitLab has no diff of 42!7 yet; run the job again later"):
        connected(server).threads()


# Retries.


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(" .*notes", 429, {"Retry-After": "17"}), [17]),
        (Fault(" .*notes", 429, {"Retry-After": "nonsense"}), [60]),
        (Fault(" .*notes", 429, answer={"message": {"error": "Too many requests"}}), [60]),
        (Fault(" .*notes", 503, {"Retry-After": "3"}, "<html>maintenance</html>"), [3]),
        (Fault(" .*notes", 502, answer="<html>bad gateway</html>", times=3), [1, 2, 4]),
        (Fault(" .*notes", 409, answer={"message": "409 Conflict: Resource lock"}), [1]),
        (Fault(" .*notes", 0, times=2), [1, 2]),
        (Fault(" .*notes", 200, answer="<html>please sign in</html>"), [1]),
    ],
)
def test_what_passes_is_tried_again(
    server: GitLabServer, forge: Forge, waits: list[float], fault: Fault, expected: list[float]
) -> None:
    server.write(BOT, "there")
    server.faults.append(replace(fault))
    assert [comment.body for comment in forge.comments()] == ["there"]
    assert waits == expected


@pytest.mark.parametrize("status", [0, 429, 500])
def test_tries_and_waits_are_bounded(server: GitLabServer, forge: Forge, waits: list[float], status: int) -> None:
    server.faults.append(Fault("POST .*/notes", status, answer={"message": "busy"}, times=1000))
    with pytest.raises(ForgeError, match=r"commenting on 42!7: .*, \d times"):
        forge.create_comment("hello")
    assert len(server.writes) <= 6
    assert sum(waits) <= 600


def test_a_server_that_asks_for_an_hour_is_left_alone(server: GitLabServer, forge: Forge, waits: list[float]) -> None:
    server.faults.append(Fault("POST .*/notes", 429, {"Retry-After": "3600"}))
    with pytest.raises(ForgeError, match=r"429: .* A rate limit is exhausted\. It resets in 3600 seconds\. Run the"):
        forge.create_comment("hello")
    assert waits == []


@pytest.mark.parametrize("status", [0, 500, 504])
@pytest.mark.parametrize("done", [True, False])
def test_nothing_is_created_twice(server: GitLabServer, forge: Forge, status: int, done: bool) -> None:
    server.write(BOT, "<!-- flint:summary -->\nThree findings")  # from long ago
    forge.comments()
    server.faults.append(Fault("POST .*/notes$", status, answer={}, done=done))
    forge.create_comment("<!-- flint:summary -->\nThree findings")
    assert len(server.comments) == 2

    for fault in ("draft_notes$", "bulk_publish$"):
        server.faults.append(Fault(f"POST .*/{fault}", status, answer={}, done=done))
    forge.create_threads([thread(1, 5), thread(2, 6)])
    assert [note["position"]["new_line"] for note in server.inline] == [5, 6]
    assert server.drafts == []

    server.has_drafts = False
    server.faults.append(Fault("POST .*/discussions$", status, answer={}, done=done))
    forge.create_threads([thread(1, 5), thread(2, 6)])
    assert [note["position"]["new_line"] for note in server.inline] == [5, 6, 5, 6]


# Permissions.


@pytest.mark.parametrize(
    ("user", "answer"),
    [
        (None, "401: Unauthorized. GITLAB_TOKEN is wrong or has expired"),
        (
            User(9, "reader", scopes=frozenset({"read_api"})),
            "403: insufficient_scope. GITLAB_TOKEN must be .* scope api",
        ),
        (User(9, "stranger", role=0), "404: Project Not Found. Check the project"),
    ],
)
def test_an_error_tells_what_the_token_lacks(server: GitLabServer, user: User | None, answer: str) -> None:
    if user is not None:
        server.tokens["other"] = user
    with pytest.raises(ForgeError, match=rf"commenting on 42!7: GitLab responded with {answer}"):
        connected(server, token="other").create_comment("hello")


@pytest.mark.parametrize("role", [GUEST, REPORTER])
def test_resolving_wants_a_developer(server: GitLabServer, role: int) -> None:
    server.tokens["other"] = User(9, "bot", role)
    forge = connected(server, token="other")
    forge.create_threads([thread(1, 5)])
    with pytest.raises(ForgeError, match=r"resolving a thread of 42!7: .* 403: Forbidden\. .* the role Developer"):
        forge.resolve(forge.threads()[0])


def test_the_token_of_a_job_reads_and_says_that_it_cannot_comment(server: GitLabServer) -> None:
    server.job_tokens["job-secret"] = BOT
    server.write(BOT, "there")
    environ = {
        "CI_JOB_TOKEN": "job-secret",
        "CI_SERVER_URL": server.address,
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
    }
    forge = GitLab.from_environment(environ, retry=RetryPolicy(sleep=[].append))
    assert [comment.body for comment in forge.comments()] == ["there"]
    with pytest.raises(ForgeError, match=r"401: Unauthorized\. CI_JOB_TOKEN cannot comment.*set GITLAB_TOKEN to"):
        forge.create_comment("hello")


def test_a_redirect_is_not_followed_with_the_token(server: GitLabServer, forge: Forge) -> None:
    with GitLabServer().serving() as elsewhere:
        server.faults.append(Fault("GET ", 302, {"Location": f"{elsewhere.address}/api/v4/user"}, times=9))
        with pytest.raises(ForgeError, match=r"302: it redirects elsewhere\. Give the address it redirects to"):
            forge.changed_lines()
        assert elsewhere.log == []


@pytest.mark.parametrize(
    "fault",
    [
        Fault(" ", 401, answer={"message": f"401 {TOKEN}"}, times=99),
        Fault(" ", 403, answer={"error": "insufficient_scope", "error_description": TOKEN}, times=99),
        Fault(" ", 400, answer={"message": {"note": [TOKEN]}}, times=99),
        Fault(" ", 500, answer=f"<html>{TOKEN}</html>", times=99),
        Fault(" ", 500, answer=f"PRIVATE-TOKEN: {TOKEN}", times=99),
        Fault(" ", 429, {"Retry-After": TOKEN}, times=99),
        Fault(" ", 302, {"Location": f"http://127.0.0.1:1/{TOKEN}"}, times=99),
        Fault(" ", 200, answer=f"<html>{TOKEN}", times=99),
        Fault(" ", 200, answer=[TOKEN], times=99),
        Fault(" ", 0, times=99),
    ],
)
def test_the_token_is_never_reported(
    server: GitLabServer, fault: Fault, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    forge = connected(server)
    server.faults.append(replace(fault))
    for attempt in (
        forge.comments, forge.threads, forge.changed_lines, lambda: forge.create_comment("x"),
        lambda: forge.create_threads([thread(1, 5)]),
    ):  # fmt: skip
        with pytest.raises(ForgeError) as caught:
            attempt()
        error: BaseException | None = caught.value
        while error is not None:
            assert TOKEN not in str(error) + repr(error)
            assert not hasattr(error, "request")
            error = error.__cause__ or error.__context__
    assert TOKEN not in caplog.text + "".join(capfd.readouterr()) + repr(forge)


def test_a_server_that_is_not_there_is_reported_with_its_address() -> None:
    forge = GitLab("http://127.0.0.1:9", "42", 7, token=TOKEN, retry=RetryPolicy(sleep=[].append))
    with pytest.raises(ForgeError, match=r"no response from GitLab: connection refused, 6 times\. Is http://127.* its"):
        forge.comments()


# From the environment of a job.


@pytest.mark.parametrize(
    ("left_out", "output"),
    [
        ("GITLAB_TOKEN", "GITLAB_TOKEN is not set: set it to a project, group or personal access token of scope api"),
        ("CI_SERVER_URL", "neither CI_API_V4_URL nor CI_SERVER_URL is set"),
        ("CI_PROJECT_ID", "CI_PROJECT_ID is not set: name the project"),
        ("CI_MERGE_REQUEST_IID", "CI_MERGE_REQUEST_IID is not set: run the job in merge request pipelines"),
    ],
)
def test_a_missing_variable_is_named(left_out: str, output: str) -> None:
    environ = {
        "GITLAB_TOKEN": TOKEN,
        "CI_SERVER_URL": "https://gitlab.example.com/gitlab",
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
    }
    assert repr(GitLab.from_environment(environ)) == "GitLab('https://gitlab.example.com/gitlab', '42', 7)"
    del environ[left_out]
    with pytest.raises(ValueError, match=output):
        GitLab.from_environment(environ)


def test_what_is_named_goes_before_the_variables_and_the_target_before_the_fork() -> None:
    environ = {
        "GITLAB_TOKEN": f" {TOKEN}\n",
        "CI_API_V4_URL": "https://gitlab.example.com/api/v4",
        "CI_SERVER_URL": "https://elsewhere.example.com",
        "CI_PROJECT_ID": "99",
        "CI_MERGE_REQUEST_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
    }
    assert repr(GitLab.from_environment(environ)) == "GitLab('https://gitlab.example.com', '42', 7)"
    assert repr(GitLab.from_environment(environ, "a/b", 3)) == "GitLab('https://gitlab.example.com', 'a/b', 3)"


def test_a_pipeline_of_an_earlier_push_says_nothing(server: GitLabServer) -> None:
    environ = {
        "GITLAB_TOKEN": TOKEN,
        "CI_API_V4_URL": f"{server.address}/api/v4",
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
    }
    GitLab.from_environment(environ | {"CI_COMMIT_SHA": server.head_sha})
    merged = {"CI_COMMIT_SHA": "1" * 40, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": server.head_sha}
    GitLab.from_environment(environ | merged)
    with pytest.raises(ForgeError, match=f"is commit {server.head_sha[:12]}, but 111111111111 was checked"):
        GitLab.from_environment(environ | {"CI_COMMIT_SHA": "1" * 40})
    # The pipeline of another branch: whoever names the merge request knows what was checked.
    GitLab.from_environment(environ | {"CI_COMMIT_SHA": "1" * 40}, number=7)


@pytest.mark.parametrize(
    "wrong",
    [
        {"CI_SERVER_URL": "https://user:hidden@gitlab.example.com"},
        {"CI_SERVER_URL": "gitlab.example.com/hidden"},
        {"GITLAB_TOKEN": "hidden\nX: y"},
        {"GITLAB_TOKEN": "hidden\u200b"},
        {"CI_MERGE_REQUEST_IID": "7/../hidden"},
    ],
)
def test_what_cannot_be_right_is_refused_without_being_reported(wrong: dict[str, str]) -> None:
    environ = {
        "GITLAB_TOKEN": TOKEN,
        "CI_SERVER_URL": "https://gitlab.example.com",
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
    }
    with pytest.raises(ValueError, match=r"GitLab|CI_MERGE_REQUEST_IID") as caught:
        GitLab.from_environment(environ | wrong)
    assert "hidden" not in str(caught.value)


# Locations in diffs.


def test_hunks_number_the_lines_of_both_files() -> None:
    diff = (
        "@@ -1,3 +1,4 @@ section\n a\n-b\n+B\n+++ plus\n c\n\\ No newline at end of file\n"
        "@@ -9 +10 @@\n-@@ -1 +1 @@\n+x\u2028y\n"
    )
    shown = {line: (found.old, found.added) for line, found in shown_lines(diff).items()}
    assert shown == {1: (1, False), 2: (3, True), 3: (3, True), 4: (3, False), 10: (10, True)}


@given(st.lists(st.sampled_from("abcd\n")), st.lists(st.sampled_from("abcd\n")))
def test_positions_agree_with_the_diff_of_any_two_files(before: list[str], after: list[str]) -> None:
    old, new = "\n".join(before), "\n".join(after)
    server = GitLabServer()
    server.base, server.head = {PATH: old}, {PATH: new}
    shown = shown_lines(diff_of(old, new))
    file = ShownFile(PATH, PATH, shown)
    assert set(shown) == set(server.codes(PATH))
    refs = DiffRefs(server.base_sha, server.start_sha, server.head_sha)
    for line in shown:
        if old:  # for an empty file the diff is the same as for a new one
            server._check_position(position(refs, file, min(shown), line))
            assert line_code(PATH, shown[line].old, line) == server.codes(PATH)[line][0]


# Quick actions.


@pytest.mark.parametrize(
    "body",
    [
        "text\n/close",
        "  /merge now\n\tq",
        "````yaml\n```\n/close\n```\n````",
        "~~~\n/approve\n~~~\n/close",
        "```suggestion:-0+0\na\n/close\n```\n",
        "`code`\n/close\n`",
        "<b>\n/close",
    ],
)
def test_no_line_of_a_comment_is_an_order_to_gitlab(server: GitLabServer, forge: Forge, body: str) -> None:
    forge.create_comment(body)
    forge.create_threads([NewThread(PATH, 5, 5, body)])
    [comment] = forge.comments()
    forge.update_comment(comment, f"{body}\n{body}")
    assert server.orders == []
    assert not any(line.startswith("/") for note in server.notes for line in note["body"].split("\n"))


def test_orders_become_text_that_looks_the_same_and_a_suggestion_of_one_plain_code() -> None:
    assert without_quick_actions("a /b\n/close\n//c\n/ d") == "a /b\n&#47;close\n//c\n/ d"
    assert without_quick_actions("```yaml\n/tmp\n```\n/close") == "```yaml\n /tmp\n```\n&#47;close"
    assert without_quick_actions("```suggestion:-1+0\n/tmp\n```") == "```text\n /tmp\n```"


def test_a_fence_of_backticks_has_none_behind_it_and_one_of_tildes_may() -> None:
    assert without_quick_actions("```a `b\n/close") == "```a `b\n&#47;close"
    assert without_quick_actions("~~~a `b\n/close") == "~~~a `b\n /close"


@given(st.text("`~/ac \n"))
def test_no_order_is_left_in_any_text(body: str) -> None:
    assert not any(line[:1] == "/" and line[1:2].isalpha() for line in without_quick_actions(body).split("\n"))


# The life cycle of a merge request.


CLEAN = """\
jobmanager.memory.process.size: 1600m
taskmanager.memory.process.size: 4g
high-availability.type: zookeeper
high-availability.storageDir: s3://bucket/ha
high-availability.zookeeper.quorum: zk:2181
parallelism.default: 4
"""


def report_of(folder: Path, name: str, text: str) -> str:
    """Return the report of ``flint check`` on a file."""
    file = folder / name / PATH
    file.parent.mkdir(parents=True)
    file.write_text(text)
    report = folder / f"{name}.json"
    command = [sys.executable, "-m", "flink_flint", "check", "--output-format", "json", "--exit-zero", "--output-file"]
    subprocess.run([*command, str(report), "."], cwd=folder / name, check=True)
    return str(report)


def rules_of(report: str) -> dict[str, int]:
    return {found["rule"]: found["start"]["line"] for found in json.loads(Path(report).read_text())["findings"]}


@pytest.mark.slow
def test_the_life_of_a_merge_request(server: GitLabServer, tmp_path: Path) -> None:
    base = report_of(tmp_path, "base", CLEAN)
    server.base = {PATH: CLEAN}
    pushes = 0

    def push(text: str) -> tuple[Done, str]:
        nonlocal pushes
        pushes += 1
        server.push({PATH: text})
        report = report_of(tmp_path, f"push{pushes}", text)
        comparison = compare(read_reports([report]), read_reports([base]))
        done = publish(connected(server), comparison)
        server.log.clear()
        assert publish(connected(server), comparison).words == "nothing to write"
        assert server.writes == []
        return done, report

    # First push: two findings, one of which a suggestion fixes.
    first = CLEAN + "akka.framesize: 10mb\nrest.port: 8081\nrest.port: 8082\n"
    done, report = push(first)
    assert {"framesize-grammar", "duplicate-key"} <= rules_of(report).keys()
    assert done.summary == "created"
    assert len(server.comments) == 1
    assert "framesize-grammar" in server.comments[0]
    assert f"{server.head_sha}/{PATH}#L7" in server.comments[0]
    on_lines = {note["position"]["new_line"]: note["body"] for note in server.inline}
    assert "```suggestion:-0+0\nakka.framesize: 10485760b\n```" in on_lines[7]
    assert len(server.inline) == done.created

    # Second push: one is fixed, one is new.
    second = CLEAN + "akka.framesize: 10485760b\nrest.port: 8081\nrest.port: 8082\npython.fn:1\n"
    done, _ = push(second)
    assert (done.summary, done.deleted >= 1, done.created >= 1) == ("updated", True, True)
    assert len(server.comments) == 1
    assert not any("framesize-grammar" in note["body"] for note in server.inline)
    assert any(note["position"]["new_line"] == 10 for note in server.inline)

    # Somebody replies.
    server.reply(PERSON, "We want it so.", lambda note: "duplicate-key" in note["body"])

    # Final push: no findings.
    done, _ = push(CLEAN + "akka.framesize: 10485760b\n")
    assert done.resolved == 1
    [kept] = [one for one in server.discussions if one["notes"][0] in server.inline]
    assert "duplicate-key" in kept["notes"][0]["body"]
    assert [note["body"] for note in kept["notes"] if note["author"] == {"id": 8, "username": "ada"}] == [
        "We want it so."
    ]
    assert kept["notes"][0]["resolved"]
    assert len(server.comments) == 1
    assert "framesize-grammar" not in server.comments[0]
    assert server.orders == []


@pytest.mark.slow
def test_orders_in_a_file_are_not_carried_out(server: GitLabServer, tmp_path: Path) -> None:
    text = "```\n/merge\n```\n````\n/close\nrest.port:8081\n/approve\nrest.port: 8082\nrest.port: 8083\n/close\n"
    server.base, server.head = {PATH: ""}, {PATH: text}
    found = read_reports([report_of(tmp_path, "hostile", text)])
    assert {one.rule for one in found.findings} >= {"missing-space-after-colon", "duplicate-key"}
    publish(connected(server), compare(found, None))
    assert "/merge" in server.comments[0]
    assert server.inline != []
    assert server.orders == []
