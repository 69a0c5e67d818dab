"""Findings on a file for several releases: which of them they hold for, in severity, message, note, help and fix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_flint.linter.commands.rule_cases import place
from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.formats import file_formats
from flink_flint.linter.model.finding import RELEASES, Finding, Severity
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import View
from tests.engine.test_check_run import Probe, forget, judge
from tests.marks import mostly_slow
from tests.rules.cases import all_cases, options_of


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    forget()


def source(text: str, folder: str) -> Source:
    file_format = next(c for c in file_formats() if c.named("flink-conf.yaml"))
    return Source(f"{folder}/flink-conf.yaml", text.encode(), file_format)


def test_a_rule_that_says_different_things_makes_one_finding_with_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if config.since("1.17"):
            yield config.finding("it is refused")
        elif config.since("1.13"):
            yield config.finding("it is ignored", severity=Severity.WARNING)

    Probe(monkeypatch, probe)
    (finding,) = judge("rest.port: 1\n", flink_version=">=1.13,<=1.20")
    assert finding.severity == Severity.WARNING
    assert finding.message == "it is refused (Flink 1.17 to 1.20)"
    assert finding.note == "in Flink 1.13 to 1.16: it is ignored"
    (finding,) = judge("rest.port: 1\n", flink_version=">=1.17,<=1.20")
    assert (finding.severity, finding.message, finding.note) == (Severity.ERROR, "it is refused", None)


def test_several_findings_at_one_place_keep_their_own_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if config.since("1.15"):
            yield config.finding("first")
        yield config.finding("second")

    Probe(monkeypatch, probe)
    found = judge("rest.port: 1\n", flink_version=">=1.13,<=1.20")
    assert {(one.message, one.severity) for one in found} == {
        ("first (Flink 1.15 to 1.20)", Severity.WARNING),
        ("second", Severity.ERROR),
    }


def test_a_message_names_the_releases_it_holds_for_and_not_all_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if not config.since("1.16"):
            yield config.finding(
                f"{config.releases_text} ignores it",
                help=f"upgrade {config.releases_text}",
                evidence={"by": config.releases_text},
            )

    Probe(monkeypatch, probe)
    (finding,) = judge("rest.port: 1\n", flink_version=">=1.13,<=1.20")
    named = "Flink 1.13 to 1.15"
    assert (finding.message, finding.help) == (f"{named} ignores it", f"upgrade {named}")
    assert finding.evidence == {"by": named}
    (finding,) = judge("rest.port: 1\n", flink_version="1.14.2")
    assert finding.message == "Flink 1.14.2 ignores it"
    (finding,) = judge("rest.port: 1\n")
    assert finding.message == "Flink 1.9 to 1.15 ignores it"


def test_a_problem_outside_of_the_era_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if config.since("1.14"):
            yield config.finding("from 1.14 on")
        if not config.since("1.18"):
            yield config.finding("up to 1.17", key="k")
        yield config.finding("always", key="all")

    Probe(monkeypatch, probe)
    found = judge("mesos.master: a\n")
    assert {(one.message, one.severity) for one in found} == {
        ("up to 1.17", Severity.WARNING),
        ("always", Severity.ERROR),
    }


def test_help_names_a_key_that_all_releases_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        yield config.finding("a", key="a", help="set execution.checkpointing.dir: s3://bucket/checkpoints")
        yield config.finding("b", key="b", help="set client.heartbeat.timeout to 180 s")
        yield config.finding("c", key="c", help="delete execution.checkpointing.dir")
        yield config.finding("d", key="d", help="set execution.checkpointing.dir (state.checkpoints.dir before 1.20)")

    Probe(monkeypatch, probe)

    def helps(release: str) -> dict[str | None, str | None]:
        return {one.key: one.help for one in judge("rest.port: 1\n", flink_version=release)}

    old = helps(">=1.13,<=1.20")
    assert old["a"] == "set state.checkpoints.dir: s3://bucket/checkpoints"
    assert old["b"] == (
        "set client.heartbeat.timeout to 180 s (client.heartbeat.timeout is read by Flink 1.17 to 1.20 only)"
    )
    assert old["c"] == "delete execution.checkpointing.dir"
    assert old["d"] == "set execution.checkpointing.dir (state.checkpoints.dir before 1.20)"
    assert helps("1.18")["a"] == "set state.checkpoints.dir: s3://bucket/checkpoints"
    assert helps("1.20")["a"] == "set execution.checkpointing.dir: s3://bucket/checkpoints"


def test_a_fix_that_some_of_the_releases_do_not_read_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        setting = config.written("akka.framesize")
        yield setting.finding("old", fix=setting.rename("pekko.framesize"))

    Probe(monkeypatch, probe)
    (finding,) = judge("akka.framesize: 1\n", flink_version=">=1.17,<=1.20")
    assert finding.proposed is None
    (finding,) = judge("akka.framesize: 1\n", flink_version=">=1.18,<=1.20")
    assert finding.proposed is not None


def test_a_fix_for_some_of_the_releases_that_read_a_file_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        if config.since("1.16"):
            setting = config.get("rest.port")
            yield setting.finding("it has a new form", fix=setting.replace("2", safe=True))

    Probe(monkeypatch, probe)
    (finding,) = judge("rest.port: 1\n", flink_version=">=1.15,<=1.17")
    assert finding.proposed is None
    (finding,) = judge("rest.port: 1\n", flink_version=">=1.16,<=1.17")
    assert finding.proposed is not None


_RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    rest.port: 8081
  taskManager:
    resource: {memory: 1g}
"""


def test_help_names_the_field_of_a_resource_that_sets_an_option(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def probe(config: View) -> Iterator[Finding]:
        key = "taskmanager.memory.process.size"
        yield config.finding("it is small", help=f"set {key}: 2g", fix=config.get(key).replace("2g"))
        yield config.finding("it is there", help=f"delete {key}, and set rest.port: 8082")

    Probe(monkeypatch, probe)
    path = tmp_path / "deployment.yaml"
    path.write_text(_RESOURCE)
    small, there = check(list(find([str(path)])), Options()).findings
    assert small.help == "set spec.taskManager.resource.memory: 2g"
    assert small.proposed is not None
    assert small.proposed.title == "set spec.taskManager.resource.memory to 2g"
    assert there.help == "delete taskmanager.memory.process.size, and set rest.port: 8082"


def test_fixes_that_differ_between_releases_are_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(config: View) -> Iterator[Finding]:
        setting = config.written("rest.port")
        value = "1" if config.since("1.17") else "2"
        yield setting.finding(f"not {value}", fix=setting.replace(value))

    Probe(monkeypatch, probe)
    (finding,) = judge("rest.port: 3\n", flink_version=">=1.13,<=1.20")
    assert finding.proposed is None


def test_a_rule_that_compares_documents_is_evaluated_for_all_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(project: Project) -> Iterator[Finding]:
        for view in project.views:
            if view.since("1.16"):
                yield view.finding("from 1.16 on")

    Probe(monkeypatch, probe, scope="project")
    sources = [source("rest.port: 1\n", "/nowhere/a"), source("rest.port: 2\n", "/nowhere/b")]
    found = check(sources, Options(flink_version=">=1.13,<=1.20")).findings
    assert [(one.message, one.severity) for one in found] == [
        ("from 1.16 on (Flink 1.16 to 1.20)", Severity.WARNING)
    ] * 2
    found = check(sources, Options(flink_version=">=1.17,<=1.20")).findings
    assert [(one.message, one.severity) for one in found] == [("from 1.16 on", Severity.ERROR)] * 2


def test_a_rule_that_compares_documents_is_evaluated_for_its_own_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    def probe(project: Project) -> Iterator[Finding]:
        yield from (view.finding("here") for view in project.views)

    Probe(monkeypatch, probe, scope="project", flink=">=1.16")
    found = check([source("rest.port: 1\n", "/nowhere/a")], Options(flink_version=">=1.13,<=1.20")).findings
    assert [(one.message, one.severity) for one in found] == [("here (Flink 1.16 to 1.20)", Severity.WARNING)]


# -- the rules

_BAD = [(rule, case) for rule, case in all_cases() if case.bad and case.before is None and not case.observed]


@pytest.mark.parametrize("number", mostly_slow(range(len(_BAD)), 40), ids=lambda one: f"{_BAD[one][0].code}-{one}")
@pytest.mark.parametrize("releases", [">=1.10", ">=1.13,<=1.17", ">=1.18"])
def test_an_error_on_a_range_is_an_error_in_its_first_and_last_release(
    number: int, releases: str, tmp_path: Path
) -> None:
    rule, case = _BAD[number]
    place(case, case.text, str(tmp_path))
    paths = [str(tmp_path)] if case.beside else [str(tmp_path / case.name)]

    def found(version: str) -> list[Finding]:
        report = check(find(paths), options_of(rule, case, tmp_path)._replace(flink_version=version))
        assert not report.crashed
        ends.extend((one.target.indices[0], one.target.indices[-1]) for one in report.documents)
        return report.findings

    ends: list[tuple[int, int]] = []
    several = found(releases)
    assert not [one for one in several if RELEASES in f"{one.message}{one.help}{one.note}{one.evidence}"]
    errors = {(one.path, one.span) for one in several if one.severity == Severity.ERROR}
    if not errors or case.beside:
        return
    for index in {min(first for first, _ in ends), max(last for _, last in ends)}:
        alone = {(one.path, one.span) for one in found(MINORS[index])}
        assert errors <= alone, MINORS[index]
