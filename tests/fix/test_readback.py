"""A fixed file is read again: fixes that do not read as intended are skipped and reported."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix import one_file
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.fix.one_file import MAX_ROUNDS, NOT_READ_BACK, Done, FileFixes, Offer
from flink_flint.linter.fix.readback import NotAsMeant, fix_alone, fix_together
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Fix, Intent
from flink_flint.linter.text.spans import Edit, Span
from tests.conftest import ROOT

CONF = "rest.port: 8081\nstate.backend: rocksdb\nparallelism.default: 4\n"
YAML = "rest:\n  port: 8081\nstate:\n  backend: rocksdb\nparallelism.default: 4\n"
ALIAS = "rest.port: &port 8081\nparallelism.default: 2\nx.y: *port\n"
BLOCK = "x: |\n  a\n  b\nz: 2\n"
BELOW = Fix("t", [Edit(Span(11, 11), "\n  c")], edits=[Edit(Span(11, 11), "\n  c")])
FLOW = "{rest.port: 8081, state.backend: rocksdb, x.y: 1}\n"
COMPOSE = """\
services:
  jobmanager:
    image: flink:1.20.1
    command: jobmanager
    ports: ["0.0.0.0:18081:8081"]
    environment:
      FLINK_PROPERTIES: |
        rest.port: 8081
"""

ENVIRONMENT = """\
services:
  jobmanager:
    image: flink:1.20.1
    command: jobmanager
    environment:
      PORT: 8081
      FLINK_PROPERTIES: |
        rest.port: ${PORT}
"""

JOB = """\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
    public static void main(String[] args) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(4);
    }
}
"""

MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  flink-conf.yaml: |
    rest.port: 8081
  other.txt: |
    rest.port: 8081
"""


def opened(text: str, name: str = "flink-conf.yaml") -> tuple[Source, list[Document]]:
    file_format = file_format_of(name, text, trust_name=True)
    assert file_format is not None
    source = Source(f"/nowhere/{name}", text.encode(), file_format)
    return source, file_format.read(source.path, source.data)


def edit(text: str, old: str, new: str) -> Edit:
    start = text.index(old)
    return Edit(Span(start, start + len(old)), new)


def replacing(text: str, *pairs: tuple[str, str], intent: dict[str, str | None] | None = None, title: str = "t") -> Fix:
    edits = [edit(text, old, new) for old, new in pairs]
    return Fix(title, edits, intent=None if intent is None else Intent(0, intent), edits=edits)


@pytest.mark.parametrize(
    ("name", "text", "fix_", "reason"),
    [
        ("flink-conf.yaml", CONF, replacing(CONF, ("8081", "8082")), None),
        ("flink-conf.yaml", CONF, replacing(CONF, ("8081", "8082"), intent={"rest.port": "8082"}), None),
        ("flink-conf.yaml", CONF, replacing(CONF, ("8081", "80 # 82"), intent={"rest.port": "80 # 82"}), "rest.port"),
        ("flink-conf.yaml", CONF, replacing(CONF, ("8081", "8081")), "changes nothing"),
        ("flink-conf.yaml", CONF, replacing(CONF, ("rest.port: ", "rest.port:")), "Flink drops (missing-space)"),
        (
            "flink-conf.yaml", CONF, replacing(CONF, ("8081", "1\nx.y: 2"), intent={"rest.port": "1"}),
            "would also change x.y",
        ),
        ("flink-conf.yaml", CONF, replacing(CONF, ("rest.port: 8081\n", ""), intent={"rest.port": None}), None),
        ("flink-conf.yaml", CONF, replacing(CONF, ("rest", "r"), ("port: 8", "p: 9"), intent={}), "change rest.port"),
        ("config.yaml", YAML, replacing(YAML, ("8081", "'8081")), "would make Flink refuse the file"),
        ("config.yaml", YAML, replacing(YAML, ("8081", "[1]: 2")), "would make Flink refuse the file"),
        ("config.yaml", YAML, replacing(YAML, ("8081", "8081 #")), None),
        ("config.yaml", FLOW, replacing(FLOW, ("8081", "'8081"), ("x.y", "', x.y")), "would also change state.backend"),
        ("config.yaml", YAML, replacing(YAML, ("8081", "0x10"), intent={"rest.port": "0x10"}), "rest.port"),
        ("compose.yaml", COMPOSE, replacing(COMPOSE, ("18081", "127.0.0.1:18081")), "ports[0]"),
        ("compose.yaml", COMPOSE, replacing(COMPOSE, ("0.0.0.0", "127.0.0.1")), None),
        # The values of aliases change with their anchor, which the fix must say.
        ("config.yaml", ALIAS, replacing(ALIAS, ("8081", "8082"), intent={"rest.port": "8082"}), "also change x.y"),
        ("config.yaml", ALIAS, replacing(ALIAS, ("8081", "8082"), intent={"rest.port": "8082", "x.y": "8082"}), None),
        # So does what is filled in from a variable.
        ("compose.yaml", ENVIRONMENT, replacing(ENVIRONMENT, ("8081", "8082")), "also change rest.port"),
        ("compose.yaml", ENVIRONMENT, replacing(ENVIRONMENT, ("8081", "8082"), intent={"rest.port": "8082"}), None),
        # The name of a call decides whether its argument sets anything.
        ("Job.java", JOB, replacing(JOB, ("setParallelism", "setName")), "also change parallelism.default"),
        # A block of text may get more lines below its last one.
        ("config.yaml", BLOCK, replacing(BLOCK, ("z: 2", "  c\nz: 2"), intent={"x": "a\nb\nc\n"}), None),
        ("config.yaml", BLOCK, replacing(BLOCK, ("z: 2", "  c\nz: 2"), intent={"z": "3"}), "the intended value"),
        ("config.yaml", BLOCK[:-6], BELOW, None),
        ("map.yaml", MAP, replacing(MAP, ("8081", "8082")), None),
        ("map.yaml", MAP, replacing(MAP, ("flink-conf.yaml", "f.txt")), "which configurations the file contains"),
        ("map.yaml", MAP, replacing(MAP, ("{name: c}", "{name: d}")), "which configurations the file contains"),
        ("map.yaml", MAP, replacing(MAP, ("other.txt", "config.yaml")), "which configurations the file contains"),
        ("flink-conf.yaml", CONF, replacing(CONF, ("8081", "1"), ("81", "2")), "cannot be written into the file"),
    ],
)  # fmt: skip
def test_a_fix_is_read_back(name: str, text: str, fix_: Fix, reason: str | None) -> None:
    source, documents = opened(text, name)
    if reason is None:
        fixed = fix_alone(source, documents, fix_)
        assert fixed.source.data != source.data
        return
    with pytest.raises(NotAsMeant) as refused:
        fix_alone(source, documents, fix_)
    assert reason in str(refused.value)


def test_a_reason_shows_no_secret() -> None:
    text = "s3.secret-key: hush-7f3a-91bc\nrest.port: 8081\n"
    source, documents = opened(text, "config.yaml")
    for new in ("'hush-7f3a-91bc", "{hush-7f3a-91bc", "[1", "\thush-7f3a-91bc: 2", "a: b: hush-7f3a-91bc"):
        with pytest.raises(NotAsMeant) as refused:
            fix_alone(source, documents, replacing(text, ("hush-7f3a-91bc", new), intent={"s3.secret-key": "x"}))
        assert "hush" not in str(refused.value)


def test_fixes_that_change_one_key_between_them_do_not_go_together() -> None:
    text = "a.b: 1\nx.y: 2\na.b: 3\n"
    source, documents = opened(text)
    revalue = replacing(text, ("1", "9"), intent={"a.b": "3"})
    remove = replacing(text, ("a.b: 3\n", ""), intent={"a.b": "1"})
    with pytest.raises(NotAsMeant):
        fix_together(source, documents, [revalue, remove])


def test_a_fix_without_an_intent_may_change_what_the_others_do_not_say() -> None:
    source, documents = opened(CONF)
    said = replacing(CONF, ("8081", "8082"), intent={"rest.port": "8082"})
    fixed = fix_together(source, documents, [said, replacing(CONF, ("default: 4", "default: 5"))])
    assert fixed.changes == {(0, "rest.port"): "8082", (0, "parallelism.default"): "5"}
    other = replacing(CONF, ("default: 4", "default: 5"), intent={"parallelism.default": "5"})
    assert fix_together(source, documents, [said, other]).changes == fixed.changes


# -- the rounds of one file


def offer(code: str, fix_: Fix) -> Offer:
    return Offer(fix_, (Done(code, code.lower(), fix_.title),))


def round_of(file: FileFixes, *offers: Offer, rounds_left: bool = True) -> bool:
    source = file.source
    return file.fix_file(source.file_format.read(source.path, source.data), offers, rounds_left)


def text_of(file: FileFixes) -> str:
    return file.source.data.decode()


def test_what_does_not_read_back_is_left_out_and_the_rest_is_done() -> None:
    file = FileFixes(opened(CONF)[0])
    good = offer("FLK001", replacing(CONF, ("8081", "8082"), title="set rest.port"))
    bad = offer("FLK002", replacing(CONF, ("state.backend: ", "state.backend:"), title="break it"))
    assert round_of(file, bad, good)
    assert text_of(file) == CONF.replace("8081", "8082")
    assert [one.code for one in file.fixed.done] == ["FLK001"]
    assert file.fixed.left == (
        "FLK002 (break it) was not fixed: it would leave a line that Flink drops (missing-space)",
    )
    assert not round_of(file)
    assert file.fixed.left == ()  # no longer offered


def test_of_fixes_that_touch_the_first_is_done_and_the_other_waits() -> None:
    file = FileFixes(opened(CONF)[0])
    first = offer("FLK001", replacing(CONF, ("8081", "8082")))
    other = offer("FLK002", replacing(CONF, ("rest.port: 8081\n", "")))
    assert round_of(file, first, other)
    assert text_of(file) == CONF.replace("8081", "8082")
    assert file.fixed.left == ()


def test_fixes_that_do_not_go_together_are_done_one_after_the_other() -> None:
    text = "a.b: 1\nx.y: 2\na.b: 3\n"
    file = FileFixes(opened(text)[0])
    revalue = offer("FLK001", replacing(text, ("1", "9"), intent={"a.b": "3"}))
    remove = offer("FLK002", replacing(text, ("a.b: 3\n", ""), intent={"a.b": "1"}))
    third = offer("FLK003", replacing(text, ("2", "4"), intent={"x.y": "4"}))
    assert round_of(file, revalue, remove, third)
    assert text_of(file) == "a.b: 9\nx.y: 4\na.b: 3\n"
    assert [one.code for one in file.fixed.done] == ["FLK001", "FLK003"]
    assert file.fixed.left == ()


def test_the_same_fix_of_two_rules_is_done_once_and_counts_for_both() -> None:
    file = FileFixes(opened(CONF)[0])
    one, other = (offer(code, replacing(CONF, ("8081", "8082"))) for code in ("FLK001", "FLK002"))
    assert round_of(file, one, other)
    assert text_of(file) == CONF.replace("8081", "8082")
    assert [done.code for done in file.fixed.done] == ["FLK001", "FLK002"]


def test_fixes_that_undo_one_another_are_taken_back_and_reported() -> None:
    file = FileFixes(opened(CONF)[0])
    keeps = offer("FLK003", replacing(CONF, ("rocksdb", "hashmap")))
    assert round_of(file, keeps)
    first = text_of(file)
    there = offer("FLK001", replacing(first, ("8081", "8082")))
    assert round_of(file, there)
    assert round_of(file, offer("FLK002", replacing(text_of(file), ("8082", "8081"))))
    assert text_of(file) == first
    assert [done.code for done in file.fixed.done] == ["FLK003"]
    assert file.fixed.left == ("FLK001 and FLK002 were not fixed: the fixes undo one another",)
    assert not round_of(file, there)  # and they are not tried again
    assert text_of(file) == first


def test_what_is_not_read_back_within_the_readings_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_file, "MAX_READINGS", 3)
    file = FileFixes(opened(CONF)[0])
    broken = [
        offer(f"FLK00{number}", replacing(CONF, (key, key.rstrip()), title="break it"))
        for number, key in enumerate(("rest.port: ", "state.backend: ", "parallelism.default: "))
    ]
    assert not round_of(file, *broken)
    assert text_of(file) == CONF
    why = "would leave a line that Flink drops (missing-space)"
    assert file.fixed.left == (
        f"FLK000 (break it) was not fixed: it {why}",
        f"FLK001 (break it) was not fixed: it {NOT_READ_BACK}",
        f"FLK002 (break it) was not fixed: it {NOT_READ_BACK}",
    )


def test_rounds_that_run_out_are_reported() -> None:
    file = FileFixes(opened(CONF)[0])
    assert not round_of(file, offer("FLK001", replacing(CONF, ("8081", "8082"))), rounds_left=False)
    assert text_of(file) == CONF
    assert file.fixed.left == (f"not everything was fixed: FLK001 would continue after {MAX_ROUNDS} rounds",)


# -- whole runs

MIXED = [
    "akka.framesize: 20971520b", "pekko.framesize: 10m", "state.backend: rocksdb", "a:b", "restart-strategy: fixed",
    "heartbeat.timeout: 1.5s", "taskmanager.memory.process.size: 4Gi", "taskmanager.heap.size: 1g",
    "jobmanager.heap.mb: 2048", "state.backend: hashmap", "high-availability: zookeper", "rest.port:\t8081", "",
]  # fmt: skip


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(MIXED), min_size=1, max_size=8),
    st.lists(st.sampled_from(MIXED), max_size=8),
    st.booleans(),
)
@pytest.mark.slow
def test_the_result_does_not_depend_on_the_order_of_files(one: list[str], other: list[str], unsafe: bool) -> None:
    sources = [
        Source(f"/nowhere/{folder}/flink-conf.yaml", "\n".join(lines).encode(), opened("")[0].file_format)
        for folder, lines in (("a", one), ("b", other))
    ]
    options = Options(flink_version="1.18")
    results = fix(sources, options, unsafe=unsafe)
    assert fix(sources[::-1], options, unsafe=unsafe)[::-1] == results


@pytest.mark.slow
def test_the_result_does_not_depend_on_the_number_of_processes() -> None:
    found = [one for one in find([str(ROOT / "examples")]) if isinstance(one, Source)]
    results = [fix(found, Options(), unsafe=True, processes=number) for number in (1, 2)]
    assert [one.after.data for one in results[0]] == [one.after.data for one in results[1]]
    assert [(one.done, one.left) for one in results[0]] == [(one.done, one.left) for one in results[1]]


@settings(max_examples=60)
@given(st.lists(st.sampled_from(MIXED), min_size=1, max_size=8), st.booleans())
@pytest.mark.slow
def test_settings_that_no_fix_is_about_are_as_they_were(lines: list[str], unsafe: bool) -> None:
    text = "\n".join([*lines, "env.x: kept", "metrics.scope.jm: <host>.kept", ""])
    (fixed,) = fix([opened(text)[0]], Options(flink_version="1.18"), unsafe=unsafe)
    (document,) = fixed.after.file_format.read(fixed.after.path, fixed.after.data)
    assert document.settings()["env.x"] == "kept"
    assert document.settings()["metrics.scope.jm"] == "<host>.kept"
