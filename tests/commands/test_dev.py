"""`flint dev`: a new rule from a template is sound as written, and cases of rules are tried by name."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flink_flint.linter.commands import rule_cases
from flink_flint.linter.commands.dev import KINDS, dev, new_rule, next_code
from flink_flint.linter.commands.explain import problems_of
from flink_flint.linter.commands.rule_cases import failing
from flink_flint.linter.commands.rule_names import rule_name
from flink_flint.linter.config.flint_config import NONE
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.fix.one_file import Done, Fixed
from flink_flint.linter.model.rule import FAMILIES, RETIRED, CaseError, bad, cases_in_folders, code_of, good
from tests.conftest import ROOT, Flint


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of flint with a new rule of each kind."""
    root = tmp_path_factory.mktemp("checkout")
    for folder in ("flink_flint", "linter", "rules", "templates", "calculators"):
        shutil.copytree(ROOT / folder, root / folder, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for kind, family in zip(KINDS, ("network", "sql", "kafka"), strict=True):
        new_rule(f"from-template-{kind}", family, kind, str(root / "rules"))
    return root


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_a_new_rule_is_sound_as_written(kind: str, checkout: Path, flint: Flint) -> None:
    name = f"from-template-{kind}"
    done = flint("dev", "test", name, PYTHONPATH=str(checkout))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert {line.rpartition(": ")[2] for line in lines} == {"ok"}
    assert any("(bad)" in line for line in lines)
    assert any("(good)" in line for line in lines)
    assert any("case good-directory-unknown: " in line for line in lines) == (kind == "project")
    checked = flint("rules", "--check", PYTHONPATH=str(checkout))
    assert name.replace("-", "_") not in checked.stderr


@pytest.mark.slow
@pytest.mark.parametrize("tool", [("ruff", "check"), ("ruff", "format", "--check"), ("mypy",)], ids=" ".join)
def test_new_rules_pass_the_tools(checkout: Path, tool: tuple[str, ...]) -> None:
    written = sorted((checkout / "rules").glob("*/from_template_*.py"))
    assert len(written) == 2
    done = subprocess.run(
        [sys.executable, "-m", *tool, "--config-file" if tool == ("mypy",) else "--config", "pyproject.toml", *written],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_reads_the_rules_and_not_their_cases() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--show-files", "."]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    read = {Path(path).relative_to(ROOT).as_posix() for path in shown}
    rules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "rules").glob("*/*.py")}
    assert rules <= read
    assert {path for path in read if path.startswith("rules/")} == {"rules/__init__.py", *rules}


def test_a_new_rule_is_asked_for_or_named(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "rules" / "sql").mkdir(parents=True)
    given = ("dev", "new-rule", "A_Name", "--rules", "rules")
    done = flint(*given, stdin="sql\ntoml\n")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "rules" / "sql" / "a_name.toml").read_text(encoding="utf-8")
    assert f'code = "{next_code("sql", registry().by_code)}"\n' in text
    again = flint(*given, "--family", "sql", "--kind", "toml")
    assert (again.returncode, "file exists" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "family", "problem"),
    [
        ("blob-storage-in-tmp", "sql", "blob-storage-in-tmp is already the name of FLK101"),
        ("no.name", "sql", "is not a valid rule name"),
        ("x" * 61, "sql", "is not a valid rule name"),
        ("fresh", "sql", "has no folder sql"),
    ],
)
def test_a_rule_that_cannot_be(name: str, family: str, problem: str, flint: Flint) -> None:
    done = flint("dev", "new-rule", name, "--family", family, "--kind", "check", "--rules", ".")
    assert done.returncode == 2
    assert problem in done.stderr


NO_ANSWER = "no answer to 'Family' on standard input: give --family and --kind\n"


def test_questions_without_answers_are_a_usage_error(flint: Flint, tmp_path: Path) -> None:
    done = flint("dev", "new-rule", "a-name", "--rules", ".", stdin="")
    assert (done.returncode, done.stderr) == (2, f"error: {NO_ANSWER}")
    done = flint("dev", "new-rule", "a-name", "--rules", ".", stdin="sql\n")
    assert (done.returncode, done.stderr) == (2, f"error: {NO_ANSWER.replace('Family', 'Kind')}")
    command = 'exec "$0" -m flink_flint dev new-rule a-name --rules . <&-'
    closed = subprocess.run(
        ["sh", "-c", command, sys.executable],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": os.defpath}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (closed.returncode, closed.stderr) == (2, f"error: {NO_ANSWER}")


def test_ctrl_c_at_a_question(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("click.termui.visible_prompt_func", interrupt)
    with pytest.raises(SystemExit) as end:
        dev.main(["new-rule", "a-name", "--rules", str(tmp_path)])
    assert (end.value.code, capsys.readouterr().err) == (130, "error: interrupted\n")


def test_the_name_is_checked_before_the_questions(flint: Flint) -> None:
    done = flint("dev", "new-rule", "class", "--rules", ".", stdin="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'class' cannot be the name of a rule" in done.stderr


def test_families_and_kinds_in_any_case(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    done = flint("dev", "new-rule", "one-name", "--rules", ".", "--family", "SQL", "--kind", "Toml")
    assert (done.returncode, done.stderr) == (0, "")
    done = flint("dev", "new-rule", "other-name", "--rules", ".", stdin="Sql\nCHECK\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in (tmp_path / "sql").iterdir()) == ["one_name.toml", "other_name.py"]


@pytest.mark.parametrize("kinds", itertools.permutations(KINDS, 2))
def test_rules_of_a_folder_have_different_codes(kinds: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    codes = [new_rule(f"a-new-{kind}", "sql", kind, str(tmp_path))[0] for kind in kinds]
    assert codes[0] == next_code("sql", registry().by_code)
    assert codes[1] == next_code("sql", {*registry().by_code, codes[0]})


def test_no_rule_is_written_beside_the_cases_of_another(tmp_path: Path) -> None:
    (tmp_path / "sql" / "fresh").mkdir(parents=True)
    with pytest.raises(ValueError, match="sql/fresh: file exists"):
        new_rule("fresh", "sql", "project", str(tmp_path))
    assert [path.name for path in (tmp_path / "sql").iterdir()] == ["fresh"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("class", "is a word of Python"),
        ("str", "is a word of Python"),
        *((name, "is used for something else") for name in ("good", "bad", "cases", "rule", "config", "project")),
        ("kafka", "is the name of a family"),
        ("High-Availability", "is the name of a family"),
        *((name, "has a meaning of its own in --select") for name in ("all", "pedantic", "own")),
        *((name, "looks like the code of a rule") for name in ("FLK825", "flk", "acme001")),
        *((name, "is not a valid rule name") for name in ("a--b", "a-", "_a", "1a", "", "a__b")),
    ],
)
def test_names_that_break_a_rule_are_refused(name: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        rule_name(name)


def test_names_of_words_are_accepted() -> None:
    assert rule_name("S3_timeout-1_20") == "s3-timeout-1-20"
    assert rule_name("class-good") == "class-good"


OWN = """
[[rule]]
code = "ACME001"
option = "parallelism.default"
above = 4
message = "parallelism {value}"
severity = "warning"

[[rule.case]]
bad = "parallelism.default: 3\\n"

[[rule.case]]
good = "parallelism.default: 2\\n"
"""


def test_cases_of_users_rules_are_tried_and_say_what_differs(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text(OWN, encoding="utf-8")
    done = flint("dev", "test", "acme001")
    assert done.returncode == 1
    assert done.stdout == "ACME001 acme001 case 1 (bad): no finding\nACME001 acme001 case 2 (good): ok\n"


def test_cases_of_a_family_with_histories_and_older_revisions(flint: Flint) -> None:
    done = flint("dev", "test", "yarn", "container-memory-tight")
    assert done.returncode == 0, done.stdout
    assert "FLK750" in done.stdout


def test_an_unknown_name_is_a_usage_error(flint: Flint) -> None:
    done = flint("dev", "test", "no-such-rule")
    assert done.returncode == 2
    assert "no-such-rule" in done.stderr


# -- codes


def test_blocks_of_codes_are_disjoint_and_have_room() -> None:
    numbers = list(itertools.chain(*itertools.chain(*FAMILIES.values())))
    assert len(numbers) == len(set(numbers))
    assert all(0 <= number <= 999 for number in numbers)
    for family in FAMILIES:
        assert next_code(family, registry().by_code) not in registry().by_code


def test_a_retired_code_is_never_given_again() -> None:
    first = code_of(FAMILIES["network"][0][0])
    assert next_code("network", ()) == first
    assert next_code("network", (), {first: "merged"}) == code_of(FAMILIES["network"][0][1])
    assert RETIRED.keys().isdisjoint(registry().by_code)


def test_a_rule_with_a_retired_code_is_amiss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flink_flint.linter.commands.explain.RETIRED", {"FLK101": "merged"})
    assert list(problems_of(registry().by_code["FLK101"])) == [
        "FLK101 is retired (merged): use a code that no rule has ever had"
    ]


def test_a_full_family_says_where_blocks_are_declared() -> None:
    every = {code_of(number) for block in FAMILIES["sql"] for number in block}
    with pytest.raises(ValueError, match="no free code"):
        next_code("sql", every)


@pytest.mark.parametrize("number", range(2))
def test_cases_in_folders_do_not_count_as_examples(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [bad(""), bad(""), good(""), good("", title="good-in-folder" if number else "")]
    monkeypatch.setattr("flink_flint.linter.commands.explain.cases_of", lambda _: cases)
    problem = "it has 2 bad cases and 1 good, without those in folders: it needs at least 2 of each"
    assert list(problems_of(registry().by_code["FLK101"])) == [problem] * number


def test_a_new_rule_of_several_files_has_enough_cases_outside_folders(edited: Edited) -> None:
    edited.new_rule("from-template", kind="project")
    done = edited.run("dev", "test", "from-template")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(" case ")[2] for line in done.stdout.splitlines()] == [
        "1 (bad): ok", "2 (bad): ok", "3 (good): ok", "4 (good): ok", "good-directory-unknown: ok",
    ]  # fmt: skip


# -- rules being edited


class Edited:
    """A checkout in which rules of the family kafka are edited; the rest is this one."""

    def __init__(self, folder: Path, flint: Flint) -> None:
        self.root, self.flint = folder / "edited", flint
        self.family = self.root / "rules" / "kafka"
        shutil.copytree(ROOT / "flink_flint", self.root / "flink_flint", symlinks=True)
        (self.root / "rules").mkdir()
        (self.root / "pyproject.toml").touch()
        names = ["linter", "templates", "calculators"]
        for name in [*names, *(f"rules/{path.name}" for path in (ROOT / "rules").iterdir() if path.name != "kafka")]:
            (self.root / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "rules" / "kafka", self.family, ignore=shutil.ignore_patterns("__pycache__"))

    def new_rule(self, name: str, cases: str = "", kind: str = "check") -> Path:
        """Write a rule from a template, perhaps with other cases; return its path."""
        _, path = new_rule(name, "kafka", kind, str(self.root / "rules"))
        if cases:
            text = Path(path).read_text(encoding="utf-8").partition("    return [\n")[0]
            Path(path).write_text(f"{text}    return [\n{cases}    ]\n", encoding="utf-8")
        return Path(path)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.flint(*arguments, cwd=self.root, PYTHONPATH=str(self.root))


@pytest.fixture
def edited(tmp_path: Path, flint: Flint) -> Edited:
    return Edited(tmp_path, flint)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\ndef f(:\n", "rules/kafka/half_written.py:2: SyntaxError: "),
        ("import no_such\n", "rules/kafka/half_written.py:1: ModuleNotFoundError: No module named 'no_such'"),
    ],
)
def test_a_rule_that_cannot_be_read_is_named_in_one_line(text: str, message: str, edited: Edited) -> None:
    (edited.family / "half_written.py").write_text(text, encoding="utf-8")
    (edited.root / "config.yaml").write_text("parallelism.default: 1\n", encoding="utf-8")
    for command in (("check", "config.yaml"), ("rules",), ("explain", "FLK101"), ("dev", "test", "kafka")):
        done = edited.run(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {message}")
        assert done.stderr.count("\n") == 1


def test_a_rule_of_the_index_that_cannot_be_read_is_named(edited: Edited) -> None:
    broken = next(path for path in sorted(edited.family.glob("*.py")) if path.name[0] != "_")
    broken.write_text("def f(:\n", encoding="utf-8")
    done = edited.run("explain", broken.stem)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: rules/kafka/{broken.name}:1: SyntaxError: ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "has_line", "message"),
    [
        ('bad("", sys="x")', True, "ValueError: sys is not one of text, at, file, "),
        ('bad("", severity="info")', True, "ValueError: severity must be a severity such as Severity.INFO, not 'info'"),
        ('bad("", flink=1.17)', True, 'ValueError: flink must be a text such as "1.20", not 1.17'),
        ('bad("", flink="new")', True, "ValueError: 'new' is neither a Flink version"),
        ('bad("", platform="moon")', True, "ValueError: platform must be one of local, standalone, "),
        ('bad("", profile="test")', True, "ValueError: profile must be one of production, development, not 'test'"),
        ("1 / 0", True, "ZeroDivisionError: division by zero"),
        ("None", False, "cases() must return bad(...) and good(...), not None"),
        (
            'bad("", beside={"../x": ""})',
            False,
            "case 1 (bad): ValueError: ../x: the files of a case must be in its folder",
        ),
    ],
)
def test_a_mistake_in_a_case_is_named_in_one_line(case: str, has_line: bool, message: str, edited: Edited) -> None:
    path = edited.new_rule("with-a-mistake", f"        {case},\n")
    line = path.read_text(encoding="utf-8").splitlines().index(f"        {case},") + 1
    done = edited.run("dev", "test", "with-a-mistake")
    assert (done.returncode, done.stdout) == (2, "")
    place = f"rules/kafka/with_a_mistake.py{f':{line}' * has_line}"
    assert done.stderr.startswith(f"error: {place}: {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_results_before_a_mistake_are_printed(edited: Edited) -> None:
    edited.new_rule("sound")
    edited.new_rule("with-a-mistake", "        1 / 0,\n")
    done = edited.run("dev", "test", "sound", "with-a-mistake")
    assert (done.returncode, done.stdout.count(": ok\n")) == (2, 4)
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"bad-x/case.toml": "flink = 1.20\n"}, 'bad-x/case.toml: flink must be a text such as "1.20", not 1.2'),
        ({"bad-x/case.toml": "flink = 'new'\n"}, "bad-x/case.toml: 'new' is neither a Flink version"),
        ({"bad-x/case.toml": "platform = 'moon'\n"}, "bad-x/case.toml: platform must be one of local, "),
        ({"bad-x/case.toml": "profile = 'test'\n"}, "bad-x/case.toml: profile must be one of production, "),
        ({"bad-x/case.toml": "severity = 1\n"}, "bad-x/case.toml: severity must be error, warning or info, not 1"),
        ({"bad-x/case.toml": "text = ''\n"}, "bad-x/case.toml: text is not one of file, "),
        ({"bad-x/fixed/other.yaml": ""}, "bad-x/fixed/other.yaml: only the file under test, config.yaml, may be in"),
        ({"bad-x/before/other.yaml": ""}, "bad-x/before/other.yaml: only the file under test, config.yaml, may be in"),
        (
            {"good-x/config.yaml": "", "good-x/fixed/config.yaml": ""},
            "good-x/fixed/config.yaml: a good case has nothing",
        ),
        ({"good-x/case.toml": ""}, "good-x: the case has no file to test: add one"),
    ],
)
def test_a_case_in_a_folder_that_tests_nothing_is_named(
    files: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in ({"bad-x/config.yaml": ""} | files).items():
        (tmp_path / "a_rule" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a_rule" / name).write_text(text, encoding="utf-8")
    with pytest.raises(CaseError, match=re.escape(f"a_rule/{message}")):
        cases_in_folders(str(tmp_path / "a_rule.py"))


@pytest.mark.parametrize("kind", ["check", "toml"])
def test_a_rule_of_flint_has_a_code_of_flint(kind: str, edited: Edited) -> None:
    path = edited.new_rule("wrong-code", kind=kind)
    path.write_text(re.sub("FLK[0-9]+", "FL965", path.read_text(encoding="utf-8")), encoding="utf-8")
    done = edited.run("dev", "test", "wrong-code")
    assert (done.returncode, done.stdout) == (2, "")
    message = "'FL965' is not a code of flint's rules: write FLK and three digits"
    assert done.stderr == f"error: rules/kafka/{path.name}: {message}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "result"),
    [
        (r'bad("client.timeout: 5 s\n")', "no finding"),
        (r'bad("execution.checkpointing.timeout: 5 s\n", times=0)', "ok"),
        (r'bad("parallelism.default: 1\n", times=0)', "no finding"),
    ],
)
def test_what_is_wrong_with_a_case(case: str, result: str, edited: Edited) -> None:
    edited.new_rule("a-new-rule", f"        {case},\n")
    done = edited.run("dev", "test", "a-new-rule")
    first = done.stdout.splitlines()[0]
    assert (first.endswith(f": {result}"), done.stderr) == (True, ""), first


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fix", "why"),
    [
        (
            "setting.replace(setting.text)",
            "FLK825 (set execution.checkpointing.timeout to 5 s) was not fixed: it changes",
        ),
        (r"setting.replace('\x00')", "no edit of the file does what it says"),
        ("None", "no finding offers a fix"),
    ],
)
def test_a_fix_that_is_not_made_says_why(fix: str, why: str, edited: Edited) -> None:
    path = edited.new_rule("a-new-rule")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("setting.replace(str(shortest))", fix), encoding="utf-8")
    code = next_code("kafka", registry().by_code)
    first = edited.run("dev", "test", "a-new-rule").stdout.splitlines()[0]
    assert f": its fix is not made: {why.replace('FLK825', code)}" in first


@pytest.mark.parametrize(
    ("left", "more"),
    [((), ""), (("FLK002 was not fixed: why", "not everything was fixed"),
                " (FLK002 was not fixed: why; not everything was fixed)")],
)  # fmt: skip
def test_a_fix_that_leaves_another_text_says_what_was_not_fixed(
    left: tuple[str, ...], more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_fixed(sources: list[Source], *_: object, unsafe: bool) -> list[Fixed]:
        assert unsafe
        done = Done("FLK002", "deprecated-key", "rename it")
        return [Fixed(source, source._replace(data=b"half: fixed\n"), (done,), left) for source in sources]

    monkeypatch.setattr(rule_cases, "fix", half_fixed)
    case = bad("akka.framesize: 20m\n", flink="1.18", fixed="pekko.framesize: 20m\n")
    assert failing(registry().by_name["deprecated-key"].load(), case, NONE) == f"its fix leaves 'half: fixed\\n'{more}"
