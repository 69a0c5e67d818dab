"""`--fix` and `--diff`: what they change, and that they change nothing else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.formats import file_format_of, file_formats
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import apply_edits
from tests.conftest import Flint
from tests.fix_edits import edits_for

OLD = "# my cluster\r\nakka.framesize: 20971520b   # big\r\n\r\nrest.port:  8081\r\nenv.x: \xe9\xff\r\n"
NEW = OLD.replace("akka.framesize", "pekko.framesize")


def write(folder: Path, text: str, name: str = "flink-conf.yaml") -> Path:
    path = folder / name
    path.write_bytes(text.encode("latin-1"))
    return path


def test_fix_keeps_every_other_byte_and_the_mode(flint: Flint, tmp_path: Path) -> None:
    path = write(tmp_path, OLD)
    path.chmod(0o640)
    result = flint("check", ".", "--fix", "--flink-version", "1.18", "--select", "deprecated-key")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Fixed 1" in result.stdout
    assert path.read_bytes() == NEW.encode("latin-1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["flink-conf.yaml"]
    again = flint("check", ".", "--fix", "--flink-version", "1.18", "--select", "deprecated-key")
    assert "Fixed" not in again.stdout
    assert path.read_bytes() == NEW.encode("latin-1")


def test_diff_shows_and_changes_nothing(flint: Flint, tmp_path: Path) -> None:
    path = write(tmp_path, OLD.replace("\xe9\xff", "x") + "s3.secret-key: hush-7f3a\r\n")
    before = path.read_bytes()
    result = flint("check", ".", "--diff", "--flink-version", "1.18", "--select", "deprecated-key")
    assert result.returncode == 1
    assert "-akka.framesize: 20971520b   # big" in result.stdout
    assert "+pekko.framesize: 20971520b   # big" in result.stdout
    assert "hush-7f3a" not in result.stdout
    assert path.read_bytes() == before
    assert flint("check", ".", "--diff", "--flink-version", "1.17").returncode == 0


def test_exit_non_zero_on_fix(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, OLD)
    arguments = ("check", ".", "--fix", "--flink-version", "1.18", "--select", "deprecated-key")
    assert flint(*arguments, "--exit-non-zero-on-fix").returncode == 1
    assert flint(*arguments, "--exit-non-zero-on-fix").returncode == 0


def test_fixing_standard_input_prints_the_fixed_file(flint: Flint) -> None:
    result = flint("check", "-", "--fix", "--flink-version", "1.18", stdin="akka.framesize: 20971520b\n")
    assert result.stdout == "pekko.framesize: 20971520b\n"


def test_a_linked_file_stays_a_link(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = write(tmp_path / "real", OLD)
    (tmp_path / "flink-conf.yaml").symlink_to(target)
    flint("check", "flink-conf.yaml", "--fix", "--flink-version", "1.18", "--select", "deprecated-key")
    assert (tmp_path / "flink-conf.yaml").is_symlink()
    assert target.read_bytes() == NEW.encode("latin-1")


# -- edits of the file formats, on entries of any kind

YAML = """\
# a cluster
jobmanager:
  rpc:
    address: jm  # where
taskmanager: {numberOfTaskSlots: 4, memory: {process: {size: 4g}}}
state.backend:
  incremental: true   # why not

  local-recovery: "false"
rest.port: 8081
env.java.opts.all: >-
  -Xmx1g
  -Xms1g
"""


def document(text: str, name: str) -> Document:
    file_format = next(file_format for file_format in file_formats() if file_format.named(name))
    return file_format.read(name, text.encode())[0]


def settings_of(text: str, name: str) -> dict[str, str]:
    read = document(text, name)
    assert not read.refusals, (text, read.refusals)
    return read.settings()


KEYS = sorted(document(YAML, "config.yaml").effective)


@pytest.mark.parametrize("key", KEYS)
def test_renaming_a_yaml_entry_renames_just_that(key: str) -> None:
    read = document(YAML, "config.yaml")
    edits = edits_for(read, "rename", read.effective[key], "a.new.key")
    if edits is None:
        assert key in ("taskmanager.numberOfTaskSlots", "taskmanager.memory.process.size")
        return
    before = read.settings()
    after = settings_of(apply_edits(YAML, edits), "config.yaml")
    assert after == {("a.new.key" if k == key else k): v for k, v in before.items()}
    assert [line.split("#")[1] for line in apply_edits(YAML, edits).splitlines() if "#" in line] == [
        " a cluster", " where", " why not",
    ]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_removing_a_yaml_entry_removes_just_that(key: str) -> None:
    read = document(YAML, "config.yaml")
    edits = edits_for(read, "remove", read.effective[key])
    if edits is None:
        assert key.startswith("taskmanager")
        return
    after = settings_of(apply_edits(YAML, edits), "config.yaml")
    assert after == {k: v for k, v in read.settings().items() if k != key}


def test_an_entry_that_moves_takes_the_comments_above_it_along() -> None:
    text = "a:\n  b:\n    # where\n    # it goes\n    c: 1  # now\n  # other\n  d: 2\n"
    read = document(text, "config.yaml")
    edits = edits_for(read, "rename", read.effective["a.b.c"], "x.y")
    assert edits is not None
    assert apply_edits(text, edits) == "# where\n# it goes\nx.y: 1  # now\na:\n  # other\n  d: 2\n"


VALUES = st.one_of(
    st.sampled_from(
        ["10 s", "true", "1.20", "0x10", "a: b", "s3://b/p", "*", "@x", "it's", 'say "x"', "~", "-", "1e3"]
    ),
    st.text(alphabet="ab1 .:#'\"{}[]&*!|>%@`\\-?,é", min_size=1, max_size=12),
)


@settings(max_examples=200)
@given(st.sampled_from(KEYS), VALUES)
def test_replacing_a_yaml_value_gives_that_value(key: str, value: str) -> None:
    read = document(YAML, "config.yaml")
    edits = edits_for(read, "replace", read.effective[key], value)
    if edits is not None:
        after = settings_of(apply_edits(YAML, edits), "config.yaml")
        written = after.pop(key)
        assert after == {k: v for k, v in read.settings().items() if k != key}
        assert written == value or read.effective[key].style == "plain"


LEGACY = "# c\nrest.port: 8081  # p\n  a.b:  x y \nstate.backend: rocksdb\n"


@settings(max_examples=200)
@given(st.sampled_from(["rest.port", "a.b", "state.backend"]), VALUES)
def test_replacing_a_legacy_value_gives_that_value(key: str, value: str) -> None:
    read = document(LEGACY, "flink-conf.yaml")
    edits = edits_for(read, "replace", read.effective[key], value)
    if edits is not None:
        assert settings_of(apply_edits(LEGACY, edits), "flink-conf.yaml") == {**read.settings(), key: value}


@pytest.mark.parametrize("key", ["rest.port", "a.b", "state.backend"])
def test_renaming_and_removing_legacy_entries(key: str) -> None:
    read = document(LEGACY, "flink-conf.yaml")
    before = read.settings()
    renamed = edits_for(read, "rename", read.effective[key], "new.key")
    removed = edits_for(read, "remove", read.effective[key])
    assert renamed is not None
    assert removed is not None
    assert settings_of(apply_edits(LEGACY, renamed), "flink-conf.yaml") == {
        ("new.key" if k == key else k): v for k, v in before.items()
    }
    assert settings_of(apply_edits(LEGACY, removed), "flink-conf.yaml") == {k: v for k, v in before.items() if k != key}
    assert "# p" in apply_edits(LEGACY, removed)


TEXTS = st.lists(
    st.sampled_from(
        ["akka.framesize: 20m", "pekko.framesize: 10m", "state.backend: rocksdb", "a:b", "x.y: 'z'", "rest.port: 8081",
         "heartbeat.timeout: 1.5s", "taskmanager.memory.process.size: 4Gi", "high-availability: zookeeper", "# c", ""]
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    TEXTS, st.sampled_from(["flink-conf.yaml", "config.yaml"]), st.sampled_from([None, "1.20", "1.18"]), st.booleans()
)
@pytest.mark.slow
def test_fixing_is_idempotent_and_never_makes_a_file_unreadable(
    lines: list[str], name: str, version: str | None, unsafe: bool
) -> None:
    text = "\n".join(lines) + "\n"
    file_format = next(file_format for file_format in file_formats() if file_format.named(name))
    options = Options(flink_version=version)
    (once,) = fix([Source(f"/nowhere/{name}", text.encode(), file_format)], options, unsafe=unsafe)
    (twice,) = fix([once.after], options, unsafe=unsafe)
    assert twice.titles == ()
    if not document(text, name).refusals:
        assert not document(once.after.data.decode(), name).refusals


@pytest.mark.parametrize("value", ["0042", "1e10", "0x1F", "12.50"])
def test_secrets_that_yaml_retypes_are_not_shown_in_any_spelling(value: str, flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, f"s3:\n  secret-key: {value}\nrest.port: 8081\n", "config.yaml")
    for arguments in ((), ("--output-format", "json"), ("--diff", "--unsafe-fixes")):
        result = flint("check", "config.yaml", "--flink-version", "1.20", "--select", "yaml-retyped-value", *arguments)
        assert result.returncode == 1
        assert value not in result.stdout
        assert "******" in result.stdout


JSON = """{
  "apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "a"},
  "spec": {"flinkConfiguration": {"web.timeout": 600, "rest.address": "a"}}
}
"""


@pytest.mark.parametrize(
    ("key", "value", "written"),
    [
        # YAML, which JSON is read as, takes text without quotes inside a flow mapping; JSON does not.
        ("web.timeout", "slow", '"web.timeout": "slow"'), ("web.timeout", "10 s", '"web.timeout": "10 s"'),
        ("rest.address", "b", '"rest.address": "b"'),
    ],
)  # fmt: skip
def test_of_several_ways_the_first_that_the_file_takes_is_taken(key: str, value: str, written: str) -> None:
    file_format = file_format_of("deployment.json", JSON)
    assert file_format is not None
    (read,) = file_format.read("deployment.json", JSON.encode())
    edits = edits_for(read, "replace", read.effective[key], value)
    assert edits is not None
    assert written in apply_edits(JSON, edits)


@pytest.mark.parametrize("end", ["", "\n", "  # c", "\r\n"])
def test_an_entry_that_moves_from_the_end_of_a_file_gets_a_line_of_its_own(end: str) -> None:
    text = f"a:\n  d: 2\n  b: 1{end}"
    read = document(text, "config.yaml")
    edits = edits_for(read, "rename", read.effective["a.b"], "x.y")
    assert edits is not None
    assert apply_edits(text, edits).startswith(f"x.y: 1{end.rstrip()}")
    assert settings_of(apply_edits(text, edits), "config.yaml") == {"a.d": "2", "x.y": "1"}
