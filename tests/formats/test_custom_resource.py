from __future__ import annotations

from typing import Any

import pytest

from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import apply_edits
from tests.fix_edits import edits_for
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

APPLICATION = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders   # the team's name
  namespace: streaming
  annotations:
    flint/ignore: "FLK705, FLK725 -- a demo"
spec:
  image: registry.example.com/flink:1.18.1-java17
  imagePullPolicy: IfNotPresent
  flinkVersion: v1_18
  serviceAccount: flink
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    state.checkpoints.dir: s3://flink/größe/checkpoints  # shared
    "state.savepoints.dir": 's3://flink/savepoints'
    execution.checkpointing.timeout: 600s
    rest.port: 8081
    s3.path.style.access: on
  jobManager:
    replicas: 1
    resource:
      memory: "1600m"
      cpu: 0.5
  taskManager:
    resource: {memory: 2Gi, cpu: 500m}
    podTemplate:
      spec:
        containers:
          - name: flink-main-container
            image: flink:1.18.0
            env:
              - name: ENABLE_BUILT_IN_PLUGINS
                value: flink-s3-fs-presto-1.18.1.jar
              - name: SECRET
                valueFrom: {secretKeyRef: {name: a, key: b}}
            volumeMounts:
              - {name: data, mountPath: /flink-data}
        volumes:
          - name: data
            hostPath: {path: /tmp/flink}
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    parallelism: 4
    upgradeMode: last-state
    allowNonRestoredState: true
    initialSavepointPath: s3://flink/savepoints/1
"""

NESTED = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: nested
spec:
  image: flink:2.1
  flinkVersion: v2_1
  serviceAccount: flink
  flinkConfiguration:
    taskmanager:
      numberOfTaskSlots: 2
      memory:
        managed:
          fraction: 0.30
    pipeline.jars: [a.jar, "b.jar"]
    classloader.parent-first-patterns.additional:
      - org.a
      - org.b
    rest.bind-port: >-
      8081-8085
  taskManager:
    resource:
      memory: 4g
"""

JSON = """\
{
  "apiVersion": "flink.apache.org/v1beta1",
  "kind": "FlinkDeployment",
  "metadata": {"name": "orders"},
  "spec": {
    "image": "flink:1.20",
    "flinkVersion": "v1_20",
    "flinkConfiguration": {
      "taskmanager.numberOfTaskSlots": "2",
      "rest.port": 8081,
      "state.checkpoints.dir": "s3://flink/checkpoints"
    },
    "job": {"jarURI": "local:///a.jar", "parallelism": 4, "upgradeMode": "savepoint"}
  }
}
"""

SEVERAL = """\
# one file, many objects
apiVersion: v1
kind: ServiceAccount
metadata: {name: flink}
---
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: session
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "2", rest.port: "8081"}
  taskManager: {resource: {memory: 2048m, cpu: 1}}
---
apiVersion: flink.apache.org/v1beta1
kind: FlinkSessionJob
metadata:
  name: first
spec:
  deploymentName: session
  flinkConfiguration:
    execution.checkpointing.interval: 30 s
  job:
    jarURI: https://example.com/a.jar
    parallelism: 3
---
apiVersion: flink.apache.org/v1beta1
kind: FlinkStateSnapshot
metadata:
  name: snapshot
spec:
  jobReference: {kind: FlinkDeployment, name: orders}
  savepoint: {path: s3://a/b, disposeOnDelete: true}
"""

BLUE_GREEN = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkBlueGreenDeployment
metadata:
  name: orders
spec:
  configuration:
    kubernetes.operator.bluegreen.abort.grace-period: 10 min
  template:
    spec:
      image: flink:1.20
      flinkVersion: v1_20
      flinkConfiguration:
        taskmanager.numberOfTaskSlots: "1"
        parallelism.default: "8"
      job:
        jarURI: local:///a.jar
        parallelism: 2
        upgradeMode: stateless
"""

TEMPLATE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: {{ include "app.name" . }}
spec:
  image: {{ .Values.image.repository }}:{{ .Values.image.tag }}
  flinkVersion: v1_19
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: {{ .Values.slots | quote }}
    {{- with .Values.extra }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    state.checkpoints.dir: s3://{{ .Values.bucket }}/checkpoints
  jobManager:
    resource:
      memory: {{ .Values.memory }}
  job:
    jarURI: local:///a.jar
    parallelism: {{ .Values.parallelism }}
"""

SAMPLES = {
    "application.yaml": APPLICATION,
    "nested.yaml": NESTED,
    "deployment.json": JSON,
    "several.yaml": SEVERAL,
    "bluegreen.yaml": BLUE_GREEN,
    "flinkdeployment.yaml": TEMPLATE,
}


def one(text: str, name: str = "deployment.yaml") -> Document:
    (document,) = read(name, text)
    return document


def spec(body: str, *, version: str = "v1_20") -> Document:
    lines = "".join(f"  {line}\n" for line in body.splitlines())
    head = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
    return one(f"{head}  image: flink:1\n  flinkVersion: {version}\n{lines}")


def implied(document: Document) -> dict[str, tuple[str, str, str]]:
    """Return each implied setting with its layer and the text in the span of its value."""
    return {
        e.key: (e.text, e.layer, document.text[slice(*e.value_span)]) for e in document.entries if e.style == "implied"
    }


def test_keys_and_values_are_cut_exactly() -> None:
    own = [cut for cut in cuts(one(APPLICATION)) if cut[0] == cut[1].strip('"')]
    assert own == [
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", '"2"'),
        ("state.checkpoints.dir", "state.checkpoints.dir", "s3://flink/größe/checkpoints"),
        ("state.savepoints.dir", '"state.savepoints.dir"', "'s3://flink/savepoints'"),
        ("execution.checkpointing.timeout", "execution.checkpointing.timeout", "600s"),
        ("rest.port", "rest.port", "8081"),
        ("s3.path.style.access", "s3.path.style.access", "on"),
    ]


def test_typed_fields_imply_settings_and_say_which_field() -> None:
    found = implied(one(APPLICATION))
    assert found["parallelism.default"] == ("4", "spec.job.parallelism", "4")
    assert found["jobmanager.memory.process.size"] == ("1600m", "spec.jobManager.resource.memory", '"1600m"')
    assert found["taskmanager.memory.process.size"] == ("2g", "spec.taskManager.resource.memory", "2Gi")
    assert found["kubernetes.taskmanager.cpu.amount"] == ("0.5", "spec.taskManager.resource.cpu", "500m")
    assert found["kubernetes.jobmanager.replicas"][0] == "1"
    assert found["kubernetes.service-account"][0] == "flink"
    assert found["kubernetes.container.image.ref"][2] == "registry.example.com/flink:1.18.1-java17"
    assert found["kubernetes.cluster-id"] == ("orders", "metadata.name", "orders")
    assert found["execution.savepoint.path"][0] == "s3://flink/savepoints/1"
    assert found["execution.savepoint.ignore-unclaimed-state"][0] == "true"


def test_the_operators_defaults_stand_at_what_calls_for_them() -> None:
    found = implied(one(APPLICATION))
    assert found["execution.checkpointing.interval"] == (
        "5 min",
        "the operator's default for last-state",
        "last-state",
    )
    retention = found["execution.checkpointing.externalized-checkpoint-retention"]
    assert retention[0] == "RETAIN_ON_CANCELLATION"
    assert found["web.cancel.enable"][0] == "false"
    assert found["kubernetes.rest-service.exposed.type"][0] == "ClusterIP"


def test_a_setting_of_its_own_keeps_the_operators_default_away() -> None:
    document = spec(
        "flinkConfiguration:\n  execution.checkpointing.interval: 30 s\n  web.cancel.enable: 'true'\n"
        "job:\n  jarURI: local:///a\n  upgradeMode: last-state"
    )
    assert document.settings()["execution.checkpointing.interval"] == "30 s"
    assert document.settings()["web.cancel.enable"] == "true"


def test_names_of_options_are_those_of_the_release() -> None:
    body = "jobManager: {resource: {cpu: 1}}\njob: {initialSavepointPath: s3://a}"
    old, new = implied(spec(body, version="v1_16")), implied(spec(body, version="v2_0"))
    assert {"kubernetes.container.image", "kubernetes.jobmanager.cpu", "execution.savepoint.path"} <= old.keys()
    assert {
        "kubernetes.container.image.ref",
        "kubernetes.jobmanager.cpu.amount",
        "execution.savepoint.path",
    } <= new.keys()


def test_a_typed_field_wins_over_flink_configuration() -> None:
    document = one(BLUE_GREEN)
    assert entry(document, "parallelism.default").text == "2"
    assert [e.text for e in document.entries if e.overridden] == ["8"]


def test_replicas_times_slots_are_the_parallelism() -> None:
    body = "taskManager: {replicas: 3}\njob: {jarURI: a, parallelism: 8}\nflinkConfiguration:\n"
    assert spec(body + "  taskmanager.numberOfTaskSlots: '4'").settings()["parallelism.default"] == "12"
    (entry,) = spec(body + "  a.b: c").entries_of("parallelism.default")
    assert (entry.text, entry.value) == ("3", None), "the operator may have other slots than its chart"


def test_release_comes_from_flink_version_with_the_patch_of_the_image() -> None:
    assert one(APPLICATION).release == ("1.18.1", "spec.flinkVersion and spec.image")
    assert one(BLUE_GREEN).release == ("1.20", "spec.flinkVersion and spec.image")
    assert one(APPLICATION.replace("v1_18", "v1_19")).release == ("1.19", "spec.flinkVersion")
    assert one(APPLICATION.replace("  flinkVersion: v1_18\n", "")).release == ("1.18.1", "spec.image")


def test_the_label_of_emr_decides_the_release() -> None:
    assert spec("emrReleaseLabel: emr-7.5.0-flink-latest", version="v1_18").release == (
        "1.19.1",
        "spec.emrReleaseLabel",
    )
    assert spec("emrReleaseLabel: emr-99.0.0", version="v1_18").release is None


def test_scalars_are_what_the_operator_hands_on() -> None:
    document = spec(
        "flinkConfiguration:\n  a.a: on\n  a.b: 010\n  a.c: 1.10\n  a.d: '010'\n  a.e: 60s\n  a.f: 1e3\n  a.g: ~\n"
        "  a.h: 0.33\n  a.i: 0x10"
    )
    values = {key: value for key, value in document.values().items() if key.startswith("a.")}
    assert values == {
        "a.a": "true", "a.b": "8", "a.c": "1.1", "a.d": "010", "a.e": "60s", "a.f": "1000", "a.g": None, "a.h": "0.33",
        "a.i": "16",
    }  # fmt: skip


def test_nested_mappings_are_flattened_and_lists_joined() -> None:
    settings = one(NESTED).settings()
    assert settings["taskmanager.numberOfTaskSlots"] == "2"
    assert settings["taskmanager.memory.managed.fraction"] == "0.3"
    assert settings["pipeline.jars"] == "a.jar;b.jar"
    assert settings["classloader.parent-first-patterns.additional"] == "org.a;org.b"
    assert settings["rest.bind-port"] == "8081-8085"


def test_json_is_read_like_yaml() -> None:
    document = one(JSON, "deployment.json")
    assert cuts(document)[:3] == [
        ("taskmanager.numberOfTaskSlots", '"taskmanager.numberOfTaskSlots"', '"2"'),
        ("rest.port", '"rest.port"', "8081"),
        ("state.checkpoints.dir", '"state.checkpoints.dir"', '"s3://flink/checkpoints"'),
    ]
    assert implied(document)["parallelism.default"] == ("4", "spec.job.parallelism", "4")


def test_objects_of_one_file_are_documents_of_their_own() -> None:
    documents = read("several.yaml", SEVERAL)
    assert [(d.kind, d.name, d.whole) for d in documents] == [
        ("other-cr", "ServiceAccount default/flink", False),
        ("flinkdeployment", "FlinkDeployment default/session", True),
        ("flinksessionjob", "FlinkSessionJob default/first", False),
        ("flinkdeployment", "FlinkStateSnapshot default/snapshot", False),
    ]
    _, session, job, snapshot = documents
    assert session.settings()["rest.port"] == "8081"
    assert job.settings()["parallelism.default"] == "3"
    assert "kubernetes.cluster-id" not in job.settings()
    assert all(document.platform == "operator" for document in (session, job, snapshot))


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        ("  image: flink:1.20\n  flinkVersion: v1_20\n", True),
        ("  flinkConfiguration:\n    a.b: c\n", False),
        ("  image: flink:1.20\n", False),
        ("  flinkVersion: v1_20\n  flinkConfiguration:\n    {{- toYaml .Values.x | nindent 4 }}\n", False),
        ("  flinkVersion: v1_20\n  flinkConfiguration: {{ .Values.x }}\n", False),
        ("  flinkVersion: v1_20\n  flinkConfiguration:\n    a.b: {{ .Values.x }}\n", True),
    ],
)
def test_a_patch_and_a_template_that_puts_lines_in_are_parts(body: str, whole: bool) -> None:
    head = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
    assert one(head + body).whole is whole


def test_a_template_leaves_values_unknown() -> None:
    document = one(TEMPLATE)
    assert document.kind == "helm"
    assert document.release == ("1.19", "spec.flinkVersion")
    settings = document.settings()
    assert settings["parallelism.default"] == "{{ .Values.parallelism }}"
    assert settings["jobmanager.memory.process.size"] == "{{ .Values.memory }}"
    assert settings["state.checkpoints.dir"] == "s3://{{ .Values.bucket }}/checkpoints"
    assert not document.refusals


def test_the_operators_own_tags_of_an_ingress_are_no_template() -> None:
    assert spec('ingress:\n  template: "{{name}}.{{namespace}}.example.com"').kind == "flinkdeployment"


def test_windows_line_ends_and_tabs_in_values() -> None:
    text = APPLICATION.replace("600s", '"600\ts"').replace("\n", "\r\n")
    document = one(text)
    assert ("execution.checkpointing.timeout", "execution.checkpointing.timeout", '"600\ts"') in cuts(document)
    assert document.settings()["rest.port"] == "8081"


def test_anchors_and_merge_keys() -> None:
    text = (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
        "  flinkVersion: v1_20\n  jobManager: &process\n    resource: {memory: 2g, cpu: 1}\n"
        "  taskManager:\n    <<: *process\n    replicas: 2\n"
    )
    found = implied(one(text))
    assert found["taskmanager.memory.process.size"][0] == "2g"
    assert found["taskmanager.memory.process.size"][2] == "2g"


def test_containers_are_merged_from_the_pod_templates() -> None:
    containers = dict(parts(one(APPLICATION), "container"))
    assert containers["taskmanager"]["image"] == ("flink:1.18.0", "flink:1.18.0")
    assert containers["taskmanager"]["memory"] == (2 << 30, "2Gi")
    assert containers["taskmanager"]["environment.ENABLE_BUILT_IN_PLUGINS"][0] == "flink-s3-fs-presto-1.18.1.jar"
    assert containers["taskmanager"]["environment.SECRET"][0] is None
    assert containers["taskmanager"]["volumes[0].target"] == ("/flink-data", "/flink-data")
    assert containers["taskmanager"]["volumes[0].source"] == ("/tmp/flink", "/tmp/flink")
    assert containers["taskmanager"]["volumes[0].kind"] == ("bind", "hostPath")
    assert containers["jobmanager"]["image"][0] == "registry.example.com/flink:1.18.1-java17"


def test_an_annotation_silences_rules_of_the_object() -> None:
    (ignored,) = one(APPLICATION).ignored
    assert ignored.selectors == ("FLK705", "FLK725")
    assert ignored.reason == "a demo"


@pytest.mark.parametrize(
    "body",
    ["  flinkConfiguration:\n    rest.address: a: b\n", "  image: 'flink\n", "  job: [a\n", "\timage: flink\n"],
)
def test_text_that_is_no_yaml_is_a_refusal_and_hides_no_neighbor(body: str) -> None:
    head = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
    documents = read("deployment.yaml", f"{head}{body}---\n{SEVERAL}")
    assert [refusal.reason for refusal in documents[0].refusals] == ["syntax"]
    assert [len(document.refusals) for document in documents[1:]] == [0, 0, 0, 0]


def test_keys_that_stand_twice_keep_both_entries() -> None:
    document = spec("flinkConfiguration:\n  rest.port: '1'\n  rest.port: '2'")
    assert [(e.text, e.overridden) for e in document.entries if e.key == "rest.port"] == [("1", True), ("2", False)]


# -- edits


@pytest.mark.parametrize("name", SAMPLES)
def test_edits_change_one_setting(name: str) -> None:
    for document in read(name, SAMPLES[name]):
        assert_edits_hold(document)


def text_after(document: Document, how: str, *arguments: Any) -> str:
    edits = edits_for(document, how, *arguments)
    assert edits
    return apply_edits(document.text, edits)


def test_a_typed_field_is_written_in_its_own_unit() -> None:
    document = one(APPLICATION)
    after = text_after(document, "replace", entry(document, "taskmanager.memory.process.size"), "3g")
    assert "{memory: 3Gi, cpu: 500m}" in after
    after = text_after(document, "replace", entry(document, "jobmanager.memory.process.size"), "2g")
    assert 'memory: "2g"' in after
    after = text_after(document, "replace", entry(document, "parallelism.default"), "8")
    assert "parallelism: 8\n" in after
    after = text_after(document, "replace", entry(document, "kubernetes.jobmanager.cpu.amount"), "2")
    assert "cpu: 2\n" in after


@pytest.mark.parametrize("key", ["web.cancel.enable", "kubernetes.cluster-id", "execution.checkpointing.interval"])
def test_what_no_field_sets_cannot_be_replaced(key: str) -> None:
    document = one(APPLICATION)
    assert edited(document, "replace", entry(document, key), "x") is None


def test_a_parallelism_made_of_replicas_cannot_be_replaced() -> None:
    document = spec(
        "taskManager: {replicas: 3}\njob: {jarURI: a}\nflinkConfiguration:\n  taskmanager.numberOfTaskSlots: '4'"
    )
    assert edited(document, "replace", entry(document, "parallelism.default"), "6") is None


def test_a_new_setting_is_added_next_to_related_ones() -> None:
    document = one(APPLICATION)
    after = text_after(document, "add", "execution.checkpointing.min-pause", "10 s")
    assert '    execution.checkpointing.timeout: 600s\n    execution.checkpointing.min-pause: "10 s"\n' in after


def test_a_new_setting_in_a_nested_configuration_is_flat() -> None:
    document = one(NESTED)
    after = text_after(document, "add", "taskmanager.memory.network.fraction", "0.2")
    assert "rest.bind-port: >-\n      8081-8085\n" in after
    assert '    taskmanager.memory.network.fraction: "0.2"\n' in after


def test_a_new_setting_in_json_is_json() -> None:
    document = one(JSON, "deployment.json")
    after = text_after(document, "add", "rest.bind-port", "8082")
    assert '      "rest.port": 8081,\n      "rest.bind-port": "8082",\n' in after
    after = text_after(document, "add", "state.savepoints.dir", "s3://b")
    assert '"s3://flink/checkpoints",\n      "state.savepoints.dir": "s3://b"\n    }' in after


def test_the_last_and_the_first_entry_of_json_go_with_their_commas() -> None:
    import json

    document = one(JSON, "deployment.json")
    for key in ("taskmanager.numberOfTaskSlots", "rest.port", "state.checkpoints.dir"):
        after = text_after(document, "remove", entry(document, key))
        assert key not in json.loads(after)["spec"]["flinkConfiguration"]


def test_a_flow_mapping_keeps_its_line() -> None:
    document = read("several.yaml", SEVERAL)[1]
    after = text_after(document, "add", "rest.bind-port", "8082")
    assert '{taskmanager.numberOfTaskSlots: "2", rest.port: "8081", rest.bind-port: "8082"}' in after
    after = text_after(document, "remove", entry(document, "rest.port"))
    assert 'flinkConfiguration: {taskmanager.numberOfTaskSlots: "2"}' in after


def test_a_nested_entry_goes_with_the_mappings_that_only_it_has() -> None:
    document = one(NESTED)
    after = text_after(document, "remove", entry(document, "taskmanager.memory.managed.fraction"))
    assert "managed" not in after
    assert "memory:\n        managed" not in after
    assert "numberOfTaskSlots: 2" in after


def test_an_overridden_entry_can_be_removed() -> None:
    document = one(BLUE_GREEN)
    (dead,) = [e for e in document.entries if e.overridden]
    assert 'parallelism.default: "8"' not in text_after(document, "remove", dead)
