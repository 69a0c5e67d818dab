"""A runner for the steps of `action.yml`: scripts run in bash as GitHub's runner runs them.

Of other actions two are played: what one uploads as an artifact the other downloads. Expressions are evaluated as far
as the action uses them: names, texts, `==`, `!=`, `&&`, `||`, `!`, parentheses, `format` and the states of a job.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
PLAYED = ("actions/upload-artifact", "actions/download-artifact", "actions/setup-python")

_TOKEN = re.compile(r"\s*(?:'((?:[^']|'')*)'|([A-Za-z_][\w.-]*)|(==|!=|&&|\|\||[!(),]))")


class Done(NamedTuple):
    """The results of a run of the action."""

    failed: str | None
    """The first step that failed."""
    status: int
    log: str
    outputs: dict[str, str]
    summary: str


class Runner:
    """A machine with a workspace, whose artifacts are folders by name."""

    def __init__(self, folder: Path, workspace: Path, *, installed: bool = True) -> None:
        self.folder = folder
        self.workspace = workspace
        self.artifacts: dict[str, Path] = {}
        self.environment: dict[str, str] = {}
        """Additional environment variables of GitHub's runner."""
        self.inputs: dict[str, str] = {}
        """Inputs of every run that gives no others."""
        self.event: dict[str, Any] = {}
        self._installed = installed
        """Whether flint is already installed, so that the step that installs it is skipped."""

    def new_job(self) -> None:
        """Start another job of the same workflow: only artifacts are kept."""
        shutil.rmtree(self.folder / "temp")

    def run(self, **inputs: str) -> Done:
        """Run the action with inputs, whose names have `_` for `-`; raises KeyError for an undeclared one."""
        given = {name.replace("_", "-"): value for name, value in {**self.inputs, **inputs}.items()}
        assert set(given) <= set(ACTION["inputs"]), given
        temporary = self.folder / "temp"
        temporary.mkdir(parents=True, exist_ok=True)
        context: dict[str, Any] = {
            "github": {"event": self.event, "token": self.environment.get("TOKEN", "")},
            "runner": {"temp": str(temporary)},
            "steps": {},
        }
        context["inputs"] = {
            name: given.get(name, filled(declared["default"], context)) for name, declared in ACTION["inputs"].items()
        }
        (self.folder / "event.json").write_text(json.dumps(self.event), encoding="utf-8")
        summary = self.folder / "summary.md"
        summary.write_text("", encoding="utf-8")
        failed, status, log = None, 0, ""
        for step in ACTION["runs"]["steps"]:
            told = context["steps"].setdefault(step.get("id", step["name"]), {"outputs": {}})
            if step.get("id") == "install" and self._installed:
                told["outputs"]["bin"] = str(Path(sys.executable).parent)
                continue
            condition = step.get("if", "success()").removeprefix("${{").removesuffix("}}")
            if failed is not None and "cancelled()" not in condition:
                continue
            if not evaluated(condition, {**context, "failed": failed is not None}):
                continue
            if "uses" in step:
                problem = self._play(step["uses"], {n: filled(v, context) for n, v in step["with"].items()})
            else:
                done, outputs = self._script(step, context, temporary, summary)
                log += done.stdout + done.stderr
                told["outputs"] = outputs
                problem = done.returncode
            if problem and failed is None:
                failed, status = step["name"], problem
        return Done(
            failed,
            status,
            log,
            {name: filled(one["value"], context) for name, one in ACTION["outputs"].items()},
            summary.read_text(encoding="utf-8"),
        )

    def _script(
        self, step: Mapping[str, Any], context: Mapping[str, Any], temporary: Path, summary: Path
    ) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
        assert step["shell"] == "bash"
        script, output = self.folder / "script.sh", self.folder / "output"
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("", encoding="utf-8")
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "PATH", "PIP_INDEX_URL") if name in os.environ}
        environment = {
            **kept, "GIT_CONFIG_GLOBAL": os.devnull,
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace), "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"), "RUNNER_TEMP": str(temporary), "RUNNER_OS": "Linux",
            **{name: value for name, value in self.environment.items() if name != "TOKEN"},
            **{name: filled(value, context) for name, value in step.get("env", {}).items()},
        }  # fmt: skip
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        lines = output.read_text(encoding="utf-8").splitlines()
        assert all(re.match(r"[a-z]+=", line) for line in lines), lines
        return done, {name: value for name, _, value in (line.partition("=") for line in lines)}

    def _play(self, action: str, given: Mapping[str, str]) -> int:
        """Run one of the actions that this runner knows and return the exit status."""
        name, _, _ = action.partition("@")
        assert name in PLAYED, name
        if name == "actions/upload-artifact":
            kept = self.folder / "artifacts" / given["name"]
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(given["path"], kept, symlinks=True)
            self.artifacts[given["name"]] = kept
        if name == "actions/download-artifact":
            assert given["run-id"] == str(self.event["workflow_run"]["id"])
            if given["name"] not in self.artifacts:
                return 1
            shutil.copytree(self.artifacts[given["name"]], given["path"], symlinks=True, dirs_exist_ok=True)
        return 0


def filled(text: object, context: Mapping[str, Any]) -> str:
    """Return a text with its expressions evaluated."""
    return re.sub(r"\$\{\{(.+?)\}\}", lambda match: _shown(evaluated(match[1], context)), str(text))


def evaluated(expression: str, context: Mapping[str, Any]) -> Any:
    """Return the value of an expression; raises ValueError for an unsupported one."""
    return _Expression(expression, context).value()


def _shown(value: Any) -> str:
    return {None: "", True: "true", False: "false"}.get(value, str(value))


class _Expression:
    def __init__(self, text: str, context: Mapping[str, Any]) -> None:
        self._context = context
        self._tokens: list[tuple[str, str]] = []
        place = 0
        text = text.strip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise ValueError(f"not understood: {text[place:]}")
            self._tokens.append((("text", "name", "sign")[(match.lastindex or 0) - 1], match[match.lastindex or 0]))
            place = match.end()

    def value(self) -> Any:
        found = self._either()
        if self._tokens:
            raise ValueError(f"not understood: {self._tokens}")
        return found

    def _take(self, *signs: str) -> str | None:
        if self._tokens and self._tokens[0][0] == "sign" and self._tokens[0][1] in signs:
            return self._tokens.pop(0)[1]
        return None

    def _either(self) -> Any:
        left = self._both()
        while self._take("||"):
            right = self._both()
            left = left or right
        return left

    def _both(self) -> Any:
        left = self._equal()
        while self._take("&&"):
            right = self._equal()
            left = left and right
        return left

    def _equal(self) -> Any:
        left = self._one()
        while sign := self._take("==", "!="):
            right = self._one()
            left = (_shown(left).lower() == _shown(right).lower()) == (sign == "==")
        return left

    def _one(self) -> Any:
        if self._take("!"):
            return not self._one()
        if self._take("("):
            inner = self._either()
            assert self._take(")")
            return inner
        kind, word = self._tokens.pop(0)
        if kind == "text":
            return word.replace("''", "'")
        if kind != "name":
            raise ValueError(f"not understood: {word}")
        if self._take("("):
            return self._call(word)
        found: Any = self._context
        for part in word.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def _call(self, name: str) -> Any:
        given = []
        while not self._take(")"):
            given.append(self._either())
            self._take(",")
        if name == "format":
            return given[0].format(*map(_shown, given[1:]))
        return {"cancelled": False, "always": True, "success": not self._context.get("failed")}[name]
