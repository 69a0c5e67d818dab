"""Files of a tree that would hang flint, fill its memory, or make it read or write files elsewhere."""

from __future__ import annotations

import ast
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flink_flint.linter.filesystem.reading import (
    LARGEST_SIDE_FILE,
    LeadsOut,
    found_text,
    open_found,
    open_named,
    read_named,
    refuse_way_out,
)
from tests.conftest import ROOT, Flint

HAZARD = "blob.storage.directory: /tmp/blobs\n"
SECRET = "taskmanager.numberOfTaskSlots: 4242\n"
WRONG = "akka.framesize: 10mb\n"
"""A file for which there is a safe fix: Flink rejects the value."""

SIDE_FILES = (
    ".gitignore", "flint.toml", ".flint.toml", ".flint.yaml", "pyproject.toml", "pom.xml", "build.gradle",
    "build.gradle.kts", "gradle.properties", "build.sbt", "requirements.txt", "Dockerfile", "Containerfile",
    "kustomization.yaml", "compose.yaml", "values.yaml", "job.sql", "Job.java", "log4j-console.properties",
    "zoo.cfg", "masters", "workers", "build.env", ".env",
)  # fmt: skip

COMPOSE = """services:
  jobmanager:
    build: {dockerfile: build.Dockerfile}
    command: jobmanager
    env_file: build.env
    environment:
      FLINK_PROPERTIES: |
        rest.port: ${PORT}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with one hazard."""
    folder = tmp_path / "tree"
    (folder / ".git").mkdir(parents=True)
    (folder / "conf").mkdir()
    (folder / "conf/flink-conf.yaml").write_text(HAZARD)
    return folder


def found(flint: Flint, *arguments: str, cwd: Path) -> set[str]:
    done = flint("check", *arguments, "--output-format", "json", cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    return {finding["code"] for finding in json.loads(done.stdout)["findings"]}


# -- reading


@pytest.mark.slow
@pytest.mark.parametrize("name", SIDE_FILES)
def test_a_pipe_in_a_tree_is_passed_over(flint: Flint, tree: Path, name: str) -> None:
    os.mkfifo(tree / name)
    os.mkfifo(tree / "conf" / name)
    (tree / "docker-compose.yaml").write_text(COMPOSE.replace("build.env", name).replace("build.Dockerfile", name))
    assert "FLK101" in found(flint, ".", cwd=tree)


@pytest.mark.parametrize("name", ["flink-conf.yaml", "config.yaml", "job.sql", "Dockerfile"])
@pytest.mark.parametrize("command", ["check", "show", "upgrade"])
def test_a_named_pipe_is_reported(flint: Flint, tree: Path, command: str, name: str) -> None:
    os.mkfifo(tree / name)
    done = flint(command, name, *(("--from", "1.18", "--to", "1.20") if command == "upgrade" else ()), cwd=tree)
    assert done.returncode == 2
    assert f"{name}: not a regular file" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("check", "--flint-config", "pipe", "."), ("check", "--baseline", "pipe", "."), ("comment", "pipe", "--dry-run"),
     ("comment", "report.json", "--template", "pipe", "--dry-run"), ("migrate", "pipe"),
     ("size", "taskmanager-memory", "--config", "pipe"), ("size", "taskmanager-memory", "--input", "pipe"),
     ("check", "--history", "pipe", ".")],
)  # fmt: skip
def test_a_pipe_named_in_an_option_is_reported(flint: Flint, tree: Path, arguments: tuple[str, ...]) -> None:
    os.mkfifo(tree / "pipe")
    flint("check", ".", "--output-format", "json", "--output-file", "report.json", cwd=tree)
    done = flint(*arguments, cwd=tree)
    assert done.returncode == 2
    assert "pipe" in done.stderr


def test_what_a_shell_hands_over_is_read(tree: Path) -> None:
    command = [sys.executable, "-m", "flink_flint", "check", "conf", "--flint-config", "/dev/stdin"]
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, "PYTHONPATH": str(ROOT)}, input='ignore = ["FLK101"]', text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "FLK101" not in done.stdout
    assert read_named(os.devnull, 1) == b""


@pytest.mark.slow
@pytest.mark.parametrize("name", SIDE_FILES)
def test_a_link_to_a_device_without_an_end_fills_no_memory(tree: Path, name: str) -> None:
    for folder in (tree, tree / "conf"):
        (folder / name).symlink_to("/dev/zero")
    limit = 2 * 1024**3
    done = subprocess.run(
        [sys.executable, "-m", "flink_flint", "check", "conf/flink-conf.yaml", "."],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    assert "MemoryError" not in done.stderr
    assert done.returncode == 1, done.stderr


@pytest.mark.parametrize("name", [".gitignore", "pom.xml", "requirements.txt", "masters", "pyproject.toml"])
def test_a_side_file_is_read_up_to_a_limit(flint: Flint, tree: Path, name: str) -> None:
    (tree / "conf" / name).write_bytes(b"#" * (LARGEST_SIDE_FILE + 2))
    assert "FLK101" in found(flint, ".", cwd=tree)


def test_a_flint_toml_past_the_limit_is_rejected(flint: Flint, tree: Path) -> None:
    (tree / "flint.toml").write_bytes(b"#" * (LARGEST_SIDE_FILE + 2))
    done = flint("check", ".", cwd=tree)
    assert done.returncode == 2
    assert "flint.toml: more than 1 MiB" in done.stderr


@pytest.mark.parametrize("name", ["values.yaml", "conf/config.yaml", "other/flink-conf.yaml"])
def test_a_link_that_leads_out_is_not_followed(flint: Flint, tree: Path, name: str) -> None:
    outside = tree.parent / "outside.yaml"
    outside.write_text(SECRET + HAZARD)
    (tree / "conf/flink-conf.yaml").write_text("rest.port: 8081\n")
    (tree / name).parent.mkdir(exist_ok=True)
    (tree / name).symlink_to(outside)
    done = flint("check", ".", cwd=tree)
    assert done.returncode == 0, done.stdout
    assert "a link that leads out of the repository" in done.stderr
    shown = flint("show", ".", cwd=tree)
    assert "4242" not in shown.stdout + shown.stderr
    assert "FLK101" in found(flint, name, cwd=tree), "a person who names it wants it read"


def test_a_link_within_the_repository_is_followed(flint: Flint, tree: Path) -> None:
    (tree / "conf/flink-conf.yaml").rename(tree / "kept")
    (tree / "conf/flink-conf.yaml").symlink_to("../kept")
    assert "FLK101" in found(flint, "conf", cwd=tree)


@pytest.mark.parametrize("path", ["{outside}", "../outside.env", "inner.env"])
def test_no_file_outside_is_read_because_a_file_names_it(flint: Flint, tree: Path, path: str) -> None:
    (tree.parent / "outside.env").write_text("PORT=4242\n")
    (tree / "inner.env").symlink_to(tree.parent / "outside.env")
    (tree / ".env").symlink_to(tree.parent / "outside.env")
    named = path.format(outside=tree.parent / "outside.env")
    (tree / "compose.yaml").write_text(COMPOSE.replace("build.env", named).replace("build: {", "image: flink:1.20 #"))
    done = flint("show", "compose.yaml", cwd=tree)
    assert "4242" not in done.stdout + done.stderr


def test_a_flint_toml_behind_a_link_that_leads_out_is_rejected(flint: Flint, tree: Path) -> None:
    (tree.parent / "outside.toml").write_text("password = 'hush'\n")
    (tree / "flint.toml").symlink_to(tree.parent / "outside.toml")
    done = flint("check", ".", cwd=tree)
    assert done.returncode == 2
    assert "leads out of the repository" in done.stderr
    assert "hush" not in done.stderr


def test_walks_end(flint: Flint, tree: Path) -> None:
    (tree / "loop").symlink_to(".")
    (tree / "conf/up").symlink_to("..")
    (tree / "itself.yaml").symlink_to("itself.yaml")
    (tree / "new\nline\x1b[31m").mkdir()
    (tree / "new\nline\x1b[31m/flink-conf.yaml").write_text(HAZARD)
    os.mkdir(os.fsencode(tree) + b"/\xff\xfe")
    Path(os.fsdecode(os.fsencode(tree) + b"/\xff\xfe/flink-conf.yaml")).write_text(HAZARD)
    deep = tree
    for _ in range(200):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "flink-conf.yaml").write_text(HAZARD)
    done = flint("check", ".", "--output-format", "json", cwd=tree)
    assert done.returncode == 1, done.stderr
    assert len(json.loads(done.stdout)["findings"]) == 4


def test_the_gateway_opens_regular_files_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/out").symlink_to("../pipe")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match="Not a regular file"):
            open_named(str(tmp_path / name))
    with pytest.raises(LeadsOut):
        open_found(str(tmp_path / "inside/out"))
    assert found_text(str(tmp_path / "inside/out")) is None
    assert found_text("a\0b") is None


# -- writing


WRITERS: dict[str, tuple[str, ...]] = {
    "report": ("check", ".", "--output-file", "{}", "--output-format", "json"),
    "baseline": ("check", ".", "--write-baseline", "--baseline", "{}"),
    "schema": ("schema", "--output-file", "{}"),
    "upgrade": ("upgrade", "conf", "--from", "1.18", "--to", "1.20", "--output-file", "{}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("through", ["file", "folder", "nested repository", "folder and back"])
def test_nothing_is_written_through_a_link_that_leads_out(flint: Flint, tree: Path, name: str, through: str) -> None:
    outside = tree.parent / "outside"
    outside.mkdir()
    if through == "file":
        (tree / "out").symlink_to(outside / "new")
        target = "out"
    elif through == "folder and back":
        (outside / "folder").mkdir()
        (tree / "out").symlink_to(outside / "folder")
        target = "out/../new"
    else:
        (outside / (".git" if through == "nested repository" else "folder")).mkdir()
        (tree / "out").symlink_to(outside)
        target = "out/new"
    done = flint(*(word.format(target) for word in WRITERS[name]), cwd=tree)
    assert done.returncode == 2
    assert "leads out of the repository" in done.stderr
    assert not (outside / "new").exists()


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_written_into_a_pipe_that_nobody_reads(flint: Flint, tree: Path, name: str) -> None:
    os.mkfifo(tree / "out")
    done = flint(*(word.format("out") for word in WRITERS[name]), cwd=tree)
    assert done.returncode == 2
    assert "out" in done.stderr


@pytest.mark.parametrize("arguments", [("--fix", "."), ("--fix", "conf/flink-conf.yaml"), ("--fix", "conf")])
def test_a_fix_leaves_files_outside_alone(flint: Flint, tree: Path, arguments: tuple[str, ...]) -> None:
    outside = tree.parent / "outside.yaml"
    outside.write_text(WRONG)
    (tree / "conf/flink-conf.yaml").unlink()
    (tree / "conf/flink-conf.yaml").symlink_to(outside)
    done = flint("check", *arguments, cwd=tree)
    assert outside.read_text() == WRONG
    assert "out of the repository" in done.stderr


def test_a_fix_reaches_a_file_through_a_link_inside(flint: Flint, tree: Path) -> None:
    (tree / "kept").write_text(WRONG)
    (tree / "conf/flink-conf.yaml").unlink()
    (tree / "conf/flink-conf.yaml").symlink_to("../kept")
    flint("check", "--fix", "conf/flink-conf.yaml", cwd=tree)
    assert (tree / "kept").read_text() == WRONG.replace("10mb", "10485760b")
    assert (tree / "conf/flink-conf.yaml").is_symlink()


@pytest.mark.parametrize("history", ["/etc/passwd", "../outside", "link"])
def test_a_history_that_the_tree_names_must_be_in_the_tree(flint: Flint, tree: Path, history: str) -> None:
    (tree / "link").symlink_to("/etc")
    (tree / "flint.toml").write_text(f'history = "{history}"\n')
    (tree / "flink-conf.yaml").write_text("rest.port: 8081\n")
    run = flint("check", ".", cwd=tree)
    assert run.returncode == 2
    assert f"its history {history} is not in the repository" in " ".join(run.stderr.split())


def test_a_baseline_that_the_tree_names_must_be_in_the_tree(flint: Flint, tree: Path) -> None:
    for named in ("../baseline.json", str(tree.parent / "baseline.json")):
        (tree / "flint.toml").write_text(f"baseline = {json.dumps(named)}\n")
        done = flint("check", ".", "--write-baseline", cwd=tree)
        assert done.returncode == 2
        assert "is not in the repository" in done.stderr
        assert not (tree.parent / "baseline.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../escaped.yaml", "{outside}/escaped.yaml"])
def test_a_case_of_an_own_rule_is_written_into_its_folder(flint: Flint, tree: Path, name: str) -> None:
    spelled = json.dumps(name.format(outside=tree.parent))
    (tree / "flint.toml").write_text(
        '[[rule]]\ncode = "OWN001"\nname = "x-y"\nseverity = "warning"\nmessage = "m"\noption = "rest.port"\n'
        "set = true\n"
        f'[[rule.case]]\nbad = "rest.port: 1"\nfile = {spelled}\n'
    )
    done = flint("rules", "--check", cwd=tree)
    assert done.returncode == 2
    assert "the files of a case must be in its folder" in done.stderr
    assert not (tree.parent / "escaped.yaml").exists()


def test_links_of_the_user_are_followed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree.parent / "shortcut").symlink_to(tree)
    monkeypatch.chdir(tree)
    refuse_way_out(str(tree.parent / "shortcut/conf/report.json"))
    refuse_way_out("/dev/stdout")


# -- nobody else opens files


OWN_DATA = "data of the package itself"
NAMED = "a store, or files of samples, that a person named"
OPENERS = {
    "linter/filesystem/reading.py": "the gateway of reading",
    "linter/filesystem/writing.py": "the gateway of writing",
    "linter/filesystem/git.py": "a git folder of its own, in a temporary folder",
    "linter/engine/rendering/isolated_programs.py": "copies of a chart or kustomization, in a temporary folder",
    "linter/engine/rendering/real_helm.py": "values for a chart, in the same folder",
    "linter/engine/planning/isolated_planner.py": "what the planner is asked and answers, in a temporary folder",
    "linter/commands/errors.py": "the null device, in place of a closed stream",
    "linter/formats/source/option_constants.py": OWN_DATA,
    "linter/engine/declarative_rules.py": OWN_DATA,
    "linter/lsp/schema_options.py": OWN_DATA,
    "linter/flink/options.py": OWN_DATA,
    "linter/pull_request/summary_comment.py": OWN_DATA,
    "linter/config/flint_config.py": OWN_DATA,
    "linter/engine/registry.py": OWN_DATA,
    "linter/engine/verdicts.py": OWN_DATA,
    "calculators/pages/html_page.py": OWN_DATA,
    "linter/flink/tables/connectors.py": OWN_DATA,
    "linter/model/rule.py": "the cases beside a rule, when they are tried",
    "linter/commands/dev.py": "the file of a new rule, and the files beside it",
    "linter/commands/rule_names.py": "the template of a new rule",
    "linter/flink/generate/__main__.py": "a tool that makes the catalogue",
    "linter/flink/generate/reflection.py": "a tool that makes the catalogue",
    "linter/flink/generate/minor.py": "a tool that makes the catalogue",
    "linter/flink/generate/connectors/__main__.py": "a tool that makes the catalogue of connectors",
    "linter/flink/generate/connectors/factories.py": "a tool that makes the catalogue of connectors",
    "linter/flink/generate/connectors/newer.py": "a tool that lists releases of connectors",
    "linter/flink/generate/connectors/maven.py": "a tool that makes the catalogue of connectors",
    "calculators/history/backtest/traces.py": NAMED,
    "calculators/history/sources/prometheus/access.py": NAMED,
    "calculators/history/store/layout.py": NAMED,
}
"""The modules that open files, each with the reason."""

ONCE = {
    "linter/config/flint_config.py",
    "linter/engine/registry.py",
    "linter/engine/declarative_rules.py",
    "linter/pull_request/summary_comment.py",
}
"""Modules that also handle files of the tree, but open only their own data file (registry: two)."""

READERS = {"read_text", "read_bytes", "write_text", "write_bytes"}
PROGRAMS = {
    ("subprocess", "run"), ("subprocess", "Popen"), ("subprocess", "check_output"), ("os", "system"),
    ("", "run_isolated"),
}  # fmt: skip
STARTERS = {
    "linter/filesystem/git.py": "git",
    "linter/commands/comment.py": "flint itself",
    "linter/filesystem/isolated_process.py": "what the next two want, cut off",
    "linter/engine/rendering/isolated_programs.py": "helm and kustomize, with --render",
    "linter/engine/planning/isolated_planner.py": "java and javac, with --plan",
    "linter/flink/generate/archives.py": "pip, when the catalogue is made or with flint plan --install",
    "linter/flink/generate/reflection.py": "java, when the catalogue is made",
    "linter/flink/generate/connectors/factories.py": "java, when the catalogue of connectors is made",
    "linter/flink/generate/connectors/newer.py": "the Maven client, when releases of connectors are listed",
    "linter/flink/generate/connectors/maven.py": "the Maven client, when the catalogue of connectors is made",
}
"""The modules that start programs, and which."""


def called(path: Path) -> Iterator[tuple[str, str]]:
    """The functions and methods that a module calls, each with the plain name before its dot."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield "", node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield (node.func.value.id if isinstance(node.func.value, ast.Name) else "?"), node.func.attr


def opens(of: str, name: str) -> bool:
    if name == "open":
        return of in ("", "os", "io", "codecs", "path", "Path")
    return (name in READERS and of != "") or (of, name) == ("tomllib", "load")


def modules_that(do: Callable[[str, str], bool]) -> dict[str, int]:
    """The modules that call something, and how often."""
    found = {}
    for folder in ("linter", "rules", "calculators"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if number := sum(do(of, name) for of, name in called(path)):
                found[path.relative_to(ROOT).as_posix()] = number
    return found


@pytest.mark.slow
def test_files_are_opened_in_few_places() -> None:
    found = modules_that(opens)
    assert found.keys() == OPENERS.keys(), (
        "open files through linter/filesystem/reading.py and linter/filesystem/writing.py"
    )
    assert {path: found[path] for path in ONCE} == {
        "linter/config/flint_config.py": 1, "linter/engine/registry.py": 3, "linter/engine/declarative_rules.py": 1,
        "linter/pull_request/summary_comment.py": 1,
    }  # fmt: skip


@pytest.mark.slow
def test_programs_are_started_in_few_places() -> None:
    assert modules_that(lambda *called: called in PROGRAMS).keys() == STARTERS.keys()
