"""The option catalogue against what is known of Flink's releases, and the laws its answers obey."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.flink import options
from flink_flint.linter.flink.options import MAX_SEGMENTS, Catalogue, Option, catalogue
from flink_flint.linter.flink.releases import MINORS, NEWEST, Release, parse_release, release_at

TEXT = Path(options.__file__).with_name("options.json").read_text(encoding="utf-8")
KEYS = sorted(json.loads(TEXT))
OPTIONS = catalogue()


def at(minor: str) -> int:
    return MINORS.index(minor)


def option_of(key: str, release: str) -> Option | None:
    """The option in a minor (``1.20``) or in one patch of it (``1.20.3``)."""
    expected = parse_release(release)
    assert expected.place is not None
    return OPTIONS.as_of(expected).option(key, expected.place)


def facts(option: Option | None) -> list[object]:
    """What an option is, without the minors it is so in."""
    said = ("key", "type", "default", "has_default", "enum", "lookup_order", "deprecated", "suffix")
    return [getattr(option, name) for name in said] if option else []


def default(key: str, release: str) -> object:
    option = option_of(key, release)
    assert option, f"{key} is no option of {release}"
    return option.default


def how(key: str, minor: str) -> tuple[str, str] | None:
    accepted = OPTIONS.accept(key, at(minor))
    return accepted and (accepted.option.key, accepted.how)


# The numbers of the keys each release declares for a cluster or job, but for those of the families that
# are written by hand, the TLS between its processes, the metric query service and the scheduler of
# workflows (below): counted from the classes of each release by other means than the generator.
@pytest.mark.parametrize(
    ("minor", "declared"),
    [
        *(("1.9", 389), ("1.10", 486), ("1.11", 535), ("1.12", 581), ("1.13", 624), ("1.14", 625)),
        *(("1.15", 693), ("1.16", 746), ("1.17", 779), ("1.18", 810), ("1.19", 864), ("1.20", 924)),
        *(("2.0", 938), ("2.1", 966), ("2.2", 987), ("2.3", 1018)),
    ],
)
def test_every_declared_option_is_there(minor: str, declared: int) -> None:
    from flink_flint.linter.flink.generate.undeclared_keys import FAMILIES

    reporter = "metrics.reporter.<name>."
    also_options = [f"{reporter}host", f"{reporter}port"]
    if at(minor) >= at("1.16"):
        also_options += [
            f"{reporter}{name}" for name in ("factory.class", "scope.delimiter", "scope.variables.excludes")
        ]
    by_hand = {f.template for f in FAMILIES if at(f.since) <= at(minor) <= at(f.until)}
    beyond = by_hand - set(also_options)
    beyond.add("workflow-scheduler.type")
    open_telemetry = ("service.name", "service.version", "batch.size", "export-completion-timeout-millis")
    found = [
        option.key
        for option in OPTIONS.keys(at(minor))
        if option.key not in beyond
        and not option.key.startswith(("security.ssl.internal.", "metrics.internal."))
        # Declared once, listed for traces and events as well.
        and not (
            option.key.startswith(("traces.reporter.", "events.reporter."))
            and (option.key.endswith(open_telemetry) or ".exporter." in option.key)
        )
    ]
    assert len(found) == declared


@pytest.mark.parametrize(
    ("key", "minor", "value"),
    [
        ("taskmanager.memory.network.max", "1.16", "1 gb"),
        ("taskmanager.memory.network.max", "1.17", "9223372036854775807 bytes"),
        ("akka.framesize", "1.9", "10485760b"),
        ("restart-strategy.fixed-delay.delay", "1.9", "0 s"),
        ("restart-strategy.fixed-delay.delay", "1.10", "1 s"),
        ("taskmanager.memory.segment-size", "1.10", "32 kb"),
        ("state.backend.fs.memory-threshold", "1.10", 1024),
        ("state.backend.fs.memory-threshold", "1.11", "20 kb"),
        ("jobmanager.memory.jvm-overhead.fraction", "1.13", 0.1),
        ("metrics.job.status.enable", "1.18", ["CURRENT_TIME"]),
        (
            "taskmanager.memory.managed.consumer-weights",
            "1.13",
            {"OPERATOR": "70", "STATE_BACKEND": "70", "PYTHON": "30"},
        ),
        ("state.backend.type", "1.20", "hashmap"),
        ("security.ssl.verify-hostname", "2.2", True),
        ("security.ssl.verify-hostname", "2.3", False),
        ("io.tmp.dirs", "1.20", "${java.io.tmpdir}"),
        ("env.pid.dir", "1.20", "/tmp"),
        ("s3.upload.max.concurrent.uploads", "1.9", "${cores}"),
        ("kubernetes.container.image.ref", "1.20", "apache/flink:${flink.version}-scala_2.12"),
        ("fs.<scheme>.limit.total", "2.3", -1),
    ],
)
def test_defaults(key: str, minor: str, value: object) -> None:
    assert default(key, minor) == value


def test_no_default_is_not_a_default_of_none() -> None:
    option = OPTIONS.option("execution.checkpointing.interval", at("1.20"))
    assert option
    assert not option.has_default
    empty = OPTIONS.option("metrics.reporter.<name>.jobName", at("1.20"))
    assert empty
    assert empty.has_default
    assert empty.default == ""


@pytest.mark.parametrize(
    ("key", "minor", "kind"),
    [
        ("taskmanager.memory.segment-size", "1.9", "String"),
        ("state.backend.incremental", "1.9", "Boolean"),
        ("taskmanager.memory.segment-size", "1.10", "MemorySize"),
        ("external-resources", "1.13", "List<String>"),
        ("kubernetes.env.secretKeyRef", "1.13", "List<Map>"),
        ("kubernetes.jobmanager.labels", "1.20", "Map"),
        ("execution.checkpointing.mode", "1.20", "Enum"),
        ("metrics.job.status.enable", "1.18", "List<Enum>"),
        ("pekko.ask.timeout", "1.20", "Duration"),  # declared as String too, but only @Deprecated
        ("metrics.reporter.<name>.port", "1.20", "String"),  # ranges of ports
        ("metrics.fetcher.update-interval", "1.19", "Long"),
        ("metrics.fetcher.update-interval", "1.20", "Duration"),
    ],
)
def test_types(key: str, minor: str, kind: str) -> None:
    option = OPTIONS.option(key, at(minor))
    assert option
    assert option.type == kind


def test_enums_have_the_constants_of_their_release_as_they_print() -> None:
    option = OPTIONS.option("jobmanager.scheduler", at("1.13"))
    assert option
    assert option.enum == ("Ng", "Adaptive")
    newer = OPTIONS.option("jobmanager.scheduler", at("2.0"))
    assert newer
    assert newer.enum == ("Default", "Adaptive", "AdaptiveBatch")


def test_a_deprecated_field_is_not_a_deprecated_key() -> None:
    # ExecutionCheckpointingOptions is @Deprecated in 1.20, CheckpointingOptions declares the key again.
    option = OPTIONS.option("execution.checkpointing.interval", at("1.20"))
    assert option
    assert not option.deprecated
    old = OPTIONS.option("akka.client.timeout", at("1.20"))
    assert old
    assert old.deprecated
    # Mesos was deprecated as a whole, by its classes.
    mesos = OPTIONS.option("mesos.master", at("1.13"))
    assert mesos
    assert mesos.deprecated


@pytest.mark.parametrize(
    ("key", "minor", "accepted"),
    [
        ("akka.framesize", "1.17", ("akka.framesize", "primary")),
        ("akka.framesize", "1.18", ("pekko.framesize", "deprecated")),
        ("pekko.framesize", "1.17", None),
        ("state.checkpoints.dir", "1.19", ("state.checkpoints.dir", "primary")),
        ("state.checkpoints.dir", "1.20", ("execution.checkpointing.dir", "deprecated")),
        ("jobmanager.web.port", "1.18", ("rest.bind-port", "deprecated")),
        ("web.port", "2.0", ("rest.bind-port", "deprecated")),
        ("web.address", "2.0", ("rest.bind-address", "fallback")),
        ("rest.port", "1.20", ("rest.port", "primary")),  # also a fallback of rest.bind-port
        ("taskmanager.heap.size", "1.20", ("taskmanager.heap.size", "primary")),
        ("taskmanager.heap.size", "2.0", None),
        ("security.ssl.internal.enabled", "1.20", ("security.ssl.internal.enabled", "primary")),
        ("metrics.reporter.prom.port", "1.9", ("metrics.reporter.<name>.port", "template")),
        ("metrics.reporter.prom.interval", "1.13", ("metrics.reporter.<name>.interval", "template")),
        ("metrics.reporter.my.own.key", "1.20", ("metrics.reporter.<name>.<parameter>", "template")),
        ("metrics.reporter.port", "1.20", None),
        ("metrics.reporter.prom.class", "1.20", ("metrics.reporter.<name>.class", "template")),
        ("metrics.reporter.prom.class", "2.0", None),
        ("traces.reporter.otel.exporter.endpoint", "2.0", ("traces.reporter.<name>.exporter.endpoint", "template")),
        ("traces.reporter.otel.exporter.endpoint", "1.18", None),
        ("events.reporter.x.factory.class", "2.1", ("events.reporter.<name>.factory.class", "template")),
        ("events.reporter.x.factory.class", "2.0", None),
        ("external-resource.gpu.amount", "1.20", ("external-resource.<resource_name>.amount", "template")),
        (
            "external-resource.gpu.param.discovery-script.path",
            "1.13",
            ("external-resource.<resource_name>.param.discovery-script.path", "template"),
        ),
        (
            "security.delegation.token.provider.s3-hadoop.enabled",
            "1.17",
            ("security.delegation.token.provider.<serviceName>.enabled", "template"),
        ),
        ("fs.hdfs.limit.total", "2.3", ("fs.<scheme>.limit.total", "template")),
        ("containerized.master.env.LD_LIBRARY_PATH", "1.9", ("containerized.master.env.<VAR>", "template")),
        ("flink.hadoop.dfs.replication", "1.13", ("flink.hadoop.<key>", "template")),
        ("flink.hadoop.dfs.replication", "1.12", None),
        ("kubernetes.jobmanager.labels.app", "1.14", ("kubernetes.jobmanager.labels", "map")),
        ("kubernetes.jobmanager.labels.app.kubernetes.io", "2.3", ("kubernetes.jobmanager.labels", "map")),
        ("kubernetes.jobmanager.labels.app", "1.13", None),  # no prefix maps yet
        ("kubernetes.jobmanager.tolerations.key", "1.20", None),  # a list of maps
        ("fs.hdfs.hadoopconf", "1.20", ("fs.hdfs.hadoopconf", "primary")),
        ("fs.hdfs.hadoopconf", "2.0", None),
        ("connector", "1.20", None),
        ("scan.parallelism", "1.20", None),
        ("$internal.application.main", "1.20", None),
        ("taskmanager.memory.fraction", "1.10", None),
    ],
)
def test_acceptance(key: str, minor: str, accepted: tuple[str, str] | None) -> None:
    assert how(key, minor) == accepted


def test_lookup_order_is_the_order_of_the_release() -> None:
    option = OPTIONS.option("rest.bind-port", at("1.20"))
    assert option
    assert option.lookup_order == ("rest.port", "web.port", "jobmanager.web.port")
    assert option.fallback_keys == ("rest.port",)
    assert option.deprecated_keys == ("web.port", "jobmanager.web.port")


@pytest.mark.parametrize(("before", "after"), [("1.16.2", "1.16.3"), ("1.17.1", "1.17.2")])
def test_a_rename_inside_a_minor(before: str, after: str) -> None:
    old, new = "execution.buffer-timeout", "execution.buffer-timeout.interval"
    minor = before.rpartition(".")[0]
    for release in (minor, after):
        assert option_of(old, release) is None
        assert option_of(new, release)
    assert option_of(old, before)
    assert option_of(new, before) is None
    earlier = OPTIONS.as_of(parse_release(before))
    index = at(minor)
    assert earlier.accept(new, index) is None
    accepted, later = earlier.accept(old, index), OPTIONS.accept(old, index)
    assert accepted
    assert accepted.how == "primary"
    assert later
    assert later.how == "deprecated"
    assert earlier.primary_name(new, index) == old
    assert OPTIONS.primary_name(new, index) == new
    # A patch of 1.16 and one of 1.17 brought it, so that what preceded either had it nowhere.
    assert earlier.releases(new) == list(range(index + 1, NEWEST + 1))
    assert earlier.release_range(new, index)[1] == index


def test_a_default_changed_inside_a_minor() -> None:
    before, after = "TLS_RSA_WITH_AES_128_CBC_SHA", default("security.ssl.algorithms", "1.20")
    for minor, patch in (("1.20", 4), ("2.0", 2), ("2.1", 2), ("2.2", 1)):
        assert default("security.ssl.algorithms", f"{minor}.{patch - 1}") == before
        assert default("security.ssl.algorithms", f"{minor}.{patch}") == after != before
        assert default("security.ssl.algorithms", minor) == after
    assert default("python.fn-execution.bundle.size", "1.15.3") == 100000
    assert default("python.fn-execution.bundle.size", "1.15.4") == 1000


def test_a_change_of_a_change_inside_a_minor() -> None:
    image = "apache/flink:${flink.version}-scala_"
    images = [default("kubernetes.container.image", f"1.14.{patch}") for patch in range(7)]
    assert images == [f"{image}{scala}" for scala in ("2.11", "2.11", "2.12", *["2.11"] * 4)]


def test_no_key_is_deeper_than_the_catalogue_searches() -> None:
    assert max(key.count(".") + 1 for key, _ in OPTIONS.spellings()) <= MAX_SEGMENTS


def test_the_catalogue_as_of_the_latest_patch_is_the_catalogue() -> None:
    for release in (release_at(at("1.20")), Release(1, 20, 5), Release(1, 9, 0), Release(1, 8, 1), Release(4, 0, 0)):
        assert OPTIONS.as_of(release) is OPTIONS
    assert OPTIONS.as_of(Release(1, 20, 0)) is OPTIONS.as_of(Release(1, 20, 0)) is not OPTIONS


DRIFT = [
    (key, change["minor"], change["before"], change["definition"])
    for key, line in json.loads(TEXT).items()
    for change in line.get("drift", ())
]


@pytest.mark.parametrize(("key", "index", "before", "definition"), DRIFT, ids=lambda value: str(value)[:40])
def test_law_a_patch_sees_what_held_before(
    key: str, index: int, before: int, definition: dict[str, Any] | None
) -> None:
    release = parse_release(f"{MINORS[index]}.{before - 1}")
    earlier = OPTIONS.as_of(release)
    option = earlier.option(key, index)
    if definition is None:
        assert option is None
    else:
        assert option
        assert (option.type, option.default) == (definition["type"], definition.get("default"))
        assert option.first <= index <= option.last
        for alias in option.lookup_order:
            assert earlier.accept(alias, index), alias
    # The releases after it are untouched.
    for later in range(index + 1, NEWEST + 1):
        assert facts(earlier.option(key, later)) == facts(OPTIONS.option(key, later))
    assert all(earlier.accept(option.key, index) for option in earlier.keys(index))


@pytest.mark.parametrize(
    ("key", "first", "last"),
    [
        # What bin/*.sh reads from the file.
        *(("env.java.home", "1.9", "2.3"), ("env.pid.dir", "1.9", "2.3"), ("env.hbase.conf.dir", "1.12", "2.3")),
        *(("taskmanager.compute.numa", "1.9", "2.3"), ("zookeeper.heap.mb", "1.9", "2.3")),
        # Constants that became options, or that nothing reads any more.
        *(("restart-strategy.failure-rate.delay", "1.9", "2.3"), ("restart-strategy", "1.9", "2.3")),
        *(("taskmanager.log.path", "1.9", "2.3"), ("local.number-taskmanager", "1.9", "2.3")),
        *(("taskmanager.runtime.fs_timeout", "1.9", "2.3"), ("compiler.merge-iteration-aux", "1.9", "1.20")),
    ],
)
def test_keys_read_without_an_option(key: str, first: str, last: str) -> None:
    assert OPTIONS.releases(key) == list(range(at(first), at(last) + 1))


def test_a_constant_that_nothing_reads_is_no_key() -> None:
    assert OPTIONS.releases("local.start-webserver") == []
    assert how("taskmanager.hostname", "1.9") is None


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("pekko.framesize", {"1.9": "akka.framesize", "1.17": "akka.framesize", "1.18": "pekko.framesize"}),
        (
            "execution.checkpointing.dir",
            {"1.9": "state.checkpoints.dir", "1.19": "state.checkpoints.dir", "2.3": "execution.checkpointing.dir"},
        ),
        (
            "taskmanager.memory.network.fraction",
            {"1.9": "taskmanager.network.memory.fraction", "1.10": "taskmanager.memory.network.fraction"},
        ),
        (
            "taskmanager.memory.managed.size",
            {"1.9": "taskmanager.memory.size", "1.10": "taskmanager.memory.managed.size"},
        ),
        ("high-availability.type", {"1.16": "high-availability", "1.17": "high-availability.type"}),
        ("state.backend.type", {"1.16": "state.backend", "1.17": "state.backend.type"}),
        # Fallback keys are options of their own.
        ("rest.bind-address", {"1.9": "rest.bind-address"}),
        ("jobmanager.heap.size", {"1.20": "jobmanager.heap.size", "2.0": None}),
        ("metrics.reporter.prom.port", {"1.9": "metrics.reporter.prom.port"}),
        ("no.such.key", {"1.20": None}),
    ],
)
def test_primary_names(key: str, names: dict[str, str | None]) -> None:
    assert {minor: OPTIONS.primary_name(key, at(minor)) for minor in names} == names


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("akka.framesize", ("pekko.framesize",)),
        ("pekko.framesize", ("pekko.framesize",)),
        ("state.backend.fs.checkpointdir", ("execution.checkpointing.dir",)),
        ("recovery.mode", ("high-availability.type",)),
        ("web.port", ("rest.bind-port", "rest.port")),
        ("jobmanager.web.port", ("rest.bind-port",)),
        (
            "state.backend.local-recovery",
            ("execution.checkpointing.local-backup.enabled", "execution.state-recovery.from-local"),
        ),
        ("rest.port", ("rest.port",)),
        ("taskmanager.network.memory.fraction", ("taskmanager.memory.network.fraction",)),
        ("jobmanager.heap.size", ("jobmanager.heap.size",)),
        ("metrics.reporter.prom.port", ("metrics.reporter.prom.port",)),
        ("kubernetes.jobmanager.labels.app", ("kubernetes.jobmanager.labels.app",)),
        ("no.such.key", ()),
    ],
)
def test_current_names(key: str, names: tuple[str, ...]) -> None:
    assert sorted(OPTIONS.current_names(key)) == sorted(names)


def test_release_ranges() -> None:
    assert OPTIONS.release_range("taskmanager.memory.network.max", at("1.12")) == (at("1.10"), at("1.16"))
    assert OPTIONS.release_range("taskmanager.memory.network.max", at("2.0")) == (at("1.17"), NEWEST)
    assert OPTIONS.release_range("taskmanager.memory.network.max", at("1.9")) == (0, 0)
    assert OPTIONS.release_range("rest.address", at("1.20"))[1] == NEWEST
    assert OPTIONS.release_range("no.such.key", at("1.20")) == (0, NEWEST)


def test_releases() -> None:
    assert OPTIONS.releases("pekko.framesize") == list(range(at("1.18"), NEWEST + 1))
    assert OPTIONS.releases("akka.framesize") == list(range(NEWEST + 1))
    assert OPTIONS.releases("taskmanager.heap.mb") == list(range(at("1.20") + 1))
    assert OPTIONS.releases("no.such.key") == []


@pytest.mark.parametrize(
    "key",
    ["s3.access-key", "fs.s3a.endpoint", "fs.azure.account.key.x", "gs.writer.chunk.size", "fs.oss.endpoint",
     "kubernetes.operator.savepoint.history.max.age", "job.autoscaler.enabled", "hive.metastore.uris",
     "$internal.application.main"],
)  # fmt: skip
def test_pass_through(key: str) -> None:
    assert OPTIONS.passes_through(key)


@pytest.mark.parametrize("key", ["s3", "fs.default-scheme", "kubernetes.namespace", "job.name", "state.backend"])
def test_no_pass_through(key: str) -> None:
    assert not OPTIONS.passes_through(key)


def test_one_line_a_key() -> None:
    # What the loader relies on.
    assert TEXT.count("\n") == len(KEYS) + 2
    assert [line[1 : line.index('"', 1)] for line in TEXT.split("\n")[1:-2]] == KEYS
    assert not any('"' in key or "\\" in key for key in KEYS)


def test_loading_decodes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[str] = []
    real = options._data

    def noted(line: str) -> dict[str, Any]:
        decoded.append(line)
        return real(line)

    monkeypatch.setattr(options, "_data", noted)
    fresh = Catalogue(TEXT)
    assert decoded == []
    fresh.option("io.tmp.dirs", NEWEST)
    fresh.option("io.tmp.dirs", 0)
    assert len(decoded) == 1


_PARTS = sorted({part for key in KEYS for part in key.split(".")})
_MUTATIONS = st.one_of(
    st.sampled_from(KEYS),
    st.sampled_from(KEYS).map(lambda key: key.replace("<", "").replace(">", "")),
    st.builds("{}.{}".format, st.sampled_from(KEYS), st.sampled_from(_PARTS)),
    st.lists(st.sampled_from(_PARTS), min_size=1, max_size=4).map(".".join),
)
_INDICES = st.integers(0, NEWEST)


@given(_MUTATIONS, _INDICES)
@settings(max_examples=300, deadline=None)
def test_law_accept_agrees_with_option(key: str, index: int) -> None:
    option, accepted = OPTIONS.option(key, index), OPTIONS.accept(key, index)
    if option:
        assert accepted
        assert (accepted.option, accepted.how) == (option, "primary")
        assert option.first <= index <= option.last
        assert option.since <= option.first
        assert option.last <= option.until
    elif accepted:
        assert accepted.how in ("deprecated", "fallback", "template", "map")
        assert OPTIONS.option(accepted.option.key, index) is accepted.option
        if accepted.how in ("deprecated", "fallback"):
            assert key in accepted.option.lookup_order
    assert (index in OPTIONS.releases(key)) == (accepted is not None)


@given(_MUTATIONS, _INDICES)
@settings(max_examples=300, deadline=None)
def test_law_a_stretch_is_constant_and_widest(key: str, index: int) -> None:
    def answers(at: int) -> tuple[object, ...]:
        return OPTIONS.option(key, at), OPTIONS.accept(key, at), OPTIONS.primary_name(key, at)

    first, last = OPTIONS.release_range(key, index)
    assert first <= index <= last
    assert {answers(at) == answers(index) for at in range(first, last + 1)} == {True}
    assert first == 0 or answers(first - 1) != answers(index)
    assert last == NEWEST or answers(last + 1) != answers(index)


@given(st.sampled_from(KEYS))
@settings(max_examples=300, deadline=None)
def test_law_names_are_accepted(key: str) -> None:
    names = OPTIONS.current_names(key)
    assert names
    for name in names:
        # A current name is the end of every chain, and every release that knows the option says under what.
        assert OPTIONS.current_names(name) == (name,)
        for index in range(NEWEST + 1):
            primary = OPTIONS.primary_name(name, index)
            assert primary is None or OPTIONS.option(primary, index) is not None


@pytest.mark.parametrize("index", range(len(MINORS)), ids=MINORS)
def test_law_every_alias_is_accepted(index: int) -> None:
    keys = [option.key for option in OPTIONS.keys(index)]
    assert keys == sorted(set(keys))
    for option in OPTIONS.keys(index):
        assert sorted(option.lookup_order) == sorted(option.fallback_keys + option.deprecated_keys)
        assert option.templated == ("<" in option.key)
        assert (option.type in ("Enum", "List<Enum>")) == bool(option.enum)
        for alias in option.lookup_order:
            assert OPTIONS.accept(alias, index), alias
