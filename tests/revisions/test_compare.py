"""What a change cannot hide: each trick in a real repository, checked with `--diff-base`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Flint
from tests.revisions.test_changed_lines import WHO, Git, commit, repository, write

CONF = "conf/flink-conf.yaml"
SOUND = "jobmanager.rpc.address: jm\nparallelism.default: 2\n"
BAD = "akka.framesize: 10mb\n"
"""A line with FLK385, an error."""
BLOB = "blob.storage.directory: /tmp/blobs\n"
"""A line with FLK101, a warning."""


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """A repository whose main branch has a valid file and one with an old finding."""
    git = repository(tmp_path)
    write(tmp_path / CONF, SOUND)
    write(tmp_path / "before/flink-conf.yaml", SOUND + BLOB)
    commit(git)
    git("checkout", "-q", "-b", "topic")
    return git


def judged(flint: Flint, *arguments: str, status: int | None = None) -> dict[str, Any]:
    """Return the JSON report of the change."""
    done = flint("check", ".", "--diff-base", "main", "--output-format", "json", *arguments, **WHO)
    assert done.returncode in ((0, 1) if status is None else (status,)), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def report_of(flint: Flint, *paths: str) -> dict[str, Any]:
    """Return the JSON report of the change for some paths."""
    done = flint("check", *paths, "--diff-base", "main", "--output-format", "json", **WHO)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def codes(findings: list[dict[str, Any]]) -> list[str]:
    return sorted(f"{one['path']} {one['code']}" for one in findings)


def merged(git: Git) -> None:
    """Merge the change, so that it becomes the base."""
    commit(git)
    git("branch", "-f", "main")


# -- settings


@pytest.mark.slow
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
    assert codes(compared["remaining"]) == ["before/flink-conf.yaml FLK101"]
    output = flint("check", ".", "--diff-base", "main", "--output-format", "full", **WHO)
    assert output.stdout.startswith("flint configuration changed: ")
    assert f"flint configuration changed: {name}: added" in output.stdout


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
    write(tmp_path / "flint.toml", 'ignore = ["FLK101"]\nexclude = ["aside"]\n')
    write(tmp_path / "aside/flink-conf.yaml", SOUND + BAD)
    merged(git)
    rule = (
        '[[rule]]\ncode = "ACME001"\nseverity = "warning"\noption = "parallelism.default"\nset = true\nmessage = "no"\n'
    )
    write(tmp_path / "flint.toml", rule)
    report = judged(flint, status=1)
    found = codes(report["findings"])
    assert "before/flink-conf.yaml FLK101" in found
    assert "aside/flink-conf.yaml FLK385" in found
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
    report = judged(flint, "--flint-config", "ci/lint.toml", status=1)
    assert codes(report["findings"]) == [f"{CONF} FLK385"]
    assert report["comparison"]["settings"] == [{"path": "ci/lint.toml", "change": "changed"}]
    assert report["comparison"]["hidden"] == 1


def test_a_named_settings_file_holds_as_the_base_has_it(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "ci/lint.toml", 'ignore = ["FLK385"]\n')
    merged(git)
    write(tmp_path / CONF, SOUND + BAD)
    report = judged(flint, "--flint-config", "ci/lint.toml", status=0)
    assert (report["findings"], report["comparison"]["settings"]) == ([], [])


def test_settings_in_a_submodule_hold_if_the_submodule_tracks_them(flint: Flint, tmp_path: Path, git: Git) -> None:
    inner = repository(tmp_path / "inner")
    write(tmp_path / "inner/flint.toml", 'ignore = ["FLK385"]\n')
    commit(inner)
    merged(git)
    write(tmp_path / "inner/flink-conf.yaml", SOUND + BAD)
    report = judged(flint, status=0)
    assert (report["findings"], report["comparison"]["settings"]) == ([], [])
    write(tmp_path / "inner/conf/flint.toml", 'ignore = ["ALL"]\n')
    write(tmp_path / "inner/conf/flink-conf.yaml", SOUND + BLOB)
    report = judged(flint, status=1)
    assert codes(report["findings"]) == ["inner/conf/flink-conf.yaml FLK101"]
    assert report["comparison"]["settings"] == [{"path": "inner/conf/flint.toml", "change": "added"}]


def test_ignore_files_that_hide_nothing_are_no_changed_settings(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / ".gitignore", "*.log\n")
    assert judged(flint, status=0)["comparison"]["settings"] == []


def test_excluded_paths_count_from_the_current_folder_in_the_base_too(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "before/aside/flink-conf.yaml", SOUND + BLOB)
    merged(git)
    words = ("check", ".", "--exclude", "/aside", "--diff-base", "main", "--output-format", "json")
    compared = json.loads(flint(*words, cwd=tmp_path / "before", **WHO).stdout)["comparison"]
    assert codes(compared["remaining"]) == ["flink-conf.yaml FLK101"]
    assert compared["no_longer_read"] == []


def test_a_link_to_changed_settings_is_no_way_round(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "shared/agreed.toml", "ignore = []\n")
    (tmp_path / "flint.toml").symlink_to("shared/agreed.toml")
    merged(git)
    write(tmp_path / "shared/agreed.toml", 'ignore = ["ALL"]\n')
    write(tmp_path / CONF, SOUND + BAD)
    assert codes(judged(flint, status=1)["findings"]) == [f"{CONF} FLK385"]


@pytest.mark.slow
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
    write(tmp_path / "before/flink-conf.yaml", SOUND)
    assert flint("check", "--prune-baseline").returncode == 0
    report = judged(flint, status=0)
    assert codes(report["comparison"]["fixed"]) == ["before/flink-conf.yaml FLK101"]


def moved_aside(folder: Path, link: str) -> None:
    """Replace a folder with a link."""
    shutil.rmtree(folder)
    folder.symlink_to(link)


@pytest.mark.parametrize("name", ["flint.toml", ".gitignore"])
def test_settings_behind_a_link_that_the_change_brings_are_not_those_of_the_base(
    flint: Flint, tmp_path: Path, git: Git, name: str
) -> None:
    write(tmp_path / "prod/flink-conf.yaml", SOUND)
    write(tmp_path / "prod/flint.toml", 'select = ["ALL"]\n')
    write(tmp_path / "aside/flink-conf.yaml", SOUND)
    write(tmp_path / "aside" / name, 'ignore = ["ALL"]\n' if name == "flint.toml" else "flink-conf.yaml\n")
    git("add", "-A", "-f")
    merged(git)
    moved_aside(tmp_path / "prod", "aside")
    write(tmp_path / "aside/flink-conf.yaml", SOUND + BAD)
    commit(git)
    report = report_of(flint, "prod")
    assert codes(report["findings"]) == ["prod/flink-conf.yaml FLK385"]
    assert f"prod/{name}" in [one["path"] for one in report["comparison"]["settings"]]


def test_a_link_of_the_base_that_is_turned_leads_to_its_old_settings(flint: Flint, tmp_path: Path, git: Git) -> None:
    for folder, words in (("a", 'select = ["ALL"]\n'), ("b", 'ignore = ["ALL"]\n')):
        write(tmp_path / folder / "flink-conf.yaml", SOUND)
        write(tmp_path / folder / "flint.toml", words)
    (tmp_path / "prod").symlink_to("a")
    merged(git)
    write(tmp_path / "b/flink-conf.yaml", SOUND + BAD)
    (tmp_path / "prod").unlink()
    (tmp_path / "prod").symlink_to("b")
    commit(git)
    assert codes(report_of(flint, "prod")["findings"]) == ["prod/flink-conf.yaml FLK385"]


def test_settings_that_the_base_reaches_through_a_linked_folder_are_the_bases(
    flint: Flint, tmp_path: Path, git: Git
) -> None:
    write(tmp_path / "shared/agreed.toml", "ignore = []\n")
    (tmp_path / "ci").symlink_to("shared")
    (tmp_path / "flint.toml").symlink_to("ci/agreed.toml")
    merged(git)
    write(tmp_path / "shared/agreed.toml", 'ignore = ["ALL"]\n')
    write(tmp_path / CONF, SOUND + BAD)
    assert codes(judged(flint, status=1)["findings"]) == [f"{CONF} FLK385"]


def test_a_baseline_behind_a_link_that_the_change_brings_allows_nothing(flint: Flint, tmp_path: Path, git: Git) -> None:
    entry = '{{"version": 1, "findings": [{{"path": "{}", "code": "FLK385", "key": "pekko.framesize"}}]}}'
    write(tmp_path / "flint.toml", 'baseline = "ci/b.json"\n')
    write(tmp_path / "ci/b.json", entry.format("conf/flink-conf.yaml"))
    write(tmp_path / "ci/x/y.txt", "")
    write(tmp_path / "deep/er/b.json", entry.format("../../conf/flink-conf.yaml"))
    merged(git)
    moved_aside(tmp_path / "ci", "deep/er")
    write(tmp_path / CONF, SOUND + BAD)
    commit(git)
    report = judged(flint, status=1)
    assert codes(report["findings"]) == [f"{CONF} FLK385"]
    assert {"path": "ci/b.json", "change": "changed"} in report["comparison"]["settings"]


def test_a_baseline_allows_nothing_where_a_link_leads_to_what_it_names(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "prod/flink-conf.yaml", SOUND)
    flint("check", "--write-baseline")
    write(tmp_path / "flint.toml", 'baseline = "flint-baseline.json"\n')
    merged(git)
    moved_aside(tmp_path / "prod", "before")
    commit(git)
    assert codes(report_of(flint, "prod")["findings"]) == ["prod/flink-conf.yaml FLK101"]


# -- suppressions


@pytest.mark.slow
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
    output = flint("check", ".", "--diff-base", "main", "--output-format", "full", **WHO).stdout
    assert output.startswith(f"newly suppressed: {CONF}:")
    assert "No new findings: 1 newly suppressed" in output
    assert "All checks passed" not in output
    sarif = json.loads(flint("check", ".", "--diff-base", "main", "--output-format", "sarif", **WHO).stdout)["runs"][0]
    (result,) = sarif["results"]
    assert result["suppressions"][0]["kind"] == "inSource"
    assert result["suppressions"][0].get("justification", "") == reason
    assert sarif["properties"]["suppressed"]["comment"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full", "concise", "json", "sarif", "markdown", "github"])
def test_a_reason_shows_no_secret_and_acts_on_no_terminal(flint: Flint, tmp_path: Path, git: Git, kind: str) -> None:
    reason = "since password=hush7f3aQQ \x1b[31m\u202e"
    write(tmp_path / CONF, f"{SOUND}{BAD.strip()}  # flint: ignore[FLK385] {reason}\n")
    output = flint("check", ".", "--diff-base", "main", "--output-format", kind, **WHO)
    assert "since password=" in output.stdout
    for hidden in ("hush7f3aQQ", "\x1b", "\u202e"):
        assert hidden not in output.stdout + output.stderr


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_an_old_comment_covers_no_finding_that_a_removed_line_brings_about(
    flint: Flint, tmp_path: Path, git: Git
) -> None:
    text = f"# flint: file-ignore\n{SOUND}state.backend.type: rocksdb\nexecution.checkpointing.interval: 1 min\n"
    write(tmp_path / CONF, text + "execution.checkpointing.dir: s3://b/c\n")
    merged(git)
    write(tmp_path / CONF, text)
    assert f"{CONF} FLK313" in codes(judged(flint, "--flink-version", "1.20")["comparison"]["newly_suppressed"])


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


MILD = "jobmanager.rpc.address: localhost\nparallelism.default: 2\nexecution.checkpointing.interval: 1 min\n"
WORSE = MILD.replace("localhost", "jm")
"""A cluster with one machine, on which some findings are only info, and one with several."""


@pytest.mark.slow
def test_a_baseline_lets_nothing_grow_worse_in_severity(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / CONF, MILD)
    flint("check", "--write-baseline")
    write(tmp_path / "flint.toml", 'baseline = "flint-baseline.json"\n')
    merged(git)
    assert judged(flint, status=0)["findings"] == []
    write(tmp_path / CONF, WORSE)
    worse = [one for one in judged(flint, status=1)["findings"] if "in the baseline" in (one["note"] or "")]
    assert worse
    assert all("worse than in the baseline: warning now, info there" in one["note"] for one in worse)
    alone = json.loads(flint("check", "--output-format", "json").stdout)["findings"]
    assert codes(alone) == codes(worse), "without a base too"
    older = json.loads((tmp_path / "flint-baseline.json").read_text())
    for entry in older["findings"]:
        del entry["severity"]
    write(tmp_path / "flint-baseline.json", json.dumps(older))
    assert flint("check").returncode == 0, "an entry without a severity allows any"
    merged(git)
    write(tmp_path / CONF, MILD)
    merged(git)
    write(tmp_path / CONF, WORSE)
    assert codes(judged(flint, status=1)["findings"]) == codes(worse), "unless the base tells which it had"


def test_severities_of_the_settings_make_no_finding_of_a_baseline_worse(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path / CONF, SOUND + BLOB)
    flint("check", "--write-baseline", "--baseline", "b.json")
    write(tmp_path / "flint.toml", 'baseline = "b.json"\n[severity]\nFLK101 = "error"\n')
    assert flint("check").returncode == 0


def test_an_old_comment_does_not_cover_in_silence_what_grows_worse(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / CONF, f"# flint: file-ignore agreed on\n{MILD}")
    merged(git)
    assert judged(flint, status=0)["comparison"]["newly_suppressed"] == []
    write(tmp_path / CONF, f"# flint: file-ignore agreed on\n{WORSE}")
    report = judged(flint, status=0)
    said = "worse than in the base: warning now, info there"
    assert [one for one in report["comparison"]["newly_suppressed"] if said in (one["finding"]["note"] or "")]
    output = flint("check", ".", "--diff-base", "main", "--output-format", "full", **WHO).stdout
    assert f"(suppressed by {CONF}:1: agreed on; " in output
    assert f"{said})" in output


# -- files


def test_a_rename_is_neither_new_nor_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    (tmp_path / "new").mkdir()
    git("mv", "before/flink-conf.yaml", "new/flink-conf.yaml")
    report = judged(flint, status=0)
    compared = report["comparison"]
    assert (report["findings"], compared["fixed"], compared["no_longer_read"]) == ([], [], [])
    assert compared["moved"] == [{"from": "before/flink-conf.yaml", "to": "new/flink-conf.yaml", "findings": 1}]
    assert codes(compared["remaining"]) == ["new/flink-conf.yaml FLK101"]


def test_a_baseline_follows_a_rename(flint: Flint, tmp_path: Path, git: Git) -> None:
    flint("check", "--write-baseline", "--baseline", "b.json")
    (tmp_path / "new").mkdir()
    git("mv", "before/flink-conf.yaml", "new/flink-conf.yaml")
    assert flint("check", "--baseline", "b.json").returncode == 0
    write(tmp_path / "more/flink-conf.yaml", SOUND + BLOB)
    assert flint("check", "--baseline", "b.json").returncode == 1, "one file moved, the other is new"
    (tmp_path / "more/flink-conf.yaml").unlink()
    assert flint("check", "--baseline", "b.json", "--prune-baseline").returncode == 0
    assert "new/flink-conf.yaml" in (tmp_path / "b.json").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("rm", "-q", "before/flink-conf.yaml"), "deleted"),
        (("mv", "before/flink-conf.yaml", "before/flink-conf.txt"), "flint does not read files with this name"),
        (("mv", "before/flink-conf.yaml", "before/target/flink-conf.yaml"), "a folder that flint does not enter"),
    ],
)
def test_a_file_that_is_no_longer_read_has_nothing_fixed(
    flint: Flint, tmp_path: Path, git: Git, words: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "before/target").mkdir()
    git(*words)
    compared = judged(flint, status=0)["comparison"]
    assert compared["fixed"] == []
    (row,) = compared["no_longer_read"]
    assert (row["findings"], reason in row["reason"]) == (1, True), row
    output = flint("check", ".", "--diff-base", "main", "--output-format", "full", **WHO).stdout
    assert "All checks passed" not in output


def test_a_file_that_moves_where_the_base_excludes_is_no_longer_read(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", 'exclude = ["aside"]\n')
    merged(git)
    git("mv", "before", "aside")
    compared = judged(flint, status=0)["comparison"]
    assert compared["fixed"] == []
    assert [(row["path"], row["reason"]) for row in compared["no_longer_read"]] == [
        ("aside/flink-conf.yaml", f"renamed from {OLD}; excluded by the flint configuration or the command line")
    ]  # fmt: skip


def test_a_file_that_cannot_be_read_has_nothing_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    (tmp_path / "before/flink-conf.yaml").write_text((SOUND + BLOB) + "# " + "x" * (11 * 1024**2))
    report = judged(flint, status=2)
    compared = report["comparison"]
    assert (compared["fixed"], compared["no_longer_read"]) == ([], [])
    assert [(row["path"], row["findings"]) for row in compared["unreadable"]] == [("before/flink-conf.yaml", 1)]
    assert [row["path"] for row in report["coverage"]["unreadable"]] == ["before/flink-conf.yaml"]
    output = flint("check", ".", "--diff-base", "main", "--output-format", "markdown", **WHO).stdout
    assert "nothing found" not in output
    assert "1 file could not be read" in output


def test_what_flink_refuses_to_load_now_has_nothing_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "new/config.yaml", "blob:\n  storage:\n    directory: /tmp/blobs\nrest:\n  port: 8081\n")
    merged(git)
    write(tmp_path / "new/config.yaml", "jobmanager:\n  rpc:\n    address: a\nrest:\n  port: 8081\n  - [\n")
    compared = judged(flint, status=1)["comparison"]
    assert "new/config.yaml FLK101" not in codes(compared["fixed"])
    assert [(row["path"], row["findings"] > 0) for row in compared["unreadable"]] == [("new/config.yaml", True)]


@pytest.mark.parametrize(
    ("line", "fixed", "unreadable"),
    [
        ("blob.storage.directory: /var/lib/blobs\n", [f"{CONF} FLK101"], []),
        ("", [], [f"{CONF}: rest.port has no value; Flink refuses the whole file because of it"]),
    ],
)
def test_in_a_file_that_flink_refuses_as_before_only_a_new_value_fixes(
    flint: Flint, tmp_path: Path, git: Git, line: str, fixed: list[str], unreadable: list[str]
) -> None:
    path = tmp_path / "conf/config.yaml"
    write(path, f"jobmanager.rpc.address: jm\nrest.port:\n{BLOB}")
    git("rm", "-q", CONF)
    merged(git)
    write(path, f"jobmanager.rpc.address: jm\nrest.port:\n{line}")
    compared = judged(flint)["comparison"]
    assert codes(compared["fixed"]) == [one.replace(CONF, "conf/config.yaml") for one in fixed]
    rows = [f"{row['path']}: {row['reason']}" for row in compared["unreadable"]]
    assert rows == [one.replace(CONF, "conf/config.yaml") for one in unreadable]


def test_what_is_fixed_is_called_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "before/flink-conf.yaml", SOUND)
    report = judged(flint, status=0)
    compared = report["comparison"]
    (fixed,) = compared["fixed"]
    assert (fixed["path"], fixed["code"], fixed["start"]["line"]) == ("before/flink-conf.yaml", "FLK101", 3)
    assert [compared[name] for name in ("settings", "newly_suppressed", "no_longer_read", "moved")] == [[], [], [], []]
    assert "/tmp/flint-" not in json.dumps(report)


OWN = """select = ["ACME001"]
[[rule]]
code = "ACME001"
severity = "warning"
option = "rest.port"
is = [8081]
platform = ["kubernetes"]
message = "no"
"""
ON_KUBERNETES = "kubernetes.cluster-id: jobs\nrest.port: 8081\n"
ON_YARN = "yarn.application.name: jobs\nrest.port: 8081\n"


def test_a_fixed_finding_of_a_rule_without_advice_is_shown(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", OWN)
    write(tmp_path / CONF, ON_KUBERNETES)
    merged(git)
    write(tmp_path / CONF, ON_KUBERNETES.replace("8081", "8082"))
    (fixed,) = judged(flint, status=0)["comparison"]["fixed"]
    assert (fixed["code"], fixed["help"]) == ("ACME001", None)


def test_what_does_not_apply_to_the_platform_that_the_change_names_is_fixed(
    flint: Flint, tmp_path: Path, git: Git
) -> None:
    write(tmp_path / "flint.toml", OWN)
    write(tmp_path / CONF, ON_KUBERNETES)
    merged(git)
    write(tmp_path / CONF, ON_YARN)
    assert codes(judged(flint, status=0)["comparison"]["fixed"]) == [f"{CONF} ACME001"]


def test_what_a_rule_finds_is_not_fixed_where_the_platform_is_no_longer_known(
    flint: Flint, tmp_path: Path, git: Git
) -> None:
    unknown_before = "taskmanager.numberOfTaskSlots: ${SLOTS}\n"
    write(tmp_path / "flint.toml", OWN)
    write(tmp_path / CONF, unknown_before + ON_KUBERNETES)
    merged(git)
    write(tmp_path / CONF, unknown_before + "rest.port: 8081\n")
    compared = judged(flint, status=0)["comparison"]
    assert compared["fixed"] == []
    assert [(row["path"], row["reason"]) for row in compared["unreadable"]] == [
        (CONF, "the platform is no longer known")
    ]  # fmt: skip


def test_an_unknown_value_is_not_fixed_though_the_platform_changes_too(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "flint.toml", OWN)
    write(tmp_path / CONF, ON_KUBERNETES)
    merged(git)
    write(tmp_path / CONF, ON_YARN.replace("8081", "${PORT}"))
    compared = judged(flint, status=0)["comparison"]
    assert compared["fixed"] == []
    assert [(row["path"], row["reason"]) for row in compared["unreadable"]] == [
        (CONF, "the value of rest.port is no longer known")
    ]  # fmt: skip


@pytest.mark.slow
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
    write(tmp_path / "aside/flink-conf.yaml", SOUND + BAD + BLOB)
    merged(git)
    (tmp_path / "prod/flink-conf.yaml").unlink()
    (tmp_path / "prod").rmdir()
    (tmp_path / "prod").symlink_to("aside")
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
    write(tmp_path / "aside/flink-conf.yaml", SOUND)
    report = json.loads(flint("check", "--exclude", "aside", "--output-format", "json").stdout)
    coverage = report["coverage"]
    assert (coverage["read"], coverage["files"]) == (2, ["before/flink-conf.yaml", CONF])
    assert [(one["path"], one["reason"]) for one in coverage["skipped"]] == [
        ("aside/", "exclude"), ("ignored/", ".gitignore"), ("conf/local.yaml", ".gitignore"),
    ]  # fmt: skip
    assert report["version"] == 1


def test_links_that_lead_out_are_coverage(flint: Flint, tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).symlink_to("/etc/hostname")
    done = flint("check", ".", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("a link that leads out of the repository") == 1, "once for all"
    assert "All checks passed" not in done.stdout
    assert "2 files could not be read" in done.stdout
    report = json.loads(flint("check", ".", "--output-format", "json", cwd=tmp_path).stdout)
    assert report["coverage"]["read"] == 0
    assert [one["unread"] for one in report["coverage"]["skipped"]] == [True, True]


# -- parts of files

RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: {}
spec:
  jobManager: {{resource: {{memory: 2g}}}}
  taskManager: {{resource: {{memory: 2g}}}}
  flinkVersion: v1_18
  flinkConfiguration:
    blob.storage.directory: /tmp/blobs
    taskmanager.numberOfTaskSlots: "2"
"""
ONE, TWO = RESOURCE.format("one"), RESOURCE.format("two")
SETTING = "    blob.storage.directory: /tmp/blobs\n"
NAME = "FlinkDeployment default/one"
UNKNOWN = f"the value of blob.storage.directory is no longer known ({NAME})"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "kind", "reason"),
    [
        (SETTING, "    blob.storage.directory: [/tmp/blobs\n", "unreadable", "this is not YAML"),
        ("kind: FlinkDeployment", "kind: {FlinkDeployment", "no_longer_read", f"{NAME} was removed, renamed or"),
        ("kind: FlinkDeployment", "kind: {{ .Values.kind }}", "no_longer_read", f"{NAME} was removed, renamed or"),
        ("kind: FlinkDeployment", "kind: 'FlinkDeployment", "unreadable", "this is not YAML"),
        (ONE, "", "no_longer_read", f"{NAME} was removed, renamed or"),
        (
            "/tmp/blobs",
            "{{ .Values.blobs }}",
            "unreadable",
            UNKNOWN,
        ),
        ("/tmp/blobs", "${BLOBS}", "unreadable", UNKNOWN),
        (
            SETTING,
            "    {{ .Values.key }}: /tmp/blobs\n",
            "unreadable",
            "settings may be added that are not in the file",
        ),
        (SETTING, "    {{- toYaml .Values.more | nindent 4 }}\n", "unreadable", "settings may be added that are not"),
    ],
)
def test_what_cannot_be_read_in_a_document_any_more_is_not_fixed(
    flint: Flint, tmp_path: Path, git: Git, old: str, new: str, kind: str, reason: str
) -> None:
    write(tmp_path / "k.yaml", f"{ONE}---\n{TWO}")
    merged(git)
    write(tmp_path / "k.yaml", f"{ONE.replace(old, new)}---\n{TWO}")
    compared = judged(flint)["comparison"]
    assert compared["fixed"] == []
    rows = [row for row in compared[kind] if row["path"] == "k.yaml"]
    assert any(reason in row["reason"] and row["findings"] for row in rows), compared
    assert "k.yaml FLK101" in codes(compared["remaining"]), "of the other document"


def test_an_object_that_nobody_can_tell_may_be_the_one_that_looks_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "k.yaml", f"{ONE}---\n{TWO}")
    merged(git)
    hidden = ONE.replace("kind: FlinkDeployment", 'kind: {{ "FlinkDeployment" }}')
    write(tmp_path / "k.yaml", f"{ONE.replace('/tmp', '/var/lib')}---\n{hidden}---\n{TWO}")
    compared = judged(flint)["comparison"]
    assert compared["fixed"] == []
    assert any("whose kind or name a template fills in" in row["reason"] for row in compared["unreadable"])


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), [("/tmp/blobs", "/var/lib/blobs"), (SETTING, "")])
@pytest.mark.parametrize("beside", ['"2"', '"{{ .Values.slots }}"', "[2"])
def test_what_is_fixed_next_to_what_cannot_be_read_is_called_fixed(
    flint: Flint, tmp_path: Path, git: Git, old: str, new: str, beside: str
) -> None:
    """A template elsewhere in the document does not hide this finding, nor does a broken other document."""
    write(tmp_path / "k.yaml", f"{ONE}---\n{TWO}")
    merged(git)
    if beside == "[2":
        write(tmp_path / "k.yaml", f"{ONE.replace(old, new)}---\n{TWO.replace(chr(34) + '2' + chr(34), beside)}")
    else:
        write(tmp_path / "k.yaml", f"{ONE.replace(old, new).replace(chr(34) + '2' + chr(34), beside)}---\n{TWO}")
    compared = judged(flint)["comparison"]
    assert [one["document"] for one in compared["fixed"] if one["code"] == "FLK101"] == [NAME]


RUN = "flink run -Dblob.storage.directory=/tmp/blobs job.jar\n"
PROGRAM = """from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment
c = Configuration()
c.set_string('blob.storage.directory', '/tmp/blobs')
env = StreamExecutionEnvironment.get_execution_environment(c)
env.execute()
"""
IN_MAIN = PROGRAM.replace("c = ", "def main(arguments):\n  c = ").replace("\nc.", "\n  c.").replace("\nenv", "\n  env")
SECTION = 'env {\n  parallelism.default = 2\n  rest.port = 8081\n  blob.storage.directory = "/tmp/blobs"\n}\n'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("flink-conf.yaml", SOUND + BLOB, "/tmp/blobs", "{{ blobs }}"),
        ("flink-conf.yaml", SOUND + BLOB, "blob.storage.directory", "{{ key }}"),
        ("config.yaml", SOUND + BLOB, "/tmp/blobs", "${BLOBS}"),
        ("run.sh", RUN, "/tmp/blobs", "$BLOBS"),
        ("run.sh", RUN, "-Dblob.storage.directory=/tmp/blobs", "$MORE"),
        ("Job.py", PROGRAM, "'/tmp/blobs'", "make()"),
        ("Job.py", IN_MAIN, "'/tmp/blobs'", "make()"),
        ("job.conf", SECTION, 'blob.storage.directory = "/tmp/blobs"', 'include "more"'),
    ],
)  # fmt: skip
def test_a_value_that_becomes_unknown_is_not_fixed(
    flint: Flint, tmp_path: Path, git: Git, name: str, text: str, old: str, new: str
) -> None:
    write(tmp_path / "new" / name, text)
    merged(git)
    write(tmp_path / "new" / name, text.replace(old, new))
    compared = judged(flint)["comparison"]
    assert compared["fixed"] == []
    assert [(row["path"], row["findings"]) for row in compared["unreadable"]] == [(f"new/{name}", 1)]


READ = """CREATE TABLE {name} (id INT) WITH (
  'connector' = 'kafka', 'topic' = 'events', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json'{more}
);
SELECT * FROM {name};
"""
"""Statements with FLK810 on the topic, unless more options name a group and where it starts."""
GROUP = ", 'properties.group.id' = 'g', 'scan.startup.mode' = 'earliest-offset'"


def test_one_of_two_findings_on_one_key_is_called_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "job.sql", READ.format(name="a", more="") + READ.format(name="b", more=""))
    merged(git)
    write(tmp_path / "job.sql", READ.format(name="a", more=GROUP) + READ.format(name="b", more=""))
    compared = judged(flint, status=0)["comparison"]
    assert codes(compared["fixed"]) == ["job.sql FLK810"]
    assert "job.sql FLK810" in codes(compared["remaining"])


def test_a_table_that_a_template_may_insert_is_not_fixed(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "job.sql", READ.format(name="a", more=GROUP) + READ.format(name="b", more=""))
    merged(git)
    write(tmp_path / "job.sql", READ.format(name="a", more=GROUP) + "{{ tables }}\nSELECT * FROM b;\n")
    compared = judged(flint, status=0)["comparison"]
    assert compared["fixed"] == []
    assert [(row["path"], row["reason"]) for row in compared["unreadable"]] == [
        ("job.sql", "settings may be added that are not in the file")
    ]  # fmt: skip


def test_a_finding_that_follows_from_a_value_which_becomes_unknown_is_not_fixed(
    flint: Flint, tmp_path: Path, git: Git
) -> None:
    """The rule no longer fires because of another setting than the one it reports."""
    write(tmp_path / "new/flink-conf.yaml", SOUND + "restart-strategy.type: fixed-delay\n")
    merged(git)
    write(tmp_path / "new/flink-conf.yaml", SOUND + "restart-strategy.type: ${STRATEGY}\n")
    compared = judged(flint)["comparison"]
    assert compared["fixed"] == []
    assert [(row["reason"], row["findings"]) for row in compared["unreadable"]] == [
        ("the value of restart-strategy.type is no longer known", 1)
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("name", ["flink-conf.yaml", "k.yaml"])
def test_a_file_in_another_encoding_is_not_fixed(
    flint: Flint, tmp_path: Path, git: Git, name: str, encoding: str
) -> None:
    text = ONE if name == "k.yaml" else SOUND + BLOB
    write(tmp_path / "new" / name, text)
    merged(git)
    (tmp_path / "new" / name).write_bytes(text.encode(encoding))
    if name == "flink-conf.yaml":  # which Flink reads all the same, and finds nothing in
        compared = judged(flint, status=1)["comparison"]
        assert compared["fixed"] == []
        assert [row["reason"] for row in compared["unreadable"]] == ["the file is not text in UTF-8"]
        return
    report = judged(flint, status=2)
    reason = f"is {encoding[:6].upper()}; only config.yaml can have this encoding, so save it as UTF-8"
    assert report["coverage"]["unreadable"] == [{"path": f"new/{name}", "reason": reason}]
    compared = report["comparison"]
    assert (compared["fixed"], compared["no_longer_read"]) == ([], [])
    assert [(row["path"], row["reason"]) for row in compared["unreadable"]] == [(f"new/{name}", reason)]


@pytest.mark.slow
def test_only_the_base_can_allow_that_something_is_not_read(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "k.yaml", ONE)
    write(tmp_path / "sound/flink-conf.yaml", SOUND)
    write(tmp_path / "flint.toml", '[diff]\nno-longer-read = "fail"\n')
    merged(git)
    write(tmp_path / "k.yaml", ONE.replace("/tmp/blobs", "{{ .Values.blobs }}"))
    judged(flint, status=0)
    git("rm", "-q", "sound/flink-conf.yaml")
    assert judged(flint, status=0)["comparison"]["no_longer_read"], "nothing was found in it, so nothing is hidden"
    write(tmp_path / "flint.toml", "")
    git("rm", "-q", "before/flink-conf.yaml")
    judged(flint, status=1)
    git("checkout", "-q", "-f", "main")
    git("checkout", "-q", "topic")
    write(tmp_path / "flint.toml", '[diff]\nunreadable = "fail"\n')
    merged(git)
    git("rm", "-q", "before/flink-conf.yaml")
    judged(flint, status=0)
    write(tmp_path / "k.yaml", ONE.replace("/tmp/blobs", "{{ .Values.blobs }}"))
    judged(flint, status=1)


# -- why a file is not read any more


def renamed(to: str) -> Callable[[Path], object]:
    def act(top: Path) -> None:
        (top / to).parent.mkdir(exist_ok=True)
        (top / OLD).rename(top / to)

    return act


def linked(to: str) -> Callable[[Path], object]:
    def act(top: Path) -> None:
        (top / OLD).unlink()
        (top / OLD).symlink_to(to)

    return act


def in_its_place(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def act(top: Path) -> None:
        (top / OLD).unlink()
        make(top / OLD)

    return act


def a_file_for_its_folder(top: Path) -> None:
    shutil.rmtree(top / "before")
    write(top / "before", "")


OLD = "before/flink-conf.yaml"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "path", "reason"),
    [
        (lambda top: (top / OLD).unlink(), OLD, "deleted"),
        (renamed("before/flink-conf.txt"), "before/flink-conf.txt", "flint does not read files with this name"),
        (renamed("target/flink-conf.yaml"), "target/flink-conf.yaml", "in target, a folder that flint does not enter"),
        (renamed(".old/flink-conf.yaml"), ".old/flink-conf.yaml", "in .old, a folder that flint does not enter"),
        (renamed("aside/flink-conf.yaml"), "aside/flink-conf.yaml",
         "excluded by the flint configuration or the command line"),
        (renamed("before/app.yaml"), "before/app.yaml", None),
        (linked("nowhere.yaml"), OLD, "now a broken link"),
        (linked("../conf"), OLD, "a link now, to ../conf, a folder"),
        (linked("/etc/hostname"), OLD, "a link that leads out of the repository"),
        (in_its_place(lambda place: write(place / "x.txt", "")), OLD, "a folder now"),
        (in_its_place(os.mkfifo), OLD, "no longer a regular file"),
        (lambda top: moved_aside(top / "before", "conf"), OLD, "before is a link now, to conf"),
        (lambda top: moved_aside(top / "before", "nowhere"), OLD, "before is a link now, to nowhere"),
        (lambda top: moved_aside(top / "before", "/etc"), OLD,
         "before is a link now, to a location outside of the repository"),
        (a_file_for_its_folder, OLD, "before is no longer a folder"),
    ],
)  # fmt: skip
def test_the_reason_for_not_reading_a_file_is_what_happened_to_it(
    flint: Flint, tmp_path: Path, git: Git, act: Callable[[Path], object], path: str, reason: str | None
) -> None:
    write(tmp_path / "flint.toml", 'exclude = ["aside"]\n')
    merged(git)
    act(tmp_path)
    if not (tmp_path / OLD).is_fifo():
        git("add", "-A")
    compared = judged(flint)["comparison"]
    assert compared["fixed"] == []
    rows = [(row["path"], row["reason"], row["findings"]) for row in compared["no_longer_read"]]
    why = reason if path == OLD else f"renamed from {OLD}; {reason}"
    assert rows == ([(path, why, 1)] if reason else [])


def test_a_file_that_git_leaves_out_of_the_working_tree_is_not_read(flint: Flint, tmp_path: Path, git: Git) -> None:
    git("update-index", "--skip-worktree", OLD)
    (tmp_path / OLD).unlink()
    (row,) = judged(flint)["comparison"]["no_longer_read"]
    assert (row["path"], row["findings"]) == (OLD, 1)


def test_a_file_outside_of_what_is_checked_is_reported_as_existing(flint: Flint, tmp_path: Path, git: Git) -> None:
    renamed("new/flink-conf.yaml")(tmp_path)
    write(tmp_path / "before/more/flink-conf.yaml", SOUND)
    git("add", "-A")
    (row,) = report_of(flint, "before")["comparison"]["no_longer_read"]
    assert (row["path"], row["reason"]) == (
        "new/flink-conf.yaml", f"renamed from {OLD}; not among the files that were checked"
    )  # fmt: skip


def test_a_file_whose_content_is_flinks_no_more_is_said_to_be_so(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / "new/app.yaml", "jobmanager.rpc.address: a\nblob.storage.directory: /tmp/blobs\n")
    merged(git)
    write(tmp_path / "new/app.yaml", "a: b\n")
    (row,) = judged(flint)["comparison"]["no_longer_read"]
    assert row["reason"] == "no longer recognized as a Flink file"


def test_a_file_of_the_base_that_is_too_large_is_left_out_of_it(flint: Flint, tmp_path: Path, git: Git) -> None:
    write(tmp_path / OLD, SOUND + BLOB + "# " + "x" * (10 * 1024**2))
    merged(git)
    write(tmp_path / OLD, SOUND + BLOB)
    done = flint("check", ".", "--diff-base", "main", "--output-format", "concise", **WHO)
    assert (done.returncode, done.stderr) == (1, ""), done.stderr
    assert "FLK101" in done.stdout
