"""`flint migrate` preserves settings, comments and order."""

from __future__ import annotations

import base64
import json
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from flink_flint.linter.flink import config_yaml_writing as writing
from flink_flint.linter.flink.file_loading import FLINK_CONF, decode, encode, read_config_yaml, read_flink_conf
from flink_flint.linter.flink.java_text import JAVA_BLANKS
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, LAST_FLINK_CONF, MINORS, NEWEST
from flink_flint.linter.migrate.conversion import migrate
from flink_flint.linter.migrate.option_names import Names
from tests.conftest import Flint
from tests.legacy_texts import texts

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "migrate"
TYPICAL = FIXTURES / "typical" / FLINK_CONF

ROWS = [json.loads(line) for line in (FIXTURES / "flink_conf.jsonl").read_text("utf-8").splitlines()]


def flat(text: str) -> str:
    return migrate(text, is_nested=False).text


def nested(text: str) -> str:
    return migrate(text).text


# Same settings


@pytest.mark.parametrize("is_nested", [True, False], ids=["nested", "flat"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["category"])
def test_what_flink_read_is_what_it_will_read(row: dict[str, Any], is_nested: bool) -> None:
    text, _ = decode(base64.b64decode(row["b64"]), kind=FLINK_CONF)
    result = read_config_yaml(migrate(text, is_nested=is_nested).text)
    assert (result.refusals, result.settings()) == ([], row["map"])


def comments_of(text: str) -> list[str]:
    """Return the comments that the new file must have: existing ones, and lines without effect."""
    content = read_flink_conf(text)
    winners = {entry.key_span.start for entry in content.entries if not entry.overridden}
    comments = []
    at = 0
    for line in re.split("(\r\n|\r|\n)", text):
        start, at = at, at + len(line)
        settings = [place for place in winners if start <= place < at]
        said = line.strip(JAVA_BLANKS)
        if said.strip("\ufeff") and not settings and not said.lstrip("\ufeff").startswith("#"):
            comments.append(f"# {said}")
        elif "#" in line:
            comments.append(line[line.index("#") :].rstrip(JAVA_BLANKS))
    return [writing.comment(comment) for comment in comments]


@given(texts)
def test_any_text_keeps_its_map_its_order_and_its_comments(text: str) -> None:
    old = read_flink_conf(text)
    for is_nested in (True, False):
        written = migrate(text, is_nested=is_nested).text
        assert encode(written).decode() == written
        new = read_config_yaml(written)
        assert not new.refusals
        assert new.settings() == old.settings()
        assert [entry.key for entry in new.entries] == [entry.key for entry in old.entries if not entry.overridden]
        lines = iter(re.split("\r?\n", written))
        for comment in comments_of(text):
            assert any(line.endswith(comment) for line in lines), comment


# Layout


@pytest.mark.parametrize("form", ["nested", "flat"])
def test_a_typical_file(form: str, golden: Callable[[str, str], None]) -> None:
    golden(f"migrate-{form}.yaml", migrate(TYPICAL.read_text("utf-8"), is_nested=form == "nested").text)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *(
            (plain, plain)
            for plain in ("4", "-5", "0.4", "1.0E7", "true", "false", "x y", "a:b", "10 min", "9249-9260")
        ),
        *((plain, plain) for plain in ("-XX:+UseG1GC -Da=b", "s3://b/p?q", "it's", 'say "x"', "Müller", "127.0.0.1")),
        *(
            (odd, f"'{odd}'")
            for odd in ("010", "0x10", "1_000", "1e3", "1.20", ".5", "+5", "-0", "12:30", "2020-01-01")
        ),
        *((odd, f"'{odd}'") for odd in ("True", "yes", "No", "on", "y", "null", "~", ".nan", "=", "<<", "-", "a  b")),
        *((odd, f"'{odd}'") for odd in ("- x", "x:", "a: b", "{a: b}", "[a]", "&a", "*a", "!a", "|", ">", "%a", "@a")),
        *((odd, f"'{odd}'") for odd in ('"x"', "${ENV}", "x-${ENV}", "{{ x }}", "? x", "a\\ # b", "")),
        ("'x'", "\"'x'\""),
        ("'x' \"y\"", "'''x'' \"y\"'"),
        ("a\tb", '"a\\tb"'),
        ('\x07"\\\x85', '"\\x07\\"\\\\\\N"'),
        ("\u2028\ufeff", '"\\u2028\\ufeff"'),
    ],
)
def test_scalars_are_quoted_where_yaml_would_take_them_otherwise(value: str, written: str) -> None:
    assert writing.scalar(value) == written
    (entry,) = read_config_yaml(f"k: {written}\n").entries
    assert entry.text == value


@pytest.mark.parametrize(
    ("key", "written"),
    [
        *((plain, plain) for plain in ("a", "a.b-c", "s3.access-key", "fs.s3a.x_y")),
        *((odd, f"'{odd}'") for odd in ("1", "1.2", "true", "Null", "yes", "a b", "a.", ".a", "a:b", "")),
    ],
)
def test_keys_are_quoted_where_they_would_be_no_strings(key: str, written: str) -> None:
    assert writing.key(key) == written


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("\n\n", "\n\n"),
        ("a.b: 1", "a:\n  b: 1\n"),
        ("a.b.c: 1\na.b.d: 2\na.e: 3\nf: 4\n", "a:\n  b:\n    c: 1\n    d: 2\n  e: 3\nf: 4\n"),
        # A name that is a setting does not become a mapping.
        ("a: 1\na.b: 2\n", "a: 1\na.b: 2\n"),
        ("a: 1\na.b.c: 2\na.b.d: 3\n", "a: 1\na.b:\n  c: 2\n  d: 3\n"),
        ("a.b.c: 1\na.b: 2\n", "a:\n  b.c: 1\n  b: 2\n"),
        # Nor does one that was closed above; its keys continue with dots, or below a longer name if there are several.
        ("a.b: 1\nc: 2\na.d: 3\n", "a:\n  b: 1\nc: 2\na.d: 3\n"),
        ("a.b: 1\nc: 2\na.d.e: 3\na.d.f: 4\n", "a:\n  b: 1\nc: 2\na.d:\n  e: 3\n  f: 4\n"),
        # Comments directly above a setting move with it, others stay outside.
        ("a: 1\n# a\n\n# b\nb.c: 1\n", "a: 1\n# a\n\nb:\n  # b\n  c: 1\n"),
        ("# a\n\n# b\na.b: 1\n", "# a\n\n# b\na:\n  b: 1\n"),
        ("a.b: 1\n# b\na.c: 2\n", "a:\n  b: 1\n  # b\n  c: 2\n"),
        ("a.b: 1 # b\na.c: 2# c\n", "a:\n  b: 1 # b\n  c: 2 # c\n"),
        # A commented-out setting keeps its full key at the margin.
        ("a.b: 1\n# a.c: 2\na.d: 3\n", "a:\n  b: 1\n# a.c: 2\na.d: 3\n"),
        ("a.b: 1\n# restart-strategy: none\na.d: 3\n", "a:\n  b: 1\n# restart-strategy: none\na.d: 3\n"),
        ("a.b: 1\n# Note: this\na.d: 3\n", "a:\n  b: 1\n  # Note: this\n  d: 3\n"),
        ("a..b: 1\na.b: 2\na.c.: 3\n", "'a..b': 1\na:\n  b: 2\n'a.c.': 3\n"),
        ("1.x: z\n", "'1':\n  x: z\n"),
    ],
)
def test_nesting_moves_nothing(old: str, new: str) -> None:
    assert nested(old) == new


def test_a_very_long_key_is_written_in_full() -> None:
    key = "x" * 1100
    assert flat(f"{key}: 1\n") == f"? {key}\n: 1\n"
    assert nested(f"a.{key}.b: 1\n") == f"a:\n  ? {key}\n  :\n    b: 1\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a: 1\r\nb: 2\r\n", "a: 1\r\nb: 2\r\n"),
        ("a: 1\rb: 2", "a: 1\nb: 2\n"),
        ("a: 1   # x\nb: 2\t# y\n", "a: 1   # x\nb: 2 # y\n"),
        ("\ufeff# x\na: 1\n", "# x\na: 1\n"),
        ("\ufeffa: 1\n", '"\\ufeffa": 1\n'),
        ("# \x07 \udce9 \u2028\n", "# \ufffd \ufffd \ufffd\n"),
        ("a: 1\na: 2\n", "# a: 1\na: 2\n"),
        ("a:b # c\nx\n", "# a:b # c\n# x\n"),
        ("a: x\udce9\n", "a: x\ufffd\n"),
    ],
)
def test_lines(old: str, new: str) -> None:
    assert flat(old) == new


# Messages


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a: 1\nb:secret\n", 2, "no space after its colon"),
        ("a = secret\n", 1, "it has ="),
        ("a: secret\nb: 1\na: 2\n", 1, "set again in line 3"),
        ("a: sec#ret\n", 1, "ends the value of a at the #"),
        ('a: "secret"\n', 1, "quotes are part of the value of a"),
        ("\ufeffa: secret\n", 1, "byte order mark"),
        ("a: secret\udce9\n", 1, "not UTF-8"),
        ("a: {{ secret }}\n", 1, "this value contains a template tag"),
        ("{% if secret %}\n", 1, "template tag outside of a value"),
        ("classloader.parent-first-patterns.additional: [secret, b]\n", 1, "will be parsed differently"),
    ],
)
def test_notes_name_the_line_and_no_value(text: str, line: int, says: str) -> None:
    notes = migrate(text).notes
    assert any(note.line == line and says in note.message for note in notes)
    assert "secret" not in repr(notes)


@pytest.mark.parametrize(
    "text",
    [
        "# {{ x }}\na: 1 # b\n\nclassloader.parent-first-patterns.additional: a;b\n",
        "a: 'tis\nb: '\nc: \"x'\n",
        "a: \ufffd\n",
    ],
    ids=["typical", "quotes that are no pair", "replacement character"],
)
def test_a_sound_file_gives_no_notes(text: str) -> None:
    assert migrate(text).notes == []


def test_a_template_is_refused_where_its_lines_are_not_known() -> None:
    with pytest.raises(ValueError, match="line 2: there is a template tag outside of a value"):
        migrate("a: {{ x }}\n{% if y %}\n", is_template=True)


def test_a_file_too_long_for_flink_is_refused() -> None:
    with pytest.raises(ValueError, match="Flink would refuse it"):
        migrate("".join(f"key{number}: {'x' * 1000}\n" for number in range(3200)))
    with pytest.raises(ValueError, match="nothing beyond"):
        migrate("a: 1\n" * 1_000_000)


def test_settings_that_flink_would_read_otherwise_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "scalar", lambda text: text)
    with pytest.raises(ValueError, match=r"^b, c cannot be written so that Flink reads it back"):
        migrate("a: x\nb: 0x10\nc: 010 # y\nd: 2\n")


# Names


@pytest.mark.parametrize(
    ("text", "to", "new"),
    [
        ("state.backend: rocksdb\n", "2.3", "state.backend.type: rocksdb\n"),
        ("high-availability: zookeeper\n", "1.19", "high-availability.type: zookeeper\n"),
        ("akka.framesize: 20m\n", "2.3", "pekko.framesize: 20m\n"),
        ("state.checkpoints.dir: s3://a\n", "1.20", "execution.checkpointing.dir: s3://a\n"),
        ("state.checkpoints.dir: s3://a\n", "1.19", "state.checkpoints.dir: s3://a\n"),
        # Both are set, or two old names: precedence must not change.
        ("state.backend: a\nstate.backend.type: b\n", "2.3", "state.backend: a\nstate.backend.type: b\n"),
        ("recovery.mode: a\nhigh-availability: b\n", "2.3", "recovery.mode: a\nhigh-availability: b\n"),
        ("taskmanager.tmp.dirs: a\njobmanager.web.tmpdir: b\n", "2.3", "io.tmp.dirs: a\nweb.tmpdir: b\n"),
        # Another option falls back to the new name only.
        ("akka.ask.timeout: 20 s\n", "2.3", "akka.ask.timeout: 20 s\n"),
        # The release knows only the name that Flink had before or has since.
        ("execution.checkpointing.dir: s3://a\n", "1.19", "state.checkpoints.dir: s3://a\n"),
        (
            "recovery.zookeeper.path.jobgraphs: /a\n",
            "2.0",
            "high-availability.zookeeper.path.execution-plans: /a\n",
        ),
        # A value that is invalid under either name.
        ("akka.ask.callstack: perhaps\n", "2.3", "pekko.ask.callstack: perhaps\n"),
        # The release has no other name, or a deprecated one, or one of another type.
        (
            "jobmanager.heap.size: 1g\nno.option.of.flink: x\n",
            "2.3",
            "jobmanager.heap.size: 1g\nno.option.of.flink: x\n",
        ),
        ("jobmanager.web.ssl.enabled: true\n", "2.3", "jobmanager.web.ssl.enabled: true\n"),
        ("jobmanager.web.ssl.enabled: true\n", "1.19", "jobmanager.web.ssl.enabled: true\n"),
        ("akka.tcp.timeout: 20 s\n", "1.19", "akka.tcp.timeout: 20 s\n"),
    ],
)
def test_rename_writes_the_names_of_a_release_where_they_mean_the_same(text: str, to: str, new: str) -> None:
    assert migrate(text, is_nested=False, to=MINORS.index(to), rename=True).text == new


def test_rename_says_what_it_did_and_what_not() -> None:
    notes = migrate("state.backend: x\njobmanager.heap.size: 1g\nakka.ask.timeout: 9 s\n", rename=True).notes
    assert [(note.line, note.kind) for note in notes] == [(1, "info"), (2, "warning"), (3, "info")]
    assert "state.backend.type" in notes[0].message
    assert "does not read jobmanager.heap.size" in notes[1].message
    assert "akka.ask.timeout is kept" in notes[2].message
    assert migrate("state.backend.type: x\nown.key: y\n", rename=True).notes == []


def test_a_new_name_takes_every_constant_of_the_old_one() -> None:
    options = catalogue()
    compared = 0
    for to in range(FIRST_CONFIG_YAML, NEWEST + 1):
        for option in options.keys(LAST_FLINK_CONF):
            for key in (option.key, *option.lookup_order) if option.enum else ():
                name = Names({key: option.enum[0]}, to).renamed.get(key, key)
                after = options.option(name, to)
                if name != key and after is not None:
                    assert {*option.enum} <= {*after.enum}, (key, name)
                    compared += 1
    assert compared > 10


# The command


def test_standard_output_and_notes(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / FLINK_CONF).write_text("a.b: 1\nc:2\n")
    done = flint("migrate", FLINK_CONF)
    assert (done.returncode, done.stdout) == (0, "a:\n  b: 1\n# c:2\n")
    assert done.stderr.startswith("warning: flink-conf.yaml:2: Flink skips this line")
    assert flint("migrate", "--flat", ".").stdout == "a.b: 1\n# c:2\n"
    done = flint("migrate", "-", stdin="a.b: \xff\n".encode("latin-1"))
    assert (done.returncode, done.stdout) == (0, "a:\n  b: \ufffd\n")
    assert "standard input:1:" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [FLINK_CONF]


def test_write_puts_the_file_next_to_the_old_one(flint: Flint, tmp_path: Path) -> None:
    old = tmp_path / FLINK_CONF
    old.write_text("s3.secret-key: hunter2\n")
    old.chmod(0o600)
    done = flint("migrate", "--write", FLINK_CONF)
    assert (done.returncode, done.stdout) == (0, "")
    assert "delete flink-conf.yaml now" in done.stderr
    assert "hunter2" not in done.stderr
    new = tmp_path / "config.yaml"
    assert new.read_text() == "s3:\n  secret-key: hunter2\n"
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    done = flint("migrate", "--write", "--flat", ".")
    assert (done.returncode, done.stderr) == (2, "error: ./config.yaml: already exists; --force overwrites it\n")
    assert flint("migrate", "--write", "--flat", "--force", ".").returncode == 0
    assert new.read_text() == "s3.secret-key: hunter2\n"
    assert old.read_text() == "s3.secret-key: hunter2\n"


def test_output_file(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / FLINK_CONF).write_text("a: 1\n")
    assert flint("migrate", FLINK_CONF, "-o", "new.yaml").returncode == 0
    assert (tmp_path / "new.yaml").read_text() == "a: 1\n"
    assert flint("migrate", FLINK_CONF, "-o", "-").stdout == "a: 1\n"
    assert "already exists" in flint("migrate", FLINK_CONF, "-o", "new.yaml").stderr
    assert "is the file to migrate" in flint("migrate", FLINK_CONF, "--force", "-o", FLINK_CONF).stderr
    done = flint("migrate", FLINK_CONF, "-o", "none/new.yaml")
    assert (done.returncode, "none/new.yaml: cannot write it" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.yaml",), "none.yaml: no such file"),
        (("empty",), "there is no flink-conf.yaml in it"),
        (("new",), "it already has a config.yaml"),
        (("new/config.yaml",), "is already a config.yaml"),
        (("session.yaml",), "contains no flink-conf.yaml under that name"),
        (("notes.txt",), "not a flink-conf.yaml by its name or keys"),
        (("flink-conf.yaml.j2",), "flink-conf.yaml.j2: line 2: there is a template tag outside of a value"),
        (("-", "--write"), "which standard input does not have"),
        ((FLINK_CONF, "--write", "-o", "x"), "--write and --output-file are mutually exclusive"),
        ((FLINK_CONF, "--to", "1.18"), "Flink reads config.yaml from 1.19 on"),
        ((FLINK_CONF, "--to", "new"), "is not a Flink version"),
        ((FLINK_CONF, "--to", "9.9"), "Flink 9.9 is not in the option catalogue"),
    ],
)
def test_what_cannot_be_migrated(flint: Flint, tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "config.yaml").write_text("taskmanager:\n  numberOfTaskSlots: 1\n")
    (tmp_path / "session.yaml").write_text("apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\n")
    (tmp_path / "notes.txt").write_text("to: do\n")
    (tmp_path / FLINK_CONF).write_text("a: 1\n")
    (tmp_path / "flink-conf.yaml.j2").write_text("rest.port: 1\n{% if x %}\nrest.address: y\n{% endif %}\n")
    before = sorted(tmp_path.rglob("*"))
    done = flint("migrate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_the_page_shows_what_flint_writes(flint: Flint, tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "migrate.md").read_text("utf-8")
    old, new = (
        re.search(rf"<!-- {re.escape(name)} -->\n```\w*\n(.*?)```", page, re.DOTALL)
        for name in (FLINK_CONF, "config.yaml")
    )
    assert old is not None
    assert new is not None
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / FLINK_CONF).write_text(old[1])
    done = flint("migrate", f"conf/{FLINK_CONF}")
    assert done.stdout == new[1]
    assert f"```\n{done.stderr}```\n" in page
