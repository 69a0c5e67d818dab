"""Writing settings into a configuration, and the patch that would do it."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.setting_changes import Change, changes
from flink_flint.calculators.command_line.collect_inputs import ask, read_texts
from flink_flint.calculators.command_line.open_configuration import Opened, open_configuration, opened_from
from flink_flint.calculators.command_line.write_settings import applied, diff, write
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.formats import file_formats

CONFIG = """\
# ours
s3.secret-key: hush-7f3a
parallelism:
  default: 8   # slots
execution:
  checkpointing:
    interval: 1min
    # long
    timeout: 10 min
rest.port: 8081
"""


def opened(text: str, name: str = "config.yaml", version: str = "1.20") -> Opened:
    file_format = next(file_format for file_format in file_formats() if file_format.named(name))
    data = text.encode("utf-8", "surrogateescape")
    return opened_from(Source(f"/nowhere/{name}", data, file_format), flink_version=version)


def test_changes_additions_and_removals_leave_all_else() -> None:
    wished = [
        Change("execution.checkpointing.interval", "1min", "5 min"),
        Change("execution.checkpointing.min-pause", None, "30 s"),
        Change("rest.port", "8081", None),
    ]
    assert applied(opened(CONFIG), wished).decode() == CONFIG.replace("interval: 1min", "interval: 5 min").replace(
        "timeout: 10 min\n", "timeout: 10 min\n    min-pause: 30 s\n"
    ).replace("rest.port: 8081\n", "")


def test_an_earlier_line_of_a_removed_key_goes_as_well() -> None:
    text = "rest.port: 1\nx.y: 2\nrest.port: 3\n"
    before = opened(text, "flink-conf.yaml")
    assert applied(before, [Change("rest.port", "3", None)]) == b"x.y: 2\n"


def test_line_ends_odd_bytes_and_missing_last_line_end_stay() -> None:
    text = "x.y: \udce9\udcff\r\nrest.port: 1  # p"
    data = applied(opened(text, "flink-conf.yaml"), [Change("rest.port", "1", "2"), Change("a.b", None, "c")])
    assert data == b"x.y: \xe9\xff\r\nrest.port: 2  # p\r\na.b: c"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("a: {b: 1, c: x}\n", Change("a.b", "1", None)),
        ("a:\n  b: |\n    text\n", Change("a.b", "text", "other")),
        ("{a: 1}\n", Change("b", None, "2")),
    ],
)
def test_what_no_edit_can_do_is_refused_with_the_key_named(text: str, change: Change) -> None:
    with pytest.raises(ValueError, match=rf"^/nowhere/config\.yaml: {change.key} .*by hand$"):
        applied(opened(text), [change])


KEYS = ["rest.port", "taskmanager.memory.process.size", "taskmanager.host", "state.backend.type", "jobmanager.x"]
TEXTS = ["8081", "4g", "true", "host", "10 s", "1.5"]
LINES = st.lists(st.sampled_from(KEYS), unique=True, max_size=5)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    LINES, st.lists(st.sampled_from(TEXTS), min_size=5, max_size=5),
    st.dictionaries(st.sampled_from([*KEYS, "state.x.y", "new"]), st.one_of(st.none(), st.sampled_from(TEXTS))),
    st.sampled_from(["flink-conf.yaml", "config.yaml", "nested"]), st.sampled_from(["\n", "\r\n"]),
)  # fmt: skip
def test_the_file_then_holds_what_it_held_with_the_changes(
    keys: list[str], texts: list[str], wanted: dict[str, str | None], form: str, line_end: str
) -> None:
    lines = [f"{key}: {text}" for key, text in zip(keys, texts, strict=False)]
    if form == "nested":
        lines = [
            "\n".join(f"{'  ' * depth}{word}:" for depth, word in enumerate(key.split(".")))[:-1] + f": {text}"
            for key, text in zip(keys, texts, strict=False)
        ]
        roots = [key.partition(".")[0] for key in keys]
        assume(len(roots) == len(set(roots)))
    text = "".join(f"{line}\n" for line in ["# top", *lines, "# end"]).replace("\n", line_end)
    before = opened(text, "flink-conf.yaml" if form == "flink-conf.yaml" else "config.yaml")
    held = before.document.settings()
    wished = [
        Change(key, held.get(key), becomes) for key, becomes in wanted.items() if key in held or becomes is not None
    ]
    data = applied(before, wished)
    after = before.source.file_format.read("x", data)[0]
    assert after.settings() == {k: v for k, v in {**held, **wanted}.items() if v is not None}
    assert data.startswith(f"# top{line_end}".encode())
    assert f"# end{line_end}".encode() in data
    assert data.count(b"\n") == data.count(line_end.encode())


@pytest.mark.parametrize(("form", "version"), [("flink-conf.yaml", "1.17"), ("config.yaml", "2.3")])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_calculator_recommends_is_in_force_once_written(name: str, form: str, version: str) -> None:
    found = calculator(name)
    before = opened(
        "taskmanager.memory.flink.size: 1g\nexecution.checkpointing.interval: 1 s\nrest.port: 8081\n", form, version
    )
    asked = ask(found, read_texts(found, found.forward.example), release=before.release, opened=before)
    data = applied(before, asked.changes or [])
    after = opened(data.decode(), form, version)
    assert changes(asked.answer, after.configuration) == []
    assert after.configuration.value("rest.port") == 8081


# -- the patch


def patched(folder: Path, name: str, patch: str, *flags: str) -> bytes:
    done = subprocess.run(
        ["git", "apply", *flags, "-"], input=patch.encode("utf-8", "surrogateescape"), cwd=folder, check=True
    )
    assert done.returncode == 0
    return (folder / name).read_bytes()


CHANGES = [
    Change("execution.checkpointing.interval", "1min", "5 min"),
    Change("parallelism.default", "8", "16"),
    Change("rest.port", "8081", "8082"),
]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("ends", [True, False])
def test_git_takes_the_patch_and_no_secret_is_in_it(
    line_end: str, ends: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = CONFIG.replace("\n", line_end)
    (tmp_path / "config.yaml").write_bytes((text if ends else text.rstrip()).encode())
    monkeypatch.chdir(tmp_path)
    before = open_configuration("config.yaml", flink_version="1.20")
    new = applied(before, CHANGES)
    patch = diff(before, new)
    assert "hush" not in patch
    assert "# ours" not in patch  # what stands beyond the secret is not shown either
    assert "+    interval: 5 min" in patch
    assert patched(tmp_path, "config.yaml", patch) == new


def test_a_secret_between_two_changes_parts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a.x: 1\nb.x: 1\ns3.secret-key: hush-7f3a\nc.x: 1\nd.x: 1\n"
    (tmp_path / "flink-conf.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    before = open_configuration("flink-conf.yaml")
    new = applied(before, [Change("a.x", "1", "2"), Change("d.x", "1", "2")])
    patch = diff(before, new)
    assert patch.count("@@ -") == 2
    assert "hush" not in patch
    assert patched(tmp_path, "flink-conf.yaml", patch) == new


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "wished", "flag"),
    [
        ("x.y: 1\na.x: 1\ns3.secret-key: hush-7f3a\nz.z: 1\n", [Change("a.x", "1", "2")], True),
        ("x.y: 1\na.b: 1\ns3.secret-key: hush-7f3a\nz.z: 1\n", [Change("a.c", None, "2")], True),
        ("x.y: 1\na.x: 1\ns3.secret-key: hush-7f3a\nz.z: 1\n", [Change("a.x", "1", None)], True),
        ("s3.secret-key: hush-7f3a\na.x: 1\nz.z: 1\n", [Change("a.x", "1", "2")], False),
        ("s3.secret-key: hush-7f3a\na.x: 1\n", [Change("a.x", "1", "2")], False),
        ("a.x: 1\ns3.secret-key: hush-7f3a\nb.x: 1\n", [Change("a.x", "1", "2"), Change("b.x", "1", "2")], True),
        ("b.x: 1\ns3.secret-key: hush-7f3a", [Change("b.x", "1", "2")], True),
    ],
)
def test_a_change_right_beside_a_secret_says_how_git_takes_it(
    text: str, wished: list[Change], flag: bool, line_end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flink-conf.yaml").write_bytes(text.replace("\n", line_end).encode())
    monkeypatch.chdir(tmp_path)
    before = open_configuration("flink-conf.yaml")
    new = applied(before, wished)
    patch = diff(before, new)
    assert "hush" not in patch
    assert patch.startswith("# A line with a secret") == flag
    assert ("`git apply --unidiff-zero`" in patch) == flag
    assert patched(tmp_path, "flink-conf.yaml", patch, *(["--unidiff-zero"] if flag else [])) == new


def test_a_line_with_a_control_character_beside_a_change_is_not_shown() -> None:
    before = opened("# \x1b[31mred\na.x: 1\nz.z: 1\n", "flink-conf.yaml")
    patch = diff(before, applied(before, [Change("a.x", "1", "2")]))
    assert "red" not in patch
    assert patch.endswith("-a.x: 1\n+a.x: 2\n z.z: 1\n")


def test_no_change_makes_no_patch() -> None:
    before = opened(CONFIG)
    assert diff(before, before.source.data) == ""


def test_writing_keeps_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    path.chmod(0o640)
    before = open_configuration(str(path))
    write(before, applied(before, CHANGES[:1]))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert "interval: 5 min\n" in path.read_text()
    assert [entry.name for entry in tmp_path.iterdir()] == ["config.yaml"]


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    before = opened(CONFIG)
    with pytest.raises(ValueError, match=r"^/nowhere/config\.yaml: cannot write it: "):
        write(before, b"")
