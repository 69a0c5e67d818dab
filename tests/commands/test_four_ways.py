"""A named file, the same file in a check of all, on standard input and in an editor: the same findings."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from flink_flint.linter.lsp.text_buffer import UTF_32, Buffer
from flink_flint.linter.lsp.workspace import Project
from flink_flint.linter.model.finding import Finding
from tests.conftest import Flint
from tests.engine.rendering.test_rendered_documents import CHART, DEPLOYMENT, MISSPELLED, PATCH, VALUES, written

ROOT = Path(__file__).resolve().parents[2]

Where = tuple[str, str, int, int, int, int]
"""Code, severity, start and end of a finding."""

HELPERS = """\
{{- define "orders.configuration" -}}
taskmanager.memroy.process.size: 4g
{{- end }}
"""
TEMPLATE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.20.1
  flinkVersion: v1_20
  flinkConfiguration:
    {{- toYaml .Values.flinkConfiguration | nindent 4 }}
    {{- include "orders.configuration" . | nindent 4 }}
  taskManager:
    resource: {cpu: 1, memory: {{ .Values.memory }}}
  jobManager:
    resource: {cpu: 1, memory: 2048m}
"""


def _example(name: str) -> Callable[[Path], list[str]]:
    def write(root: Path) -> list[str]:
        shutil.copytree(ROOT / "examples" / name, root, dirs_exist_ok=True)
        (root / ".git").mkdir()
        return []

    return write


def _chart(root: Path) -> list[str]:
    values = VALUES + '  jobmanager.rpc.prot: "6123"\n'
    files = {"Chart.yaml": CHART, "values.yaml": values, "templates/job.yaml": TEMPLATE}
    files |= {"templates/_helpers.tpl": HELPERS, "values-prod.yaml": MISSPELLED}
    written(root, {f"orders/{name}": text for name, text in files.items()})
    return ["orders/templates/_helpers.tpl"]


def _overlays(root: Path) -> list[str]:
    files = {"base/kustomization.yaml": "resources: [job.yaml]\n", "base/job.yaml": DEPLOYMENT}
    files["prod/kustomization.yaml"] = "resources: [../base]\npatches:\n  - path: patch.yaml\n"
    written(root, {**files, "prod/patch.yaml": PATCH})
    return []


PROJECTS = {
    "session": _example("session"), "shop": _example("shop"), "sound": _example("sound"), "chart": _chart,
    "overlays": _overlays,
}  # fmt: skip


def checked(flint: Flint, root: Path, *arguments: str, stdin: str | None = None) -> dict[str, set[Where]]:
    """Return the findings of a check by path."""
    done = flint("check", "--no-cache", "--output-format", "json", *arguments, cwd=root, stdin=stdin)
    found: dict[str, set[Where]] = {}
    for one in json.loads(done.stdout)["findings"]:
        start, end = one["start"], one["end"]
        where = (one["code"], one["severity"], start["line"], start["column"], end["line"], end["column"])
        found.setdefault(one["path"], set()).add(where)
    return found


def shown(text: str, findings: list[Finding]) -> set[Where]:
    """Return the findings as an editor shows them."""
    buffer = Buffer(text, UTF_32)
    found = set()
    for one in findings:
        start, end = buffer.position(one.span.start), buffer.position(one.span.end)
        found.add((one.code, one.severity.word, start[0] + 1, start[1] + 1, end[0] + 1, end[1] + 1))
    return found


def in_editor(root: Path, path: str, text: str, *, has_folder: bool) -> set[Where]:
    """Return the findings on an open file, with its folder open or not."""
    project = Project()
    project.forget()
    project.folders = [str(root)] if has_folder else []
    place = str(root / path)
    return shown(text, project.check_all({place: text}).findings.get(place, []))


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_all_four_ways_agree(flint: Flint, tmp_path: Path, name: str) -> None:
    more = PROJECTS[name](tmp_path)
    whole = checked(flint, tmp_path)
    assert whole or name == "sound"
    listed = json.loads(flint("check", "--show-files", "--output-format", "json", cwd=tmp_path).stdout)
    for path in sorted({*(row["path"] for row in listed["files"]), *whole, *more}):
        text = (tmp_path / path).read_text(encoding="utf-8")
        wanted = whole.get(path, set())
        ways = {
            "named": checked(flint, tmp_path, "--", path).get(path, set()),
            "standard input": checked(flint, tmp_path, "-", "--stdin-filename", path, stdin=text).get(path, set()),
            "editor with the folder": in_editor(tmp_path, path, text, has_folder=True),
            "editor without a folder": in_editor(tmp_path, path, text, has_folder=False),
        }
        assert ways == dict.fromkeys(ways, wanted), path


EDITS = [
    ("chart", "orders/values.yaml", "rpc.prot", "rpc.prt"),
    ("chart", "orders/values-prod.yaml", "taskmanager.numberOfTaskSlotz", "rest.prot"),
    ("chart", "orders/templates/job.yaml", "  jobManager:", "    rest.prot: 1\n  jobManager:"),
    ("chart", "orders/templates/_helpers.tpl", "memroy.process", "memory.proces"),
    ("overlays", "base/job.yaml", "blob.server.prot", "blob.server.prt"),
    ("overlays", "prod/patch.yaml", "jobmanager.rpc.prot", "jobmanager.rpc.prt"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "path", "old", "new"), EDITS)
def test_what_is_typed_counts_instead_of_the_file(
    flint: Flint, tmp_path: Path, name: str, path: str, old: str, new: str
) -> None:
    PROJECTS[name](tmp_path)
    text = (tmp_path / path).read_text(encoding="utf-8")
    typed = text.replace(old, new)
    from_stdin = checked(flint, tmp_path, "-", "--stdin-filename", path, stdin=typed).get(path, set())
    edited = in_editor(tmp_path, path, typed, has_folder=True)
    assert edited != in_editor(tmp_path, path, text, has_folder=True) or old == "  jobManager:"
    (tmp_path / path).write_text(typed, encoding="utf-8")
    wanted = checked(flint, tmp_path).get(path, set())
    assert wanted
    assert from_stdin == edited == wanted


def test_a_folder_that_is_named_has_the_templates_in_it(flint: Flint, tmp_path: Path) -> None:
    _chart(tmp_path)
    assert checked(flint, tmp_path, "orders") == checked(flint, tmp_path)


def test_what_nothing_is_rendered_from_is_left_alone(flint: Flint, tmp_path: Path) -> None:
    written(tmp_path, {"notes.yaml": "shopping: milk\n", "conf/flink-conf.yaml": "rest.prot: 1\n"})
    done = flint("check", "notes.yaml", cwd=tmp_path)
    assert done.returncode == 0
    assert "no Flink configuration found in notes.yaml" in done.stderr
