"""Hazards in helpers and engines are suggestions, unless a program uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options

HELPER = """\
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class {name} {{
  public static void {method}(StreamExecutionEnvironment env) {{
    env.configure(new Configuration().set(RestartStrategyOptions.RESTART_STRATEGY, "none"));
    {more}
  }}
}}
"""
CALLER = """\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    {call}
    env.execute();
  }}
}}
"""


def severities(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text)
    return [one.severity.word for one in check(find([str(folder)]), Options(select=("FLK603",))).findings]


def helper(name: str = "EnvironmentHelper", method: str = "configure", more: str = "") -> dict[str, str]:
    return {f"{name}.java": HELPER.format(name=name, method=method, more=more)}


def caller(call: str) -> dict[str, str]:
    return {"Orders.java": CALLER.format(call=call)}


def test_a_helper_that_nothing_calls_is_no_job(tmp_path: Path) -> None:
    assert severities(tmp_path, helper()) == ["info"]


def test_a_program_that_names_other_classes_does_not_call_a_helper(tmp_path: Path) -> None:
    assert severities(tmp_path, helper() | caller("MyEnvironmentHelpers.configure(env);")) == ["info"]


def test_a_helper_that_a_program_calls_is_part_of_its_job(tmp_path: Path) -> None:
    assert severities(tmp_path, helper() | caller("EnvironmentHelper.configure(env);")) == ["warning"]


@pytest.mark.parametrize(
    "files",
    [
        helper("OrdersJob"),
        helper("OrdersPipeline2"),
        helper(more="env.execute();"),
        helper("Latest", more="env.execute();"),
    ],
)
def test_a_class_that_runs_a_job_or_is_named_as_one_is_judged(files: dict[str, str], tmp_path: Path) -> None:
    assert severities(tmp_path, files) == ["warning"]


@pytest.mark.parametrize("method", ["configureNoRestartStrategy", "disableRestart", "withoutRestarts"])
def test_what_is_named_for_switching_restarts_off_is_meant(method: str, tmp_path: Path) -> None:
    assert severities(tmp_path, helper(method=method) | caller(f"EnvironmentHelper.{method}(env);")) == ["info"]


@pytest.mark.parametrize("name", ["TestCommand", "IntegrationTestRunner", "OrdersTests2"])
def test_a_class_named_for_tests_is_no_production_job(name: str, tmp_path: Path) -> None:
    assert severities(tmp_path, helper(name) | caller(f"{name}.configure(env);")) == ["info"]


def test_the_order_of_functions_in_a_file_does_not_lend_a_name(tmp_path: Path) -> None:
    text = CALLER.format(
        call='env.configure(new Configuration().set(RestartStrategyOptions.RESTART_STRATEGY, "none"));'
    )
    imports = HELPER.partition("public")[0]
    other = "  static void disableRestart(int a) {\n  }\n"
    head, brace, rest = text.partition("{\n")
    assert severities(tmp_path, {"Orders.java": imports + head + brace + other + rest}) == ["warning"]
