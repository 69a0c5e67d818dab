"""Files that fixes changed, loaded by real releases of Flink."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from linter.flink.files import CONFIG_YAML, FLINK_CONF
from tests.flink.test_migrations import NEW, OLD, load
from tests.proof_of_fixes import effect_of, of_cases

FOLDERS = {FLINK_CONF: ("legacy", OLD), CONFIG_YAML: ("flat", NEW)}


@pytest.mark.flink
@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK")
def test_real_releases_load_what_fixes_leave(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    changed: dict[str, dict[str, str]] = {FLINK_CONF: {}, CONFIG_YAML: {}}
    wanted: dict[str, dict[str, str]] = {}
    for place, (_, sources, options) in enumerate(of_cases(tmp_path / "cases", every=3)):
        number = str(place)
        for one in effect_of(sources, options, unsafe=True).fixed:
            name = Path(one.after.path).name
            read = one.after.carrier.read(one.after.path, one.after.data)
            if name not in FOLDERS or read[0].refusals or not read[0].whole:
                continue
            folder = tmp_path / name / number / FOLDERS[name][0]
            folder.mkdir(parents=True)
            (folder / name).write_bytes(one.after.data)
            changed[name][number] = one.after.path
            wanted[number] = read[0].settings()
    for name, (kind, release) in FOLDERS.items():
        assert len(changed[name]) > 20
        loaded = load(tmp_path / name, release)
        for number in changed[name]:
            found = loaded[number][kind]
            assert found == wanted[number], (changed[name][number], found)
