"""How every screen looks; `pytest --snapshot-update` takes them again after a look at them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interactive.driving import CONFIG, form
from tests.marks import mostly_slow

Compare = Callable[..., bool]

SCREENS = {
    "picker-80": (None, (80, 24), []),
    "picker-60": (None, (60, 20), []),
    "picker-120": (None, (120, 40), ["k", "u", "b", "e"]),
    "waiting-80": ("async-io", (80, 24), []),
    "answer-80": ("async-io", (80, 24), ["ctrl+g"]),
    "answer-60": ("async-io", (60, 20), ["ctrl+g"]),
    "answer-120": ("async-io", (120, 40), ["ctrl+g"]),
    "reasoning-80": ("async-io", (80, 24), ["ctrl+g", "f3"]),
    "chart-80": ("async-io", (80, 24), ["ctrl+g", "f4"]),
    "settings-80": ("async-io", (80, 24), ["ctrl+g", "f5"]),
    "wrong-120": ("async-io", (120, 40), ["ctrl+g", "end", "backspace"]),
    "reverse-120": ("async-io", (120, 40), ["ctrl+r", "ctrl+g"]),
    "memory-120": ("taskmanager-memory", (120, 40), ["ctrl+g"]),
    "release": ("async-io", (80, 24), ["ctrl+l"]),
    "export": ("async-io", (80, 24), ["ctrl+g", "ctrl+o"]),
    "help": ("async-io", (80, 24), ["f1"]),
}  # fmt: skip


@pytest.mark.parametrize("name", mostly_slow(SCREENS, every=9))
def test_a_screen_looks_as_it_did(snap_compare: Compare, name: str) -> None:
    calculator, size, keys = SCREENS[name]
    assert snap_compare(form(calculator), terminal_size=size, press=keys)


@pytest.mark.slow
def test_a_screen_without_colors_looks_as_it_did(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(form("async-io"), terminal_size=(120, 40), press=["ctrl+g", "end", "backspace"])


@pytest.mark.parametrize(
    "keys", [["ctrl+g"], ["ctrl+g", "f5"], ["ctrl+g", "ctrl+s"]], ids=["answer", "settings", "diff"]
)
@pytest.mark.slow
def test_beside_a_configuration_it_looks_as_it_did(
    snap_compare: Compare, keys: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(CONFIG)
    assert snap_compare(form("taskmanager-memory", config=Path("config.yaml")), terminal_size=(120, 40), press=keys)
