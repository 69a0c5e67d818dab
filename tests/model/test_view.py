"""What rules see of a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.target import target_of
from flink_flint.linter.model.view import View

JOB = """\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Job {{
    void run() {{
        Configuration conf = new Configuration();
        {0};
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(conf);
        {1}
    }}
}}
"""


def view_of(name: str, text: str) -> View:
    file_format = file_format_of(name, text)
    assert file_format is not None
    (document,) = file_format.read(name, text.encode())
    target = target_of(document, flink_version="1.20")
    return View(document, target, target.indices[0])


@pytest.mark.parametrize(
    ("call", "typed"),
    [
        ("conf.set(CoreOptions.DEFAULT_PARALLELISM, 2)", True),
        ('conf.set(CoreOptions.DEFAULT_PARALLELISM, Integer.valueOf("2"))', False),
        ('conf.setString("parallelism.default", "2")', False),
    ],
)
def test_a_compiler_checks_the_type_of_what_a_program_sets_by_constant(call: str, typed: bool) -> None:
    setting = view_of("/absent/Job.java", JOB.format(call, "")).get("parallelism.default")
    assert setting.is_set
    assert setting.is_typed is typed


def test_no_compiler_checks_the_type_in_another_file() -> None:
    assert not view_of("/absent/flink-conf.yaml", "parallelism.default: 2\n").get("parallelism.default").is_typed
    assert not view_of("/absent/flink-conf.yaml", "rest.port: 2\n").get("parallelism.default").is_typed


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("parallelism:\n  default: 2\n\tx: 1\n", ["tab"]),
        ("parallelism:\n  default: 2\n\tx: <REGION>\n", []),
    ],
)
def test_lines_with_a_placeholder_are_no_reason_to_refuse_a_file(text: str, reasons: list[str]) -> None:
    view = view_of("/absent/config.yaml", text)
    assert view.document.refusals
    assert [refusal.reason for refusal in view.refusals] == reasons


def test_nothing_is_observed_without_a_history() -> None:
    view = view_of("/absent/flink-conf.yaml", "parallelism.default: 2\n")
    assert view.observed("job/lastCheckpointDuration", 99) is None
    assert view.observed_where("job/lastCheckpointDuration", above=1) == []
    assert view.jobs() == []


def test_a_finding_that_another_file_decides_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<project/>")
    calling = "AsyncDataStream.unorderedWait(env.fromElements(1), new Lookup(), 4, TimeUnit.SECONDS, 10000);"
    (tmp_path / "Job.java").write_text(JOB.format("conf.set(CoreOptions.DEFAULT_PARALLELISM, 2)", calling))
    (tmp_path / "Lookup.java").write_text(
        "import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;\n"
        "class Lookup extends RichAsyncFunction<String, String> {\n"
        "    ExecutorService pool = Executors.newFixedThreadPool(25);\n}\n"
    )
    (finding,) = check(find([str(tmp_path)]), Options(select=("FLK881",))).findings
    assert finding.path == str(tmp_path / "Job.java")
    assert finding.layers == {str(tmp_path / "Lookup.java")}
