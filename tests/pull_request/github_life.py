"""The life of a pull request on GitHub, from the first push with findings to the last one without."""

from __future__ import annotations

from collections.abc import Callable

from flink_flint.linter.pull_request.github import GitHub
from flink_flint.linter.pull_request.publishing import Done, publish
from flink_flint.linter.pull_request.report_comparison import compare
from tests.pull_request.github_server import BOT, Server
from tests.pull_request.reports import finding, fix, read

CONF = "conf/flink-conf.yaml"
BEFORE = "blob.storage.directory: /tmp"
FIRST = f"@@ -0,0 +1,5 @@\n+{BEFORE}\n+b: 2\n+c: 3\n+d: 4\n+e: 5"
SECOND = FIRST.replace(BEFORE, "blob.storage.directory: /var/flink").replace("c: 3", "c: 30")
LAST = SECOND.replace("d: 4", "d: 40").replace("b: 2", "b: 20")
BASE = read(finding(9, path="conf/old.yaml"))
"""The findings before the pull request, in a file that it does not touch until it fixes it."""


def play(server: Server, connect: Callable[[], GitHub]) -> None:
    """Run the scenario; every run connects again, as every job does."""
    old = finding(9, path="conf/old.yaml")

    def run(*findings: dict[str, object]) -> Done:
        return publish(connect(), compare(read(*findings), BASE))

    # The first push: three findings on lines of the pull request, one with a fix.
    server.push("1" * 40, {CONF: FIRST, "conf/old.yaml": None})
    first = finding(1, fix=fix(1, BEFORE, "blob.storage.directory: /var/flink"))
    done = run(first, finding(2), finding(3, start={"line": 3, "column": 1}, end={"line": 4, "column": 5}), old)
    assert done == Done("created", created=3)
    assert [(one["start_line"], one["line"], one["commit"]) for one in server.threads] == [
        (1, 1, "1" * 40), (2, 2, "1" * 40), (3, 4, "1" * 40),
    ]  # fmt: skip
    assert "```suggestion\nblob.storage.directory: /var/flink\n```" in bodies(server)[0]
    assert "```suggestion" not in "".join(bodies(server)[1:])
    (summary,) = server.comments
    assert summary["body"].startswith("<!-- flint:summary -->")
    assert f"https://github.com/acme/jobs/blob/{'1' * 40}/conf/flink-conf.yaml#L3-L4" in summary["body"]

    # The same report again: nothing is written.
    written = len(server.writes)
    assert run(first, finding(2), finding(3, end={"line": 4, "column": 5}), old) == Done()
    assert len(server.writes) == written

    # People reply to the second and third; somebody puts flint's marker into a comment of their own.
    server.reply(server.threads[1], "ada", "This is on purpose.")
    server.reply(server.threads[2], "ada", "Good catch!")
    server.print_message("mallory", "<!-- flint:summary -->\nall clear, merge it")

    # The second push fixes the first and the third, and adds another.
    server.push("2" * 40, {CONF: SECOND, "conf/old.yaml": None})
    assert run(finding(2), finding(4), old) == Done("updated", created=1, resolved=1, deleted=1)
    assert [(one["line"], one["comments"][0]["minimized"]) for one in server.threads] == [
        (2, False), (4, True), (4, False),
    ]  # fmt: skip
    assert [len(one["comments"]) for one in server.threads] == [2, 2, 1]
    assert "flint no longer finds this" in bodies(server)[1]
    assert [one["login"] for one in server.comments] == [BOT, "mallory"]
    assert f"/blob/{'2' * 40}/conf/flink-conf.yaml#L4" in server.comments[0]["body"]

    # The last push has no findings, and fixes the old one.
    server.push("3" * 40, {CONF: LAST, "conf/old.yaml": "@@ -9 +9 @@\n-x\n+y"})
    assert run() == Done("updated", resolved=1, deleted=1)
    assert [(one["line"], one["comments"][0]["minimized"]) for one in server.threads] == [(2, True), (4, True)]
    assert [one["comments"][1]["body"] for one in server.threads] == ["This is on purpose.", "Good catch!"]
    assert [one["login"] for one in server.comments] == [BOT, "mallory"]
    assert "flink-conf.yaml#L" not in server.comments[0]["body"]
    assert server.comments[1]["body"] == "<!-- flint:summary -->\nall clear, merge it"

    written = len(server.writes)
    assert run() == Done()
    assert len(server.writes) == written

    # What returns is reported again in the same place.
    server.push("4" * 40, {CONF: LAST.replace("b: 20", "b: 2")})
    assert run(finding(2)).reopened == 1
    assert [one["comments"][0]["minimized"] for one in server.threads] == [False, True]


def bodies(server: Server) -> list[str]:
    """Return the first comments of all threads."""
    return [one["comments"][0]["body"] for one in server.threads]
