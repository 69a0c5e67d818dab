"""Excerpts of YAML files: what is read of a text that is not YAML as a whole, and where it stands."""

from __future__ import annotations

from flink_flint.linter.formats.containers.compose import FILE_FORMAT as COMPOSE
from flink_flint.linter.formats.helm.helm_values import FILE_FORMAT as VALUES

_SERVICES = """services:
    restart: on-failure

  jobmanager:
    image: flink:1.20
    command: jobmanager
  taskmanager:
    image: flink:1.20
    command: taskmanager
"""
_CHART = """        retries: 3
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    state.checkpoints.dir: s3://orders/checkpoints
networkPolicy:
  enabled: true
"""


def test_lines_that_are_indented_more_are_left_out() -> None:
    documents = COMPOSE.read("docker-compose.yaml", _SERVICES.encode())
    containers = [one for document in documents for one in document.elements_of(("container",))]
    assert [one.name for one in containers] == ["jobmanager", "taskmanager"]
    image = containers[1].attributes["image"]
    assert image.span.start == _SERVICES.rindex("flink:1.20")
    assert any(document.refusals for document in documents)
    assert not any(document.whole for document in documents)


def test_missing_parents_are_assumed() -> None:
    documents = VALUES.read("values.yaml", _CHART.encode())
    entries = {entry.key: entry for document in documents for entry in document.entries}
    assert entries["taskmanager.numberOfTaskSlots"].value_span.start == _CHART.index('"2"')
    assert entries["state.checkpoints.dir"].text == "s3://orders/checkpoints"


def test_other_faults_leave_nothing() -> None:
    text = "services:\n  jobmanager:\n    image: 'flink:1.20\n    command: jobmanager\n"
    documents = COMPOSE.read("docker-compose.yaml", text.encode())
    assert not any(document.elements for document in documents)


def test_a_sound_file_is_read_once() -> None:
    text = _SERVICES.replace("    restart: on-failure\n", "")
    documents = COMPOSE.read("docker-compose.yaml", text.encode())
    assert len(documents) == 2
    assert not any(document.refusals for document in documents)
