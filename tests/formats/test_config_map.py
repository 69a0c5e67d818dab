"""ConfigMaps with Flink files."""

from __future__ import annotations

import json

import pytest

from flink_flint.linter.formats import file_format_of
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-config\n  namespace: jobs\n"

SAMPLES = {
    "configmap.yaml": f"""{HEAD}data:
  flink-conf.yaml: |+
    jobmanager.rpc.address: flink-jobmanager
    taskmanager.numberOfTaskSlots: 2  # slots
    state.checkpoints.dir: s3://bucket/checkpoints

  log4j-console.properties: |+
    rootLogger.level = INFO
    rootLogger.appenderRef.console.ref = ConsoleAppender
    logger.flink.name = org.apache.flink
    logger.flink.level = DEBUG
    appender.console.name = ConsoleAppender
    appender.console.type = CONSOLE
""",
    "both.yaml": f"""# größe
{HEAD}data:
  config.yaml: |2-
      taskmanager:
        numberOfTaskSlots: 2
      rest.port: 8081
  flink-conf.yaml: "rest.port: 8081\\nparallelism.default: 2\\n"
---
apiVersion: v1
kind: Service
metadata: {{name: flink}}
""",
    "template.yaml": """apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "flink.fullname" . }}-config
  labels:
    {{- include "flink.labels" . | nindent 4 }}
data:
  flink-conf.yaml: |
    jobmanager.rpc.address: {{ template "fullname" . }}-jobmanager
    rest.port: 8081
    {{- if .Values.ha }}
    high-availability: zookeeper
    {{- else }}
    high-availability: NONE
    {{- end }}
{{ .Values.flink.config | indent 4 }}
    {{- range $key, $value := .Values.settings }}
    {{ $key }}: {{ $value }}
    {{- end }}
  log4j-console.properties: |
    {{- .Files.Get "log4j.properties" | nindent 4 }}
""",
    "flink.json": json.dumps(
        {
            "apiVersion": "v1", "kind": "List", "items": [
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"},
                 "data": {"flink-conf.yaml": "rest.port: 1\nweb.upload.dir: /ü\n"}},
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "data": {"x": "y"}},
            ],
        },
        indent=1,
    ),
    "openshift.yaml": """kind: Template
apiVersion: v1
objects:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: ${NAME}-config
  data:
    flink-conf.yaml: |
      jobmanager.rpc.address: ${NAME}-jobmanager
      taskmanager.numberOfTaskSlots: ${SLOTS}
      rest.port: 8081
""",
}  # fmt: skip


def config_map(data: str) -> str:
    return f"{HEAD}data:\n{data}"


def test_each_file_is_a_document_and_logging_gives_elements() -> None:
    (document,) = read("configmap.yaml", SAMPLES["configmap.yaml"])
    assert (document.kind, document.name, document.syntax, document.platform, document.release, document.whole) == (
        "configmap", "ConfigMap jobs/flink-config", "flink-conf", "kubernetes", None, True,
    )  # fmt: skip
    assert cuts(document) == [
        ("jobmanager.rpc.address", "jobmanager.rpc.address", "flink-jobmanager"),
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", "2"),
        ("state.checkpoints.dir", "state.checkpoints.dir", "s3://bucket/checkpoints"),
    ]
    loggers = dict(parts(document, "logger"))
    assert loggers["org.apache.flink"]["level"] == ("DEBUG", "DEBUG")
    assert [name for name, _ in parts(document, "kubernetes-object")] == ["ConfigMap"]


def test_two_files_are_two_documents_with_names_of_their_own() -> None:
    first, second = read("both.yaml", SAMPLES["both.yaml"])
    assert (first.name, first.syntax) == ("ConfigMap jobs/flink-config config.yaml", "config-yaml")
    assert (second.name, second.syntax) == ("ConfigMap jobs/flink-config flink-conf.yaml", "flink-conf")
    assert cuts(first) == [
        ("taskmanager.numberOfTaskSlots", "numberOfTaskSlots", "2"),
        ("rest.port", "rest.port", "8081"),
    ]
    assert cuts(second)[1] == ("parallelism.default", "parallelism.default", "2")


@pytest.mark.parametrize("name", SAMPLES)
def test_edits_change_one_setting(name: str) -> None:
    assert sum(assert_edits_hold(document, "17") for document in read(name, SAMPLES[name])) > 0


def test_an_edit_of_one_file_leaves_the_other() -> None:
    first, second = read("both.yaml", SAMPLES["both.yaml"])
    after = edited(second, "remove", entry(second, "rest.port"))
    assert after is not None
    assert read("both.yaml", after.text)[0].settings() == first.settings()


def test_a_helm_template_is_read_with_the_settings_a_person_sees() -> None:
    (document,) = read("template.yaml", SAMPLES["template.yaml"])
    assert (document.kind, document.whole) == ("helm", False)
    assert [(entry.key, entry.text.startswith("{{") or "{{" in entry.text) for entry in document.entries] == [
        ("jobmanager.rpc.address", True), ("rest.port", False), ("high-availability", True),
    ]  # fmt: skip
    assert document.text[slice(*entry(document, "jobmanager.rpc.address").value_span)].endswith("}}-jobmanager")
    assert not any(one.overridden for one in document.entries)


def test_a_config_map_whose_keys_tags_make_is_still_one_of_flink() -> None:
    text = (
        "{{- range $name, $job := .Values.flink_jobs }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n"
        '  name: {{ $name }}\ndata:\n  {{- "baseconfig" | nindent 2 -}}: |-\n'
        '    {{- include "x" . | nindent 4 }}\n  {{- "log4j_console_properties" | nindent 2 -}}: |-\n'
        '    {{- include "y" . | nindent 4 }}\n{{- end }}\n'
    )
    (document,) = read("configmap.yaml", text)
    assert (document.kind, document.whole, document.entries) == ("helm", False, [])


def test_items_of_a_list_in_json_are_read() -> None:
    (document,) = read("flink.json", SAMPLES["flink.json"])
    assert document.name == "ConfigMap default/a"
    assert cuts(document) == [("rest.port", "rest.port", "1"), ("web.upload.dir", "web.upload.dir", "/\\u00fc")]
    assert entry(document, "web.upload.dir").text == "/ü"


def test_objects_of_an_openshift_template_are_read_and_its_parameters_are_unknown() -> None:
    from flink_flint.linter.flink.file_loading import is_templated

    (document,) = read("openshift.yaml", SAMPLES["openshift.yaml"])
    assert [(one.key, is_templated(one.text)) for one in document.entries] == [
        ("jobmanager.rpc.address", True), ("taskmanager.numberOfTaskSlots", True), ("rest.port", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        "  flink-conf.yaml: |\n    rest.port: 8081\n    web.upload.dir: /a\n",
        "  flink-conf: |\n    rest.port: 8081\n    web.upload.dir: /a\n",
        "  flink-conf-base.yaml: |\n    rest.port: 8081\n    web.upload.dir: /a\n",
        "  'flink-conf.yaml': >-\n    rest.port: 8081\n\n    web.upload.dir: /a\n",
        "  flink-conf.yaml: 'rest.port: 8081\n\n    web.upload.dir: /a'\n",
        '  flink-conf.yaml: "rest.port: 8081\\nweb.upload.dir: /a"\n',
        "  config.yaml: |\n    rest.port: 8081\n    web.upload.dir: /a\n",
        "  config.yaml: |1\n     rest.port: 8081\n     web.upload.dir: /a\n",
        "  anything: |\n    rest.port: 8081\n    web.upload.dir: /a\n",
        "  FLINK_PROPERTIES: |\n    rest.port: 8081\n    web.upload.dir: /a\n",
        "  flink-conf.yaml: |\r\n    rest.port: 8081\r\n    web.upload.dir: /a\r\n",
    ],
)
def test_settings_are_cut_out_of_every_kind_of_scalar(data: str) -> None:
    (document,) = read("cm.yaml", config_map(data))
    assert cuts(document) == [("rest.port", "rest.port", "8081"), ("web.upload.dir", "web.upload.dir", "/a")]


@pytest.mark.parametrize(
    "data",
    [
        "  spark-defaults.conf: |\n    spark.master: yarn\n    # no flink\n",
        "  config.yaml: |\n    receivers:\n      otlp: {}\n    # from flink\n",
        "  log4j.properties: |\n    log4j.rootLogger=INFO, console\n",
        "  job.sql: |\n    SELECT 1; -- flink\n",
        "  flink.yaml: |\n    apiVersion: v1\n    kind: Pod\n",
        "  only: one-line-about-flink\n",
    ],
)
def test_other_config_maps_have_nothing_to_do_with_flink(data: str) -> None:
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\ndata:\n{data}"
    if "log4j" in data:
        text = f"# of flink\n---\n{text}"
    assert [d for d in _documents(text) if d] == []


def _documents(text: str) -> list[object]:
    from flink_flint.linter.formats.kubernetes.manifests import FILE_FORMAT

    return list(FILE_FORMAT.read("cm.yaml", text.encode()))


def test_binary_data_is_passed_over() -> None:
    assert _documents(f"{HEAD}binaryData:\n  flink-conf.yaml: cmVzdC5wb3J0OiA4MDgx\n") == []


def test_an_annotation_silences_rules_for_all_its_files() -> None:
    text = config_map("  flink-conf.yaml: |\n    rest.port: 8081\n").replace(
        "  namespace: jobs\n", "  namespace: jobs\n  annotations:\n    flint/ignore: FLK001 -- the image adds them\n"
    )
    (document,) = read("cm.yaml", text)
    assert [(one.selectors, one.reason) for one in document.ignored] == [(("FLK001",), "the image adds them")]


SCRIPTS = f"""{HEAD}data:
  job.sql: |
    SET 'execution.checkpointing.interval' = '1 min';
    -- é
    CREATE TABLE a (i INT) WITH ('connector' = 'kafka', 'topic' = 't');
  submit.sh: "flink run -Drest.port=8081 -p 4 job.jar\\n"
  job.py: |
    from pyflink.datastream import StreamExecutionEnvironment
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(1000)
  app.properties: |
    flink.taskmanager.numberOfTaskSlots=2
    flink.state.backend=rocksdb
  notes.txt: "flink run -Drest.port=8082 job.jar"
"""
SAMPLES["scripts.yaml"] = SCRIPTS


def test_each_file_in_a_config_map_is_of_its_own_kind() -> None:
    found = {document.name: document for document in read("scripts.yaml", SCRIPTS)}
    prefix = "ConfigMap jobs/flink-config"
    assert [(name, document.kind) for name, document in found.items()] == [
        (f"{prefix} job.sql", "sql"), (f"{prefix} submit.sh flink run", "shell"), (f"{prefix} job.py", "source"),
        (f"{prefix} app.properties flink", "properties"),
    ]  # fmt: skip
    sql = found[f"{prefix} job.sql"]
    assert cuts(sql) == [
        ("execution.checkpointing.interval", "'execution.checkpointing.interval'", "'1 min'"),
    ]
    assert [name for name, _ in parts(sql, "table")] == ["a"]


def test_a_script_in_a_config_map_is_edited_in_place() -> None:
    sql, shell, *_ = read("scripts.yaml", SCRIPTS)
    after = edited(sql, "add", "execution.checkpointing.mode", "EXACTLY_ONCE")
    assert after is not None
    assert "\n    SET 'execution.checkpointing.mode' = 'EXACTLY_ONCE';\n" in after.text
    after = edited(shell, "replace", entry(shell, "rest.port"), "9000")
    assert after is not None
    assert '"flink run -Drest.port=9000 -p 4 job.jar\\n"' in after.text


def test_scripts_of_flink_need_no_word_of_flink_and_those_of_others_are_not_read() -> None:
    sql = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a.sql: |\n    CREATE TABLE a (i INT)"
    (document,) = read("a.yaml", f"{sql} WITH ('connector' = 'print');\n")
    assert document.kind == "sql"
    assert file_format_of("a.yaml", f"{sql};\n") is None


def test_broken_files_in_a_config_map_are_not_those_of_kubernetes() -> None:
    toml = "    [flink]\n    'taskmanager.numberOfTaskSlots' = 2\n    'parallelism.default' = 2\n    b = c d\n"
    text = f"{HEAD}data:\n  job.toml: |\n{toml}"
    (document,) = read("a.yaml", text)
    (refusal,) = document.refusals
    assert "this is not TOML" in refusal.message


@pytest.mark.parametrize(
    ("key", "text", "is_flinks"),
    [
        ("flink.config", "flink.app.name=runner\nflink.app.type=SQL\n", False),
        ("flink.config", "parallelism.default=4\nflink.app.type=SQL\n", True),
        ("flink.config", "flink.app.name: runner\n", True),
        ("flink-conf.yaml", "flink.app.name=runner\n", True),
    ],
)
def test_properties_of_another_product_are_not_flinks(key: str, text: str, is_flinks: bool) -> None:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    found = read("map.yaml", f"{HEAD}data:\n  {key}: |\n{lines}")
    assert bool(found) == is_flinks
