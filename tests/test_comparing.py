"""What a change cannot hide: each trick in a real repository, judged with `--diff-base`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Flint
from tests.test_changes import WHO, Git, commit, repository, write

CONF = "conf/flink-conf.yaml"
SOUND = "jobmanager.rpc.address: jm\nparallelism.default: 2\n"
BAD = "akka.framesize: 10mb\n"
"""FLK385, an error."""
BLOB = "blob.storage.directory: /tmp/blobs\n"
"""FLK101, a warning."""


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """A repository whose main branch has a sound file and an old finding beside it."""
    git = repository(tmp_path)
    write(tmp_path / CONF, SOUND)
    write(tmp_path / "old/flink-conf.yaml", SOUND + BLOB)
    commit(git)
    git("checkout", "-q", "-b", "topic")
    return git


def judged(flint: Flint, *arguments: str, status: int | None = None) -> dict[str, Any]:
    """The JSON report of the change."""
    done = flint("check", ".", "--diff-base", "main", "--output-format", "json", *arguments, **WHO)
    assert done.returncode in ((0, 1) if status is None else (status,)), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def codes(findings: list[dict[str, Any]]) -> list[str]:
    return sorted(f"{one['path']} {one['code']}" for one in findings)


def merged(git: Git) -> None:
    """Make what there is the base."""
    commit(git)
    git("branch", "-f", "main")


# -- settings


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("flint.toml", 'ignore = ["ALL"]\n'),
        (".flint.toml", 'ignore = ["FLK385"]\n'),
        (".flint.yaml", "select: [FLK001]\n"),
        ("pyproject.toml", '[tool.flint]\nexclude = ["*"]\n'),
        ("conf/flint.toml", 'exclude = ["flink-conf.yaml"]\n'),
        ("flint.toml", '[severity]\nFLK385 = "info"\n'),
        ("flint.toml", 'fail-level = "error"\nmin-confidence = "high"\n[severity]\nALL = "info"\n'),
        ("flint.toml", '[[overrides]]\npaths = ["conf/*"]\nignore = ["ALL"]\n'),
        ("flint.toml", 'baseline = "b.json"\n'),
        (".gitignore", "flink-conf.yaml\n"),
        ("conf/.gitignore", "*\n"),
    ],
)
def test_settings_of_a_change_hide_nothing_and_are_shown_first(
    flint: Flint, tmp_path: Path, git: Git, name: str, text: str
) -> None:
    write(tmp_path / CONF, SOUND + BAD)
    flint("check", "--write-baseline", "--baseline", "b.json")
    write(tmp_path / name, text)
    git("add", "-A", "-f")
    commit(git)
    report = judged(flint, status=1)
    assert codes(report["findings"]) == [f"{CONF} FLK385"]
    assert report["findings"][0]["severity"] == "error"
    compared = report["comparison"]
    assert {"path": name, "change": "added"} in compared["settings"]
    assert codes(compared["remaining"]) == ["old/flink-conf.yaml FLK101"]
    told = flint("check", ".", "--diff-base", "main", "--output-format", "full", **WHO)
    assert told.stdout.startswith("settings changed: ")
    assert f"settings changed: {name}: added" in told.stdout


def test_settings_that_the_change_does_not_touch_hold(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", 'ignore = ["FLK385"]\n# agreed on\n')
    merged(git)
    write(tmp_path / CONF, SOUND + BAD)
    write(tmp_path / "flint.toml", 'ignore = ["FLK385"]  # a comment changes nothing\n')
    report = judged(flint, status=0)
    assert (report["findings"], report["comparison"]["settings"]) == ([], [])
    assert report["suppressed"] == {"comment": 0, "baseline": 0, "flint_toml": 1}
    assert report["silenced"][0]["at"] == {"path": "flint.toml", "line": 0}


def test_settings_of_a_change_may_make_flint_stricter_at_once(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", 'ignore = ["FLK101"]\nexclude = ["attic"]\n')
    write(tmp_path / "attic/flink-conf.yaml", SOUND + BAD)
    merged(git)
    rule = (
        '[[rule]]\ncode = "ACME001"\nseverity = "warning"\noption = "parallelism.default"\nset = true\nmessage = "no"\n'
    )
    write(tmp_path / "flint.toml", rule)
    report = judged(flint, status=1)
    found = codes(report["findings"])
    assert "old/flink-conf.yaml FLK101" in found
    assert "attic/flink-conf.yaml FLK385" in found
    assert "conf/flink-conf.yaml ACME001" in found
    assert report["suppressed"]["flint_toml"] == 0


def test_a_rule_of_the_base_stays_what_it_is(flint: Flint, tmp_path: Path, git: Git) -> None:
    rule = '[[rule]]\ncode = "ACME001"\nseverity = "error"\noption = "rest.port"\nis = [{}]\nmessage = "no"\n'
    write(tmp_path / "flint.toml", rule.format(8081))
    merged(git)
    write(tmp_path / "flint.toml", rule.format(1))
    write(tmp_path / CONF, SOUND + "rest.port: 8081\n")
    assert codes(judged(flint, status=1)["findings"]) == [f"{CONF} ACME001"]


def test_a_named_settings_file_is_that_of_the_base(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "ci/lint.toml", "ignore = []\n")
    merged(git)
    write(tmp_path / "ci/lint.toml", 'ignore = ["ALL"]\n')
    write(tmp_path / CONF, SOUND + BAD)
    report = judged(flint, "--preferences", "ci/lint.toml", status=1)
    assert codes(report["findings"]) == [f"{CONF} FLK385"]
    assert report["comparison"]["settings"] == [{"path": "ci/lint.toml", "change": "changed"}]
    assert report["comparison"]["hidden"] == 1


def test_a_link_to_changed_settings_is_no_way_round(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "shared/agreed.toml", "ignore = []\n")
    (tmp_path / "flint.toml").symlink_to("shared/agreed.toml")
    merged(git)
    write(tmp_path / "shared/agreed.toml", 'ignore = ["ALL"]\n')
    write(tmp_path / CONF, SOUND + BAD)
    assert codes(judged(flint, status=1)["findings"]) == [f"{CONF} FLK385"]


def test_the_baseline_of_the_base_holds(flint: Flint, tmp_path: Path, git: Git) -> None:
    flint("check", "--write-baseline")
    write(tmp_path / "flint.toml", 'baseline = "flint-baseline.json"\n')
    merged(git)
    assert judged(flint, status=0)["suppressed"]["baseline"] == 1
    write(tmp_path / CONF, SOUND + BAD)
    flint("check", "--write-baseline")
    commit(git)
    report = judged(flint, status=1)
    assert codes(report["findings"]) == [f"{CONF} FLK385"]
    assert {"path": "flint-baseline.json", "change": "changed"} in report["comparison"]["settings"]
    write(tmp_path / CONF, SOUND)
    write(tmp_path / "old/flink-conf.yaml", SOUND)
    assert flint("check", "--prune-baseline").returncode == 0
    report = judged(flint, status=0)
    assert codes(report["comparison"]["fixed"]) == ["old/flink-conf.yaml FLK101"]


# -- suppressions


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (f"{SOUND}{BAD.strip()}  # flint: ignore[FLK385] later\n", 3, "later"),
        (f"{SOUND}# flint: ignore[FLK385] later\n{BAD}", 3, "later"),
        (f"# flint: file-ignore\n{SOUND}{BAD}", 1, ""),
    ],
)
def test_a_new_suppression_holds_and_is_shown(
    flint: Flint, tmp_path: Path, git: Git, text: str, line: int, reason: str
) -> None:
    write(tmp_path / CONF, text)
    report = judged(flint, status=0)
    (quiet,) = report["comparison"]["newly_suppressed"]
    assert (quiet["code"], quiet["at"], quiet["reason"]) == ("FLK385", {"path": CONF, "line": line}, reason)
    assert report["findings"] == []
    told = flint("check", ".", "--diff-base", "main", "--output-format", "full", **WHO).stdout
    assert told.startswith(f"newly suppressed: {CONF}:")
    assert "No new findings: 1 newly suppressed" in told
    assert "All checks passed" not in told
    sarif = json.loads(flint("check", ".", "--diff-base", "main", "--output-format", "sarif", **WHO).stdout)["runs"][0]
    (result,) = sarif["results"]
    assert result["suppressions"][0]["kind"] == "inSource"
    assert result["suppressions"][0].get("justification", "") == reason
    assert sarif["properties"]["suppressed"]["comment"] == 1


@pytest.mark.parametrize("kind", ["full", "concise", "json", "sarif", "markdown", "github"])
def test_a_reason_shows_no_secret_and_acts_on_no_terminal(flint: Flint, tmp_path: Path, git: Git, kind: str) -> None:
    reason = "since password=hush7f3aQQ \x1b[31m\u202e"
    write(tmp_path / CONF, f"{SOUND}{BAD.strip()}  # flint: ignore[FLK385] {reason}\n")
    told = flint("check", ".", "--diff-base", "main", "--output-format", kind, **WHO)
    assert "since password=" in told.stdout
    for hidden in ("hush7f3aQQ", "\x1b", "\u202e"):
        assert hidden not in told.stdout + told.stderr


def test_only_the_base_can_allow_suppressions(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", '[diff]\nnew-suppressions = "fail"\n')
    merged(git)
    write(tmp_path / CONF, f"{SOUND}{BAD.strip()}  # flint: ignore[FLK385] later\n")
    judged(flint, status=1)
    write(tmp_path / "flint.toml", '[diff]\nnew-suppressions = "report"\n')
    judged(flint, status=1)
    merged(git)
    assert judged(flint, status=0)["comparison"]["newly_suppressed"] == [], "what the base accepts is nothing new"
    write(tmp_path / CONF, f"rest.port: 8081\n{SOUND}{BAD.strip()}  # flint: ignore[FLK385] later\n")
    assert judged(flint, status=0)["comparison"]["newly_suppressed"] == [], "nor where its line moves"


def test_a_new_annotation_is_a_suppression(flint: Flint, tmp_path: Path, git: Git) -> None:
    resource = (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: jobs\n{}spec:\n"
        "  flinkVersion: v1_18\n  flinkConfiguration:\n    blob.storage.directory: /tmp/blobs\n"
    )
    write(tmp_path / "jobs.yaml", resource.format(""))
    merged(git)
    write(tmp_path / "jobs.yaml", resource.format("  annotations:\n    flint/ignore: FLK101\n"))
    (quiet,) = judged(flint)["comparison"]["newly_suppressed"]
    assert (quiet["code"], quiet["at"]["path"], quiet["at"]["line"]) == ("FLK101", "jobs.yaml", 6)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"# flint: file-ignore\n{SOUND}", f"# flint: file-ignore\n{SOUND}{BAD}"),
        (f"# flint: ignore[FLK385] old\n{SOUND}", f"# flint: ignore[FLK385] old\n{BAD}{SOUND}"),
        (f"# flint: file-ignore\n{SOUND}{BAD}", f"# flint: file-ignore\n{SOUND}{BAD.replace('10', '11')}"),
    ],
)
def test_an_old_comment_covers_no_new_finding(flint: Flint, tmp_path: Path, git: Git, before: str, after: str) -> None:
    write(tmp_path / CONF, before)
    merged(git)
    assert judged(flint, status=0)["comparison"]["newly_suppressed"] == []
    write(tmp_path / CONF, after)
    assert codes(judged(flint)["comparison"]["newly_suppressed"]) == [f"{CONF} FLK385"]


def test_what_an_old_comment_silenced_stays_silent_when_its_document_is_renamed(
    flint: Flint, tmp_path: Path, git: Git
) -> None:
    resource = (
        "# flint: file-ignore\napiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: {}\n"
        "spec:\n  flinkVersion: v1_18\n  flinkConfiguration:\n    blob.storage.directory: /tmp/blobs\n"
    )
    write(tmp_path / "jobs.yaml", resource.format("jobs"))
    merged(git)
    write(tmp_path / "jobs.yaml", resource.format("tasks"))
    quiet = judged(flint)["comparison"]["newly_suppressed"]
    assert "jobs.yaml FLK101" not in [f"{one['path']} {one['code']}" for one in quiet]


# -- severity


def test_a_severity_that_rises_is_new(flint: Flint, tmp_path: Path, git: Git) -> None:
    conf = "jobmanager.rpc.address: {}\nparallelism.default: 2\nexecution.checkpointing.interval: 1 min\n"
    write(tmp_path / CONF, conf.format("localhost"))
    merged(git)
    before = json.loads(flint("check", CONF, "--output-format", "json").stdout)["findings"]
    mild = {one["code"] for one in before if one["severity"] == "info"}
    write(tmp_path / CONF, conf.format("jm"))
    report = judged(flint, status=1)
    worse = [one for one in report["findings"] if one["code"] in mild and one["severity"] == "warning"]
    assert worse
    assert all("worse than before the change: warning now, info there" in one["note"] for one in worse)


# -- files


def test_a_rename_is_neither_new_nor_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    (tmp_path / "new").mkdir()
    git("mv", "old/flink-conf.yaml", "new/flink-conf.yaml")
    report = judged(flint, status=0)
    compared = report["comparison"]
    assert (report["findings"], compared["fixed"], compared["no_longer_read"]) == ([], [], [])
    assert compared["moved"] == [{"from": "old/flink-conf.yaml", "to": "new/flink-conf.yaml", "findings": 1}]
    assert codes(compared["remaining"]) == ["new/flink-conf.yaml FLK101"]


def test_a_baseline_follows_a_rename(flint: Flint, tmp_path: Path, git: Git) -> None:
    flint("check", "--write-baseline", "--baseline", "b.json")
    (tmp_path / "new").mkdir()
    git("mv", "old/flink-conf.yaml", "new/flink-conf.yaml")
    assert flint("check", "--baseline", "b.json").returncode == 0
    write(tmp_path / "more/flink-conf.yaml", SOUND + BLOB)
    assert flint("check", "--baseline", "b.json").returncode == 1, "one file moved, the other is new"
    (tmp_path / "more/flink-conf.yaml").unlink()
    assert flint("check", "--baseline", "b.json", "--prune-baseline").returncode == 0
    assert "new/flink-conf.yaml" in (tmp_path / "b.json").read_text()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("rm", "-q", "old/flink-conf.yaml"), "deleted"),
        (("mv", "old/flink-conf.yaml", "old/flink-conf.txt"), "not recognized"),
        (("mv", "old/flink-conf.yaml", "old/target/flink-conf.yaml"), "not recognized"),
    ],
)
def test_a_file_that_is_no_longer_read_has_nothing_fixed(
    flint: Flint, tmp_path: Path, git: Git, words: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "old/target").mkdir()
    git(*words)
    compared = judged(flint, status=0)["comparison"]
    assert compared["fixed"] == []
    (row,) = compared["no_longer_read"]
    assert (row["findings"], reason in row["reason"]) == (1, True), row
    told = flint("check", ".", "--diff-base", "main", "--output-format", "full", **WHO).stdout
    assert "All checks passed" not in told


def test_a_file_that_moves_where_the_base_excludes_is_no_longer_read(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", 'exclude = ["attic"]\n')
    merged(git)
    git("mv", "old", "attic")
    compared = judged(flint, status=0)["comparison"]
    assert compared["fixed"] == []
    assert [(row["path"], row["reason"]) for row in compared["no_longer_read"]] == [
        ("attic/flink-conf.yaml", "exclude")
    ]  # fmt: skip


def test_a_file_that_cannot_be_read_has_nothing_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    (tmp_path / "old/flink-conf.yaml").write_text((SOUND + BLOB) + "# " + "x" * (11 * 1024**2))
    report = judged(flint, status=2)
    compared = report["comparison"]
    assert (compared["fixed"], compared["no_longer_read"]) == ([], [])
    assert [(row["path"], row["findings"]) for row in compared["unreadable"]] == [("old/flink-conf.yaml", 1)]
    assert [row["path"] for row in report["coverage"]["unreadable"]] == ["old/flink-conf.yaml"]
    told = flint("check", ".", "--diff-base", "main", "--output-format", "markdown", **WHO).stdout
    assert "nothing found" not in told
    assert "1 file could not be read" in told


def test_what_flink_refuses_to_load_now_has_nothing_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "new/config.yaml", "blob:\n  storage:\n    directory: /tmp/blobs\nrest:\n  port: 8081\n")
    merged(git)
    write(tmp_path / "new/config.yaml", "jobmanager:\n  rpc:\n    address: a\nrest:\n  port: 8081\n  - [\n")
    compared = judged(flint, status=1)["comparison"]
    assert "new/config.yaml FLK101" not in codes(compared["fixed"])
    assert [(row["path"], row["findings"] > 0) for row in compared["unreadable"]] == [("new/config.yaml", True)]


def test_what_is_fixed_is_called_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "old/flink-conf.yaml", SOUND)
    report = judged(flint, status=0)
    compared = report["comparison"]
    (fixed,) = compared["fixed"]
    assert (fixed["path"], fixed["code"], fixed["start"]["line"]) == ("old/flink-conf.yaml", "FLK101", 3)
    assert [compared[name] for name in ("settings", "newly_suppressed", "no_longer_read", "moved")] == [[], [], [], []]
    assert "/tmp/flint-" not in json.dumps(report)


@pytest.mark.parametrize("ignored", ["local/", "local/*", "flink-conf.yaml"])
@pytest.mark.parametrize("checked", [".", "local"])
def test_a_tracked_file_is_not_ignored(flint: Flint, tmp_path: Path, git: Git, ignored: str, checked: str) -> None:
    write(tmp_path / ".gitignore", f"{ignored}\n")
    merged(git)
    write(tmp_path / "local/flink-conf.yaml", SOUND + BAD)
    arguments = ("check", checked, "--diff-base", "main", "--output-format", "json")
    assert json.loads(flint(*arguments, **WHO).stdout)["findings"] == [], "git ignores what nobody added"
    git("add", "-f", "local/flink-conf.yaml")
    git("commit", "-q", "-m", "more")
    assert codes(json.loads(flint(*arguments, **WHO).stdout)["findings"]) == ["local/flink-conf.yaml FLK385"]
    git("branch", "-f", "main")
    write(tmp_path / "local/flink-conf.yaml", SOUND + BAD + BLOB)
    report = json.loads(flint(*arguments, **WHO).stdout)
    assert codes(report["findings"]) == ["local/flink-conf.yaml FLK101"]
    assert "local/flink-conf.yaml FLK385" in codes(report["comparison"]["remaining"])


def test_a_link_in_place_of_a_folder_is_compared_with_the_folder(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "prod/flink-conf.yaml", SOUND + BLOB)
    write(tmp_path / "attic/flink-conf.yaml", SOUND + BAD + BLOB)
    merged(git)
    (tmp_path / "prod/flink-conf.yaml").unlink()
    (tmp_path / "prod").rmdir()
    (tmp_path / "prod").symlink_to("attic")
    commit(git)
    done = flint("check", "prod", "--diff-base", "main", "--output-format", "json", **WHO)
    report = json.loads(done.stdout)
    assert "prod/flink-conf.yaml FLK385" in codes(report["findings"])
    assert report["comparison"]["fixed"] == []
    git("branch", "-f", "main")
    done = flint("check", "prod", "--diff-base", "main", "--output-format", "json", **WHO)
    assert json.loads(done.stdout)["findings"] == [], "a link of the base is looked through"


# -- coverage


def test_the_report_says_what_was_read_and_what_was_not(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / ".gitignore", "ignored/\nconf/local.yaml\n")
    write(tmp_path / "ignored/flink-conf.yaml", SOUND)
    write(tmp_path / "conf/local.yaml", SOUND)
    write(tmp_path / "attic/flink-conf.yaml", SOUND)
    report = json.loads(flint("check", "--exclude", "attic", "--output-format", "json").stdout)
    coverage = report["coverage"]
    assert (coverage["read"], coverage["files"]) == (2, [CONF, "old/flink-conf.yaml"])
    assert [(one["path"], one["reason"]) for one in coverage["skipped"]] == [
        ("attic/", "exclude"), ("ignored/", ".gitignore"), ("conf/local.yaml", ".gitignore"),
    ]  # fmt: skip
    assert report["version"] == 1


def test_a_program_that_needs_a_package_is_coverage(tmp_path: Path) -> None:
    program = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\nclass Job {}\n"
    for name in ("A.java", "B.java"):
        write(tmp_path / name, program)
    without = "import sys\nsys.modules['ast_grep_py'] = None\nfrom linter.__main__ import main\nmain()\n"

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", without, "check", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    for paths in (("A.java", "B.java"), (".",)):
        done = run(*paths)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("ast-grep-py") == 2, "once, with the way to install it"
        assert "All checks passed" not in done.stdout
        assert "2 files could not be read" in done.stdout
    report = json.loads(run("A.java", "--output-format", "json").stdout)
    assert report["coverage"]["read"] == 0
    assert [(one["path"], one["unread"]) for one in report["coverage"]["skipped"]] == [("A.java", True)]
