"""`flint check --plan`: what the planner is given, what becomes of its answers, and that a tree decides nothing."""

from __future__ import annotations

import json
import os
import random
import stat
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.commands.plan import PlanArguments, run_plan
from flink_flint.linter.engine.planning import isolated_planner
from flink_flint.linter.engine.planning.flink_libraries import Libraries, found_libraries, patch_to_install
from flink_flint.linter.engine.planning.isolated_planner import Java, PlanningError, find_java, plan
from flink_flint.linter.engine.planning.planned_documents import Planning, find_planning
from flink_flint.linter.engine.planning.planned_statements import plain_message, plan_elements
from flink_flint.linter.engine.planning.script_steps import Step, steps_of
from tests.conftest import Flint
from tests.engine.planning.golden import RELEASES, kept, planned, script, script_names
from tests.live.distribution import flink_libraries
from tests.rules.cases import all_cases, assert_case

TABLE = "CREATE TABLE t (k STRING) WITH ('connector' = 'kafka');\n"
INSERT = "INSERT INTO t SELECT k FROM t;\n"
REFUSAL = "org.apache.flink.table.api.ValidationException"


def steps(text: str, below: Mapping[str, str] | None = None) -> list[Step]:
    return [step for step in steps_of(text, below or {}) if step.number > 0]


def asked(text: str) -> list[str]:
    """What is asked of the planner, or why nothing is."""
    return [str(step.question.get("do", step.reason)) for step in steps(text)]


class TestSteps:
    def test_statements_are_declared_set_and_planned(self) -> None:
        text = "SET 'table.exec.state.ttl' = '1 h';\n" + TABLE + "CREATE VIEW v AS SELECT k FROM t;\n" + INSERT
        assert asked(text) == ["set", "declare", "declare", "plan"]
        assert asked("CREATE CATALOG c WITH ('type' = 'hive');\nSELECT 1;\n") == ["catalog", "plan"]

    @pytest.mark.parametrize(
        "text",
        [
            "ADD JAR '/x.jar';\n",
            "CREATE FUNCTION f AS 'F' USING JAR '/x.jar';\n",
            "CREATE TEMPORARY SYSTEM FUNCTION f AS 'F' LANGUAGE PYTHON;\n",
        ],
    )
    def test_code_is_passed_over_and_said_so(self, text: str) -> None:
        assert asked(text) == ["it names code, and no jar or class of the tree is loaded"]

    def test_what_calls_a_function_of_the_script_is_passed_over(self) -> None:
        found = asked("CREATE FUNCTION IF NOT EXISTS c.f AS 'F';\n" + TABLE + "SELECT f(k) AS x FROM t;\n" + INSERT)
        assert found[1:] == ["declare", "it calls f, whose code is not loaded", "plan"]

    @pytest.mark.parametrize("key", ["pipeline.jars", "pipeline.classpaths", "env.java.opts", "python.files"])
    def test_the_planner_gets_no_setting_that_names_files(self, key: str) -> None:
        assert [step.question for step in steps(f"SET '{key}' = 'file:///x.jar';\n")] == [{}]
        assert all(step.question.get("key") != key for step in steps_of(INSERT, {key: "x.jar"}))

    @pytest.mark.parametrize(
        "text",
        [
            "INSERT INTO t SELECT k FROM t /*+ OPTIONS('connector' = 'filesystem', 'path' = '/etc') */;\n",
            "ALTER TABLE t SET ('connector' = 'filesystem');\n",
        ],
    )
    def test_a_stub_stays_one(self, text: str) -> None:
        assert [step.question for step in steps(text)] == [{}]

    def test_nothing_is_planned_after_an_unknown_setting(self) -> None:
        assert asked("SET 'table.exec.state.ttl' = '${TTL}';\n" + INSERT)[1:] == [
            "the value of table.exec.state.ttl is not known"
        ]
        mode = "SET 'execution.runtime-mode' = '${MODE}';\n"
        assert asked(mode + INSERT)[-1] == "the value of execution.runtime-mode is not known"
        assert asked("SET 'table.sql-dialect' = 'hive';\n" + INSERT)[-1] == "it is in another dialect"
        for tag in ("'${x}'", "{{ x }}", "{% include 'x' %}", "<% x %>"):
            assert asked(f"INSERT INTO t SELECT {tag} FROM t;\n") == ["a template fills in a part of it"]

    def test_a_table_of_another_database_is_passed_over(self) -> None:
        table = "CREATE TABLE a (id VARCHAR(50) PRIMARY KEY);\n"
        assert asked(table) == ["it may be a table of another database"]
        assert asked("USE CATALOG lake;\n" + table) == ["declare", "declare"]

    @pytest.mark.parametrize(
        ("text", "below", "is_batch"),
        [
            (INSERT, {}, False),
            (INSERT, {"execution.runtime-mode": "BATCH"}, True),
            ("SET 'execution.runtime-mode' = 'batch';\n" + INSERT, {}, True),
            ("SET 'execution.runtime-mode' = 'streaming';\n" + INSERT, {"execution.runtime-mode": "BATCH"}, False),
        ],
    )
    def test_the_mode_is_that_of_the_first_query(self, text: str, below: dict[str, str], is_batch: bool) -> None:
        assert steps_of(text, below)[0].question == {"do": "begin", "batch": is_batch}

    def test_the_statements_of_a_set_are_planned_together(self) -> None:
        found = steps("BEGIN STATEMENT SET;\n" + INSERT + INSERT + "END;\n" + INSERT)
        assert [len(step.question["texts"]) for step in found] == [2, 1]

    def test_a_table_of_a_query_is_one_of_which_not_all_is_known(self) -> None:
        filled, used = steps("CREATE TABLE c WITH ('connector' = 'kafka') AS SELECT k FROM t;\nSELECT k FROM c;\n")
        assert filled.question == {"do": "fill", "text": "SELECT k FROM t", "table": "`c`"}
        assert not used.is_certain


def elements_of(text: str, answers: Mapping[int, Any]) -> list[tuple[str, str, str]]:
    found = plan_elements(text, "1.20", steps_of(text, {}), answers)
    return [
        (one.name, text[one.span.start : one.span.end], str(one.value("message") or one.value("reason")))
        for one in found
    ]


def refusal(*messages: str, type: str = REFUSAL, at: str = "") -> dict[str, Any]:  # noqa: A002 - as in the answers
    return {"refused": [{"type": type, "message": message, "at": at} for message in messages]}


class TestAnswers:
    def test_a_refusal_is_at_the_place_that_the_planner_names(self) -> None:
        text = "\n  INSERT INTO t\nSELECT key FROM t;\n"
        message = "SQL validation failed. At line 2, column 8: Column 'key' not found in any table"
        assert elements_of(text, {1: refusal(message)}) == [("refused", "key", "Column 'key' not found in any table")]
        message = "From line 1, column 13 to line 1, column 13: Cannot apply"
        assert elements_of(text, {1: refusal(message)}) == [("refused", "t", "Cannot apply")]
        assert elements_of(text, {1: refusal("Sorting is not supported")})[0][1] == "INSERT"
        assert elements_of(text, {1: refusal("At line 9, column 70: x")})[0][1] == "INSERT"

    @pytest.mark.parametrize(
        "answer",
        [
            refusal("Object 'shop' not found"),
            refusal("Object 'o' not found within 'shop'; did you mean 'O'?"),
            refusal("No match found for function signature F(<NUMERIC>)"),
            refusal("A catalog with name [lake] does not exist."),
            refusal("null", type="java.lang.NullPointerException"),
            refusal("no class", type="java.lang.NoClassDefFoundError"),
            refusal("x", "y", type="java.lang.IllegalStateException", at="StubTables.lookups(StubTables.java:1)"),
        ],
    )
    def test_what_may_be_elsewhere_or_due_to_stubs_is_no_refusal(self, answer: dict[str, Any]) -> None:
        assert [name for name, _, _ in elements_of(INSERT, {1: answer})] == ["passed over"]

    def test_a_message_is_one_line_without_what_surrounds_it(self) -> None:
        causes = refusal('SQL parse failed. Encountered "x" at line 1, column 2.\nWas expecting one of:\n  y')[
            "refused"
        ]
        assert plain_message(causes) == 'Encountered "x" at line 1, column 2'
        long = plain_message(refusal("x" * 1_000)["refused"])
        assert long is not None
        assert len(long) <= 301

    def test_what_the_time_does_not_suffice_for_is_said(self) -> None:
        assert elements_of(INSERT, {}) == [("passed over", INSERT[:-2], "the time for planning is over")]
        assert elements_of(INSERT, {1: {"late": True}})[0][2] == "planning it takes too long"


def libraries(folder: Path, release: str = "1.20.5") -> Path:
    folder.mkdir(parents=True)
    for name in (f"flink-dist-{release}.jar", f"flink-table-planner-loader-{release}.jar"):
        (folder / name).touch()
    return folder


class TestTrust:
    @pytest.fixture(autouse=True)
    def _cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FLINT_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "mine"))

    def test_libraries_are_the_user_s_then_those_of_the_cache(self, tmp_path: Path) -> None:
        named = libraries(tmp_path / "opt/flink/lib", "1.20.1")
        cached = libraries(tmp_path / "cache/libraries-1.20.5")
        libraries(tmp_path / "cache/libraries-1.11.4", "1.11.4")
        (tmp_path / "cache/flink-2.0").mkdir()
        found = found_libraries([str(named.parent)], ())
        assert found == [Libraries(str(named), "1.20.1"), Libraries(str(cached), "1.20.5")]
        assert found_libraries([str(named)], ())[0].folder == str(named)

    def test_nothing_inside_the_tree_is_used(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        tree = tmp_path / "tree"
        libraries(tree / "flink/lib")
        (tmp_path / "link").symlink_to(tree / "flink")
        assert found_libraries([str(tree / "flink"), str(tmp_path / "link")], [str(tree)]) == []
        programs = tree / "jdk/bin"
        programs.mkdir(parents=True)
        for name in ("java", "javac"):
            (programs / name).write_text("#!/bin/sh\n")
            (programs / name).chmod(stat.S_IRWXU)
        monkeypatch.setenv("JAVA_HOME", str(programs.parent))
        monkeypatch.setenv("PATH", f"jdk/bin{os.pathsep}.")
        with pytest.raises(PlanningError, match="needs a JDK"):
            find_java([str(tree)])
        assert find_java([]).java == str(programs / "java")
        monkeypatch.setenv("FLINT_CACHE_DIR", str(tree / "cache"))
        with pytest.raises(PlanningError, match="set FLINT_CACHE_DIR"):
            find_planning([], [str(tree)])

    def test_no_file_of_the_tree_requests_plans(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flint: Flint
    ) -> None:
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / "job.sql").write_text(TABLE + INSERT)
        (tree / "flint.toml").write_text("plan = true\n")
        done = flint("check", cwd=tree)
        assert done.returncode == 2
        assert "'plan' is only allowed in your own configuration" in done.stderr
        (tree / "flint.toml").unlink()
        (tree / ".config/flint").mkdir(parents=True)
        (tree / ".config/flint/flint.toml").write_text("plan = true\n")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tree / ".config"))
        assert "plan" not in flint("check", "job.sql", cwd=tree).stderr

    def test_without_libraries_it_says_how_to_get_them(self, tmp_path: Path, flint: Flint) -> None:
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / "job.sql").write_text(TABLE + INSERT)
        done = flint("check", "--plan", "job.sql", cwd=tree)
        assert done.returncode == 2
        assert "flint plan --install" in done.stderr
        (tmp_path / "mine/flint").mkdir(parents=True)
        (tmp_path / "mine/flint/flint.toml").write_text("plan = true\n")
        done = flint("check", "job.sql", "--select", "FLK148", cwd=tree)
        assert done.returncode == 0
        assert "flint plan --install" in done.stderr

    def test_an_unknown_release_is_not_installed(self) -> None:
        with pytest.raises(ValueError, match=r"flint plans with 1\.13 to"):
            patch_to_install("1.12")
        assert patch_to_install("1.20") == patch_to_install("1.20.1") == "1.20.5"


class TestIsolation:
    @pytest.fixture
    def java(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Java:
        """A JDK that writes what it is started with to its answers."""
        monkeypatch.setenv("FLINT_CACHE_DIR", str(tmp_path / "cache"))
        text = (
            "import json, os, sys\n"
            "if '-d' in sys.argv:\n"
            "    open(os.path.join(sys.argv[sys.argv.index('-d') + 1], 'Planner.class'), 'w')\n"
            "else:\n"
            "    answer = {'script': 'a', 'statement': 1, 'env': sorted(os.environ), 'argv': sys.argv[1:]}\n"
            "    open('answers', 'w').write(json.dumps(answer) + '\\n' + '{\"script')\n"
        )
        path = tmp_path / "java"
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(stat.S_IRWXU)
        return Java(str(path), str(path))

    def test_it_gets_no_environment_and_only_flink_s_libraries(
        self, tmp_path: Path, java: Java, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("AWS_SECRET_ACCESS_KEY", "JAVA_TOOL_OPTIONS", "CLASSPATH", "FLINK_CONF_DIR"):
            monkeypatch.setenv(name, "x")
        answer = plan([("a", ())], Libraries("/opt/flink/lib", "1.20.5"), java)["a"][1]
        assert not {"AWS_SECRET_ACCESS_KEY", "JAVA_TOOL_OPTIONS", "CLASSPATH", "FLINK_CONF_DIR"} & set(answer["env"])
        path = answer["argv"][answer["argv"].index("-cp") + 1].split(os.pathsep)
        assert path[1:] == ["/opt/flink/lib/*"]
        assert path[0].startswith(str(tmp_path / "cache"))
        assert "-Xmx768m" in answer["argv"]

    def test_it_is_ended_when_the_time_is_over(
        self, tmp_path: Path, java: Java, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = Path(java.java)
        path.write_text(path.read_text().replace("import json, os, sys\n", "import json, os, sys, time\n", 1))
        path.write_text(path.read_text().replace("else:\n", "else:\n    time.sleep(60)\n"))
        monkeypatch.setattr(isolated_planner, "_SECONDS", 2)
        with pytest.raises(PlanningError, match="does not start"):
            plan([("a", ())], Libraries("/opt/flink/lib", "1.20.5"), java)


def sample(number: int) -> Sequence[str]:
    """A part of the scripts: another one with another FLINT_SEED."""
    return sorted(random.Random(int(os.environ.get("FLINT_SEED", "1"))).sample(script_names(), number))


def test_all_scripts_have_plans_of_all_releases() -> None:
    assert len(script_names()) >= 40
    assert {name: list(plans) for name, plans in kept().items()} == {name: list(RELEASES) for name in script_names()}


@pytest.mark.flink
@pytest.mark.parametrize("release", ["1.20", "2.3"])
def test_a_planner_plans_scripts_as_it_did(release: str) -> None:
    names = sample(15)
    assert planned(names, release) == {name: kept()[name][release] for name in names}


@pytest.mark.flink
def test_the_planner_answers_as_the_cases_of_the_rule_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(rule, case) for rule, case in all_cases() if rule.code == "FLK148"]
    libraries = Libraries(str(flink_libraries(RELEASES["1.20"])), RELEASES["1.20"])
    monkeypatch.setattr("tests.rules.cases.planning_of", lambda case: Planning([libraries], find_java(())))
    for number, (rule, case) in enumerate(found):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert_case(rule, case, folder)


@pytest.mark.flink
def test_the_command_shows_operators_keys_and_refusals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "mine"))
    (tmp_path / "mine/flint").mkdir(parents=True)
    homes = json.dumps([str(flink_libraries(RELEASES["1.20"]))])
    (tmp_path / "mine/flint/flint.toml").write_text(f"flink-homes = {homes}\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("group_by_other_key", "column_unknown"):
        (tree / f"{name}.sql").write_text(script(name))
    messages: list[str] = []
    status = run_plan(
        PlanArguments((str(tree),), None, "1.20", "json"), lambda message, kind="error": messages.append(message)
    )
    assert status == 1
    refused, made = json.loads(capsys.readouterr().out)["scripts"]
    assert refused["statements"][0]["message"] == "Column 'price' not found in any table"
    assert made["statements"][0]["state"] == ["aggregation", "materialization of a sink"]
    assert made["statements"][0]["ttl"] == {
        "stream-exec-group-aggregate_1.groupAggregateState": "0 ms",
        "stream-exec-sink_1.sinkMaterializeState": "0 ms",
    }
    keys = {one["type"]: one["upsert_keys"] for one in made["statements"][0]["operators"]}
    assert keys["GroupAggregate"] == [["product", "customer"]]
