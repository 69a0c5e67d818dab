"""From files to findings: releases, severities, order, crashes, and independence of the number of processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.config.flint_config import FlintConfigError
from flink_flint.linter.engine import reported_findings, selection
from flink_flint.linter.engine.check_run import check, documents_of, unjudged
from flink_flint.linter.engine.discovery import Source, open_file
from flink_flint.linter.engine.registry import Declaration, Registry, declare, registry
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.releases import spell
from flink_flint.linter.formats import file_formats
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.model.rule import Rule
from flink_flint.linter.model.view import View
from tests.conftest import Flint


def source(text: str, name: str = "flink-conf.yaml", folder: str = "/nowhere") -> Source:
    file_format = next(c for c in file_formats() if c.named(name))
    return Source(f"{folder}/{name}", text.encode(), file_format)


class Probe:
    """A rule for a test, which replaces all rules in the registry except flint's own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, check_: Any, **declared: Any) -> None:
        given: dict[str, Any] = {
            "code": "FLK099", "name": "probe", "family": "settings", "severity": Severity.ERROR, "confidence": 3,
            "reads": (), "when": (), "flink": ">=1.9", "since": "0.1", "scope": "document", "always": True,
            "every_release": False, "of_scale": False, "summary": "a probe",
            "module": "flink_flint.rules.settings.probe",
            **declared,
        }  # fmt: skip
        rule = Rule(check_, **given)
        own = [d for d in registry().declarations if d.scope in ("crash", "suppressions")]
        probed = Registry([*own, declare(rule)])
        for module in ("chosen_rules", "judging", "reported_findings", "selection"):
            monkeypatch.setattr(f"flink_flint.linter.engine.{module}.registry", lambda: probed)
        load = Declaration.load
        monkeypatch.setattr(Declaration, "load", lambda self: rule if self.code == rule.code else load(self))
        forget()


def forget() -> None:
    """Clear the caches that depend on the registry."""
    for cached in (
        selection.select_codes, selection._readers, selection.called_by, selection.called_by_a_change,
        selection.project_rules, reported_findings._levels,
    ):  # fmt: skip
        cached.cache_clear()


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    forget()


def judge(text: str, name: str = "flink-conf.yaml", **options: Any) -> list[Finding]:
    return check([source(text, name)], Options(**options)).findings


# -- releases


def test_a_rule_is_evaluated_once_where_nothing_it_reads_depends_on_the_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def probe(config: View) -> Iterator[Finding]:
        asked.append(config.index)
        yield config.finding("always")

    Probe(monkeypatch, probe)
    (finding,) = judge("parallelism.default: 2\n")
    assert len(asked) == 1
    assert (finding.severity, finding.note, finding.flink_version) == (Severity.ERROR, None, None)


def test_what_does_not_hold_in_every_candidate_is_no_error_and_says_where_it_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if not config.since("1.17"):
            yield config.finding("only before 1.17")

    Probe(monkeypatch, probe)
    (finding,) = judge("parallelism.default: 2\n")
    assert (finding.severity, finding.message) == (Severity.WARNING, "only before 1.17 (Flink 1.9 to 1.16)")
    assert judge("parallelism.default: 2\n", flink_version="1.18") == []
    (finding,) = judge("parallelism.default: 2\n", flink_version="1.16.3")
    assert (finding.severity, finding.note, finding.flink_version) == (Severity.ERROR, None, "1.16.3")


def test_in_a_range_that_somebody_named_only_what_holds_in_all_of_it_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if config.since("1.19"):
            yield config.finding("from 1.19 on")

    Probe(monkeypatch, probe)
    (finding,) = judge("parallelism.default: 2\n", flink_version=">=1.18,<2")
    assert (finding.severity, finding.message) == (Severity.WARNING, "from 1.19 on (Flink 1.19 to 1.20)")
    (finding,) = judge("parallelism.default: 2\n", flink_version=">=1.19,<2")
    assert (finding.severity, finding.message) == (Severity.ERROR, "from 1.19 on")


def test_a_rule_of_every_release_is_silent_unless_all_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if not config.since("1.12"):
            yield config.finding("old")

    Probe(monkeypatch, probe, every_release=True)
    assert judge("parallelism.default: 2\n") == []
    assert len(judge("parallelism.default: 2\n", flink_version="1.11")) == 1


def test_stretches_of_a_renamed_option_follow_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def probe(config: View) -> Iterator[Finding]:
        setting = config.get("pekko.framesize")
        asked.append((config.release.name, setting.is_set))
        if setting.is_set:
            yield setting.finding("set")

    Probe(monkeypatch, probe)
    (finding,) = judge("akka.framesize: 20m\n")
    assert finding.note is None
    assert asked == [("1.20", True), ("1.17", True)]
    asked.clear()
    (finding,) = judge("pekko.framesize: 20m\n", flink_version=">=1.17")
    assert finding.message == "set (Flink 1.18 to 1.20)"
    assert finding.key == "pekko.framesize"


def test_a_rule_speaks_only_about_its_own_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        yield config.finding("here")

    Probe(monkeypatch, probe, flink="<1.7")
    assert judge("parallelism.default: 2\n") == []
    assert len(judge("parallelism.default: 2\n", flink_version="1.6.0")) == 1


def test_patches_count_where_they_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if not config.since("1.20.4"):
            yield config.finding("before 1.20.4")

    Probe(monkeypatch, probe)
    assert [len(judge("a.b: 1\n", flink_version=v)) for v in ("1.20.3", "1.20.4", "1.20", "1.19.3", "2.0")] == [
        *(1, 0, 0, 1, 0)
    ]


def test_minors_are_spelled_as_stretches() -> None:
    assert spell([0, 1, 2, 5, 7, 8]) == "1.9 to 1.11, 1.14, 1.16 to 1.17"


# -- order, identity, processes

MANY = (
    "".join(f"jobmanager.unknown-{n}: 1\n" for n in range(5))
    + "blob.storage.directory: /tmp/blobs\nhigh-availability: zookeeper\n"
)


def test_findings_come_worst_first_and_in_order_of_place(flint: Flint, tmp_path: Path) -> None:
    for folder in ("b", "a"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "flink-conf.yaml").write_text(MANY)
    found = json.loads(flint("check", "b", "a", "--output-format", "json").stdout)["findings"]
    half = len(found) // 2
    # By path, whatever the order in which the files were named.
    assert [f["path"] for f in found] == ["a/flink-conf.yaml"] * half + ["b/flink-conf.yaml"] * half
    ranks = {"error": 0, "warning": 1, "info": 2}
    first = [(ranks[f["severity"]], f["start"]["line"], f["start"]["column"]) for f in found[:half]]
    assert first == sorted(first)
    assert len(set(first)) > 1


def test_what_is_said_of_whole_documents_is_reported_once_a_file() -> None:
    service = "  {}:\n    image: flink:1.11.2\n    command: {}\n"
    text = "services:\n" + service.format("jm", "jobmanager") + service.format("tm", "taskmanager")
    file_format = next(c for c in file_formats() if c.kind == "compose")
    found = check(
        [Source("/nowhere/docker-compose.yml", text.encode(), file_format)], Options(select=("FLK948",))
    ).findings
    assert [(finding.document, finding.evidence["vulnerability"]) for finding in found] == [
        ("service jm", "CVE-2020-17519")
    ]


@pytest.mark.slow
def test_processes_change_nothing(flint: Flint, tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"c{number:02}").mkdir()
        (tmp_path / f"c{number:02}" / "flink-conf.yaml").write_text(MANY + f"jobmanager.n{number}: 1\n")
    runs = [flint("check", ".", "--output-format", "json", "-j", jobs) for jobs in ("1", "2", "5")]
    assert runs[0].stdout == runs[1].stdout == runs[2].stdout
    assert runs[0].returncode == runs[1].returncode == 1
    assert json.loads(runs[0].stdout)["files"] == 30


def test_fingerprints_survive_reordering_reformatting_and_other_values() -> None:
    one = judge("rest.port: 1\nblob.storage.directory: /tmp/a\n", select=("FLK101",))
    other = judge("# moved\nblob.storage.directory:    /tmp/b   # up\n\nrest.port: 2\n", select=("FLK101",))
    assert [f.fingerprint for f in one] == [f.fingerprint for f in other]
    assert len({f.fingerprint for f in judge(MANY)}) == len(judge(MANY))


def test_a_single_process_starts_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise AssertionError("processes are started")

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", refuse)
    report = check([source(MANY), source(MANY, folder="/other")], Options(), processes=1)
    assert report.files == 2


# -- what is evaluated


def test_of_a_project_only_the_named_files_and_what_is_related_to_them_are_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def probe(config: View) -> None:
        asked.append(config.document.path)

    Probe(monkeypatch, probe)
    one, other = source("rest.port: 1\n"), source("rest.port: 2\n", folder="/other")
    check([one, other], Options(flink_version="1.20", named=frozenset({one.path})))
    assert asked == [one.path]


def test_the_keys_of_a_document_are_judged_in_one_view_of_each_release(monkeypatch: pytest.MonkeyPatch) -> None:
    views = []

    def probe(config: View, setting: object) -> None:
        views.append(config)

    Probe(monkeypatch, probe, scope="key")
    judge("rest.port: 1\nparallelism.default: 2\n", flink_version=">=1.19,<2")
    assert len(views) > 1
    assert len({id(view) for view in views}) == len({view.index for view in views})


def test_a_rule_on_changes_may_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def probe(before: View, after: View) -> None:
        asked.append((before.written("rest.port").text, after.written("rest.port").text))

    Probe(monkeypatch, probe, scope="change")
    earlier = unjudged([source("rest.port: 1\n")], Options())
    report = check([source("rest.port: 2\n")], Options(), earlier=earlier)
    assert asked == [("1", "2")]
    assert (report.findings, report.crashed) == ([], False)


@pytest.mark.parametrize(("name", "known"), [("sql-ttl-short", "has short"), ("blob-storage-in-tmp", "has none")])
def test_a_threshold_that_a_rule_does_not_have_is_refused(name: str, known: str, tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text(f"[thresholds.{name}]\nno-such = 1\n")
    with pytest.raises(FlintConfigError, match=f"{name}.no-such: no such threshold; {name} {known}"):
        check([source("rest.port: 1\n", folder=str(tmp_path))], Options())


# -- crashes


def test_a_rule_that_crashes_becomes_a_finding_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        yield config.finding("before the crash")
        raise KeyError("oh")

    Probe(monkeypatch, probe)
    report = check([source("a.b: 1\n"), source("a.b: 2\n", folder="/other")], Options())
    assert report.crashed
    assert [f.code for f in report.findings] == ["FLK000", "FLK000"]
    assert "FLK099" in report.findings[0].message
    assert "KeyError" in report.findings[0].message


def test_a_project_rule_that_crashes_becomes_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(project: object) -> Iterator[Finding]:
        raise RuntimeError(project)

    Probe(monkeypatch, probe, scope="project")
    report = check([source("a.b: 1\n")], Options())
    assert report.crashed
    assert [f.code for f in report.findings] == ["FLK000"]


# -- exit status


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 1),
        (["--exit-zero"], 0),
        (["--fail-level", "error"], 0),
        (["--fail-level", "warning"], 1),
        (["--ignore", "storage"], 0),
        (["--select", "settings"], 0),
        (["--profile", "development"], 0),
        (["--profile", "development", "--fail-level", "info"], 1),
        (["--select", "no-such"], 2),
        (["--fail-level", "fatal"], 2),
        (["--output-format", "pdf"], 2),
        (["--flink-version", "newest"], 2),
        (["--flink-version", ">=7"], 2),
        (["--no-such-option"], 2),
    ],
)
def test_exit_statuses(arguments: list[str], status: int, flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n")
    result = flint("check", "flink-conf.yaml", *arguments)
    assert result.returncode == status, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    if status == 2:
        assert result.stderr.lower().startswith(("error: ", "usage: "))


@pytest.mark.parametrize(
    ("name", "release", "codes"),
    [
        ("flink-conf.yaml", "2.1", {"FLK018", "FLK945"}),
        ("flink-conf.yaml", ">=1.20,<2.2", {"FLK018", "FLK001", "FLK945"}),
        ("config.yaml", "1.17", {"FLK018", "FLK945"}),
        ("config.yaml", "2.1", {"FLK001", "FLK945"}),
    ],
)
def test_settings_of_a_file_that_flink_does_not_read_are_not_judged(name: str, release: str, codes: set[str]) -> None:
    text = "rest.prot: 8081\ns3.access-key: AKIAABCDEFGHIJKLMNOP\ns3.secret-key: f0oBarb4zQuxQuuxCorge1234567\n"
    options = Options(flink_version=release, select=("FLK001", "FLK018", "FLK945"))
    findings = check([source(text, name)], options).findings
    assert {finding.code for finding in findings} == codes


def test_a_suppressed_finding_voids_no_others() -> None:
    text = "# flint: file-ignore[FLK018] renamed by the image\nrest.prot: 8081\n"
    options = Options(flink_version="2.1", select=("FLK001", "FLK018"))
    assert [finding.code for finding in check([source(text)], options).findings] == ["FLK001"]


@pytest.mark.parametrize(
    "dockerfile", ["", "FROM flink:1.18\nCOPY src/main/resources/flink-conf.yaml /opt/flink/conf/\n"]
)
def test_a_configuration_inside_a_jar_is_no_deployment_unless_an_image_has_it(
    dockerfile: str, tmp_path: Path, flint: Flint
) -> None:
    resources = tmp_path / "src" / "main" / "resources"
    resources.mkdir(parents=True)
    hazard = "taskmanager.memory.managed.fraction: 0.4\ntaskmanager.memory.managed.size: 2g\n"
    (resources / "flink-conf.yaml").write_text(f"jobmanager.rpc.address: jm\n{hazard}")
    (tmp_path / "pom.xml").write_text("<project/>")
    if dockerfile:
        (tmp_path / "Dockerfile").write_text(dockerfile)
    run = flint("check", str(tmp_path), "--output-format", "json", "--no-cache")
    shown = {(one["code"], one["severity"]) for one in json.loads(run.stdout)["findings"]}
    assert ("FLK203", "warning" if dockerfile else "info") in shown


_LOG4J = """rootLogger.level = DEBUG
rootLogger.appenderRef.f.ref = F
appender.f.name = F
appender.f.type = File
appender.f.fileName = logs/flink.log
logger.f.name = org.apache.flink
logger.f.level = INFO
"""
_LOGBACK = """<configuration>
<appender name="F" class="ch.qos.logback.core.FileAppender"><file>flink.log</file></appender>
<logger name="org.apache.flink" level="INFO"/>
<root level="DEBUG"><appender-ref ref="F"/></root>
</configuration>
"""


@pytest.mark.parametrize(
    ("beside", "severity"),
    [
        ({}, "info"),
        ({"Dockerfile": "FROM flink:1.20\nCOPY target/job.jar /opt/flink/usrlib/job.jar\n"}, "info"),
        ({"Dockerfile": "FROM flink:1.20\nCOPY src/main/resources/{file} /opt/flink/conf/\n"}, "warning"),
        ({"Dockerfile": "FROM flink:1.20\nCOPY src/main/resources /opt/flink/conf\n"}, "warning"),
        ({"Dockerfile": "FROM maven:3 AS build\nCOPY src/main/resources /build/src/main/resources\n"}, "info"),
        (
            {
                "compose.yaml": "services:\n  jobmanager:\n    image: flink:1.20\n    command: jobmanager\n"
                "    volumes:\n      - ./src/main/resources/{file}:/opt/flink/conf/other\n"
            },
            "warning",
        ),
    ],
)
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("log4j2.properties", _LOG4J),
        ("logback.xml", _LOGBACK),
    ],
)
def test_a_logging_file_inside_a_jar_is_not_read_unless_containers_have_it_elsewhere(
    beside: dict[str, str], severity: str, file: str, text: str, tmp_path: Path, flint: Flint
) -> None:
    resources = tmp_path / "src" / "main" / "resources"
    resources.mkdir(parents=True)
    (resources / file).write_text(text)
    (tmp_path / "pom.xml").write_text("<project/>")
    for name, other in beside.items():
        (tmp_path / name).write_text(other.format(file=file))
    run = flint("check", str(tmp_path), "--output-format", "json", "--no-cache", "--select", "FLK113,FLK928")
    shown = {(one["code"], one["severity"]) for one in json.loads(run.stdout)["findings"]}
    assert shown == {("FLK113", severity), ("FLK928", severity)}


@pytest.mark.parametrize(("include_tests", "keys"), [(False, set()), (True, {"execution.checkpointing.interval"})])
def test_programs_in_folders_of_tests_are_parsed_only_if_tests_are_checked(
    tmp_path: Path, *, include_tests: bool, keys: set[str]
) -> None:
    folder = tmp_path / "src" / "test" / "java"
    folder.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    program = folder / "Job.java"
    program.write_text(
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "class Job { public static void main(String[] args) {\n"
        "  StreamExecutionEnvironment.getExecutionEnvironment().enableCheckpointing(1000);\n} }\n"
    )
    opened = open_file(str(program))
    assert isinstance(opened, Source)
    ((document, _),) = documents_of(opened, Options(include_tests=include_tests))
    assert set(document.effective) == keys
    assert document.purpose == "test"
    assert document.is_left_out is not include_tests
