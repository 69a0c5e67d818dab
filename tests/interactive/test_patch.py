"""Leaving with the answer: clipboard, configuration, JSON."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from textual.app import App
from textual.widgets import Input, Static

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.command_line.collect_inputs import ask, read_texts
from flink_flint.calculators.command_line.open_configuration import open_configuration
from flink_flint.calculators.interactive.save_answer import ExportScreen, WriteScreen
from flink_flint.linter.flink.releases import parse_release
from tests.interactive.driving import CONFIG, fill, form, question, seen, told, type_in

pytestmark = pytest.mark.asyncio

ANSWERED = ask(
    calculator("async-io"), {"read_timeout": 2.0, "pool": 200, "capacity": 5000}, release=parse_release("1.20")
)


class Alone(App[None]):
    """An app with nothing but the dialog that exports an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[str | None] = []

    def on_mount(self) -> None:
        """Open the dialog."""
        self.push_screen(ExportScreen(ANSWERED), self.results.append)

    def told(self) -> str:
        """Return what the dialog shows below its field."""
        return str(self.screen.query_one("#text", Static).content)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    return path


@pytest.mark.slow
async def test_the_diff_is_shown_before_anything_is_written_and_then_what_it_says_is_written(config: Path) -> None:
    app = form("taskmanager-memory", config=Path("config.yaml"))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g", "ctrl+s")
        await pilot.pause()
        assert isinstance(app.screen, WriteScreen)
        assert "-      size: 4096m    # from the operators' guide" in seen(app)
        assert config.read_text() == CONFIG
        await pilot.press("enter")
        await pilot.pause()
        text = config.read_text()
        assert "4096m" not in text
        assert text.startswith("# the cluster of the orders job\n"), "comments stay"
        assert "# from the operators' guide" in text
        wanted = question(app).asked
        assert wanted is not None
        written = open_configuration(str(config), flink_version="1.20").document.settings()
        assert wanted.settings.settings.items() <= written.items()
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "has all these settings already" in seen(app)


@pytest.mark.slow
async def test_escape_and_cancel_leave_the_file_alone(config: Path) -> None:
    app = form("taskmanager-memory", config=config)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g", "ctrl+s")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.press("ctrl+s")
        await pilot.pause()
        await pilot.press("tab", "enter")
        await pilot.pause()
        assert config.read_text() == CONFIG
        assert question(app).asked is not None


@pytest.mark.slow
async def test_a_path_can_be_typed_and_what_is_wrong_with_it_is_told(config: Path) -> None:
    app = form("taskmanager-memory")
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g", "ctrl+s")
        await pilot.pause()
        await type_in(pilot, "nowhere.yaml")
        await pilot.press("enter")
        await pilot.pause()
        assert "✗ nowhere.yaml" in seen(app)
        app.screen.query_one(Input).value = "config.yaml"
        await pilot.press("enter")
        await pilot.pause()
        assert "+++ b/config.yaml" in seen(app)
        assert config.read_text() == CONFIG
        await pilot.press("enter")
        await pilot.pause()
        assert config.read_text() != CONFIG


@pytest.mark.slow
async def test_a_file_that_changed_after_its_diff_was_shown_is_not_written(config: Path) -> None:
    app = form("taskmanager-memory", config=config)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g", "ctrl+s")
        await pilot.pause()
        changed = CONFIG + "rest.port: 8082\n"
        config.write_text(changed)
        await pilot.press("enter")
        await pilot.pause()
        assert "has changed in the meantime" in seen(app)
        assert config.read_text() == changed


@pytest.mark.slow
async def test_a_changed_path_must_be_looked_at_again(config: Path) -> None:
    app = form("taskmanager-memory", config=config)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g", "ctrl+s")
        await pilot.pause()
        app.screen.query_one(Input).value = str(config.with_name("other.yaml"))
        await pilot.pause()
        assert app.screen.query_one("#do").disabled


@pytest.mark.slow
async def test_an_answer_without_options_of_flink_has_nothing_to_write() -> None:
    app = form("async-io")
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("ctrl+s")
        await told(pilot, app, "until there is an")
        await pilot.press("ctrl+g")
        await pilot.pause()
        await pilot.press("ctrl+s")
        await told(pilot, app, "this answer")
        assert not isinstance(app.screen, WriteScreen)


@pytest.mark.slow
async def test_the_copied_patch_is_taken_by_git(config: Path) -> None:
    app = form("taskmanager-memory", config=Path("config.yaml"))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g", "ctrl+y")
        await pilot.pause()
        patch = app.clipboard
        asked = question(app).asked
    subprocess.run(["git", "apply", "-"], input=patch, text=True, check=True, cwd=config.parent)
    assert asked is not None
    written = open_configuration(str(config), flink_version="1.20").document.settings()
    assert asked.settings.settings.items() <= written.items()


@pytest.mark.slow
async def test_without_a_configuration_the_settings_are_copied_as_lines_and_else_the_code() -> None:
    app = form("taskmanager-memory")
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g", "ctrl+y")
        await pilot.pause()
        assert "taskmanager.memory.process.size: " in app.clipboard
    app = form("async-io")
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g", "ctrl+y")
        await pilot.pause()
        assert "AsyncDataStream." in app.clipboard


@pytest.mark.slow
async def test_the_export_holds_inputs_that_give_the_same_answer(config: Path) -> None:
    app = form("async-io")
    async with app.run_test(size=(100, 40)) as pilot:
        await fill(pilot, app, read_timeout="2s", pool="200", capacity="5000")
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert isinstance(app.screen, ExportScreen)
        await pilot.press("enter")
        await pilot.pause()
        asked = question(app).asked
    exported = json.loads(Path("async-io.json").read_text())
    assert exported["version"] == 1
    assert asked is not None
    again = ask(calculator("async-io"), read_texts(calculator("async-io"), exported["inputs"]), release=asked.release)
    assert again.answer == asked.answer


@pytest.mark.slow
async def test_a_file_is_replaced_by_an_export_only_when_that_is_confirmed(config: Path) -> None:
    Path("async-io.json").write_text("precious")
    app = form("async-io", read_timeout=2.0, pool=200, capacity=5000)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+o")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert "exists and would be replaced" in seen(app)
        await pilot.press("escape")
        await pilot.pause()
        assert Path("async-io.json").read_text() == "precious"
        await pilot.press("ctrl+o")
        await pilot.pause()
        app.screen.query_one(Input).value = "no/such/folder.json"
        await pilot.press("enter")
        await pilot.pause()
        assert "there is no folder no/such" in seen(app)


async def test_an_export_waits_for_its_path_to_be_confirmed_and_refuses_a_folder(config: Path) -> None:
    app = Alone()
    async with app.run_test() as pilot:
        await pilot.pause()
        assert not Path("async-io.json").exists()
        app.screen.query_one(Input).value = str(config.parent)
        await pilot.press("enter")
        await pilot.pause()
        assert app.told() == f"✗ {config.parent} is a folder"
        assert app.results == []


@pytest.mark.parametrize(("button", "result", "kept"), [("#do", "async-io.json", False), ("#cancel", None, True)])
async def test_a_click_on_a_button_replaces_the_file_or_leaves_it(
    config: Path, button: str, result: str | None, kept: bool
) -> None:
    Path("async-io.json").write_text("precious")
    app = Alone()
    async with app.run_test() as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert "exists and would be replaced" in app.told()
        await pilot.click(button)
        await pilot.pause()
        assert app.results == [result]
    assert (Path("async-io.json").read_text() == "precious") is kept


async def test_a_notice_says_what_was_copied_or_why_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    app = form("async-io", **ANSWERED.inputs)
    notices: list[str] = []
    monkeypatch.setattr(app, "notify", lambda message, **_: notices.append(message))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+y", "ctrl+s")
        await pilot.pause()
        assert not question(app).has_class("-stale")
    assert notices == [
        "Copied: job source (Java)",
        "There is nothing to write: this answer sets no option of Flink.",
    ]
