"""`flint migrate` against the parsers of real releases of Flink, and next to Flink's own migration."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF, decode, encode
from flink_flint.linter.migrate.conversion import migrate
from tests.legacy_texts import texts
from tests.live.distribution import flink_home

ROWS = [
    json.loads(line)
    for line in (Path(__file__).resolve().parent.parent / "fixtures/migrate/flink_conf.jsonl").read_text().splitlines()
]
OLD, NEW = "1.20.5", "2.3.0"
"""The last release that reads the old file, and the newest."""

EXAMPLES = 500

Loaded = dict[str, dict[str, dict[str, str] | str]]
"""By case and file: the map, or the error."""


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each case: of the fixture first, then what Hypothesis makes."""
    folder = tmp_path_factory.mktemp("cases")
    made: dict[str, None] = {}

    @settings(max_examples=EXAMPLES, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(texts)
    def collect(text: str) -> None:
        made[text] = None

    collect()
    data = [base64.b64decode(row["b64"]) for row in ROWS]
    data += [encode(text, kind=FLINK_CONF) for text in made]
    for number, legacy in enumerate(data):
        text, _ = decode(legacy, kind=FLINK_CONF)
        nested, flat = (encode(migrate(text, is_nested=is_nested).text) for is_nested in (True, False))
        for name, file, content in (
            ("legacy", FLINK_CONF, legacy),
            ("nested", CONFIG_YAML, nested),
            ("flat", CONFIG_YAML, flat),
        ):
            (folder / str(number) / name).mkdir(parents=True)
            (folder / str(number) / name / file).write_bytes(content)
    return folder


def load(cases: Path, version: str) -> Loaded:
    """What a release loads from each file of each case, in one JVM; and what its own migration makes ("tool")."""
    home = flink_home(version)
    program = Path(__file__).with_name("Migrations.java")
    jars = os.pathsep.join(f"{home}/{folder}/*" for folder in ("bin", "lib"))
    found_file = cases.with_name(f"loaded-{version}")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", jars, str(program), str(cases), str(version == OLD).lower()]
    subprocess.run([*command, str(found_file)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    loaded: Loaded = {}
    for line in found_file.read_text("utf-8").splitlines():
        number, name, found = line.split("\t")
        pairs = [pair.split("=") for pair in found.split()] if not found.startswith("!") else []
        loaded.setdefault(number, {})[name] = found if not pairs and found else {_text(k): _text(v) for k, v in pairs}
    return loaded


def _text(encoded: str) -> str:
    code = encoded.removeprefix("u")
    return base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)).decode()


def verdict(found: dict[str, str] | str, expected: dict[str, str] | str) -> str:
    return "fails" if isinstance(found, str) else "same" if found == expected else "loses"


@pytest.mark.flink
def test_real_parsers_load_the_same_map(cases: Path) -> None:
    old, new = load(cases, OLD), load(cases, NEW)
    assert len(old) == len(new) > len(ROWS) + EXAMPLES // 2
    for place, row in enumerate(ROWS):
        assert old[str(place)]["legacy"] == row["map"]
        tools = {
            version: verdict(loaded[str(place)]["tool"], row["map"]) for version, loaded in ((OLD, old), (NEW, new))
        }
        assert tools == row["tool"]
    for number, files in old.items():
        expected = files["legacy"]
        assert isinstance(expected, dict)
        for form in ("nested", "flat"):
            written = (cases / number / form / CONFIG_YAML).read_bytes()
            assert files[form] == expected, written
            assert new[number][form] == expected, written
