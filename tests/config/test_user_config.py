"""The user's own configuration: where it is, what it may contain, and that no tree can stand in for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flink_flint.linter.config import user_config as module
from flink_flint.linter.config.flint_config import FlintConfigError, parse_flint_config
from flink_flint.linter.config.user_config import user_config, user_config_path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    (folder / ".config/flint").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME")
    return folder


def set_to(home: Path, text: str) -> Path:
    path = home / ".config/flint/flint.toml"
    path.write_text(text)
    return path


class TestPlaces:
    def test_the_specification_s_folder_also_on_macos(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")
        assert user_config_path() == str(home / ".config/flint/flint.toml")
        monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/me")
        assert user_config_path() == "/etc/me/flint/flint.toml"
        monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
        assert user_config_path() == str(home / ".config/flint/flint.toml")

    def test_roaming_data_on_windows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module.sys, "platform", "win32")
        monkeypatch.setenv("APPDATA", "/roaming")
        assert user_config_path() == "/roaming/flint/flint.toml"
        monkeypatch.delenv("APPDATA")
        assert user_config_path() is None

    def test_without_a_home_there_is_none(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", "")
        assert not user_config([]).render


class TestContents:
    @pytest.mark.parametrize(
        ("text", "expected"), [("render = true\n", True), ("render = false\n", False), ("", False)]
    )
    def test_render(self, home: Path, text: str, expected: bool) -> None:
        set_to(home, text)
        assert user_config(["/elsewhere"]).render is expected

    def test_plans_and_the_folders_to_plan_with(self, home: Path) -> None:
        set_to(home, 'plan = true\nflink-homes = ["/opt/flink", "~/flink-1.20.5"]\n')
        config = user_config(["/elsewhere"])
        assert config.plan
        assert list(config.flink_homes) == ["/opt/flink", str(home / "flink-1.20.5")]
        assert not user_config([str(home)]).plan

    def test_a_missing_file_is_empty(self, home: Path) -> None:
        assert user_config([]).render is False

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a = 1\nreder = true\n", "flint.toml:1: unknown key 'a'"),
            ("reder = true\n", "flint.toml:1: unknown key 'reder'; did you mean 'render'?"),
            ("render = 'yes'\n", "flint.toml:1: render: 'yes' is not of type 'boolean'"),
            ("\nselect = ['ALL']\n", "flint.toml:2: 'select' belongs in the flint.toml of a repository"),
            ("render\n", "flint.toml: not valid TOML"),
            ("#" * (1 << 20) + "\n", "more than 1 MiB"),
        ],
    )
    def test_what_is_wrong_is_refused_with_its_place(self, home: Path, text: str, message: str) -> None:
        set_to(home, text)
        with pytest.raises(FlintConfigError) as error:
            user_config([])
        assert message in str(error.value)

    def test_a_folder_in_its_place_is_refused(self, home: Path) -> None:
        (home / ".config/flint/flint.toml").mkdir()
        with pytest.raises(FlintConfigError, match="directory"):
            user_config([])

    @pytest.mark.parametrize("name", ["flint.toml", "pyproject.toml", ".flint.yaml"])
    def test_a_repository_cannot_have_its_keys(self, name: str) -> None:
        text = {"pyproject.toml": b"[tool.flint]\nrender = true\n", ".flint.yaml": b"render: true\n"}
        with pytest.raises(FlintConfigError, match="'render' is only allowed in your own configuration"):
            parse_flint_config(name, text.get(name, b"render = true\n"))


class TestTrees:
    def test_a_file_in_a_tree_that_is_checked_is_not_the_user_s(self, home: Path) -> None:
        set_to(home, "render = true\n")
        assert user_config([str(home / "repository"), f"{home}-other"]).render
        assert not user_config([str(home)]).render
        assert not user_config([str(home / ".config")]).render

    def test_nor_is_an_invalid_one_refused(self, home: Path) -> None:
        set_to(home, "not = valid\n")
        assert not user_config([str(home)]).render

    def test_nor_is_a_link_into_a_tree_or_a_way_through_one(
        self, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / "mine.toml").write_text("render = true\n")
        path = home / ".config/flint/flint.toml"
        path.symlink_to(tree / "mine.toml")
        assert user_config([]).render
        assert not user_config([str(tree)]).render
        path.unlink()
        set_to(home, "render = true\n")
        (tree / "flint").mkdir()
        (tree / "flint/flint.toml").symlink_to(path)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tree))
        assert not user_config([str(tree)]).render

    def test_a_tree_that_is_reached_through_a_link(self, home: Path, tmp_path: Path) -> None:
        set_to(home, "render = true\n")
        (tmp_path / "link").symlink_to(home)
        assert not user_config([str(tmp_path / "link")]).render
