"""Configuration files that Ansible, Puppet, Chef, and others ship as templates."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.file_loading import is_templated, read_flink_conf
from flink_flint.linter.flink.invalid_config_yaml import alone_on_lines, blank_templates, template_tags
from flink_flint.linter.formats.template_settings import insertions, is_control, resolve
from tests.formats.reading import cuts, edited, entry, read

ANSIBLE = """# {{ ansible_managed }}
jobmanager.rpc.address: {{ groups['flink'][0] }}
rest.port: 8081
{% if ha %}
high-availability: zookeeper
high-availability.zookeeper.quorum: {{ quorum | join(',') }}
{% else %}
high-availability: NONE
{% endif %}
parallelism.default: 4
"""
LOOP = """rest.port: 8081
{% for key, value in flink_conf.items() %}
{{ key }}: {{ value }}
{% endfor %}
"""
PUPPET = """<%- | String $jm, Hash $options | -%>
jobmanager.rpc.address: <%= $jm %>
rest.port: 8081
<% $options.each |$key, $value| { -%>
<%= $key %>: <%= $value %>
<% } -%>
"""
CHEF = """jobmanager.rpc.address: <%= node['flink']['jobmanager'] %>
<% if node['flink']['ha'] -%>
high-availability: zookeeper
<% end -%>
rest.port: 8081
"""
NESTED = """jobmanager:
  rpc:
    address: {{ jobmanager }}
{% if big %}
taskmanager.numberOfTaskSlots: 8
{% else %}
taskmanager.numberOfTaskSlots: 2
{% endif %}
rest:
  port: 8081 # {{ comment }}
"""

SAMPLES = {
    "flink-conf.yaml.j2": ANSIBLE,
    "flink-conf.yaml.erb": PUPPET,
    "flink-conf.yaml.tpl": CHEF,
    "config.yaml.j2": NESTED,
    "flink-conf.yaml.tmpl": LOOP.replace("\n", "\r\n"),
}


def values(name: str, text: str) -> dict[str, str | None]:
    """Return the values by key; None if a template decides the value."""
    (document,) = read(name, text)
    return {one.key: None if is_templated(one.text) else one.text for one in document.entries}


def test_a_template_of_ansible_is_read_with_what_is_certain() -> None:
    assert values("flink-conf.yaml.j2", ANSIBLE) == {
        "jobmanager.rpc.address": None, "rest.port": "8081", "high-availability.zookeeper.quorum": None,
        "high-availability": None, "parallelism.default": "4",
    }  # fmt: skip


def test_a_key_of_both_branches_is_not_written_twice() -> None:
    (document,) = read("flink-conf.yaml.j2", ANSIBLE)
    assert not any(one.overridden for one in document.entries)
    found = entry(document, "high-availability")
    assert document.text[slice(*found.value_span)] == "NONE"
    assert found.text == (
        "zookeeper\nhigh-availability.zookeeper.quorum: {{ quorum | join(',') }}\n{% else %}\nhigh-availability: NONE"
    )


def test_branches_that_agree_leave_the_value_known() -> None:
    assert values("flink-conf.yaml.j2", "{% if a %}\nrest.port: 1\n{% else %}\nrest.port: 1\n{% endif %}\n") == {
        "rest.port": "1"
    }


def test_a_tag_that_gives_a_value_makes_no_branch() -> None:
    (document,) = read("flink-conf.yaml", "web.upload.dir: a\nhigh-availability: {{ ha }}\nweb.upload.dir: b\n")
    assert document.settings() == {"web.upload.dir": "b", "high-availability": "{{ ha }}"}


def test_a_key_written_twice_without_a_branch_is_overridden_as_ever() -> None:
    (document,) = read("flink-conf.yaml.j2", "{% if a %}\nrest.port: 1\nrest.port: 2\n{% endif %}\n")
    assert [one.overridden for one in document.entries] == [True, False]


@pytest.mark.parametrize(("name", "text"), [("flink-conf.yaml.j2", LOOP), ("flink-conf.yaml.erb", PUPPET)])
def test_a_loop_over_settings_gives_none_and_makes_the_file_a_part(name: str, text: str) -> None:
    (document,) = read(name, text)
    assert "rest.port" in document.settings()
    assert not any(is_templated(key) for key in document.settings())
    assert not document.whole


def test_branches_alone_leave_a_file_whole() -> None:
    (document,) = read("flink-conf.yaml.tpl", CHEF)
    assert document.whole
    assert values("flink-conf.yaml.tpl", CHEF) == {
        "jobmanager.rpc.address": None, "high-availability": "zookeeper", "rest.port": "8081",
    }  # fmt: skip


def test_config_yaml_is_read_as_far_as_it_is_certain() -> None:
    assert values("config.yaml.j2", NESTED) == {
        "jobmanager.rpc.address": None, "taskmanager.numberOfTaskSlots": None, "rest.port": "8081",
    }  # fmt: skip


def test_lines_of_a_tag_over_several_lines_are_no_settings() -> None:
    text = "rest.port: 1\n{#\nold.key: 2\n-#}\n{{ template(\n  a: 3\n) }}\nrest.address: b\n"
    assert values("flink-conf.yaml.j2", text) == {"rest.port": "1", "rest.address": "b"}


@pytest.mark.parametrize("name", SAMPLES)
def test_places_cut_what_is_written(name: str) -> None:
    (document,) = read(name, SAMPLES[name])
    for key, key_text, value_text in cuts(document):
        assert key.endswith(key_text)
        assert value_text in entry(document, key).text


@pytest.mark.parametrize("name", SAMPLES)
def test_a_certain_setting_is_edited_in_place(name: str) -> None:
    (document,) = read(name, SAMPLES[name])
    before = document.settings()
    after = edited(document, "replace", entry(document, "rest.port"), "9999")
    assert after is not None
    assert after.settings() == {**before, "rest.port": "9999"}
    assert after.text == document.text.replace("8081", "9999")


def test_a_setting_is_added_outside_of_branches_or_not_at_all() -> None:
    (document,) = read("flink-conf.yaml.j2", ANSIBLE)
    after = edited(document, "add", "taskmanager.numberOfTaskSlots", "2")
    assert after is None or after.settings() == {**document.settings(), "taskmanager.numberOfTaskSlots": "2"}


# -- tags


@pytest.mark.parametrize(
    ("tag", "control"),
    [
        ("{{- if .x }}", True), ("{{ else }}", True), ("{{- end -}}", True), ("{{- $a := 1 }}", True),
        ("{{ $a = 1 }}", True), ("{{/* note */}}", True), ("{{- range $k, $v := .x }}", True),
        ('{{ include "x" . }}', False), ("{{ toYaml .x | indent 4 }}", False), ("{{ .Values.ifOnly }}", False),
        ("{{ $value }}", False), ("{% for a in b %}", True), ("{% include 'x' %}", False), ("{# note #}", True),
        ("<% if x %>", True), ("<%- end -%>", True), ("<%= x %>", False),
    ],
)  # fmt: skip
def test_control_tags_and_inserting_tags_are_distinguished(tag: str, control: bool) -> None:
    assert is_control(tag) is control


def test_lines_of_tags_are_reported_with_the_column_of_inserted_lines() -> None:
    text = 'a:\n  {{- if .x }}{{ "y" }}\n{{ .x | indent 4 }}\n  {{- .y | nindent 2 }}\nb: {{ .c }}\n'
    assert [text[slice(*line)] for line in alone_on_lines(text, template_tags(text))] == [
        '  {{- if .x }}{{ "y" }}', "{{ .x | indent 4 }}", "  {{- .y | nindent 2 }}",
    ]  # fmt: skip
    assert [(text[slice(*tag)], column) for tag, column in insertions(text)] == [
        ('{{ "y" }}', 14), ("{{ .x | indent 4 }}", 4), ("{{- .y | nindent 2 }}", 2),
    ]  # fmt: skip


TEXTS = st.lists(
    st.sampled_from(
        [
            "{{",
            "}}",
            "{%",
            "%}",
            "{#",
            "#}",
            "<%",
            "%>",
            "{{/*",
            "*/}}",
            "@a@",
            "\n",
            "\r\n",
            " ",
            "a: 1",
            "b",
            "if ",
            "-",
        ]
    ),
    max_size=24,
).map("".join)


@given(TEXTS)
@settings(max_examples=300)
def test_any_text_keeps_its_length_and_its_lines_when_its_tags_are_taken_out(text: str) -> None:
    rendered = blank_templates(text)
    if rendered is not None:
        assert len(rendered) == len(text)
        assert [n for n, char in enumerate(rendered) if char in "\r\n"] == [
            n for n, char in enumerate(text) if char in "\r\n"
        ]


@given(TEXTS)
@settings(max_examples=300)
def test_of_any_text_each_certain_setting_is_one_that_flink_would_read_too(text: str) -> None:
    content = read_flink_conf(text)
    before = content.settings()
    resolve(content, text)
    for one in content.entries:
        assert "{{" not in one.key
        assert is_templated(one.text) or before[one.key] == one.text


# -- actions that begin in comments

RESOURCE = """{head}apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: a
spec:
  flinkVersion: v1_20
  flinkConfiguration:{comment}
    parallelism.default: "a"
    rest.port: "1"
  jobManager: {{resource: {{memory: 2g}}}}
  taskManager: {{resource: {{memory: 2g}}}}
{tail}"""
VALUES = """flinkConfiguration:{comment}
  parallelism.default: "a"
  rest.port: "1"
{tail}"""


@pytest.mark.parametrize("opening", ["# {{", "# {{ if .Values.x", "# {{- /* note", "# {% if x", "# {# note", "# <% x"])
@pytest.mark.parametrize("tail", ["", "# }}\n", "# */}} %} #} %>\n"])
def test_an_action_that_begins_in_a_comment_hides_nothing(opening: str, tail: str) -> None:
    texts = {
        "new.yaml": RESOURCE.format(head="", comment=f" {opening}", tail=tail),
        "top.yaml": RESOURCE.format(head=f"{opening}\n", comment="", tail=tail),
        "values.yaml": VALUES.format(comment=f" {opening}", tail=tail),
        "config.yaml": f"{opening}\nparallelism.default: a\nrest.port: 1\n{tail}",
        "flink-conf.yaml": f"{opening}\nparallelism.default: a\nrest.port: 1\n{tail}",
        "map.yaml": (
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink\ndata:\n  flink-conf.yaml: |\n"
            f"    {opening}\n    parallelism.default: a\n    rest.port: 1\n{tail}"
        ),
    }
    for name, text in texts.items():
        for written in (text, text.replace("\n", "\r\n")):
            (document,) = read(name, written)
            settings = document.settings()
            assert (settings["parallelism.default"], settings["rest.port"]) == ("a", "1"), name
            assert document.kind != "helm" or name == "values.yaml"


def test_an_open_action_in_a_comment_hides_no_fault() -> None:
    text = RESOURCE.format(head="# {{\n", comment="", tail="broken: [\n")
    (document,) = read("new.yaml", text)
    assert [refusal.reason for refusal in document.refusals] == ["syntax"]


@pytest.mark.parametrize("path", ["chart/templates/new.yaml", "chart\\templates\\new.yaml", "new.yaml.gotmpl"])
def test_an_action_over_several_lines_may_begin_in_a_comment_of_a_template(path: str) -> None:
    text = RESOURCE.format(head="", comment=" # {{- /*", tail="").replace("    rest.port", "    # */}}\n    rest.port")
    (document,) = read("new.yaml", text)
    assert "parallelism.default" in document.settings()
    (document,) = document.file_format.read(path, text.encode())
    assert "parallelism.default" not in document.settings()
    assert document.settings()["rest.port"] == "1"


@pytest.mark.parametrize("path", ["new.yaml", "chart/templates/new.yaml"])
def test_actions_of_charts_are_read_wherever_they_stand(path: str) -> None:
    text = RESOURCE.format(head='# {{ include "a" . }}\n{{- /*\nb: c\n*/}}\n', comment=" # {{ .Values.b }}", tail="")
    text = text.replace("    rest.port", "    {{- toYaml\n      .Values.c | nindent 4 }}\n    rest.port")
    file_format = read("new.yaml", text)[0].file_format
    (document,) = file_format.read(path, text.encode())
    assert document.kind == "helm"
    assert not document.whole
    assert document.settings()["parallelism.default"] == "a"
    assert document.settings()["rest.port"] == "1"


@pytest.mark.parametrize("comment", ["/* {{ */", "/*\n{{ */", "-- {{\n", "/* {% */", "/* ${ */"])
@pytest.mark.parametrize("tail", ["", "-- }}\n", "/* %} } */"])
def test_an_action_ends_with_the_comment_of_sql_it_begins_in(comment: str, tail: str) -> None:
    (document,) = read("a.sql", f"{comment} SET 'parallelism.default' = 'a';\n{tail}")
    assert document.settings() == {"parallelism.default": "a"}


@pytest.mark.parametrize(
    ("lines", "replaced"),
    [
        ("{% for k, v in more.items() %}\n{{ k }}: {{ v }}\n{% endfor %}", {"rest.port", "state.backend.type"}),
        ("{{ more }}", {"rest.port", "state.backend.type"}),
        ("rest.{{ name }}: 1", {"rest.port"}),
        ("{{ name }}.type: 1", {"state.backend.type"}),
        ("io.{{ name }}: 1", set()),
        ("{% if more %}\nio.tmp.dirs: /a\n{% endif %}", set()),
        ("io.tmp.dirs: {{ more }}", set()),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_of_a_template_may_replace_the_settings_above_them(lines: str, replaced: set[str], end: str) -> None:
    text = f"rest.port: 8081\nstate.backend.type: rocksdb\n{lines}\nblob.server.port: 6124\n".replace("\n", end)
    (document,) = read("flink-conf.yaml.j2", text)
    assert {one.key for one in document.entries if one.may_be_replaced} == replaced
    content = read_flink_conf(text)
    resolve(content, text)  # a file that may not have a key twice
    assert not any(one.may_be_replaced for one in content.entries)


_CHART_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ include "missing" . }}-config}
data:
  flink-conf.yaml: |
    %s
    {{- range $key, $value := .Values.flinkConfiguration }}
    {{ $key }}: {{ $value }}
    {{- end }}
    %s
"""
_SETTING = "state.checkpoints.dir: file:///tmp/checkpoints"


@pytest.mark.parametrize(("lines", "severity"), [((_SETTING, "#"), "info"), (("#", _SETTING), "error")])
def test_what_a_template_may_replace_is_advice(lines: tuple[str, str], severity: str, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: orders\nversion: 1.0.0\n")
    (tmp_path / "values.yaml").write_text("flinkConfiguration:\n  state.checkpoints.dir: s3://orders/checkpoints\n")
    (tmp_path / "templates" / "map.yaml").write_text(_CHART_MAP % lines)
    found = check(find([str(tmp_path)]), Options(select=("FLK314",))).findings
    assert [one.severity.word for one in found if one.path.endswith("map.yaml")] == [severity]
