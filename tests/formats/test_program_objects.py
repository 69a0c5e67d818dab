"""Objects of programs: the properties put into them, wherever and however that happens."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.source.jvm_program import FILE_FORMAT as JVM
from flink_flint.linter.formats.source.program_objects import Objects, is_in_branch
from flink_flint.linter.formats.source.python_program import FILE_FORMAT as PYTHON
from flink_flint.linter.model.elements import Attribute

HEAD = "import org.apache.kafka.clients.consumer.ConsumerConfig;\n"


def properties(language: str, code: str) -> tuple[dict[str, object], bool]:
    """Return the properties that the argument of `sinkTo` has, and whether these are all."""
    text = {
        "java": f"{HEAD}class Job {{ {code} }}"
        if "void " in code
        else f"{HEAD}class Job {{ void run() {{ {code} }} }}",
        "scala": f"{HEAD}object Job {{ def run() = {{\n{code}\n}} }}",
        "kt": f"{HEAD}fun run() {{\n{code}\n}}",
        "py": f"import pyflink\n{code}\n",
    }[language]
    program = (PYTHON if language == "py" else JVM).program(f"Job.{language}", text)
    objects = Objects(program)
    attributes: dict[str, Attribute] = {}
    objects.put_properties(attributes, program.calls["sinkTo"][0].args[0], "")
    complete = attributes.pop("", None) is None
    return {key: one.value for key, one in attributes.items()}, complete


A = {"a": "1"}


@pytest.mark.parametrize(
    ("code", "expected", "complete"),
    [
        ('Properties p = new Properties(); p.setProperty("a", "1"); out.sinkTo(p);', A, True),
        ('Properties p = new Properties(); p.put("a", 1); out.sinkTo(p);', A, True),
        ('Map<A, B> p = new HashMap<>(16); p.putIfAbsent("a", "1"); out.sinkTo(p);', A, True),
        ('Configuration p = new Configuration(); p.setInteger("a", 1); p.getString("b", "c"); out.sinkTo(p);', A, True),
        ('Properties p = new Properties(); p.put("a"); out.sinkTo(p);', {}, True),
        ('Properties p = new Properties(); p.put("a", load()); out.sinkTo(p);', {"a": None}, True),
        ('Properties p = new Properties(); p.put(name, "1"); out.sinkTo(p);', {}, False),
        ("Properties p = new Properties(); p.load(stream); out.sinkTo(p);", {}, False),
        ("Properties p = load(); out.sinkTo(p);", {}, False),
        ("out.sinkTo(unknown);", {}, False),
        ("out.sinkTo(args[0]);", {}, False),
        ('Other p = new Other(); p.put("a", "1"); out.sinkTo(p);', A, False),
        # with what others have
        ('Properties q = new Properties(); q.put("a", "1"); Properties p = new Properties(q); out.sinkTo(p);', A, True),
        (('Properties q = new Properties(); q.put("a", "1"); Properties p = new Properties(); p.putAll(q);'
         "out.sinkTo(p);"), A, True),
        ("Properties p = new Properties(); p.putAll(load()); out.sinkTo(p);", {}, False),
        ("Properties p = new Properties(); p.putAll(); out.sinkTo(p);", {}, False),
        ("Properties p = new Properties(load()); out.sinkTo(p);", {}, False),
        ("Map<A, B> p = new HashMap<>(p); out.sinkTo(p);", {}, False),
        # written at once
        ('out.sinkTo(Map.of("a", "1"));', A, True),
        ('out.sinkTo(Map.of("a", "1", "b", true));', {"a": "1", "b": "true"}, True),
        ('out.sinkTo(Map.of("a"));', {}, False), ("out.sinkTo(Map.of());", {}, True),
        ("out.sinkTo(Collections.emptyMap());", {}, True),
        ('out.sinkTo(Collections.singletonMap("a", "1"));', A, True), ('out.sinkTo(Lists.of("a", "1"));', {}, False),
        ('out.sinkTo(Map.ofEntries(Map.entry("a", "1"), entry("b", "2")));', {"a": "1", "b": "2"}, True),
        ('out.sinkTo(Map.ofEntries(new SimpleEntry<>("a", "1"), entry(name, "2")));', A, False),
        ('out.sinkTo(ImmutableMap.builder().put("a", "1").build());', A, True),
        ('out.sinkTo(Configuration.fromMap(Map.of("a", "1")));', A, True),
        ("out.sinkTo(Configuration.fromMap());", {}, False),
        ('out.sinkTo(new Properties() {{ put("a", "1"); setProperty("b", "2"); }});', {"a": "1", "b": "2"}, True),
        ('out.sinkTo(new Properties() {{ this.put("a", "1"); other.put("b", "2"); }});', A, True),
        # handed on
        ('Properties p = new Properties(); p.put("a", "1"); configure(p); out.sinkTo(p);', A, False),
        ('Properties p = new Properties(); p.put("a", "1"); tool.setProps(p); log.info(p); out.sinkTo(p);', A, True),
        ('Properties p = new Properties(); p.put("a", "1"); setProps(p); out.sinkTo(p);', A, False),
        ('Properties p = new Properties(); p.put("a", "1"); print(p); new Client(p); out.sinkTo(p);', A, True),
        # on condition
        ('Properties p = new Properties(); p.put("a", "1"); if (late) { p.put("a", "2"); } out.sinkTo(p);',
         {"a": None}, True),
        ('Properties p = new Properties(); p.put("a", "1"); if (late) { p.put("a", "1"); } out.sinkTo(p);', A, True),
        ('Properties p = new Properties(); p.put("a", "1"); p.put("a", "2"); out.sinkTo(p);', {"a": "2"}, True),
        ('Properties p = new Properties(); if (late) { p.put("a", "1"); } out.sinkTo(p);', A, True),
        # where they are
        ('Properties p; void run() { p = new Properties(); p.put("a", "1"); out.sinkTo(p); }', A, True),
        ('Properties p = new Properties(); void run() { this.p.put("a", "1"); out.sinkTo(this.p); }', A, True),
        ('Properties p; void run() { this.p = new Properties(); p.put("a", "1"); out.sinkTo(p); }', A, True),
        (('static Properties props() { Properties p = new Properties(); p.put("a", "1"); return p; }'
         " void run() { out.sinkTo(props()); }"),
         A, True),
        ("static Properties props() { if (late) { return a(); } return b(); } void run() { out.sinkTo(props()); }",
         {}, False),
        ("void props() { return; } void run() { out.sinkTo(props()); }", {}, False),
        # keys
        ('Properties p = new Properties(); p.put(ConsumerConfig.GROUP_ID_CONFIG, "1"); out.sinkTo(p);',
         {"group.id": "1"}, True),
        ('Properties p = new Properties(); p.put(ConfigOptions.key("a").intType(), "1"); out.sinkTo(p);', A, True),
        ('Properties p = new Properties(); p.put(Names.NO_SUCH, "1"); out.sinkTo(p);', {}, False),
        ('Properties p = new Properties(); p.put(5, "1"); out.sinkTo(p);', {}, False),
    ],
)  # fmt: skip
def test_properties_of_java(code: str, expected: dict[str, object], complete: bool) -> None:
    assert properties("java", code) == (expected, complete)


@pytest.mark.parametrize(
    ("language", "code", "expected", "complete"),
    [
        ("scala", 'val p = new Properties()\np.put("a", "1")\nout.sinkTo(p)', A, True),
        ("scala", 'out.sinkTo(Map("a" -> "1"))', A, True),
        ("scala", 'val p = Map("a" -> "1", name -> "2")\nout.sinkTo(p)', A, False),
        ("kt", 'out.sinkTo(mapOf("a" to "1"))', A, True),
        ("kt", 'val p = Properties().apply { put("a", "1"); this["b"] = "2" }\nout.sinkTo(p)',
         {"a": "1", "b": "2"}, True),
        ("kt", 'val p = Properties().also { it.put("a", "1"); it["b"] = "2"; other["c"] = "3" }\nout.sinkTo(p)',
         {"a": "1", "b": "2"}, True),
        ("kt", 'val p = Properties()\np["a"] = "1"\nother["b"] = "2"\nx = p["c"]\nout.sinkTo(p)', A, True),
        ("kt", 'val p = mutableMapOf(Pair("a", "1"))\np += mapOf("b" to "2")\nout.sinkTo(p)', {}, False),
        ("kt", 'val p = mutableMapOf(Pair("a", "1"))\np.putAll(mapOf("b" to "2"))\nout.sinkTo(p)',
         {"a": "1", "b": "2"}, True),
        ("py", "out.sinkTo({'a': '1'})", A, True),
        ("py", "p = {}\np['a'] = 1\nout.sinkTo(p)", A, True),
        ("py", "p = {}\np[name] = 1\nout.sinkTo(p)", {}, False),
        ("py", "p = {'a': 1}\nout.sinkTo({**p, 'b': 2})", {"b": "2"}, False),
        ("py", "out.sinkTo(dict(a='1'))", A, True),
        ("py", "out.sinkTo(dict({'a': '1'}, b=2))", {"a": "1", "b": "2"}, True),
        ("py", "p = dict()\np.update({'a': '1'})\np.setdefault('b', 2)\nout.sinkTo(p)", {"a": "1", "b": "2"}, True),
        ("py", "p = {'a': '1'}\nchange(p)\nout.sinkTo(p)", A, False),
        ("py", "p = {'a': '1'}\nlen(p)\nout.sinkTo(p)", A, True),
        ("py", "def props():\n    return {'a': '1'}\nout.sinkTo(props())", A, True),
        ("py", "def props():\n    yield {'a': '1'}\nout.sinkTo(props())", {}, False),
        ("py", "props = lambda: {'a': '1'}\nout.sinkTo(props())", {}, False),
    ],
)  # fmt: skip
def test_properties_of_other_languages(language: str, code: str, expected: dict[str, object], complete: bool) -> None:
    assert properties(language, code) == (expected, complete)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("Properties p = load(); out.sinkTo(p);", "Properties"), ("var p = new Client(); out.sinkTo(p);", "Client"),
        ("var p = Client.builder().build(); out.sinkTo(p);", "Client"), ("var p = load(); out.sinkTo(p);", "load"),
        ("out.sinkTo(unknown);", ""), ("out.sinkTo(5);", ""), ("out.sinkTo(new Client());", "Client"),
        ("out.sinkTo(a.b);", ""),
    ],
)  # fmt: skip
def test_the_class_of_an_object(code: str, kind: str) -> None:
    program = JVM.program("Job.java", f"class Job {{ void run() {{ {code} }} }}")
    assert Objects(program).class_of(program.calls["sinkTo"][0].args[0]) == kind
    assert Objects(program).class_of(None) == ""


def test_a_function_runs_for_itself_also_in_a_branch() -> None:
    text = "class Job { void run() { if (late) { a.sinkTo(1); pool.submit(() -> { a.sinkTo(2); }); } a.sinkTo(3); } }"
    calls = JVM.program("Job.java", text).calls["sinkTo"]
    assert [is_in_branch(call) for call in calls] == [True, False, False]


def test_what_an_abstract_method_returns_is_unknown() -> None:
    assert properties("java", "abstract Properties make(); void run() { out.sinkTo(make()); }") == ({}, False)
