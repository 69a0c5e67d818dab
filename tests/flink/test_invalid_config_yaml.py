"""What is recognized in a `config.yaml` that is no valid YAML: tags of templates, and settings line by line."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.invalid_config_yaml import salvage, template_tags


def test_a_tag_that_does_not_close_is_none() -> None:
    assert template_tags("a: {{ b\nc: 1\n" + "x" * 5_000 + "}}") == []
    assert [tuple(tag) for tag in template_tags("{{/* }} */}} {{ a }}")] == [(0, 12), (13, 20)]


def test_tags_in_comments_end_with_their_lines() -> None:
    text = "# {{ a }} {{ b\n#{{ c }}\nd: {{ e\n}} # {{/* }}\nf: x#{{ g\n}}\n# {{\r}}"
    found = [text[slice(*tag)] for tag in template_tags(text, is_rendered=False)]
    assert found == ["{{ a }}", "{{ c }}", "{{ e\n}}", "{{ g\n}}"]
    text = "# {{/* a\n{{ b }}\nc: 1\n# */}}"
    assert [text[slice(*tag)] for tag in template_tags(text, is_rendered=False)] == ["{{ b }}"]


def test_tags_in_comments_of_templates_may_span_lines() -> None:
    text = "# {{ a }} {{ b\n#{{ c }}\n"
    assert "{{ b\n#{{ c }}" in [text[slice(*tag)] for tag in template_tags(text)]


@pytest.mark.parametrize(
    ("written", "value", "style"),
    [
        ("8081", "8081", "plain"),
        ("'8081'", "8081", "single"),
        ('"8081"', "8081", "double"),
        ("''", "", "single"),
        ("'", "'", "plain"),
        ('"8081', '"8081', "plain"),
        ("'8081\"", "'8081\"", "plain"),
    ],
)
def test_a_recovered_value_loses_the_quotes_on_both_of_its_ends(written: str, value: str, style: str) -> None:
    (entry,) = salvage(f"rest.port: {written}\n", None)
    assert (entry.key, entry.text, entry.raw, entry.style) == ("rest.port", value, written, style)
