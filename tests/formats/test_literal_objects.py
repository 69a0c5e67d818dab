"""CDK, Pulumi and similar programs with resources as literal objects."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.infrastructure_code import script_literals
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, read

CDK = """import * as ka from 'aws-cdk-lib/aws-kinesisanalyticsv2';
const app = new ka.CfnApplication(this, 'App', {
  applicationName: 'orders', // é
  runtimeEnvironment: "FLINK-1_20",
  serviceExecutionRole: role.arn,
  applicationConfiguration: {
    flinkApplicationConfiguration: {
      checkpointConfiguration: { configurationType: 'CUSTOM', checkpointInterval: 5 * 60_000, ...more },
      parallelismConfiguration: { configurationType: 'CUSTOM', parallelism: 4, parallelismPerKpu: props.kpu },
    },
    environmentProperties: {
      propertyGroups: [{ propertyGroupId: 'source', propertyMap: { 'flink.stream.initpos': `LATEST` } }],
    },
  },
});
"""
CDK_PYTHON = """from aws_cdk import aws_kinesisanalyticsv2 as ka
é = 1
app = ka.CfnApplication(self, "App", application_name="orders", runtime_environment="FLINK-1_18",
    application_configuration=ka.CfnApplication.ApplicationConfigurationProperty(
        flink_application_configuration=ka.CfnApplication.FlinkApplicationConfigurationProperty(
            parallelism_configuration=ka.CfnApplication.ParallelismConfigurationProperty(
                configuration_type="CUSTOM", parallelism=7, parallelism_per_kpu=1))))
"""
PULUMI = """import * as k8s from "@pulumi/kubernetes";
new k8s.apiextensions.CustomResource("orders", {
  apiVersion: "flink.apache.org/v1beta1", kind: "FlinkDeployment", metadata: { name: "orders", namespace },
  spec: {
    flinkVersion: 'v1_20',
    image: `flink:${version}`,
    flinkConfiguration: {
      "rest.port": "8081", // é
      'taskmanager.numberOfTaskSlots': `${slots}`,
    },
    job: { parallelism: 2 },
  },
});
"""
BODY = """body = {
    "apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkSessionJob", "metadata": {"name": f"é-{name}"},
    "spec": {"flinkConfiguration": {"é": 'é', "rest.port": "8081", "rest.address": host, **more}},
}
"""
JSONNET = """# {braces: 'in a comment'
local slots = 4;
local base = import 'base.libsonnet'; // {
base {
  apiVersion: 'flink.apache.org/v1beta1', kind: 'FlinkDeployment', metadata: { name: 'orders' },
  spec+: {
    flinkVersion: 'v1_20',
    flinkConfiguration+: {
      'rest.port': '8081',  # é }
      'taskmanager.numberOfTaskSlots': std.toString(slots),
      'state.checkpoints.dir': "s3://é/c",
    },
    logConfiguration: { 'log4j-console.properties': |||
      rootLogger.level = {INFO
    ||| },
    job: { parallelism: 2, upgradeMode: 'savepoint' },
  },
}
"""
CONSTRUCT = """import * as flink from '@aws-cdk/aws-kinesisanalytics-flink-alpha';
new flink.Application(this, 'App', { // é
  code: flink.ApplicationCode.fromAsset('a.jar'),
  runtime: flink.Runtime.FLINK_1_18,
  applicationName: 'orders',
  checkpointInterval: Duration.minutes(5),
  minPauseBetweenCheckpoints: pause,
  parallelism: 4,
  logLevel: flink.LogLevel.DEBUG,
  snapshotsEnabled: false,
  propertyGroups: { app_properties: { 'flink.stream.initpos': 'LATEST' } },
});
"""
CONSTRUCT_PYTHON = """from aws_cdk import Duration, aws_kinesisanalytics_flink_alpha as flink
flink.Application(self, "App", code=flink.ApplicationCode.from_asset("a.jar"), runtime=flink.Runtime.FLINK_1_11,
    checkpoint_interval=Duration.seconds(30), parallelism_per_kpu=2, parallelism=6)
"""
SAMPLES = {
    "app.ts": CONSTRUCT,
    "app.py": CONSTRUCT_PYTHON,
    "job.jsonnet": JSONNET,
    "stack.ts": CDK,
    "stack.py": CDK_PYTHON,
    "index.ts": PULUMI,
    "body.py": BODY,
}


def test_an_object_of_jsonnet_is_a_manifest() -> None:
    (document,) = read("job.jsonnet", JSONNET)
    assert (document.kind, document.name, document.whole) == (
        "flinkdeployment",
        "FlinkDeployment default/orders",
        False,
    )
    assert document.release == ("1.20", "spec.flinkVersion")
    settings = document.settings()
    assert settings["rest.port"] == "8081"
    assert settings["parallelism.default"] == "2"
    assert settings["taskmanager.numberOfTaskSlots"] == "${std.toString(slots)}"
    assert ("state.checkpoints.dir", "'state.checkpoints.dir'", '"s3://é/c"') in cuts(document)
    assert read("job.libsonnet", JSONNET)[0].settings() == settings


def test_an_application_construct_of_cdk_is_the_resource_that_it_creates() -> None:
    (document,) = read("app.ts", CONSTRUCT)
    assert (document.kind, document.name) == ("msf", "application orders")
    assert document.release == ("1.18", "runtime environment FLINK-1_18")
    settings = document.settings()
    assert settings["execution.checkpointing.interval"] == "300000 ms"
    assert settings["execution.checkpointing.min-pause"] == "${pause}"
    assert settings["parallelism.default"] == "4"
    (application,) = (element for element in document.elements if element.kind == "application")
    flink = "ApplicationConfiguration.FlinkApplicationConfiguration"
    assert application.value(f"{flink}.MonitoringConfiguration.LogLevel") == "DEBUG"
    assert application.value("ApplicationConfiguration.ApplicationSnapshotConfiguration.SnapshotsEnabled") is False
    groups = "ApplicationConfiguration.EnvironmentProperties.PropertyGroups[0]"
    assert application.value(f"{groups}.PropertyGroupId") == "app_properties"


def test_an_application_construct_in_python() -> None:
    (document,) = read("app.py", CONSTRUCT_PYTHON)
    assert document.release == ("1.11", "runtime environment FLINK-1_11")
    settings = document.settings()
    assert (settings["execution.checkpointing.interval"], settings["parallelism.default"]) == ("30000 ms", "6")


@pytest.mark.parametrize(
    ("old", "new"),
    [("flink.Runtime.FLINK_1_18", "runtimes.newest"), ("  code:", "  source:"), ("-flink-alpha", "")],
)
def test_other_constructs_are_no_applications(old: str, new: str) -> None:
    assert file_format_of("app.ts", CONSTRUCT.replace(old, new)) is None


def test_only_the_first_tokens_of_a_very_long_program_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "make({ name: 'first' });\nmake({ name: 'second' });\n"
    monkeypatch.setattr(script_literals, "_MAX_TOKENS", 12)
    found = script_literals.ScriptLiterals(text).objects_with("name")
    assert [one.raw for one in found] == ["{ name: 'first' }"]


def test_an_application_of_cdk_is_that_of_its_template() -> None:
    (document,) = read("stack.ts", CDK)
    assert (document.kind, document.platform, document.name) == ("msf", "msf", "application orders")
    assert document.release == ("1.20", "runtime environment FLINK-1_20")
    assert document.settings()["execution.checkpointing.interval"] == "300000 ms"
    assert document.settings()["parallelism.default"] == "4"
    application = next(element for element in document.elements if element.kind == "application")
    path = "ApplicationConfiguration.FlinkApplicationConfiguration.ParallelismConfiguration.ParallelismPerKPU"
    assert application.attributes[path].value is None
    assert ("kinesis-source", "flink.stream.initpos") in [
        (element.kind, name.removeprefix("properties.")) for element in document.elements for name in element.attributes
    ]


def test_an_application_in_python() -> None:
    (document,) = read("stack.py", CDK_PYTHON)
    assert document.release == ("1.18", "runtime environment FLINK-1_18")
    found = entry(document, "parallelism.default")
    assert (found.text, CDK_PYTHON[slice(*found.key_span)], CDK_PYTHON[slice(*found.value_span)]) == (
        "7",
        "parallelism",
        "7",
    )


def test_an_object_of_pulumi_is_a_manifest() -> None:
    (document,) = read("index.ts", PULUMI)
    assert (document.kind, document.name) == ("flinkdeployment", "FlinkDeployment default/orders")
    assert document.release == ("1.20", "spec.flinkVersion")
    assert not document.whole
    assert ("rest.port", '"rest.port"', '"8081"') in cuts(document)
    assert "${" in document.settings()["taskmanager.numberOfTaskSlots"]
    assert document.settings()["parallelism.default"] == "2"


def test_a_dictionary_of_python_is_a_manifest() -> None:
    (document,) = read("body.py", BODY)
    assert cuts(document) == [
        ("é", '"é"', "'é'"), ("rest.port", '"rest.port"', '"8081"'), ("rest.address", '"rest.address"', "host"),
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "changes"), [("index.ts", 2), ("body.py", 2)])
def test_edits_change_one_setting(name: str, changes: int) -> None:
    assert sum(assert_edits_hold(document) for document in read(name, SAMPLES[name])) >= changes


def test_a_setting_is_added_in_the_language_of_the_program() -> None:
    (document,) = read("index.ts", PULUMI)
    after = edited(document, "add", "rest.address", "a")
    assert after is not None
    assert '"rest.address": "a"' in after.text


@pytest.mark.parametrize("value", ["", " +"])
def test_a_property_without_a_value_is_passed_over(value: str) -> None:
    text = CDK.replace("runtimeEnvironment:", f"runtimeEnvironment{value}: ,\n  other:")
    assert text != CDK
    (document,) = read("stack.ts", text)
    application = next(element for element in document.elements if element.kind == "application")
    assert "RuntimeEnvironment" not in application.attributes


def test_programs_of_others_are_not_read() -> None:
    assert file_format_of("stack.ts", CDK.replace("flinkApplication", "sqlApplication")) is None
    assert file_format_of("types.ts", "interface A { flinkApplicationConfiguration: Configuration }\n") is None
    assert (
        file_format_of("api.py", 'GROUP = "flink.apache.org/v1beta1"\nclient.get(GROUP, kind="FlinkDeployment")\n')
        is None
    )
