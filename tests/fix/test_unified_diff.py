"""`--diff`: its output applies with `git apply` and `patch`, and never contains a secret."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.commands.rule_cases import place
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import Fixed, fix
from flink_flint.linter.fix.unified_diff import Diff, unified_diff
from flink_flint.linter.formats import file_format_of
from tests.conftest import ROOT, Flint
from tests.marks import mostly_slow
from tests.rules.cases import all_cases, options_of

SECRET = "hush-7f3a-91bc"


def source(path: str, data: bytes) -> Source:
    file_format = file_format_of(os.path.basename(path), data.decode("utf-8", "replace"), trust_name=True)
    assert file_format is not None
    return Source(path, data, file_format)


def diff_of(path: str, before: bytes, after: bytes) -> Diff:
    return unified_diff(source(path, before), source(path, after))


def apply(diff: Diff, folder: Path, *command: str) -> str:
    """Apply a diff as its notes say and return the output of the command."""
    bare = ["--unidiff-zero"] if any("--unidiff-zero" in note for note in diff.notes) else []
    data = diff.text.encode("utf-8", "surrogateescape")
    done = subprocess.run(command or ("git", "apply", *bare), cwd=folder, input=data, capture_output=True, check=False)
    assert done.returncode == 0, (done.stderr, diff.text)
    return (done.stdout + done.stderr).decode()


def assert_applies(path: str, before: bytes, after: bytes, folder: Path, *command: str) -> Diff:
    diff = diff_of(path, before, after)
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(before)
    apply(diff, folder, *command)
    assert file.read_bytes() == after
    return diff


OLD = b"a: 1\nb: 2\nc: 3\nakka.framesize: 5b\nd: 4\ne: 5\nf: 6\ng: 7\n"
NEW = OLD.replace(b"akka", b"pekko")

COMMANDS = pytest.mark.parametrize(
    "command", [("git", "apply"), ("patch", "-p1", "--binary")], ids=["git apply", "patch -p1"]
)  # fmt: skip


@COMMANDS
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (OLD, NEW),
        (OLD.replace(b"\n", b"\r\n"), NEW.replace(b"\n", b"\r\n")),
        (OLD.rstrip(), NEW.rstrip()),
        (OLD, NEW.rstrip()),
        (b"akka.framesize: 5b", b"pekko.framesize: 5b"),
        (b"akka.framesize: 5b\n", b"pekko.framesize: 5b\nx: 1\n"),
        (OLD + b"z: \xe9\xff\n", NEW + b"z: \xe9\xff\n"),
        (b"# \xe9\xff\n" + OLD, b"# \xe9\xff\n" + NEW),
        (b"\xef\xbb\xbf" + OLD, b"\xef\xbb\xbf" + NEW),
        (OLD + b"x: y\rz: 1\x0b2\xe2\x80\xa8\n", NEW + b"x: y\rz: 1\x0b2\xe2\x80\xa8\n"),
        (b"a: 1\n" + OLD, OLD),
        (OLD, OLD + b"last: 1\n"),
        (b"".join(b"%d: x\n" % n for n in range(40)), b"".join(b"%d: x\n" % n for n in range(40) if n % 9)),
    ],
)  # fmt: skip
def test_a_diff_applies_to_the_byte(before: bytes, after: bytes, command: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    assert assert_applies("conf/flink-conf.yaml", before, after, tmp_path, *command).notes == ()


@COMMANDS
@pytest.mark.parametrize(
    "folder",
    ["my conf", "café", 'say "x"', "back\\slash", "tab\there", "ends in blank ", "日本", "a", "b/a b/b", "del\x7f"],
)
def test_a_name_is_quoted_as_git_quotes_it(folder: str, command: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    assert_applies(f"{folder}/flink-conf.yaml", OLD, NEW, tmp_path, *command)


def test_a_name_reads_as_in_the_diffs_of_git(tmp_path: Path) -> None:
    for name in ("plain", "my conf", "café", 'q"x', "tab\there"):
        path = f"{name}/flink-conf.yaml"
        file = tmp_path / path
        file.parent.mkdir()
        file.write_bytes(OLD)
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
        file.write_bytes(NEW)
        output = subprocess.run(
            ["git", "diff", "--", path], cwd=tmp_path, capture_output=True, check=True
        ).stdout.decode()
        assert diff_of(path, OLD, NEW).text.splitlines()[:2] == output.splitlines()[2:4]
        file.write_bytes(OLD)


def test_a_diff_applies_in_a_folder_of_a_repository(
    flint: Flint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "deploy" / "conf").mkdir(parents=True)
    (tmp_path / "deploy" / "conf" / "flink-conf.yaml").write_bytes(OLD)
    words = ("--diff", "--flink-version", "1.18", "--select", "deprecated-key")
    for named in (".", "./conf", str(tmp_path / "deploy" / "conf"), "../deploy/conf/flink-conf.yaml"):
        output = flint("check", named, *words, cwd=tmp_path / "deploy")
        assert output.returncode == 1
        assert output.stdout.startswith("--- a/conf/flink-conf.yaml\n+++ b/conf/flink-conf.yaml\n@@ -1,7 +1,7 @@\n")
        done = subprocess.run(
            ["git", "apply", "--check"], cwd=tmp_path / "deploy", input=output.stdout.encode(), check=False
        )
        assert done.returncode == 0


def test_a_file_elsewhere_is_named_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "flink-conf.yaml").write_bytes(OLD)
    monkeypatch.chdir(tmp_path / "work")
    for named in ("../flink-conf.yaml", str(tmp_path / "flink-conf.yaml")):
        diff = diff_of(named, OLD, NEW)
        assert diff.text.startswith(f"--- a{tmp_path}/flink-conf.yaml\n")
        assert "apply its diff in /" in diff.notes[0]
    apply(diff, Path("/"))
    assert (tmp_path / "flink-conf.yaml").read_bytes() == NEW


def test_a_line_that_is_repeated_is_added_below_the_first_one_as_git_has_it() -> None:
    diff = diff_of("flink-conf.yaml", b"a: 1\nb: 2\n", b"a: 1\na: 1\nb: 2\n")
    assert diff.text.splitlines()[2:] == ["@@ -1,2 +1,3 @@", " a: 1", "+a: 1", " b: 2"]


def test_nothing_to_change_is_no_diff() -> None:
    assert diff_of("flink-conf.yaml", OLD, OLD) == Diff("", ())


# -- secrets


def lines_of(text: str, secret_at: int) -> bytes:
    lines = text.split("\n")
    lines.insert(secret_at, f"s3.secret-key: {SECRET}")
    return "\n".join(lines).encode()


@COMMANDS
@pytest.mark.parametrize("at", range(9))
def test_a_secret_next_to_a_change_is_left_out(at: int, command: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    before, after = lines_of(OLD.decode(), at), lines_of(NEW.decode(), at)
    bare = at == 4  # right below the change
    if bare and command[0] == "git":
        command = (*command, "--unidiff-zero")
    diff = assert_applies("flink-conf.yaml", before, after, tmp_path, *command)
    assert SECRET not in diff.text
    assert "secret-key" not in diff.text
    assert [("--unidiff-zero" in note) for note in diff.notes] == [True] * bare


def test_changes_on_both_sides_of_a_secret_are_hunks_of_their_own(tmp_path: Path) -> None:
    before = f"a.b: 1\nc: 2\npassword: {SECRET}\nd: 3\ne: 4\nf: 5\n".encode()
    after = before.replace(b"a.b: 1", b"a.b: 10").replace(b"e: 4", b"e: 40")
    diff = assert_applies("flink-conf.yaml", before, after, tmp_path)
    assert diff.text.count("@@ ") == 2
    assert SECRET not in diff.text


def test_a_changed_line_with_a_secret_is_masked_and_cannot_be_applied(tmp_path: Path) -> None:
    before = f"a: 1\nfs.s3a.secret-key: {SECRET}\nb: 2\n".encode()
    diff = diff_of("flink-conf.yaml", before, before.replace(b"fs.s3a", b"s3"))
    assert diff.notes == ("the diff cannot be applied, as it hides a secret; use --fix",)
    assert SECRET not in diff.text
    assert "# -fs.s3a.secret-key: ******\n# +s3.secret-key: ******\n" in diff.text
    other = assert_applies("conf/flink-conf.yaml", OLD, NEW, tmp_path)
    (tmp_path / "flink-conf.yaml").write_bytes(before)
    (tmp_path / "conf/flink-conf.yaml").write_bytes(OLD)
    apply(Diff(diff.text + other.text + diff.text, ()), tmp_path)  # the others of a run still apply
    assert (tmp_path / "flink-conf.yaml").read_bytes() == before
    assert (tmp_path / "conf/flink-conf.yaml").read_bytes() == NEW


def test_a_secret_that_is_none_any_more_stays_hidden() -> None:
    before = f"a: 1\ns3.secret-key: {SECRET}\n".encode()
    diff = diff_of("flink-conf.yaml", before, f"a: 1\ns3.some-thing: {SECRET}\n".encode())
    assert SECRET not in diff.text
    assert diff.text.endswith("# +s3.some-thing: ******\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a: 1\nb: \x1b[2J\nc: 3\n", b"a: 1\nc: 3\n"),
        (b"a: 1\nc: 3\n", b"a: 1\nb: \x1b[2J\nc: 3\n"),
        (b"a: 1\nb: \x1b[2J", b"a: 1\n"),
    ],
)
def test_a_line_with_control_characters_is_shown_without_them(before: bytes, after: bytes) -> None:
    diff = diff_of("flink-conf.yaml", before, after)
    assert "\x1b" not in diff.text
    assert any("a changed line has control characters" in note for note in diff.notes)
    assert all(line[:1] in "-+ @#\\" for line in diff.text.splitlines())


def test_a_file_of_another_encoding_is_shown_and_not_applied() -> None:
    before, after = (b"\xff\xfe" + data.decode().encode("utf-16-le") for data in (OLD, NEW))
    diff = diff_of("config.yaml", before, after)
    assert "# -akka.framesize: 5b\n" in diff.text
    assert diff.notes == ("the diff cannot be applied, as the file is not UTF-8; use --fix",)


LINE = st.sampled_from(
    ["a: 1", "b: 2", "c: 3", "", "# x", f"s3.secret-key: {SECRET}", "rest.port: 1", "d: é", "e: \udcff"]
)
ENDS = st.sampled_from(["", "\n"])


@settings(max_examples=150)
@given(st.lists(LINE, min_size=1, max_size=14), st.data(), ENDS, ENDS, st.sampled_from(["\n", "\r\n"]))
@pytest.mark.slow
def test_any_diff_applies_or_says_why_not(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], data: st.DataObject, end: str, ends: str, line_end: str
) -> None:
    changed = list(lines)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(changed)))
        length = data.draw(st.integers(0, 2))
        changed[at : at + length] = data.draw(st.lists(st.sampled_from(["new: 1", "f: 2"]), max_size=2))
    before, after = (
        (line_end.join(some) + last).encode("utf-8", "surrogateescape")
        for some, last in ((lines, end), (changed, ends))
    )
    diff = diff_of("flink-conf.yaml", before, after)
    assert SECRET not in diff.text
    assert bool(diff.text) == (before != after)
    if diff.text and before and not any("cannot" in note for note in diff.notes):
        assert_applies("flink-conf.yaml", before, after, tmp_path_factory.mktemp("diff"))


# -- what the rules offer


def assert_all_apply(results: list[Fixed], folder: Path) -> int:
    """Apply the diffs of all files that can be shown at once and return their number."""
    text = ""
    notes: tuple[str, ...] = ()
    wanted: dict[str, bytes] = {}
    for fixed in results:
        diff = unified_diff(fixed.before, fixed.after)
        text += diff.text
        notes += diff.notes
        applies = not any("cannot be applied" in note for note in diff.notes)
        wanted[fixed.before.path] = fixed.after.data if applies else fixed.before.data
    apply(Diff(text, notes), folder)
    for path, data in wanted.items():
        assert Path(path).read_bytes() == data, path
    return sum(fixed.changed for fixed in results)


@pytest.mark.slow
def test_the_diffs_of_all_cases_of_rules_apply_as_the_fixes_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    results: list[Fixed] = []
    for number, (rule, case) in enumerate(all_cases()):
        if not case.bad:
            continue
        folder = tmp_path / str(number)
        path = place(case, case.text, str(folder))
        found = [one for one in find([path]) if isinstance(one, Source)]
        results += fix(found, options_of(rule, case, folder), unsafe=True)
    assert assert_all_apply(results, tmp_path) > 250


@pytest.mark.parametrize("version", mostly_slow([None, "1.20", "2.1"], every=3))
@pytest.mark.slow
def test_the_diffs_of_whole_projects_apply_as_the_fixes_write(
    version: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("examples", "tests/corpus", "tests/fixtures"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    found = [one for one in find(["."]) if isinstance(one, Source)]
    assert assert_all_apply(fix(found, Options(flink_version=version), unsafe=True), tmp_path) >= 5


def test_the_lines_of_a_hidden_block_stay_lines() -> None:
    old = f"s3.secret-key: |\n  {SECRET}\n  91bc-aaaa\nrest.port: 1\n".encode()
    diff = diff_of("config.yaml", old, b"rest.port: 1\n")
    removed = [line for line in diff.text.splitlines() if line.startswith("# -") and "---" not in line]
    assert removed == ["# -s3.secret-key: ******", "# -******", "# -******"]
    assert "No newline" not in diff.text
    assert SECRET not in diff.text
