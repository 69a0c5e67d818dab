"""The installed package: the wheel contains flint and its data, has few dependencies, and works by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from email.message import Message
from email.parser import Parser
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import pytest

from flink_flint.linter import __version__

ROOT = Path(__file__).resolve().parent.parent

GRAMMARS = {f"tree-sitter-{language}" for language in ("hcl", "java", "kotlin", "scala")}
LIGHT = {"click", "pyyaml", "jsonschema", "sqlglot", "tree-sitter", *GRAMMARS}
"""The dependencies of a check; Spark, Textual and the like are extras."""

CASES = {path for path in (ROOT / "rules").glob("*/*/*/**/*") if path.is_file() and "__pycache__" not in path.parts}
"""The files of cases in folders: `rules/<family>/<rule>/<case>/`."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(f"flink_flint-{__version__}.dist-info/METADATA").decode())


@pytest.mark.slow
def test_wheel_holds_code_and_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    needed = {
        f"flink_flint/{path.relative_to(ROOT)}"
        for package in ("linter", "rules", "calculators", "templates")
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", ".json", ".toml", ".tcss", ".html", ".j2", ".css", ".js")
        and "__pycache__" not in path.parts
        and path not in CASES
    }
    assert {"flink_flint/linter/flink/options.json", "flink_flint/rules/index.json"} <= needed
    assert {"flink_flint/calculators/interactive/form.tcss", "flink_flint/templates/comment.md.j2"} <= needed
    assert needed - held == set()
    assert {f"flink_flint/{path.relative_to(ROOT)}" for path in CASES} & held == set()
    assert {name.split("/")[0] for name in held} == {"flink_flint", f"flink_flint-{__version__}.dist-info"}


@pytest.mark.slow
def test_wheel_asks_for_little(metadata: Message) -> None:
    requirements = metadata.get_all("Requires-Dist", [])
    base = {text.split(">")[0].split("=")[0].strip().lower() for text in requirements if "extra ==" not in text}
    assert base == LIGHT


@pytest.mark.slow
def test_wheel_names_its_licence(wheel: Path, metadata: Message) -> None:
    assert metadata["License-Expression"] == "Apache-2.0"
    with zipfile.ZipFile(wheel) as archive:
        licence = archive.read(f"flink_flint-{__version__}.dist-info/licenses/LICENSE").decode()
    assert "Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence


Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Installed(NamedTuple):
    """Return a virtual environment with only flint."""

    scripts: Path
    run: Run
    """Runs a command in a folder, with the variables given in addition to the environment."""


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    home = tmp_path_factory.mktemp("installed")
    inherited = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV", "FORCE_COLOR")}

    def run(*command: str | Path, cwd: Path = home, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, command)], cwd=cwd, env={**inherited, **environment}, capture_output=True, text=True, check=False
        )

    done = run(sys.executable, "-m", "venv", home / "venv")
    assert done.returncode == 0, done.stderr
    scripts = home / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done = run(scripts / "python", "-m", "pip", "install", "--quiet", wheel)
    assert done.returncode == 0, done.stderr
    return Installed(scripts, run)


@pytest.mark.slow
def test_installed_wheel_works(installed: Installed, tmp_path: Path) -> None:
    scripts, run = installed
    assert run(scripts / "flint", "--version").stdout == f"flint {__version__}\n"
    assert run(scripts / "python", "-m", "flink_flint", "--version").stdout == f"flint {__version__}\n"
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n", encoding="utf-8")
    done = run(scripts / "flint", "check", "flink-conf.yaml", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "FLK101" in done.stdout
    done = run(scripts / "flint", "explain", "taskmanager.memory.process.size")
    assert done.returncode == 0, done.stderr
    assert "MemorySize" in done.stdout
    done = run(scripts / "flint", "size", "kubernetes-ha", "--jobs", "60", "--flink-version", "1.13")
    assert done.returncode == 1, done.stderr
    assert "230" in done.stdout
    done = run(scripts / "flint", "size")
    assert done.returncode == 2  # no terminal here
    assert "flint size CALCULATOR --help" in done.stderr


@pytest.mark.slow
def test_pages_of_rules_do_not_depend_on_cases_in_folders(installed: Installed) -> None:
    """The examples on a page, and whether a rule has fixes, come from the cases in its module."""
    scripts, run = installed
    print_pages = (
        "from flink_flint.linter.commands.explain import page_of\n"
        "from flink_flint.linter.engine.registry import registry\n"
        "for one in registry().declarations: print(page_of(one.load()))"
    )
    here = run(sys.executable, "-c", print_pages, PYTHONPATH=str(ROOT), PYTHONIOENCODING="utf-8")
    assert here.returncode == 0, here.stderr
    assert len(CASES) > 1000
    there = run(scripts / "python", "-c", print_pages, PYTHONIOENCODING="utf-8")
    assert there.stdout == here.stdout, there.stderr


@pytest.mark.slow
def test_folders_of_the_same_names_shadow_nothing(installed: Installed, tmp_path: Path) -> None:
    """Neither in the working directory nor on PYTHONPATH; a folder without modules cannot shadow flint."""
    for name in ("linter", "rules", "calculators", "templates", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('not flint')\n", encoding="utf-8")
    (tmp_path / "flink_flint").mkdir()
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n", encoding="utf-8")
    for command in ([installed.scripts / "flint"], [installed.scripts / "python", "-m", "flink_flint"]):
        done = installed.run(*command, "check", "flink-conf.yaml", cwd=tmp_path, PYTHONPATH=str(tmp_path))
        assert (done.returncode, done.stderr) == (1, "")
        assert "FLK101" in done.stdout
    import_own = (
        "import sys; sys.path[:0] = ['']; import flink_flint.api\ntry: import rules\nexcept ImportError as e: print(e)"
    )
    assert installed.run(installed.scripts / "python", "-c", import_own, cwd=tmp_path).stdout == "not flint\n"


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("order", list(permutations(("rules", "python-flint", "flint"))), ids="-".join)
def test_packages_of_like_names_leave_each_other_alone(
    installed: Installed, wheel: Path, tmp_path: Path, order: tuple[str, ...]
) -> None:
    """django-rules installs `rules`, python-flint installs `flint`: in any order, each works while it is installed."""
    scripts, run = installed
    probes = {
        "rules": ("-c", "import rules; assert rules.add_rule"),
        "python-flint": ("-c", "import flint; assert flint.fmpz(3) * 2 == 6"),
        "flint": ("-m", "flink_flint", "check", "--exit-zero", "flink-conf.yaml"),
    }
    (tmp_path / "flink-conf.yaml").write_text("rest.port: 8081\n", encoding="utf-8")

    def pip(*words: str | Path) -> None:
        done = run(scripts / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", *words)
        assert done.returncode == 0, done.stderr

    def works(name: str) -> bool:
        return run(scripts / "python", *probes[name], cwd=tmp_path).returncode == 0

    pip("uninstall", "--yes", "flink-flint")
    for name in order:
        pip("install", "--no-deps", wheel if name == "flint" else name)
    assert [name for name in order if not works(name)] == []
    for number, name in enumerate(order, 1):
        pip("uninstall", "--yes", "flink-flint" if name == "flint" else name)
        assert [works(one) for one in order] == [False] * number + [True] * (len(order) - number)
    pip("install", "--no-deps", wheel)
