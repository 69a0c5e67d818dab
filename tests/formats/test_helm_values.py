"""Helm values: the operator's defaults, settings of application charts, and files inside scalars."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.elements import Element
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

OPERATOR = """# the chart of the operator
image:
  repository: ghcr.io/apache/flink-kubernetes-operator
  tag: 1.10.0
defaultConfiguration:
  create: true
  append: true
  flink-conf.yaml: |+
    # Flink Config Overrides
    kubernetes.operator.metrics.reporter.slf4j.factory.class: org.apache.flink.metrics.slf4j.Slf4jReporterFactory
    taskmanager.numberOfTaskSlots: 2
    parallelism.default: 1

  log4j-operator.properties: |+
    rootLogger.level = DEBUG
    rootLogger.appenderRef.console.ref = ConsoleAppender
operatorPod:
  env: []
"""

APP = """app:
  image: registry.example.org/orders:3
  flinkVersion: v1_20
  job:
    jarURI: local:///app.jar
    upgradeMode: stateless
    parallelism: 4
  # settings
  flinkConfiguration:
    "taskmanager.numberOfTaskSlots": "2"  # größe
    state.checkpoints.dir: s3://bucket/checkpoints
    execution.checkpointing.interval: {{ .Values.interval }}
    env.java.opts.all: >-
      -Da=1
      -Db=2
  taskManager:
    resource: {memory: "2048m", cpu: 1}
"""

SAMPLES = {
    "values.yaml": OPERATOR,
    "values-prod.yaml": APP.replace("{{ .Values.interval }}", "1m"),
    "orders.yaml.gotmpl": APP,
    "values-block.yaml": """flink:
  image:
    repository: apache/flink
    tag: "1.18.1-java11"
  config: |
    jobmanager.memory.process.size: 1600m
    taskmanager.memory.process.size: 1728m
    rest.port: 8081
  other: text
""",
    "values-flat.yaml": """jobs:
  - name: orders
    flinkProperties:
      taskmanager.numberOfTaskSlots: "2"
      high-availability:
        type: kubernetes
  - name: payments
    config:
      taskmanager.numberOfTaskSlots: 4
      parallelism.default: 8
""",
    "values-crlf.yaml": APP.replace("{{ .Values.interval }}", "1m").replace("\n", "\r\n"),
}


def test_the_operators_defaults_are_a_part_with_a_name_that_deployments_find() -> None:
    (document,) = read("values.yaml", OPERATOR)
    assert (document.kind, document.name, document.whole, document.platform, document.syntax, document.release) == (
        "helm", "operator defaults", False, "operator", "flink-conf", None,
    )  # fmt: skip
    assert cuts(document)[1] == ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", "2")
    assert dict(parts(document, "logger"))["root"]["level"] == ("DEBUG", "DEBUG")
    assert assert_edits_hold(document) > 0


def test_the_operators_config_yaml_is_read_as_config_yaml() -> None:
    (document,) = read("values.yaml", "defaultConfiguration:\n  config.yaml: |\n    rest:\n      port: 8081  # flink\n")
    assert (document.name, document.syntax, document.settings()) == (
        "operator defaults", "config-yaml", {"rest.port": "8081"},
    )  # fmt: skip


def test_settings_of_an_application_include_the_typed_fields_next_to_them() -> None:
    (document,) = read("values-prod.yaml", SAMPLES["values-prod.yaml"])
    assert (document.kind, document.name, document.whole, document.platform) == (
        "helm",
        "values app",
        False,
        "operator",
    )
    assert document.release == ("1.20", "flinkVersion")
    settings = document.settings()
    assert settings["taskmanager.numberOfTaskSlots"] == "2"
    assert settings["env.java.opts.all"] == "-Da=1 -Db=2"
    assert settings["taskmanager.memory.process.size"] == "2048m"
    found = entry(document, "taskmanager.memory.process.size")
    assert (found.style, found.layer, document.text[slice(*found.value_span)]) == (
        "implied", "app.taskManager.resource.memory", '"2048m"',
    )  # fmt: skip
    ((name, attributes),) = parts(document, "kubernetes-object")
    assert name == "values"
    assert attributes["spec.job.upgradeMode"] == ("stateless", "stateless")
    assert attributes["spec.job.parallelism"] == (4, "4")


def test_values_of_a_chart_for_one_application_are_whole_and_those_of_an_environment_are_not() -> None:
    (document,) = read("values.yaml", SAMPLES["values-prod.yaml"])
    assert document.whole
    (document,) = read("values-staging.yaml", SAMPLES["values-prod.yaml"])
    assert not document.whole


def test_a_chart_for_many_applications_is_a_part() -> None:
    text = SAMPLES["values-prod.yaml"].replace("    jarURI: local:///app.jar\n", "")
    (document,) = read("values.yaml", text)
    assert not document.whole


def test_values_to_which_a_template_adds_are_a_part() -> None:
    text = SAMPLES["values-prod.yaml"]
    (line,) = (one for one in text.splitlines(keepends=True) if one.lstrip().startswith("flinkVersion"))
    more = line.partition("flinkVersion")[0] + "{{ .Values.more }}\n"
    for inserted, is_whole in ((line, True), (more + line, False)):
        (document,) = read("values.yaml", text.replace(line, inserted))
        assert document.whole == is_whole, inserted


def test_a_tag_of_helmfile_makes_a_value_unknown() -> None:
    from flink_flint.linter.flink.file_loading import is_templated

    (document,) = read("orders.yaml.gotmpl", APP)
    assert is_templated(entry(document, "execution.checkpointing.interval").text)
    assert entry(document, "state.checkpoints.dir").text == "s3://bucket/checkpoints"


def test_a_file_inside_a_scalar_is_read_and_the_image_next_to_it_names_the_release() -> None:
    (document,) = read("values-block.yaml", SAMPLES["values-block.yaml"])
    assert (document.syntax, document.name, document.release) == ("flink-conf", "values flink", ("1.18.1", "image.tag"))
    assert cuts(document)[0] == ("jobmanager.memory.process.size", "jobmanager.memory.process.size", "1600m")
    assert assert_edits_hold(document, "2") == 6


def test_mappings_are_found_at_any_depth_and_inside_lists() -> None:
    first, second = read("values-flat.yaml", SAMPLES["values-flat.yaml"])
    assert first.settings() == {"taskmanager.numberOfTaskSlots": "2", "high-availability.type": "kubernetes"}
    assert cuts(first)[1] == ("high-availability.type", "type", "kubernetes")
    assert second.settings() == {"taskmanager.numberOfTaskSlots": "4", "parallelism.default": "8"}
    assert (first.name, second.name) == ("values jobs", "values jobs #2")


@pytest.mark.parametrize("name", SAMPLES)
def test_edits_change_one_setting(name: str) -> None:
    assert sum(assert_edits_hold(document, "17") for document in read(name, SAMPLES[name])) > 0


def test_a_setting_is_added_with_the_quotes_of_related_ones() -> None:
    (document,) = read("values-crlf.yaml", SAMPLES["values-crlf.yaml"])
    after = edited(document, "add", "taskmanager.memory.network.max", "1g")
    assert after is not None
    assert '"2"  # größe\r\n    taskmanager.memory.network.max: "1g"\r\n' in after.text


def test_links_to_the_documentation_of_one_release_tell_it_and_of_two_none() -> None:
    link = "# https://nightlies.apache.org/flink/flink-docs-release-2.2/docs/ops/\n"
    text = f"{link}{link}flinkConfiguration:\n  taskmanager.numberOfTaskSlots: '2'\n"
    assert read("values-a.yaml", text)[0].release == ("2.2", "links to its documentation")
    assert read("values-a.yaml", text + link.replace("2.2", "1.20"))[0].release is None
    operator = link.replace("flink-docs", "flink-kubernetes-operator-docs")
    assert read("values-a.yaml", text.replace(link, operator))[0].release is None


def test_values_that_hold_the_spec_of_a_platform_in_a_scalar_are_read() -> None:
    text = (
        "vvp:\n  globalDeploymentDefaults: |\n    spec:\n      template:\n        spec:\n"
        "          flinkConfiguration:\n            taskmanager.memory.managed.fraction: 0.0 # none\n"
    )
    (document,) = read("values-vvp.yaml", text)
    assert document.kind == "ververica"
    assert cuts(document) == [("taskmanager.memory.managed.fraction", "taskmanager.memory.managed.fraction", "0.0")]


def test_typed_fields_without_settings_are_read_too() -> None:
    text = "app: # flink\n  job: {entryClass: a.B}\n  taskManager:\n    resource: {memory: 3g}\n"
    (document,) = read("values-staging.yaml", text)
    assert document.settings()["taskmanager.memory.process.size"] == "3g"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SAMPLES["values-prod.yaml"].replace("\r", "") + "taskManager:\n  resource:\n    memory: 1g\n", []),
        (
            "app:\n  job: {jarURI: a}\n  flinkConfiguration: {rest.port: '1'}\njobManager:\n  resource: {memory: 1g}\n",
            [("jobManager", "jobManager", "app.jobManager")],
        ),
        ("flinkConfiguration:\n  rest.port: '1'\njobManager:\n  resource: {memory: 1g}\n", []),
    ],
)
def test_misplaced_fields_are_reported(text: str, found: list[tuple[str, str, str]]) -> None:
    elements = [e for document in read("values-x.yaml", text) for e in document.elements if e.kind == "misplaced-field"]
    assert [(e.name, e.value("path"), e.value("belongs")) for e in elements] == found
    assert all(isinstance(e, Element) and text[slice(*e.span)] == e.name for e in elements)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("values.yaml", "image: nginx\nconfig:\n  a: 1\n"),
        ("values.yaml", "taskmanager:\n  replicas: 2\n"),
        ("other.yaml", "flink: 1\nconfig: {a: b}\n"),
        ("deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nspec: {flinkConfiguration: {rest.port: 1}}\n"),
    ],
)
def test_other_files_are_not_claimed(name: str, text: str) -> None:
    from flink_flint.linter.formats.helm.helm_values import FILE_FORMAT

    assert not FILE_FORMAT.recognize(name, text)


def test_a_chart_of_flink_whose_values_name_processes_is_no_configuration_of_flink() -> None:
    text = "# a chart of flink\njobmanager:\n  replicaCount: 1\ntaskmanager:\n  replicaCount: 2\n  resources: {}\n"
    found = file_format_of("values.yaml", text)
    assert found is not None
    assert found.read("values.yaml", text.encode()) == []


@pytest.mark.parametrize("ending", ["tpl", "tftpl", "tfpl", "tmpl", "template"])
@pytest.mark.parametrize("name", ["orders-values.yaml", "flink.yaml"])
def test_values_may_be_a_template_of_another_tool(name: str, ending: str) -> None:
    text = "flink-conf.yaml: |\n  parallelism.default: ${parallelism}\n  taskmanager.numberOfTaskSlots: 2\n"
    (document,) = read(f"{name}.{ending}", text)
    assert {entry.key for entry in document.entries} == {"parallelism.default", "taskmanager.numberOfTaskSlots"}


@pytest.mark.parametrize(
    ("first", "is_read"), [("create: true", False), ("append: false", False), ("rest.port: 8081", True)]
)
def test_settings_directly_below_the_operators_default_configuration_apply_to_nothing(
    first: str, is_read: bool
) -> None:
    settings = f"{first}\n  parallelism.default: 2\n  taskmanager.numberOfTaskSlots: 2\n"
    values = f"# flink-kubernetes-operator\ndefaultConfiguration:\n  {settings}"
    assert any(document.entries for document in read("values.yaml", values)) is is_read
