"""What the validators of real releases of the operator answer, in one JVM each."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.operator.agreement import Answer
from tests.operator.generated import Question

_PROGRAM = Path(__file__).with_name("Validator.java")


def answers(jars: str, questions: Iterable[Question]) -> list[Answer]:
    """Return what the release of a class path answers to questions; raises AssertionError if it fails."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _run(["javac", "-nowarn", "-cp", jars, "-d", scratch, str(_PROGRAM)])
        asked, answered = folder / "questions", folder / "answers"
        asked.write_text("".join(f"{json.dumps(question)}\n" for question in questions), encoding="utf-8")
        options = ["-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", "-cp", f"{scratch}{os.pathsep}{jars}"]
        _run(["java", *options, "Validator", str(asked), str(answered)])
        return [json.loads(line) for line in answered.read_text("utf-8").splitlines()]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    assert done.returncode == 0, done.stderr[-2000:]
