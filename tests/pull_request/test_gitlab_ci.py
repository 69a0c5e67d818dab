"""The template for GitLab CI: its jobs are run line by line, with the real flint in a test repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from flink_flint.linter.engine.discovery import LARGEST_FILE
from tests.pull_request.gitlab_server import GitLabServer, User

TEMPLATE = Path(__file__).parents[2] / "templates" / "gitlab-ci.yml"
TOKEN = "glpat-template"
PATH = "conf/flink-conf.yaml"
BASE = "taskmanager.memory.process.size: 4g\nparallelism.default: 2\n"
HEAD = BASE + "rest.port: 8081\nrest.port: 8082\n"


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    return loaded


@pytest.fixture
def server() -> Iterator[GitLabServer]:
    with GitLabServer().serving() as running:
        running.tokens[TOKEN] = User(7, "project_42_bot")
        running.base, running.head = {PATH: BASE}, {PATH: HEAD}
        yield running
        assert running.violations == []


class Project:
    """A repository with a base and a head, and a runner's checkout of it."""

    def __init__(self, folder: Path) -> None:
        self.origin, self.checkout = folder / "origin", folder / "checkout"
        self.origin.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")
        self.base = self.commit(BASE)
        self.git("switch", "--quiet", "--create", "feature")
        self.head = self.commit(HEAD)
        self.git("update-ref", "refs/merge-requests/7/head", self.head)
        # Like a runner: the commit of the pipeline without its history.
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")

    def git(self, *words: str, folder: Path | None = None) -> str:
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
        done = subprocess.run(["git", *identity, *words], cwd=folder or self.origin, capture_output=True, text=True, check=True)  # fmt: skip  # noqa: E501
        return done.stdout.strip()

    def commit(self, text: str) -> str:
        file = self.origin / PATH
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "change")
        return self.git("rev-parse", "HEAD")

    def clone(self, commit: str) -> None:
        self.checkout.mkdir()
        self.git("init", "--quiet", folder=self.checkout)
        self.git("remote", "add", "origin", self.origin.as_uri(), folder=self.checkout)
        self.git("fetch", "--quiet", "--depth", "1", "origin", commit, folder=self.checkout)
        self.git("checkout", "--quiet", "--detach", commit, folder=self.checkout)

    def run(self, template: dict[str, Any], job: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the job like a runner with bash; flint is already installed."""
        lines = [line for line in template[job]["script"] if not line.startswith("pip install")]
        assert len(lines) == len(template[job]["script"]) - 1
        environ = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        environ |= {name: str(value) for name, value in template["variables"].items()}
        environ |= {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "CI_PROJECT_DIR": str(self.checkout),
            "CI_PIPELINE_ID": "900",
            "CI_PROJECT_ID": "42",
            "CI_DEFAULT_BRANCH": "main",
            "GITLAB_CI": "true",
            "GITLAB_TOKEN": TOKEN,
        }
        command = ["bash", "-c", "set -eo pipefail\n" + "\n".join(lines)]
        return subprocess.run(
            command, cwd=self.checkout, env=environ | variables, capture_output=True, text=True, check=False
        )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.slow
def test_a_merge_request_is_checked_against_its_base_and_reported(
    template: dict[str, Any], project: Project, server: GitLabServer
) -> None:
    project.clone(project.head)
    checked = project.run(
        template, "flint", CI_COMMIT_SHA=project.head, CI_MERGE_REQUEST_DIFF_BASE_SHA=project.base,
        CI_MERGE_REQUEST_IID="7",
    )  # fmt: skip
    assert checked.returncode in (0, 1), checked.stderr
    assert "duplicate-key" in checked.stdout
    quality = json.loads((project.checkout / "gl-code-quality-report.json").read_text())
    assert {(issue["location"]["path"], issue["check_name"]) for issue in quality} == {(PATH, "FLK005")}
    compared = json.loads((project.checkout / "flint-900.json").read_text())["comparison"]
    assert (compared["base"], compared["remaining"]) == (project.base, [])

    output = project.run(
        template, "flint-comment", CI_API_V4_URL=f"{server.address}/api/v4", CI_MERGE_REQUEST_IID="7",
    )  # fmt: skip
    assert output.returncode == 0, output.stderr
    assert output.stdout == "GitLab: summary created, 1 inline created\n"
    assert "duplicate-key" in server.comments[0]
    assert "1 new" in server.comments[0]
    assert TOKEN not in checked.stdout + checked.stderr + output.stdout + output.stderr


@pytest.mark.slow
def test_a_merged_result_is_not_what_is_checked(template: dict[str, Any], project: Project) -> None:
    merged = project.commit(HEAD + "python.fn:1\n")
    project.clone(merged)
    checked = project.run(
        template, "flint", CI_COMMIT_SHA=merged, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=project.head,
        CI_MERGE_REQUEST_DIFF_BASE_SHA=project.base,
    )  # fmt: skip
    assert checked.returncode in (0, 1), checked.stderr
    assert "missing-space-after-colon" not in (project.checkout / "flint-900.json").read_text()


def test_the_default_branch_has_no_base(template: dict[str, Any], project: Project) -> None:
    project.clone(project.base)
    checked = project.run(template, "flint", CI_COMMIT_SHA=project.base, CI_COMMIT_BRANCH="main")
    assert checked.returncode in (0, 1), checked.stderr
    assert (project.checkout / "gl-code-quality-report.json").exists()
    assert "comparison" not in json.loads((project.checkout / "flint-900.json").read_text())


def test_a_base_that_cannot_be_fetched_is_done_without(template: dict[str, Any], project: Project) -> None:
    project.clone(project.head)
    checked = project.run(template, "flint", CI_COMMIT_SHA=project.head, CI_MERGE_REQUEST_DIFF_BASE_SHA="1" * 40)
    assert checked.returncode in (0, 1), checked.stderr
    assert "comparison" not in json.loads((project.checkout / "flint-900.json").read_text())


@pytest.mark.slow
def test_a_merge_request_of_a_fork_is_reported_from_the_default_branch(
    template: dict[str, Any], project: Project, server: GitLabServer
) -> None:
    project.clone(project.base)
    checked = project.run(template, "flint", CI_COMMIT_SHA=project.base, FLINT_MERGE_REQUEST="7")
    assert checked.returncode in (0, 1), checked.stderr
    output = project.run(
        template, "flint-comment", CI_API_V4_URL=f"{server.address}/api/v4", FLINT_MERGE_REQUEST="7"
    )  # fmt: skip
    assert output.returncode == 0, output.stderr
    assert "1 new" in server.comments[0]


@pytest.mark.slow
def test_errors_fail_the_check_and_not_the_comment(
    template: dict[str, Any], project: Project, server: GitLabServer
) -> None:
    broken = project.commit("taskmanager.memory.process.size: four\n")
    server.head = {PATH: "taskmanager.memory.process.size: four\n"}
    project.clone(broken)
    checked = project.run(template, "flint", CI_COMMIT_SHA=broken, CI_MERGE_REQUEST_DIFF_BASE_SHA=project.base)
    assert checked.returncode == 1, checked.stderr
    assert template["flint"]["artifacts"]["when"] == "always"
    assert {rule["when"] for rule in template["flint-comment"]["rules"]} == {"always"}
    output = project.run(
        template, "flint-comment", CI_API_V4_URL=f"{server.address}/api/v4", CI_MERGE_REQUEST_IID="7"
    )  # fmt: skip
    assert output.returncode == 0, output.stderr
    assert server.inline != []


@pytest.mark.slow
def test_what_a_check_could_not_read_is_in_the_comment(
    template: dict[str, Any], project: Project, server: GitLabServer
) -> None:
    large = project.origin / "large" / "flink-conf.yaml"
    large.parent.mkdir()
    large.write_bytes(b"#" * (LARGEST_FILE + 1))
    project.clone(project.commit(HEAD))
    (project.checkout / "flint.json").write_text("of another pipeline")
    (project.checkout / "flint-899.json").write_text("of another pipeline")
    checked = project.run(template, "flint", CI_COMMIT_SHA=project.git("rev-parse", "HEAD"))
    assert checked.returncode == 2, checked.stderr
    output = project.run(
        template, "flint-comment", CI_API_V4_URL=f"{server.address}/api/v4", CI_MERGE_REQUEST_IID="7"
    )  # fmt: skip
    assert output.returncode == 0, output.stderr
    assert "1 could not be read" in server.comments[0]
    (project.checkout / "flint-900.json").unlink()
    output = project.run(
        template, "flint-comment", CI_API_V4_URL=f"{server.address}/api/v4", CI_MERGE_REQUEST_IID="7"
    )  # fmt: skip
    assert (output.returncode, "no report to comment on" in output.stdout) == (0, True), output.stderr


@pytest.mark.slow
def test_links_of_a_fork_are_not_followed(template: dict[str, Any], project: Project, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("rest.port: of-this-project\n")
    (project.origin / "jobs").mkdir()
    (project.origin / "jobs" / "flink-conf.yaml").symlink_to(tmp_path / "secret")
    project.git("update-ref", "refs/merge-requests/7/head", project.commit(HEAD + "rest.port: 1x\n"))
    project.clone(project.base)
    checked = project.run(template, "flint", CI_COMMIT_SHA=project.base, FLINT_MERGE_REQUEST="7")
    assert checked.returncode in (0, 1), checked.stderr
    report = (project.checkout / "flint-900.json").read_text()
    assert "1x" in report
    assert "of-this-project" not in report + checked.stdout + checked.stderr


def test_nothing_of_the_repository_is_there_where_the_token_is(template: dict[str, Any]) -> None:
    assert template["flint-comment"]["variables"]["GIT_STRATEGY"] == "none"
    assert "unset GITLAB_TOKEN" in template["flint"]["script"][1].splitlines()
    assert all("$GITLAB_TOKEN" in rule["if"] for rule in template["flint-comment"]["rules"])


def test_the_template_fits_gitlabs_own_schema(template: dict[str, Any]) -> None:
    # check-jsonschema includes GitLab's JSON Schema of .gitlab-ci.yml.
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/gitlab-ci.json").read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [error.message for error in validator.iter_errors(template)] == []
    wrong = template | {"flint": template["flint"] | {"artifacts": {"reports": {"codequality": 1}}}}
    assert not validator.is_valid(wrong)
