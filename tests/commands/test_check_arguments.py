"""The fast parser of `flint check` returns what click's parser returns, or None."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.commands.check_arguments import CHECK, CheckArguments, read_check
from flink_flint.linter.commands.main import check

_NAMES = [name for spec in CHECK for name in spec.names]
_VALUES = ["1.20", "4", "0", "operator", "production", "json", "a b", "", "-", "x=y", "-3", "FLK101,storage", "é", "１"]
_TOKENS = st.one_of(
    st.sampled_from(_NAMES),
    st.builds("{}={}".format, st.sampled_from(_NAMES), st.sampled_from(_VALUES)),
    st.sampled_from([*_VALUES, "--", "-j4", "-oout", "-h", "--help", "--fi", "--no-such-word", "---", "conf/a.yaml"]),
)


@settings(max_examples=600)
@given(st.lists(_TOKENS, max_size=7))
@pytest.mark.slow
def test_what_is_read_is_what_click_reads(arguments: list[str]) -> None:
    ours = read_check(arguments, {})
    if ours is not None:
        assert ours == CheckArguments(**check.make_context("check", list(arguments)).params)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--force-exclude", "conf/flink-conf.yaml", "conf/config.yaml"],
        ["--fix", "--exit-non-zero-on-fix", "-", "--stdin-filename", "config.yaml"],
        ["--output-format", "json", "-o", "report.json", "--output-format=sarif", "--output-file=report.sarif"],
        ["-j", "2", "--select", "FLK101", "--select=storage", "--platform", "operator", "."],
    ],
)
def test_the_forms_that_hooks_use_are_read_without_click(arguments: list[str]) -> None:
    ours = read_check(arguments, {})
    assert ours is not None
    assert ours == CheckArguments(**check.make_context("check", list(arguments)).params)


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--no-such-word"], ["--select"], ["--platform", "moon"], ["-j", "0"], ["--fix=yes"], ["--", "-a"]],
)
def test_what_click_had_better_answer_is_left_to_it(arguments: Sequence[str]) -> None:
    assert read_check(arguments, {}) is None


def test_completion_is_left_to_click() -> None:
    assert read_check(["."], {"_FLINT_COMPLETE": "bash_complete"}) is None


@pytest.mark.parametrize("old", [["--preferences", "flint.toml"], ["--preferences=flint.toml"]])
def test_old_spellings_work_with_a_hint(old: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert read_check(old, {}) is None
    assert check.make_context("check", [*old, "conf"]).params["flint_config_file"] == "flint.toml"
    assert capsys.readouterr().err == "info: --preferences is now --flint-config\n"
    assert check.make_context("check", ["--show-preferences"]).params["show_flint_config"] is True
    assert capsys.readouterr().err == "info: --show-preferences is now --show-flint-config\n"
    assert check.make_context("check", ["--", *old[:1]]).params["paths"] == (old[0],)
    assert "preferences" not in check.get_help(check.make_context("check", []))
