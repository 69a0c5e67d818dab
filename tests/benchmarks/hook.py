"""What installing flint as a hook costs: time, size, and whether it is free of Java and Spark."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.benchmarks.inputs import bad_files
from tests.benchmarks.measuring import ROOT, cost
from tests.benchmarks.table import Table
from tests.benchmarks.watching import watch

LARGEST_INSTALLATION = 40
"""Megabytes, without what installs it."""
MAX_PACKAGES = 6
"""How many of the largest are listed."""
INSTALLERS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence", "wheel")

JAVA = """#!/bin/sh
echo "$*" >> "$JAVA_CALLS"
exit 1
"""
"""A java that only takes down that it was called."""


def hook(table: Table, folder: Path) -> None:
    """Install it as pre-commit does, without extras, and run it; there is no Java but one that counts its calls."""
    home = folder / "hook"
    commands = home / "bin"
    commands.mkdir(parents=True)
    for name in ("java", "javac"):
        (commands / name).write_text(JAVA, encoding="utf-8")
        (commands / name).chmod(0o755)
    calls = home / "calls"
    calls.touch()
    environment = {
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}", "JAVA_CALLS": str(calls),
        "JAVA_HOME": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "",
    }  # fmt: skip
    environ = home / "environment"
    made = watch((sys.executable, "-m", "venv", str(environ)), home, environment)
    python = environ / "bin" / "python"
    took = watch((str(python), "-m", "pip", "install", "--quiet", str(ROOT)), home, environment)
    table.figure("hook: making its environment", made.seconds, unit="s")
    table.figure("hook: pip install, downloads included", took.seconds, unit="s")
    table.figure("  its processor time", took.cpu, unit="s")

    (packages,) = environ.glob("lib/python*/site-packages")
    sizes = installed(packages)
    table.figure("hook: installed", sum(sizes.values()) / 1e6, LARGEST_INSTALLATION, "MB")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:MAX_PACKAGES]:
        table.figure(f"  {name}", size / 1e6, unit="MB")

    tree = bad_files(home / "files", 3)
    command = (str(environ / "bin" / "flint"), "check", "--force-exclude", "--", *map(str, tree.rglob("*.yaml")))
    table.time("hook: three files", cost(command, tree, environment=environment).milliseconds)
    table.figure("hook: packages of Spark", sum("spark" in name or "py4j" in name for name in sizes), 0)
    table.figure("hook: calls of java", len(calls.read_text(encoding="utf-8").splitlines()), 0)


def installed(packages: Path) -> dict[str, int]:
    """Bytes of each package in a site-packages, without what pip itself brings."""
    sizes: dict[str, int] = {}
    for entry in packages.iterdir():
        if entry.name.partition("-")[0] in INSTALLERS or entry.stem == "distutils-precedence":
            continue
        files = [entry] if entry.is_file() else [file for file in entry.rglob("*") if file.is_file()]
        sizes[entry.name] = sum(file.stat().st_size for file in files)
    return sizes
