"""The stateful operators of programs, and which operator a `uid` belongs to."""

from __future__ import annotations

import pytest

from tests.formats.reading import read

ENV = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"


def operators(*lines: str) -> list[tuple[str, object]]:
    """Return the operators of a Java program: the method of each and its ID, or False if it has none."""
    body = "\n".join(lines)
    text = f"{ENV}class Job {{ public static void main(String[] a) {{\n{body}\n}} }}\n"
    (document,) = read("Job.java", text)
    found = [element for element in document.elements if element.kind == "operator"]
    return [(one.name, one.value("uid") if one.has("uid") else False) for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('env.fromSource(s, w, "n").uid("in").map(f);', [("fromSource", "in")]),
        ('env.fromSource(s, w, "n").map(f).uid("f");', [("fromSource", False)]),
        ('in.sinkTo(s).name("x").setParallelism(2).uid("out");', [("sinkTo", "out")]),
        ("in.addSink(s).setUidHash(hash);", [("addSink", None)]),
        ('in.keyBy(k).window(w).trigger(t).reduce(f).uid("sum").print();', [("reduce", "sum")]),
        ("in.keyBy(k).process(f).process(g);", [("process", False)]),
        ("in.keyBy(k).map(f).process(g);", []),
        ("in.process(f);", []),
        ("in.connect(rules).keyBy(a, b).process(f);", [("process", False)]),
        ("KeyedStream<A, B> keyed = in.keyBy(k); keyed.process(f);", [("process", False)]),
        ('AsyncDataStream.unorderedWait(in, f, 1, SECONDS).uid("ask");', [("unorderedWait", "ask")]),
        ("pool.unorderedWait(in, f);", []),
        ('DataStream<A> in = env.addSource(s); in.name("a").uid("in"); in.map(f).uid("f");', [("addSource", "in")]),
        ("named(env.addSource(s));", [("addSource", None)]),
        ("DataStream<A> in = env.addSource(s); named(in);", [("addSource", None)]),
        ("in.print();", []),
    ],
)
def test_operators(line: str, expected: list[tuple[str, object]]) -> None:
    assert operators(line) == expected


def test_operator_that_is_returned_may_be_named_by_the_caller() -> None:
    text = f"{ENV}class Job {{ DataStream<A> in(Env env) {{ return env.addSource(s); }} }}\n"
    (document,) = read("Job.java", text)
    (operator,) = [element for element in document.elements if element.kind == "operator"]
    assert operator.has("uid")
    assert operator.value("uid") is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('env.addSource(new RMQSource<>(c, "in", true, s)).uid("a").setParallelism(2);', ("in", True, 2)),
        ("RMQSource<A> s = new RMQSource<A>(c, queue, false, s); env.addSource(s);", ("", False, "unset")),
        ('env.addSource(new RMQSource<>(c, "in", ids, s)).setParallelism(n);', ("in", None, None)),
        ('env.addSource(new RMQSource<>(c, "in", s)).map(f).setParallelism(2);', ("in", "unset", "unset")),
    ],
)
def test_readers_of_rabbitmq(line: str, expected: tuple[str, object, object]) -> None:
    (document,) = read("Job.java", f"{ENV}class Job {{ public static void main(String[] a) {{\n{line}\n}} }}\n")
    (reader,) = [element for element in document.elements if element.kind == "rabbitmq-source"]
    found = [reader.value(name) if reader.has(name) else "unset" for name in ("correlation-ids", "parallelism")]
    assert (reader.name, *found) == expected
