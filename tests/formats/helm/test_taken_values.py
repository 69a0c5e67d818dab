"""Which templates take a map of values as a whole, and which only single values of it."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.helm.taken_values import are_taken_whole

MAP = ".Values.global.flinkConfiguration"


@pytest.mark.parametrize(
    "template",
    [
        f"{{{{ toYaml {MAP} | nindent 4 }}}}",
        f"{{{{ {MAP} | toYaml }}}}",
        f"{{{{ tpl (toYaml {MAP}) . }}}}",
        f"{{{{ {MAP} }}}}",
        f"{{{{ range $key, $value := {MAP} }}}}{{{{ $key }}}}: {{{{ $value }}}}{{{{ end }}}}",
        f"{{{{ with {MAP} }}}}{{{{ toYaml . }}}}{{{{ end }}}}",
        f"{{{{ with {MAP} }}}}{{{{ range $key, $value := . }}}}{{{{ $key }}}}{{{{ end }}}}{{{{ end }}}}",
        f"{{{{ $all := merge (dict) {MAP} }}}}{{{{ toYaml $all }}}}",
        f"{{{{ with .Values.on }}}}{{{{ else }}}}{{{{ toYaml {MAP} }}}}{{{{ end }}}}",
        f'{{{{ include "settings" {MAP} }}}}',
        f'{{{{ template "settings" {MAP} }}}}',
        f'{{{{ include "settings" (dict "of" {MAP} "context" $) }}}}',
        f'{{{{ define "settings" }}}}{{{{ toYaml {MAP} }}}}{{{{ end }}}}',
        '{{ toYaml (index .Values "global" "flinkConfiguration") }}',
        '{{ get .Values.global "flinkConfiguration" | toYaml }}',
        '{{ dig "global" "flinkConfiguration" (dict) .Values | toYaml }}',
        "{{ with .Values.global }}{{ toYaml .flinkConfiguration }}{{ end }}",
        "{{ $global := .Values.global }}{{ toYaml $global.flinkConfiguration }}",
        "{{ toYaml (default (dict) .Values.global).flinkConfiguration }}",
        "{{ toYaml .Values.global }}",
        '{{ include "settings" .Values.global }}',
        "{{ toYaml .Values.global.flinkConfiguration ",  # is no template
    ],
)
def test_of_a_map_that_is_taken_whole(template: str) -> None:
    assert are_taken_whole(template, "global", "flinkConfiguration")


@pytest.mark.parametrize(
    "template",
    [
        f"{{{{ {MAP}.slots }}}}",
        f'{{{{ index {MAP} "slots" }}}}',
        f'{{{{ get {MAP} "slots" | default 2 }}}}',
        f"{{{{ (default (dict) {MAP}).slots }}}}",
        f'{{{{ pluck "slots" {MAP} | first }}}}',
        f'{{{{ dig "slots" 2 {MAP} }}}}',
        f"{{{{ if {MAP} }}}}{{{{ {MAP}.slots }}}}{{{{ end }}}}",
        f'{{{{ if hasKey {MAP} "slots" }}}}{{{{ {MAP}.slots }}}}{{{{ end }}}}',
        f"{{{{ with {MAP} }}}}{{{{ .slots }}}}{{{{ end }}}}",
        f"{{{{ with {MAP} }}}}{{{{ .slots }}}}{{{{ end }}}}{{{{ toYaml . }}}}",
        f"{{{{ $all := {MAP} }}}}{{{{ $all.slots }}}}",
        f"{{{{ $all := {MAP} }}}}{{{{ $all = .Values.others }}}}{{{{ toYaml $all }}}}",
        f"{{{{/* {MAP} */}}}}",
        '{{ index .Values "global" "flinkConfiguration" "slots" }}',
        '{{ dig "global" "flinkConfiguration" "slots" 2 .Values }}',
        "{{ with .Values.global }}{{ .flinkConfiguration.slots }}{{ end }}",
        '{{ include "settings" .Values.global }}{{ define "settings" }}{{ .flinkConfiguration.slots }}{{ end }}',
        "{{ toYaml .Values.other.flinkConfiguration }}",
        "flinkConfiguration:\n  rest.port: {{ .Values.global.port }}",
        "{{ .Values.global.flinkConfiguration.slots ",  # is no template
    ],
)
def test_of_a_map_of_which_single_values_are_taken(template: str) -> None:
    assert not are_taken_whole(template, "global", "flinkConfiguration")


def test_values_at_the_top_are_taken_with_all_values() -> None:
    assert are_taken_whole("{{ toYaml .Values }}", "", "flinkConfiguration")
    assert are_taken_whole("{{ toYaml .Values.flinkConfiguration }}", "", "flinkConfiguration")
    assert not are_taken_whole('{{ include "labels" . }}{{ toYaml .Values.others }}', "", "flinkConfiguration")
