"""EMR clusters and managed applications in Terraform."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.formats import file_format_of
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, file_format, parts, read

CLUSTER = """# é: the cluster
variable "slots" {
  default = 4
}
locals {
  label  = "emr-6.15.0"
  common = { "rest.port" = "8081" }
}
resource "aws_emr_cluster" "orders" {
  release_label = local.label
  configurations_json = jsonencode([
    {
      Classification = "flink-conf"
      Properties = merge(local.common, {
        "taskmanager.numberOfTaskSlots" = tostring(var.slots) // slots
        "state.checkpoints.dir"         = "s3://${aws_s3_bucket.state.id}/é"
        /* memory */ "taskmanager.memory.process.size" = "4g"
        parallelism                     = "1"
      })
    },
  ])
}
"""
HEREDOC = """resource "aws_emr_cluster" "orders" {
  release_label = "emr-5.8.0"

  configurations_json = <<-EOF
    [
      {
        "Classification": "flink-conf",
        "Properties": {
          "é.x": "${var.name}", "rest.port": "8081",
          "blob.storage.directory": "/tmp/blobs"
        }
      }
    ]
  EOF
}
"""
APPLICATION = """variable "parallelism" {
  type    = number
  default = 8
}
resource "aws_kinesisanalyticsv2_application" "orders" {
  name                = "${var.environment}-orders"
  runtime_environment = "FLINK-1_18"
  application_configuration {
    application_snapshot_configuration {
      snapshots_enabled = true
    }
    run_configuration {
      flink_run_configuration {
        allow_non_restored_state = false
      }
    }
    environment_properties {
      property_group {
        property_group_id = "ConsumerConfigProperties"
        property_map = {
          "aws.region"                            = local.region
          "flink.shard.getrecords.intervalmillis" = "1000"
        }
      }
      property_group {
        property_group_id = "KafkaSink"
        property_map = {
          "bootstrap.servers" : "a:9092", "topic" : "orders"
        }
      }
    }
    flink_application_configuration {
      checkpoint_configuration {
        configuration_type            = "CUSTOM"
        checkpoint_interval           = 5 * 60 * 1000
        min_pause_between_checkpoints = var.pause
      }
      parallelism_configuration {
        configuration_type  = "CUSTOM"
        parallelism         = var.parallelism
        parallelism_per_kpu = 1
      }
    }
  }
}
"""
TF_JSON = (
    '{"resource": {"aws_kinesisanalyticsv2_application": {"orders": {"runtime_environment": "FLINK-1_15",\n'
    ' "application_configuration": [{"flink_application_configuration": [{"checkpoint_configuration":\n'
    ' {"configuration_type": "DEFAULT"}}]}]}}, "aws_emr_cluster": {"e": {"release_label": "emr-7.1.0",\n'
    ' "configurations_json": "[{\\"Classification\\": \\"flink-conf\\", '
    '\\"Properties\\": {\\"rest.port\\": \\"8081\\"}}]"}}}}\n'
)
SAMPLES = {"main.tf": CLUSTER, "heredoc.tf": HEREDOC, "application.tf": APPLICATION, "main.tf.json": TF_JSON}


def test_properties_in_hcl_are_settings_at_their_places() -> None:
    (document,) = read("main.tf", CLUSTER)
    assert (document.kind, document.platform, document.name) == ("emr", "emr", "cluster orders")
    assert document.release == ("1.17.1", "release label emr-6.15.0")
    assert cuts(document) == [
        ("rest.port", '"rest.port"', '"8081"'),
        ("taskmanager.numberOfTaskSlots", '"taskmanager.numberOfTaskSlots"', "tostring(var.slots)"),
        ("state.checkpoints.dir", '"state.checkpoints.dir"', '"s3://${aws_s3_bucket.state.id}/é"'),
        ("taskmanager.memory.process.size", '"taskmanager.memory.process.size"', '"4g"'),
        ("parallelism", "parallelism", '"1"'),
    ]


def test_a_variable_with_a_default_is_known_and_another_reference_is_not() -> None:
    (document,) = read("main.tf", CLUSTER)
    assert entry(document, "taskmanager.numberOfTaskSlots").text == "4"
    assert is_templated(entry(document, "state.checkpoints.dir").text)


def test_a_heredoc_of_json_is_read_column_for_column() -> None:
    for text in (HEREDOC, HEREDOC.replace("\n", "\r\n")):
        (document,) = read("main.tf", text)
        assert cuts(document) == [
            ("é.x", '"é.x"', '"${var.name}"'), ("rest.port", '"rest.port"', '"8081"'),
            ("blob.storage.directory", '"blob.storage.directory"', '"/tmp/blobs"'),
        ]  # fmt: skip
        assert is_templated(entry(document, "é.x").text)


def test_an_interpolation_for_a_whole_value_does_not_break_the_json_around_it() -> None:
    text = HEREDOC.replace('"${var.name}"', "${jsonencode(var.name)}")
    (document,) = read("main.tf", text)
    assert entry(document, "rest.port").text == "8081"
    assert is_templated(entry(document, "é.x").text)


def test_a_quoted_json_is_read_through_its_backslashes() -> None:
    text = 'resource "aws_emr_cluster" "é" {\n  configurations = "[{\\"Classification\\":\\"flink-conf\\",'
    text += '\\"Properties\\":{\\"rest.port\\":\\"8081\\"}}]"\n}\n'
    (document,) = read("main.tf", text)
    assert cuts(document) == [("rest.port", '\\"rest.port\\"', '\\"8081\\"')]


def test_a_local_that_a_resource_refers_to_is_one_cluster_with_its_release() -> None:
    text = 'locals {\n  conf = [{ Classification = "flink-conf", Properties = { "rest.port" = "1" } }]\n}\n'
    text += 'resource "aws_emr_cluster" "a" {\n  release_label = "emr-7.6.0"\n'
    text += "  configurations_json = jsonencode(local.conf)\n}\n"
    (document,) = read("main.tf", text)
    assert document.release == ("1.20.0", "release label emr-7.6.0")
    assert cuts(document) == [("rest.port", '"rest.port"', '"1"')]


def test_unknown_properties_leave_the_document_a_part() -> None:
    text = CLUSTER.replace("local.common", "var.common")
    (document,) = read("main.tf", text)
    assert not document.whole
    (whole,) = read("main.tf", CLUSTER)
    assert whole.whole


def test_an_application_implies_settings() -> None:
    (document,) = read("main.tf", APPLICATION)
    assert (document.kind, document.platform) == ("msf", "msf")
    assert document.release == ("1.18", "runtime environment FLINK-1_18")
    assert cuts(document) == [
        ("execution.checkpointing.interval", "checkpoint_interval", "5 * 60 * 1000"),
        ("execution.checkpointing.min-pause", "min_pause_between_checkpoints", "var.pause"),
        ("parallelism.default", "parallelism", "var.parallelism"),
    ]
    assert [found.text for found in document.entries] == ["300000 ms", "${var.pause}", "8"]
    assert {found.style for found in document.entries} == {"implied"}


def test_fields_have_the_names_of_cloudformation() -> None:
    (document,) = read("main.tf", APPLICATION)
    ((_, fields),) = parts(document, "application")
    flink = "ApplicationConfiguration.FlinkApplicationConfiguration"
    assert fields[f"{flink}.ParallelismConfiguration.ParallelismPerKPU"] == (1, "1")
    assert fields[f"{flink}.CheckpointConfiguration.ConfigurationType"] == ("CUSTOM", '"CUSTOM"')
    assert fields["ApplicationConfiguration.ApplicationSnapshotConfiguration.SnapshotsEnabled"] == (True, "true")
    assert fields["RunConfiguration.FlinkRunConfiguration.AllowNonRestoredState"] == (False, "false")
    assert fields["ApplicationName"] == (None, '"${var.environment}-orders"')


def test_property_groups_of_connectors_are_elements_of_their_kind() -> None:
    (document,) = read("main.tf", APPLICATION)
    ((stream, kinesis),) = parts(document, "kinesis-source")
    assert stream == ""
    assert kinesis["api"] == ("property-group", '"ConsumerConfigProperties"')
    assert kinesis["properties.flink.shard.getrecords.intervalmillis"] == ("1000", '"1000"')
    assert kinesis["properties.aws.region"] == (None, "local.region")
    ((topic, kafka),) = parts(document, "kafka-sink")
    assert topic == "orders"
    assert kafka["properties.bootstrap.servers"] == ("a:9092", '"a:9092"')


def test_the_default_type_means_the_values_of_the_service() -> None:
    text = APPLICATION.replace('"CUSTOM"\n        checkpoint_interval', '"DEFAULT"\n        checkpoint_interval')
    (document,) = read("main.tf", text)
    assert entry(document, "execution.checkpointing.interval").text == "60000 ms"
    assert cuts(document)[0][1:] == ("configuration_type", '"DEFAULT"')


def test_the_json_of_terraform_is_read_as_well() -> None:
    application, cluster = read("main.tf.json", TF_JSON)
    assert application.release == ("1.15", "runtime environment FLINK-1_15")
    assert entry(application, "execution.checkpointing.interval").text == "60000 ms"
    assert cluster.release == ("1.18.1", "release label emr-7.1.0")
    assert cuts(cluster) == [("rest.port", '\\"rest.port\\"', '\\"8081\\"')]


@pytest.mark.parametrize(("name", "minimum"), [("main.tf", 6), ("heredoc.tf", 5)])
def test_edits_change_one_setting(name: str, minimum: int) -> None:
    (document,) = read(name, SAMPLES[name])
    assert assert_edits_hold(document) >= minimum


def test_references_are_not_written_over() -> None:
    (document,) = read("main.tf", CLUSTER)
    assert edited(document, "replace", entry(document, "taskmanager.numberOfTaskSlots"), "8") is None


def test_a_setting_is_added_in_hcl_with_quotes_around_its_key() -> None:
    (document,) = read("main.tf", CLUSTER)
    after = edited(document, "add", "blob.storage.directory", "/mnt/blobs")
    assert after is not None
    assert '\n        "blob.storage.directory" = "/mnt/blobs"\n' in after.text


@pytest.mark.parametrize("comment", ["# flint: ignore[FLK101] moved at boot", "// flint: ignore[FLK101] moved at boot"])
def test_a_finding_is_silenced_by_a_comment(comment: str) -> None:
    text = CLUSTER.replace('"4g"\n', f'"4g"\n        "blob.storage.directory" = "/tmp/b" {comment}\n')
    for written, findings in ((text, 0), (text.replace(comment, ""), 1)):
        report = check(
            [Source("main.tf", written.encode(), file_format("main.tf", written))], Options(select=("FLK101",))
        )
        assert len(report.findings) == findings


@pytest.mark.slow
def test_locals_that_grow_without_end_are_cut_short() -> None:
    lines = "".join(f"  a{n} = [local.a{n + 1}, local.a{n + 1}, local.a{n + 1}]\n" for n in range(30))
    text = f'locals {{\n{lines}  a30 = [local.a0]\n}}\n# Classification = "flink-conf"\n'
    (document,) = read("main.tf", text)
    assert document.is_in_part
    assert not document.entries


def test_the_other_provider_of_amazon_is_read_as_well() -> None:
    text = 'resource "awscc_kinesisanalyticsv2_application" "orders" {\n  runtime_environment = "FLINK-1_19"\n'
    text += (
        "  application_configuration = {\n    flink_application_configuration = {\n      checkpoint_configuration = {\n"
    )
    text += '        configuration_type = "CUSTOM", checkpoint_interval = 30000\n      }\n    }\n  }\n}\n'
    (document,) = read("main.tf", text)
    assert cuts(document)[0] == ("execution.checkpointing.interval", "checkpoint_interval", "30000")


def test_streams_are_elements_with_their_shards() -> None:
    text = (
        '# é: of the Flink job\nresource "aws_kinesis_stream" "orders" {\n  name        = "orders"\n'
        '  shard_count = 8\n}\nresource "aws_kinesis_stream" "bills" {\n  name = var.bills\n'
        '  stream_mode_details {\n    stream_mode = "ON_DEMAND"\n  }\n}\n'
    )
    (document,) = read("streams.tf", text)
    orders, bills = parts(document, "kinesis-stream")
    assert orders == ("orders", {"shards": (8, "8")})
    assert bills == ("", {"mode": ("ON_DEMAND", '"ON_DEMAND"')})
    assert not document.whole


def test_streams_without_flink_are_left_alone() -> None:
    assert file_format_of("streams.tf", 'resource "aws_kinesis_stream" "orders" {\n  name = "orders"\n}\n') is None
