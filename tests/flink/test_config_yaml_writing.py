"""Writing `config.yaml`: what lies at the bounds of YAML's syntax."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.config_yaml_writing import Written, flat
from flink_flint.linter.flink.file_loading import read_config_yaml


@pytest.mark.parametrize(("length", "lines"), [(1_000, 1), (1_001, 2)])
def test_the_value_of_a_very_long_key_is_on_the_next_line(length: int, lines: int) -> None:
    key = "k" * length
    written = list(flat([Written(key, "v")]))
    assert len(written) == lines
    assert read_config_yaml("\n".join(written)).settings() == {key: "v"}
