"""The grammars of Java, Scala and Kotlin: literals, names, calls, classes, and what runs on condition."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.source.constant_folding import Constant, Folding
from flink_flint.linter.formats.source.jvm_program import FILE_FORMAT
from flink_flint.linter.formats.source.languages.jvm_grammar import number_of, simple_name, text_block, unescaped
from flink_flint.linter.formats.source.program_objects import is_in_branch
from flink_flint.linter.formats.source.program_tree import Program


def program(language: str, text: str) -> Program:
    return FILE_FORMAT.program(f"Job.{language}", text)


def probed(language: str, text: str) -> list[Constant | None]:
    """Return the values of the first arguments of all calls of `probe`."""
    read = program(language, text)
    fold = Folding(read)
    return [fold(call.args[0]) for call in read.calls["probe"]]


def within(language: str, statements: str) -> str:
    return {
        "java": f"class Job {{ void run(int given) {{ {statements} }} }}",
        "scala": f"object Job {{ def run(given: Int) = {{\n{statements}\n}} }}",
        "kt": f"fun run(given: Int) {{\n{statements}\n}}",
    }[language]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0), ("7", 7), ("1_000", 1_000), ("7L", 7), ("7l", 7), ("0x1F", 31), ("0b101", 5),
        ("0B11", 3), ("017", 15),
        ("018", 18), ("019", 19), ("00", 0), ("1.5", 1.5), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("1E-3", 0.001),
        ("7f", 7.0), ("7F", 7.0),
        ("7d", 7.0), ("7D", 7.0), ("1.5f", 1.5), ("0x", None), ("", None), ("x", None), ("7x", None),
        ("1" * 40, int("1" * 40)),
        ("1" * 41, None), ("0x" + "1" * 40, int("1" * 40, 16)),
    ],
)  # fmt: skip
def test_numbers(text: str, number: float | None) -> None:
    made = number_of(text)
    assert (made, type(made)) == (number, type(number))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"a\tb\nc\\d\"e\'", "a\tb\nc\\d\"e'"), (r"\u00e9\uu00e9", "éé"), (r"\101\7", "A\x07"), (r"\q", "q"),
        ("plain", "plain"),
        (r"\b\f\r\0", "\b\f\r\0"), (r"\s", " "),
    ],
)  # fmt: skip
def test_escapes(text: str, value: str) -> None:
    assert unescaped(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\n    a\n      b\n    ", "a\n  b\n"), ("\n    a\n  ", "  a\n"), ("\n  a  \n\n  b\\n\n  ", "a\n\nb\n\n"),
        ("\r\n  a\r\n  ", "a\n"),
        ("a", "a"), ("a\n  b", "a\n  b"), (" \n  a", "a"), ("\n", ""),
    ],
)  # fmt: skip
def test_text_blocks_lose_their_margin(text: str, value: str) -> None:
    assert text_block(text) == value


def test_names_of_types() -> None:
    given = ["A", "a.b.C", "C<D<E>>", "a.C[D]", "C?", "C<D>?"]
    assert [simple_name(one) for one in given] == ["A", "C", "C", "C", "C", "C"]


@pytest.mark.parametrize(
    ("language", "statements", "value"),
    [
        ("java", 'probe("a\\tb");', "a\tb"), ("java", "probe('a');", "a"), ("java", 'probe("""\n  a\n  b""");', "a\nb"),
        ("java", "probe((long) 5);", 5), ("java", "probe((5));", 5), ("java", "probe(given);", None),
        ("java", "probe(-5);", -5),
        ("java", "int x = 5; probe(x);", 5), ("java", "var x = 5; probe(x);", 5),
        ("java", "int x = 5, y = 6; probe(y);", 6),
        ("java", "int x; x = 5; probe(x);", 5), ("java", "int x = 5; x++; probe(x);", None),
        ("java", "int x = 5; --x; probe(x);", None),
        ("java", "int x = 5; x += 1; probe(x);", None), ("java", "for (int x : all) { probe(x); }", None),
        ("java", "run(x -> probe(x));", None), ("java", "run((x, y) -> probe(y));", None),
        ("java", "run((int x) -> { probe(x); });", None),
        ("java", "int x = 5; run(y -> probe(x));", 5), ("java", "probe(/* one */ 5);", 5),
        ("java", "probe(a[0]);", None),
        ("java", "probe(true ? 5 : 6);", None), ("java", "probe(0x10);", 16), ("java", "probe(5 > 4);", None),
        ("scala", 'probe("a\\tb")', "a\tb"), ("scala", 'probe("""a\\tb""")', "a\\tb"), ("scala", 'probe(s"a")', "a"),
        ("scala", 'probe(s"a$x")', None), ("scala", 'probe(s"a${x}")', None), ("scala", 'probe(s"""a""")', None),
        ("scala", "val x = 5\nprobe(x)", 5), ("scala", "val x: Int = 5\nprobe(x)", 5),
        ("scala", "var x = 5\nx = 6\nprobe(x)", None),
        ("scala", "lazy val x = 5\nprobe(x)", 5), ("scala", "val (x, y) = pair\nprobe(x)", None),
        ("scala", "probe(given)", None),
        ("scala", "for (x <- all) { probe(x) }", None), ("scala", "run(x => probe(x))", None),
        ("scala", "val x = 5\nrun(y => probe(x))", 5),
        ("scala", "run { x => probe(x) }", None), ("scala", "y match { case Some(x) => probe(x) }", None),
        ("scala", "probe(!true)", False),
        ("scala", "val x = 5\ny match { case Some(z) => probe(x) }", 5), ("scala", "probe(if (y) 5 else 6)", None),
        ("scala", "probe(-5)", -5),
        ("kt", 'probe("a\\tb")', "a\tb"), ("kt", 'probe("""a\\tb""")', "a\\tb"), ("kt", 'probe("a$x")', None),
        ("kt", 'probe("a${x}")', None),
        ("kt", 'probe("a\\$x")', "a$x"), ("kt", "probe(true)", True), ("kt", "probe(null)", None),
        ("kt", "val x = 5\nprobe(x)", 5),
        ("kt", "val x: Long = 5L\nprobe(x)", 5), ("kt", "var x = 5\nx = 6\nprobe(x)", None),
        ("kt", "var x = 5\nx++\nprobe(x)", None),
        ("kt", "val x by lazy { 5 }\nprobe(x)", 5), ("kt", "val x by other { 5 }\nprobe(x)", None),
        ("kt", "val (x, y) = pair\nprobe(x)", None),
        ("kt", "val x by lazy { load()\n5 }\nprobe(x)", None), ("kt", "for (x in all) { probe(x) }", None),
        ("kt", "probe(5!!)", 5),
        ("kt", "run { x -> probe(x) }", None), ("kt", "val x = 5\nrun { probe(x) }", 5), ("kt", "probe(5 as Long)", 5),
        ("kt", "probe(if (y) 5 else 6)", None), ("kt", "probe(given)", None), ("kt", "probe(-5)", -5),
        ("kt", "probe(2 + 3)", 5),
    ],
)  # fmt: skip
def test_values(language: str, statements: str, value: Constant | None) -> None:
    (made,) = probed(language, within(language, statements))
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(
    ("language", "expression", "target", "names", "kinds"),
    [
        ("java", "a.b(1, c);", "a", ["", ""], ["number", "name"]), ("java", "b();", None, [], []),
        ("java", "this.b(1);", "this", [""], ["number"]),
        ("java", "a.c().b(x -> 1);", "c", [""], ["function"]), ("java", "A.<C>b(1);", "A", [""], ["number"]),
        ("java", "b(new C(1), a[0], null);", None, ["", "", ""], ["new", "index", "null"]),
        ("java", "b(C::d);", None, [""], ["other"]),
        ("scala", "a.b(1, c)", "a", ["", ""], ["number", "name"]), ("scala", "a.b[C](1)", "a", [""], ["number"]),
        ("scala", "a.b(d = 1)", "a", ["d"], ["number"]), ("scala", "a b 1", "a", [""], ["number"]),
        ("scala", "a.b(1)(2)", "a", ["", ""], ["number", "number"]),
        ("scala", "a.b(1) { c }", "a", ["", ""], ["number", "function"]),
        ("scala", "a.b { c }", "a", [""], ["function"]),
        ("scala", "a.b[C]", "a", [], []), ("scala", 'b("c" -> 1)', None, [""], ["pairs"]),
        ("kt", "a.b(1, c)", "a", ["", ""], ["number", "name"]), ("kt", "a.b<C>(1)", "a", [""], ["number"]),
        ("kt", "a?.b(1)", "a", [""], ["number"]),
        ("kt", "a.b(d = 1)", "a", ["d"], ["number"]), ("kt", "a.b { c }", "a", [""], ["function"]),
        ("kt", "a.b(1) { c }", "a", ["", ""], ["number", "function"]),
        ("kt", 'b("c" to 1)', None, [""], ["pairs"]), ("kt", "a b 1", "a", [""], ["number"]),
        ("kt", "b(a[0])", None, [""], ["index"]),
    ],
)  # fmt: skip
def test_calls(language: str, expression: str, target: str | None, names: list[str], kinds: list[str]) -> None:
    read = program(language, within(language, expression))
    (call,) = read.calls["b"]
    assert (None if call.target is None else call.target.name, call.names) == (target, names)
    assert [one.kind for one in call.args] == kinds
    assert read.raw(call.name_span) == "b"


@pytest.mark.parametrize(
    ("statement", "name", "arguments"),
    [
        ("env.parallelism = 4", "setParallelism", ["number"]), ("env.config.rate = load()", "setRate", ["call"]),
        ("env.rate += 1", "setRate", []), ("this.rate = 4", None, []), ("rate = 4", None, []),
    ],
)  # fmt: skip
def test_kotlin_sets_properties_by_assignment(statement: str, name: str | None, arguments: list[str]) -> None:
    calls = {key: calls for key, calls in program("kt", within("kt", statement)).calls.items() if key.startswith("set")}
    assert list(calls) == ([] if name is None else [name])
    for (call,) in calls.values():
        assert [one.kind for one in call.args] == arguments


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("import a.b.CassandraSink", ["a.b.CassandraSink"]), ("import a.B, c.D", ["a.B", "c.D"]),
        ("import a.{BasicTypeInfo, C}", ["a.BasicTypeInfo", "a.C"]), ("import a.{B => D, C => _}", ["a.B", "a.C"]),
        ("import a.{B as D}", ["a.B"]), ("import a.B as D", ["a.B"]), ("import a._", ["a._"]),
    ],
)  # fmt: skip
def test_scala_imports_by_their_own_names(statement: str, names: list[str]) -> None:
    assert sorted(program("scala", f"{statement}\nobject A").imports) == names


def test_scala_sets_elements_by_assignment() -> None:
    nodes = program("scala", within("scala", 'props("a") = 1\nmatrix(1, 2) = 3')).nodes
    first, second = [node.target for node in nodes if node.kind == "assign"]
    assert first is not None
    assert first.target is not None
    assert (first.kind, first.target.name, first.args[0].value) == ("index", "props", "a")
    assert second is not None
    assert second.kind == "call"


@pytest.mark.parametrize(
    ("language", "text", "name", "supers", "flags"),
    [
        ("java", "class A extends b.C<D> implements E, F<G> { }", "A", ("C", "E", "F"), set()),
        ("java", "interface A extends B { }", "A", ("B",), set()),
        ("java", "record A(int b) implements C { }", "A", ("C",), set()), ("java", "enum A { B }", "A", (), set()),
        ("scala", "class A(b: Int) extends C[D](1) with E", "A", ("C", "E"), set()),
        ("scala", "object A extends C", "A", ("C",), {"object"}),
        ("scala", "trait A", "A", (), set()), ("scala", "case class A(b: Int)", "A", (), set()),
        ("kt", "class A(val b: Int) : C<D>(1), E", "A", ("C", "E"), set()),
        ("kt", "object A : C()", "A", ("C",), {"object"}),
        ("kt", "interface A", "A", (), set()), ("kt", "data class A(val b: Int)", "A", (), set()),
    ],
)  # fmt: skip
def test_classes(language: str, text: str, name: str, supers: tuple[str, ...], flags: set[str]) -> None:
    made = program(language, text).classes[name]
    assert (made.supers, made.flags) == (supers, flags)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("class A { companion object { const val N = 3 }\nfun run() { probe(N) } }", 3),
        ("class A { companion object { const val N = 3 } }\nfun run() { probe(A.N) }", 3),
        ("object A { val N = 3 }\nfun run() { probe(A.N) }", 3),
        ("class A(val n: Int) { fun run() { probe(n) } }", None),
        ("const val N = 3\nclass A { fun run() { probe(N) } }", 3), ("fun n() = 3\nfun run() { probe(n()) }", None),
    ],
)  # fmt: skip
def test_where_a_name_of_kotlin_counts(text: str, value: int | None) -> None:
    assert probed("kt", text) == [value]


@pytest.mark.parametrize(
    ("language", "statements", "conditional"),
    [
        ("java", "if (a) { probe(1); } else { probe(2); } probe(3);", [True, True, False]),
        ("java", "for (int i : all) { probe(1); } switch (a) { case 1: probe(2); } x = a ? probe(3) : 4;", [True] * 3),
        ("scala", "if (a) probe(1) else probe(2)\nprobe(3)", [True, True, False]),
        ("scala",
         "a match { case 1 => probe(1) }\nwhile (a) { probe(2) }\nfor (x <- all) { probe(3) }",
         [True] * 3),
        ("kt", "if (a) probe(1) else probe(2)\nprobe(3)", [True, True, False]),
        ("kt",
         "when (a) { 1 -> probe(1) }\nwhile (a) { probe(2) }\nfor (x in all) { probe(3) }",
         [True] * 3),
    ],
)  # fmt: skip
def test_what_runs_on_condition(language: str, statements: str, conditional: list[bool]) -> None:
    calls = program(language, within(language, statements)).calls["probe"]
    assert [is_in_branch(call) for call in calls] == conditional


@pytest.mark.parametrize(
    ("language", "text", "imports"),
    [
        ("java", "import a.b.C;\nimport static a.D.*;\nimport  e.F ;\n", {"a.b.C", "a.D.*", "e.F"}),
        ("scala",
         "import a.b.C\nimport a.{D, E => F}\nimport g._\nimport h.I, j.K\n",
         {"a.b.C", "a.D", "a.E", "g._", "h.I", "j.K"}),
        ("kt", "import a.b.C\nimport a.D as E\nimport f.*\n", {"a.b.C", "a.D", "f.*"}),
    ],
)  # fmt: skip
def test_imports(language: str, text: str, imports: set[str]) -> None:
    assert program(language, text).imports == imports


def test_returns() -> None:
    read = program("kt", within("kt", "list.forEach { return@forEach }\nreturn 5"))
    assert [node.init is not None for node in read.nodes if node.kind == "return"] == [False, True]
    read = program("java", within("java", "if (a) { return; } return 5;"))
    assert [node.init is not None for node in read.nodes if node.kind == "return"] == [False, True]


def test_anonymous_classes() -> None:
    for language, expression in (
        ("java", "probe(new C<D>(1) { int n = 3; })"),
        ("kt", "probe(object : C<D>(1) { val n = 3 })"),
    ):
        read = program(language, within(language, expression + (";" if language == "java" else "")))
        (made,) = read.news["C"]
        assert [(part.kind, part.supers) for part in made.parts] == [("class", ("C",))]
    scala = program("scala", within("scala", "probe(new C[D](1) { val n = 3 })"))
    assert [part.supers for part in scala.news["C"][0].parts] == [("C",)]


def test_what_is_nested_too_deeply_is_left_out() -> None:
    for language in ("java", "scala", "kt"):
        deep = within(language, "f(" * 300 + "probe(1)" + ")" * 300 + (";" if language == "java" else ""))
        assert 0 < len(program(language, deep).calls["f"]) < 300
