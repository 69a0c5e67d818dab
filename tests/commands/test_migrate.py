"""`flint migrate`: the file that it reads, and where the result goes; conversions are tested in tests/migrate."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.commands.migrate import MigrateArguments, run_migrate

OLD = "rest.port: 8081\n"
NEW = "rest:\n  port: 8081\n"
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: session}
data:
  flink-conf.yaml: |
    rest.port: 8081
"""


@pytest.fixture(autouse=True)
def _old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flink-conf.yaml").write_text(OLD)


def messages_of(file: str, **given: Any) -> list[str]:
    """Migrate a file and return what the command says about it."""
    arguments = MigrateArguments(file, nested=True, write=False, output_file=None, force=False, rename=False, to=None)
    said: list[str] = []
    assert run_migrate(arguments._replace(**given), lambda text, *_, **__: said.append(text)) == 0
    return said


@pytest.mark.parametrize("file", ["flink-conf.yaml", "."])
@pytest.mark.parametrize("output_file", [None, "-"])
def test_a_file_or_that_of_a_directory_is_printed_unless_it_is_to_be_written(
    file: str, output_file: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert messages_of(file, output_file=output_file) == []
    assert capsys.readouterr().out == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["flink-conf.yaml"]


def test_notes_have_their_line_and_no_secret(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("s3.secret-key: hunter2-7f3a\ns3.access-key hunter2-7f3a\n")
    (note,) = messages_of("flink-conf.yaml")
    assert note.startswith("flink-conf.yaml:2: Flink skips this line")
    assert "hunter2" not in note


def test_a_new_file_is_as_private_as_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").chmod(0o600)
    assert messages_of("flink-conf.yaml", output_file="new.yaml") == ["wrote new.yaml"]
    assert (tmp_path / "new.yaml").read_text() == NEW
    assert stat.S_IMODE((tmp_path / "new.yaml").stat().st_mode) == 0o600


def test_an_old_file_of_another_name_is_migrated_like_any(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "flink-conf-prod.yaml").write_text(OLD)
    assert messages_of("flink-conf-prod.yaml") == []
    assert capsys.readouterr().out == NEW


def test_a_manifest_is_written_in_place(tmp_path: Path) -> None:
    manifest = tmp_path / "config-map.yaml"
    manifest.write_text(CONFIG_MAP)
    note, wrote = messages_of("config-map.yaml", write=True)
    assert (note.partition(" ")[0], wrote) == ("config-map.yaml:5:", "wrote config-map.yaml")
    assert manifest.read_text() == CONFIG_MAP.replace("flink-conf", "config").replace(
        "    rest.port: 8081\n", "    rest:\n      port: 8081\n"
    )


@pytest.mark.parametrize(
    ("to", "says"),
    [("1.18", "--to 1.18: Flink reads config.yaml from 1.19 on"), ("9.9", "--to: Flink 9.9 is not in the option")],
)
def test_the_release_must_be_known_and_read_the_new_file(to: str, says: str) -> None:
    with pytest.raises(ValueError, match=f"^{says}"):
        messages_of("flink-conf.yaml", to=to)
