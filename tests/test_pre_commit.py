"""The hooks of this repository, run by pre-commit as another repository would run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from flink_flint.linter import formats

ROOT = Path(__file__).resolve().parent.parent

BAD = "akka.framesize: 10mb\nparallelism.default: 2\n"
"""Flink refuses the first line."""
FIXED = "akka.framesize: 10485760b\nparallelism.default: 2\n"
NOT_FIXED = "blob.storage.directory: /tmp/flink/blobs\n"
"""A hazard that only a person can fix."""
ADVICE = "execution.checkpointing.timeout: 10 min\n"
"""A timeout without checkpoints: info, below the level that fails."""
OTHER_YAML = "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n"


class Repository:
    """A scratch git repository, with an environment that is isolated from the user's configuration."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        folder.mkdir()
        # GIT_DIR and the like are set when the tests themselves run inside a hook.
        unwanted = ("GIT_DIR", "GIT_INDEX", "GIT_WORK_TREE", "GITHUB_", "FORCE_COLOR", "SKIP")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "A. Tester"), ("EMAIL", "tester@example.org"))
        }
        self.environment = {
            **clean, **identity,
            "GIT_CONFIG_GLOBAL": os.devnull, "PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never", "NO_COLOR": "1",
        }  # fmt: skip
        self.git("init", "-q")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )

    def git(self, *words: str) -> str:
        done = self.run("git", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def stage(self, files: dict[str, str]) -> None:
        self.write(files)
        self.git("add", "--", *files)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "files")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


class Cluster(Repository):
    """The repository whose Flink configuration is to be checked."""

    def __init__(self, folder: Path, flint: Repository) -> None:
        super().__init__(folder, Path(flint.environment["PRE_COMMIT_HOME"]))
        self._flint = flint
        self.write({"README.md": "# A cluster\n"})
        self.commit()

    def hook(self, hook: str, *options: str, **changed: Any) -> subprocess.CompletedProcess[str]:
        """Run a hook, configured as in a `.pre-commit-config.yaml`, on what is staged."""
        repository = {"repo": str(self._flint.folder), "rev": self._flint.git("rev-parse", "HEAD")}
        flint_config = {"repos": [{**repository, "hooks": [{"id": hook, **changed}]}]}
        # Beside the repository: pre-commit refuses one that is there and not staged.
        file = self.folder.parent / "pre-commit.yaml"
        file.write_text(yaml.safe_dump(flint_config), encoding="utf-8")
        return self.run(sys.executable, "-m", "pre_commit", "run", "--config", str(file), "--verbose", *options)

    def try_hook(self, hook: str) -> subprocess.CompletedProcess[str]:
        """Run a hook with `pre-commit try-repo` on what is staged; builds an environment for this run."""
        return self.run(sys.executable, "-m", "pre_commit", "try-repo", str(self._flint.folder), hook, "--verbose")


@pytest.fixture(scope="session")
def flint(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return this repository, including uncommitted changes; its environment is built once."""
    folder = tmp_path_factory.mktemp("hooks")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    copy = Repository(folder / "flint", folder / "pre-commit")
    for name in filter(None, listed.stdout.split("\0")):
        # The tests are not installed.
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
            (copy.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy.folder / name, follow_symlinks=False)
    copy.commit()
    return copy


@pytest.fixture
def cluster(tmp_path: Path, flint: Repository) -> Cluster:
    return Cluster(tmp_path / "cluster", flint)


def said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


@pytest.mark.slow
def test_what_is_staged_fails_until_it_is_fixed(cluster: Cluster) -> None:
    cluster.stage({"conf/flink-conf.yaml": BAD, ".github/workflows/build.yml": OTHER_YAML})
    failed = cluster.try_hook("flint")
    assert failed.returncode == 1, said(failed)
    assert "FLK385" in failed.stdout
    assert "conf/flink-conf.yaml:1:1" in failed.stdout
    assert "build.yml" not in failed.stdout

    # A hook that changed a file fails, so that the change is looked at before it is committed.
    fixed = cluster.hook("flint-fix")
    assert fixed.returncode == 1, said(fixed)
    assert "files were modified by this hook" in fixed.stdout
    assert cluster.read("conf/flink-conf.yaml") == FIXED
    assert cluster.read(".github/workflows/build.yml") == OTHER_YAML

    cluster.git("add", "-A")
    for passed in (cluster.hook("flint-fix"), cluster.try_hook("flint")):
        assert passed.returncode == 0, said(passed)
        assert "Passed" in passed.stdout


def test_flint_fix_itself_fails_when_it_fixed_something() -> None:
    """Also without pre-commit, which other hook runners do not use."""
    hooks = {hook["id"]: hook["entry"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert hooks == {
        "flint": "flint check --force-exclude",
        "flint-fix": "flint check --force-exclude --fix --exit-non-zero-on-fix",
        "flint-all": "flint check",
    }


@pytest.mark.parametrize("hook", ["flint", "flint-fix"])
def test_hooks_receive_the_files_of_every_format(hook: str) -> None:
    """A file whose name only starts with config.yaml or kustomization.yaml is left to `flint-all`."""
    hooks = {one["id"]: one for one in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    received = re.compile(hooks[hook]["files"])
    names = {f"{'name' * ending.startswith('.')}{ending}" for row in formats._TABLE for ending in row.endings}
    names |= {f"name{ending}" for ending in formats._TEMPLATES}
    assert {name for name in names if not received.search(name)} == set()
    listed = re.search(r"\\\.\(([^)]+)\)\$", hooks[hook]["files"])
    assert listed is not None
    endings = {one.strip() for one in re.sub(r"(\w+?)(\w)\?(\w*)", r"\1\2\3|\1\3", listed[1]).split("|")}
    assert {one for one in endings if not formats.is_candidate(f"name.{one}")} == set()


@pytest.mark.slow
def test_flint_fix_fails_on_what_it_cannot_mend(cluster: Cluster) -> None:
    cluster.stage({"flink-conf.yaml": NOT_FIXED})
    done = cluster.hook("flint-fix")
    assert done.returncode == 1, said(done)
    assert "FLK101" in done.stdout
    assert "files were modified" not in done.stdout
    assert cluster.read("flink-conf.yaml") == NOT_FIXED


@pytest.mark.slow
def test_what_is_not_staged_is_not_looked_at(cluster: Cluster) -> None:
    cluster.write({"flink-conf.yaml": BAD})
    cluster.commit()
    cluster.stage({"other/flink-conf.yaml": FIXED})
    done = cluster.hook("flint")
    assert done.returncode == 0, said(done)
    assert cluster.hook("flint", "--all-files").returncode == 1


@pytest.mark.slow
def test_files_that_are_not_flinks_pass(cluster: Cluster) -> None:
    cluster.stage({"build.yml": OTHER_YAML, "values.json": "{}\n", "run.sh": "echo hello\n", "app.py": "print(1)\n"})
    done = cluster.hook("flint")
    assert done.returncode == 0, said(done)
    assert "Passed" in done.stdout
    skipped = cluster.hook("flint", "--files", "README.md")
    assert "no files to check" in skipped.stdout


@pytest.mark.slow
def test_what_is_below_the_fail_level_passes_and_is_shown(cluster: Cluster) -> None:
    cluster.stage({"flink-conf.yaml": ADVICE})
    passed = cluster.hook("flint")
    assert passed.returncode == 0, said(passed)
    assert "FLK301" in passed.stdout
    assert cluster.hook("flint", args=["--fail-level=info", "--"]).returncode == 1


@pytest.mark.slow
def test_a_baseline_in_flint_toml_lets_old_findings_stand(cluster: Cluster) -> None:
    """A run on some files does not make the entries of other files stale."""
    entries = [
        {"path": f"{name}/flink-conf.yaml", "code": "FLK101", "rule": "blob-storage-in-tmp",
         "key": "blob.storage.directory", "ordinal": 0}
        for name in ("new", "old")
    ]  # fmt: skip
    cluster.stage(
        {
            "flint.toml": 'baseline = "flint-baseline.json"\n',
            "flint-baseline.json": json.dumps({"version": 1, "findings": entries}),
            "old/flink-conf.yaml": NOT_FIXED,
        }
    )
    passed = cluster.hook("flint")
    assert passed.returncode == 0, said(passed)
    assert "accepts 1 finding" in passed.stdout

    cluster.stage({"new/flink-conf.yaml": NOT_FIXED + BAD})
    failed = cluster.hook("flint")
    assert failed.returncode == 1, said(failed)
    assert "FLK385" in failed.stdout
    assert "FLK101" not in failed.stdout


PROGRAM = """\
package org.example;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000);
        env.execute("orders");
    }
}
"""


@pytest.mark.slow
def test_programs_are_read(cluster: Cluster) -> None:
    cluster.stage({"Orders.java": PROGRAM, "Other.java": "class Other {}\n"})
    done = cluster.hook("flint", verbose=True)
    assert done.returncode == 0, said(done)
    assert "1 file" in done.stdout
    assert "not read" not in done.stdout


@pytest.mark.slow
def test_excluded_files_are_passed_over_though_they_are_named(cluster: Cluster) -> None:
    cluster.stage({"flint.toml": 'exclude = ["legacy/"]\n', "legacy/flink-conf.yaml": BAD})
    done = cluster.hook("flint")
    assert done.returncode == 0, said(done)


@pytest.mark.slow
def test_names_with_blanks_and_signs_of_the_shell_are_only_names(cluster: Cluster) -> None:
    name = "our conf/$(touch pwned) 'x' --/flink-conf.yaml"
    cluster.stage({name: NOT_FIXED, "--fix/flink-conf.yaml": BAD})
    done = cluster.hook("flint")
    assert done.returncode == 1, said(done)
    assert f"{name}:1:25" in done.stdout
    assert "--fix/flink-conf.yaml:1:1" in done.stdout
    assert cluster.read("--fix/flink-conf.yaml") == BAD
    assert not list(cluster.folder.rglob("pwned"))


@pytest.mark.slow
def test_of_a_file_staged_in_part_the_staged_part_counts(cluster: Cluster) -> None:
    cluster.stage({"flink-conf.yaml": BAD})
    cluster.write({"flink-conf.yaml": FIXED})
    failed = cluster.hook("flint")
    assert failed.returncode == 1, said(failed)
    assert "FLK385" in failed.stdout
    assert cluster.read("flink-conf.yaml") == FIXED

    cluster.git("add", "-A")
    cluster.write({"flink-conf.yaml": BAD})
    passed = cluster.hook("flint")
    assert passed.returncode == 0, said(passed)
    assert cluster.read("flink-conf.yaml") == BAD


@pytest.mark.slow
def test_flint_fix_keeps_what_is_not_staged(cluster: Cluster) -> None:
    lines = "".join(f"containerized.master.env.NAME_{number}: value\n" for number in range(20))
    cluster.stage({"flink-conf.yaml": BAD + lines})
    cluster.write({"flink-conf.yaml": BAD + lines + "rest.port: 8082\n"})
    done = cluster.hook("flint-fix")
    assert done.returncode == 1, said(done)
    assert cluster.read("flink-conf.yaml") == FIXED + lines + "rest.port: 8082\n"


@pytest.mark.slow
def test_flint_all_looks_at_files_that_are_not_staged(cluster: Cluster) -> None:
    sound = ROOT / "examples" / "sound"
    cluster.write({name: (sound / name).read_text(encoding="utf-8") for name in ("flint.toml", "conf/config.yaml")})
    cluster.commit()
    cluster.stage({"compose.yaml": OTHER_YAML})
    passed = cluster.hook("flint-all")
    assert passed.returncode == 0, said(passed)
    assert "1 file" in passed.stdout

    cluster.write({"conf/flink-conf.yaml": FIXED})
    cluster.commit()
    failed = cluster.hook("flint-all")
    assert failed.returncode == 1, said(failed)
    assert "both-config-files" in failed.stdout
