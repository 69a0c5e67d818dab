"""What the form draws of a stranger's file: no secret, and no character that acts on the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interactive.driving import CONFIG, fill, form, seen

pytestmark = pytest.mark.asyncio

ACTING = "\x1b\x07\x9b\u202e\u2066\u200b"


def of(folder: Path, text: str) -> Path:
    place = folder / f"a\u202eb\x1b[31m\u200b{ACTING[2]}"
    place.mkdir()
    path = place / "config.yaml"
    path.write_text(text)
    return path


@pytest.mark.slow
async def test_no_screen_has_a_character_that_acts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = of(tmp_path, CONFIG.replace("# from", "# \u202efrom\u2066"))
    screens: list[str] = []
    app = form("taskmanager-memory", config=path.relative_to(tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screens.append(seen(app))
        await pilot.press("ctrl+g", "ctrl+s")
        await pilot.pause()
        screens.append(seen(app))
        await pilot.press("escape")
        await fill(pilot, app, task_heap="5\u202egb")
        screens.append(seen(app))
    assert "4096m" in screens[1]
    assert "config.yaml" in screens[0]
    assert [(char, text) for text in screens for char in ACTING if char in text] == []
    assert "\N{REPLACEMENT CHARACTER}" in screens[0]


@pytest.mark.slow
async def test_no_screen_shows_a_secret_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "flink-conf.yaml"
    path.write_text(
        "s3.secret-key: hush00x7f3aQQ99\ntaskmanager.memory.process.size: 4096m # s3.secret-key: hush01x7f3aQQ99\n"
        "taskmanager.numberOfTaskSlots: 2\ns3.secert-key: hush02x7f3aQQ99\n"
    )
    screens: list[str] = []
    app = form("taskmanager-memory", config=Path("flink-conf.yaml"))
    async with app.run_test(size=(160, 60)) as pilot:
        await pilot.pause()
        screens.append(seen(app))
        await fill(pilot, app, task_heap="2gb")
        screens.append(seen(app))
        await pilot.press("ctrl+s")
        await pilot.pause()
        screens.append(seen(app))
    assert [text for text in screens if "hush0" in text] == []
    assert "-taskmanager.memory.process.size: 4096m" in screens[2]
    path.write_text(path.read_text() + "taskmanager.memory.task.heap.size: hush00x7f3aQQ99\n")
    app = form("taskmanager-memory", config=Path("flink-conf.yaml"))
    async with app.run_test(size=(160, 60)) as pilot:
        await fill(pilot, app, process_size="2gb")
        assert "hush0" not in seen(app)
