"""Programs as trees: which names have which values, what belongs to what, and where it is."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.source.constant_folding import Constant, Folding
from flink_flint.linter.formats.source.jvm_program import FILE_FORMAT as JVM
from flink_flint.linter.formats.source.languages.python_tree import camel
from flink_flint.linter.formats.source.program_tree import MAX_DEPTH, Node, Program
from flink_flint.linter.formats.source.python_program import FILE_FORMAT as PYTHON


def python(text: str) -> Program:
    return PYTHON.program("job.py", text)


def probed(program: Program) -> list[Constant | None]:
    """Return the values of the first arguments of all calls of `probe`."""
    fold = Folding(program)
    return [fold(call.args[0]) for call in program.calls["probe"]]


def kinds(node: Node | None) -> list[str]:
    """Return the kinds of a node and of what encloses it."""
    found = []
    while node is not None:
        found.append(node.kind)
        node = node.parent
    return found


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("set_bootstrap_servers", "setBootstrapServers"), ("set_2_phase", "set2Phase"), ("print", "print"),
        ("STATE_BACKEND", "STATE_BACKEND"), ("_private_name", "_private_name"), ("__init__", "__init__"),
        ("fixed_delay", "fixed_delay"), ("max_workers", "max_workers"), ("a__b", "a__b"),
    ],
)  # fmt: skip
def test_names_of_python_are_spelled_as_in_java(name: str, spelled: str) -> None:
    assert camel(name) == spelled


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x = 3", 3), ("x: int = 3", 3), ("x: int\nx = 3", 3), ("x: int", None), ("x = None\nx = 3", 3),
        ("x = 3\nx = 4", None),
        ("x = 3\nx += 1", None), ("x = y = 3", None), ("x, y = 3, 4", None), ("[x, y] = pair", None), ("(x) = 3", 3),
        ("x = 3\nfor x in range(4): pass", None), ("x = 3\nfor y, (z, x) in pairs: pass", None),
        ("x = 3\nfor y in (x,): pass", 3),
        ("x = 3\nwith opened() as x: pass", None), ("with 3 as x: pass", 3), ("x = 3\nwith opened() as y: pass", 3),
        ("with opened() as y, 3 as x: pass", 3), ("x = 3\nwith opened() as y[x]: pass", 3),
        ("x = 3\nwith (yield) as x: pass", None),
        ("x = 3\nif late: x = 4", None), ("def x(): pass", None), ("x = -(yield)", None), ("x = (yield) + 3", 3),
        ("x = 3 + (yield)", 3), ("x = 'a' 'b'", "ab"), ("x = b'a'", None), ("x = ...", None),
        ("x = 1 if late else 2", None),
        ("x = f'{y}'", None), ("x = 7 // 2", 3), ("x = 7 % 2", None), ("x = +7", 7), ("x = ~7", None),
        ("x = not True", False),
        ("x = True", True), ("x = 2j", None), ("x: int = (yield)", None), ("x = (yield)", None),
    ],
)  # fmt: skip
def test_the_value_of_a_name_of_python(text: str, value: Constant | None) -> None:
    assert probed(python(f"{text}\nprobe(x)\n")) == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("LIMIT = 3\ndef main():\n    probe(LIMIT)", 3),
        ("LIMIT = 3\ndef main():\n    LIMIT = 4\n    probe(LIMIT)", 4),
        ("LIMIT = 3\ndef main():\n    LIMIT = 4\nprobe(LIMIT)", 3),
        ("LIMIT = None\ndef main():\n    global LIMIT\n    LIMIT = 4\nprobe(LIMIT)", 4),
        ("LIMIT = 3\ndef main():\n    global LIMIT\n    LIMIT = 4\nprobe(LIMIT)", None),
        ("def main():\n    global LIMIT\n    LIMIT = 4\n    probe(LIMIT)", 4),
        (
            "def f():\n    limit = None\n    def set():\n        nonlocal limit\n        limit = 4\n    probe(limit)",
            4,
        ),
        ("def main():\n    LIMIT = 4\n    probe(LIMIT)", 4),
        ("limit = 3\ndef main():\n    limit = 4\n    probe(limit)", 4),
        ("limit = 3\ndef main(limit):\n    probe(limit)", None),
        ("limit = 3\ndef main(*limit):\n    probe(limit)", None),
        ("limit = 3\ndef main(**limit):\n    probe(limit)", None),
        ("limit = 3\ndef main(limit, /): probe(limit)", None),
        ("limit = 3\ndef main(*, limit=4): probe(limit)", None),
        ("limit = 3\nrun(lambda limit: probe(limit))", None),
        ("limit = 3\nrun(lambda other: probe(limit))", 3),
        ("limit = 3\nasync def main(other):\n    probe(limit)", 3),
        ("class Job:\n    limit = 3\n    def run(self):\n        probe(self.limit)", 3),
        ("class Job:\n    def __init__(self):\n        self.limit = 3\n    def run(self): probe(self.limit)", 3),
        ("class Job:\n    def __init__(self, limit):\n        self.limit = limit\n        probe(self.limit)", None),
        ("class Job:\n    limit = 3\nprobe(Job.limit)", 3),
        ("class Job:\n    limit = 3\nprobe(Other.limit)", None),
        ("class Job:\n    limit = 3\nprobe(Job.other)", None),
        ("class Base:\n    limit = 3\nclass Job(Base):\n    pass\nprobe(Job.limit)", 3),
        ("class Base:\n    limit = 3\nclass Job(jobs.Base, Other()):\n    pass\nprobe(Job.limit)", 3),
        ("class Base:\n    limit = 3\nclass Job(Base):\n    limit = 4\nprobe(Job.limit)", 4),
        ("class Base:\n    limit = 3\nclass Job(Base):\n    def run(self):\n        probe(self.limit)", 3),
        ("class Job(Job):\n    pass\nprobe(Job.limit)", None),
        ("class A(B):\n    pass\nclass B(A):\n    pass\nprobe(A.limit)", None),
        ("other.limit = 3\nprobe(other.limit)", None),
        ("limit = 3\nclass Job:\n    def run(self):\n        self.limit = 4\n        probe(limit)", 3),
    ],
)
def test_where_a_name_of_python_counts(text: str, value: int | None) -> None:
    assert probed(python(text)) == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("class A { int n = 3; void run() { probe(n); } }", 3),
        ("class A { int n; A() { this.n = 3; } void run() { probe(n); } }", 3),
        ("class A { int n; A() { n = 3; } void run() { probe(this.n); } }", 3),
        ("class A { int n = 3; void set() { n = 4; } void run() { probe(n); } }", None),
        ("class A { int n = 3; void run(int n) { probe(n); } }", None),
        ("class A { int n = 3; void run(int n) { probe(this.n); } }", 3),
        ("class A { String n = null; void run() { n = \"a\"; probe(n); } }", "a"),
        ("class A { static int n = 3; } class B { void run() { probe(A.n); } }", 3),
        ("class A { int n = 3; } class B extends A { void run() { probe(n); } }", 3),
        ("class A { int n = 3; } class B extends A { } class C extends B { void run() { probe(n); } }", 3),
        ("class A { int n = 3; } class B { void run() { probe(n); } }", None),
        ("class A { int n = 3; } class B { void run(A a) { probe(a.n); } }", None),
    ],
)  # fmt: skip
def test_where_a_name_of_java_counts(text: str, value: Constant | None) -> None:
    assert probed(JVM.program("A.java", text)) == [value]


def test_what_runs_on_condition_is_in_a_branch() -> None:
    text = (
        "probe(0)\n"
        "if late: probe(1)\n"
        "while late: probe(2)\n"
        "for x in probe(3): probe(4)\n"
        "try: probe(5)\n"
        "except E: pass\n"
        "x = probe(6) if late else 1\n"
        "match late:\n    case 1: probe(7)\n"
        "with probe(8): probe(9)\n"
        "run(1, *probe(10), key=[probe(11)])\n"
    )
    found = {call.args[0].value: kinds(call) for call in python(text).calls["probe"]}
    assert [number for number, enclosing in found.items() if "branch" in enclosing] == [1, 2, 3, 4, 5, 6, 7]
    assert found[0] == ["call", "other"]
    assert found[8] == found[9] == ["call", "other", "other"]
    assert found[11] == ["call", "list", "call", "other"]


def test_names_have_their_places_also_beside_other_letters() -> None:
    text = "é = 'ü'; x = é.run_now('ö', to=é)\r\nclass Öl(Base): pass\rasync def grün(a): return a\n"
    program = python(text)
    (call,) = program.calls["runNow"]
    assert (program.raw(call.span), program.raw(call.name_span)) == ("é.run_now('ö', to=é)", "run_now")
    assert call.names == ["", "to"]
    assert program.raw(program.classes["Öl"].name_span) == "Öl"
    (function,) = program.functions["grün"]
    assert (program.raw(function.name_span), function.flags) == ("grün", {"async"})
    assert program.raw(function.span) == "async def grün(a): return a"
    assert [node.name for node in program.uses(program.root.scope, "é")] == ["é", "é"]


def test_calls_and_what_they_are_called_on() -> None:
    program = python("f(1)(2)\nfactories[0](3)\n(lambda: g)()\nh(*rest, **more)\n{**a, 'b': [c, (d,)]}\nt[1:2]\n")
    assert {name: len(calls) for name, calls in program.calls.items()} == {"f": 1, "h": 1}
    assert program.calls["h"][0].names == ["", "**"]
    (pairs,) = [node for node in program.nodes if node.kind == "pairs"]
    assert [one.kind for one in pairs.args] == ["other", "name", "text", "list"]
    (index,) = [node for node in program.nodes if node.kind == "index" and node.target and node.target.name == "t"]
    assert len(index.args) == 1


def test_the_only_function_of_a_name_is_called() -> None:
    program = python(
        "def once(): pass\n"
        "def twice(): pass\n"
        "class Job:\n"
        "    def twice(self): pass\n"
        "    def method(self): self.method(); other.method(); Job.method(); once(); twice(); cls.method()\n"
    )
    found = [(call, program.function_of(call)) for name in ("once", "twice", "method") for call in program.calls[name]]
    assert [(program.raw(call.span), made is not None) for call, made in found] == [
        ("once()", True), ("twice()", False), ("self.method()", True), ("other.method()", False),
        ("Job.method()", True), ("cls.method()", True),
    ]  # fmt: skip
    (name,) = [node for node in program.nodes if node.kind == "name" and node.name == "other"]
    assert program.function_of(name) is None


def test_imports() -> None:
    assert python("import a.b, c as d\nfrom e.f import g as h\nfrom . import i\n").imports == {
        "a.b",
        "c",
        "e.f.g",
        ".i",
    }


def test_arguments_by_place_and_name() -> None:
    (call,) = python("f(1, b=2, c=3)").calls["f"]
    found = [call.argument(0), call.argument(1), call.argument(5, "x", "c"), call.argument(0, "b"), call.argument(-1)]
    assert [None if one is None else one.value for one in found] == [1, None, 3, 2, None]


@pytest.mark.parametrize("text", ["f(", "x = '\0'", "\x00", "f(1)\n  g(2)\n"])
def test_a_program_with_errors_is_empty(text: str) -> None:
    assert python(text).calls == {}


def test_what_is_nested_too_deeply_is_left_out() -> None:
    assert len(python("f(" * 60 + "1" + ")" * 60).calls["f"]) == 60
    # The parser of Python itself gives up at 200 parentheses.
    assert len(python("-" * 140 + "f(1)").calls["f"]) == 1
    assert "f" not in python("-" * MAX_DEPTH + "f(1)").calls
