"""Hostile charts end in a problem soon, and nothing outside of a chart is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.formats.helm.rendering.chart_rendering import render_chart, render_folder
from tests.formats.helm.charts import CHART, chart, rendered, write
from tests.formats.helm.constructs import CONSTRUCTS, VALUES

DOUBLING = '{{ $s := "xxxxxxxxxx" }}{{ range until 64 }}{{ $s = printf "%s%s" $s $s }}{{ end }}{{ $s }}'


@pytest.mark.parametrize(
    "template",
    [
        DOUBLING,
        "{{ range until 100000000 }}x{{ end }}",
        "{{ range until 50000 }}{{ range until 50000 }}x{{ end }}{{ end }}",
        '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}',
        '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}',
        '{{ define "x" }}{{ include "x" . }}{{ include "x" . }}{{ end }}{{ include "x" . }}',
        '{{ $t := "{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t) }}',
        '{{ repeat 1000000000 "x" }}',
        '{{ "x" | indent 1000000000 }}',
        '{{ printf "%1000000000d" 1 }}',
        '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toYaml $d }}',
        '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ deepCopy $d | len }}',
        '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ print $d }}',
        '{{ $d := dict "a" 1 }}{{ range until 40 }}{{ $d = dict "l" $d "r" $d }}{{ end }}{{ toJson $d }}',
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ if 1 }}" * 5000 + "{{ end }}" * 5000,
        '{{ $s := repeat 1000 "a" }}{{ $l := splitList "" $s }}{{ range until 1000 }}{{ $x := join $s $l }}{{ end }}',
    ],
)  # fmt: skip
def test_a_template_that_grows_without_end_is_a_problem(template: str) -> None:
    (found,) = rendered(chart("a: " + template))
    assert found.problem is not None, found


def test_values_that_repeat_each_other_through_aliases_are_a_problem() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    (found,) = rendered(chart("a: 1\n", "\n".join(lines)))
    assert found.problem is not None
    assert found.path == "orders/Chart.yaml"


def test_a_pattern_that_costs_other_engines_exponential_time_is_matched() -> None:
    template = '{{ regexMatch "^(a+)+$" (printf "%sb" (repeat 5000 "a")) }}'
    (found,) = rendered(chart("a: " + template))
    assert found.text is not None
    assert found.text.text == "a: false\n"


def test_the_steps_of_a_chart_grow_with_its_length_only() -> None:
    def steps(copies: int) -> int:
        files = chart(
            'a: {{ .Values.x | quote }}\n{{ include "n" . | nindent 2 }}\n{{ define "n" }}b: 1{{ end }}' * copies
        )
        for limit in (1 << n for n in range(8, 22)):
            found = list(render_chart("orders", [], files, lambda name: files[name].encode(), steps=limit))
            if all(one.problem is None for one in found):
                return limit
        raise AssertionError("too many steps")

    assert steps(80) <= 4 * steps(40)


def test_files_outside_of_the_chart_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret\n")
    template = (
        '{{ .Files.Get "../secret" }}{{ .Files.Get "/etc/passwd" }}'
        '{{ .Files.Get "link" }}{{ (.Files.Glob "../*").AsConfig }}'
    )
    write(tmp_path / "repo" / "c", {"Chart.yaml": CHART, "templates/main.yaml": f"a: x{template}\n"})
    (tmp_path / "repo" / ".git").mkdir()
    (tmp_path / "repo" / "c" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "repo" / "c" / "templates" / "link.yaml").symlink_to(tmp_path / "secret")
    found = {Path(one.path).name: one for one in render_folder(str(tmp_path / "repo" / "c"))}
    main = found["main.yaml"].text
    assert main is not None
    assert main.text == "a: x\n"
    assert found["link.yaml"].text is None


def test_a_folder_is_rendered_with_its_values_files(tmp_path: Path) -> None:
    write(tmp_path, dict(chart("a: {{ .Values.a }}\n", "a: 1\n")) | {"orders/values-prod.yaml": "a: 2\n"})
    (found,) = render_folder(str(tmp_path / "orders"), [str(tmp_path / "orders" / "values-prod.yaml")])
    assert found.text is not None
    assert found.text.text == "a: 2\n"
    assert found.path == f"{tmp_path}/orders/templates/main.yaml"


_PIECES = [piece for construct in CONSTRUCTS for piece in construct.template.split(" ")]


@given(
    st.lists(st.sampled_from([*_PIECES, "{{", "}}", "{{-", "-}}", "|", "(", ")", '"', "\n", "$x", ":="]), max_size=25)
)
def test_whatever_a_template_contains_rendering_never_raises(pieces: list[str]) -> None:
    for one in rendered(chart(" ".join(pieces), VALUES)):
        assert (one.text is None) != (one.problem is None)


@given(st.text(alphabet="ab:-[]{}&*|>\"'#!,? \n\t%@\\", max_size=60))
def test_whatever_values_contain_rendering_never_raises(values: str) -> None:
    for one in rendered(chart("{{ toYaml .Values }}\n", values)):
        assert (one.text is None) != (one.problem is None)
