"""Every character of a rendered text leads back to the place that decides it."""

from __future__ import annotations

import pytest

from flink_flint.linter.text.spans import Span
from tests.formats.helm.charts import chart, rendered


def decided_by(template: str, values: str, shown: str, **files: str) -> str:
    """Return the path and the text of the place that decides the first occurrence of `shown` in the output."""
    data = chart(template, values, **files)
    found = next(one.text for one in rendered(data) if one.path.endswith("main.yaml"))
    assert found is not None
    start = found.text.index(shown)
    origin = found.origin(Span(start, start + len(shown)))
    assert origin is not None
    return f"{origin.path.removeprefix('orders/')}: {data[origin.path][slice(*origin.span)]}"


VALUES = (
    "name: orders\nport: 8081\nflag: true\nempty: ''\nquoted: \"a\\tb\"\nlist: [x1, x2]\nconf:\n  a.b: 128mb\n  c: 2\n"
)


@pytest.mark.parametrize(
    ("template", "shown", "place"),
    [
        ("key: {{ .Values.name }}\n", "key", "templates/main.yaml: key"),
        ("a: {{ .Values.name }}\n", "orders", "values.yaml: orders"),
        ("a: {{ .Values.name | quote }}\n", "orders", "values.yaml: orders"),
        ("a: {{ .Values.name | upper }}\n", "ORD", "values.yaml: ord"),
        ("a: {{ .Values.port }}\n", "8081", "values.yaml: 8081"),
        ("a: {{ int .Values.port | add 1 }}\n", "8082", "values.yaml: 8081"),
        ("a: {{ .Values.flag }}\n", "true", "values.yaml: true"),
        ('a: {{ .Values.absent | default "here" }}\n', "here", "templates/main.yaml: here"),
        ("a: {{ default 5 .Values.port }}\n", "8081", "values.yaml: 8081"),
        ('a: {{ printf "%s-x:%v" .Values.name .Values.port }}\n', "8081", "values.yaml: 8081"),
        ('a: {{ printf "%s-x" .Values.name }}\n', "-x", "templates/main.yaml: -x"),
        ("a:\n{{ toYaml .Values.conf | indent 2 }}\n", "a.b", "values.yaml: a.b"),
        ("a: {{- toYaml .Values.conf | nindent 2 }}\n", "128mb", "values.yaml: 128mb"),
        ("a: {{ toJson .Values.conf }}\n", "128mb", "values.yaml: 128mb"),
        ("{{ range $k, $v := .Values.conf }}{{ $k }}: {{ $v }}\n{{ end }}", "c: 2", "values.yaml: c"),
        ("a: {{ index .Values.list 1 }}\n", "x2", "values.yaml: x2"),
        ('a: {{ join "," .Values.list }}\n', "x2", "values.yaml: x2"),
        ('a: {{ .Values.name | replace "ord" "w" | trunc 3 | trimSuffix "e" }}\n', "w", "templates/main.yaml: w"),
        ('a: {{ .Values.name | replace "ord" "w" }}\n', "ers", "values.yaml: ers"),
        ("a: {{ b64enc .Values.name }}\n", "b3JkZXJz", "values.yaml: orders"),
        ("a: {{ .Values.quoted | quote }}\n", "\\t", "values.yaml: \\t"),
        ("a: {{ (fromYaml (toYaml .Values.conf)).c }}\n", "2", "values.yaml: 2"),
        ("a: {{ .Release.Name }}\n", "release-name", "templates/main.yaml: {{ .Release.Name }}"),
        ("a: {{ .Chart.Version }}\n", "1.2.3", "Chart.yaml: 1.2.3"),
        ('a: {{ tpl "x{{ .Values.name }}y" . }}\n', "orders", "values.yaml: orders"),
        ('a: {{ regexReplaceAll "^o" .Values.name "0" }}\n', "rders", "values.yaml: rders"),
        ("a: {{ ternary .Values.name 1 true }}\n", "orders", "values.yaml: orders"),
        ("a: {{ dict \"k\" .Values.port | toYaml }}\n", "8081", "values.yaml: 8081"),
    ],
)  # fmt: skip
def test_a_place_leads_to_what_decides_it(template: str, shown: str, place: str) -> None:
    assert decided_by(template, VALUES, shown) == place


def test_a_line_of_a_block_scalar_leads_to_that_line() -> None:
    values = "conf: |\n  # comment\n  a: 1\n\n  b: 20\n"
    for template in ("x: |\n{{ .Values.conf | indent 4 }}\n", "x:\n{{ toYaml .Values | indent 2 }}\n"):
        assert decided_by(template, values, "b: 20") == "values.yaml: b: 20"
        assert decided_by(template, values, "20") == "values.yaml: 20"


def test_the_file_that_overrides_a_value_decides_it_and_its_key() -> None:
    data = chart("{{ toYaml .Values.conf }}\n", "conf: {a: 1, b: 2}\n")
    data["orders/values-prod.yaml"] = "conf: {b: 33}\n"
    (found,) = rendered(data, ["orders/values-prod.yaml"])
    assert found.text is not None
    at = found.text.text.index("b: 33")
    for span in (Span(at, at + 1), Span(at + 3, at + 5)):
        origin = found.text.origin(span)
        assert origin is not None
        assert origin.path == "orders/values-prod.yaml"
    first = found.text.origin(Span(0, 1))
    assert first is not None
    assert first.path == "orders/values.yaml"


def test_a_template_in_a_value_leads_to_the_value_and_an_included_text_to_its_definition() -> None:
    values = "name: orders\ntemplate: 'id-{{ .Values.name }}'\n"
    main = 'a: {{ tpl .Values.template . }}\nb: {{ include "names" . | nindent 2 }}\n'
    files = {"templates/_names.tpl": '{{ define "names" }}fixed: {{ .Release.Name }}{{ end }}'}
    data = chart(main, values) | {f"orders/{name}": text for name, text in files.items()}
    (found,) = rendered(data)
    assert found.text is not None

    def place(shown: str) -> str:
        assert found.text is not None
        at = found.text.text.index(shown)
        origin = found.text.origin(Span(at, at + len(shown)))
        assert origin is not None
        return f"{origin.path.removeprefix('orders/')}: {data[origin.path][slice(*origin.span)]}"

    assert place("id-") == "values.yaml: id-"
    assert place("orders") == "values.yaml: orders"
    assert place("fixed") == "templates/_names.tpl: fixed"
    assert place("release-name") == "templates/_names.tpl: {{ .Release.Name }}"


def test_places_are_counted_in_characters_after_a_byte_order_mark_and_beyond_ascii() -> None:
    data = chart("a: ö {{ .Values.b }}\n", "\ufeffgröße: x\nb: yes!\n")
    (found,) = rendered(data)
    assert found.text is not None
    at = found.text.text.index("yes!")
    origin = found.text.origin(Span(at, at + 4))
    assert origin is not None
    assert data[origin.path][slice(*origin.span)] == "yes!"
