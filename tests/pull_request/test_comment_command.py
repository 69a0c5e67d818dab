"""`flint comment` on the command line and in jobs."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from flink_flint.linter.commands.comment import CommentArguments, comment, run_comment
from flink_flint.linter.pull_request import untrusted_report as reported
from flink_flint.linter.pull_request.report_comparison import compare
from flink_flint.linter.pull_request.summary_comment import Group, Row, ShownFinding, Table, _Every
from tests.conftest import ROOT, Flint
from tests.pull_request.reports import deployment, finding, fix, read, save

TOKEN = "ghp_b2F0aXZlLXNlY3JldC10b2tlbi0wMDAx"  # not a real token
TOKENS = {"GITHUB_TOKEN": TOKEN, "GH_TOKEN": TOKEN, "GITLAB_TOKEN": TOKEN, "CI_JOB_TOKEN": TOKEN}
NOWHERE = {"GITHUB_ACTIONS": "", "GITLAB_CI": "", **dict.fromkeys(TOKENS, "")}


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", *arguments],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


def test_a_dry_run_prints_summary_and_inline_comments_without_token_or_network(tmp_path: Path, flint: Flint) -> None:
    head = save(tmp_path / "head.json", finding(1, fix=fix(1, "a: '8'", "a: 8")), finding(2))
    base = save(tmp_path / "base.json", finding(2), finding(3))
    done = flint("comment", head, "--base", base, "--dry-run", **NOWHERE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("<!-- flint:summary -->\n### flint: 1 new finding, 1 fixed, 1 remaining\n")
    assert "On <code>conf/flink-conf.yaml&#58;1</code>:" in done.stdout
    assert "```suggestion\na: 8\n```" in done.stdout
    assert done.stdout.count("flint:finding") == 1
    alone = flint("comment", head, "--base", base, "--dry-run", "--no-inline", "--id", "helm", **NOWHERE)
    assert alone.stdout.startswith("<!-- flint:summary helm -->\n")
    assert "flint:finding" not in alone.stdout
    on_gitlab = flint("comment", head, "--base", base, "--dry-run", "--forge", "gitlab", **NOWHERE)
    assert "```suggestion:-0+0\n" in on_gitlab.stdout


@pytest.mark.slow
@pytest.mark.parametrize("forge", ["github", "gitlab"])
def test_the_client_is_needed_to_comment_and_for_nothing_else(tmp_path: Path, forge: str) -> None:
    report = save(tmp_path / "r.json", finding(1))
    without = "import sys; sys.modules['requests'] = None; from flink_flint.linter.__main__ import main; main()"
    command = [sys.executable, "-c", without, "comment", report, "--forge", forge]
    env = {**os.environ, **NOWHERE, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "commenting requires the package requests: pip install 'flink-flint[comment]'" in done.stderr
    assert subprocess.run([*command, "--dry-run"], env=env, capture_output=True, check=False).returncode == 0


def test_nothing_to_say_is_said_in_a_dry_run(tmp_path: Path, flint: Flint) -> None:
    report = save(tmp_path / "r.json", finding(1))
    done = flint("comment", report, "--base", report, "--dry-run", **NOWHERE)
    assert (done.returncode, done.stdout) == (0, "(no findings to report)\n")


@pytest.mark.slow
def test_a_check_against_a_revision_tells_new_and_fixed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "session" / "conf", tmp_path / "conf")
    (tmp_path / "linter").mkdir()  # a folder with the name of one of flint's packages
    (tmp_path / "linter" / "__init__.py").write_text("raise SystemExit('the wrong one')")
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-q", "-m", "base")
    path = tmp_path / "conf" / "flink-conf.yaml"
    text = path.read_text().replace('numberOfTaskSlots: "8"', "numberOfTaskSlots: 8")
    path.write_text(text + "taskmanager.memory.network.min: 1x\nblob.server.port: 6124\n")

    def run(*arguments: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        """Run the installed flint, without importing from the folder."""
        environment = {**os.environ, **NOWHERE, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-P", "-m", "flink_flint", "comment", *arguments]
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False, encoding="utf-8")

    arguments = ("--check", "conf", "--diff-base", "main", "--dry-run")
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    assert "1 new finding" in done.stdout
    assert "FLK010 quoted-value-in-flink-conf" in done.stdout[done.stdout.index("fixed</summary>") :]
    below = run(*arguments, cwd=tmp_path / "conf")
    assert below.returncode == 2
    assert "links need paths from there" in below.stderr
    unknown = run("--check", "conf", "--diff-base", "none", "--dry-run")
    assert (unknown.returncode, "--diff-base none" in unknown.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_no_file_that_a_pull_request_can_add_keeps_it_from_being_commented(tmp_path: Path, flint: Flint) -> None:
    for folder in ("a\x1b[31m", "b\\c", "c:\n", "d/" * 600):
        path = tmp_path / "conf" / folder / "flink-conf.yaml"
        path.parent.mkdir(parents=True)
        path.write_text("taskmanager.memory.process.size: 9223372036854775807b\nblob.storage.directory: /tmp/x\n")
    done = flint("comment", "--check", "conf", "--dry-run", cwd=tmp_path, **NOWHERE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    for name in (r"a\u001b[31m/flink-conf.yaml", r"b\c/flink", r"c:\u000a/flink", "d/d/flink-conf.yaml"):
        assert name in html.unescape(done.stdout)
    assert "flint:finding" in done.stdout, "the file of a plain name has inline comments"


def test_the_error_of_a_broken_report_names_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reported, "LARGEST_REPORT", 10)
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/x\n")
    monkeypatch.chdir(tmp_path)
    arguments = CommentArguments(
        reports=(), base=(), check=("flink-conf.yaml",), diff_base=None, forge=None, repository=None, number=None,
        template=None, name="", no_inline=False, dry_run=True,
    )  # fmt: skip
    said: list[str] = []
    assert run_comment(arguments, os.environ, said.append) == 2
    assert said == ["the report of --check: more than 0 MiB: too large for reports to comment on"]


def test_a_check_that_fails_comments_nothing(tmp_path: Path, flint: Flint) -> None:
    done = flint("comment", "--check", "nowhere", "--dry-run", **NOWHERE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no comment is written" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "name reports"),
        (("r.json", "--check", "."), "name reports"),
        (("r.json", "--diff-base", "main"), "requires --check"),
        (("--check", ".", "--diff-base", "main", "--base", "r.json"), "cannot be used with --base"),
        (("r.json", "--id", "a b"), "not a valid name for comments"),
        (("none.json",), "cannot read the report"),
        (("r.json", "--base", "none.json"), "cannot read the report"),
        (("r.json", "--template", "none"), "cannot read the template"),
        (("r.json", "--template", "bad", "--dry-run"), "cannot be filled"),
        (("bad", "--dry-run"), "not JSON"),
        (("r.json",), "cannot determine where to comment"),
        (("r.json", "--number", "0"), "x>=1"),
    ],
)
def test_errors_are_reported_and_exit_with_2(
    arguments: tuple[str, ...], why: str, tmp_path: Path, flint: Flint
) -> None:
    save(tmp_path / "r.json", finding(1))
    (tmp_path / "bad").write_text("{{ nothing }}")
    done = flint("comment", *arguments, **NOWHERE)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_the_users_template_is_used(tmp_path: Path, flint: Flint) -> None:
    report = save(tmp_path / "r.json", finding(1))
    (tmp_path / "own.md.j2").write_text("mine: {{ headline }}")
    done = flint("comment", report, "--template", "own.md.j2", "--dry-run", "--no-inline", **NOWHERE)
    assert done.stdout == "<!-- flint:summary -->\nmine: flint: 1 finding\n"


class _Echo(BaseHTTPRequestHandler):
    """Rejects all requests and returns everything they contained."""

    def _refuse(self) -> None:
        body = json.dumps({"message": f"no: {self.path} {self.headers}"}).encode()
        self.send_response(401, f"no {self.headers.get('Authorization') or self.headers.get('Private-Token')}")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _refuse  # noqa: N815 - names of the base class

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def echo() -> Iterator[str]:
    """Yield the address of a server that rejects everything and returns the token."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Echo)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("forge", ["github", "gitlab"])
@pytest.mark.parametrize(
    "more",
    [
        ("--repository", "o/r", "--number", "1"),
        ("--repository", TOKEN, "--number", "1"),
        ("--repository", f"o/{TOKEN}", "--number", "1"),
        ("--number", "1"),
        (),
        ("--id", f"{TOKEN} x"),
        ("--template", TOKEN),
        (TOKEN,),
        ("--base", TOKEN),
        ("--dry-run",),
    ],
)
def test_no_token_reaches_the_output_whatever_fails(
    forge: str, more: tuple[str, ...], echo: str, tmp_path: Path, flint: Flint
) -> None:
    report = save(
        tmp_path / "r.json", finding(1, message=f"the token {TOKEN}", key=TOKEN), deployments=(deployment(1),)
    )
    urls = {
        "GITHUB_API_URL": echo, "GITHUB_SERVER_URL": echo, "CI_SERVER_URL": echo,
        "CI_API_V4_URL": f"{echo}/api/v4",
    }  # fmt: skip
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": TOKEN}}))
    done = flint(
        "comment", report, "--forge", forge, *more, **{**NOWHERE, **TOKENS, **urls, "GITHUB_EVENT_PATH": "event.json"}
    )
    assert done.returncode == (0 if "--dry-run" in more else 2)
    assert TOKEN not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


PAGE = (ROOT / "docs" / "pull-requests.md").read_text(encoding="utf-8")


def _blocks(info: str) -> list[str]:
    """Return the fenced blocks of the page in one language."""
    return [found[1] for found in re.findall(rf"^(`{{3,}}){info}\n(.*?)^\1$", PAGE, re.DOTALL | re.MULTILINE)]


@pytest.mark.slow
def test_the_page_shows_what_flint_really_says(tmp_path: Path, flint: Flint) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "orders.yaml").write_text(_blocks("yaml")[0])
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-q", "-m", "base")
    (tmp_path / "change.diff").write_text(_blocks("diff")[0])
    _git(tmp_path, "apply", "change.diff")
    done = flint("comment", "--check", "deploy", "--diff-base", "main", "--dry-run", **NOWHERE)
    excerpts = _blocks("markdown")
    assert len(excerpts) == 3
    for excerpt in excerpts:
        assert excerpt in done.stdout, done.stderr


def test_the_template_on_the_page_works(tmp_path: Path, flint: Flint) -> None:
    report = save(tmp_path / "r.json", finding(1))
    (tmp_path / "own.md.j2").write_text(_blocks("jinja")[0])
    done = flint("comment", report, "--template", "own.md.j2", "--dry-run", "--no-inline", **NOWHERE)
    assert done.returncode == 0, done.stderr
    assert "## flint: 1 finding\n" in done.stdout
    assert "* **warning** [FLK101 blob-storage-in-tmp]" in done.stdout


def test_the_page_tells_every_option_and_every_value_of_a_template() -> None:
    options = [option for one in comment.params for option in one.opts if option.startswith("--")]
    assert [option for option in options if f"`{option}" not in PAGE] == []
    values = {*_Every(compare(read(), None), None).values(0, 0), *ShownFinding._fields, *Group._fields, *Row._fields}
    assert [value for value in sorted({*values, *Table._fields}) if f"`{value}`" not in PAGE] == []
