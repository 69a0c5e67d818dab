"""Whatever is edited, what is read and judged anew is what reading and judging all of the text gives."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.running import Options, ask
from flink_flint.linter.lsp import open_document as analysis
from flink_flint.linter.lsp import rejudging, sections
from flink_flint.linter.lsp.open_document import Analysis, Said
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.rule import Rule
from flink_flint.linter.model.view import View

FLAT = """\
# The cluster of the shop
jobmanager.rpc.address: flink-jm
jobmanager.memory.process.size: 1600m
taskmanager.memory.process.size: 4g
taskmanager.memory.managed.fraction: 0.4
taskmanager.numberOfTaskSlots: 4
parallelism.default: 8
blob.storage.directory: /tmp/blobs
execution.checkpointing.interval: 10 s
execution.checkpointing.timeout: 5 s
state.backend.type: rocksdb
state.backend: hashmap
state.checkpoints.dir: file:///tmp/checkpoints
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.delay: 10
akka.framesize: 20m
pekko.framesize: 10m
akka.framesize: 30m
web.timeout: 10 min
metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory
metrics.reporter.prom.port: 9249
fs.s3a.secret.key: geheim-und-lang
env.java.opts: -Xmx1g -Dpassword=hunter22
"""
NESTED = """\
jobmanager:
  rpc:
    address: flink-jm
  memory:
    process.size: 1600m
taskmanager:
  memory:
    process:
      size: 4g
  numberOfTaskSlots: 4
"""
PIECES = (
    "taskmanager.numberOfTaskSlots: 2\n", "akka.framesize: 1m\n", "state.backend: rocksdb\n", "x", "\n", ": ", "#", " ",
    "10 min", "\U0001f600", "é", "parallelism.default: 2\r\n", "  ", "- a\n", "taskmanager:\n", "---\n", "\r", "'", '"',
    "# flint: ignore[deprecated-key] as agreed\n", "high-availability.type: zookeeper\n", "[a, b]", "|\n", "&a ", "{",
    "yarn.application.name: x\n", "taskma",
)  # fmt: skip

edits = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.one_of(st.just(0), st.integers(0, 60)),
        st.one_of(st.sampled_from(PIECES), st.text(alphabet="ab.: \n#-5", max_size=4), st.just("")),
    ),
    min_size=1,
    max_size=8,
)


def told(said: Said) -> list[tuple[Any, ...]]:
    """All that there is to a finding but its edits, which nobody has asked for."""
    return [
        (
            one.code, one.span, one.message, one.help, one.severity, one.confidence, one.key, one.document, one.note,
            one.ordinal, one.related, sorted(one.evidence.items(), key=str), one.flink_version, one.measure,
            None if one.fix is None else (one.fix.title, one.fix.safe, one.fix.intent),
        )
        for one in sorted(said.findings, key=lambda one: (one.order, one.ordinal))
    ]  # fmt: skip


def as_a_whole(path: str, text: str, options: Options) -> Said:
    """What there is to say of a text that is read and judged from the beginning, as `flint check` does."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(analysis, "MANY_ENTRIES", 10**9)
        patched.setattr(analysis, "MANY_SECTIONS", 10**9)
        patched.setattr(analysis, "MANY_ELEMENTS", 10**9)
        return Analysis(path, Buffer(text)).look(options)


def follow(path: str, text: str, changes: list[tuple[float, int, str]], options: Options) -> int:
    """Make the edits one after the other, comparing after each; how often the text was not read as a whole."""
    typed = Analysis(path, Buffer(text))
    assert told(typed.look(options)) == told(as_a_whole(path, text, options))
    parts = 0
    for place, length, new in changes:
        start = int(place * len(typed.buffer.text))
        typed.edit(start, min(start + length, len(typed.buffer.text)), new)
        was_in_parts = typed.is_read_in_parts
        said = typed.look(options)
        assert typed.buffer.starts == Buffer(typed.buffer.text).starts
        wanted = as_a_whole(path, typed.buffer.text, options)
        if said.is_exact:
            assert told(said) == told(wanted)
            assert [d.settings() for d in said.documents] == [d.settings() for d in wanted.documents]
            parts += was_in_parts
    return parts


@pytest.fixture(autouse=True)
def every_document_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MANY_ENTRIES", 1)
    monkeypatch.setattr(analysis, "MANY_SECTIONS", 2)


slow = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@slow
@given(changes=edits, version=st.sampled_from(("1.18", "1.20", None)))
@example(changes=[(0.0, 0, "taskma"), (0.99, 0, "x: 1\n")], version="1.20")
def test_the_lines_of_a_flink_conf(changes: list[tuple[float, int, str]], version: str | None) -> None:
    follow("/nowhere/flink-conf.yaml", FLAT, changes, Options(flink_version=version))


@slow
@given(changes=edits, slices=st.integers(0, 60))
def test_edits_that_come_before_all_rules_are_asked(changes: list[tuple[float, int, str]], slices: int) -> None:
    path, options = "/nowhere/flink-conf.yaml", Options(flink_version="1.20")
    typed = Analysis(path, Buffer(FLAT))
    for place, length, new in changes:
        for _ in range(slices):
            typed.look_for(0, options)
        start = int(place * len(typed.buffer.text))
        typed.edit(start, min(start + length, len(typed.buffer.text)), new)
        assert typed.own is None or typed.own.judged.document.text == typed.buffer.text
    while (said := typed.look_for(0, options)) is None:
        pass
    assert told(said) == told(as_a_whole(path, typed.buffer.text, options))


@slow
@given(changes=edits, text=st.sampled_from((FLAT.replace("akka.framesize: 30m\n", ""), NESTED + FLAT[:400], NESTED)))
def test_the_keys_of_a_config_yaml(changes: list[tuple[float, int, str]], text: str) -> None:
    follow("/nowhere/config.yaml", text, changes, Options(flink_version="1.20"))


@slow
@given(changes=edits, text=st.sampled_from((FLAT, FLAT.replace(": ", "="), FLAT.replace("4g", "\\\n  4g"))))
@example(changes=[(0.9, 0, "flink.parallelism.default=3\n")], text=FLAT)
def test_the_lines_of_properties(changes: list[tuple[float, int, str]], text: str) -> None:
    follow("/nowhere/job.properties", text, changes, Options(flink_version="1.20"))


DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders-{0}
spec:
  image: flink:1.20.1
  flinkVersion: v1_20
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    akka.framesize: 20m
    fs.s3a.secret.key: geheim-{0}
    blob.storage.directory: /tmp/{0}
    execution.checkpointing.interval: 1 s
  taskManager:
    resource: {{memory: 4096m, cpu: 2}}
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    parallelism: 4
    upgradeMode: savepoint
"""
MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: flink-config
data:
  flink-conf.yaml: |
    taskmanager.numberOfTaskSlots: 2
    akka.framesize: 20m
    blob.storage.directory: /tmp/x
"""


@slow
@given(changes=edits)
@example(changes=[(0.3, 0, "# flint: file-ignore[deprecated-key]\n")])
@example(changes=[(0.3, 0, "    # flint: ignore[ALL]\n")])
@example(changes=[(0.0, 0, "---\n")])
def test_the_objects_of_a_manifest(changes: list[tuple[float, int, str]]) -> None:
    text = "---\n".join([*(DEPLOYMENT.format(number) for number in range(4)), MAP])
    follow("/nowhere/deployments.yaml", text, changes, Options())


def test_a_long_manifest_is_not_read_as_a_whole_again() -> None:
    text = "---\n".join(DEPLOYMENT.format(number) for number in range(4))
    place = (text.index("geheim-2") + 0.5) / len(text)
    changes = [(place, 1, char) for char in "abc"]
    assert follow("/nowhere/deployments.yaml", text, changes, Options()) == len(changes)


def test_a_key_that_is_being_typed_has_no_other_object_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it has a colon, its object is no YAML."""
    text = "---\n".join(DEPLOYMENT.format(number) for number in range(4))
    typed = Analysis("/nowhere/deployments.yaml", Buffer(text))
    typed.look(Options())
    assert typed.is_read_in_parts
    read: list[int] = []
    documents_of = sections.documents_of

    def counted(source: Source, options: Options) -> Any:
        read.append(len(source.data))
        return documents_of(source, options)

    monkeypatch.setattr(sections, "documents_of", counted)
    monkeypatch.setattr(analysis, "documents_of", None)
    new, start = "\n    rest.port", text.index("\n    akka", text.index("orders-2"))
    broken = False
    for number, char in enumerate(new):
        typed.edit(start + number, start + number, char)
        broken |= any(one.code == "FLK043" for one in typed.look(Options()).findings)
    assert broken
    assert len(read) <= len(new) + 4, "each object once, then the one that is edited"
    assert max(read) < len(DEPLOYMENT) + 40


@pytest.mark.parametrize("name", ["flink-conf.yaml", "config.yaml", "job.properties"])
def test_a_long_file_is_not_read_as_a_whole_again(name: str) -> None:
    text = FLAT.replace("akka.framesize: 30m\n", "")
    changes = [(1.0, 0, char) for char in "rest.port: 1\n"]
    assert follow(f"/nowhere/{name}", text, changes, Options(flink_version="1.20")) >= 2


@pytest.mark.parametrize("name", ["flink-conf.yaml", "config.yaml", "job.properties"])
def test_a_keystroke_asks_few_rules(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def noted(rule: Rule, view: View, key: str | None) -> list[Finding]:
        asked.append(key)
        return ask(rule, view, key)

    monkeypatch.setattr(rejudging, "ask", noted)
    lines = [f"metrics.reporter.r{number}.interval: {number} s" for number in range(300)]
    text = "\n".join(["taskmanager.numberOfTaskSlots: 2", "rest.port: 8081", *lines, "parallelism.default: 2"])
    typed = Analysis(f"/nowhere/{name}", Buffer(text.replace(": ", "=") if name == "job.properties" else text))
    typed.look(Options(flink_version="1.20"))
    assert typed.prepare(inf)
    assert len(asked) > len(lines)
    asked.clear()
    typed.edit(len(text), len(text), "1")
    typed.look(Options(flink_version="1.20"))
    assert {key for key in asked if key is not None} == {"parallelism.default"}
