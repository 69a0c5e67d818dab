"""The rules on keys: which of their fixes are safe, and that a safe one changes nothing for Flink."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.finding import Finding
from tests.fix_edits import checked

SAFE = ("FLK003", "FLK005", "FLK006")


def source_of(folder: Path, name: str, text: str) -> Source:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    source = next(iter(find([str(path)])))
    assert isinstance(source, Source)
    return source


def read(source: Source, index: int) -> dict[str, object]:
    """What each option of a release reads from a file, by primary key."""
    document = source.file_format.read(source.path, source.data)[0]
    settings = {key: entry.value for key, entry in document.effective.items()}
    return {
        option.key: next(settings[key] for key in (option.key, *option.lookup_order) if key in settings)
        for option in catalogue().keys(index)
        if not option.deprecated and any(key in settings for key in (option.key, *option.lookup_order))
    }


@pytest.mark.parametrize("minor", MINORS)
def test_safe_fixes_of_old_names_change_no_option(minor: str, tmp_path: Path) -> None:
    """A file with an old name of every option: after the fixes each option reads what it read before."""
    index = MINORS.index(minor)
    lines = {
        option.lookup_order[-1]: f"{option.lookup_order[-1]}: {number}"
        for number, option in enumerate(catalogue().keys(index))
        if option.lookup_order and "<" not in option.key
    }
    legacy = index < MINORS.index("2.0")
    source = source_of(tmp_path, "flink-conf.yaml" if legacy else "config.yaml", "\n".join(lines.values()) + "\n")
    (fixed,) = fix([source], Options(flink_version=minor, select=SAFE), unsafe=False)
    assert len(fixed.titles) > 10
    assert read(fixed.after, index) == read(source, index)


def findings(folder: Path, text: str, code: str, minor: str | None = None) -> list[Finding]:
    source = source_of(folder, "flink-conf.yaml", text)
    return checked([source], Options(flink_version=minor, select=(code,))).findings


@pytest.mark.parametrize(
    ("code", "minor", "text", "safe"),
    [
        ("FLK001", "1.18", "state.checkpoint.dir: s3://b/c\n", False),
        ("FLK001", "1.18", "taskmanager.numberoftaskslots: 4\n", False),
        ("FLK001", "1.18", "jobmanager.rpc.ardresss: jm\n", False),  # two slips
        ("FLK001", "1.18", "parallelism.defaults: many\n", False),  # no number
        ("FLK001", "1.18", "state.checkpoint.dir: s3://b/c\nstate.backend.fs.checkpointdir: s3://b/d\n", None),
        ("FLK002", "1.18", "taskmanager.memory.off-heap: true\n", True),
        ("FLK002", "1.18", "taskmanager.memory.off-heap: false\n", None),
        ("FLK002", ">=1.9,<=1.18", "taskmanager.memory.off-heap: true\n", None),  # 1.9 still reads it
        ("FLK003", "1.20", "akka.framesize: 10m\n", True),
        ("FLK003", "1.20", "akka.ask.timeout: 1 min\n", False),  # another option falls back to the new name
        ("FLK003", "1.18", "web.port: 8081\n", None),  # an old name of two options
        ("FLK004", "1.16", "state.backend.type: rocksdb\n", False),
        ("FLK004", "1.12", "state.backend.type: hashmap\n", None),  # that release does not know the value
        ("FLK004", "1.18", "taskmanager.load-balance.mode: SLOTS\n", None),
        ("FLK006", "1.18", "pekko.framesize: 10m\nakka.framesize: 20m\n", True),
        (
            "FLK006",
            None,
            "state.backend.type: rocksdb\nstate.backend: hashmap\n",
            None,
        ),  # up to 1.16 the old one counts
        ("FLK025", "1.18", "parallelism.default: 2.0\n", True),
        ("FLK025", "1.18", "parallelism.default: 1_000\n", False),
        ("FLK025", "1.18", "parallelism.default: 2.5\n", None),
        ("FLK026", "1.18", "execution.checkpointing.mode: EXACTLY-ONCE\n", True),
        ("FLK026", "1.18", "execution.checkpointing.mode: sometimes\n", None),
    ],
)
def test_a_fix_is_as_safe_as_it_can_be(
    code: str, minor: str | None, text: str, safe: bool | None, tmp_path: Path
) -> None:
    found = findings(tmp_path, text, code, minor)
    assert len(found) == 1, found
    assert (found[0].fix.safe if found[0].fix else None) is safe


@pytest.mark.parametrize(("incremental", "safe"), [("true", True), ('"true"', False)])
def test_a_fix_that_makes_a_refused_value_count_is_not_safe(incremental: str, safe: bool, tmp_path: Path) -> None:
    lines = f"        state.backend: rocksdb\n        state.backend.incremental: {incremental}\n"
    text = f"services:\n  jobmanager:\n    image: flink:2.1.0\n    environment:\n      FLINK_PROPERTIES: |\n{lines}"
    source = source_of(tmp_path, "docker-compose.yml", text)
    (finding,) = checked([source], Options(select=("FLK050",))).findings
    assert finding.fix is not None
    assert finding.fix.safe is safe


def test_no_credential_is_printed(tmp_path: Path) -> None:
    text = "myapp.mongo: mongodb://user:hunter22@db:27017/x\nmyapp.id: AKIAIOSFODNN7EXAMPLE\n"
    found = findings(tmp_path, text, "FLK042", "1.18")
    assert len(found) == 2
    for finding in found:
        assert all("hunter22" not in line and "AKIA" not in line for line in finding.where.excerpt.lines)
        assert "hunter22" not in finding.message


def test_a_duplicate_names_the_line_that_counts(tmp_path: Path) -> None:
    found = findings(tmp_path, "rest.port: 1\nrest.port: 2\nrest.port: 3\n", "FLK005", "1.18")
    assert [finding.where.start.line for finding in found] == [1, 2]
    assert {place.start.line for finding in found for place in finding.located} == {3}
