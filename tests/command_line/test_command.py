"""`flint size NAME` from the command line: answers, refusals, writing, exit statuses."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import inputs_of
from flink_flint.calculators.command_line.flags import command_of
from tests.conftest import Flint
from tests.marks import mostly_slow
from tests.test_imports import heavy, imported

EXAMPLE = [
    word for name, text in calculator("async-io").forward.example.items()
    for word in (f"--{name.replace('_', '-')}", text)
]  # fmt: skip
SMALL = ["--rate", "3000/s", "--latency", "40ms", "--read-timeout", "2s"]
CHECKPOINT = ["--duration", "47s", "--finalize", "2min", "--storage-outage", "10min"]

CONFIG = """\
# ours
s3.secret-key: hush-7f3a
execution:
  checkpointing:
    timeout: 10 min   # long
    interval: 1min
"""


def answer(flint: Flint, *arguments: str, status: int = 0) -> dict[str, Any]:
    result = flint("size", *arguments, "--output-format", "json")
    assert result.returncode == status, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


# -- what is printed


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_golden_answer(form: str, flint: Flint, golden: Callable[[str, str], None]) -> None:
    result = flint("size", "async-io", *EXAMPLE, "--output-format", form, "--flink-version", "1.20", COLUMNS="80")
    assert (result.returncode, result.stderr) == (1, "")
    golden(f"size-async-io.{form}.txt", result.stdout)


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_golden_what_if(form: str, flint: Flint, golden: Callable[[str, str], None]) -> None:
    arguments = ("--what-if", "parallelism=1..16", "--output-format", form, "--flink-version", "1.20")
    result = flint("size", "async-io", *SMALL, *arguments, COLUMNS="80")
    assert (result.returncode, result.stderr) == (0, "")
    golden(f"size-async-io-what-if.{form}.txt", result.stdout)


def test_golden_reverse(flint: Flint, golden: Callable[[str, str], None]) -> None:
    words = [f"--{n.replace('_', '-')}={text}" for n, text in calculator("async-io").reverse.example.items()]
    result = flint("size", "async-io", "--reverse", *words, "--flink-version", "1.20", COLUMNS="80")
    assert (result.returncode, result.stderr) == (0, "")
    golden("size-async-io-reverse.txt", result.stdout)


def test_golden_configuration_patch(flint: Flint, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    (tmp_path / "config.yaml").write_text("# ours\nexecution:\n  checkpointing:\n    interval: 1min  # often\n")
    arguments = ("--config", "config.yaml", "--flink-version", "1.20", "--output-format")
    result = flint("size", "checkpoint", *CHECKPOINT, *arguments, "patch")
    assert (result.returncode, result.stderr) == (1, "")
    golden("size-checkpoint.patch.txt", result.stdout)


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("name", mostly_slow(NAMES, every=3))
def test_text_fits_the_terminal(name: str, width: int, flint: Flint) -> None:
    words = [f"--{n.replace('_', '-')}={text}" for n, text in calculator(name).forward.example.items()]
    result = flint("size", name, *words, COLUMNS=str(width))
    assert result.returncode in (0, 1), result.stderr
    # Code, and a word that is longer than its column, cannot be wrapped.
    told = re.sub(r"^  .*[;'=#].*$", "", result.stdout, flags=re.MULTILINE).splitlines()
    assert [line for line in told if len(line) > width and max(map(len, line.split())) < width // 2] == []


@pytest.mark.parametrize("name", ["async-io", "checkpoint"])
def test_a_narrow_terminal_has_notes_below_their_values(name: str, flint: Flint) -> None:
    words = [f"--{n.replace('_', '-')}={text}" for n, text in calculator(name).forward.example.items()]
    text = flint("size", name, *words, COLUMNS="40").stdout
    inputs = text[text.index("\nInputs\n") : text.index("\nReasoning\n")].splitlines()
    notes = [line for line in inputs if line.startswith("      ")]
    assert notes
    assert max(map(len, notes)) <= 40
    assert sum(len(line.split()) for line in notes) / len(notes) > 2  # not a word a line
    assert max(map(len, text.splitlines()[:6])) <= 40


@pytest.mark.slow
def test_messages_fit_a_narrow_terminal(flint: Flint) -> None:
    for arguments in (
        ["nothing-like-it"], ["async-io", "--zzz", "3"], ["async-io", *SMALL, "--write"], ["async-io"], [],
        ["async-io", "--rate", "3", "--latency", "40ms"], ["async-io", *SMALL, "--flink-version", "9.9"],
    ):  # fmt: skip
        result = flint("size", *arguments, COLUMNS="40")
        assert [line for line in result.stderr.splitlines() if len(line) > 40 and line[:4] != "Try "] == []
        wide = flint("size", *arguments).stderr
        assert "".join(result.stderr.split()) == "".join(wide.split())


def test_the_head_of_an_answer_stands_before_its_table(flint: Flint) -> None:
    text = flint("size", "async-io", *EXAMPLE, "--what-if", "parallelism=1..8", COLUMNS="80").stdout
    head, _, rest = text.partition("--parallelism")
    assert re.search(r"^  timeout: \d+ s   now 4 s$", head, re.MULTILINE)
    assert "\nerror: " in head
    assert "verdict" in rest


def test_the_help_tells_when_an_input_is_required_and_the_exit_statuses(flint: Flint) -> None:
    text = " ".join(flint("size", "checkpoint", "--help").stdout.split())
    assert "[required unless --state-size and --bandwidth are given; " in text
    assert "[required with --mtbf; " in text
    assert "Exit status: 0 an answer; 1 " in text
    assert "required unless --live-set is given" in flint("explain", "taskmanager-memory", COLUMNS="200").stdout


def test_markdown_has_a_column_for_now_only_where_something_is_set(flint: Flint) -> None:
    text = flint("size", "async-io", *EXAMPLE, "--output-format", "markdown").stdout
    assert "| value | answer | now | what it is |" in text
    assert re.search(r"^\*\*timeout: \d+ s\*\*, now 4 s \(Flink 2\.3\)$", text, re.MULTILINE)
    text = flint("size", "async-io", *SMALL, "--output-format", "markdown").stdout
    assert "| value | answer | what it is |" in text


def test_colors_only_where_they_are_wanted(flint: Flint) -> None:
    assert "\x1b" not in flint("size", "async-io", *SMALL).stdout
    assert "\x1b[" in flint("size", "async-io", *SMALL, FORCE_COLOR="1").stdout
    assert "\x1b" not in flint("size", "async-io", *SMALL, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_every_answer_is_valid_json_with_the_contracts_keys(flint: Flint) -> None:
    found = answer(flint, "async-io", *EXAMPLE, status=1)
    assert {"version", "calculator", "inputs", "values", "settings", "warnings"} <= found.keys()
    assert found["version"] == 1
    assert {"name", "value", "unit", "explanation"} <= found["values"][0].keys()
    assert found["errors"]
    assert [one["input"] for one in found["assumptions"]][:2] == ["client", "connect_timeout"]


def test_the_answer_may_go_into_a_file(flint: Flint, tmp_path: Path) -> None:
    result = flint("size", "async-io", *SMALL, "-o", "out.txt", FORCE_COLOR="1")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    text = (tmp_path / "out.txt").read_text()
    assert "timeout: 6 s" in text
    assert "\x1b" not in text
    assert flint("size", "async-io", *SMALL, "-o", "no/where").returncode == 2


# -- what is asked


def test_the_unit_in_which_an_input_is_given_changes_nothing(flint: Flint) -> None:
    other = ["--rate", "180k/min", "--latency", "0.04s", "--read-timeout", "2000 ms"]
    assert answer(flint, "async-io", *SMALL)["values"] == answer(flint, "async-io", *other)["values"]


def test_a_question_mark_is_as_good_as_leaving_out(flint: Flint) -> None:
    assert answer(flint, "async-io", *SMALL, "--utilization", "?") == answer(flint, "async-io", *SMALL)


def test_a_yes_or_no_may_stand_alone(flint: Flint) -> None:
    assert answer(flint, "async-io", *SMALL, "--ordered")["inputs"]["ordered"] is True
    assert answer(flint, "async-io", *SMALL, "--ordered", "no")["inputs"]["ordered"] is False


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reverse", [False, True])
def test_every_input_is_a_flag_with_its_range_in_the_help(name: str, reverse: bool, flint: Flint) -> None:
    text = " ".join(flint("size", name, *(["--reverse"] if reverse else []), "--help").stdout.split())
    for declared in inputs_of(calculator(name).way(reverse=reverse).inputs):
        assert f"{declared.flag} " in text
        meaning = declared.meaning[:1].upper() + declared.meaning[1:]
        assert " ".join(meaning.split()[:3]) in text
    assert "--reverse" in text
    assert "Example: flint size" in text


@pytest.mark.parametrize("name", NAMES)
def test_no_input_takes_a_flag_of_the_command(name: str) -> None:
    command = command_of(name, lambda *_: 0)
    assert command is not None
    for args in ([], ["--reverse"]):
        context = command.make_context(name, args, resilient_parsing=True)
        flags = [flag for param in command.get_params(context) for flag in param.opts]
        assert len(flags) == len(set(flags))


def test_options_may_stand_before_the_calculator(flint: Flint) -> None:
    result = flint("size", "--flink-version", "1.17", "async-io", *SMALL, "--output-format", "json")
    assert json.loads(result.stdout)["flink_version"] == "1.17"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["asnc-io"], "no calculator is called 'asnc-io'; did you mean async-io?"),
        (["kafka"], "no calculator is called 'kafka'; did you mean kafka-transactions?"),
        (["transactions"], "did you mean kafka-transactions?"),
        (["async-io", "--rat", "3/s"], "no such option: --rat; did you mean --rate?"),
        (["async-io", "--timeou", "3s"], "did you mean --timeout?"),
        (["nothing-like-it-at-all"], "known are async-io"),
        (["async-io", "--raet", "3"], "--rate"),
        (["async-io", "--reverse", "--rate", "3/s"], "--rate is an input only without --reverse"),
        (["async-io", *SMALL, "--catch-up", "0.5"], "--catch-up: 0.5 is out of range; allowed: at least 1"),
        (["async-io", *SMALL, "--retries", "-1"], "--retries: -1 is out of range"),
        (["async-io", *SMALL, "--latency", "3s"], "--latency: 3 s is above the read timeout of 2 s"),
        (["async-io", *SMALL, "--client", "mixed"], "--client: 'mixed' is not one of pool, async"),
        (["async-io", *SMALL, "--flink-version", "x"], "'x' is not a Flink version"),
        (["async-io", *SMALL, "--flink-version", "1"], "'1' is not a Flink version; write it like 1.20 or 1.20.5"),
        (["async-io", *SMALL, "--flink-version", ">=1.18"], "'>=1.18' is not a Flink version"),
        (["async-io", *SMALL, "--rate", "3000"], "--rate: '3000' has no period; write it like 5k/s"),
        (["async-io", *SMALL, "--rate", "-5/s"], "--rate: -5/s is out of range; allowed: above 0/s"),
        (["async-io", *SMALL, "--what-if", "rate=1/s,2/s", "--output-format", "patch"], "--what-if makes a table"),
        (["async-io", *SMALL, "--what-if", "rate=1/s,2/s", "--config", "c", "--diff"], "--diff requires a single"),
        (["async-io", *SMALL, "--what-if", "rate=1/s,2/s", "--config", "c", "--write"], "--write requires a single"),
        (["async-io", *SMALL, "--config", "c", "--write", "--diff"], "use one of the two"),
        (["async-io", *SMALL, "--config", "no.yaml"], "no.yaml: no such file"),
        (["async-io", *SMALL, "--write"], "require --config FILE"),
        (["async-io", *SMALL, "--input", "no.yaml"], "no.yaml: no such file"),
        (["async-io", *SMALL, "--what-if", "rate"], "rate=1k/s..10k/s"),
    ],
)
def test_what_nobody_can_use_is_told_and_exits_with_2(arguments: list[str], told: str, flint: Flint) -> None:
    result = flint("size", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert told in result.stderr


def test_all_bad_values_are_told_at_once(flint: Flint) -> None:
    result = flint("size", "async-io", "--rate", "fast", "--latency", "40", "--read-timeout", "2s")
    assert result.returncode == 2
    assert [line.split()[1] for line in result.stderr.splitlines()] == ["--rate:", "--latency:"]


def test_all_missing_inputs_are_told_at_once_with_examples(flint: Flint) -> None:
    result = flint("size", "async-io")
    assert result.returncode == 2
    assert result.stderr.startswith("error: async-io requires 3 more inputs")
    for words in ("--read-timeout 2s", "--rate 3000/s", "--latency 40ms"):
        assert f"  {words} " in result.stderr
    assert "(above 0/s); or use --capacity, and --client async or --pool instead" in " ".join(result.stderr.split())
    column = len("  --read-timeout 2s  ")
    assert {line[:column].strip() for line in result.stderr.splitlines()[2:]} == {"", "--rate 3000/s", "--latency 40ms"}
    assert {line[column - 2 : column + 1].count(" ") for line in result.stderr.splitlines()[1:]} == {2}


def test_without_a_name_and_a_terminal_all_calculators_are_listed(flint: Flint) -> None:
    result = flint("size")
    assert (result.returncode, result.stdout) == (2, "")
    for name in NAMES:
        assert re.search(rf"^  {name} +{re.escape(calculator(name).question)}$", result.stderr, re.MULTILINE)


# -- a configuration


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    path.chmod(0o640)
    return path


def test_now_and_recommended_stand_side_by_side(flint: Flint, config: Path) -> None:
    text = flint("size", "checkpoint", *CHECKPOINT, "--config", "config.yaml").stdout
    assert re.search(r"~ execution\.checkpointing\.interval +1min +\d+ \w+\n", text)
    assert re.search(r"\+ execution\.checkpointing\.min-pause +not set +\d+ \w+\n", text)
    assert re.search(r"--interval +60 s +config\.yaml:6\n", text)
    found = answer(flint, "checkpoint", *CHECKPOINT, "--config", "config.yaml", status=1)
    kinds = {change["key"]: (change["kind"], change["was"]) for change in found["changes"]}
    assert kinds["execution.checkpointing.interval"] == ("change", "1min")
    assert kinds["execution.checkpointing.min-pause"] == ("add", None)
    assert config.read_text() == CONFIG


@pytest.mark.slow
def test_a_configuration_of_no_known_release_is_answered_as_of_the_newest(flint: Flint, config: Path) -> None:
    arguments = ("size", "checkpoint", *CHECKPOINT, "--config", "config.yaml")
    assert "info: config.yaml: its Flink release is not known; answering for 2.3" in flint(*arguments).stderr
    assert flint(*arguments, "--flink-version", "1.20").stderr == ""
    (config.parent / "flint.toml").write_text('flink-version = "1.20"\n')
    result = flint(*arguments)
    assert result.stderr == ""
    assert "for Flink 1.20\n" in result.stdout


@pytest.mark.slow
def test_diff_shows_what_write_does(flint: Flint, config: Path) -> None:
    arguments = ("size", "checkpoint", *CHECKPOINT, "--config", "config.yaml")
    for flags in (["--diff"], ["--output-format", "patch"]):
        result = flint(*arguments, *flags)
        assert result.returncode == 1
        assert result.stdout.startswith("--- a/config.yaml\n+++ b/config.yaml\n@@ -")
        assert "hush" not in result.stdout
        assert config.read_text() == CONFIG
    wanted = answer(flint, *arguments[1:], status=1)["settings"]
    result = flint(*arguments, "--write")
    assert result.returncode == 0  # what broke is fixed now
    assert re.search(r"config\.yaml: wrote \d+ changes \(", result.stderr)
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert os.listdir(config.parent) == ["config.yaml"]
    text = config.read_text()
    assert text.startswith(CONFIG[: CONFIG.index("execution")])
    assert "  # long" in text or "timeout" not in wanted
    shown = json.loads(flint("show", "config.yaml", "--output-format", "json").stdout)["documents"][0]["settings"]
    assert wanted.items() <= shown.items()


@pytest.mark.slow
def test_templates_are_left_alone_and_listed(flint: Flint, config: Path) -> None:
    config.write_text("execution.checkpointing.interval: 1min\nexecution.checkpointing.timeout: ${T}\n")
    arguments = ("size", "checkpoint", *CHECKPOINT, "--config", "config.yaml", "--flink-version", "2.3")
    text = flint(*arguments).stdout
    assert re.search(r"! execution\.checkpointing\.timeout +\$\{T\} +\d+ min \(not changed: template\)\n", text)
    assert "config.yaml:2 is a template; default of Flink 2.3 assumed" in " ".join(text.split())
    found = json.loads(flint(*arguments, "--output-format", "json").stdout)
    assert [(one["key"], one["was"]) for one in found["left_alone"]] == [("execution.checkpointing.timeout", "${T}")]
    shown = flint(*arguments, "--diff")
    assert "-execution.checkpointing.timeout" not in shown.stdout
    told = "info: config.yaml:2: execution.checkpointing.timeout is not changed, as it is a template; recommended is "
    assert told in shown.stderr
    assert told in flint(*arguments, "--write").stderr
    assert "\nexecution.checkpointing.timeout: ${T}\n" in config.read_text()
    assert "interval: 1min" not in config.read_text()
    assert "(not changed: template) |" in flint(*arguments, "--output-format", "markdown").stdout


def test_what_is_missing_behind_a_template_is_told_so(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("taskmanager.memory.process.size: ${SIZE}\n")
    result = flint("size", "taskmanager-memory", "--reverse", "--config", "config.yaml")
    assert result.returncode == 2
    told = " ".join(result.stderr.split())
    assert "config.yaml:1 has a template for it; or use --flink-size" in told


def test_the_exit_status_after_writing_is_that_of_what_was_written(flint: Flint, config: Path) -> None:
    arguments = ("size", "checkpoint", *CHECKPOINT, "--config", "config.yaml", "--flink-version", "2.3")
    assert flint(*arguments).returncode == 1
    # The current value that a flag gives is the one that is written now.
    result = flint(*arguments, "--interval", "10s", "--write")
    assert result.returncode == 0, result.stderr
    assert flint(*arguments).returncode == 0


def test_writing_twice_changes_nothing_more(flint: Flint, config: Path) -> None:
    arguments = ("size", "checkpoint", *CHECKPOINT, "--config", "config.yaml", "--write")
    flint(*arguments)
    first = config.read_text()
    again = flint(*arguments)
    assert again.returncode == 0
    assert "info: config.yaml: nothing to change: the configuration already has these settings\n" in again.stderr
    assert config.read_text() == first
    assert "info: nothing to change" in flint(*arguments[:-1], "--diff").stderr


def test_keys_that_must_go_are_taken_out_in_all_spellings(flint: Flint, tmp_path: Path) -> None:
    path = tmp_path / "flink-conf.yaml"
    path.write_text("rest.port: 1\ntaskmanager.memory.flink.size: 1g\ntaskmanager.heap.size: 1g\n")
    words = [f"--{n.replace('_', '-')}={t}" for n, t in calculator("taskmanager-memory").forward.example.items()]
    result = flint("size", "taskmanager-memory", *words, "--config", "flink-conf.yaml", "--write")
    assert result.returncode in (0, 1), result.stderr
    assert "flink.size" not in path.read_text()
    assert "heap.size" not in path.read_text()
    assert "taskmanager.memory.process.size: " in path.read_text()
    assert "rest.port: 1\n" in path.read_text()


def test_memory_is_drawn_and_counted(flint: Flint) -> None:
    words = [f"--{n.replace('_', '-')}={t}" for n, t in calculator("taskmanager-memory").forward.example.items()]
    text = flint("size", "taskmanager-memory", *words, COLUMNS="80").stdout
    assert re.search(r"TaskManager process +[\d.]+ MiB +100\.0 %  ━+", text)
    memory = answer(flint, "taskmanager-memory", *words)["memory"]
    assert memory["process"] == "taskmanager"
    assert memory["process_size"] == memory["flink_size"] + memory["metaspace"] + memory["overhead"]


def test_a_calculator_without_settings_says_so_instead_of_a_patch(flint: Flint) -> None:
    result = flint("size", "async-io", *SMALL, "--output-format", "patch")
    assert (result.returncode, result.stdout) == (0, "")
    assert "async-io sizes nothing that a Flink option sets" in result.stderr


def test_without_a_configuration_the_patch_makes_one(flint: Flint) -> None:
    for version, name in (("1.20", "config.yaml"), ("1.18", "flink-conf.yaml")):
        arguments = ("checkpoint", *CHECKPOINT, "--flink-version", version, "--output-format", "patch")
        result = flint("size", *arguments)
        assert result.stdout.startswith(f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,")
        assert "+execution.checkpointing.interval: " in result.stdout


@pytest.mark.slow
def test_no_secret_of_the_configuration_is_ever_shown(flint: Flint, tmp_path: Path) -> None:
    path = tmp_path / "flink-conf.yaml"
    path.write_text(
        "s3.secret-key: hush-7f3a\nexecution.checkpointing.interval: hush-7f3a\n"
        "execution.checkpointing.timeout: 10 min\ns3.access-key: AKIAIOSFODNN7EXAMPLE\n"
    )
    for flags in ([], ["--interval", "60s"], ["--interval", "60s", "--diff"]):
        for form in ("text", "json", "markdown", "patch"):
            result = flint(
                "size", "checkpoint", *CHECKPOINT, "--config", "flink-conf.yaml", *flags, "--output-format", form
            )
            assert "hush" not in result.stdout + result.stderr
            assert "AKIA" not in result.stdout + result.stderr


def test_a_release_nobody_knows_is_said(flint: Flint) -> None:
    result = flint("size", "async-io", *SMALL, "--flink-version", "9.9")
    assert result.returncode == 0
    told = "warning: Flink 9.9 is not in the option catalogue (1.9 to 2.3): options and defaults are those of 2.3\n"
    assert result.stderr == told
    assert "for Flink 9.9\n" in result.stdout
    assert "default of Flink 2.3" in result.stdout
    assert "default of Flink 9.9" not in result.stdout


@pytest.mark.slow
def test_an_answer_imports_nothing_it_has_no_use_for(tmp_path: Path) -> None:
    modules = imported(tmp_path, "size", "async-io", *SMALL)
    assert heavy(modules) == {"dataclasses"}
    assert (
        not {
            "flink_flint.calculators.interactive",
            "flink_flint.linter.commands.check",
            "flink_flint.calculators.command_line.open_configuration",
        }
        & modules
    )
    assert {name for name in modules if name.startswith("calculators.") and name in OTHERS} == set()
    assert "jsonschema" not in imported(tmp_path, "size", "async-io", "--help")


OTHERS = {f"calculators.{name.replace('-', '_')}" for name in NAMES if name != "async-io"}


@pytest.mark.slow
def test_the_former_spelling_of_a_flag_is_accepted(flint: Flint, tmp_path: Path) -> None:
    expected = flint("size", "async-io", *SMALL, "--utilization", "50 %").stdout
    assert flint("size", "async-io", *SMALL, "--utilisation", "50 %").stdout == expected
    assert flint("size", "async-io", *SMALL, "--utilisation=50 %").stdout == expected
    inputs = tmp_path / "inputs.yaml"
    inputs.write_text("utilisation: 50 %\n")
    from_file = answer(flint, "async-io", *SMALL, "--input", str(inputs))
    assert from_file["inputs"]["utilization"] == 0.5
    assert flint("size", "async-io", *SMALL, "--utilisation", "50 %", "--what-if", "utilisation=40 %,50 %").stdout


@pytest.mark.slow
def test_british_spellings_are_accepted(flint: Flint, tmp_path: Path) -> None:
    expected = flint("size", "checkpoint", *CHECKPOINT).stdout
    assert "--finalize" in expected
    british = ["--finalise" if word == "--finalize" else word for word in CHECKPOINT]
    assert flint("size", "checkpoint", *british).stdout == expected
    vertex = ["--rate", "10k/s", "--processed", "9k/s", "--busy", "90 %", "--parallelism", "10"]
    fitted = flint("size", "parallelism", *vertex, "--alignment", "maximize").stdout
    assert "maximize" in fitted
    assert flint("size", "parallelism", *vertex, "--alignment", "maximise").stdout == fitted
    inputs = tmp_path / "inputs.yaml"
    inputs.write_text("alignment: maximise\n")
    assert answer(flint, "parallelism", *vertex, "--input", str(inputs))["inputs"]["alignment"] == "maximize"
