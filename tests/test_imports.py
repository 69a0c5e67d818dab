"""The imports of a run: startup time is import time, so each command imports only what it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flink_flint.linter.engine.registry import Declaration, registry

ROOT = Path(__file__).resolve().parent.parent

# Runs the command and then lists on standard error what it imported that the bare interpreter had not.
PROBE = """
import os, sys
bare = set(sys.modules)
os._exit = sys.exit  # a check leaves by this door, past what comes below
from flink_flint.linter.__main__ import main
sys.argv[0] = "flint"
status = 0
try:
    main()
except SystemExit as end:
    status = end.code
sys.stderr.write("\\n".join(sorted(set(sys.modules) - bare)))
sys.exit(status)
"""

HEAVY = {
    "argparse", "asyncio", "concurrent", "dataclasses", "decimal", "difflib", "email", "fractions",
    "hashlib", "http", "importlib.metadata", "jinja2", "jsonschema", "logging", "lsprotocol", "multiprocessing",
    "pkg_resources", "pyarrow", "pygls", "pyspark", "requests", "socket", "sqlglot", "statistics", "subprocess",
    "tempfile", "textual", "tree_sitter", "urllib3", "xml", "yaml",
}  # fmt: skip
"""Modules that a check of a file, or a page, does not need."""

FLINK_CONF = "parallelism.default: 2\n"
CONFIG_YAML = "parallelism:\n  default: 2\ntaskmanager:\n  numberOfTaskSlots: 2\n"


def imported(folder: Path, *arguments: str, status: int = 0) -> set[str]:
    """Return the modules that one run of `flint` imports."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT), "PATH": "", "LC_ALL": "C.UTF-8"},
        check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    return set(done.stderr.split())


def heavy(modules: set[str]) -> set[str]:
    return {name for name in modules if any(name == one or name.startswith(f"{one}.") for one in HEAVY)}


def rules_among(modules: set[str]) -> set[str]:
    """Return the rule modules, without the packages of the families and the modules that rules share."""
    return {
        name for name in modules if name.startswith("flink_flint.rules.") and name.count(".") == 3 and "._" not in name
    }


def test_version_imports_nothing(tmp_path: Path) -> None:
    assert imported(tmp_path, "--version") <= {
        "__future__",
        "flink_flint",
        "flink_flint.linter",
        "flink_flint.linter.__main__",
    }


@pytest.mark.parametrize(("name", "text"), [("flink-conf.yaml", FLINK_CONF), ("config.yaml", CONFIG_YAML)])
@pytest.mark.parametrize("flint_config", [None, 'flink-version = "1.20"\n[severity]\nFLK101 = "info"\n'])
def test_check_of_one_file(tmp_path: Path, name: str, text: str, flint_config: str | None) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    if flint_config is not None:
        (tmp_path / "flint.toml").write_text(flint_config, encoding="utf-8")
    modules = imported(tmp_path, "check", "--exit-zero", name)
    assert "flink_flint.linter.engine.check_run" in modules
    assert heavy(modules) == set()
    assert "click" not in modules
    assert ("tomllib" in modules) == (flint_config is not None)
    assert {
        "flink_flint.linter.fix.apply",
        "flink_flint.linter.commands.show",
        "flink_flint.linter.commands.explain",
    } & modules == set()


def test_check_with_findings(tmp_path: Path) -> None:
    """Printing findings does not import the modules for typos, changes and processes."""
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n", encoding="utf-8")
    modules = imported(tmp_path, "check", "--select", "FLK101", "flink-conf.yaml", status=1)
    assert "flink_flint.linter.output.full" in modules
    assert heavy(modules) == set()
    assert rules_among(modules) == {"flink_flint.rules.storage.blob_storage_in_tmp"}


def test_yaml_is_imported_for_a_flint_yaml_alone(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(FLINK_CONF, encoding="utf-8")
    (tmp_path / ".flint.yaml").write_text("fail-level: error\n", encoding="utf-8")
    assert "yaml" in imported(tmp_path, "check", "--exit-zero", "flink-conf.yaml")


def test_explain(tmp_path: Path) -> None:
    modules = imported(tmp_path, "explain", "FLK101")
    assert heavy(modules) == set()
    assert "flink_flint.linter.commands.check" not in modules
    assert rules_among(modules) == {"flink_flint.rules.storage.blob_storage_in_tmp"}


def test_check_imports_only_the_rules_that_the_keys_call_for(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(FLINK_CONF, encoding="utf-8")
    loaded = rules_among(imported(tmp_path, "check", "--exit-zero", "flink-conf.yaml"))
    by_module = {declaration.module: declaration for declaration in registry().declarations}
    uncalled = {module for module in loaded if not called_for(by_module[module], "parallelism.default")}
    assert uncalled == set()
    assert loaded < set(by_module)


def called_for(declaration: Declaration, key: str) -> bool:
    if declaration.scope == "project" or not declaration.reads or declaration.always:
        return declaration.scope in ("document", "key", "project")
    return any(key.startswith(read) if read.endswith(".") else key == read for read in declaration.reads)


DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  flinkVersion: v1_20
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "2"}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("orders.yaml", DEPLOYMENT),
        ("job.sql", "SET 'table.exec.state.ttl' = '1 d';\nCREATE TABLE t (a INT) WITH ('connector' = 'datagen');\n"),
        ("docker-compose.yml", "services:\n  jobmanager:\n    image: flink:1.20\n    command: jobmanager\n"),
        ("log4j.properties", "rootLogger.level = INFO\nlogger.flink.name = org.apache.flink\n"),
    ],
)
def test_a_file_of_a_kind_loads_no_library_of_another(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    modules = imported(tmp_path, "check", "--exit-zero", name)
    assert heavy(modules) == set()
    file_formats = {module for module in modules if module.startswith("flink_flint.linter.formats.")}
    assert {
        "flink_flint.linter.formats.terraform.terraform",
        "flink_flint.linter.formats.source.jvm_program",
        "flink_flint.linter.formats.logging.logging_tree",
    } & file_formats == set()


@pytest.mark.parametrize("language", ["java", "scala", "kotlin"])
def test_a_program_is_read_with_its_grammar_and_no_other_library(language: str, tmp_path: Path) -> None:
    name = f"Job.{language.replace('kotlin', 'kt')}"
    (tmp_path / name).write_text("import org.apache.flink.api.java.tuple.Tuple2;\nclass Job {}\n", encoding="utf-8")
    modules = imported(tmp_path, "check", "--exit-zero", name)
    # Each package of a grammar imports importlib.resources, which imports tempfile.
    assert heavy(modules) == {"tree_sitter", "tree_sitter._binding", "tempfile"}
    assert {name for name in modules if name.startswith("tree_sitter_") and "." not in name} == {
        f"tree_sitter_{language}"
    }
