"""The era of a file: the releases that read all the keys written in it."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.release_evidence.era import Era, era_of

ALL = range(16)
PROGRAM = """\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Job { void run(StreamExecutionEnvironment env) { env.setRuntimeMode(RuntimeExecutionMode.BATCH); } }
"""


@pytest.mark.parametrize(
    ("name", "text", "era"),
    [
        ("flink-conf.yaml", "execution.runtime-mode: BATCH\n", Era(tuple(range(3, 16)), ("execution.runtime-mode",))),
        ("Job.java", PROGRAM, None),
    ],
)
def test_keys_that_are_written_show_an_era_and_calls_that_set_them_none(name: str, text: str, era: Era | None) -> None:
    file_format = file_format_of(name, text)
    assert file_format is not None
    (document,) = file_format.read(name, text.encode())
    assert document.settings() == {"execution.runtime-mode": "BATCH"}
    assert era_of(document, ALL) == era
