"""All files of the open folders together: what `flint check` says of them, with open buffers in place of files."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.config.flint_config import Preferences
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.running import Options, check, documents_of
from flink_flint.linter.lsp import open_document as analysis
from flink_flint.linter.lsp import workspace as project
from flink_flint.linter.lsp.open_document import Analysis
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.lsp.workspace import GivenUp, Project, Settled, is_excluded, options_for, shown
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding

ROOT = Path(__file__).resolve().parents[2]
JOB = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkSessionJob
metadata:
  name: job
spec:
  deploymentName: session
  job:
    jarURI: https://example.org/job.jar
    parallelism: 2
"""
SESSION = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: session
spec:
  flinkVersion: v1_17
  flinkConfiguration:
    akka.framesize: 10m
"""


def told(finding: Finding) -> tuple[Any, ...]:
    fix = finding.fix
    return (
        finding.code, finding.path, finding.span, finding.severity, finding.key, finding.document, finding.ordinal,
        finding.note, finding.flink_version, finding.related, fix.title if fix and list(fix.edits) else None,
    )  # fmt: skip


def wanted(folder: Path, **buffers: str) -> list[tuple[Any, ...]]:
    """What a check says of a folder in which some files hold what lies in buffers."""
    sources = [one for one in find([str(folder)], root=str(folder)) if isinstance(one, Source)]
    sources = [
        one._replace(data=buffers[Path(one.path).name].encode()) if Path(one.path).name in buffers else one
        for one in sources
    ]
    return sorted(map(told, check(sources, options_for(str(folder))).findings), key=str)


def found(project: Project, **buffers: Source | None) -> list[tuple[Any, ...]]:
    return all_of(project.settle(buffers))


def all_of(settled: Settled) -> list[tuple[Any, ...]]:
    return sorted((told(one) for findings in settled.findings.values() for one in findings), key=str)


def test_it_is_what_a_check_says(tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("*.py", "*.gz", "*.jsonl"))
    project = Project()
    project.folders = [str(folder)]
    first = found(project)
    assert first
    assert first == wanted(folder)
    assert found(project) == first  # from what it remembers


def test_a_buffer_counts_instead_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "session.yaml").write_text(SESSION, encoding="utf-8")
    (tmp_path / "job.yaml").write_text(JOB, encoding="utf-8")
    project = Project()
    project.folders = [str(tmp_path)]
    before = found(project)
    path = str(tmp_path / "session.yaml")
    typed = SESSION.replace("akka.framesize: 10m", 'taskmanager.numberOfTaskSlots: "x"')
    source = Analysis(path, Buffer(typed)).source()
    after = found(project, **{path: source})
    assert after != before
    assert after == wanted(tmp_path, **{"session.yaml": typed})
    assert found(project, **{path: None}) == wanted(tmp_path, **{"session.yaml": ""})


def test_relations_follow_a_document_that_is_typed(tmp_path: Path) -> None:
    (tmp_path / "session.yaml").write_text(SESSION, encoding="utf-8")
    (tmp_path / "job.yaml").write_text(JOB, encoding="utf-8")
    project = Project()
    project.folders = [str(tmp_path)]
    path = str(tmp_path / "job.yaml")
    typed = Analysis(path, Buffer(JOB))
    settled = project.settle({path: typed.source()})
    typed.relate(settled.relations[path], settled.from_others.get(path, ()))
    typed.edit(len(JOB), len(JOB), "    # more\n")
    typed.look(options_for(path))
    (job,) = typed.documents
    below: Document = typed.relation_of(job).below[0]
    assert below.path == str(tmp_path / "session.yaml")


def files_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that are read from now on."""
    read: list[str] = []

    def documents(source: Source, options: Options) -> list[tuple[Document, Preferences]]:
        read.append(source.path)
        return documents_of(source, options)

    monkeypatch.setattr(project, "documents_of", documents)
    return read


LONG = "blob.storage.directory: /tmp/x\nparallelism.default: 2\nfs.s3a.secret.key: geheim\nno.such.key: 1\n"
"""Long by the limits of the tests below."""


@pytest.mark.parametrize("name", ["flink-conf.yaml", "config.yaml"])
def test_what_an_open_file_was_found_to_hold_is_not_found_out_again(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "MANY_ENTRIES", 1)
    (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "session.yaml").write_text(SESSION, encoding="utf-8")
    path = str(tmp_path / name)
    files = Project()
    files.folders = [str(tmp_path)]
    typed = Analysis(path, Buffer(LONG))
    read = files_read(monkeypatch)
    for text in ("rest.port: x\n", "# more\n", "rest.address: a\n"):
        typed.edit(0, 0, text)
        assert typed.own is None  # nobody has looked at it yet
        typed.look(options_for(path))
        assert typed.own is not None
        settled = files.settle({path: typed.source()}, {path: typed.own})
        assert all_of(settled) == wanted(tmp_path, **{name: typed.buffer.text})
    assert read == [str(tmp_path / "session.yaml")]


def test_a_long_file_is_judged_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "MANY_ENTRIES", 1)
    monkeypatch.setattr(project, "SLICE", 0)
    (tmp_path / "config.yaml").write_text(LONG, encoding="utf-8")
    files = Project()
    files.folders = [str(tmp_path)]
    asked = count()
    assert all_of(files.settle({}, is_wanted=lambda: next(asked) >= 0)) == wanted(tmp_path)
    assert next(asked) > len(LONG.splitlines())


def test_what_nobody_wants_is_given_up_and_what_was_read_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flink-conf.yaml").write_text(LONG, encoding="utf-8")
    files = Project()
    files.folders = [str(tmp_path)]
    read = files_read(monkeypatch)
    with pytest.raises(GivenUp):
        files.settle({}, is_wanted=lambda: not read)
    assert len(read) == 1
    assert found(files) == wanted(tmp_path)
    assert len(read) == 2


def test_what_has_a_uri_alone_lies_in_no_folder(tmp_path: Path) -> None:
    project = Project()
    project.folders = [str(tmp_path)]
    assert project.settle({"untitled:Untitled-1": None}).findings == {}


def test_what_preferences_exclude_and_baselines_let_stand(tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text('exclude = ["old/"]\nbaseline = "known.json"\n', encoding="utf-8")
    project = Project()
    project.forget()
    assert is_excluded(str(tmp_path / "old" / "config.yaml"))
    assert not is_excluded(str(tmp_path / "new" / "config.yaml"))
    with pytest.raises(ValueError, match=r"known\.json"):
        shown([], str(tmp_path / "config.yaml"))
    project.forget()
