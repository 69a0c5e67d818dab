"""The GitHub action: its scripts are run as a runner runs them; it and the workflows of the docs are looked over."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.action_runner import ACTION, ROOT, STEPS, Runner, evaluated
from tests.marks import mostly_slow
from tests.pull_request.github_server import TOKEN, Server, serving

PAGES = ("github.md", "adopting.md")
CONF = "conf/flink-conf.yaml"
SOUND = "parallelism.default: 2\nrest.port: 8081\n"
BAD = SOUND + "blob.storage.directory: /tmp/flink\n"
WORSE = BAD + "taskmanager.memory.process.size:4g\n"
ADVICE = "execution.checkpointing.timeout: 10 min\n"
RULES = ("FLK007", "FLK018", "FLK101", "FLK301")
"""The rules that report something of these, so that a new rule does not change what is compared."""


# -- what they say


def workflows() -> dict[str, str]:
    """Return the workflows of the docs, by file name."""
    text = (ROOT / "docs" / "github.md").read_text(encoding="utf-8")
    return {
        name: f"# .github/workflows/{name}\n{body}"
        for name, body in re.findall(
            r"^```yaml\n# \.github/workflows/(\S+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
        )
    }


def loaded(name: str) -> dict[Any, Any]:
    workflow: dict[Any, Any] = yaml.safe_load(workflows()[name])
    return workflow


def published(name: str) -> jsonschema.Validator:
    """Return a validator for SchemaStore's schema, which is part of check-jsonschema."""
    spec = importlib.util.find_spec("check_jsonschema")
    assert spec is not None
    assert spec.origin is not None
    file = Path(spec.origin).parent / "builtin_schemas" / "vendor" / f"{name}.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    return jsonschema.validators.validator_for(schema)(schema)


def test_the_docs_have_the_workflows() -> None:
    assert list(workflows()) == ["flint.yml", "flint-check.yml", "flint-comment.yml", "flint-scan.yml"]


def test_the_action_fits_the_published_schema() -> None:
    validator = published("github-actions")
    assert [error.message for error in validator.iter_errors(ACTION)] == []
    assert not validator.is_valid({**ACTION, "runs": {"using": "composite", "steps": [{"run": "echo"}]}})


@pytest.mark.parametrize("name", workflows())
def test_the_workflows_fit_the_published_schema(name: str) -> None:
    # YAML 1.1 reads the key `on` as true.
    workflow = {"on" if key is True else key: value for key, value in loaded(name).items()}
    validator = published("github-workflows")
    assert [error.message for error in validator.iter_errors(workflow)] == []
    assert not validator.is_valid({**workflow, "permissions": {"pull-request": "write"}})


def test_zizmor_finds_nothing_grave(tmp_path: Path) -> None:
    """A page cannot name its own commit, so flint's own action is named by a tag."""
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for name, text in workflows().items():
        (folder / name).write_text(text, encoding="utf-8")
    config = tmp_path / "zizmor.yml"
    policies = {"flink-flint/flint": "ref-pin", "*": "hash-pin"}
    config.write_text(yaml.safe_dump({"rules": {"unpinned-uses": {"config": {"policies": policies}}}}))
    zizmor = [str(Path(sys.executable).parent / "zizmor"), "--offline", "--format", "json", "--no-exit-codes"]

    def found(*more: str) -> list[str]:
        done = subprocess.run(
            [*zizmor, *more, "--config", str(config), str(tmp_path), str(ROOT / "action.yml")],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [finding["ident"] for finding in json.loads(done.stdout)]

    assert found("--min-severity", "medium") == []
    # What is ignored is ignored by a comment with its reason.
    assert found("--min-severity", "medium", "--no-ignores") == ["dangerous-triggers"]


def test_no_script_has_an_expression_in_it() -> None:
    scripts = [step["run"] for step in STEPS.values() if "run" in step]
    for name in workflows():
        scripts += [step["run"] for job in loaded(name)["jobs"].values() for step in job["steps"] if "run" in step]
    assert scripts
    assert [script for script in scripts if "${{" in script] == []


def test_other_actions_are_named_by_commit_with_the_version_beside() -> None:
    texts = [(ROOT / "action.yml").read_text(encoding="utf-8"), *workflows().values()]
    used = [line.strip() for text in texts for line in text.splitlines() if re.match(r"\s*(- )?uses:", line)]
    others = [line for line in used if "flink-flint/flint@" not in line]
    assert len(others) >= 6
    assert [line for line in others if not re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)] == []


def test_the_token_is_known_to_the_step_that_comments_alone() -> None:
    with_token = [name for name, step in STEPS.items() if "inputs.token" in json.dumps(step)]
    assert with_token == ["Download the reports", "Comment"]
    assert ACTION["inputs"]["token"]["default"] == "${{ github.token }}"


def test_nothing_of_a_fork_is_checked_out_where_a_token_may_write() -> None:
    comment = loaded("flint-comment.yml")
    assert comment[True] == {"workflow_run": {"workflows": [loaded("flint-check.yml")["name"]], "types": ["completed"]}}
    (job,) = comment["jobs"].values()
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert [step["uses"].partition("@")[0] for step in job["steps"]] == ["flink-flint/flint"]
    (check,) = loaded("flint-check.yml")["jobs"].values()
    assert check["permissions"] == {"contents": "read"}
    assert all("pull_request_target" not in text for text in workflows().values())
    assert all(loaded(name)["permissions"] == {} for name in workflows())


@pytest.mark.parametrize(
    ("event", "conclusion", "comments"),
    [
        ("pull_request", "success", True), ("pull_request", "failure", True), ("pull_request", "cancelled", False),
        ("push", "success", False),
    ],
)  # fmt: skip
def test_only_finished_runs_of_pull_requests_are_commented(event: str, conclusion: str, comments: bool) -> None:
    (job,) = loaded("flint-comment.yml")["jobs"].values()
    run = {"github": {"event": {"workflow_run": {"event": event, "conclusion": conclusion}}}}
    assert bool(evaluated(job["if"].removeprefix("${{").removesuffix("}}"), run)) is comments


def test_what_the_docs_give_to_the_action_it_takes() -> None:
    given: list[str] = []
    for page in PAGES:
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            for step in steps_in(yaml.safe_load(block)):
                if str(step.get("uses", "")).startswith("flink-flint/flint@"):
                    given += step.get("with", {})
    assert given
    assert set(given) <= set(ACTION["inputs"])


def steps_in(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict) and ("uses" in node or "run" in node):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from steps_in(inner)


def test_the_table_of_inputs_is_that_of_the_action() -> None:
    text = (ROOT / "docs" / "github.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (?:`(.*?)`)? ?\| (.+) \|$", text[text.index("## All inputs") :], re.MULTILINE)
    declared = [(name, one["default"], one["description"]) for name, one in ACTION["inputs"].items()]
    assert rows == declared


# -- what they do


class Repository:
    """Return a repository with a base and a branch, as a workflow checks it out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")
        self.base = self.commit({CONF: SOUND, "later/flink-conf.yaml": BAD})
        self.git("switch", "--quiet", "--create", "feature")

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
        done = subprocess.run(["git", *identity, *words], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, files: dict[str, str]) -> str:
        for name, text in files.items():
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "workspace")


@pytest.fixture
def runner(tmp_path: Path, repository: Repository) -> Runner:
    runner = Runner(tmp_path / "runner", repository.folder)
    runner.event = {"pull_request": {"number": 7, "base": {"sha": repository.base}}}
    runner.inputs = {"options": f"--select\n{','.join(RULES)}"}
    return runner


def before(report: Path) -> list[str] | None:
    """Return the findings of the base that remain; None for a report without a base."""
    compared = json.loads(report.read_text(encoding="utf-8")).get("comparison")
    return None if compared is None else sorted(f"{one['path']} {one['code']}" for one in compared["remaining"])


def codes(report: Path) -> list[str]:
    found = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return sorted(f"{one['path']} {one['code']}" for one in found)


@pytest.mark.slow
def test_a_check_annotates_counts_summarizes_and_leaves_both_reports(runner: Runner, repository: Repository) -> None:
    repository.commit({CONF: WORSE})
    done = runner.run()
    assert (done.failed, done.status) == ("Check", 1), done.log
    assert f"::error title=FLK007 missing-space-after-colon,file={CONF},line=4" in done.log
    assert f"::warning title=FLK101 blob-storage-in-tmp,file={CONF},line=3" in done.log
    counts = {name: done.outputs[name] for name in ("findings", "errors", "warnings", "info")}
    assert counts == {"findings": "3", "errors": "1", "warnings": "2", "info": "0"}
    assert "missing-space-after-colon" in done.summary
    reports = runner.artifacts["flint-reports"]
    names = ["flint-all.json", "flint-all.md", "flint.json", "flint.md"]
    assert sorted(file.name for file in reports.iterdir()) == names
    assert codes(reports / "flint-all.json") == [f"{CONF} FLK007", f"{CONF} FLK101", "later/flink-conf.yaml FLK101"]
    assert codes(reports / "flint.json") == [f"{CONF} FLK007", f"{CONF} FLK101"]
    assert before(reports / "flint.json") == ["later/flink-conf.yaml FLK101"]
    assert repository.git("status", "--porcelain") == ""
    assert len(repository.git("worktree", "list").splitlines()) == 1


@pytest.mark.slow
def test_a_sound_change_passes(runner: Runner, repository: Repository) -> None:
    repository.commit({CONF: SOUND + "rest.address: flink\n"})
    done = runner.run(paths="conf")
    assert (done.failed, done.outputs["findings"]) == (None, "0"), done.log
    assert before(runner.artifacts["flint-reports"] / "flint.json") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "level", "status"),
    [(ADVICE, "", 0), (ADVICE, "info", 1), (BAD, "", 1), (BAD, "error", 0), (WORSE, "error", 1), (WORSE, "never", 0)],
)
def test_the_fail_level_decides(runner: Runner, repository: Repository, text: str, level: str, status: int) -> None:
    repository.commit({CONF: text})
    done = runner.run(paths=CONF, fail_level=level)
    assert done.status == status, done.log
    assert done.outputs["findings"] != "0"


def test_options_and_paths_are_lines(runner: Runner, repository: Repository) -> None:
    repository.commit({CONF: WORSE, "our conf/flink-conf.yaml": BAD, "left/flink-conf.yaml": BAD})
    done = runner.run(paths=f"{CONF}\nour conf\n\n", options="--select\nFLK101\n--statistics\n", compare="false")
    assert codes(Path(done.outputs["reports"]) / "flint.json") == [
        f"{CONF} FLK101", "our conf/flink-conf.yaml FLK101",
    ]  # fmt: skip
    assert before(Path(done.outputs["reports"]) / "flint.json") is None


@pytest.mark.slow
def test_the_release_is_passed_on(runner: Runner, repository: Repository) -> None:
    assert runner.run(paths=CONF, flink_version="1.20").outputs["findings"] == "0"
    # Flink 2.0 does not read such a file.
    assert runner.run(paths=CONF, flink_version="2.0").outputs["findings"] == "1"


@pytest.mark.slow
def test_of_changes_only_what_they_cause_is_reported_and_the_rest_is_left_for_the_comment(
    runner: Runner, repository: Repository
) -> None:
    repository.commit({CONF: BAD})
    done = runner.run(changed_only="true")
    assert done.status == 1, done.log
    assert done.outputs["findings"] == "1"
    assert "later/flink-conf.yaml" not in done.log + done.summary
    reports = runner.artifacts["flint-reports"]
    assert codes(reports / "flint.json") == [f"{CONF} FLK101"]
    assert before(reports / "flint.json") == ["later/flink-conf.yaml FLK101"]
    repository.commit({CONF: SOUND})
    assert runner.run(changed_only="true").status == 0


def test_sarif_is_written_when_asked_for(runner: Runner, repository: Repository) -> None:
    repository.commit({CONF: BAD})
    done = runner.run(sarif="true", fail_level="never", compare="false", artifact="")
    assert done.status == 0, done.log
    log = json.loads(Path(done.outputs["sarif"]).read_text(encoding="utf-8"))
    assert {result["ruleId"] for result in log["runs"][0]["results"]} == {"FLK101"}
    assert runner.artifacts == {}
    assert runner.run(compare="false").outputs["sarif"] == ""


@pytest.mark.slow
def test_a_branch_may_be_named_as_the_base(runner: Runner, repository: Repository) -> None:
    repository.commit({CONF: BAD})
    runner.event = {}
    assert before(Path(runner.run().outputs["reports"]) / "flint.json") is None
    assert before(Path(runner.run(base="main").outputs["reports"]) / "flint.json") == ["later/flink-conf.yaml FLK101"]


def test_without_the_history_there_is_a_warning_and_no_comparison(
    runner: Runner, repository: Repository, tmp_path: Path
) -> None:
    repository.commit({CONF: BAD})
    shallow = tmp_path / "shallow"
    origin = repository.folder.as_uri()
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", origin, str(shallow)], check=True)
    runner.workspace = shallow
    done = runner.run(changed_only="true")
    assert "::warning::flint: git does not know" in done.log
    assert "fetch-depth: 0" in done.log
    assert done.status == 1
    assert codes(runner.artifacts["flint-reports"] / "flint.json") == [
        f"{CONF} FLK101", "later/flink-conf.yaml FLK101",
    ]  # fmt: skip
    assert before(runner.artifacts["flint-reports"] / "flint.json") is None


def test_a_change_that_switches_rules_off_fails_all_the_same(runner: Runner, repository: Repository) -> None:
    repository.commit({CONF: BAD, "flint.toml": 'ignore = ["ALL"]\n'})
    done = runner.run()
    assert (done.failed, done.status) == ("Check", 1), done.log
    assert done.summary.index("flint configuration changed") < done.summary.index("blob-storage-in-tmp")
    assert codes(runner.artifacts["flint-reports"] / "flint.json") == [f"{CONF} FLK101"]


def test_a_check_that_could_not_look_at_everything_says_so_in_its_report(
    runner: Runner, repository: Repository
) -> None:
    repository.commit({CONF: BAD})
    done = runner.run(paths=f"{CONF}\nno/such/folder")
    assert (done.failed, done.status) == ("Check", 2)
    assert "no/such/folder" in done.log
    report = json.loads((runner.artifacts["flint-reports"] / "flint.json").read_text(encoding="utf-8"))
    unread = [{"path": "no/such/folder", "reason": "no such file or folder"}]
    assert report["coverage"]["unreadable"] == unread


def test_without_a_report_there_is_nothing_to_comment_on(runner: Runner, repository: Repository) -> None:
    repository.commit({CONF: BAD})
    done = runner.run(fail_level="severe")
    told = runner.run(mode="comment", reports=done.outputs["reports"])
    assert told.failed is None
    assert "no report to comment on" in told.log


def test_wrong_inputs_are_told(runner: Runner, repository: Repository) -> None:
    done = runner.run(fail_level="severe")
    assert (done.failed, done.status) == ("Check", 2)
    assert "flint: error: " in done.log


# -- what others may choose


HOSTILE = (
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "--upload-pack=touch pwned",
    "a b",
)


@pytest.mark.parametrize("text", mostly_slow(HOSTILE, every=6))
@pytest.mark.parametrize("name", ["base", "paths", "options", "flink_version", "fail_level"])
def test_a_hostile_input_is_only_a_text(runner: Runner, repository: Repository, name: str, text: str) -> None:
    repository.commit({CONF: BAD})
    done = runner.run(**{name: text})
    assert done.status in ((1,) if name == "base" else (2,)), done.log
    assert not list(runner.folder.parent.rglob("pwned"))


@pytest.mark.slow
def test_names_of_files_and_folders_are_not_run_and_command_nothing(runner: Runner, repository: Repository) -> None:
    names = (
        "$(touch pwned)/flink-conf.yaml", "`touch pwned`/flink-conf.yaml", "' \"/flink-conf.yaml",
        "--fix/flink-conf.yaml", "-o/flink-conf.yaml", "a\n::error::b/flink-conf.yaml", "c\r##[error]d/flink-conf.yaml",
    )  # fmt: skip
    repository.commit(dict.fromkeys(names, WORSE))
    # Too large to be read: flint says so with the name, and not among its findings.
    large = repository.folder / "e\n::warning::f\r::warning::g ##[warning]h" / "flink-conf.yaml"
    large.parent.mkdir()
    large.write_text("a: b\n" * 2_200_000)
    done = runner.run(paths=".\n--fix")
    assert (done.failed, done.status) == ("Check", 2), done.log
    lines = re.split(r"[\r\n]+", done.log)
    # The old marker works anywhere in a line, unless the line is a command with the new one.
    commands = [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
    ours = re.compile(r"::(error|warning|notice) title=(FLK\d+ |flint::)|::group::flint: |::endgroup::$")
    assert [line for line in commands if not ours.match(line)] == []
    assert "too large" in done.log
    assert not list(runner.folder.parent.rglob("pwned"))
    assert (repository.folder / "--fix" / "flink-conf.yaml").read_text() == WORSE


@pytest.mark.slow
def test_python_in_the_repository_is_not_run(runner: Runner, repository: Repository) -> None:
    modules = ("json", "collections", "linter/__init__", "rules/__init__", "click", "yaml", "sitecustomize", "venv")
    trap = "open('pwned', 'w')\nraise SystemExit(3)\n"
    repository.commit({CONF: BAD, **{f"{module}.py": trap for module in modules}})
    done = runner.run()
    assert done.status == 1, done.log
    assert done.outputs["findings"] == "2"
    assert not list(runner.folder.parent.rglob("pwned"))


# -- comments


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        running.files = {
            CONF: "@@ -1,2 +1,3 @@\n parallelism.default: 2\n rest.port: 8081\n+blob.storage.directory: /tmp/flink"
        }
        yield running


@pytest.fixture
def commenting(tmp_path: Path, server: Server) -> Runner:
    """The runner of the trusted workflow: its workspace is empty."""
    (tmp_path / "trusted-workspace").mkdir()
    runner = Runner(tmp_path / "trusted", tmp_path / "trusted-workspace")
    runner.environment = {
        "TOKEN": TOKEN, "GITHUB_REPOSITORY": "acme/jobs", "GITHUB_API_URL": server.url, "GITHUB_REF": "refs/heads/main",
    }  # fmt: skip
    return runner


def after(sha: str) -> dict[str, Any]:
    """Return the event of a workflow that follows the run for a fork's pull request."""
    server_head = {"owner": {"login": "ada"}, "id": 99}
    run = {"id": 5, "event": "pull_request", "head_sha": sha, "head_branch": "$(touch pwned)", "pull_requests": []}
    return {"workflow_run": {**run, "head_repository": server_head}, "repository": {"id": 1}}


@pytest.mark.slow
def test_the_report_of_a_fork_is_commented_by_the_second_workflow(
    runner: Runner, commenting: Runner, repository: Repository, server: Server
) -> None:
    sha = repository.commit({CONF: BAD})
    server.head = {"repository": "ada/jobs", "ref": "$(touch pwned)", "sha": ""}
    server.push(sha, server.files)
    checked = runner.run()
    assert checked.status == 1, checked.log
    commenting.artifacts = runner.artifacts
    commenting.event = after(sha)
    done = commenting.run(mode="comment")
    assert done.failed is None, done.log
    assert "GitHub: summary created, 1 inline created" in done.log
    (summary,) = server.bodies()
    assert "1 new finding, 1 remaining" in summary
    assert [(thread["path"], thread["line"]) for thread in server.threads] == [(CONF, 3)]
    assert TOKEN not in checked.log + done.log
    assert not list(runner.folder.parent.rglob("pwned"))

    commenting.new_job()
    again = commenting.run(mode="comment")
    assert again.failed is None, again.log
    assert len(server.bodies()) == 1


@pytest.mark.slow
def test_a_report_of_another_commit_is_not_posted(
    runner: Runner, commenting: Runner, repository: Repository, server: Server
) -> None:
    sha = repository.commit({CONF: BAD})
    server.head = {"repository": "ada/jobs", "ref": "$(touch pwned)", "sha": "b" * 40}
    runner.run()
    commenting.artifacts = runner.artifacts
    commenting.event = after(sha)
    done = commenting.run(mode="comment")
    assert (done.failed, done.status) == ("Comment", 2)
    assert "commit that was checked" in done.log
    assert server.writes == []


def test_of_a_hostile_artifact_links_and_other_files_are_left_alone(
    commenting: Runner, server: Server, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"version": 1, "findings": []}')
    artifact = tmp_path / "artifact"
    artifact.mkdir()
    (artifact / "flint.json").symlink_to(secret)
    (artifact / "comment.md.j2").write_text("{{ 7 * 7 }}")
    commenting.artifacts = {"flint-reports": artifact}
    commenting.event = after("a" * 40)
    done = commenting.run(mode="comment")
    assert done.failed is None, done.log
    assert "no report to comment on" in done.log
    commenting.new_job()
    (artifact / "flint.json").unlink()
    (artifact / "flint.json").write_text('{"version": 1, "findings": [{"code": "$(touch pwned)"}]}')
    refused = commenting.run(mode="comment")
    assert (refused.failed, refused.status) == ("Comment", 2)
    assert server.writes == []
    assert not list(tmp_path.rglob("pwned"))


def test_without_an_artifact_the_run_fails(commenting: Runner) -> None:
    commenting.event = after("a" * 40)
    assert commenting.run(mode="comment").failed == "Download the reports"


@pytest.mark.slow
def test_one_job_checks_and_comments_with_a_flint_it_installs(
    repository: Repository, server: Server, tmp_path: Path
) -> None:
    """The whole action, with modules in the checked folder that Python must not import."""
    trap = "raise SystemExit(3)\n"
    sha = repository.commit({CONF: BAD, "venv.py": trap, "json.py": trap, "pip/__init__.py": trap})
    server.push(sha, server.files)
    runner = Runner(tmp_path / "runner", repository.folder, installed=False)
    runner.event = {"pull_request": {"number": 7, "base": {"sha": repository.base}, "head": {"sha": sha}}}
    runner.environment = {"TOKEN": TOKEN, "GITHUB_REPOSITORY": "acme/jobs", "GITHUB_API_URL": server.url}
    checked = runner.run()
    assert (checked.failed, checked.status) == ("Check", 1), checked.log
    done = runner.run(mode="comment", reports=checked.outputs["reports"], inline="false", id="clusters")
    assert done.failed is None, done.log
    (summary,) = server.bodies()
    assert summary.startswith("<!-- flint:summary clusters -->")
    assert server.threads == []


@pytest.mark.parametrize(
    ("inputs", "wanted"),
    [({"mode": "fix"}, "the input mode must be"), ({"extras": "source]; touch pwned"}, "the input extras must be")],
)
def test_wrong_modes_and_extras_install_nothing(
    repository: Repository, tmp_path: Path, inputs: dict[str, str], wanted: str
) -> None:
    runner = Runner(tmp_path / "runner", repository.folder, installed=False)
    done = runner.run(**inputs)
    assert (done.failed, done.status) == ("Install flint", 2)
    assert wanted in done.log
    assert list((tmp_path / "runner" / "temp").iterdir()) == []
