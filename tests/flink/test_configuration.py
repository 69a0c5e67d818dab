"""What each release reads from a set of entries: precedence, defaults, names, and which releases agree."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.flink.configuration import BadValue, Configuration
from flink_flint.linter.flink.generate.merge import dumped
from flink_flint.linter.flink.options import Catalogue, catalogue
from flink_flint.linter.flink.releases import MINORS, NEWEST, parse_release, release_at
from flink_flint.linter.flink.values import Duration, MemorySize, grammar_range, parse

OPTIONS = catalogue()
KEYS = sorted({option.key for index in range(len(MINORS)) for option in OPTIONS.keys(index)})

# Options such as the rows below were measured with, in every release.
_DEFINITIONS: dict[str, dict[str, object]] = {
    "l": {"type": "List<String>"},
    "m": {"type": "Map", "fallback_keys": ["f"], "deprecated_keys": ["d", "e"]},
    "md": {"type": "Map", "default": {"q": "7"}},
    "p": {"type": "Integer", "default": 9, "fallback_keys": ["f1", "f2"], "deprecated_keys": ["d1", "d2"]},
}
SAMPLES = Catalogue(
    dumped({key: {"definitions": [{"first": 0, "last": NEWEST, **facts}]} for key, facts in _DEFINITIONS.items()})
)


def configured(
    entries: Mapping[str, object], release: str, *, yaml: bool = False, options: Catalogue | None = None
) -> Configuration:
    return Configuration(entries, parse_release(release), yaml=yaml, options=options)


# Precedence, as Configuration.getOptional, get and contains of the releases answered


@pytest.mark.parametrize("release", ["1.11", "1.20", "2.3"])
@pytest.mark.parametrize(
    ("entries", "written", "value"),
    [
        ({}, None, 9),
        ({"p": "1", "d1": "2"}, "p", 1),
        ({"d1": "2"}, "d1", 2),
        ({"d2": "3", "d1": "2"}, "d1", 2),  # the order of the option, not of the file
        ({"d1": "2", "f1": "4"}, "f1", 4),
        ({"f2": "5"}, "f2", 5),
        ({"f2": "5", "f1": "4", "p": "1"}, "p", 1),
        ({"p": "x", "f1": "4"}, "p", None),  # a bad value is an error, whatever the aliases hold
        ({"p": "", "f1": "4"}, "p", None),
        ({"p.a": "1"}, None, 9),
    ],
)
def test_precedence(release: str, entries: dict[str, object], written: str | None, value: int | None) -> None:
    config = configured(entries, release, options=SAMPLES)
    assert config.resolve("p").written == written
    assert config.is_set("p") == (written is not None)
    if value is None:
        for _ in range(2):  # the second time from memory
            with pytest.raises(BadValue, match="For input string"):
                config.value("p")
    else:
        assert config.value("p") == value


@pytest.mark.parametrize(
    ("entries", "before", "since"),
    [
        # what releases before 1.14 read, and those from 1.14 on
        ({"d": "x:y"}, {"x": "y"}, {"x": "y"}),
        ({"m": "x:y", "m.a": "1"}, {"x": "y"}, {"x": "y"}),
        ({"m": "", "m.a": "1"}, {}, {}),
        ({"m.a": "1", "m.b.c": "2"}, None, {"a": "1", "b.c": "2"}),
        ({"m.a": "1", "d": "x:y"}, {"x": "y"}, {"a": "1"}),
        ({"m.a": "1", "f": "x:y"}, {"x": "y"}, {"a": "1"}),
        ({"f.a": "1", "d": "x:y"}, {"x": "y"}, {"a": "1"}),
        ({"d.a": "1", "e": "x:y"}, {"x": "y"}, {"a": "1"}),
        ({"d.a": "1", "d": "x:y"}, {"x": "y"}, {"x": "y"}),
        ({"m.a": "1", "d.b": "2"}, None, {"a": "1"}),
        ({"f.a": "1"}, None, {"a": "1"}),
    ],
)
def test_a_map_is_gathered_from_the_entries_below_each_of_its_keys_in_turn(
    entries: dict[str, object], before: dict[str, str] | None, since: dict[str, str] | None
) -> None:
    for index in range(len(MINORS)):
        config = Configuration(entries, release_at(index), yaml=False, options=SAMPLES)
        expected = before if index < MINORS.index("1.14") else since
        assert config.value("m") == expected
        assert config.is_set("m") == (expected is not None)
        if before != since:
            assert (config.first < MINORS.index("1.14")) == (config.last < MINORS.index("1.14"))


@pytest.mark.parametrize(("release", "value"), [("1.13", {"q": "7"}), ("1.14", {"a": "1"})])
def test_entries_of_a_map_replace_its_default(release: str, value: dict[str, str]) -> None:
    assert configured({"md.a": "1"}, release, options=SAMPLES).value("md") == value


def test_a_bad_map_is_refused_whatever_is_below_it() -> None:
    with pytest.raises(BadValue):
        configured({"m": "zzz", "m.a": "1"}, "1.20", options=SAMPLES).value("m")


def test_a_list_is_not_gathered() -> None:
    assert configured({"l.a": "1"}, "1.20", options=SAMPLES).value("l") is None


def test_entries_of_a_map_of_flink() -> None:
    entries = {"kubernetes.jobmanager.labels.app": "a", "kubernetes.jobmanager.labels.team.x": "b"}
    assert configured(entries, "1.14").value("kubernetes.jobmanager.labels") == {"app": "a", "team.x": "b"}
    assert configured(entries, "1.13").value("kubernetes.jobmanager.labels") is None


# Names

_BOTH = {"akka.framesize": "1m", "pekko.framesize": "2m"}


@pytest.mark.parametrize(
    ("key", "entries", "release", "name", "written"),
    [
        ("pekko.framesize", {"akka.framesize": "1m"}, "1.9", "akka.framesize", "akka.framesize"),
        ("pekko.framesize", {"akka.framesize": "1m"}, "2.3", "pekko.framesize", "akka.framesize"),
        ("pekko.framesize", {"pekko.framesize": "1m"}, "1.17", "akka.framesize", None),
        ("pekko.framesize", _BOTH, "1.17", "akka.framesize", "akka.framesize"),
        ("pekko.framesize", _BOTH, "1.18", "pekko.framesize", "pekko.framesize"),
        ("high-availability.type", {"recovery.mode": "zookeeper"}, "1.16", "high-availability", "recovery.mode"),
        ("rest.bind-port", {"rest.port": "1"}, "1.20", "rest.bind-port", "rest.port"),
        ("no.such.key", {"no.such.key": "1"}, "1.20", "no.such.key", None),
    ],
)  # fmt: skip
def test_the_name_of_the_release(
    key: str, entries: dict[str, object], release: str, name: str, written: str | None
) -> None:
    resolution = configured(entries, release).resolve(key)
    assert (resolution.name, resolution.written) == (name, written)
    assert resolution.raw == (entries[written] if written else None)


@pytest.mark.parametrize(
    ("key", "others", "winner"),
    [
        ("web.port", {}, None),
        ("web.port", {"rest.port": "2"}, "rest.port"),
        ("web.port", {"rest.bind-port": "2"}, None),  # `rest.port` reads it
        ("web.port", {"rest.port": "2", "rest.bind-port": "3"}, "rest.port"),
        ("rest.port", {"rest.bind-port": "2"}, None),
        ("akka.client.timeout", {"client.timeout": "2 s"}, "client.timeout"),
        # An option of its own, which no other option reads, is read whatever else is set.
        ("web.ssl.enabled", {"jobmanager.web.ssl.enabled": "true"}, None),
        ("jobmanager.web.ssl.enabled", {"web.ssl.enabled": "true"}, "web.ssl.enabled"),
        ("kubernetes.jobmanager.labels.a", {}, None),
        ("kubernetes.jobmanager.labels.a", {"kubernetes.jobmanager.labels": "b:c"}, "kubernetes.jobmanager.labels"),
        ("no.such.key", {}, None),
    ],
)  # fmt: skip
def test_a_written_key_loses_to_another_spelling_of_its_option(
    key: str, others: dict[str, object], winner: str | None
) -> None:
    assert configured({key: "1 s", **others}, "1.20").overridden_by(key) == winner


def test_instances_of_a_template() -> None:
    entries = {"metrics.reporter.prom.interval": "20 s", "metrics.reporter.other.interval": "1 s"}
    config = configured(entries, "1.18")
    assert config.value("metrics.reporter.prom.interval") == Duration(20 * 10**9)
    assert config.resolve("metrics.reporter.prom.interval").name == "metrics.reporter.prom.interval"
    assert config.value("metrics.reporter.third.interval") == Duration(10 * 10**9)
    assert not config.is_set("metrics.reporter.third.interval")
    assert config.resolve("metrics.reporter.prom.class").option is not None
    assert configured(entries, "2.0").resolve("metrics.reporter.prom.class").option is None


def test_a_patch_is_read_by_its_own_names_and_defaults() -> None:
    entries = {"execution.buffer-timeout": "1 ms", "execution.buffer-timeout.interval": "2 ms"}
    key = "execution.buffer-timeout.interval"
    found = [configured(entries, release).resolve(key).written for release in ("1.16.2", "1.16.3", "1.16", "1.17.1")]
    assert found == ["execution.buffer-timeout", key, key, "execution.buffer-timeout"]
    assert configured({}, "1.15.3").value("python.fn-execution.bundle.size") == 100000
    assert configured({}, "1.15").value("python.fn-execution.bundle.size") == 1000


@pytest.mark.parametrize(("release", "like"), [("1.8.0", "1.9"), ("2.99.0", "2.3"), ("3.0.1", "2.3")])
def test_a_release_outside_the_catalogue_is_read_as_the_latest_patch_of_the_nearest(release: str, like: str) -> None:
    config = configured({}, release)
    assert config.index == MINORS.index(like)
    assert config.catalogue is OPTIONS


# Values and defaults

_MODULES = "org.apache.flink.runtime.security.modules"


@pytest.mark.parametrize(
    ("key", "release", "value"),
    [
        ("taskmanager.memory.network.max", "1.16", MemorySize(2**30)),
        ("taskmanager.memory.network.max", "1.17", MemorySize(2**63 - 1)),
        ("restart-strategy.fixed-delay.delay", "1.9", "0 s"),
        ("restart-strategy.fixed-delay.delay", "1.10", Duration(10**9)),
        ("metrics.job.status.enable", "1.20", ["CURRENT_TIME"]),
        ("external-resources", "1.20", []),
        (
            "security.module.factory.classes", "1.20",
            [f"{_MODULES}.{name}ModuleFactory" for name in ("Hadoop", "Jaas", "Zookeeper")],
        ),
        (
            "taskmanager.memory.managed.consumer-weights", "1.20",
            {"OPERATOR": "70", "STATE_BACKEND": "70", "PYTHON": "30"},
        ),
        ("pipeline.jobvertex-parallelism-overrides", "1.20", {}),
        ("io.tmp.dirs", "1.20", "${java.io.tmpdir}"),
        ("s3.upload.max.concurrent.uploads", "1.9", "${cores}"),
        ("execution.checkpointing.interval", "1.20", None),
        ("no.such.key", "1.20", None),
    ],
)  # fmt: skip
def test_defaults(key: str, release: str, value: object) -> None:
    assert configured({}, release).value(key) == value


def test_defaults_are_not_shared() -> None:
    first = configured({}, "1.20").value("metrics.job.status.enable")
    assert isinstance(first, list)
    first.append("x")
    assert configured({}, "1.20").value("metrics.job.status.enable") == ["CURRENT_TIME"]


@pytest.mark.parametrize("raw", ["{{ .Values.interval }}", "${INTERVAL}", "<%= @interval %>", None])
def test_values_with_template_expressions_are_unknown(raw: object) -> None:
    config = configured({"heartbeat.interval": raw, "heartbeat.timeout": "50 s"}, "1.20")
    assert config.is_set("heartbeat.interval")
    assert not config.is_known("heartbeat.interval")
    assert config.value("heartbeat.interval") is None
    assert config.is_known("heartbeat.timeout")
    assert config.is_known("rest.port")


@pytest.mark.parametrize(
    ("text", "accepting"),
    [("10 m", ("1.15", "2.3")), ("10 min", ("1.10", "2.3")), ("PT10M", ("2.1", "2.3"))],
)
def test_the_grammar_is_that_of_the_release(text: str, accepting: tuple[str, str]) -> None:
    key = "restart-strategy.fixed-delay.delay"
    for index in range(1, len(MINORS)):
        config = Configuration({key: text}, release_at(index), yaml=False)
        if MINORS.index(accepting[0]) <= index <= MINORS.index(accepting[1]):
            assert config.value(key) == Duration(600 * 10**9)
        else:
            with pytest.raises(BadValue):
                config.value(key)


# Which releases share an answer


def answer(config: Configuration, key: str) -> tuple[object, ...]:
    try:
        value = config.value(key)
    except BadValue as refused:
        value = f"refused: {refused}"
    return config.resolve(key), config.is_known(key), type(value), value


def check_stretches(entries: Mapping[str, object], keys: list[str], yaml: bool) -> None:
    """That all releases between `first` and `last` give the answers that were given, to all questions together."""
    given_by = []
    for index in range(len(MINORS)):
        config = Configuration(entries, release_at(index), yaml=yaml)
        answers = [answer(config, key) for key in keys]
        assert config.first <= index <= config.last
        given_by.append((answers, config.first, config.last))
    for answers, first, last in given_by:
        for other, _, _ in given_by[first : last + 1]:
            assert other == answers


def instance(key: str) -> str:
    return key.replace("<", "").replace(">", "")


@pytest.mark.parametrize("value", [None, "1 m", "a:b", "7", "[1 d]", "99999999999999999999 s"])
def test_law_every_option_answers_alike_within_its_release_range(value: str | None) -> None:
    for key in KEYS:
        name = instance(key)
        check_stretches({} if value is None else {name: value}, [name], yaml=False)


_NAMES = sorted(
    {instance(key) for key in KEYS}
    | {alias for index in (0, 11, NEWEST) for option in OPTIONS.keys(index) for alias in option.lookup_order}
)
# Options of one name and its aliases, so that several spellings of one option meet.
_RELATED = st.sampled_from(_NAMES).flatmap(
    lambda name: st.sampled_from(sorted({name, f"{name}.x", *OPTIONS.current_names(name), *_spellings(name)}))
)
_VALUES = st.sampled_from(
    [
        "1",
        "10 m",
        "10 min",
        "1 d",
        "PT1H",
        "true",
        "1g",
        "a;b",
        "a:b,c:d",
        "a,b",
        "",
        "{{ x }}",
        "hashmap",
        "[1, 2]",
        "{a: b}",
        5,
        True,
    ]
)


def _spellings(name: str) -> set[str]:
    found = set()
    for index in range(len(MINORS)):
        accepted = OPTIONS.accept(name, index)
        if accepted and not accepted.option.templated:
            found |= {accepted.option.key, *accepted.option.lookup_order}
    return found


@given(st.dictionaries(_RELATED, _VALUES, max_size=6), st.lists(_RELATED, max_size=3), st.booleans())
@settings(max_examples=200, deadline=None)
def test_law_releases_within_the_bounds_agree(entries: dict[str, object], asked: list[str], yaml: bool) -> None:
    keys = [name for key in (*entries, *asked) for name in (key, *OPTIONS.current_names(key))]
    check_stretches(entries, keys, yaml)


def test_questions_restrict_the_bounds_and_can_be_asked_again() -> None:
    config = configured({"heartbeat.interval": "1"}, "1.18")
    config.value("taskmanager.memory.network.max")
    assert (config.first, config.last) == (MINORS.index("1.17"), NEWEST)
    config.value("heartbeat.interval")
    assert MINORS.index("1.17") <= config.first <= config.last < MINORS.index("1.20")  # no Duration before
    config.reset_bounds()
    assert (config.first, config.last) == (0, NEWEST)
    config.value("taskmanager.memory.network.max")
    assert (config.first, config.last) == (MINORS.index("1.17"), NEWEST)


def test_a_cached_answer_restricts_the_bounds_as_well() -> None:
    config = configured({"restart-strategy.fixed-delay.delay": "10 m"}, "1.18")
    for _ in range(2):
        config.reset_bounds()
        config.value("restart-strategy.fixed-delay.delay")
        assert (config.first, config.last) == (MINORS.index("1.15"), MINORS.index("1.20"))


_TEXTS = [
    *("10 d", "10 m", "PT1H", "99999999999999999999 ns", "99999999999999999999 s", "7", "x"),
    *("a", "a:b", "{a: b};{c: d}", "[a, b];c", "10 m;PT1H", "a,b:c"),
]


def typed(kind: str, text: str, index: int, yaml: bool) -> object:
    try:
        return parse(kind, (), text, index, yaml=yaml)
    except BadValue as refused:
        return refused.message


@pytest.mark.parametrize(
    "kind", ["String", "MemorySize", "Duration", "Map", "List<String>", "List<Map>", "List<Duration>"]
)
def test_law_a_grammar_is_valid_exactly_in_its_release_range(kind: str) -> None:
    def answers(index: int) -> list[object]:
        return [typed(kind, text, index, yaml) for text in _TEXTS for yaml in (False, True)]

    release_ranges = {grammar_range(kind, index) for index in range(len(MINORS))}
    assert sum(last - first + 1 for first, last in release_ranges) == len(MINORS)
    for first, last in release_ranges:
        assert all(answers(index) == answers(first) for index in range(first, last + 1))
        # From 2.0 on the items of a list may be YAML: strings are the same either way.
        assert first == 0 or kind == "List<String>" or answers(first - 1) != answers(first)
