"""The values of expressions in programs, as far as the source alone determines them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flink_flint.linter.formats.source.constant_folding import (
    Constant,
    Folding,
    Memory,
    OptionKey,
    Symbol,
    Time,
    Unit,
    milliseconds,
    setting_text,
    text_of,
)
from flink_flint.linter.formats.source.jvm_program import FILE_FORMAT as JVM
from flink_flint.linter.formats.source.python_program import FILE_FORMAT as PYTHON

MAX_INT, MAX_LONG = 2**31 - 1, 2**63 - 1


def folded(language: str, expression: str, declarations: str = "") -> Constant | None:
    """Return the value of the argument of `probe` in a program."""
    text = {
        "java": f"class Job {{ {declarations} void run() {{ probe({expression}); }} }}",
        "scala": f"object Job {{ {declarations}\n def run() = {{ probe({expression}) }} }}",
        "kt": f"{declarations}\nfun run() {{ probe({expression}) }}",
        "py": f"{declarations}\nprobe({expression})\n",
    }[language]
    program = (PYTHON if language == "py" else JVM).program(f"Job.{language}", text)
    (call,) = program.calls["probe"]
    return Folding(program)(call.args[0])


def seconds(number: float) -> Time:
    return Time(number * 1_000)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('"a"', "a"), ("7", 7), ("7L", 7), ("0x1F", 31), ("1_000", 1_000), ("1.5", 1.5), ("true", True),
        ("null", None), ("args[0]", None), ("unknown", None), ("load()", None),
        # signs
        ("-7", -7), ("+7", 7), ("!true", False), ("!false", True), ("-true", None), ('-"a"', None), ("!7", None),
        # operators
        ("2 + 3", 5), ("2 - 3", -1), ("2 * 3", 6), ("7 / 2", 3), ("-7 / 2", -3), ("7 / 2.0", 3.5), ("7 / 0", None),
        ("1 << 4", 16), ("1 << 62", 1 << 62), ("1 << 63", None), ("1 << -1", None), ("1.0 << 2", None), ("7 % 2", None),
        ("true + 1", None), ("2 * unknown", None), ("2 + true", None),
        ("1000000000000000000L * 2", 2 * 10**18), ("1000000000000000001L * 2", None),
        ("2 * 1000000000000000001L", None),
        # text
        ('"a" + 1', "a1"), ('1 + "a"', "1a"), ('"a" + true', "atrue"), ('"a" + unknown', None),
        ('"a" + Duration.ofSeconds(1)', None), ('"a" * 2', None),
        # names
        ("Integer.MAX_VALUE", MAX_INT), ("Long.MAX_VALUE", MAX_LONG), ("Short.MAX_VALUE", Symbol("Short", "MAX_VALUE")),
        ("Semantic.EXACTLY_ONCE", Symbol("Semantic", "EXACTLY_ONCE")),
        ("CheckpointConfig.Mode.STRICT", Symbol("Mode", "STRICT")),
        ("EXACTLY_ONCE", Symbol("", "EXACTLY_ONCE")), ("E", None), ("semantic.exactly", None),
        ("Semantic.exactly", None), ("semantic.EXACTLY", None),
        # times
        ("Duration.ofMillis(5)", Time(5)), ("Duration.ofSeconds(5)", seconds(5)),
        ("Duration.ofMinutes(5)", seconds(300)),
        ("Duration.ofHours(1)", seconds(3_600)), ("Duration.ofDays(1)", seconds(86_400)),
        ("Duration.of(5, ChronoUnit.SECONDS)", seconds(5)), ("Duration.ofNanos(1000000)", Time(1)),
        ("Duration.of(5, unit)", None), ("Duration.ofSeconds(unknown)", None), ("Duration.ofSeconds(true)", None),
        ("Duration.ofSeconds(5, 1)", None), ("Duration.parse(5)", None), ("Duration.ofSeconds()", None),
        ("Duration.ZERO", Time(0)), ("Time.seconds(5)", seconds(5)), ("Time.of(5, TimeUnit.MINUTES)", seconds(300)),
        ("Time.of(5, MINUTES)", seconds(300)), ("Clock.seconds(5)", None), ("Other.ZERO", Symbol("Other", "ZERO")),
        ("TimeUnit.SECONDS", Unit(1_000)), ("DAYS", Unit(86_400_000)),
        # methods
        ("Duration.ofSeconds(5).toMillis()", 5_000), ("Duration.ofNanos(1500).toMillis()", 0.0015),
        ("Duration.ofMillis(5900).toSeconds()", 5), ("Duration.ofMillis(5900).getSeconds()", 5),
        ("Duration.ofSeconds(150).toMinutes()", 2), ("Duration.ofSeconds(150).toNanos()", None),
        ("Time.seconds(5).toMilliseconds()", 5_000), ("Duration.ofSeconds(5).asJava()", seconds(5)),
        ("Duration.ofSeconds(5).plus(Duration.ofSeconds(1))", seconds(6)),
        ("Duration.ofSeconds(5).minus(Duration.ofSeconds(1))", seconds(4)),
        ("Duration.ofSeconds(5).plus(1)", None), ("Duration.ofSeconds(5).multipliedBy(3)", seconds(15)),
        ("Duration.ofSeconds(5).multipliedBy(Duration.ZERO)", None), ("Duration.ofSeconds(5).dividedBy(2)", None),
        ("TimeUnit.MINUTES.toMillis(5)", 300_000), ("TimeUnit.MINUTES.toSeconds(5)", 300),
        ("TimeUnit.MINUTES.toHours(60)", None), ("TimeUnit.MINUTES.toMillis(unknown)", None),
        ("TimeUnit.MINUTES.toMillis(true)", None),
        ("Semantic.EXACTLY_ONCE.name()", "EXACTLY_ONCE"), ("Semantic.EXACTLY_ONCE.toString()", "EXACTLY_ONCE"),
        ("RestOptions.PORT.key()", Symbol("RestOptions", "PORT")), ("RestOptions.PORT.defaultValue()", None),
        ("RestOptions.PORT.name(1)", None), ('"a".toString()', "a"), ('"a".trim()', None),
        # conversions
        ("String.valueOf(5)", "5"), ("String.valueOf(true)", "true"), ("Integer.toString(5)", "5"),
        ('Integer.parseInt("5")', 5), ('Integer.parseInt("x")', None), ('Long.parseLong("5")', 5),
        ('Double.parseDouble("2.5")', 2.5), ("String.valueOf(Mode.AT_LEAST_ONCE)", "AT_LEAST_ONCE"),
        ("Integer.parseInt(Mode.AT_LEAST_ONCE)", None), ("Integer.parseInt(Duration.ZERO)", None),
        ('Integer.parseInt("1" + load())', None), ('Integer.decode("5")', None), ('Parser.parseInt("5")', None),
        # sizes and options
        ("MemorySize.ofMebiBytes(64)", Memory(64 << 20)), ("MemorySize.ofKibiBytes(64)", Memory(64 << 10)),
        ('MemorySize.ofMebiBytes("64")', None), ('MemorySize.parse("64mb")', "64mb"), ("MemorySize.parse(64)", None),
        ('MemorySize.parse("64", unit)', None), ("MemorySize.ofBytes(64)", Memory(64)),
        ("MemorySize.ZERO", Memory(0)), ("MemorySize.MAX_VALUE", Memory((1 << 63) - 1)), ("MemorySize.OTHER", None),
        ('ConfigOptions.key("a.b")', OptionKey("a.b")), ("ConfigOptions.key(5)", None), ('ConfigOptions.of("a")', None),
        ('ConfigOptions.key("a.b").stringType().noDefaultValue()', OptionKey("a.b")),
        ('ConfigOptions.key("a.b").intType().defaultValue(1).key()', "a.b"),
        ('ConfigOptions.key("a.b").key(1)', OptionKey("a.b")),
    ],
)  # fmt: skip
def test_expressions_of_java(expression: str, value: Constant | None) -> None:
    made = folded("java", expression)
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("5.seconds", seconds(5)), ("5.minutes.toMillis", 300_000), ("10 seconds", seconds(10)),
        ("2.5.hours", seconds(9_000)),
        ("Duration(5, TimeUnit.SECONDS)", seconds(5)), ('Duration(5, "minutes")', seconds(300)),
        ('Duration(5, "weeks")', None),
        ("FiniteDuration(5, SECONDS)", seconds(5)), ("Duration.apply(5, SECONDS)", seconds(5)),
        ('Time(5, "seconds")', None), ("Duration.create(5, SECONDS)", None),
        ("ATTEMPTS.toString", "5"), ("ATTEMPTS.toLong", 5), ("ATTEMPTS.toByte", None), ("true.seconds", None),
        ('"5".seconds', None),
        ("Int.MaxValue", MAX_INT), ("Long.MaxValue", MAX_LONG), ("Duration.Zero", Symbol("Duration", "Zero")),
        ("5.seconds.toSeconds", 5), ("Semantic.EXACTLY_ONCE.toString", "EXACTLY_ONCE"),
        ("TIMEOUT.toMillis", 2_000), ("Names.toMillis", None),
    ],
)  # fmt: skip
def test_expressions_of_scala(expression: str, value: Constant | None) -> None:
    made = folded("scala", expression, "val TIMEOUT = 2.seconds; val ATTEMPTS = 5")
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("5.seconds.inWholeMilliseconds", 5_000), ("90.seconds.inWholeSeconds", 90), ("5.minutes", seconds(300)),
        ("Duration.ofSeconds(5).toMillis()", 5_000), ("5.toString()", "5"), ("Int.MAX_VALUE", MAX_INT),
    ],
)  # fmt: skip
def test_expressions_of_kotlin(expression: str, value: Constant | None) -> None:
    made = folded("kt", expression)
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("str(5)", "5"), ("str(True)", "true"), ("str(5, 6)", None), ("int('5')", 5), ("int('x')", None),
        ("int('5', 8)", None), ("int(None)", None), ("float('5')", 5.0), ("float('x')", None),
        ("os.environ.get('N', 5)", 5), ("int(os.environ.get('N', '5'))", 5), ("os.environ.get('N', '5')", None),
        ("timedelta(seconds=5)", seconds(5)), ("timedelta(minutes=1, seconds=30)", seconds(90)),
        ("timedelta()", Time(0)),
        ("timedelta(1)", None), ("timedelta(weeks=1)", None), ("timedelta(seconds=rest)", None),
        ("timedelta(seconds=True)", None), ("datetime.timedelta(seconds=5)", None),
        ("7 // 2", 3), ("not True", False), ("-TIMEOUT", -3), ("TIMEOUT * 2", 6), ("Time.seconds(5)", seconds(5)),
        ("10 ** 2", None), ("1e31", None), ("-1e31", None), ("1e30", 1e30), ("Time.days(1e25)", None),
        ("float('nan')", None), ("1e308 * 10", None),
    ],
)  # fmt: skip
def test_expressions_of_python(expression: str, value: Constant | None) -> None:
    made = folded("py", expression, "TIMEOUT = 3")
    assert (made, type(made)) == (value, type(value))


def test_timedelta_counts_units_as_python_does() -> None:
    given = {"days": 1, "hours": 2, "minutes": 3, "seconds": 4, "milliseconds": 5, "microseconds": 6}
    made = folded("py", f"timedelta({', '.join(f'{unit}={number}' for unit, number in given.items())})")
    assert made == Time(timedelta(**given) / timedelta(milliseconds=1))


@pytest.mark.parametrize(
    ("declarations", "value"),
    [
        ("static final int N = 3; static final int TWICE = N * 2;", 6),
        ("final int TWICE = load();", None),
        ("static int TWICE = TWICE + 1;", None),
        ("static int TWICE = 1; void set() { TWICE = 2; }", None),
    ],
)
def test_a_name_has_the_one_value_that_it_is_given(declarations: str, value: int | None) -> None:
    assert folded("java", "TWICE", declarations) == value


def test_long_sums_end_somewhere() -> None:
    assert folded("java", " + ".join(["1"] * 41)) == 41
    assert folded("java", " + ".join(["1"] * 42)) is None


@pytest.mark.parametrize(
    ("value", "unit", "ms"),
    [
        (Time(1.6), None, 2), (5, None, 5), (1.6, None, 2), (5, Unit(1_000), 5_000), (True, None, None),
        ("5", None, None),
        (5, "seconds", None), (None, None, None), (Memory(5), None, None),
    ],
)  # fmt: skip
def test_times_in_milliseconds(value: Constant | None, unit: Constant | None, ms: int | None) -> None:
    assert milliseconds(value, unit) == ms


def test_constants_as_settings() -> None:
    given = [Time(1.6), Memory(5), True, False, 5, 2.5, "a", Symbol("A", "B"), Unit(1), OptionKey("a"), None]
    assert [setting_text(one) for one in given] == [
        "2 ms", "5 b", "true", "false", "5", "2.5", "a", None, None, None, None
    ]  # fmt: skip
    assert [text_of(one) for one in (Time(1), Memory(5), True, 5, "a")] == [None, None, "true", "5", "a"]
