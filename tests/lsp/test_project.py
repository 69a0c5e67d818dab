"""All files of the open folders together, compared with `flint check`, with open buffers in place of files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.config.flint_config import FlintConfig
from flink_flint.linter.engine.check_run import check, documents_of
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.judging import judge_document
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.lsp import workspace as project
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.lsp.workspace import Canceled, Project, ProjectResults, is_excluded, options_for, shown
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.model.layers import ALONE, Relation

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


def output(finding: Finding) -> tuple[Any, ...]:
    fix = finding.proposed
    return (
        finding.code, finding.path, finding.span, finding.severity, finding.key, finding.document, finding.ordinal,
        finding.note, finding.flink_version, finding.related, fix and fix._replace(edits=()),
    )  # fmt: skip


def wanted(folder: Path, **buffers: str) -> list[tuple[Any, ...]]:
    """Return the results of checking a folder in which some files have the contents of buffers."""
    sources = [one for one in find([str(folder)], root=str(folder)) if isinstance(one, Source)]
    sources = [
        one._replace(data=buffers[Path(one.path).name].encode()) if Path(one.path).name in buffers else one
        for one in sources
    ]
    return sorted(map(output, check(sources, options_for(str(folder))).findings), key=str)


def found(project: Project, **buffers: str) -> list[tuple[Any, ...]]:
    return all_of(project.check_all(buffers))


def all_of(settled: ProjectResults) -> list[tuple[Any, ...]]:
    return sorted((output(one) for findings in settled.findings.values() for one in findings), key=str)


@pytest.mark.slow
def test_it_is_what_a_check_says(tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("*.py", "*.gz", "*.jsonl"))
    project = Project()
    project.folders = [str(folder)]
    first = found(project)
    assert first
    assert first == wanted(folder)
    assert found(project) == first  # from the cache


def test_a_buffer_counts_instead_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "session.yaml").write_text(SESSION, encoding="utf-8")
    (tmp_path / "job.yaml").write_text(JOB, encoding="utf-8")
    project = Project()
    project.folders = [str(tmp_path)]
    before = found(project)
    path = str(tmp_path / "session.yaml")
    typed = SESSION.replace("akka.framesize: 10m", 'taskmanager.numberOfTaskSlots: "x"')
    after = found(project, **{path: typed})
    assert after != before
    assert after == wanted(tmp_path, **{"session.yaml": typed})
    assert found(project, **{path: ""}) == wanted(tmp_path, **{"session.yaml": ""})


def test_a_file_is_judged_again_when_the_first_program_of_its_repository_uses_tables(tmp_path: Path) -> None:
    job = (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Job {\n  public static void main(String[] args) throws Exception {\n"
        "    StreamExecutionEnvironment.getExecutionEnvironment().execute();\n  }\n}\n"
    )
    (tmp_path / ".git").mkdir()
    for name, text in {
        "app/pom.xml": "<project/>",
        "app/Job.java": job,
        "cluster/Dockerfile": "FROM flink:1.20.3\n",
        "cluster/flink-conf.yaml": "rest.port: 8081\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    project = Project()
    project.folders = [str(tmp_path)]
    path = str(tmp_path / "app/Job.java")
    severities = []
    for text in (job, f"import org.apache.flink.table.api.TableEnvironment;\n{job}"):
        findings = project.check_all({path: text}).findings[str(tmp_path / "cluster/flink-conf.yaml")]
        severities += [one.severity for one in findings if one.code == "FLK948"]
    assert severities == [Severity.INFO, Severity.WARNING]


def repository(root: Path) -> tuple[str, str]:
    """Write a repository with a session cluster and, in another folder, a job; return the paths of both."""
    paths = {"clusters/session.yaml": SESSION.replace("10m", "10mb"), "jobs/job.yaml": JOB}
    (root / ".git").mkdir()
    for name, text in paths.items():
        (root / name).parent.mkdir()
        (root / name).write_text(text, encoding="utf-8")
    (root / "other").mkdir()
    (root / "other/flink-conf.yaml").write_text("akka.framesize: 10mb\n", encoding="utf-8")
    session, job = (str(root / name) for name in paths)
    return session, job


def named(root: Path, *paths: str, **buffers: str) -> list[tuple[Any, ...]]:
    """Return the results of a check that names some files, in which others have the contents of buffers."""
    sources = [one for one in find([str(root)], root=str(root)) if isinstance(one, Source)]
    sources = [one._replace(data=buffers[one.path].encode()) if one.path in buffers else one for one in sources]
    options = options_for(str(root))._replace(named=frozenset(paths))
    return sorted(map(output, check(sources, options).findings), key=str)


def test_the_project_around_an_open_folder_is_read(tmp_path: Path) -> None:
    session, job = repository(tmp_path)
    project = Project()
    project.folders = [str(tmp_path / "jobs")]
    project.check_all({})
    (judged,) = project.check(job, Buffer(JOB)).judged
    assert [one.path for one in judged.relation.below] == [session]
    assert found(project) == named(tmp_path, job)


def test_the_project_around_an_open_file_is_read_with_what_is_typed(tmp_path: Path) -> None:
    session, job = repository(tmp_path)
    project = Project()
    assert found(project, **{session: SESSION}) == named(tmp_path, session, **{session: SESSION})
    typed = SESSION.replace("akka.framesize: 10m", 'taskmanager.numberOfTaskSlots: "x"')
    both = project.check_all({session: typed, job: JOB})
    assert set(both.judged) == {session, job}
    (judged,) = both.judged[job]
    assert judged.relation.below == (both.judged[session][0].document,) or judged.relation.below[0].text == typed
    assert found(project) == []


def test_a_document_that_is_typed_is_judged_with_the_others_it_belongs_to(tmp_path: Path) -> None:
    (tmp_path / "session.yaml").write_text(SESSION, encoding="utf-8")
    (tmp_path / "job.yaml").write_text(JOB, encoding="utf-8")
    project = Project()
    project.folders = [str(tmp_path)]
    path = str(tmp_path / "job.yaml")
    (alone,) = project.check(path, Buffer(JOB)).judged
    assert alone.relation is ALONE
    project.check_all({path: JOB})
    (judged,) = project.check(path, Buffer(f"{JOB}    # more\n")).judged
    assert [one.path for one in judged.relation.below] == [str(tmp_path / "session.yaml")]
    assert judged.target.release == parse_release("1.17")


def test_documents_of_one_file_are_related_as_they_are_typed(tmp_path: Path) -> None:
    path, text = str(tmp_path / "both.yaml"), f"{SESSION}---\n{JOB}"
    project = Project()
    project.folders = [str(tmp_path)]
    project.check_all({path: text})
    session, job = project.check(path, Buffer(text.replace("10m", "20m"))).judged
    assert job.relation.below == (session.document,)


def files_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that records the paths of files read from now on."""
    read: list[str] = []

    def documents(source: Source, options: Options) -> list[tuple[Document, FlintConfig]]:
        read.append(source.path)
        return documents_of(source, options)

    monkeypatch.setattr(project, "documents_of", documents)
    return read


def files_judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that records the paths of documents checked from now on."""
    judged: list[str] = []

    def judge(document: Document, flint_config: FlintConfig, options: Options, relation: Relation) -> Judged:
        judged.append(document.path)
        return judge_document(document, flint_config, options, relation)

    monkeypatch.setattr(project, "judge_document", judge)
    return judged


CONF = "blob.storage.directory: /tmp/x\nparallelism.default: 2\nfs.s3a.secret.key: geheim\nno.such.key: 1\n"


@pytest.mark.parametrize("name", ["flink-conf.yaml", "config.yaml"])
def test_what_was_found_in_an_open_file_is_used_by_the_check_of_all(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "session.yaml").write_text(SESSION, encoding="utf-8")
    path = str(tmp_path / name)
    files = Project()
    files.folders = [str(tmp_path)]
    read = files_read(monkeypatch)
    judged = files_judged(monkeypatch)
    text = CONF
    for line in ("rest.port: x\n", "# more\n", "rest.address: a\n"):
        text = line + text
        files.check(path, Buffer(text))
        assert all_of(files.check_all({path: text})) == wanted(tmp_path, **{name: text})
    assert read == judged == [path, str(tmp_path / "session.yaml"), path, path]


def test_what_nobody_wants_is_given_up_and_what_was_read_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flink-conf.yaml").write_text(CONF, encoding="utf-8")
    files = Project()
    files.folders = [str(tmp_path)]
    read = files_read(monkeypatch)
    with pytest.raises(Canceled):
        files.check_all({}, is_over=lambda: bool(read))
    assert len(read) == 1
    assert found(files) == wanted(tmp_path)
    assert len(read) == 2


def test_what_has_a_uri_alone_lies_in_no_folder(tmp_path: Path) -> None:
    project = Project()
    project.folders = [str(tmp_path)]
    assert project.check_all({"untitled:Untitled-1": "shopping: milk\n"}).findings == {}
    assert project.check_all({"untitled:flink-conf.yaml": CONF}).findings.keys() == {"untitled:flink-conf.yaml"}


def test_a_file_outside_of_the_folders_belongs_to_none_of_their_files(tmp_path: Path) -> None:
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()
    (tmp_path / "inside" / "session.yaml").write_text(SESSION, encoding="utf-8")
    project = Project()
    project.folders = [str(tmp_path / "inside")]
    for name, is_alone in (("inside", False), ("outside", True)):
        path = str(tmp_path / name / "job.yaml")
        (judged,) = project.check_all({path: JOB}).judged[path]
        assert (judged.relation is ALONE) == is_alone


def test_rules_of_users_are_registered_again_with_what_is_read_then(tmp_path: Path) -> None:
    rule = '[[rule]]\ncode = "ACME077"\nseverity = "error"\noption = "rest.port"\nset = true\nmessage = "a port"\n'
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flint.toml").write_text(rule, encoding="utf-8")
        (tmp_path / name / "flink-conf.yaml").write_text("rest.port: 1\n", encoding="utf-8")
    project = Project()
    project.folders = [str(tmp_path)]
    for _ in range(2):
        findings = project.check_all({}).findings.values()
        assert [one.code for some in findings for one in some if one.code == "ACME077"] == ["ACME077"] * 2
        assert "ACME077" in registry().by_code
        project.forget()
        assert "ACME077" not in registry().by_code


@pytest.mark.parametrize(
    ("beside", "text"),
    [
        ("Dockerfile", "FROM flink:{release}\n"),
        ("Chart.yaml", "name: flink\nappVersion: {release}.0\n"),
        ("pom.xml", "<project><properties><flink.version>{release}.0</flink.version></properties></project>\n"),
    ],
)
def test_the_release_that_another_file_names_is_read_again(beside: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("rest.port: 8081\n", encoding="utf-8")
    project = Project()
    project.folders = [str(tmp_path)]
    for release in ("1.15", "1.17"):
        (tmp_path / beside).write_text(text.format(release=release), encoding="utf-8")
        project.forget()
        (judged,) = project.check_all({}).judged[str(tmp_path / "flink-conf.yaml")]
        assert judged.target.version == f"{release}{'' if beside == 'Dockerfile' else '.0'}"


def test_what_surrounds_a_file_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("rest:\n  port: 8081\n", encoding="utf-8")
    project = Project()
    project.folders = [str(tmp_path)]
    assert project.check_all({}).judged == {}
    (tmp_path / "Dockerfile").write_text("FROM flink:2.0\nCOPY config.yaml /opt/flink/conf/\n", encoding="utf-8")
    project.forget()
    assert str(tmp_path / "config.yaml") in project.check_all({}).judged


def test_what_flint_config_exclude_and_baselines_accept(tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text('exclude = ["old/"]\nbaseline = "known.json"\n', encoding="utf-8")
    project = Project()
    project.forget()
    assert is_excluded(str(tmp_path / "old" / "config.yaml"))
    assert not is_excluded(str(tmp_path / "new" / "config.yaml"))
    with pytest.raises(ValueError, match=r"known\.json"):
        shown([], str(tmp_path / "config.yaml"))
    project.forget()
