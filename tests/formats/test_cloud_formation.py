"""Managed applications and EMR clusters in CloudFormation, SAM, and CDK output."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.formats import file_format_of
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

TEMPLATE = """AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Parameters:
  Label: {Type: String, Default: emr-5.28.0}
  Slots:
    Type: Number
    Default: 8
  Bucket:
    Type: String
Resources:
  Cluster:
    Type: AWS::EMR::Cluster
    Properties:
      Name: é
      ReleaseLabel: !Ref Label
      Configurations:
        - Classification: flink-conf
          ConfigurationProperties:
            # of each TaskManager
            taskmanager.numberOfTaskSlots: !Ref Slots
            parallelism.default: 2  # two
            'rest.port': "8081"
            state.checkpoints.dir: !Sub "s3://${Bucket}/c"
            state.savepoints.dir: !Sub s3://${Slots}-savepoints
            env.java.opts: !If [Debug, a, b]
            web.timeout: !Ref AWS::NoValue
            blob.server.port: |-
              6124
  Orders:
    Type: AWS::KinesisAnalyticsV2::Application
    Properties:
      ApplicationName: !Sub "${AWS::StackName}-orders"
      RuntimeEnvironment: FLINK-1_20
      ApplicationConfiguration:
        EnvironmentProperties:
          PropertyGroups:
            - PropertyGroupId: Input0
              PropertyMap:
                stream.arn: !GetAtt Stream.Arn
                aws.region: !Ref AWS::Region
        FlinkApplicationConfiguration:
          CheckpointConfiguration:
            ConfigurationType: CUSTOM
            CheckpointInterval: 10000
          ParallelismConfiguration:
            ConfigurationType: CUSTOM
            Parallelism: {"Ref": Slots}
            AutoScalingEnabled: !GetAtt X.Y
"""
CDK = """{
\t"Resources": {
\t\t"Orders": {
\t\t\t"Type": "AWS::KinesisAnalyticsV2::Application",
\t\t\t"Properties": {
\t\t\t\t"ApplicationName": {"Fn::Join": ["", ["é", {"Ref": "X"}]]}, "RuntimeEnvironment": "ZEPPELIN-FLINK-3_0",
\t\t\t\t"ApplicationConfiguration": {"FlinkApplicationConfiguration": {"CheckpointConfiguration":
\t\t\t\t\t{"ConfigurationType": "CUSTOM", "CheckpointingEnabled": false}}}
\t\t\t}
\t\t}
\t}
}
"""
CALL = '{"ApplicationName": "orders", "RuntimeEnvironment": "FLINK-1_15", "ApplicationConfiguration": {}}\n'
SAMPLES = {"template.yaml": TEMPLATE, "cdk.template.json": CDK, "create.json": CALL}


def test_the_properties_of_a_cluster_are_settings_at_their_places() -> None:
    cluster = read("template.yaml", TEMPLATE)[0]
    assert (cluster.kind, cluster.platform, cluster.name) == ("emr", "emr", "cluster Cluster")
    assert cluster.release == ("1.9.0", "release label emr-5.28.0")
    assert cuts(cluster) == [
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", "!Ref Slots"),
        ("parallelism.default", "parallelism.default", "2"),
        ("rest.port", "'rest.port'", '"8081"'),
        ("state.checkpoints.dir", "state.checkpoints.dir", '!Sub "s3://${Bucket}/c"'),
        ("state.savepoints.dir", "state.savepoints.dir", "!Sub s3://${Slots}-savepoints"),
        ("env.java.opts", "env.java.opts", "!If [Debug, a, b]"),
        ("blob.server.port", "blob.server.port", "|-\n              6124"),
    ]


def test_a_parameter_with_a_default_is_known_and_other_functions_are_not() -> None:
    cluster = read("template.yaml", TEMPLATE)[0]
    assert entry(cluster, "taskmanager.numberOfTaskSlots").text == "8"
    assert entry(cluster, "state.savepoints.dir").text == "s3://8-savepoints"
    assert is_templated(entry(cluster, "state.checkpoints.dir").text)
    assert is_templated(entry(cluster, "env.java.opts").text)


def test_no_value_removes_a_setting() -> None:
    assert "web.timeout" not in read("template.yaml", TEMPLATE)[0].effective


def test_line_ends_of_windows_do_not_move_places() -> None:
    plain = read("template.yaml", TEMPLATE)
    windows = read("template.yaml", TEMPLATE.replace("\n", "\r\n"))
    for one, other in zip(plain, windows, strict=True):
        assert [(k, v.replace("\r", "")) for _, k, v in cuts(other)] == [(k, v) for _, k, v in cuts(one)]


def test_numbers_of_a_template_become_texts_on_the_way() -> None:
    ((_, attributes),) = parts(read("template.yaml", TEMPLATE)[0], "emr-cluster")
    assert not [name for name in attributes if "malformed" in name]


def test_an_application_implies_settings_at_its_fields() -> None:
    application = read("template.yaml", TEMPLATE)[1]
    assert application.release == ("1.20", "runtime environment FLINK-1_20")
    assert cuts(application) == [
        ("execution.checkpointing.interval", "CheckpointInterval", "10000"),
        ("execution.checkpointing.min-pause", "ConfigurationType", "CUSTOM"),
        ("parallelism.default", "Parallelism", '{"Ref": Slots}'),
    ]
    assert [found.text for found in application.entries] == ["10000 ms", "5000 ms", "8"]


def test_fields_that_only_a_deployment_determines_are_unknown() -> None:
    ((_, fields),) = parts(read("template.yaml", TEMPLATE)[1], "application")
    scaling = "ApplicationConfiguration.FlinkApplicationConfiguration.ParallelismConfiguration.AutoScalingEnabled"
    assert fields[scaling] == (None, "!GetAtt X.Y")
    assert fields["ApplicationName"] == (None, '!Sub "${AWS::StackName}-orders"')


def test_a_group_named_for_reading_a_stream_is_a_source() -> None:
    ((stream, properties),) = parts(read("template.yaml", TEMPLATE.replace("Input0", "Input"))[1], "kinesis-source")
    assert stream == ""
    assert properties["properties.stream.arn"] == (None, "!GetAtt Stream.Arn")


def test_what_cdk_writes_is_read_and_checkpointing_may_be_off() -> None:
    (application,) = read("cdk.template.json", CDK)
    assert application.release == ("1.15", "runtime environment ZEPPELIN-FLINK-3_0")
    assert list(application.entries) == []
    ((_, fields),) = parts(application, "application")
    assert fields["ApplicationName"] == (None, '{"Fn::Join": ["", ["é", {"Ref": "X"}]]}')


def test_without_a_configuration_the_service_takes_checkpoints_all_the_same() -> None:
    (application,) = read("create.json", CALL)
    assert application.name == "application orders"
    assert application.settings()["execution.checkpointing.interval"] == "60000 ms"
    assert not application.whole


def test_edits_change_one_setting() -> None:
    cluster = read("template.yaml", TEMPLATE)[0]
    assert assert_edits_hold(cluster) >= 6


def test_a_setting_is_added_below_related_ones() -> None:
    cluster = read("template.yaml", TEMPLATE)[0]
    after = edited(cluster, "add", "blob.storage.directory", "/mnt/blobs")
    assert after is not None
    assert '"8081"\n            \'blob.storage.directory\': "/mnt/blobs"\n' in after.text


def test_fields_that_imply_a_setting_are_not_edited() -> None:
    application = read("template.yaml", TEMPLATE)[1]
    assert assert_edits_hold(application) == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("template.yaml", "Resources:\n  A:\n    Type: AWS::EMR::Cluster\n"),
        ("template.yaml", "Resources:\n  A:\n    Type: AWS::S3::Bucket\n    Name: flink\n"),
        ("package.json", '{"name": "flink-stack"}'),
    ],
)
def test_templates_without_flink_are_left_alone(name: str, text: str) -> None:
    found = file_format_of(name, text)
    assert found is None or found.kind not in ("msf", "emr")


def test_an_application_of_the_old_sql_runtime_is_none_of_flinks() -> None:
    assert file_format_of("create.json", CALL) is not None
    assert file_format_of("create.json", CALL.replace("FLINK-1_15", "SQL-1_0")) is None


def test_streams_are_elements_with_their_shards() -> None:
    text = (
        "Parameters:\n  Shards: {Type: Number, Default: 4}\nResources:\n  # é: read by Flink\n"
        "  Orders:\n    Type: AWS::Kinesis::Stream\n    Properties: {Name: orders, ShardCount: !Ref Shards}\n"
    )
    (document,) = read("streams.yaml", text)
    ((name, attributes),) = parts(document, "kinesis-stream")
    assert (name, attributes["shards"][0]) == ("orders", 4)


@pytest.mark.parametrize(
    ("name", "written", "after"),
    [
        ("template.yaml", "a", "slow"), ("template.yaml", "'a'", "'slow'"), ("template.yaml", '"a"', '"slow"'),
        ("template.json", '"a"', '"slow"'), ("x.template", "a", "slow"), ("x.template", '"a"', '"slow"'),
    ],
)  # fmt: skip
def test_a_value_is_written_like_the_one_before(name: str, written: str, after: str) -> None:
    text = (
        "Resources:\n  C:\n    Type: AWS::EMR::Cluster\n    Properties:\n      ReleaseLabel: emr-6.15.0\n"
        "      Applications: [{Name: Flink}]\n      Configurations:\n        - Classification: flink-conf\n"
        f"          ConfigurationProperties:\n            web.timeout: {written}\n"
    )
    if name.endswith(".json"):
        text = (
            '{"Resources": {"C": {"Type": "AWS::EMR::Cluster", "Properties": {"ReleaseLabel": "emr-6.15.0", '
            '"Configurations": [{"Classification": "flink-conf", "ConfigurationProperties": '
            f'{{"web.timeout": {written}}}}}]}}}}}}}}\n'
        )
    (document,) = read(name, text)
    changed = edited(document, "replace", document.effective["web.timeout"], "slow")
    assert changed is not None
    assert changed.text == text.replace(f"timeout: {written}", f"timeout: {after}").replace(
        f'timeout": {written}', f'timeout": {after}'
    )
