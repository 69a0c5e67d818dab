"""Which files a run reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.engine.discovery import Skipped, Source, find
from flink_flint.linter.filesystem import folders
from tests.conftest import Flint

CONF = "jobmanager.rpc.address: jm\nparallelism.default: 2\n"


def files(flint: Flint, *arguments: str) -> list[str]:
    result = flint("check", *arguments, "--show-files", "--output-format", "json")
    return [row["path"] for row in json.loads(result.stdout)["files"]]


def write(folder: Path, *paths: str, text: str = CONF) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def test_files_are_found_by_name_and_by_content_and_nothing_else(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, "a/flink-conf.yaml", "b/config.yaml", "c/flink-conf-prod.yaml", "d/session.yml", "e/base.yaml.j2")
    write(tmp_path, "x/config.yaml", "x/values.yaml", text="replicas: 3\nimage: nginx\n")
    write(tmp_path, "y/deployment.yaml", text="apiVersion: v1\nkind: ConfigMap\n" + CONF)
    write(tmp_path, "z/notes.txt")
    assert files(flint) == [
        *("a/flink-conf.yaml", "b/config.yaml", "c/flink-conf-prod.yaml", "d/session.yml", "e/base.yaml.j2")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "taskmanager:\n  memory:\n    process:\n      size: 4g\n",
        "# a comment\nstate:\n  backend:\n    type: rocksdb\nrest:\n  port: 8081\n",
        "execution.checkpointing.intervall: 10 s\n",
        "parallelism.default: 4\n",
    ],
)
def test_config_yaml_is_known_by_its_keys(text: str, flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, "config.yaml", text=text)
    assert files(flint) == ["config.yaml"]


def test_a_template_with_mappings_is_a_config_yaml(flint: Flint, tmp_path: Path) -> None:
    mappings = "blob:\n  server:\n    port: 6124\n# the rest\ntaskmanager:\n  numberOfTaskSlots: ${slots}\n"
    write(tmp_path, "flink.yaml.tpl", text=mappings + "s3.endpoint: http://minio:9000\n")
    write(tmp_path, "flat.yaml.tpl", text="taskmanager.numberOfTaskSlots: ${slots}\nparallelism.default: 2\n")
    write(tmp_path, "one.conf", "one.yaml.j2", "one.erb", text="taskmanager.numberOfTaskSlots: 2\n")
    report = json.loads(flint("check", ".", "--show-files", "--output-format", "json").stdout)
    kinds = {Path(entry["path"]).name: entry["kind"] for entry in report["files"]}
    assert kinds == {"flat.yaml.tpl": "flink-conf", "flink.yaml.tpl": "config.yaml"}


def test_gitignore_and_exclude_keep_files_out(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(
        tmp_path, "conf/flink-conf.yaml", "old/flink-conf.yaml", "deep/er/flink-conf.yaml", "deep/keep/flink-conf.yaml"
    )
    (tmp_path / ".gitignore").write_text("/old/\n")
    (tmp_path / "deep" / ".gitignore").write_text("er\n")
    assert files(flint) == ["conf/flink-conf.yaml", "deep/keep/flink-conf.yaml"]
    assert files(flint, "--exclude", "deep/") == ["conf/flink-conf.yaml"]
    assert files(flint, "deep") == ["deep/keep/flink-conf.yaml"]
    assert files(flint, "old/flink-conf.yaml") == ["old/flink-conf.yaml"]


def names(folder: Path, below: str = "", **options: Any) -> list[str]:
    """Return the paths in a folder that a walk of a folder below it finds."""
    found = [one for one in find([str(folder / below)], root=str(folder), **options) if isinstance(one, Source)]
    return [str(Path(one.path).relative_to(folder)) for one in found]


def test_ignore_files_above_the_named_folder_count_within_the_repository(tmp_path: Path) -> None:
    write(tmp_path, "deep/er/flink-conf.yaml", "deep/keep/flink-conf.yaml")
    (tmp_path / ".gitignore").write_text("er\n")
    assert names(tmp_path, "deep") == ["deep/er/flink-conf.yaml", "deep/keep/flink-conf.yaml"]
    (tmp_path / ".git").mkdir()
    folders.forget()
    assert names(tmp_path, "deep") == ["deep/keep/flink-conf.yaml"]


def test_tracked_files_in_an_ignored_folder_are_found_unless_they_are_excluded(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, "old/flink-conf.yaml", "old/deep/flink-conf.yaml", "old/untracked/flink-conf.yaml")
    (tmp_path / ".gitignore").write_text("/old/\n")
    tracked = {str(tmp_path / name) for name in ("old/flink-conf.yaml", "old/deep/flink-conf.yaml")}
    assert names(tmp_path, tracked=tracked) == ["old/deep/flink-conf.yaml", "old/flink-conf.yaml"]
    assert names(tmp_path, tracked=tracked, exclude=["deep/"]) == ["old/flink-conf.yaml"]
    assert names(tmp_path, tracked=tracked, exclude=["/old/*.yaml"]) == ["old/deep/flink-conf.yaml"]


def test_what_is_not_read_is_reported_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, "conf/flink-conf.yaml", "old/flink-conf.yaml", "test/flink-conf.yaml")
    (tmp_path / ".gitignore").write_text("/old/\n")
    skipped: list[Skipped] = []
    assert names(tmp_path, exclude=["test/"], skip=skipped.append) == ["conf/flink-conf.yaml"]
    assert [(Path(one.path).name, one.reason) for one in skipped] == [("old", ".gitignore"), ("test", "exclude")]


def test_copies_of_the_sources_of_flink_are_read_only_where_a_walk_starts(flint: Flint, tmp_path: Path) -> None:
    pom = (
        "<project><parent><groupId>org.apache</groupId><artifactId>apache</artifactId></parent>"
        "<groupId>org.apache.flink</groupId><artifactId>flink-parent</artifactId></project>"
    )
    (tmp_path / ".git").mkdir()
    write(tmp_path, "flink/conf/flink-conf.yaml", "own/conf/flink-conf.yaml")
    write(tmp_path, "flink/pom.xml", text=pom)
    skipped: list[Skipped] = []
    found = [source.path for source in find([str(tmp_path)], skip=skipped.append)]
    assert found == [str(tmp_path / "own/conf/flink-conf.yaml")]
    assert skipped == [Skipped(f"{tmp_path}/flink/", "the sources of Flink's own flink-parent")]
    assert files(flint, "flink") == ["flink/conf/flink-conf.yaml", "flink/pom.xml"]
    assert files(flint, "flink/conf/flink-conf.yaml") == ["flink/conf/flink-conf.yaml"]


def test_a_name_that_begins_with_dots_is_excluded_like_any_other(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, "..old/flink-conf.yaml")
    assert files(flint, "..old", "--exclude", "/..old/flink-conf.yaml") == []


def test_named_files_escape_exclude_unless_forced(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, "conf/flink-conf.yaml")
    assert files(flint, "conf/flink-conf.yaml", "--exclude", "conf") == ["conf/flink-conf.yaml"]
    assert files(flint, "conf/flink-conf.yaml", "--exclude", "conf", "--force-exclude") == []


def test_a_file_named_twice_is_read_once(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, "conf/flink-conf.yaml")
    assert files(flint, "conf", "conf/flink-conf.yaml", ".") == ["conf/flink-conf.yaml"]


def test_no_file_at_all_is_a_warning(flint: Flint, tmp_path: Path) -> None:
    result = flint("check", ".")
    assert result.returncode == 0
    assert result.stderr == "warning: no Flink configuration found in .\n"


def test_a_path_that_is_not_there_is_an_error_and_the_rest_is_checked(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, "conf/flink-conf.yaml")
    result = flint("check", "conf", "missing.yaml", "--output-format", "json")
    assert result.returncode == 2
    assert "missing.yaml: no such file or folder" in result.stderr
    assert json.loads(result.stdout)["files"] == 1


def test_standard_input_takes_a_name(flint: Flint) -> None:
    text = "blob.storage.directory: /tmp/x\n"
    result = flint("check", "-", "--stdin-filename", "conf/config.yaml", "--output-format", "concise", stdin=text)
    assert result.returncode == 1
    assert result.stdout.startswith("conf/config.yaml:1:25: warning[FLK101]")
    assert flint("check", "-", "--output-format", "concise", stdin=text).stdout.startswith("flink-conf.yaml:1:25:")
    assert flint("check", "-", "--stdin-filename", "a.txt", stdin=text).returncode == 2


def test_naming_a_file_does_not_make_it_flinks(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, "broken/config.yaml", text="a: b\nfoo\n")
    write(tmp_path, "other/config.yaml", text="title: a site\nempty:\n")
    write(tmp_path, "own/config.yaml", text="taskmanager.numberOfTaskSlots: 2\nfoo\n")
    named = ("broken/config.yaml", "other/config.yaml", "own/config.yaml")
    assert files(flint, *named) == files(flint, ".") == ["own/config.yaml"]
    assert flint("check", "own/config.yaml").returncode == 1


def test_a_release_outside_the_catalogue_is_said_to_be(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, "config.yaml")
    result = flint("check", ".", "--flink-version", "9.9")
    assert "warning: Flink 9.9 is not in the option catalogue (1.9 to 2.3); checked as 2.3" in result.stderr


def test_of_hidden_folders_only_the_pipelines_of_ci_are_read(flint: Flint, tmp_path: Path) -> None:
    run = "on: push\njobs:\n  a:\n    steps:\n      - run: flink run -Drest.port=8081 job.jar\n"
    write(tmp_path, ".github/workflows/ci.yml", ".gitlab/ci/flink.yml", ".hidden/ci.yml", text=run)
    write(tmp_path, ".github/flink-conf.yaml", ".hidden/flink-conf.yaml")
    assert files(flint) == [".github/workflows/ci.yml", ".gitlab/ci/flink.yml"]
    assert files(flint, ".github") == [".github/flink-conf.yaml", ".github/workflows/ci.yml"]  # which is named
