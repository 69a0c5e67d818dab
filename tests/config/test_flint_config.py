"""The configuration of flint: where it is found, what it changes, and its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.config.flint_config import (
    FlintConfigError,
    FlintConfigFile,
    accepts,
    check_file,
    flint_config_for,
    located,
    own_identity,
    parse_flint_config,
    read_flint_config,
    schema,
)
from flink_flint.linter.filesystem.reading import LARGEST_SIDE_FILE
from tests.conftest import Flint

CONF = "blob.storage.directory: /tmp/blobs\n"


def read(path: Path, text: str) -> FlintConfigFile:
    path.write_text(text)
    found = read_flint_config(str(path))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("flint.toml", 'ignore = ["storage"]\n'),
        (".flint.toml", 'ignore = ["storage"]\n'),
        (".flint.yaml", "ignore: [storage]\n"),
        ("pyproject.toml", '[project]\nname = "x"\n[tool.flint]\nignore = ["storage"]\n'),
    ],
)
def test_each_kind_of_file_is_found_above_the_checked_file(name: str, text: str, flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").write_text(CONF)
    assert flint("check", ".").returncode == 1
    (tmp_path / name).write_text(text)
    assert flint("check", ".").returncode == 0
    assert flint("check", "conf/flink-conf.yaml").returncode == 0


def test_a_pyproject_without_flint_is_passed_over(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").write_text(CONF)
    (tmp_path / "conf" / "pyproject.toml").write_text('[project]\nname = "x"\n')
    (tmp_path / "flint.toml").write_text('ignore = ["FLK101"]\n')
    assert flint("check", "conf").returncode == 0


@pytest.mark.parametrize(
    "text",
    [
        "[ tool . 'flint' ]\nignore = ['storage']\n",
        "['tool'.flint]\nignore = ['storage']\n",
        "tool.flint.ignore = ['storage']\n",
        "[tool] # ours\nflint.ignore = ['storage']\n",
        "tool = { flint = { ignore = ['storage'] } }\n",
        '["\\u0074ool".flint]\nignore = ["storage"]\n',
        "[[tool.flint.overrides]]\npaths = ['*']\nignore = ['storage']\n",
    ],
)
def test_a_pyproject_is_read_however_its_table_is_written(text: str, tmp_path: Path) -> None:
    found = parse_flint_config(str(tmp_path / "pyproject.toml"), text.encode(), required=False)
    assert found is not None
    assert "storage" in str(found.values)


def test_a_pyproject_of_other_tools_is_not_parsed() -> None:
    assert (
        parse_flint_config("pyproject.toml", b"[tool.ruff]\n[project.scripts]\nflint = 'x:y'\n[", required=False)
        is None
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('ingore = ["FLK101"]\n', "unknown key 'ingore'; did you mean 'ignore'?"),
        ('ignore = "FLK101"\n', "ignore: 'FLK101' is not of type 'array'"),
        ('[severity]\nFLK101 = "fatal"\n', "severity.FLK101: 'fatal' is not one of ['error', 'warning', 'info']"),
        ("ignore = [\n", "not valid TOML"),
        ('[thresholds]\nleast = "1 s"\n', "thresholds.least: '1 s' is not of type 'object'"),
        ('[thresholds.nothing]\nleast = "1 s"\n', "no rule has the code, name or family 'nothing'"),
        ('[thresholds.checkpoints]\nleast = "1 s"\n', "thresholds.checkpoints: set thresholds for one rule"),
        (
            '[thresholds.FLK302]\nmost = "1 s"\n',
            "thresholds.FLK302.most: no such threshold; checkpoint-interval-too-small has",
        ),
        (
            "# ours\n\n[thresholds.FLK302]\nleast = 5\n",
            "flint.toml:4: thresholds.FLK302.least: 5 is not a duration such as '30 s'",
        ),
        ('[thresholds.FLK302]\nleast = "5 parsecs"\n', "thresholds.FLK302.least: "),
        ('ignore = ["no-such-rule"]\n', "flint.toml:1: no rule has the code, name or family 'no-such-rule'"),
        ('ignore = [\n  "FLK001",\n  "FLK002x",\n]\n', "flint.toml:1: no rule has the code, name or family 'FLK002x'"),
        (
            'platform = "emr"\n[[overrides]]\npaths = ["a"]\nprofil = "x"\n',
            "flint.toml:4: overrides[0]: unknown key 'profil'",
        ),
        ('ignore = ["blob-storage-in-tpm"]\n', "did you mean 'blob-storage-in-tmp'?"),
        ('flink-version = "latest"\n', "flint.toml:1: 'latest' is neither a Flink version"),
    ],
)
def test_an_error_is_reported_with_its_place_and_exit_status_2(
    text: str, says: str, flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / "flink-conf.yaml").write_text(CONF)
    (tmp_path / "flint.toml").write_text(text)
    result = flint("check", ".")
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


def test_overrides_by_path_add_to_the_configuration_for_all(tmp_path: Path) -> None:
    found = read(
        tmp_path / "flint.toml",
        'ignore = ["FLK101"]\nflink-version = "1.20"\n[severity]\nstorage = "error"\n'
        '[[overrides]]\npaths = ["dev/**"]\nignore = ["FLK044"]\nprofile = "development"\n'
        'severity = {FLK101 = "info"}\n',
    )
    everywhere = found.for_path(str(tmp_path / "prod" / "flink-conf.yaml"))
    assert (everywhere.ignore, everywhere.profile, everywhere.flink_version) == (("FLK101",), None, "1.20")
    dev = found.for_path(str(tmp_path / "dev" / "flink-conf.yaml"))
    assert (dev.ignore, dev.profile, dev.flink_version) == (("FLK101", "FLK044"), "development", "1.20")
    assert dict(dev.severity) == {"storage": "error", "FLK101": "info"}


def test_severities_can_be_levelled_by_rule_and_family(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(CONF)
    (tmp_path / "flint.toml").write_text('[severity]\nstorage = "error"\n')
    (finding,) = json.loads(flint("check", ".", "--output-format", "json").stdout)["findings"]
    assert finding["severity"] == "error"
    (tmp_path / "flint.toml").write_text('[severity]\nstorage = "error"\nblob-storage-in-tmp = "info"\n')
    (finding,) = json.loads(flint("check", ".", "--output-format", "json").stdout)["findings"]
    assert finding["severity"] == "info"


def test_a_named_configuration_applies_to_all_paths_and_must_exist(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(CONF)
    (tmp_path / "other.toml").write_text('ignore = ["ALL"]\n')
    assert flint("check", ".", "--flint-config", "other.toml").returncode == 0
    missing = flint("check", ".", "--flint-config", "missing.toml")
    assert missing.returncode == 2
    assert "missing.toml: no such file" in missing.stderr


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["1.20", "error", "low", "FLK101", "full", "yarn"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*schema()["properties"], "paths", "FLK101", "other"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_the_quick_check_agrees_with_jsonschema(value: Any) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    assert accepts(schema(), value) == validator.is_valid(value)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_an_unreadable_flint_toml_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FlintConfigError, match="not valid YAML"):
        read(tmp_path / ".flint.yaml", "ignore: [\n")


SHORT = "execution.checkpointing.interval: 2 s\n"


@pytest.mark.parametrize(
    ("thresholds", "speaks"),
    [
        ("", False),
        ('[thresholds.checkpoint-interval-too-small]\nleast = "3 s"\n', True),
        ('[thresholds.FLK302]\nleast = "2 s"\n', False),
        ('[[overrides]]\npaths = ["other/"]\nthresholds.FLK302.least = "3 s"\n', False),
        (
            '[thresholds.FLK302]\nleast = "1 s"\n[[overrides]]\npaths = ["conf/"]\nthresholds.FLK302.least = "3 s"\n',
            True,
        ),
    ],
)
def test_thresholds_of_a_rule_are_for_users_to_set(thresholds: str, speaks: bool, flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text(SHORT)
    (tmp_path / "flint.toml").write_text(thresholds)
    found = flint("check", "conf", "--select", "FLK302", "--output-format", "concise")
    assert ("FLK302" in found.stdout) is speaks
    assert found.returncode == int(speaks)


@pytest.mark.parametrize(
    ("chosen", "speaks"),
    [
        ((), False), (("--extend-select", "network"), False), (("--select", "network"), False),
        (("--select", "FLK507"), True), (("--extend-select", "pedantic"), True), (("--select", "ALL"), True),
        (("--extend-select", "debloating-at-high-parallelism"), True),
        (("--extend-select", "pedantic", "--ignore", "network"), False),
    ],
)  # fmt: skip
def test_pedantic_rules_run_only_if_selected(
    chosen: tuple[str, ...], speaks: bool, flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / "flink-conf.yaml").write_text(
        "taskmanager.network.memory.buffer-debloat.enabled: true\nparallelism.default: 400\n"
    )
    found = flint("check", ".", "--flink-version", "1.18", "--output-format", "concise", *chosen)
    assert ("FLK507" in found.stdout) is speaks


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("flint.toml", 'select = ["A"]\nselct = ["B"]\n', ":2: unknown key 'selct'; did you mean 'select'?"),
        ("flint.toml", '[[overrides]]\npaths = ["a"]\nselct = []\n',
         ":3: overrides[0]: unknown key 'selct'; did you mean 'select'?"),
        ("flint.toml", "select = [\n  1,\n]\n", ":1: select[0]: 1 is not of type 'string'; put it in quotes"),
        ("flint.toml", "\nflink-version = 1.2\n", ":2: flink-version: 1.2 is not of type 'string'; put it in quotes"),
        ("flint.toml", "select = [[]]\n", ":1: select[0]: [] is not of type 'string'"),
        ("flint.toml", 'force-exclude = "yes"\n', ":1: force-exclude: 'yes' is not of type 'boolean'"),
        ("flint.toml", "select = \n", ": not valid TOML: Invalid value (at line 1, column 10)"),
        ("flint.toml", b"select = ['\xff']\n", ": not valid TOML: 'utf-8' codec can't decode byte 0xff"),
        (".flint.yaml", "flink-version:\n- 1\n", ":1: flink-version: [1] is not of type 'string'"),
        (".flint.yaml", "select: [", ": not valid YAML: while parsing a flow node"),
        ("pyproject.toml", "[tool.flint]\nselct = []\n", ":2: unknown key 'selct'; did you mean 'select'?"),
        ("pyproject.toml", "[tool.flint\n", ": not valid TOML: "),
    ],
)  # fmt: skip
def test_what_is_invalid_is_named_with_its_line(name: str, text: str | bytes, message: str) -> None:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(FlintConfigError) as raised:
        parse_flint_config(name, data)
    assert str(raised.value).startswith(f"{name}{message}")


def test_an_unknown_key_without_a_near_one_lists_all() -> None:
    with pytest.raises(FlintConfigError, match=r"^a/flint.toml:1: unknown key 'xyzzy' \(baseline, .*, select, .*\)$"):
        parse_flint_config("a/flint.toml", b"xyzzy = 1\n")


def test_how_much_of_a_file_is_read() -> None:
    most = b"#" * (LARGEST_SIDE_FILE - 1) + b"\n"
    assert parse_flint_config("flint.toml", most) == FlintConfigFile("flint.toml", {})
    with pytest.raises(FlintConfigError, match=r"^flint.toml: more than \d+ MiB: too large$"):
        parse_flint_config("flint.toml", most + b"\n")
    with pytest.raises(FlintConfigError, match="too large"):
        parse_flint_config("pyproject.toml", most + b"\n")
    assert parse_flint_config("pyproject.toml", most + b"\n", required=False) is None
    with pytest.raises(FlintConfigError, match="too large"):
        parse_flint_config("flint.toml", most + b"\n", required=False)


def test_a_pyproject_counts_if_it_has_the_table_or_is_named() -> None:
    nothing = FlintConfigFile("pyproject.toml", {})
    assert parse_flint_config("pyproject.toml", b"[tool.flint]\n", required=False) == nothing
    for data in (b"[tool.ruff]\n", b"[project]\n", b"# [tool.flint]\n"):
        assert parse_flint_config("pyproject.toml", data, required=False) is None
        assert parse_flint_config("pyproject.toml", data) == nothing


def test_a_file_of_another_revision_counts_where_it_is() -> None:
    files = {"/a/flint.toml": b'select = ["A"]\n', "/a/b/pyproject.toml": b"[project]\n", "/a/b/c/.flint.yaml": b"{}\n"}
    found = {folder: flint_config_for(f"{folder}/conf.yaml", files.get) for folder in ("/a", "/a/b", "/a/b/c", "/d")}
    assert {folder: one.path for folder, one in found.items()} == {
        "/a": "/a/flint.toml", "/a/b": "/a/flint.toml", "/a/b/c": "/a/b/c/.flint.yaml", "/d": None,
    }  # fmt: skip


def test_a_file_that_a_link_leads_to_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside.toml").write_text("")
    for name, target in (("in", "inside.toml"), ("out", "../../outside.toml")):
        folder = tmp_path / "repo" / name
        folder.mkdir(parents=True)
        (tmp_path / "repo" / ".git").mkdir(exist_ok=True)
        (folder / "inside.toml").write_text("")
        (folder / "flint.toml").symlink_to(target)
    assert flint_config_for(str(tmp_path / "repo" / "in")).path == str(tmp_path / "repo" / "in" / "flint.toml")
    with pytest.raises(FlintConfigError, match="a link that leads out of the repository; name the file itself"):
        flint_config_for(str(tmp_path / "repo" / "out"))


def test_the_search_ends_at_the_top_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "flint.toml").write_text("")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "a").mkdir()
    (tmp_path / "plain").mkdir()
    assert flint_config_for(str(tmp_path / "repo" / "a")).path is None
    assert flint_config_for(str(tmp_path / "plain" / "conf.yaml")).path == str(tmp_path / "flint.toml")


def test_overrides_are_merged_by_kind(tmp_path: Path) -> None:
    text = """select = ["A"]
ignore = ["I"]
extend-select = ["E"]
[severity]
a = "info"
b = "info"
[thresholds.r]
fewest = 1
most = 2
[[overrides]]
paths = ["x/"]
select = ["B"]
ignore = ["J"]
extend-select = ["F"]
platform = "yarn"
severity = {b = "error"}
thresholds = {r = {fewest = 5}, s = {most = 7}}
"""
    found = parse_flint_config(str(tmp_path / "flint.toml"), text.encode())
    assert found is not None
    plain, other = found.for_path(str(tmp_path / "a.yaml")), found.for_path(str(tmp_path / "x" / "a.yaml"))
    assert (plain.select, plain.ignore, plain.extend_select, plain.platform) == (("A",), ("I",), ("E",), None)
    assert (dict(plain.severity), plain.thresholds) == ({"a": "info", "b": "info"}, {"r": {"fewest": 1, "most": 2}})
    assert (other.select, other.ignore, other.extend_select) == (("B",), ("I", "J"), ("E", "F"))
    assert (other.platform, dict(other.severity)) == ("yarn", {"a": "info", "b": "error"})
    assert other.thresholds == {"r": {"fewest": 5, "most": 2}, "s": {"most": 7}}


def test_a_rule_of_ones_own_has_an_identity_of_its_contents() -> None:
    one, same, other = ({"code": "ACME1", "option": name} for name in ("a", "a", "b"))
    assert own_identity(one) == own_identity(same) != own_identity(other)
    assert own_identity(one).startswith("ACME1@")


@pytest.mark.parametrize("error", [ValueError("wrong"), FlintConfigError("wrong")])
def test_an_error_about_the_whole_file_has_no_line(error: ValueError) -> None:
    assert str(located("flint.toml", error, b"select = []\n")) == "flint.toml: wrong"


def test_a_list_that_names_a_table_is_not_the_table() -> None:
    with pytest.raises(FlintConfigError, match=r"^flint.toml:3: overrides\[0\]: unknown key 'x'"):
        parse_flint_config("flint.toml", b"select = ['overrides', 'x']\n[[overrides]]\nx = 1\npaths = []\n")


RULE = """code = "ACME1"
severity = "error"
message = "m"
option = "parallelism.default"
"""


def test_a_file_of_one_rule_is_checked_against_the_schema_of_a_rule() -> None:
    assert check_file("r.toml", f"{RULE}at-least = 4\n".encode())["at-least"] == 4
    with pytest.raises(FlintConfigError, match=r"^r.toml:5: unknown key 'atleast'; did you mean 'at-least'\?$"):
        check_file("r.toml", f"{RULE}atleast = 4\n".encode(), "rule")
    with pytest.raises(FlintConfigError, match=r"^r.toml: 'code' is a required property$"):
        check_file("r.toml", RULE.replace('code = "ACME1"\n', "").encode())
