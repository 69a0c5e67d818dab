"""A file that cannot be parsed is reported in every format; templates and unrelated files are not."""

from __future__ import annotations

import pytest

from flink_flint.linter.config.flint_config import NONE
from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.finding import Finding, Severity

RESOURCE = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
    "  image: flink:1.20\n  flinkConfiguration:\n    rest.port: '8081'\n"
)
SOUND = {
    "deployment.yaml": RESOURCE,
    "configmap.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink\ndata:\n  flink-conf.yaml: |\n"
    "    rest.port: 8081\n",
    "values.yaml": "flink: {}\nflinkConfiguration:\n  rest.port: '8081'\n",
    "docker-compose.yml": "services:\n  jobmanager:\n    image: flink:1.20\n    command: jobmanager\n",
    "kustomization.yaml": "# flink\nconfigMapGenerator:\n- name: flink\n  literals:\n  - parallelism.default=2\n"
    "  - taskmanager.numberOfTaskSlots=2\n",
    "template.yaml": "Resources:\n  A:\n    Type: AWS::KinesisAnalyticsV2::Application\n    Properties:\n"
    "      RuntimeEnvironment: FLINK-1_20\n",
    "application.yaml": "flink:\n  parallelism.default: 2\n  taskmanager.numberOfTaskSlots: 2\n",
}
CERTAIN = {
    "deployment.yaml",
    "configmap.yaml",
    "values.yaml",
    "docker-compose.yml",
    "kustomization.yaml",
    "template.yaml",
}
BREAKS = {
    "a quote that is not closed": "note: 'a\n",
    "a bracket that is not closed": "note: [a, b\n",
    "a second colon": "note: a: b\n",
    "a line without colon": "note\nmore: a\n",
    "a reserved character": "note: @a\n",
    "a tab for indentation": "note:\n\ta: b\n",
    "a merge conflict": "<<<<<<< HEAD\nnote: a\n=======\nnote: b\n>>>>>>> next\n",
    "an alias without anchor": "note: *a\n",
}


def found(name: str, text: str) -> list[Finding] | None:
    """Return the findings about parsing a file, or None if no format recognizes it."""
    file_format = file_format_of(name, text)
    if file_format is None:
        return None
    return check([Source(name, text.encode(), file_format)], Options(select=("FLK043",), flint_config=NONE)).findings


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_file_has_no_finding(name: str) -> None:
    assert found(name, SOUND[name]) == []


@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_file_has_a_finding(name: str, broken: str) -> None:
    findings = found(name, SOUND[name] + BREAKS[broken])
    assert findings is not None
    (finding,) = findings
    assert finding.severity == (Severity.ERROR if name in CERTAIN else Severity.WARNING)
    assert finding.span.start >= len(SOUND[name])


@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize(
    "more", ["{{ a }}: {{ b }}: c\n", "note: ${A}: b\n", "note:\ta\n", "{% if a %}\nnote: a: b\n{% endif %}\n"]
)
def test_what_is_rendered_first_or_read_elsewhere_has_none(name: str, more: str) -> None:
    assert not found(name, SOUND[name] + more)


@pytest.mark.parametrize("broken", BREAKS)
def test_a_file_of_others_has_none(broken: str) -> None:
    for name in ("deployment.yaml", "values.yaml", "docker-compose.yml", "application.yaml"):
        assert not found(name, "services:\n  web:\n    image: nginx\n" + BREAKS[broken])


@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_object_of_others_has_none(broken: str) -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n" + BREAKS[broken]
    assert found("deployment.yaml", f"{service}---\n{RESOURCE}") == []


@pytest.mark.parametrize("name", SOUND)
def test_bytes_that_are_not_utf8(name: str) -> None:
    file_format = file_format_of(name, SOUND[name])
    assert file_format is not None
    source = Source(name, SOUND[name].encode() + b"note: caf\xe9\n", file_format)
    (finding,) = check([source], Options(select=("FLK043",), flint_config=NONE)).findings
    assert "bytes that are not UTF-8" in finding.message


def test_json_xml_and_toml() -> None:
    trailing = '{"flink": {"taskmanager.numberOfTaskSlots": 2, "parallelism.default": 2,}}'
    for name, text, language in (
        ("job.json", trailing, "JSON"),
        ("job.toml", "[a]\n'taskmanager.numberOfTaskSlots' = 2\n'parallelism.default' = 2\nb = c d\n", "TOML"),
        ("logback.xml", "<configuration>\n<logger name='org.apache.flink'>\n</configuration>\n", "XML"),
    ):
        findings = found(name, text)
        assert findings is not None
        (finding,) = findings
        assert f"this is not {language}" in finding.message
        assert finding.severity == Severity.WARNING


@pytest.mark.parametrize("comment", ["# {{ a }}\n", "x-a: 1 # {{ a }}\n", "# {% raw %}\n"])
def test_a_tag_in_a_comment_excuses_nothing(comment: str) -> None:
    compose = SOUND["docker-compose.yml"]
    assert found("docker-compose.yml", f"{comment}{compose}note: a: b\n")
    assert not found("docker-compose.yml", f"{comment}{compose}note: a\n")
