"""The only module that runs git; nothing in the inspected repository can make git run a program.

The configuration of a repository comes from whoever created it, and much of it is commands: filters, diff drivers, file
system monitors, hooks, helpers, transports. Disabling them one by one misses those of the next release of git, so git
never sees that configuration, nor the user's own. Each call gets a temporary git folder: a configuration written here,
the real HEAD, and links to the real references; objects and index are named in the environment. A few settings on how
files are laid out on disk are copied from the real configurations, by name and only if the value is a single word.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from tempfile import TemporaryDirectory
from typing import IO

from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.text.named_tuple import NamedTuple

_OFF = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.pager=cat",
    "protocol.allow=never",
    "submodule.recurse=false",
    "core.quotePath=false",
)
"""Options passed on every command line, where nothing can override them."""

_LAYOUT = (
    "core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode",
    "core.trustctime", "core.checkstat", "core.longpaths",
)  # fmt: skip
"""The settings that are copied from the configuration of the user and the repository."""

_EXTENSIONS = {"extensions.objectformat": ("sha1", "sha256"), "extensions.refstorage": ("files", "reftable")}
"""Settings without which git cannot read a repository that uses them, with the supported values."""

_OBJECTS = re.compile(r"[0-9a-f]{2}|pack|info")
"""The folders of an object store that git reads."""
_SHARED = ("refs", "packed-refs", "reftable", "logs", "shallow")
_LARGEST_FILE = 1 << 20
"""The maximum number of bytes read from HEAD, a `.git` file or a configuration; real ones are far smaller."""

_KEPT = ("GIT_EXEC_PATH", "GIT_ALTERNATE_OBJECT_DIRECTORIES")


class GitFailed(Exception):  # noqa: N818 - it names what happened
    """Raised if git fails; the message is git's reason, or empty if git gave none."""


class Repository(NamedTuple):
    """A git repository with a working tree: its folders, and its settings for the layout of files on disk."""

    top: str
    """The absolute path of the root of the working tree, with links resolved."""
    git_dir: str
    """The path of the git directory with HEAD and the index."""
    common_dir: str
    """The path of the git directory with references and objects; it differs from `git_dir` in linked working trees."""
    settings: Mapping[str, str]
    """The git settings that determine how a checkout writes files to disk."""


# -- which repository


def repository_at(folder: str) -> Repository:
    """Return the repository that a folder belongs to; raise `GitFailed` if there is none.

    The search goes from the outside in: a repository within the working tree of another counts only if the outer one
    tracks no file in it (a submodule, a clone in an ignored folder). One that was unpacked along with tracked files
    does not count, and a folder with HEAD, objects and refs that is not named `.git` is data.
    """
    if (named := os.environ.get("GIT_DIR")) is not None:
        # A hook of a linked working tree gets the repository only, and starts at the top.
        top = os.path.realpath(os.environ.get("GIT_WORK_TREE", os.curdir))
        return _opened(top, os.path.abspath(named))
    found: Repository | None = None
    failure = GitFailed("not a git repository (or any of the parent directories): .git")
    for top in _roots(os.path.realpath(folder)):
        try:
            if found is not None and _tracks(found, top):
                break
            found = _opened(top, _git_dir(top))
        except GitFailed as failed:
            failure = failed
    if found is None:
        raise failure
    return found


def _roots(folder: str) -> list[str]:
    """Return the folders with a `.git` at or above a folder, outermost first, without those of other users."""
    ceilings = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    owners = {os.stat(folder).st_uid, *((os.geteuid(),) if hasattr(os, "geteuid") else ())}
    roots: list[str] = []
    while True:
        try:
            owner = os.stat(os.path.join(folder, ".git")).st_uid
        except OSError:
            pass
        else:
            # In a folder that everybody can write to, such as /tmp, anybody can create a repository.
            if owner in owners or not roots:
                roots.append(folder)
        parent = os.path.dirname(folder)
        if parent == folder or parent in ceilings:
            return roots[::-1]
        folder = parent


def _git_dir(top: str) -> str:
    path = os.path.join(top, ".git")
    if os.path.isdir(path):
        return path
    content = os.fsdecode(_small_file(path)).rstrip("\r\n")
    if not content.startswith("gitdir: "):
        raise GitFailed(f"invalid gitfile format: {path}")
    return os.path.join(top, content.removeprefix("gitdir: "))


def _opened(top: str, git_dir: str) -> Repository:
    git_dir = os.path.realpath(git_dir)
    common_dir = git_dir
    if os.path.lexists(linked := os.path.join(git_dir, "commondir")):
        common_dir = os.path.realpath(os.path.join(git_dir, os.fsdecode(_small_file(linked)).rstrip("\r\n")))
    if not os.path.isdir(os.path.join(common_dir, "refs")):
        raise GitFailed(f"not a git repository: {git_dir}")
    _small_file(os.path.join(git_dir, "HEAD"))
    _refuse_special_files(git_dir, common_dir)
    config = os.path.join(common_dir, "config")
    settings = _settings(_small_file(config)) if os.path.lexists(config) else {}
    return Repository(top, git_dir, common_dir, settings)


def _refuse_special_files(git_dir: str, common_dir: str) -> None:
    """Raise `GitFailed` if git would wait forever, because a file it reads is a pipe."""
    _refuse_special(os.path.join(git_dir, "index"))
    folders = []
    for name in _SHARED:
        place = os.path.join(common_dir, name)
        if os.path.isdir(place):
            folders.append(place)
        else:
            _refuse_special(place)
    while folders:
        for entry in _entries(folders.pop()):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                _refuse_special(entry.path, entry)
    stores, seen = [os.path.join(common_dir, "objects")], set[str]()
    while stores:
        store = os.path.realpath(stores.pop())
        if store in seen:
            continue
        seen.add(store)
        for part in _entries(store):
            if _OBJECTS.fullmatch(part.name) and part.is_dir():
                for entry in _entries(part.path):
                    if not entry.is_dir():
                        _refuse_special(entry.path, entry)
        alternates = os.path.join(store, "info", "alternates")
        if os.path.lexists(alternates):
            stores += [os.path.join(store, other) for other in os.fsdecode(_small_file(alternates)).splitlines()]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:  # git cannot read it either
        return []


def _refuse_special(path: str, entry: os.DirEntry[str] | None = None) -> None:
    if (os.path.isfile(path) if entry is None else entry.is_file()) or not os.path.exists(path):
        return
    raise GitFailed(f"{path} is not a regular file")


def _tracks(outer: Repository, inner: str) -> bool:
    """Return whether a repository tracks files in a folder, other than the folder itself as a submodule."""
    inside = os.path.relpath(inner, outer.top).replace(os.sep, "/")
    try:
        listed = run(outer, ["ls-files", "-z", "--", inside])
    except GitFailed:
        return False
    return any(path.startswith(os.fsencode(f"{inside}/")) for path in listed.split(b"\0"))


def _small_file(path: str) -> bytes:
    try:
        data = read_named(path, _LARGEST_FILE + 1)
    except OSError as error:
        raise GitFailed(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if len(data) > _LARGEST_FILE:
        raise GitFailed(f"{path}: more than {_LARGEST_FILE // 1024**2} MiB")
    return data


# -- settings


def _settings(config: bytes | None) -> dict[str, str]:
    """Return the settings to copy from a configuration, or from the user's own (None); raise `GitFailed`.

    Reading a configuration runs nothing. It is passed through standard input, without the files it includes.
    """
    pattern = f"^({'|'.join((*_LAYOUT, *_EXTENSIONS))})$".replace(".", r"\.")
    source = () if config is None else ("--file", "-", "--no-includes")
    environment = _environment()
    if config is None:
        for name in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"):
            environment.pop(name)
            if name in os.environ:
                environment[name] = os.environ[name]
    environment["GIT_DIR"] = os.devnull  # do not search for a repository around the current folder
    command = [_program(), "config", *source, "-z", "--get-regexp", pattern]
    try:
        done = subprocess.run(command, env=environment, input=config or b"", capture_output=True, check=False)
    except OSError as error:
        raise _not_run(error) from None
    if done.returncode not in (0, 1):  # 1: none of them is set
        raise GitFailed(_error_of(done.stderr) or "its configuration cannot be read")
    found = {}
    for row in done.stdout.decode("utf-8", "replace").split("\0")[:-1]:
        name, separator, value = row.partition("\n")
        value = value if separator else "true"
        if name in _EXTENSIONS and value.lower() not in _EXTENSIONS[name]:
            raise GitFailed(f"unknown {name} {value!r}")
        if re.fullmatch(r"\w*", value, re.ASCII):
            found[name] = value
    return found


@cache
def _own_settings() -> Mapping[str, str]:
    return {name: value for name, value in _settings(None).items() if name in _LAYOUT}


def _configuration(settings: Mapping[str, str]) -> str:
    version = int(any(name in _EXTENSIONS for name in settings))
    lines = ["[core]", f"repositoryformatversion = {version}", "bare = false"]
    for name, value in settings.items():
        section, _, key = name.partition(".")
        lines += [f"[{section}]", f"{key} = {value}"]
    return "\n".join((*lines, ""))


# -- running it


def run(repository: Repository, arguments: Sequence[str]) -> bytes:
    """Run git at the top of a repository and return its output; raise `GitFailed` if it fails."""
    with _isolated(repository) as environment:
        try:
            done = subprocess.run(
                _command(arguments),
                cwd=repository.top,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise _not_run(error) from None
    if done.returncode:
        raise GitFailed(_error_of(done.stderr))
    return done.stdout


def diff(repository: Repository, options: Sequence[str], commit: str, paths: Iterable[str] = ()) -> bytes:
    """Return the diff from a commit to the working tree; raise `GitFailed` if git fails.

    Submodules are not inspected: git would run itself there, with their configuration.
    """
    fixed = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--submodule=short")
    return run(repository, ["diff", *fixed, *options, commit, "--", *paths])


def blobs(repository: Repository, objects: Iterable[tuple[str, str]]) -> Iterator[bytes | None]:
    """Yield the content of each object as a checkout would write it to its path; None if git cannot provide it.

    Line ends and encodings are converted according to attributes; filters cannot run. Stops early if git exits.
    Raises `GitFailed` if git cannot be run, which it is not for no object.
    """
    requested = list(objects)
    if not requested:
        return
    with _isolated(repository) as environment:
        try:
            process = subprocess.Popen(
                _command(["cat-file", "--batch", "--filters"]),
                cwd=repository.top,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise _not_run(error) from None
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            for identifier, path in requested:
                if "\n" in path:  # the protocol is line-based
                    yield run(repository, ["cat-file", "blob", identifier])
                    continue
                try:
                    process.stdin.write(f"{identifier} ".encode() + os.fsencode(path) + f"\n{_END}\n".encode())
                    process.stdin.flush()
                except OSError:  # git exited at an earlier file
                    return
                reply = _reply(process.stdout)
                if reply is None:
                    return
                header, _, data = reply.partition(b"\n")
                yield data if header.split()[1:2] == [b"blob"] else None


_END = os.urandom(16).hex()
"""The name of an object that no repository contains, so that no content can contain git's reply to it."""


def _reply(stream: IO[bytes]) -> bytes | None:
    """Return git's reply to a request that is followed by one for `_END`; None if git exits before the reply ends.

    The size in the header of an object is of no use: git counts the bytes before it converts line ends.
    """
    end = f"\n{_END} missing\n".encode()
    reply = bytearray()
    while not reply.endswith(end):
        read = os.read(stream.fileno(), 1 << 16)
        if not read:
            return None
        reply += read
    return bytes(reply[: -len(end)])


def check_attributes(repository: Repository, paths: Iterable[str]) -> None:
    """Raise `GitFailed` if a `.gitattributes` that applies to a path is not a regular file: git could wait forever."""
    folders = {""}
    for path in paths:
        while (path := path.rpartition("/")[0]) not in folders:
            folders.add(path)
    for folder in folders:
        file = os.path.join(repository.top, folder, ".gitattributes")
        try:
            mode = os.lstat(file).st_mode
        except (OSError, ValueError):
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):  # git does not follow a link here
            raise GitFailed(f"{os.path.join(folder, '.gitattributes')} is not a regular file")


@contextmanager
def _isolated(repository: Repository) -> Iterator[dict[str, str]]:
    """Create a temporary git folder for a repository; yield the environment in which git uses it."""
    with TemporaryDirectory(prefix="flint-git-") as folder:
        with open(os.path.join(folder, "config"), "x", encoding="utf-8") as stream:
            stream.write(_configuration({**_own_settings(), **repository.settings}))
        for name in _names(repository.git_dir):
            if name.endswith("HEAD"):
                with open(os.path.join(folder, name), "xb") as head:
                    head.write(_small_file(os.path.join(repository.git_dir, name)))
            elif name.startswith("sharedindex."):
                _attach(os.path.join(repository.git_dir, name), os.path.join(folder, name))
        for name in _SHARED:
            _attach(os.path.join(repository.common_dir, name), os.path.join(folder, name))
        attributes = os.path.join(repository.common_dir, "info", "attributes")
        if os.path.isfile(attributes):
            os.mkdir(os.path.join(folder, "info"))
            _attach(attributes, os.path.join(folder, "info", "attributes"))
        objects = os.environ.get("GIT_OBJECT_DIRECTORY")
        yield {
            **_environment(),
            "HOME": folder,  # for releases of git without GIT_CONFIG_GLOBAL
            "XDG_CONFIG_HOME": folder,
            "GIT_DIR": folder,
            "GIT_WORK_TREE": repository.top,
            "GIT_INDEX_FILE": _index(repository),
            "GIT_OBJECT_DIRECTORY": os.path.abspath(objects or os.path.join(repository.common_dir, "objects")),
        }


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _attach(source: str, place: str) -> None:
    """Make a file or folder of one git folder available in another one; skip anything else."""
    is_folder = os.path.isdir(source)
    if not is_folder and not os.path.isfile(source):
        return
    try:
        os.symlink(source, place, is_folder)
    except OSError:  # not permitted to everybody on Windows
        (shutil.copytree if is_folder else shutil.copyfile)(source, place)


def _index(repository: Repository) -> str:
    """Return the index to use: that of the commit a hook runs for, if it belongs to this repository."""
    own = os.path.join(repository.git_dir, "index")
    named = os.environ.get("GIT_INDEX_FILE")
    if named is None:
        return own
    named = os.path.realpath(named)
    return named if "GIT_DIR" in os.environ or os.path.dirname(named) == repository.git_dir else own


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return {
        **kept,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_PAGER": "cat",
        "LC_ALL": "C",
    }


def _command(arguments: Sequence[str]) -> list[str]:
    fixed = [word for setting in _OFF for word in ("-c", setting)]
    return [_program(), "--no-pager", *fixed, *arguments]


def _program() -> str:
    """Return the git of the PATH, never one in the current folder; raise `GitFailed` if there is none."""
    name = "git.exe" if sys.platform == "win32" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise GitFailed("git is not installed, or not on the PATH")


def _not_run(error: OSError) -> GitFailed:
    return GitFailed(f"git cannot be run: {(error.strerror or str(error)).lower()}")


def _error_of(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    # Warnings come before the error.
    line = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[0] if lines else "")
    return f"git says: {line.removeprefix('fatal: ').removeprefix('error: ')}" if line else ""
