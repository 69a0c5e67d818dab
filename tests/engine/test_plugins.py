"""Rule packages of users: enabled by name, judged, listed, explained, silenced; what clashes is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flink_flint.linter.config.flint_config import FlintConfigError
from flink_flint.linter.engine.plugins import plugin_rules
from tests.conftest import ROOT, Flint

PACKAGE = Path(__file__).parent / "acme_rules"
CONFIG = "execution.checkpointing.timeout: 5 s\n"


def installed(folder: Path, *, value: str = "acme_flint", name: str = "acme", distribution: str = "acme_flint") -> str:
    """Lay a package out as an installer does, with its entry point; return what goes onto the path."""
    site = folder / "site"
    if not (site / "acme_flint").exists():
        shutil.copytree(PACKAGE / "acme_flint", site / "acme_flint", ignore=shutil.ignore_patterns("__pycache__"))
    info = site / f"{distribution}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[flink_flint.rules]\n{name} = {value}\n", encoding="utf-8")
    return os.pathsep.join((str(ROOT), str(site)))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a configuration that enables the plugin and a file in which its rule reports."""
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "flint.toml").write_text('plugins = ["acme"]\n', encoding="utf-8")
    (folder / "config.yaml").write_text(CONFIG, encoding="utf-8")
    return folder


def codes(output: str) -> list[str]:
    return [finding["code"] for finding in json.loads(output)["findings"]]


def test_rules_of_an_enabled_package_run(flint: Flint, tree: Path, tmp_path: Path) -> None:
    path = installed(tmp_path)
    (tree / "other").mkdir()
    for folder in (tree, tree / "other"):
        (folder / "config.yaml").write_text(f"{CONFIG}execution.checkpointing.dir: s3://b/c\n", encoding="utf-8")
    done = flint("check", "--select", "acme", "--output-format", "json", cwd=tree, PYTHONPATH=path)
    assert (done.returncode, done.stderr) == (1, "")
    assert sorted(codes(done.stdout)) == ["ACME101", "ACME101", "ACME102"]
    assert {finding["family"] for finding in json.loads(done.stdout)["findings"]} == {"acme"}


def test_a_package_that_no_configuration_enables_is_not_imported(flint: Flint, tree: Path, tmp_path: Path) -> None:
    (tree / "flint.toml").write_text("", encoding="utf-8")
    path = installed(tmp_path, value="no_such_module")
    done = flint("check", "--exit-zero", "--output-format", "json", cwd=tree, PYTHONPATH=path)
    assert (done.returncode, "ACME101" in done.stdout) == (0, False), done.stderr


@pytest.mark.slow
def test_selectors_thresholds_and_suppressions_know_them(flint: Flint, tree: Path, tmp_path: Path) -> None:
    path = installed(tmp_path)

    def found(toml: str = "", text: str = CONFIG) -> list[str]:
        (tree / "flint.toml").write_text(f'plugins = ["acme"]\nselect = ["acme"]\n{toml}', encoding="utf-8")
        (tree / "config.yaml").write_text(text, encoding="utf-8")
        done = flint("check", "--output-format", "json", cwd=tree, PYTHONPATH=path)
        assert done.returncode in (0, 1), done.stderr
        return codes(done.stdout)

    assert found() == ["ACME101"]
    assert found('ignore = ["short-timeout"]\n') == []
    assert found("[thresholds.short-timeout]\nshortest = '4 s'\n") == []
    assert found(text=f"# flint: ignore[ACME101] on purpose\n{CONFIG}") == []


@pytest.mark.slow
def test_they_are_listed_explained_and_tried(flint: Flint, tree: Path, tmp_path: Path) -> None:
    path = installed(tmp_path)
    listed = json.loads(flint("rules", "--output-format", "json", cwd=tree, PYTHONPATH=path).stdout)["rules"]
    assert [(row["code"], row["family"]) for row in listed if row["code"].startswith("ACME")] == [
        ("ACME101", "acme"),
        ("ACME102", "acme"),
    ]
    assert "object store needs 20 s" in flint("explain", "short-timeout", cwd=tree, PYTHONPATH=path).stdout
    tried = flint("dev", "test", "acme", cwd=tree, PYTHONPATH=path)
    assert (tried.returncode, tried.stdout.count(": ok\n")) == (0, 4)
    assert "ACME102 shared-directory case bad-same-directory: ok\n" in tried.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ('plugins = ["nowhere"]', "plugin nowhere: no installed package registers it"),
        ('plugins = ["kafka"]', "the name is that of a family of flint's rules"),
        ('plugins = ["acme"]\n[[rule]]\ncode = "ACME101"\nseverity = "info"\noption = "a.b"\nset = true\nmessage = "x"',
         "ACME101 is a rule of own and of acme"),
    ],
)  # fmt: skip
def test_what_cannot_be_enabled_is_a_usage_error(
    toml: str, problem: str, flint: Flint, tree: Path, tmp_path: Path
) -> None:
    (tree / "flint.toml").write_text(toml, encoding="utf-8")
    done = flint("check", cwd=tree, PYTHONPATH=installed(tmp_path))
    assert done.returncode == 2
    assert problem in done.stderr
    assert "flint.toml:1" in done.stderr or "own and of" in problem


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("ACME101", "FLK101", "FLK101 is reserved for flint"),
        ("ACME101", "acme1", "'acme1' is not a rule code"),
        ("def cases", "import no_such_module\n\n\ndef cases", "ModuleNotFoundError"),
        ("def cases", "AGAIN = rule(code='ACME9', severity=Severity.INFO, since='1')(lambda view: [])\n\n\ndef cases",
         "declares 2 rules"),
    ],
)  # fmt: skip
def test_a_package_that_is_at_fault_is_named(
    old: str, new: str, problem: str, flint: Flint, tree: Path, tmp_path: Path
) -> None:
    path = installed(tmp_path)
    module = tmp_path / "site" / "acme_flint" / "short_timeout.py"
    module.write_text(module.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    done = flint("check", cwd=tree, PYTHONPATH=path)
    assert done.returncode == 2
    assert "plugin acme: " in done.stderr
    assert problem in done.stderr


def test_a_name_of_flints_rules_is_refused(flint: Flint, tree: Path, tmp_path: Path) -> None:
    path = installed(tmp_path)
    package = tmp_path / "site" / "acme_flint"
    (package / "short_timeout.py").rename(package / "blob_storage_in_tmp.py")
    done = flint("check", cwd=tree, PYTHONPATH=path)
    assert (done.returncode, "blob-storage-in-tmp is a rule of flint" in done.stderr) == (2, True)


def test_two_packages_of_one_name_are_refused(flint: Flint, tree: Path, tmp_path: Path) -> None:
    installed(tmp_path)
    done = flint("check", cwd=tree, PYTHONPATH=installed(tmp_path, value="elsewhere", distribution="other"))
    assert (done.returncode, "several packages register it" in done.stderr) == (2, True)


def test_a_package_without_rules_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, value="flint_plugin_without_rules", name="empty")
    (tmp_path / "site" / "flint_plugin_without_rules.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "site")
    with pytest.raises(FlintConfigError, match="plugin empty: it declares no rule"):
        plugin_rules("empty")


@pytest.mark.tools
def test_the_package_installs_and_runs(tree: Path, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, command)], cwd=tree, env=environment, capture_output=True, text=True, check=False
        )

    assert run(sys.executable, "-m", "venv", tmp_path / "venv").returncode == 0
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done = run(scripts / "python", "-m", "pip", "install", "--quiet", ROOT, PACKAGE)
    assert done.returncode == 0, done.stderr
    done = run(scripts / "flint", "check", "--select", "acme", "--output-format", "json")
    assert (done.returncode, codes(done.stdout)) == (1, ["ACME101"]), done.stderr
