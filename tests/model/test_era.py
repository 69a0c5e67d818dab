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


@pytest.mark.parametrize(
    ("command", "era"),
    [
        ("flink run -m yarn-cluster -yn 2 job.jar", Era((0,), ("-yn",))),
        ("flink run --yarncontainer=2 job.jar", Era((0,), ("--yarncontainer",))),
        ("yarn-session.sh -n 2 -st", Era((0,), ("-n",))),
        ("flink run -m yarn-cluster -q -yd job.jar", Era((0, 1, 2), ("-q",))),
        ("flink run-application -t yarn-application job.jar", Era(tuple(range(12)), ("run-application",))),
        ("flink run -yn 2 -Dexecution.runtime-mode=BATCH job.jar", None),
        ("flink run -n -p 2 job.jar -yn 2", None),
    ],
)
def test_options_that_newer_releases_do_not_have_show_an_era(command: str, era: Era | None) -> None:
    file_format = file_format_of("run.sh", command)
    assert file_format is not None
    (document,) = file_format.read("run.sh", f"{command}\n".encode())
    assert era_of(document, ALL) == era
