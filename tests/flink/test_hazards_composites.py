"""What a JVM makes of heaps in variables beside the options that Flink's start scripts pass."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from flink_flint.rules.composites._native_memory import LOSING, WINNING

pytestmark = pytest.mark.flink

FLINKS = ("-Xmx128m", "-Xms128m")


def started_with(variable: str, options: str) -> subprocess.CompletedProcess[str]:
    """A JVM with Flink's own options on the command line, and others in a variable."""
    return subprocess.run(
        ["java", *FLINKS, "-XX:+PrintFlagsFinal", "-version"],
        capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], variable: options},
    )  # fmt: skip


def heap_of(jvm: subprocess.CompletedProcess[str]) -> int:
    found = re.search(r" MaxHeapSize +:?= (\d+)", jvm.stdout)
    assert found is not None, jvm.stderr
    return int(found[1])


@pytest.mark.parametrize("variable", LOSING)
def test_the_command_line_wins_over_a_variable(variable: str) -> None:
    assert heap_of(started_with(variable, "-Xmx256m")) == 128 << 20


def test_one_variable_wins_over_the_command_line() -> None:
    assert heap_of(started_with(WINNING, "-Xmx256m")) == 256 << 20


def test_a_bound_below_the_initial_heap_keeps_the_jvm_from_starting() -> None:
    jvm = started_with(WINNING, "-Xmx64m")
    assert jvm.returncode != 0
    assert "Initial heap size set to a larger value" in jvm.stdout + jvm.stderr
