"""What cannot be known about a chart becomes a template tag, or a problem with its place; it is never guessed."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.syntax.yaml_tree import read_trees
from tests.formats.helm.charts import chart, rendered


def unknown(template: str, values: str = "") -> tuple[str, str]:
    """Return the output of a template and why a part of it is unknown."""
    (found,) = rendered(chart(template, values))
    assert found.problem is None
    assert found.text is not None
    return found.text.text, found.unknown


@pytest.mark.parametrize(
    ("template", "output", "reason"),
    [
        ("a: {{ randAlphaNum 5 }}\n", "a: {{ randAlphaNum 5 }}\n", "randAlphaNum differs each time"),
        ('a: {{ randAlphaNum 5 | b64enc | quote }}\n', 'a: "{{ b64enc }}"\n', "randAlphaNum differs each time"),
        ('a: {{ now | date "2006" }}\n', 'a: {{ date "2006" }}\n', "date depends on the time"),
        ('a: {{ printf "x-%s" uuidv4 }}\n', "a: x-{{ uuidv4 }}\n", "uuidv4 differs each time"),
        ("a: {{ noSuchFunction 1 }}\n", "a: {{ noSuchFunction 1 }}\n", "the function noSuchFunction is not known"),
        ('a:\n{{ dict "k" (randAlpha 3) | toYaml | indent 2 }}\n', "a:\n  k: {{ randAlpha 3 }}\n", "randAlpha"),
        ("{{ $x := randInt 1 5 }}a: {{ $x }}\n", "a: {{ randInt 1 5 }}\n", "randInt"),
        ("a: {{ randAlpha 3 | default 5 }}\n", "a: {{ randAlpha 3 }}\n", "randAlpha"),
        ('{{ $d := dict "x" (randAlpha 3) }}a: {{ eq $d.x "y" }}\n', 'a: {{ eq $d.x "y" }}\n', "randAlpha"),
        ("a: {{ initials \"First Try\" }}\n", 'a: {{ initials "First Try" }}\n', "not evaluated"),
    ],
)  # fmt: skip
def test_a_value_that_is_unknown_is_written_as_a_tag(template: str, output: str, reason: str) -> None:
    found, why = unknown(template)
    assert found == output
    assert reason in why


def test_of_a_block_with_an_unknown_condition_all_branches_are_written_between_tags() -> None:
    template = "a: 1\n{{- if randAlpha 1 }}\nb: 2\n{{- else }}\nb: 3\n{{- end }}\nc: {{ if uuidv4 }}x{{ end }}\n"
    found, _ = unknown(template)
    assert found == (
        "a: 1\n{{ if randAlpha 1 }}\nb: 2\n{{ else }}\nb: 3\n{{ end }}\nc: {{ if uuidv4 }}x{{ end }}\n"
    )  # fmt: skip
    (tree,) = read_trees(found)
    assert tree.root is not None
    assert tree.root.string("a") == "1"
    assert tree.root.string("b") is None
    assert tree.root.string("c") is None


def test_what_an_unknown_branch_changes_is_unknown_after_it() -> None:
    template = (
        '{{ $x := 1 }}{{ if uuidv4 }}{{ $x = 2 }}{{ $_ := set .Values "k" 3 }}{{ end }}'
        "a: {{ $x }}\nb: {{ .Values.k }}\n"
    )
    found, _ = unknown(template)
    assert found.endswith("a: {{ $x }}\nb: {{ k }}\n")


def test_a_failure_in_an_unknown_branch_is_unknown() -> None:
    found, why = unknown('{{ if uuidv4 }}{{ fail "no" }}{{ end }}\na: 1\n')
    assert "{{ fail }}" in found
    assert found.endswith("\na: 1\n")
    assert why


def test_a_loop_over_something_unknown_is_written_once_between_tags() -> None:
    found, _ = unknown('a:\n{{- range $i, $v := splitList "," (randAlpha 3) }}\n- {{ $v }}\n{{- end }}\nb: 1\n')
    (tree,) = read_trees(found)
    assert tree.root is not None
    assert tree.root.string("b") == "1"
    assert found.count("\n- {{") == 1


def test_a_template_that_includes_itself_on_an_unknown_condition_ends() -> None:
    found, _ = unknown('{{ define "x" }}{{ if uuidv4 }}a{{ include "x" . }}{{ end }}{{ end }}a: {{ include "x" . }}\n')
    assert found.count("{{ if uuidv4 }}") == 1


@pytest.mark.parametrize(
    ("template", "reason", "place"),
    [
        ('a: {{ fail "no port" }}\n', "the chart fails: no port", 'fail "no port"'),
        ('a: {{ required "p?" .Values.port }}\n', "the chart requires a value: p?", 'required "p?" .Values.port'),
        ("a: {{ .Values.x.y.z }}\n", "nil pointer evaluating interface {}.y", ".Values.x.y.z"),
        ("a: {{ .Values.name.y }}\n", "can't evaluate field y in type string", ".Values.name.y"),
        ("a: {{ upper 5 }}\n", "wrong type for value; expected string; got int", "upper 5"),
        ("a: {{ eq .Values.count 1 }}\n", "incompatible types for comparison", "eq .Values.count 1"),
        ('a: {{ include "none" . }}\n', "template 'none' is not defined", 'include "none" .'),
        ("a: {{ div 1 0 }}\n", "division by zero", "div 1 0"),
        ("a: {{ index .Values.list 7 }}\n", "index out of range: 7", "index .Values.list 7"),
        ("a: {{ range .Values.name }}{{ end }}\n", "range can't iterate over string", "{{ range .Values.name }}"),
        ("a: {{ $y }}\n", "undefined variable '$y'", "$y"),
    ],
)  # fmt: skip
def test_what_fails_in_helm_is_a_problem_with_its_place(template: str, reason: str, place: str) -> None:
    files = chart(template, "name: x\ncount: 1\nlist: [1]\n")
    (found,) = rendered(files)
    assert found.text is None
    assert found.problem is not None
    assert found.problem.reason == reason
    assert found.problem.origin is not None
    assert template[slice(*found.problem.origin.span)] == place


@pytest.mark.parametrize(
    "template",
    ["a: {{", "a: {{ }}", "{{ if }}x{{ end }}", "{{ if 1 }}", "{{ end }}", "{{ 1 | }}", "{{ ( }}", '{{ "x }}',
     "{{ break }}", "{{ else }}", "{{/* x }}", "{{ define }}{{ end }}", "{{ .a..b }}", "{{ $ := }}", "{{ 'ab }}"],
)  # fmt: skip
def test_a_template_with_a_syntax_error_is_a_problem_and_hides_no_other_file(template: str) -> None:
    files = chart(template, "") | {"orders/templates/other.yaml": "a: 1\n"}
    found = {one.path: one for one in rendered(files)}
    assert found["orders/templates/main.yaml"].problem is not None
    other = found["orders/templates/other.yaml"].text
    assert other is not None
    assert other.text == "a: 1\n"


@pytest.mark.parametrize(
    ("template", "output"),
    [
        ("a: {{ .Values.known }}\n", "a: 1\n"),
        ("a: {{ .Values.missing }}\n", "a: {{ missing }}\n"),
        ("a: {{ .Values.null }}\n", "a: {{ null }}\n"),
        ("a: {{ .Values.missing.field | quote }}\n", 'a: "{{ missing }}"\n'),
        ('a: {{ index .Values.missing "field" }}\n', 'a: {{ index .Values.missing "field" }}\n'),
        ("a: {{ .Values.missing | default 2 }}\n", "a: 2\n"),
        ("a: {{ if .Values.missing }}2{{ else }}3{{ end }}\n", "a: 3\n"),
        ("a: {{ with .Values.missing.field }}{{ . }}{{ else }}3{{ end }}\n", "a: 3\n"),
        ("a: {{ if or .Values.missing .Values.known }}2{{ end }}\n", "a: 2\n"),
        ("a: {{ if and .Values.missing .Values.known }}2{{ else }}3{{ end }}\n", "a: 3\n"),
        ('a: {{ hasKey .Values "missing" }}\n', "a: false\n"),
        ('a: {{ required "no value" .Values.missing }}\n', 'a: {{ required "no value" .Values.missing }}\n'),
        ('{{ if not .Values.missing }}{{ fail "no value" }}{{ end }}a: 1\n', '{{ fail "no value" }}a: 1\n'),
    ],
)  # fmt: skip
def test_what_the_known_values_lack_is_unknown_where_it_is_written_and_else_absent(template: str, output: str) -> None:
    (found,) = rendered(chart(template, "known: 1\nnull: ~\n"), unknown_values="other values")
    assert found.problem is None
    assert found.text is not None
    assert found.text.text == output
