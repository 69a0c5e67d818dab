"""What programs do with their records, as elements."""

from __future__ import annotations

from typing import Any

import pytest

from flink_flint.linter.formats.source.jvm_program import FILE_FORMAT as JVM
from flink_flint.linter.formats.source.python_program import FILE_FORMAT as PYTHON

_IMPORTS = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
_MAIN = (
    "public class Job {\n  public static void main(String[] args) throws Exception {\n"
    "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n    %s\n  }\n%s\n}\n"
)


def _found(kind: str, text: str, name: str = "Job.java") -> list[tuple[str, dict[str, Any]]]:
    """Return name and attributes of the elements of a kind in a program."""
    file_format = PYTHON if name.endswith(".py") else JVM
    return [
        (one.name, {key: attribute.value for key, attribute in one.attributes.items()})
        for document in file_format.parse(name, text.encode())
        for one in document.elements
        if one.kind == kind
    ]


def _job(stream: str, classes: str = "") -> str:
    return _IMPORTS + _MAIN % (stream, classes)


def test_a_helper_of_a_function_counts_as_the_function() -> None:
    text = _job(
        "env.addSource(s).map(new Ask()).print();",
        "static class Ask implements MapFunction<A, A> { HttpClient http; public A map(A a) { return ask(a); }"
        " A ask(A a) { return read(http.send(a, handler)); } }",
    )
    assert _found("record-work", text) == [("map", {"kind": "waits", "call": "http.send", "function": "Ask"})]


@pytest.mark.parametrize(
    ("stream", "without"),
    [
        ('env.fromSource(k, WatermarkStrategy.noWatermarks(), "a")', "watermarks"),
        ('env.fromSource(k, WatermarkStrategy.noWatermarks(), "a").map(new M()).rebalance()', "watermarks"),
        ("env.fromElements(1, 2)", "timestamps"),
        ('env.fromSource(k, strategy, "a")', None),
        ('env.fromSource(KafkaSource.builder().setBounded(e).build(), WatermarkStrategy.noWatermarks(), "a")', None),
        ('env.fromSource(k, WatermarkStrategy.noWatermarks(), "a").assignTimestampsAndWatermarks(w)', None),
        ("env.fromElements(1).union(streams.other())", None),
        ('streams.a().connect(env.fromSource(k, WatermarkStrategy.noWatermarks(), "a").broadcast(d))', "watermarks"),
    ],
)
def test_what_a_stream_lacks_for_event_time(stream: str, without: str | None) -> None:
    window = ".keyBy(a -> a.b).window(TumblingEventTimeWindows.of(Time.minutes(1))).sum(0).print();"
    ((_, attributes),) = _found("window", _job(stream + window))
    assert attributes.get("without") == without


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("a -> new Random().nextInt(3)", "random"),
        ("a -> System.currentTimeMillis() / 10", "random"),
        ("a -> a.nextLong()", None),
        ('a -> "x"', "constant"),
        ("a -> a.b", None),
        ("0", None),
    ],
)
def test_keys(key: str, kind: str | None) -> None:
    found = _found("key", _job(f"env.addSource(s).keyBy({key}).sum(0).print();"))
    assert [attributes["kind"] for _, attributes in found] == ([] if kind is None else [kind])


def test_a_descriptor_that_is_handed_on_may_expire() -> None:
    function = (
        "static class F extends KeyedProcessFunction<A, B, C> { ListState<A> s; public void open(Configuration c) {"
        ' ListStateDescriptor<A> d = new ListStateDescriptor<>("s", A.class); %s'
        " s = getRuntimeContext().getListState(d); }"
        " public void processElement(A a, Context c, Collector<C> o) { s.add(a); } }"
    )
    stream = "env.addSource(s).keyBy(a -> a.b).process(new F()).print();"
    assert "expires" not in _found("keyed-state", _job(stream, function % ""))[0][1]
    ((name, attributes),) = _found("keyed-state", _job(stream, function % "Expiry.set(d);"))
    assert (name, attributes["expires"]) == ("s", None)


def test_options_of_beam_are_flags_keywords_and_views() -> None:
    text = (
        "import apache_beam as beam\nfrom apache_beam.options.pipeline_options import *\n"
        "o = PipelineOptions(['--runner=FlinkRunner', '--flink_master', 'flink:8081', f'--parallelism={n}'], x=1)\n"
        "o.view_as(StandardOptions).streaming = True\n"
    )
    assert PYTHON.recognize("pipeline.py", text)
    ((name, attributes),) = _found("beam-pipeline", text, "pipeline.py")
    assert name == "FlinkRunner"
    assert attributes == {
        "runner": "FlinkRunner", "flink_master": "flink:8081", "parallelism": None, "x": "1", "streaming": "true",
    }  # fmt: skip


def test_beam_on_other_runners_is_not_read() -> None:
    text = "import apache_beam as beam\np = beam.Pipeline(runner='DataflowRunner')\n"
    assert not PYTHON.recognize("pipeline.py", text)


def test_an_import_behind_the_package_on_one_line() -> None:
    assert JVM.recognize("A.java", "package a; import org.apache.flink.api.common.functions.MapFunction;\n")


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ("public static class A { int b; public A(int b) { } public void setB(int b) { } }", "constructor"),
        ("public static class A { int b; public A() { } public A(int b) { } public void setB(int b) { } }", None),
        ("@Value public static class A { int b; }", "@Value"),
        ("@Data public static class A { int b; }", None),
        ("public static class A extends SpecificRecordBase { int b; public A(int b) { } }", None),
    ],
)
def test_classes_that_are_no_pojos(declared: str, why: str | None) -> None:
    found = _found("record-class", _job("DataStream<A> a = env.addSource(s);", declared))
    assert [attributes["why"] for name, attributes in found if name == "A"] == ([] if why is None else [why])
