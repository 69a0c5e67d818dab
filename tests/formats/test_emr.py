"""Classifications of Amazon EMR in JSON and YAML."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.formats import file_format_of
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

LIST = """[
  {
    "Classification": "flink-conf",
    "Properties": {
      "taskmanager.numberOfTaskSlots": "2",
      "state.checkpoints.dir": "s3://bucket/caf\\u00e9"
    }
  },
  {"Classification": "yarn-site", "Properties": {"yarn.nodemanager.resource.memory-mb": "12288"}}
]
"""
CLUSTER = """{
\t"Name": "é",
\t"ReleaseLabel": "emr-5.15.0",
\t"Configurations": [
\t\t{"Classification": "flink-conf", "Properties": {"rest.port": "8081", "parallelism.default": "4"},
\t\t\t"Configurations": [
\t\t\t{"Classification": "flink-log4j", "Properties": {"log4j.rootLogger": "DEBUG, file"}}
\t\t]}
\t]
}
"""
YAML = """ReleaseLabel: emr-6.15.0
Configurations:
  - &flink
    Classification: flink-conf
    Properties:
      # of each TaskManager
      taskmanager.numberOfTaskSlots: "2"   # two
      env.java.opts: >-
        -Dé=1
        -Db=2
      'parallelism.default': '4'
"""
SAMPLES = {
    "emr.json": LIST, "cluster.json": CLUSTER, "emr.yaml": YAML,
    "eks.yaml": "configurationOverrides:\n  applicationConfiguration:\n    - classification: flink-conf\n"
    "      properties: {rest.port: '8081', parallelism.default: \"{{ p }}\"}\n",
}  # fmt: skip


def test_properties_are_settings_at_their_places() -> None:
    (document,) = read("emr.json", LIST)
    assert document.kind == "emr"
    assert document.platform == "emr"
    assert document.release is None
    assert cuts(document) == [
        ("taskmanager.numberOfTaskSlots", '"taskmanager.numberOfTaskSlots"', '"2"'),
        ("state.checkpoints.dir", '"state.checkpoints.dir"', '"s3://bucket/caf\\u00e9"'),
    ]
    assert entry(document, "state.checkpoints.dir").text == "s3://bucket/café"


def test_the_release_label_next_to_the_configurations_names_the_release() -> None:
    (document,) = read("cluster.json", CLUSTER)
    assert document.release == ("1.4.2", "release label emr-5.15.0")


def test_line_ends_of_windows_and_tabs_do_not_move_places() -> None:
    (document,) = read("cluster.json", CLUSTER.replace("\n", "\r\n"))
    assert cuts(document) == [
        ("rest.port", '"rest.port"', '"8081"'), ("parallelism.default", '"parallelism.default"', '"4"'),
    ]  # fmt: skip


def test_yaml_is_read_with_anchors_comments_and_folded_texts() -> None:
    (document,) = read("emr.yaml", YAML)
    assert cuts(document) == [
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", '"2"'),
        ("env.java.opts", "env.java.opts", ">-\n        -Dé=1\n        -Db=2"),
        ("parallelism.default", "'parallelism.default'", "'4'"),
    ]
    assert entry(document, "env.java.opts").text == "-Dé=1 -Db=2"


def test_the_lower_case_of_emr_on_eks_is_read_and_templates_are_unknown() -> None:
    (document,) = read("eks.yaml", SAMPLES["eks.yaml"])
    assert entry(document, "rest.port").text == "8081"
    assert "{{ p }}" in entry(document, "parallelism.default").text


def test_what_emr_fills_in_itself_is_unknown() -> None:
    text = LIST.replace('"2"', "\"%{hiera('hadoop::zk')}\"")
    (document,) = read("emr.json", text)
    assert is_templated(entry(document, "taskmanager.numberOfTaskSlots").text)
    assert cuts(document)[0][2] == "\"%{hiera('hadoop::zk')}\""


def test_loggers_of_a_nested_classification_point_into_the_json() -> None:
    (document,) = read("cluster.json", CLUSTER)
    assert parts(document, "logger") == [
        ("root", {"level": ("DEBUG", "DEBUG"), "appenders[0]": ("file", "file")}),
    ]  # fmt: skip


def test_other_classifications_are_attributes_of_the_cluster() -> None:
    (document,) = read("emr.json", LIST)
    ((_, attributes),) = parts(document, "emr-cluster")
    assert attributes["yarn-site.yarn.nodemanager.resource.memory-mb"] == ("12288", '"12288"')


def test_values_that_are_not_strings_are_reported() -> None:
    text = '[{"Classification":"flink-conf","Properties":{"a.b":4,"c.d":true,"e":{"f":"g"},"h":["i"],"j":"k"}}]'
    (document,) = read("emr.json", text)
    ((_, attributes),) = parts(document, "emr-cluster")
    wrong = {name.rpartition("malformed.")[2]: value for name, (value, _) in attributes.items() if "malformed" in name}
    assert wrong == {"a.b": "number", "c.d": "boolean", "e": "mapping", "h": "list"}
    assert document.settings() == {"a.b": "4", "c.d": "true", "j": "k"}


def test_a_duplicate_key_counts_once() -> None:
    text = '[{"Classification":"flink-conf","Properties":{"rest.port":"1"}},'
    text += '{"Classification":"flink-conf","Properties":{"rest.port":"2"}}]'
    (document,) = read("emr.json", text)
    assert [found.overridden for found in document.entries] == [True, False]
    assert document.settings() == {"rest.port": "2"}


@pytest.mark.parametrize("name", ["emr.json", "cluster.json", "emr.yaml"])
def test_edits_change_one_setting(name: str) -> None:
    (document,) = read(name, SAMPLES[name])
    assert assert_edits_hold(document) >= 3


def test_a_setting_is_added_next_to_related_ones_with_a_comma() -> None:
    (document,) = read("emr.json", LIST)
    after = edited(document, "add", "state.savepoints.dir", "s3://bucket/s")
    assert after is not None
    assert 'caf\\u00e9",\n      "state.savepoints.dir": "s3://bucket/s"\n    }' in after.text


def test_the_last_setting_goes_with_the_comma_before_it() -> None:
    (document,) = read("emr.json", LIST)
    after = edited(document, "remove", entry(document, "state.checkpoints.dir"))
    assert after is not None
    assert '"taskmanager.numberOfTaskSlots": "2"\n    }' in after.text


def test_a_setting_is_added_to_yaml_as_a_line() -> None:
    (document,) = read("emr.yaml", YAML)
    after = edited(document, "add", "blob.storage.directory", "/mnt/blobs")
    assert after is not None
    assert after.text.endswith("      'blob.storage.directory': '/mnt/blobs'\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("spark.json", '[{"Classification": "spark-defaults", "Properties": {"a": "b"}}]'),
        ("x.yaml", "classification: secret\nname: flink\n"),
        ("x.json", '{"about": "flink"}'),
    ],
)
def test_files_without_a_classification_of_flink_are_left_alone(name: str, text: str) -> None:
    found = file_format_of(name, text)
    assert found is None or found.kind != "emr"


def test_what_is_cut_off_is_read_as_far_as_it_goes() -> None:
    (document,) = read("emr.json", LIST[: LIST.index('"state.checkpoints.dir": ') + 30])
    assert document.settings()["taskmanager.numberOfTaskSlots"] == "2"
