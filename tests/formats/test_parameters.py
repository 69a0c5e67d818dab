"""The parameters and variables whose defaults a program takes for settings."""

from __future__ import annotations

import pytest

from tests.formats.reading import read

PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Job {
  public static void main(String[] args) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    long every = params.getLong("every", 3);
    CALL;
  }
}
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("env.enableCheckpointing(every)", [("every", "execution.checkpointing.interval", "3 ms")]),
        ("env.enableCheckpointing(every * 1000)", [("every", "execution.checkpointing.interval", None)]),
        (
            "env.enableCheckpointing(Duration.ofMinutes(every).toMillis())",
            [("every", "execution.checkpointing.interval", None)],
        ),
        (
            'env.setParallelism(Integer.parseInt(System.getenv().getOrDefault("SLOTS", "2")))',
            [("SLOTS", "parallelism.default", "2")],
        ),
        ("env.setParallelism(2)", []),
        ('env.setParallelism(params.getInt("slots"))', []),
        ("env.setParallelism(params.getInt(name(), 2))", []),
    ],
)
def test_parameters_of_settings(call: str, expected: list[tuple[str, str, str | None]]) -> None:
    (document,) = read("Job.java", PROGRAM.replace("CALL", call))
    found = document.elements_of(("parameter",))
    assert [(one.name, one.value("key"), one.value("default")) for one in found] == expected
