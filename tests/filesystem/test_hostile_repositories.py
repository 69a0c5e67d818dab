"""Repositories that run a command as soon as git looks at them: with flint, none of them runs anything.

Each mechanism is built with git itself and leaves a marker file when it fires. That it does fire under a careless call
of git is asserted too, so that each of these tests can fail.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from flink_flint.linter.filesystem.git import GitFailed, blobs, repository_at
from tests.conftest import Flint
from tests.marks import mostly_slow

WHO = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}

SOUND = "taskmanager.network.retries: 1\n"
HAZARD = "blob.storage.directory: /tmp/blobs\n"
"""FLK101, on the line that the change adds."""


class Zoo:
    """A repository with a branch `main` and a change in the working tree, ready to be made hostile."""

    def __init__(self, folder: Path) -> None:
        self.top = folder / "repository"
        self.marker = folder / "fired"
        self.file = self.top / "conf/flink-conf.yaml"
        self.top.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.file.parent.mkdir()
        self.file.write_text(SOUND)
        self.commit()
        self.file.write_text(SOUND + HAZARD)

    @property
    def command(self) -> str:
        """Return a shell command that writes the marker and copies its input."""
        return f"touch {self.marker}; cat"

    @property
    def script(self) -> str:
        """Return the path of a program that writes the marker and fails."""
        path = self.marker.with_name("program")
        path.write_text(f"#!/bin/sh\ntouch {self.marker}\nexit 1\n")
        path.chmod(0o755)
        return str(path)

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=cwd or self.top, env={**os.environ, **WHO}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, cwd: Path | None = None) -> None:
        self.git("add", "-A", cwd=cwd)
        self.git("commit", "-q", "-m", "change", cwd=cwd)

    def configure(self, **settings: str) -> None:
        for name, value in settings.items():
            self.git("config", name.replace("__", "."), value)

    def attributes(self, text: str) -> None:
        (self.top / ".gitattributes").write_text(f"*.yaml {text}\n")


Careless = Callable[[Zoo], "tuple[str, ...] | None"]
"""Make a repository hostile; the call of git that fires, None for `git diff main`."""

MECHANISMS: dict[str, Careless] = {}
SILENT = set()
"""Hazards that remove what the comparison needs; flint reports that, and all findings."""


def mechanism(function: Careless) -> Careless:
    MECHANISMS[function.__name__.lstrip("_")] = function
    return function


def fsmonitor(zoo: Zoo) -> str:
    return f"touch {zoo.marker}; false"


@mechanism
def _file_system_monitor(zoo: Zoo) -> None:
    zoo.configure(core__fsmonitor=fsmonitor(zoo))


@mechanism
def _bare_repository_in_the_tree(zoo: Zoo) -> tuple[str, ...]:
    inner = zoo.top / "conf"
    zoo.git("init", "-q", cwd=inner)
    zoo.commit(cwd=inner)
    for part in ("HEAD", "index", "objects", "refs"):
        (inner / ".git" / part).rename(inner / part)
    subprocess.run(["rm", "-r", str(inner / ".git")], check=True)
    (inner / "config").write_text(
        f'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "{fsmonitor(zoo)}"\n'
    )
    return ("-C", "conf", "status")


@mechanism
def _nested_repository_in_a_tracked_folder(zoo: Zoo) -> tuple[str, ...]:
    inner = zoo.top / "conf"
    zoo.git("init", "-q", "-b", "main", cwd=inner)
    zoo.commit(cwd=inner)
    zoo.git("config", "core.fsmonitor", fsmonitor(zoo), cwd=inner)
    return ("-C", "conf", "status")


@mechanism
def _git_file_that_leads_into_the_tree(zoo: Zoo) -> None:
    zoo.configure(core__fsmonitor=fsmonitor(zoo))
    (zoo.top / ".git").rename(zoo.top / "evil")
    (zoo.top / ".git").write_text("gitdir: evil\n")


@mechanism
def _linked_working_tree(zoo: Zoo) -> None:
    (zoo.top / ".git").rename(zoo.top / "evil")
    private = zoo.top / "evil/worktrees/x"
    private.mkdir(parents=True)
    for name, text in {"HEAD": "ref: refs/heads/main\n", "commondir": "../..\n", "gitdir": f"{zoo.top}/.git\n"}.items():
        (private / name).write_text(text)
    (zoo.top / "evil/index").rename(private / "index")
    (zoo.top / ".git").write_text("gitdir: evil/worktrees/x\n")
    zoo.configure(core__fsmonitor=fsmonitor(zoo))


@mechanism
def _included_configuration(zoo: Zoo) -> None:
    (zoo.top / "more").write_text(f'[core]\n\tfsmonitor = "{fsmonitor(zoo)}"\n')
    zoo.configure(include__path="../more")


@mechanism
def _configuration_of_a_working_tree(zoo: Zoo) -> None:
    zoo.configure(core__repositoryFormatVersion="1", extensions__worktreeConfig="true")
    (zoo.top / ".git/config.worktree").write_text(f'[core]\n\tfsmonitor = "{fsmonitor(zoo)}"\n')


@mechanism
def _clean_filter(zoo: Zoo) -> None:
    zoo.attributes("filter=x")
    zoo.configure(filter__x__clean=zoo.command)


@mechanism
def _smudge_filter(zoo: Zoo) -> tuple[str, ...]:
    zoo.attributes("filter=x")
    zoo.configure(filter__x__smudge=zoo.command)
    return ("cat-file", "--filters", "main:conf/flink-conf.yaml")


@mechanism
def _filter_process(zoo: Zoo) -> None:
    zoo.attributes("filter=x")
    zoo.configure(filter__x__process=zoo.script)


@mechanism
def _filter_by_the_attributes_of_the_repository(zoo: Zoo) -> None:
    (zoo.top / ".git/info").mkdir(exist_ok=True)
    (zoo.top / ".git/info/attributes").write_text("* filter=x\n")
    zoo.configure(filter__x__clean=zoo.command, filter__x__required="true")


@mechanism
def _external_diff(zoo: Zoo) -> None:
    zoo.configure(diff__external=zoo.script)


@mechanism
def _diff_driver(zoo: Zoo) -> None:
    zoo.attributes("diff=x")
    zoo.configure(diff__x__command=zoo.script)


@mechanism
def _text_conversion(zoo: Zoo) -> None:
    zoo.attributes("diff=x")
    zoo.configure(diff__x__textconv=zoo.script)


@mechanism
def _hook(zoo: Zoo) -> tuple[str, ...]:
    hook = zoo.top / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {zoo.marker}\n")
    hook.chmod(0o755)
    os.utime(zoo.top / "conf/flink-conf.yaml")
    return ("update-index", "--refresh", "-q", "--really-refresh", "--add", "conf/flink-conf.yaml")


@mechanism
def _folder_of_hooks(zoo: Zoo) -> tuple[str, ...]:
    hook = zoo.top / "hooks/post-index-change"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {zoo.marker}\n")
    hook.chmod(0o755)
    zoo.configure(core__hooksPath="hooks")
    return ("update-index", "--add", "conf/flink-conf.yaml")


@mechanism
def _submodule(zoo: Zoo) -> None:
    origin = zoo.marker.with_name("origin")
    origin.mkdir()
    zoo.git("init", "-q", "-b", "main", cwd=origin)
    (origin / "readme").write_text("x\n")
    zoo.commit(cwd=origin)
    zoo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(origin), "module")
    zoo.commit()
    zoo.file.write_text(SOUND + HAZARD * 2)
    zoo.git("config", "core.fsmonitor", fsmonitor(zoo), cwd=zoo.top / "module")


@mechanism
def _pager(zoo: Zoo) -> None:
    zoo.configure(core__pager=zoo.command, pager__diff=zoo.command)


@mechanism
def _signature_program(zoo: Zoo) -> tuple[str, ...]:
    commit = zoo.git("cat-file", "commit", "HEAD").split("\n", 3)
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    text = "\n".join((*commit[:3], signature, *commit[3:]))
    forged = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"], cwd=zoo.top, input=text + "\n", capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    zoo.git("update-ref", "refs/heads/main", forged.stdout.strip())
    zoo.configure(log__showSignature="true", gpg__program=zoo.script)
    return ("log", "-1")


def _lost(zoo: Zoo, **remote: str) -> tuple[str, ...]:
    """Lose an object of the base, and name a remote that has it."""
    identifier = zoo.git("rev-parse", "main:conf/flink-conf.yaml")
    (zoo.top / ".git/objects" / identifier[:2] / identifier[2:]).unlink()
    zoo.configure(
        core__repositoryFormatVersion="1", extensions__partialClone="origin", remote__origin__promisor="true",
        **{f"remote__origin__{name}": value for name, value in remote.items()},
    )  # fmt: skip
    return ("cat-file", "-p", identifier)


@mechanism
def _transport_that_is_a_command(zoo: Zoo) -> tuple[str, ...]:
    zoo.configure(protocol__ext__allow="always")
    return _lost(zoo, url=f"ext::{zoo.script}")


@mechanism
def _ssh_command(zoo: Zoo) -> tuple[str, ...]:
    zoo.configure(core__sshCommand=zoo.script)
    return _lost(zoo, url="ssh://localhost/x")


@mechanism
def _git_proxy(zoo: Zoo) -> tuple[str, ...]:
    zoo.configure(core__gitProxy=zoo.script)
    return _lost(zoo, url="git://localhost/x")


@mechanism
def _upload_pack(zoo: Zoo) -> tuple[str, ...]:
    return _lost(zoo, url=str(zoo.top), uploadpack=zoo.script)


SILENT |= {"transport_that_is_a_command", "ssh_command", "git_proxy", "upload_pack"}


@mechanism
def _credential_helper(zoo: Zoo) -> tuple[str, ...]:
    zoo.configure(credential__helper=f"!touch {zoo.marker}; true")
    return ("credential", "fill")


@mechanism
def _alias(zoo: Zoo) -> tuple[str, ...]:
    zoo.configure(alias__changes=f"!touch {zoo.marker}")
    return ("changes",)


COMMANDS: dict[str, tuple[str, ...]] = {
    "check the folder": ("check", "conf", "--diff-base", "main", "--output-format", "json"),
    "check all": ("check", ".", "--diff-base", "main", "--output-format", "json"),
    "check without a comparison": ("check", ".", "--output-format", "json"),
    "comment": ("comment", "--check", "conf", "--diff-base", "main", "--dry-run"),
    "write a baseline": ("check", ".", "--write-baseline", "--baseline", "../baseline.json"),
    "compare with a baseline": ("check", ".", "--diff-base", "main", "--baseline", "../baseline.json"),
    "upgrade": ("upgrade", "conf", "--from", "1.18", "--to", "1.20"),
    "show": ("show", "conf/flink-conf.yaml"),
}

HOOK = {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index"}
"""What git gives to the hook of a commit."""


def careless(zoo: Zoo, arguments: tuple[str, ...]) -> None:
    """Run git as a person at a terminal would, to whom a pager is shown."""
    terminal, end = pty.openpty()
    environment = {**os.environ, **WHO, "TERM": "dumb", "GIT_SSH_VARIANT": "simple"}
    process = subprocess.Popen(
        ["git", *arguments], cwd=zoo.top, env=environment, stdin=subprocess.PIPE, stdout=end,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(end)
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as stream:
        stream.write(b"protocol=https\nhost=localhost\n\n")  # the input of a credential helper
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:  # the end, as reported by a terminal
        pass
    finally:
        os.close(terminal)
        process.wait()


@pytest.mark.parametrize("name", mostly_slow(MECHANISMS, every=9))
def test_nothing_of_a_hostile_repository_runs(flint: Flint, tmp_path: Path, name: str) -> None:
    zoo = Zoo(tmp_path / "other")
    careless(zoo, MECHANISMS[name](zoo) or ("diff", "main"))
    assert zoo.marker.exists(), "this mechanism does not fire even where nobody takes care"

    zoo = Zoo(tmp_path)
    MECHANISMS[name](zoo)
    zoo.marker.unlink(missing_ok=True)  # making it hostile can fire it
    runs: list[tuple[str, Path, Mapping[str, str]]] = [(command, zoo.top, {}) for command in COMMANDS]
    runs += [("check the folder", zoo.top, HOOK)] * (zoo.top / ".git").is_dir()
    for command, folder, environment in runs:
        done = flint(*COMMANDS[command], cwd=folder, **environment)
        assert not zoo.marker.exists(), command
        refuses = command == "comment" and name in SILENT
        assert done.returncode in ((2,) if refuses else (0, 1)), f"{command}: {done.stderr}"
        if "json" in COMMANDS[command]:
            found = {finding["code"] for finding in json.loads(done.stdout)["findings"]}
            assert "FLK101" in found, command
        if "--diff-base" in COMMANDS[command] and command != "comment":
            assert ("warning" in done.stderr) == (name in SILENT), f"{command}: {done.stderr}"
    for other in (".", ".."):  # from inside, where git begins to look
        flint("check", other, "--diff-base", "main", cwd=zoo.file.parent)
        assert not zoo.marker.exists()


def test_git_is_not_taken_from_the_tree(flint: Flint, tmp_path: Path) -> None:
    zoo = Zoo(tmp_path)
    planted = zoo.top / "git"
    planted.write_text(f"#!/bin/sh\n: > {zoo.marker}\n")
    planted.chmod(0o755)
    for path in ("", ".", f".{os.pathsep}{os.environ['PATH']}"):
        flint("check", ".", "--diff-base", "main", cwd=zoo.top, PATH=path)
        assert not zoo.marker.exists()
    subprocess.run(["git", "diff"], cwd=zoo.top, env={**os.environ, "PATH": "."}, check=False)
    assert zoo.marker.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        ".gitattributes", "conf/.gitattributes", ".git/HEAD", ".git/config", ".git/index", ".git/packed-refs",
        ".git/refs/heads/main", ".git/refs/deep/er", ".git/logs/HEAD", ".git/objects/info/alternates",
        ".git/objects/pack/pack-1.idx", "other/ab/cd",
    ],
)  # fmt: skip
def test_a_pipe_where_git_would_wait_is_reported(flint: Flint, tmp_path: Path, name: str) -> None:
    zoo = Zoo(tmp_path)
    if name.startswith("other"):
        (zoo.top / ".git/objects/info/alternates").write_text("../../other\n")
    (zoo.top / name).parent.mkdir(parents=True, exist_ok=True)
    (zoo.top / name).unlink(missing_ok=True)
    os.mkfifo(zoo.top / name)
    done = flint("check", ".", "--diff-base", "main", cwd=zoo.top)
    assert "not a regular file" in done.stderr
    assert "FLK101" in done.stdout


def test_the_outer_repository_counts_where_it_tracks_the_folder(tmp_path: Path) -> None:
    zoo = Zoo(tmp_path)
    zoo.git("init", "-q", cwd=zoo.file.parent)
    assert repository_at(str(zoo.file.parent)).top == str(zoo.top)


def test_a_clone_in_a_folder_that_is_not_tracked_is_a_repository_of_its_own(tmp_path: Path) -> None:
    zoo = Zoo(tmp_path)
    (zoo.top / ".git/info").mkdir(exist_ok=True)
    (zoo.top / ".git/info/exclude").write_text("/clone\n")
    zoo.git("clone", "-q", ".", "clone")
    assert repository_at(str(zoo.top / "clone/conf")).top == str(zoo.top / "clone")


def test_a_folder_without_a_repository_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "a").mkdir()
    with pytest.raises(GitFailed, match="not a git repository"):
        repository_at(str(tmp_path / "a"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("created", "changed"),
    [
        (("--object-format=sha256",), ()),
        ((), ("update-index", "--split-index")),
        ((), ("sparse-checkout", "set", "--cone", "--sparse-index", "conf")),
        ((), ("pack-refs", "--all")),
        ((), ("config", "core.autocrlf", "true")),
    ],
)
def test_every_layout_of_a_repository_is_compared(
    flint: Flint, tmp_path: Path, created: tuple[str, ...], changed: tuple[str, ...]
) -> None:
    zoo = Zoo(tmp_path)
    subprocess.run(["rm", "-r", str(zoo.top / ".git")], check=True)
    zoo.git("init", "-q", "-b", "main", *created)
    (zoo.top / "other").mkdir()
    (zoo.top / "other/file").write_text("x\n")
    zoo.file.write_text(HAZARD)
    zoo.commit()
    if changed:
        zoo.git(*changed)
    end = "\r\n" if "core.autocrlf" in changed else "\n"
    zoo.file.write_bytes(f"{HAZARD}taskmanager.memory.process.size:4g\n".replace("\n", end).encode())
    done = flint("check", ".", "--diff-base", "main", "--output-format", "json", cwd=zoo.top)
    assert done.returncode in (0, 1), done.stderr
    assert "warning" not in done.stderr
    codes = {finding["code"] for finding in json.loads(done.stdout)["findings"]}
    assert codes
    assert "FLK101" not in codes, "it was there before"


def break_object(zoo: Zoo, name: str) -> None:
    path = zoo.top / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1] + b"\0")  # the last byte of its checksum


def test_a_broken_object_has_no_content(tmp_path: Path) -> None:
    zoo = Zoo(tmp_path)
    whole = zoo.git("rev-parse", "main:conf/flink-conf.yaml")
    broken = zoo.git("hash-object", "-w", "conf/flink-conf.yaml")
    break_object(zoo, broken)
    found = blobs(repository_at(str(zoo.top)), [(whole, "a"), (broken, "b")])
    assert list(found) == [SOUND.encode()]


def test_the_error_of_git_is_reported_and_not_its_warnings(flint: Flint, tmp_path: Path) -> None:
    zoo = Zoo(tmp_path)
    (zoo.top / ".gitattributes").write_text("* eol=crlf\n")
    break_object(zoo, zoo.git("rev-parse", "main:conf/flink-conf.yaml"))
    done = flint("check", ".", "--diff-base", "main", cwd=zoo.top)
    assert "git says: " in done.stderr
    assert "will be replaced" not in done.stderr
