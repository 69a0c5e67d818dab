"""The hooks this repository offers, run by pre-commit as another repository would run them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

BAD = "blob.storage.directory: /tmp/flink/blobs\n"
STALE_COMMENT = "parallelism.default: 2  # flint: ignore[no-such-rule]\n"
OTHER_YAML = "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n"


class Repository:
    """A scratch git repository, with an environment that nothing of the user's reaches."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        # GIT_DIR and the like are set when the tests themselves run inside a hook.
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_DIR", "GIT_INDEX"))}
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "A. Tester"), ("EMAIL", "tester@example.org"))
        }
        self.environment = {
            **clean, **identity,
            "GIT_CONFIG_GLOBAL": os.devnull, "PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never", "NO_COLOR": "1",
        }  # fmt: skip

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def commit(self) -> None:
        for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "files")):
            done = self.run("git", *command)
            assert done.returncode == 0, done.stderr


@pytest.fixture
def flint(tmp_path: Path) -> Repository:
    """This repository as it stands, what is not committed yet included."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    copy = Repository(tmp_path / "flint", tmp_path / "pre-commit")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy.folder / name)
    copy.commit()
    return copy


@pytest.fixture
def cluster(tmp_path: Path) -> Repository:
    """The repository whose Flink configuration is to be checked."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    return Repository(folder, tmp_path / "pre-commit")


def try_hook(hook: str, flint: Repository, cluster: Repository) -> subprocess.CompletedProcess[str]:
    cluster.commit()
    command = (sys.executable, "-m", "pre_commit", "try-repo", str(flint.folder), hook, "--all-files", "--verbose")
    return cluster.run(*command)


def test_flint_fails_on_a_bad_file(flint: Repository, cluster: Repository) -> None:
    cluster.write({"conf/flink-conf.yaml": BAD, ".github/workflows/build.yml": OTHER_YAML})
    done = try_hook("flint", flint, cluster)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FLK101" in done.stdout
    assert "conf/flink-conf.yaml:1:25" in done.stdout
    assert "build.yml" not in done.stdout


def test_flint_all_passes_on_sound_files(flint: Repository, cluster: Repository) -> None:
    sound = ROOT / "examples" / "sound"
    names = ("flint.toml", "conf/config.yaml")
    cluster.write({name: (sound / name).read_text(encoding="utf-8") for name in names})
    cluster.write({"compose.yaml": OTHER_YAML})
    done = try_hook("flint-all", flint, cluster)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 file" in done.stdout


def test_flint_fix_mends_a_file(flint: Repository, cluster: Repository) -> None:
    cluster.write({"flink-conf.yaml": STALE_COMMENT, "other.yaml": OTHER_YAML})
    done = try_hook("flint-fix", flint, cluster)
    # pre-commit fails a hook that changed a file, so that the change is looked at before it is committed.
    assert done.returncode == 1, done.stdout + done.stderr
    assert "files were modified by this hook" in done.stdout
    assert (cluster.folder / "flink-conf.yaml").read_text(encoding="utf-8") == "parallelism.default: 2\n"
    assert (cluster.folder / "other.yaml").read_text(encoding="utf-8") == OTHER_YAML
