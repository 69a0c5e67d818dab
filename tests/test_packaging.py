"""What people install: the wheel holds flint and its data, asks for little, and works where nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from flink_flint.linter import __version__

ROOT = Path(__file__).resolve().parent.parent

GRAMMARS = {f"tree-sitter-{language}" for language in ("hcl", "java", "kotlin", "scala")}
LIGHT = {"click", "pyyaml", "jsonschema", "sqlglot", "tree-sitter", *GRAMMARS}
"""What a check needs; Spark, Textual and their kin are extras."""


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


def test_wheel_holds_code_and_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    needed = {
        f"flink_flint/{path.relative_to(ROOT)}"
        for package in ("linter", "rules", "calculators", "templates")
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", ".json", ".toml", ".tcss", ".html", ".j2", ".css", ".js")
        and "__pycache__" not in path.parts
    }
    assert {"flink_flint/linter/flink/options.json", "flink_flint/rules/index.json"} <= needed
    assert {"flink_flint/calculators/interactive/form.tcss", "flink_flint/templates/comment.md.j2"} <= needed
    assert needed - held == set()
    assert {name.split("/")[0] for name in held} == {"flink_flint", f"flink_flint-{__version__}.dist-info"}


def test_wheel_asks_for_little(metadata: Message) -> None:
    requirements = metadata.get_all("Requires-Dist", [])
    base = {text.split(">")[0].split("=")[0].strip().lower() for text in requirements if "extra ==" not in text}
    assert base == LIGHT


def test_wheel_names_its_licence(wheel: Path, metadata: Message) -> None:
    assert metadata["License-Expression"] == "Apache-2.0"
    with zipfile.ZipFile(wheel) as archive:
        licence = archive.read(f"flink_flint-{__version__}.dist-info/licenses/LICENSE").decode()
    assert "Version 2.0, January 2004" in licence
    assert "END OF TERMS AND CONDITIONS" in licence


def test_installed_wheel_works(wheel: Path, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV", "FORCE_COLOR")}

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, command)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    done = run(sys.executable, "-m", "venv", tmp_path / "venv")
    assert done.returncode == 0, done.stderr
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done = run(scripts / "python", "-m", "pip", "install", "--quiet", wheel)
    assert done.returncode == 0, done.stderr

    assert run(scripts / "flint", "--version").stdout == f"flint {__version__}\n"
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n", encoding="utf-8")
    done = run(scripts / "flint", "check", "flink-conf.yaml")
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
