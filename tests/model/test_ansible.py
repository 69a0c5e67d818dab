"""The Flink release that Ansible installs, from the variables of roles and of groups of hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.model.release_evidence.ansible import release_of_ansible

ROLE = {"roles/flink/tasks/main.yml": ""}
TEMPLATES = "roles/flink/templates"
ARCHIVE = "flink_url: https://archive.apache.org/dist/flink/flink-1.6.4/flink-1.6.4-bin-scala_2.11.tgz # mirror\n"


def release(folder: Path, files: dict[str, str], directory: str = TEMPLATES) -> tuple[str, str] | None:
    (folder / ".git").mkdir()
    (folder / directory).mkdir(parents=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return release_of_ansible(str(folder / directory))


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"roles/flink/defaults/main.yml": 'flink_version: "1.19.1"\n'}, ("1.19.1", "Ansible's defaults/main.yml")),
        ({"roles/flink/vars/main.yaml": "flink_version: 1.19  # LTS\n"}, ("1.19", "Ansible's vars/main.yaml")),
        ({"group_vars/flink": ARCHIVE}, ("1.6.4", "Ansible's group_vars/flink")),
        ({"group_vars/all/flink.yml": "flink_version: 1.20.0\n"}, ("1.20.0", "Ansible's group_vars/all/flink.yml")),
        (
            {"roles/flink/defaults/main.yml": "flink_version: 1.18.0", "group_vars/all.yml": "flink_version: 1.20.0"},
            ("1.20.0", "Ansible's group_vars/all.yml"),
        ),
        ({"group_vars/a": "flink_version: 1.18.0", "group_vars/b": "flink_version: 1.20.0"}, None),
        ({"roles/flink/defaults/main.yml": "flink_version: '{{ version }}'\n"}, None),
        ({"roles/flink/defaults/main.yml": "other_version: 1.19.1\n"}, None),
        ({}, None),
    ],
)
def test_variables_of_roles_and_groups(tmp_path: Path, files: dict[str, str], found: tuple[str, str] | None) -> None:
    assert release(tmp_path, ROLE | files) == found


def test_the_variables_themselves(tmp_path: Path) -> None:
    files = {"tasks/main.yml": "", "defaults/main.yml": "flink_version: 1.19.1\n"}
    assert release(tmp_path, files, "defaults") == ("1.19.1", "Ansible's defaults/main.yml")


def test_a_folder_of_templates_without_tasks_is_no_role(tmp_path: Path) -> None:
    files = {"chart/defaults/main.yml": "flink_version: 1.19.1\n"}
    assert release(tmp_path, files, "chart/templates") is None


def test_nothing_outside_the_repository_is_read(tmp_path: Path) -> None:
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "all").write_text("flink_version: 1.19.1\n")
    (tmp_path / "inner").mkdir()
    assert release(tmp_path / "inner", ROLE) is None
