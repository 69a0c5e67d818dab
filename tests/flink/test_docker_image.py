"""What the image's entrypoint does to FLINK_PROPERTIES; the vectors were taken from the real scripts and programs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from flink_flint.linter.flink.deployment.docker_image import (
    Collision,
    collisions,
    expands,
    read_properties,
    stock_settings,
    stripped,
    substituted,
)
from flink_flint.linter.flink.file_loading import read_config_yaml, read_flink_conf
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, MINORS
from tests.live.distribution import flink_home

_NEW = MINORS.index("1.20")
_OLD = MINORS.index("1.18")


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("taskmanager.numberOfTaskSlots: 4  # trailing", "taskmanager.numberOfTaskSlots", "4#trailing"),
        ("state.checkpoints.dir: file:///tmp/x y", "state.checkpoints.dir", "file:///tmp/xy"),
        ("env.java.opts.all: -XX:+UseG1GC -Dfoo=bar", "env.java.opts.all", "-XX:+UseG1GC-Dfoo=bar"),
        ("metrics.x.filter: *:a:*", "metrics.x.filter", "*:a:*"),
        ("trail: a:b:", "trail", "a:b:"),
        ("trail2: a:", "trail2", "a"),
        ("trail3: a::", "trail3", "a::"),
        ("a: :", "a", ""),
        ("-n: y", "-n", "y"),
        ("opt: -n", "opt", ""),
        ("opt: -neE", "opt", ""),
        ("opt: -nx", "opt", "-nx"),
        ("opt: --", "opt", "--"),
        ('quoted: "x"', "quoted", '"x"'),
        ("list: a; b", "list", "a;b"),
        (r"back: a\nb\\c", "back", r"a\nb\\c"),
        ("no-space:value", "no-space", "value"),
        ("  indented: \t 10 s \t", "indented", "10s"),
        ("url: http://host:80/x", "url", "http://host:80/x"),
    ],
)
def test_from_1_19_on_a_line_is_split_at_its_first_colon_without_white_space(line: str, key: str, value: str) -> None:
    for index in range(FIRST_CONFIG_YAML, len(MINORS)):
        content = read_properties(line, index, {}).content
        assert [(entry.key, entry.text) for entry in content.entries] == [(key, value)]


def test_places_are_those_of_the_value_as_written() -> None:
    text = "a: 1\n\n  rest.port :  8081 2 \r\nb: é\n"
    for index in (_OLD, _NEW, None):
        entries = read_properties(text, index, {}).content.entries
        cut = {entry.key: (text[slice(*entry.key_span)], text[slice(*entry.value_span)]) for entry in entries}
        assert cut["a"] == ("a", "1")
        assert cut["b"] == ("b", "é")
        if index is not _OLD:
            assert cut["rest.port"] == ("rest.port", "8081 2")


def test_up_to_1_18_lines_are_read_like_the_file() -> None:
    content = read_properties("a: 1 # one\nb:2\n# c: 3\nenv.java.opts: -Da=b -Dc=d\n", _OLD, {}).content
    assert content.settings() == {"a": "1", "env.java.opts": "-Da=b -Dc=d"}
    assert [skipped.reason for skipped in content.skipped] == ["missing-space"]


def test_an_unknown_release_applies_only_what_all_releases_do() -> None:
    content = read_properties("a: 1  # one\n# c: 3\nenv.java.opts: -Da=b -Dc=d\nrest.port=8081\n", None, {}).content
    assert content.settings() == {"a": "1", "env.java.opts": "-Da=b -Dc=d"}
    assert [skipped.reason for skipped in content.skipped] == ["equals"]


def test_in_a_flat_file_a_comment_is_dropped_after_white_space_is_removed() -> None:
    content = read_properties("a: 1 2  # one\n# c: 3\n", _NEW, {}, is_flat=True).content
    assert content.settings() == {"a": "12"}


@pytest.mark.parametrize("index", [_OLD, _NEW])
def test_envsubst_fills_in_what_is_defined(index: int) -> None:
    known = {"B": "x", "UNKNOWN": None}
    text = "a: $B\nb: ${B}/y\nc: ${B:-d}\nd: ${ B }\ne: $$B\nf: $1\ng: $UNKNOWN\nh: $UNSET-${UNSET}\n"
    content = read_properties(text, index, known)
    settings = content.content.settings()
    assert {key: settings[key] for key in "abef"} == {"a": "x", "b": "x/y", "e": "$x", "f": "$1"}
    assert settings["c"] == "${B:-d}", "envsubst has no defaults"
    assert settings["g"] == "$UNKNOWN", "a value nobody knows stays a variable"
    undefined = {line.key: [name for name, _ in line.undefined] for line in content.lines if line.undefined}
    assert undefined == {"h": ["UNSET", "UNSET"]}


def test_what_the_image_and_kubernetes_set_is_never_called_undefined() -> None:
    lines = read_properties("a: $HOSTNAME-$FLINK_HOME-$KUBERNETES_SERVICE_HOST-$JM_SERVICE_PORT", _NEW, {}).lines
    assert lines[0].undefined == ()
    assert read_properties("a: $ANY", _NEW, None).lines[0].undefined == ()


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("# a\na: b # c", ["comment", "setting"]),
        ("taskmanager:\n  memory.process.size: 2g\n  # deep\n  x:\n    y: 1\nrest.port: 1",
         ["nested", "nested", "comment", "nested", "nested", "setting"]),
        ("a=b\nc = d", ["equals", "equals"]),
        ("-Da=b", ["dynamic"]),
        ("- a\n-\n-x: 1", ["list-item", "list-item", "setting"]),
        ("just words", ["bare"]),
        ("env.java.opts.all: -Da=b", ["setting"]),
        ("a:\nb: 1", ["setting", "setting"]),
        ("  a: 1\n    b: 2", ["setting", "setting"]),
        ("", []),
    ],
)  # fmt: skip
def test_lines_are_classified(text: str, kinds: list[str]) -> None:
    assert [line.kind for line in read_properties(text, _NEW, {}).lines] == kinds


@pytest.mark.parametrize(
    "value", ["*", "l*b", "con?", "[lb]*", "conf/*.yaml", "/opt/flink/lib/*.jar", "LICENS[EX]", "[$l]ib"]
)
def test_a_pattern_of_names_in_the_folder_of_flink_is_expanded(value: str) -> None:
    assert expands(value)


@pytest.mark.parametrize("value", ["*.jar", ".*", "[ab]", "*:a:*", "org.apache.*", "'*'", "{b,c}", "~", "a", "$X*"])
def test_other_patterns_stay_as_they_are(value: str) -> None:
    assert not expands(value)


def test_keys_that_begin_others_are_found_also_in_the_shipped_file() -> None:
    assert collisions(["state.backend", "state.backend.incremental", "state.backends"]) == [
        Collision("state.backend", "state.backend.incremental", False)
    ]
    assert collisions(["env.java.opts"]) == [Collision("env.java.opts", "env.java.opts.all", True)]
    assert collisions(["rest.address.more"]) == [Collision("rest.address", "rest.address.more", True)]
    assert collisions(["rest.port", "jobmanager.rpc.address"]) == []


def test_many_long_keys_are_compared_at_once() -> None:
    keys = [f"{'a.' * 20}{number}" for number in range(5_000)]
    assert collisions(keys) == []


def test_shipped_memory_settings_begin_with_the_releases_that_have_them() -> None:
    assert stock_settings(0) == {}
    assert stock_settings(1) == {"taskmanager.memory.process.size": "1728m"}
    assert stock_settings(_NEW)["jobmanager.memory.process.size"] == "1600m"


def test_all_kinds_of_blanks_are_removed() -> None:
    assert stripped(" a\tb \r c ") == "abc"
    assert substituted("a$b", None) == "a$b"


def _written(folder: Path, properties: str) -> dict[str, str] | None:
    """What Flink's own program makes of the shipped config.yaml and these properties; None where it gives up."""
    home = flink_home()
    conf = folder / "conf"
    shutil.copytree(home / "conf", conf)
    entries = read_properties(properties, _NEW, {}).content.entries
    command = [home / "bin" / "config-parser-utils.sh", conf, home / "bin", home / "lib"]
    done = subprocess.run([*command, *(f"-D{e.key}={e.text}" for e in entries)], capture_output=True, check=False)
    assert (done.returncode == 0) == (b"ERROR" not in done.stdout + done.stderr)
    return read_config_yaml((conf / "config.yaml").read_text()).settings() if done.returncode == 0 else None


@pytest.mark.live
@pytest.mark.parametrize(
    ("properties", "kept"),
    [
        ("state.backend.type: rocksdb\nstate.backend.incremental: true\nrest.port: 8082", True),
        ("state.backend: rocksdb\nstate.backend.incremental: true\nrest.port: 8082", False),
        ("high-availability: zookeeper\nhigh-availability.storageDir: s3://b/ha", False),
        ("high-availability.type: zookeeper\nhigh-availability.storageDir: s3://b/ha", True),
        ("rest.port: 8082\nenv.java.opts: -Xss1m", False),
        ("taskmanager:\nrest.port: 8082", False),
    ],
)
def test_flinks_program_loses_settings_exactly_where_keys_collide(tmp_path: Path, properties: str, kept: bool) -> None:
    expected = read_properties(properties, _NEW, {}).content.settings()
    assert (collisions(expected) == []) == kept
    written = _written(tmp_path, properties)
    assert (written is not None and expected.items() <= written.items()) == kept


@pytest.mark.live
def test_flinks_program_writes_to_an_existing_flink_conf_whose_reader_drops_comments(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("parallelism.default: 2\nstate.backend.incremental: true\n")
    home = flink_home()
    lines = ("rest.port=8082#theport", "#old=value", "state.backend=rocksdb")
    command = [home / "bin" / "config-parser-utils.sh", tmp_path, home / "bin", home / "lib"]
    subprocess.run([*command, *(f"-D{line}" for line in lines)], capture_output=True, check=True)
    assert not (tmp_path / "config.yaml").exists()
    properties = "rest.port: 8082  # the port\n# old: value\nstate.backend: rocksdb\n"
    given = read_properties(properties, _NEW, {}, is_flat=True).content.settings()
    assert read_flink_conf((tmp_path / "flink-conf.yaml").read_text()).settings() == {
        "parallelism.default": "2", "state.backend.incremental": "true", **given,
    }  # fmt: skip


@pytest.mark.live
def test_flinks_program_writes_texts_that_are_read_as_texts(tmp_path: Path) -> None:
    properties = 'a.b: 010\nc: "x"\nlist: a;b\ntrue.ish: yes\n'
    written = _written(tmp_path, properties)
    assert written is not None
    assert read_properties(properties, _NEW, {}).content.settings().items() <= written.items()
