"""Values of a chart from parameters: their text, and where it comes from."""

from __future__ import annotations

from flink_flint.linter.formats.helm.parameters import Parameter, parameters_text
from flink_flint.linter.text.spans import Span

OUTER = "args: --set image.tag=1.20 --set-string image.port=8081"


def parameter(name: str, value: str, *, is_text: bool = False) -> Parameter:
    start, at = OUTER.index(name), OUTER.index(value)
    return Parameter(name, Span(start, start + len(name)), value, Span(at, at + len(value)), is_text)


def test_values_are_nested_and_typed_and_start_at_the_first_parameter() -> None:
    made = parameters_text(OUTER, [parameter("image.tag", "1.20"), parameter("image.port", "8081", is_text=True)])
    assert made.text == '{"image": {"tag": "1.20", "port": "8081"}}'
    assert made.span(Span(0, 1)).start == OUTER.index("image.tag")
    assert OUTER[slice(*made.span(Span(made.text.index("1.20"), made.text.index("1.20") + 4)))] == "1.20"


def test_without_parameters_there_is_an_empty_object() -> None:
    assert parameters_text(OUTER, []).text == "{}"
