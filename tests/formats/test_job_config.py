"""Job configurations in YAML, JSON, and TOML, and property groups."""

from __future__ import annotations

import json

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.syntax.toml_entries import read_toml
from tests.formats.reading import assert_edits_hold, cuts, edited, parts, read

YAML = """\
job: örders # the job
flink:
  parallelism.default: 4
  state:
    backend: rocksdb # fast
  "execution.checkpointing.interval": '60 s'
  pipeline.jars: [a.jar, b.jar]
  restart-strategy: {{ strategy }}
anchor: &a
  x: 1
"""
JSON = """\
{"job": "orders", "settings": {"flink": {
  "parallelism.default": 4,
  "state.backend": "rocks\\u0064b",
  "execution.checkpointing.interval": "60 s"
}}}
"""
TOML = """\
title = "örders"
[job.flink]   # the job
parallelism.default = 4
"execution.checkpointing.interval" = '60 s'
state.backend = \"\"\"rocksdb\"\"\"
pipeline.jars = ["a", # first
  "b"]
taskmanager . numberOfTaskSlots = 0x4
[[other]]
state.backend = "x"
"""
GROUPS = """\
[
  {"PropertyGroupId": "kinesis.analytics.flink.run.options", "PropertyMap": {"python": "main.py"}},
  {"PropertyGroupId": "ConsumerConfigProperties", "PropertyMap": {
    "input.stream.name": "orders", "aws.region": "eu-west-1", "flink.shard.getrecords.maxrecordcount": "10000"}},
  {"PropertyGroupId": "KafkaSink", "PropertyMap": {"topic": "out", "bootstrap.servers": "b:9092", "acks": "1"}}
]
"""

SAMPLES = {
    "job.yaml": YAML,
    "job.json": JSON,
    "job.toml": TOML,
    "flink-application-properties-dev.json": GROUPS,
}


def test_a_section_of_yaml_is_a_document() -> None:
    (document,) = read("job.yaml", YAML)
    assert (document.kind, document.name, document.whole) == ("properties", "flink", False)
    assert cuts(document) == [
        ("parallelism.default", "parallelism.default", "4"),
        ("state.backend", "backend", "rocksdb"),
        ("execution.checkpointing.interval", '"execution.checkpointing.interval"', "'60 s'"),
        ("pipeline.jars", "pipeline.jars", "[a.jar, b.jar]"),
        ("restart-strategy", "restart-strategy", "{{ strategy }}"),
    ]
    assert document.settings()["pipeline.jars"] == "a.jar;b.jar"
    assert document.effective["restart-strategy"].value is None


def test_a_section_of_json_is_found_at_any_depth() -> None:
    (document,) = read("job.json", JSON)
    assert document.name == "settings.flink"
    assert document.settings()["state.backend"] == "rocksdb"


def test_edits_of_json_leave_json() -> None:
    (document,) = read("job.json", JSON)
    assert assert_edits_hold(document, "x") >= 3
    for entry in document.entries:
        for how, value in (("replace", ("a b",)), ("remove", ())):
            after = edited(document, how, entry, *value)
            if after is not None:
                json.loads(after.text)


def test_edits_of_yaml_change_the_one_setting() -> None:
    (document,) = read("job.yaml", YAML)
    assert assert_edits_hold(document) >= 4
    after = edited(document, "add", "state.backend.incremental", "true")
    assert after is not None
    assert after.settings()["state.backend.incremental"] == "true"


def test_tables_and_dotted_keys_of_toml() -> None:
    (document,) = read("job.toml", TOML)
    assert document.name == "job.flink"
    assert cuts(document) == [
        ("parallelism.default", "default", "4"),
        ("execution.checkpointing.interval", '"execution.checkpointing.interval"', "'60 s'"),
        ("state.backend", "backend", '"""rocksdb"""'),
        ("pipeline.jars", "jars", '["a", # first\n  "b"]'),
        ("taskmanager.numberOfTaskSlots", "numberOfTaskSlots", "0x4"),
    ]
    assert document.settings()["pipeline.jars"] == "a;b"
    assert document.settings()["taskmanager.numberOfTaskSlots"] == "4"


def test_edits_of_toml_change_the_one_setting() -> None:
    (document,) = read("job.toml", TOML)
    assert assert_edits_hold(document) >= 6
    after = edited(document, "add", "execution.checkpointing.timeout", "10 min")
    assert after is not None
    assert "\"execution.checkpointing.timeout\" = '10 min'\n" in after.text


def test_a_broken_line_of_toml_does_not_hide_the_others() -> None:
    found = {".".join(leaf.path): leaf.value for leaf in read_toml("a = [1,\nb = 2\n= 3\nc = 'x'\n[d\ne = {f = 1}\n")}
    assert found == {"b": "2", "c": "x", "e": None}


def test_property_groups_give_the_clients_of_a_program() -> None:
    consumer, sink = read("flink-application-properties-dev.json", GROUPS)
    assert (consumer.platform, consumer.profile, consumer.kind) == ("msf", "development", "properties")
    ((name, attributes),) = parts(consumer, "kinesis-source")
    assert name == "orders"
    assert attributes["properties.flink.shard.getrecords.maxrecordcount"] == ("10000", '"10000"')
    assert "properties" not in attributes
    ((name, attributes),) = parts(sink, "kafka-sink")
    assert (name, attributes["api"]) == ("out", ("property-group", '"KafkaSink"'))
    assert attributes["properties"][0] is None


def test_an_ambiguous_group_has_no_element() -> None:
    text = '[{"PropertyGroupId": "x", "PropertyMap": {"bootstrap.servers": "b"}}]'
    assert file_format_of("application_properties.json", text) is None


def test_line_ends_of_windows_keep_the_places() -> None:
    for name, text in (("job.yaml", YAML), ("job.json", JSON), ("job.toml", TOML)):
        (document,) = read(name, text.replace("\n", "\r\n"))
        assert cuts(document)[0][2] == "4"


def test_files_of_other_programs_are_not_recognized() -> None:
    assert file_format_of("values.json", '{"state": {"backend": 1}, "rest": {"port": 2}}') is None
    assert file_format_of("pyproject.toml", '[tool.x]\nstate.backend = "s3"\n') is None
    assert file_format_of("app.yml", "server:\n  taskmanager: x\n  rest:\n    port: 1\n") is None
