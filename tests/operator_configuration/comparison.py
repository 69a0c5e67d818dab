"""Compares the configuration that the operator makes of resources with the one that `flint show` prints for them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from flink_flint.linter.commands.show import ShowArguments, run_show
from flink_flint.linter.flink.deployment.operator import type_of
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.flink.values import parse_duration, parse_memory
from tests.operator.libraries import class_path
from tests.operator_configuration.generated_resources import Question, questions
from tests.operator_configuration.pods import read_containers, real_container

_PROGRAM = Path(__file__).with_name("EffectiveConfiguration.java")

Settings = Mapping[str, str]


class Answer(NamedTuple):
    """What a release of the operator makes of a question."""

    settings: Settings
    """What Flink reads from the file in the config map; of a session job, what its submission has."""
    error: str
    """Why the operator or Flink refuses it."""
    templates: Mapping[str, Any]
    """The merged pod template of each process; the path of a file where a resource names one instead."""


class Difference(NamedTuple):
    """A key for which flint and the operator differ; None where one of them has no value."""

    question: str
    key: str
    real: str | None
    shown: str | None

    def __str__(self) -> str:
        return f"{self.question}: {self.key}: the operator has {self.real!r}, flint {self.shown!r}"


class Comparison(NamedTuple):
    """What came of the resources that were put to a release of the operator and to flint."""

    asked: int
    refused: int
    """How many of them the operator refuses, so that they have no configuration."""
    differences: Sequence[Difference]

    @property
    def agreeing(self) -> int:
        """The number of resources for which all keys have the same values."""
        return self.asked - self.refused - len({one.question for one in self.differences})


def compare(release: str, count: int, seed: int, jars: Path | None = None) -> Comparison:
    """Compare the configurations of `count` resources drawn for a release, whose jars a folder may have."""
    asked = questions(release.rpartition(".")[0], count, seed)
    real, shown = answers(asked, class_path(release, jars)), shown_settings(asked, release)
    accepted = [one for one in asked if not real[one.name].error]
    found = [one for question in accepted for one in _differences(question, real, shown)]
    found += _pod_differences(accepted, real)
    return Comparison(len(asked), len(asked) - len(accepted), found)


# -- the operator


def answers(asked: Sequence[Question], libraries: str) -> dict[str, Answer]:
    """Return what the operator in a class path makes of each question, by the question's name.

    Raises AssertionError if the JVM fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        _run("javac", "-nowarn", "-Xlint:none", "-cp", libraries, "-d", folder, str(_PROGRAM))
        lines = (json.dumps(_sent({**one._asdict(), "job": one.job or None})) for one in asked)
        (scratch / "questions").write_text("\n".join(lines), encoding="utf-8")
        options = ("-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", f"-Djava.io.tmpdir={folder}")
        path = f"{folder}{os.pathsep}{libraries}"
        _run("java", *options, "-cp", path, _PROGRAM.stem, f"{folder}/questions", f"{folder}/answers")
        given = [json.loads(line) for line in (scratch / "answers").read_text("utf-8").splitlines()]
    return {one["name"]: _answer(one) for one in given}


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def _sent(value: Any) -> Any:
    """Return a value as kubectl sends it: Go writes whole numbers without a decimal point."""
    if isinstance(value, dict):
        return {key: _sent(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_sent(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else value


def _answer(given: Mapping[str, Any]) -> Answer:
    settings = dict(given.get("loaded", {}))
    if "submitted" in given:  # over the configuration of the cluster, which has passed through a file
        made = given["builder"]
        settings.update((key, value) for key, value in given["submitted"].items() if made.get(key) != value)
    templates = {name: given[name] for name in ("jobManager", "taskManager") if given.get(name)}
    return Answer(settings, given.get("error", ""), templates)


# -- flint


class _Quoting(yaml.SafeDumper):
    """Quotes the strings that kubectl would take for something else; the YAML of Python is not that of Go."""


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if type_of(text) == "string" else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Quoting.add_representer(str, _quoted)


def shown_settings(asked: Sequence[Question], release: str) -> dict[str, Settings]:
    """Return the settings that `flint show` prints for each question with a release of the operator, by its name."""
    found: dict[str, Settings] = {}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "flint.toml").write_text(f'operator-version = "{release}"\n', encoding="utf-8")
        for one in asked:
            objects = [one.deployment] if one.job is None else [one.deployment, one.job]
            text = yaml.dump_all(objects, Dumper=_Quoting, sort_keys=False, allow_unicode=True)
            Path(folder, f"{one.name}.yaml").write_text(text, encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            arguments = ShowArguments((folder,), False, True, "json", None, None, None, None)
            assert run_show(arguments, print) == 0
        for document in json.loads(printed.getvalue())["documents"]:
            name = Path(document["path"]).stem
            is_job = document["document"].startswith("FlinkSessionJob")
            if is_job or name not in found:
                found[name] = document["settings"]
    return found


# -- both

_OWN = re.compile(
    r"\$internal\.|kubernetes\.internal\.|kubernetes\.operator\.|job\.autoscaler\."
    r"|kubernetes\.pod-template-file\.(?:job|task)manager$"
)
"""Keys of the operator and Flink's client for themselves, those that the operator reads and removes, and those of the
files that it makes of pod templates, which are compared as such."""
_MADE = re.compile(r"/flink_op_generated_\w+\.yaml$")
"""A file that the operator makes of a pod template."""
_RANDOM = re.compile(r"(?<=/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def _differences(
    asked: Question, answered: Mapping[str, Answer], all_shown: Mapping[str, Settings]
) -> Iterator[Difference]:
    shown = all_shown[asked.name]
    real = {key: _RANDOM.sub("<random>", value) for key, value in answered[asked.name].settings.items()}
    real = {key: "" if _MADE.search(value) else value for key, value in real.items()}
    for key in sorted({*real, *shown}):
        one, other = real.get(key), shown.get(key)
        if _OWN.match(key) or (one is not None and other is not None and _same(one, other)):
            continue
        # The operator copies the directory of savepoints to the newest name of its option.
        names = [name for name in shown if name != key and set(_names(name)) & set(_names(key))]
        if other is None and any(shown[name] == one for name in names):
            continue
        yield Difference(asked.name, key, one, other)


def _pod_differences(asked: Sequence[Question], answered: Mapping[str, Answer]) -> Iterator[Difference]:
    """Yield where the main container of a process is not the one in the merged pod template."""
    with tempfile.TemporaryDirectory() as folder:
        for one in asked:
            path = Path(folder, f"{one.name}.yaml")
            path.write_text(yaml.dump(one.deployment, Dumper=_Quoting, allow_unicode=True), encoding="utf-8")
            image = one.deployment["spec"].get("image")
            for holder, shown in read_containers(path).items():
                template = answered[one.name].templates.get(holder)
                if isinstance(template, str):
                    continue
                real = real_container(template)
                if image and (real or shown):
                    real = {"image": image, **real}
                if real != shown:
                    yield Difference(one.name, f"{holder}.podTemplate", json.dumps(real), json.dumps(shown))


def _names(key: str) -> Sequence[str]:
    return list(catalogue().current_names(key))


def _duration(text: str) -> object:
    return parse_duration(text, len(MINORS) - 1)


def _same(real: str, shown: str) -> bool:
    """Return whether two texts are the same value: Flink writes sizes and durations in its own spelling."""
    if real == shown:
        return True
    for parse in (parse_memory, _duration):
        try:
            if parse(real) == parse(shown):
                return True
        except BadValue:
            continue
    return False
