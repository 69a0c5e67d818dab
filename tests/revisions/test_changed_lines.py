"""`--diff-base` in real repositories: which lines changed, and which findings a change caused."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.revisions.base_revision import older_tree, write_blobs
from flink_flint.linter.revisions.changed_lines import Change, ChangesUnknown, Hunk, changes_since, read_patch
from tests.conftest import Flint

WHO = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}

Git = Callable[..., str]

BLOB = "blob.storage.directory: /tmp/blobs\n"  # FLK101
SECRET = "s3.secret-key: hunter2hunter2\n"  # FLK945
SOUND = "".join(f"taskmanager.network.{name}: 1\n" for name in ("retries", "max-num-tcp-connections"))


def git_in(folder: Path) -> Git:
    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, env={**os.environ, **WHO}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return git


def repository(folder: Path) -> Git:
    folder.mkdir(parents=True, exist_ok=True)
    git = git_in(folder)
    git("init", "-q", "-b", "main")
    return git


def commit(git: Git, message: str = "change") -> None:
    git("add", "-A")
    git("commit", "-q", "-m", message)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """A repository whose main branch has one file with one finding, and a branch of it."""
    git = repository(tmp_path)
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND)
    commit(git)
    git("checkout", "-q", "-b", "topic")
    return git


def reported(flint: Flint, *arguments: str | Path, cwd: Path | None = None, base: str = "main") -> list[str]:
    """Return the reported findings as path:line code."""
    result = flint("check", *arguments, "--diff-base", base, "--output-format", "json", cwd=cwd, **WHO)
    assert result.returncode in (0, 1), result.stderr
    assert "warning" not in result.stderr
    findings = json.loads(result.stdout)["findings"]
    return [f"{one['path']}:{one['start']['line']} {one['code']}" for one in findings]


# -- the command


@pytest.mark.slow
def test_only_what_touches_changed_lines_is_reported(flint: Flint, tmp_path: Path, git: Git) -> None:
    path = tmp_path / "conf/flink-conf.yaml"
    assert reported(flint) == []
    write(path, BLOB + SOUND + SECRET)
    assert reported(flint) == ["conf/flink-conf.yaml:4 FLK945"], "in the working tree"
    git("add", "-A")
    assert reported(flint) == ["conf/flink-conf.yaml:4 FLK945"], "in the index"
    commit(git)
    assert reported(flint) == ["conf/flink-conf.yaml:4 FLK945"], "in a commit"
    write(path, BLOB.replace("blobs", "other") + SOUND + SECRET)
    assert reported(flint) == ["conf/flink-conf.yaml:1 FLK101", "conf/flink-conf.yaml:4 FLK945"], "an old one, touched"
    result = flint("check", "--diff-base", "main", **WHO)
    assert result.returncode == 1
    assert "other finding" not in result.stderr


def test_what_the_other_branch_did_meanwhile_is_not_the_change(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND + SECRET)
    commit(git)
    git("checkout", "-q", "main")
    write(tmp_path / "conf/flink-conf.yaml", "rest.port: 8081\n" + SOUND)
    commit(git)
    git("checkout", "-q", "topic")
    assert reported(flint) == ["conf/flink-conf.yaml:4 FLK945"]


def test_new_files_are_changed_throughout_tracked_or_not(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "two/flink-conf.yaml", SECRET)
    assert reported(flint) == ["two/flink-conf.yaml:1 FLK945"]
    git("add", "--intent-to-add", "two")
    assert reported(flint) == ["two/flink-conf.yaml:1 FLK945"]
    commit(git)
    assert reported(flint) == ["two/flink-conf.yaml:1 FLK945"]


@pytest.mark.slow
def test_paths_are_the_users_whatever_the_folder(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND + SECRET)
    write(tmp_path / "other/rest/flink-conf.yaml", SECRET)
    assert reported(flint, cwd=tmp_path / "conf") == ["flink-conf.yaml:4 FLK945"]
    assert reported(flint, "..", cwd=tmp_path / "conf") == [
        "../conf/flink-conf.yaml:4 FLK945",
        "../other/rest/flink-conf.yaml:1 FLK945",
    ]
    assert reported(flint, tmp_path / "conf", cwd=Path("/")) == [f"{tmp_path}/conf/flink-conf.yaml:4 FLK945"]
    assert reported(flint, "flink-conf.yaml", cwd=tmp_path / "conf") == ["flink-conf.yaml:4 FLK945"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ['with space and "quotes"', "tab\there", "ünïcode", "-dash", "a\\b", "new\nline", "[x]*"]
)
def test_names_of_any_kind(flint: Flint, tmp_path: Path, git: Git, name: str) -> None:
    path = write(tmp_path / name / "flink-conf.yaml", BLOB + SOUND)
    commit(git)
    git("branch", "-f", "main")
    write(path, BLOB + SOUND + SECRET)
    assert reported(flint) == [f"{name}/flink-conf.yaml:4 FLK945"]


@pytest.mark.slow
def test_a_renamed_file_is_compared_with_what_it_was(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND * 3 + "# more\n" * 20)
    commit(git)
    git("branch", "-f", "main")
    git("mv", "conf", "deploy")
    write(tmp_path / "deploy/flink-conf.yaml", BLOB + SOUND * 3 + "# more\n" * 20 + SECRET)
    assert reported(flint) == ["deploy/flink-conf.yaml:28 FLK945"]
    assert reported(flint, "deploy") == ["deploy/flink-conf.yaml:28 FLK945"]
    assert reported(flint, "deploy/flink-conf.yaml") == ["deploy/flink-conf.yaml:28 FLK945"]


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_a_missing_last_one_shift_nothing(flint: Flint, tmp_path: Path, git: Git, end: str) -> None:
    path = tmp_path / "conf/flink-conf.yaml"

    def lines(*texts: str) -> str:
        return end.join(text.rstrip("\n") for text in texts)

    write(path, lines(BLOB, "rest.port: 1", "rest.port: 2", SECRET))
    commit(git)
    git("branch", "-f", "main")
    write(path, lines("# one", "# two", BLOB, "rest.port: 1", SECRET))
    assert reported(flint, "--select", "FLK101,FLK945") == []
    write(path, lines(BLOB, "rest.port: 1", "rest.port: 2", SECRET, "rest.port: 3"))
    # The last line got a line end, which git counts as a change of it.
    assert reported(flint, "--select", "FLK101,FLK945") == ["conf/flink-conf.yaml:4 FLK945"]
    write(path, lines(BLOB, "rest.port: 1", "rest.port: 2", SECRET, ""))
    assert reported(flint, "--select", "FLK101,FLK945") == ["conf/flink-conf.yaml:4 FLK945"]


def test_git_settings_of_the_user_change_nothing(flint: Flint, tmp_path: Path, git: Git) -> None:
    for name, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.context": "9",
        "diff.interHunkContext": "9",
        "diff.renames": "false",
        "diff.external": "false",
        "color.ui": "always",
        "core.pager": "false",
        "diff.relative": "true",
        "diff.algorithm": "histogram",
    }.items():
        git("config", name, value)
    write(tmp_path / ".gitattributes", "*.yaml -diff\n")
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND + SECRET)
    assert reported(flint, cwd=tmp_path / "conf") == ["flink-conf.yaml:4 FLK945"]


def test_a_copy_of_a_file_is_new_throughout(flint: Flint, tmp_path: Path, git: Git) -> None:
    git("config", "diff.renames", "copies")
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND + "rest.port: 8081\n")
    write(tmp_path / "copy/flink-conf.yaml", BLOB + SOUND)
    git("add", "-A")
    assert reported(flint) == ["copy/flink-conf.yaml:1 FLK101"]


def test_a_hook_of_a_linked_working_tree_compares_what_any_run_there_does(
    flint: Flint, tmp_path: Path, git: Git
) -> None:
    linked = tmp_path / "linked"
    git("worktree", "add", "-q", "--detach", str(linked), "main")
    write(linked / "conf/flink-conf.yaml", BLOB + SOUND + SECRET)
    # So git calls the hook: with the repository alone, at the top of the working tree.
    folder = str(git_in(linked)("rev-parse", "--absolute-git-dir")).strip()
    words = ("check", "conf", "--diff-base", "main", "--output-format", "concise")
    for spelled in (folder, os.path.relpath(folder, linked)):
        result = flint(*words, cwd=linked, GIT_DIR=spelled, **WHO)
        assert "FLK945" in result.stdout
        assert "FLK101" not in result.stdout


def test_the_repository_is_found_whichever_path_is_named_first(flint: Flint, tmp_path: Path, git: Git) -> None:
    inside = tmp_path / "inside"
    git("clone", "-q", "--branch", "main", str(tmp_path), str(inside))
    write(inside / "conf/flink-conf.yaml", BLOB + SOUND + SECRET)
    (tmp_path / ".git").rename(tmp_path / "no-repository")
    outside = write(tmp_path / "outside/flink-conf.yaml", BLOB)
    for named in ((outside, inside), (inside, outside)):
        found = {line.removeprefix(f"{tmp_path}/") for line in reported(flint, *named)}
        assert found == {"inside/conf/flink-conf.yaml:4 FLK945", "outside/flink-conf.yaml:1 FLK101"}


def test_binary_files_submodules_links_and_modes_do_no_harm(flint: Flint, tmp_path: Path, git: Git) -> None:
    inner = repository(tmp_path / "inner")
    write(tmp_path / "inner/flink-conf.yaml", SECRET)
    commit(inner)
    (tmp_path / "jar.bin").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "linked.yaml").symlink_to("conf/flink-conf.yaml")
    commit(git)
    git("branch", "-f", "main")
    (tmp_path / "jar.bin").write_bytes(bytes(range(255, -1, -1)) * 10)
    (tmp_path / "conf/flink-conf.yaml").chmod(0o755)
    (tmp_path / "linked.yaml").unlink()
    (tmp_path / "linked.yaml").symlink_to("jar.bin")
    assert reported(flint) == [], "the submodule is what it was"
    write(tmp_path / "inner/flink-conf.yaml", SECRET + "rest.port: 1\n")
    commit(inner)
    assert reported(flint, "--select", "FLK945") == ["inner/flink-conf.yaml:1 FLK945"]


@pytest.mark.slow
def test_a_submodule_within_a_submodule_is_unchanged_where_both_are(flint: Flint, tmp_path: Path, git: Git) -> None:
    innermost = tmp_path / "outer/inner"
    for folder in (innermost, innermost.parent):
        inner = repository(folder)
        write(folder / "flink-conf.yaml", SECRET)
        commit(inner)
    commit(git)
    git("branch", "-f", "main")
    assert reported(flint, "--select", "FLK945") == []
    write(innermost / "flink-conf.yaml", SECRET + "rest.port: 8081\n")
    assert reported(flint, "--select", "FLK945") == ["outer/inner/flink-conf.yaml:1 FLK945"]


def test_a_file_that_a_submodule_does_not_track_is_new(flint: Flint, tmp_path: Path, git: Git) -> None:
    inner = repository(tmp_path / "inner")
    write(tmp_path / "inner/flink-conf.yaml", SECRET)
    commit(inner)
    commit(git)
    git("branch", "-f", "main")
    write(tmp_path / "inner/more/flink-conf.yaml", SECRET)
    assert reported(flint, "--select", "FLK945") == ["inner/more/flink-conf.yaml:1 FLK945"]


HA = "high-availability.type: zookeeper\nhigh-availability.zookeeper.quorum: zk.example.org:2181\n"


def cluster(storage: str, identifier: str) -> str:
    return HA + f"high-availability.storageDir: s3://{storage}/ha\nhigh-availability.cluster-id: /{identifier}\n"


@pytest.mark.slow
def test_a_project_finding_that_the_change_caused_is_reported_where_it_stands(
    flint: Flint, tmp_path: Path, git: Git
) -> None:
    write(tmp_path / "a/flink-conf.yaml", cluster("one", "first"))
    other = write(tmp_path / "b/flink-conf.yaml", cluster("two", "second"))
    commit(git)
    git("branch", "-f", "main")
    assert reported(flint, "--select", "FLK411") == []
    write(other, cluster("two", "first"))
    caused = reported(flint, "--select", "FLK411")
    assert caused
    assert caused == reported(flint, "--select", "FLK411", "-j", "2")
    commit(git)
    git("branch", "-f", "main")
    write(other, cluster("two", "first") + "rest.port: 8082\n")
    assert reported(flint, "--select", "FLK411") == [], "it was there before this change"


def test_a_new_file_that_git_does_not_know_yet_may_be_the_cause(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "conf/config.yaml", "taskmanager:\n  numberOfTaskSlots: 2\n")
    git("rm", "-q", "--cached", "conf/flink-conf.yaml")
    (tmp_path / "conf/flink-conf.yaml").unlink()
    commit(git)
    git("branch", "-f", "main")
    assert reported(flint, "--select", "FLK017") == []
    write(tmp_path / "conf/flink-conf.yaml", "rest.port: 8082\n")
    assert reported(flint, "--select", "FLK017") == ["conf/config.yaml:2 FLK017"]


def test_a_folder_that_is_named_by_a_link_is_the_folder_it_leads_to(flint: Flint, tmp_path: Path, git: Git) -> None:
    (tmp_path / "link").symlink_to("conf")
    commit(git)
    git("branch", "-f", "main")
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND + SECRET)
    assert reported(flint, "link") == ["link/flink-conf.yaml:4 FLK945"]


def test_a_path_that_is_not_there_is_reported_as_ever(flint: Flint, tmp_path: Path, git: Git) -> None:
    result = flint("check", "no/such/file.yaml", "conf", "--diff-base", "main", **WHO)
    assert result.returncode == 2
    assert "no/such/file.yaml: no such file or folder" in result.stderr
    assert "All findings are reported" not in result.stderr


def test_excluded_files_are_excluded_before_the_change_too(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "attic/config.yaml", "taskmanager:\n  numberOfTaskSlots: 2\n")
    commit(git)
    git("branch", "-f", "main")
    git("mv", "attic/config.yaml", "conf/config.yaml")
    options = ("--select", "FLK017", "--exclude", "/attic")
    assert reported(flint, *options) == ["conf/config.yaml:2 FLK017"]


def test_a_finding_that_a_removed_line_brought_about_is_reported(flint: Flint, tmp_path: Path, git: Git) -> None:
    path = tmp_path / "conf/flink-conf.yaml"
    text = "state.backend.type: rocksdb\nexecution.checkpointing.interval: 1 min\n"
    write(path, text + "execution.checkpointing.dir: s3://b/c\n")
    commit(git)
    git("branch", "-f", "main")
    write(path, text)
    assert any("FLK313" in one for one in reported(flint, "--flink-version", "1.20"))
    commit(git)
    git("branch", "-f", "main")
    write(path, "# a comment\n" + text)
    assert reported(flint, "--flink-version", "1.20") == []


@pytest.mark.slow
def test_the_base_is_judged_by_its_own_flint_config_and_companions(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", 'ignore = ["FLK101"]\n')
    commit(git)
    git("branch", "-f", "main")
    write(tmp_path / "flint.toml", "ignore = []\n")
    assert reported(flint) == ["conf/flink-conf.yaml:1 FLK101"], "this change asked for it"
    assert reported(flint, "--flint-config", "flint.toml") == ["conf/flink-conf.yaml:1 FLK101"]
    commit(git)
    git("branch", "-f", "main")
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND + "rest.port: 8082\n")
    assert reported(flint) == []
    assert reported(flint, "--flint-config", "flint.toml") == []


RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: {name}
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    blob.storage.directory: /tmp/blobs
"""


def test_a_renamed_object_does_not_make_its_old_findings_new(flint: Flint, tmp_path: Path, git: Git) -> None:
    path = write(tmp_path / "jobs.yaml", RESOURCE.format(name="one"))
    commit(git)
    git("branch", "-f", "main")
    write(path, RESOURCE.format(name="first"))
    assert [one for one in reported(flint) if "FLK101" in one] == []
    write(path, RESOURCE.format(name="first") + "---\n" + RESOURCE.format(name="second"))
    assert len([one for one in reported(flint) if "FLK101" in one]) == 1


def test_a_baseline_hides_first_and_the_change_second(flint: Flint, tmp_path: Path, git: Git) -> None:
    flint("check", "--write-baseline")
    commit(git)
    git("branch", "-f", "main")
    write(tmp_path / "conf/flink-conf.yaml", BLOB.replace("blobs", "b") + SOUND + SECRET)
    assert reported(flint, "--baseline", "flint-baseline.json") == ["conf/flink-conf.yaml:4 FLK945"]


# -- what git cannot tell


def failing(flint: Flint, folder: Path, base: str, **environment: str) -> str:
    """Return the warning of a run whose changes are unknown, and that reports everything."""
    result = flint("check", ".", "--diff-base", base, "--output-format", "concise", cwd=folder, **WHO, **environment)
    assert result.returncode == 1
    assert "FLK101" in result.stdout
    assert "All findings are reported" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    return result.stderr


def test_an_unknown_revision_is_reported_with_the_way_out(flint: Flint, tmp_path: Path, git: Git) -> None:
    said = failing(flint, tmp_path, "origin/main")
    assert "Not a valid object name origin/main" in said
    assert "fetch-depth: 0" in said


def test_a_shallow_clone_is_reported(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "conf/flink-conf.yaml", BLOB + SOUND + SECRET)
    commit(git)
    git("checkout", "-q", "main")
    write(tmp_path / "more.txt", "x")
    commit(git)
    git_in(tmp_path.parent)("clone", "-q", "--depth", "1", "--no-single-branch", tmp_path.as_uri(), "shallow-clone")
    clone = tmp_path.parent / "shallow-clone"
    try:
        git_in(clone)("checkout", "-q", "topic")
        said = failing(flint, clone, "origin/main")
    finally:
        shutil.rmtree(clone)
    assert "no common commit in this shallow clone" in said
    assert "fetch-depth: 0" in said


def test_no_repository_no_commit_and_no_git_are_reported(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path / "flink-conf.yaml", BLOB)
    assert "not a git repository" in failing(flint, tmp_path, "main", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    repository(tmp_path)
    assert "Not a valid object name" in failing(flint, tmp_path, "main")
    assert "git is not installed" in failing(flint, tmp_path, "main", PATH="")


@pytest.mark.parametrize("revision", ["--output=pwned", "-x", "", " "])
def test_what_can_be_no_revision_is_refused(flint: Flint, tmp_path: Path, git: Git, revision: str) -> None:
    result = flint("check", f"--diff-base={revision}", **WHO)
    assert result.returncode == 2
    assert "is not a revision" in result.stderr
    assert not (tmp_path / "pwned").exists()


def test_flint_config_of_the_base_that_nobody_can_use_keep_everything(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", "selekt = 1\n")
    commit(git)
    git("branch", "-f", "main")
    write(tmp_path / "flint.toml", "")
    said = failing(flint, tmp_path, "main")
    assert "flint.toml:1: unknown key 'selekt'" in said
    assert "/tmp/" not in said.replace(str(tmp_path), "")


def test_nothing_of_the_base_is_written_next_to_its_own_folder(tmp_path: Path, git: Git) -> None:
    changes = changes_since("main", str(tmp_path), ())
    blob = changes.blobs["conf/flink-conf.yaml"]
    with older_tree() as folder:
        outside = f"../{os.path.basename(folder)}-outside"
        write_blobs(folder, changes, [blob, blob._replace(path=outside), blob._replace(path=f"conf/../{outside}")])
        assert Path(folder, blob.path).read_text() == BLOB + SOUND
        assert not os.path.lexists(os.path.join(folder, outside))
    assert not os.path.lexists(folder)


def test_the_repository_is_left_as_it_was(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "conf/flink-conf.yaml", "# new\n" + BLOB + SOUND)
    before = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    reported(flint)
    assert {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()} == before


# -- the lines


def test_the_header_lines_of_a_patch_are_not_looked_for_in_its_text() -> None:
    patch = (
        b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-@@ -9 +9 @@\n+++ b/y\n+diff --git a/z b/z\n"
        b"\\ No newline at end of file\n@@ -5,0 +6 @@\n+a\n"
        b'diff --git "a/q\\"" "b/q\\""\n--- "a/q\\""\n+++ "b/\\303\\244\\t\\""\n@@ -1 +1,0 @@\n-a\n'
    )
    assert read_patch(patch) == {"x": [Hunk(1, 2, 1, 2), Hunk(5, 0, 6, 1)], 'ä\t"': [Hunk(1, 1, 1, 0)]}


def test_a_patch_that_removes_a_file_has_hunks_of_the_other_files_only() -> None:
    patch = (
        b"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
        b"diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"
    )
    assert read_patch(patch) == {"y": [Hunk(1, 1, 1, 1)]}


def test_links_lead_where_they_did_in_the_base(tmp_path: Path, git: Git) -> None:
    link = tmp_path / "link"
    link.symlink_to("conf")
    commit(git)
    git("branch", "-f", "main")
    assert changes_since("main", str(tmp_path), ()).inside(str(link / "flink-conf.yaml")) == "conf/flink-conf.yaml"
    link.unlink()
    link.symlink_to("other")
    changes = changes_since("main", str(tmp_path), ())
    assert changes.paths.links == {"link": "conf"}
    assert changes.inside(str(link / "flink-conf.yaml")) == "conf/flink-conf.yaml"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Git]:
    folder = tmp_path_factory.mktemp("scratch")
    return folder, repository(folder)


_WORDS = ["a", "b", "c", "", "+++ b/f", "--- a/f", "@@ -1 +1 @@", "\r", "x\r", "\f"]
_LINES = st.lists(st.sampled_from(_WORDS), max_size=12)


@settings(max_examples=40)
@given(old=_LINES, new=_LINES, ended=st.tuples(st.booleans(), st.booleans()))
@pytest.mark.slow
def test_the_lines_that_did_not_change_are_those_of_the_old_file(
    scratch: tuple[Path, Git], old: list[str], new: list[str], ended: tuple[bool, bool]
) -> None:
    folder, git = scratch
    before, after = ("\n".join(lines) + "\n" * end for lines, end in zip((old, new), ended, strict=True))
    path = write(folder / "f.yaml", before)
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", "x")
    write(path, after)
    change = changes_since("HEAD", str(folder), [str(path)]).of(str(path))
    assert not change.whole
    was, now = (text.splitlines(keepends=True) if "\r" not in text and "\f" not in text else _split(text)
                for text in (before, after))  # fmt: skip
    kept = {line: change.old_line(line) for line in range(1, len(now) + 1) if not change.touches(line, line)}
    assert None not in kept.values()
    assert [now[line - 1] for line in kept] == [was[place - 1] for place in kept.values() if place is not None]
    places = list(kept.values())
    assert places == sorted(set(places), key=lambda place: place or 0), "in order, each once"
    assert len(now) - sum(hunk.new_count for hunk in change.hunks) == len(kept)
    assert len(was) - sum(hunk.old_count for hunk in change.hunks) == len(kept)


def _split(text: str) -> list[str]:
    return [line + "\n" for line in text.split("\n")[:-1]] + ([last] if (last := text.rpartition("\n")[2]) else [])


@pytest.mark.slow
@settings(max_examples=25)
@given(start=st.integers(0, 9), removed=st.integers(0, 4), added=st.integers(0, 4))
def test_one_changed_block_is_the_one_that_difflib_finds(
    scratch: tuple[Path, Git], start: int, removed: int, added: int
) -> None:
    folder, git = scratch
    old = [f"line {number}\n" for number in range(10)]
    new = [*old[:start], *(f"new {number}\n" for number in range(added)), *old[start + removed :]]
    path = write(folder / "g.yaml", "".join(old))
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", "x")
    write(path, "".join(new))
    change = changes_since("HEAD", str(folder), [str(path)]).of(str(path))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    touched = {
        line
        for tag, _, _, first, last in matcher.get_opcodes()
        if tag != "equal"
        for line in range(first + 1, last + 1)
    }
    assert {line for line in range(1, len(new) + 1) if change.touches(line, line)} == touched
    same = {
        first + offset + 1: place + offset + 1
        for place, first, size in matcher.get_matching_blocks()
        for offset in range(size)
    }
    assert {line: change.old_line(line) for line in same} == same


def test_a_span_of_lines_is_touched_where_one_of_them_is() -> None:
    change = Change("f", (Hunk(3, 0, 4, 2), Hunk(9, 2, 10, 0)))
    assert [change.touches(*lines) for lines in ((1, 3), (3, 4), (5, 9), (6, 9), (10, 11))] == [
        False, True, True, False, False,
    ]  # fmt: skip
    assert [change.old_line(line) for line in (3, 4, 5, 6, 10, 11)] == [3, None, None, 4, 8, 11]


def test_a_folder_outside_of_a_repository_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(ChangesUnknown, match="not a git repository"):
        changes_since("main", str(tmp_path), [])


MAXIMUM = "pipeline.max-parallelism: {}\n"  # FLK623


def output(flint: Flint, *arguments: str) -> list[str]:
    run = flint("check", ".", "--diff-base", "main", "--output-format", "concise", *arguments)
    return [line for line in run.stdout.splitlines() if line[:1] != "F" and "FLK" in line]


def test_a_rule_compares_a_document_with_what_it_was(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "config.yaml", MAXIMUM.format(360))
    commit(git)
    git("branch", "-f", "main")
    assert output(flint, "--select", "FLK623") == []
    write(tmp_path / "config.yaml", "rest.port: 8081\n" + MAXIMUM.format(720))
    (finding,) = output(flint, "--select", "FLK623")
    assert finding.startswith("config.yaml:2:27: ")
    assert "was 360 and becomes 720" in finding
    run = flint("check", ".", "--select", "FLK623")
    assert run.returncode == 0  # without a revision there is nothing to compare


def test_a_renamed_document_is_compared_with_the_one_it_was(flint: Flint, tmp_path: Path, git: Git) -> None:
    padding = "".join(f"# line {number}\n" for number in range(20))
    write(tmp_path / "old" / "config.yaml", padding + MAXIMUM.format(360))
    commit(git)
    git("branch", "-f", "main")
    (tmp_path / "old").rename(tmp_path / "new")
    write(tmp_path / "new" / "config.yaml", padding + MAXIMUM.format(720))
    git("add", "-A")
    (finding,) = output(flint, "--select", "FLK623")
    assert finding.startswith("new/config.yaml:21:27: ")


def test_an_accepted_change_is_no_finding_and_later_no_stale_comment(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "config.yaml", MAXIMUM.format(360))
    commit(git)
    git("branch", "-f", "main")
    write(tmp_path / "config.yaml", MAXIMUM.format("720  # flint: ignore[FLK623] the state was written anew"))
    chosen = ("--select", "FLK623,unused-suppression")
    (line,) = output(flint, *chosen)
    assert line.startswith("newly suppressed: config.yaml:1: error[FLK623]")
    commit(git)
    run = flint("check", ".", *chosen)
    assert run.returncode == 0, run.stdout
