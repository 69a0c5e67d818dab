"""Declarative rules: the meaning of their tests, their messages, and errors in declarations."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from flink_flint.linter.config.flint_config import schema
from flink_flint.linter.engine.declarative_rules import Condition, DeclarationError, declared_rule
from flink_flint.linter.engine.registry import PACKAGE
from flink_flint.linter.engine.release_sets import evaluate
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.target import target_of
from flink_flint.linter.model.view import View
from tests.conftest import Flint
from tests.marks import mostly_slow

RULE = """
[[rule]]
code = "ACME001"
severity = "warning"
message = "found {value}"
"""

DECLARATIONS = sorted(Path(PACKAGE).glob("*/*.toml"))


def found(flint: Flint, tmp_path: Path, declared: str, config: str, *, version: str = "1.20") -> list[dict[str, str]]:
    (tmp_path / "flint.toml").write_text('[files]\n"config.yaml" = "config.yaml"\n' + RULE + declared)
    (tmp_path / "config.yaml").write_text(config)
    run = flint("check", ".", "--select", "own", "--flink-version", version, "--output-format", "json")
    assert run.returncode in (0, 1), run.stderr
    return list(json.loads(run.stdout)["findings"])


@pytest.mark.parametrize(
    ("declared", "value", "speaks"),
    [
        ('option = "taskmanager.memory.process.size"\nis = ["1 g"]', "1024 mb", True),
        ('option = "taskmanager.memory.process.size"\nis = ["1 g"]', "1025 mb", False),
        ('option = "taskmanager.memory.process.size"\nis-not = ["1 g", "2 g"]', "2048m", False),
        ('option = "taskmanager.memory.process.size"\nis-not = ["1 g", "2 g"]', "3g", True),
        ('option = "taskmanager.memory.process.size"\nbelow = "1 g"', "1023m", True),
        ('option = "taskmanager.memory.process.size"\nbelow = "1 g"', "1024m", False),
        ('option = "taskmanager.memory.process.size"\nat-most = "1 g"', "1024m", True),
        ('option = "taskmanager.memory.process.size"\nat-most = "1 g"', "1025m", False),
        ('option = "execution.checkpointing.interval"\nabove = "5 min"', "301 s", True),
        ('option = "execution.checkpointing.interval"\nabove = "5 min"', "300 s", False),
        ('option = "execution.checkpointing.interval"\nat-least = "5 min"', "300 s", True),
        ('option = "execution.checkpointing.interval"\nat-least = "5 min"', "299 s", False),
        ('option = "taskmanager.numberOfTaskSlots"\nabove = 8', "9", True),
        ('option = "taskmanager.numberOfTaskSlots"\nabove = 8\nat-most = 10', "11", False),
        ('option = "execution.checkpointing.unaligned.enabled"\nis = [true]', '"TRUE"', True),
        ('option = "execution.checkpointing.mode"\nis = ["at_least_once"]', "AT_LEAST_ONCE", True),
        ('option = "execution.checkpointing.dir"\nmatches-not = "^s3://"', "hdfs:///x", True),
        ('option = "execution.checkpointing.dir"\nmatches-not = "^s3://"', "s3://x/y", False),
        ('option = "execution.checkpointing.dir"\nmatches = "/tmp"', "file:///tmp/x", True),
        ('option = "execution.checkpointing.dir"\nmatches = "/tmp"', "'{{ .Values.dir }}/tmp'", False),
        ('option = "acme.team"\nis-not = ["orders"]', "payments", True),
        ('option = "acme.team"\nis-not = ["orders"]', "orders", False),
        ('option = "taskmanager.memory.process.size"\nbelow = "1 g"', "a lot", False),
    ],
)  # fmt: skip
def test_a_test_compares_what_flink_reads(
    declared: str, value: str, speaks: bool, flint: Flint, tmp_path: Path
) -> None:
    key = declared.split('"')[1]
    findings = found(flint, tmp_path, declared, f"{key}: {value}\nrest.port: 8081\n")
    assert [finding["key"] for finding in findings] == [key] * speaks


INTERVAL = 'option = "execution.checkpointing.interval"\nset = true\n'


@pytest.mark.parametrize(
    ("declared", "config", "speaks"),
    [
        ('also = [{option = "state.backend.type", is = ["rocksdb"]}]', "state.backend: rocksdb", True),
        ('also = [{option = "state.backend.type", is = ["rocksdb"]}]', "", False),
        ('also = [{option = "state.backend.type", is = ["hashmap"]}]', "", True),
        ('also = [{option = "state.backend.type", is = ["rocksdb"]}]', "state.backend.type: ${BACKEND}", False),
        ('unless = [{option = "state.backend.type", is = ["rocksdb"]}]', "state.backend: rocksdb", False),
        ('unless = [{option = "state.backend.type", is = ["rocksdb"]}]', "", True),
        ('unless = [{option = "state.backend.type", is = ["rocksdb"]}]', "state.backend.type: ${BACKEND}", False),
        ('unless = [{option = "state.backend.type", set = true}]', "state.backend.type: hashmap", False),
        ('also = [{option = "state.backend.type", set = false}]', "", True),
        ('also = [{option = "state.backend.type", set = false}]', "state.backend.type: hashmap", False),
        ('platform = ["yarn"]', "", False),
        ('platform = ["kubernetes"]', "kubernetes.cluster-id: x", True),
        ('flink = ">=2.0"', "", False),
        ('flink = ">=1.20"', "", True),
    ],
)
def test_other_options_releases_and_platforms_bound_a_rule(
    declared: str, config: str, speaks: bool, flint: Flint, tmp_path: Path
) -> None:
    findings = found(flint, tmp_path, INTERVAL + declared, f"execution.checkpointing.interval: 1 min\n{config}\n")
    assert len(findings) == speaks


def test_what_is_not_set_is_reported_where_it_is_missed(flint: Flint, tmp_path: Path) -> None:
    declared = (
        'option = "execution.checkpointing.timeout"\nset = false\n'
        'also = [{option = "execution.checkpointing.interval", set = true}]'
    )
    (finding,) = found(flint, tmp_path, declared, "execution.checkpointing.interval: 1 min\n")
    assert finding["key"] == "execution.checkpointing.interval"
    assert found(flint, tmp_path, declared, "parallelism.default: 2\n") == []
    both = "execution.checkpointing.interval: 1 min\nexecution.checkpointing.timeout: 1 min\n"
    assert found(flint, tmp_path, declared, both) == []


def test_a_default_is_judged_where_that_is_evaluated_for(flint: Flint, tmp_path: Path) -> None:
    declared = (
        'option = "execution.checkpointing.timeout"\nabove = "5 min"\nor-default = {}\n'
        'also = [{{option = "execution.checkpointing.interval", set = true}}]'
    )
    config = "execution.checkpointing.interval: 1 min\n"
    (finding,) = found(flint, tmp_path, declared.format("true"), config)
    assert finding["message"] == "found 10 min"
    assert found(flint, tmp_path, declared.format("false"), config) == []


def test_a_message_is_filled_in_and_hides_secrets(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text(
        '[[rule]]\ncode = "ACME002"\nseverity = "info"\noption = "s3.secret-key"\nset = true\n'
        'message = "{key} is {value} in {release}, {unknown} {parallelism.default} {s3.access-key}"\n'
    )
    (tmp_path / "config.yaml").write_text("s3.secret-key: verysecretvalue\ns3.access-key: AKIAABCDEFGHIJKLMNOP\n")
    output = flint("check", ".", "--select", "ACME002", "--flink-version", "1.20").stdout
    assert "verysecret" not in output
    assert "AKIAABCD" not in output
    flat = " ".join(output.split())
    assert "s3.secret-key is ****** in 1.20, {unknown} 1 ******" in flat


def test_a_fix_writes_and_counts_as_unsafe_unless_it_says_so(flint: Flint, tmp_path: Path) -> None:
    config = "execution.checkpointing.interval: 10 min  # long\n"
    found(flint, tmp_path, INTERVAL + 'above = "5 min"\nfix = {set = "5 min"}', config)
    assert flint("check", ".", "--select", "own", "--fix").returncode == 1
    assert (tmp_path / "config.yaml").read_text() == config
    assert flint("check", ".", "--select", "own", "--fix", "--unsafe-fixes").returncode == 0
    assert (tmp_path / "config.yaml").read_text() == "execution.checkpointing.interval: 5 min  # long\n"


@pytest.mark.parametrize(
    "pattern",
    ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*b", "^(a?){30}a{30}$", "(a*)*(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$",
     "(x+x+)+y", "^(?:a?a?a?a?a?a?a?a?)*c"],
)  # fmt: skip
def test_no_pattern_of_a_user_hangs(pattern: str, flint: Flint, tmp_path: Path) -> None:
    """Each pattern would take a backtracking engine so long that the test would never end."""
    written = f"option = \"a.b\"\nmatches = '{pattern}'"
    assert found(flint, tmp_path, written, f"a.b: {'a' * 5_000}!\nparallelism.default: 1\n") is not None


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ('option = "a.b"', "rule ACME001: it tests nothing of a.b"),
        (
            'option = "a.b"\nset = true\nfix = {}\nmatches = "("',
            "rule ACME001: a.b: matches is not a valid RE2 regular",
        ),
        ('option = "a.b"\nmatches = "(?=a)b"', "a.b: matches is not a valid RE2 regular expression: invalid perl"),
        (
            'option = "a.b"\nmatches-not = "(a)\\\\1"',
            "a.b: matches-not is not a valid RE2 regular expression: invalid escape",
        ),
        ('option = "a.b"\nmatches = "(((a{99}){99}){99}){99}"', "a.b: matches is not a valid RE2 regular expression: "),
        ('option = "a.b"\nset = true\nfix = {set = "x", remove = true}', "rule ACME001: fix must have exactly one of"),
        ('option = "a.b"\nset = false', "rule ACME001: with set = false, `also` must name an option that is set"),
        ('option = "a.b"\nset = false\nis = [1]', "rule ACME001: a.b: an option that is not set has no value"),
        ('option = "a.b"\nset = true\nflink = "new"', "rule ACME001: flink: "),
        ('option = "a.b"\nset = true\nname = "Two Words"', "'Two Words' is not a valid name"),
        ('option = "a.b"\nset = true\nname = "deprecated-key"', "deprecated-key is a rule of flint"),
        ('option = "a.b"\nset = true\n[[rule.case]]\nfile = "x"', "rule ACME001: a case must have exactly one text"),
        ('option = "a.b"\nset = true\noptoin = "x"', "rule[0]: unknown key 'optoin'; did you mean 'option'?"),
        ("set = true", "'option' is a required property"),
        ('option = "state.backend"\nis = ["rocksdb"]', "state.backend is an old name: write state.backend.type"),
        ('option = "a.b"\nset = true\nalso = [{option = "state.backend", set = true}]', "state.backend is an old name"),
        (
            'option = "taskmanager.memory.process.size"\nabove = "5 min"',
            "no Flink release accepts '5 min' in above as a value",
        ),
        ('option = "state.backend.type"\nabove = 5', "no Flink release accepts 5 in above as a value of type String"),
        ('option = "execution.checkpointing.mode"\nis = ["ROCKSDB"]', "no Flink release accepts 'ROCKSDB' in is as"),
        ('option = "a.b"\nset = true\nhelp = "one\\ntwo"', "help is one line, without control characters"),
    ],
)
@pytest.mark.parametrize("command", mostly_slow(["check .", "rules", "rules --check", "explain ACME001"], every=4))
def test_a_mistake_is_reported_with_the_file_and_the_rule(
    declared: str, says: str, command: str, flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / "flint.toml").write_text(RULE + declared)
    (tmp_path / "config.yaml").write_text("parallelism.default: 1\n")
    run = flint(*command.split())
    assert run.returncode == 2
    assert re.search(r"flint\.toml:\d+: ", run.stderr)
    assert says in " ".join(run.stderr.split())


def test_a_code_of_flint_is_not_to_be_had(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text(RULE.replace("ACME001", "FLK101") + 'option = "a.b"\nset = true')
    (tmp_path / "config.yaml").write_text("parallelism.default: 1\n")
    run = flint("check", ".")
    assert run.returncode == 2
    assert "FLK codes are reserved for flint" in run.stderr


CASES = """
[[rule.case]]
bad = "parallelism.default: 4\\n"
at = "parallelism.default"
fixed = "parallelism.default: 2\\n"

[[rule.case]]
good = "parallelism.default: 2\\n"
"""


@pytest.mark.slow
def test_cases_are_tried(flint: Flint, tmp_path: Path) -> None:
    declared = RULE + 'option = "parallelism.default"\nabove = 2\nfix = {set = "2"}\n'
    (tmp_path / "flint.toml").write_text(declared + CASES)
    run = flint("rules", "--check")
    assert run.returncode == 0, run.stderr
    assert "1 of your own, 2 cases tried" in run.stdout
    for spoilt, says in (
        (CASES.replace("default: 4", "default: 1"), "ACME001: case 1 (bad): no finding"),
        (CASES.replace('default: 2\\n"\n\n', 'default: 3\\n"\n\n'), "case 1 (bad): its fix leaves"),
        (CASES.replace("good", "bad"), "case 2 (bad): no finding"),
        (CASES.replace("bad", "good").replace("fixed", "says"), "case 1 (good): it reports: found 4"),
        (CASES.replace('at = "parallelism.default"', 'at = "x"'), "it reports elsewhere than at x"),
        ("", "it has no bad case"),
    ):
        (tmp_path / "flint.toml").write_text(declared + spoilt)
        run = flint("rules", "--check")
        assert run.returncode == 1
        assert says in " ".join(run.stderr.split())


def test_a_rule_counts_for_the_files_of_its_flint_config(flint: Flint, tmp_path: Path) -> None:
    for name, code in (("orders", "ACME001"), ("payments", "ACME002")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.yaml").write_text("parallelism.default: 4\n")
        declared = RULE.replace("ACME001", code) + 'option = "parallelism.default"\nabove = 2\n'
        (folder / "flint.toml").write_text(declared)
    for processes in ("1", "2"):
        run = flint("check", ".", "--output-format", "concise", "-j", processes)
        output = sorted(
            line.split(":")[0] + line.split("[")[1][:7] for line in run.stdout.splitlines() if "ACME" in line
        )
        assert output == ["orders/config.yamlACME001", "payments/config.yamlACME002"]


def test_folders_may_each_have_a_copy_of_a_rule(flint: Flint, tmp_path: Path) -> None:
    for name in ("orders", "payments"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.yaml").write_text("parallelism.default: 4\n")
        (folder / "flint.toml").write_text(RULE + 'option = "parallelism.default"\nabove = 2\n')
    run = flint("check", ".", "--select", "ACME001", "--output-format", "concise")
    assert [line.split(":")[0] for line in run.stdout.splitlines()[:2]] == [
        "orders/config.yaml",
        "payments/config.yaml",
    ]


def test_a_placeholder_of_no_option_stays_as_it_is(flint: Flint, tmp_path: Path) -> None:
    declared = 'option = "parallelism.default"\nabove = 2\nhelp = "see {no.such.option}"\n'
    (output,) = found(flint, tmp_path, declared, "parallelism.default: 4\n")
    assert output["help"] == "see {no.such.option}"


@pytest.mark.parametrize("path", DECLARATIONS, ids=lambda path: path.stem)
def test_flints_own_declarations_follow_the_schema(path: Path) -> None:
    import tomllib

    said = tomllib.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator({"$defs": schema()["$defs"], "$ref": "#/$defs/rule"}).validate(said)
    assert said["page"].strip()
    declared_rule({"name": path.stem, **said}, family=path.parent.name, module=f"tests.{path.stem}")


def test_a_condition_refuses_what_cannot_hold() -> None:
    with pytest.raises(DeclarationError, match="has no value"):
        Condition({"option": "a", "set": False, "above": 1}, own=True)


def view_of(text: str, version: str) -> View:
    file_format = file_format_of("flink-conf.yaml", text)
    assert file_format is not None
    (document,) = file_format.read("flink-conf.yaml", text.encode())
    target = target_of(document, flink_version=version)
    return View(document, target, target.indices[0])


@pytest.mark.parametrize(("version", "holds"), [("1.10", None), ("1.11", True)])
def test_a_limit_that_a_release_does_not_understand_decides_nothing(version: str, holds: bool | None) -> None:
    condition = Condition({"option": "state.backend.fs.memory-threshold", "above": "20 kb"}, own=True)
    assert condition.holds(view_of("state.backend.fs.memory-threshold: 30000\n", version)) is holds


@pytest.mark.parametrize(
    ("fix", "title"), [({"remove": True}, "delete rest.port"), ({"remove": False}, None), ({}, None)]
)
def test_a_setting_is_deleted_only_where_the_declaration_says_so(fix: dict[str, bool], title: str | None) -> None:
    declaration = {"code": "ACME001", "name": "probe", "severity": "info", "option": "rest.port", "set": True}
    rule = declared_rule({**declaration, "message": "x", "fix": fix}, family="own", module="tests.probe", own="ACME001")
    (finding,) = evaluate(rule, view_of("rest.port: 1\n", "1.20"), None)
    assert (finding.proposed.title if finding.proposed else None) == title


def test_folders_declare_rules_of_one_code(flint: Flint, tmp_path: Path) -> None:
    """Each rule applies to the files of its own folder, with its own message, test and severity."""
    for folder, tested, severity in (
        ("a", 'option = "parallelism.default"\nabove = 1', "error"),
        ("b", 'option = "rest.port"\nset = true', "info"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "config.yaml").write_text("parallelism.default: 3\nrest.port: 8081\n")
        declared = f'[[rule]]\ncode = "ACME001"\nseverity = "{severity}"\nmessage = "{folder} says"\n{tested}\n'
        (tmp_path / folder / "flint.toml").write_text(declared)
    run = flint("check", ".", "--select", "ACME001", "--output-format", "json")
    output = [(f["path"], f["key"], f["message"], f["severity"]) for f in json.loads(run.stdout)["findings"]]
    assert output == [
        ("a/config.yaml", "parallelism.default", "a says", "error"),
        ("b/config.yaml", "rest.port", "b says", "info"),
    ]
    assert run.returncode == 1


def test_one_file_declares_a_code_once(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text(
        (RULE + 'option = "a.b"\nset = true\n') + (RULE + 'option = "c.d"\nset = true\n')
    )
    (tmp_path / "config.yaml").write_text("parallelism.default: 1\n")
    run = flint("check", ".")
    assert run.returncode == 2
    assert "rule ACME001: the file declares two rules with that code or name" in " ".join(run.stderr.split())
