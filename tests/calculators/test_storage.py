"""Storage: disks that filled up, what a retention needs, and when a disk is full."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.declaration import BadInput, inputs_of, missing
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.formulas import disk_use as use
from flink_flint.calculators.formulas.quantity import DAY
from flink_flint.calculators.inputs.storage import BACKEND, BYTES_PER_DAY, CurrentStorage, Storage
from flink_flint.calculators.storage import CALCULATOR, load_of_storage, size_storage
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, NEWEST, parse_release, release_at

RELEASE = release_at(NEWEST)
GB = 10**9


def test_a_retained_checkpoint_and_the_next_on_hdfs_take_660_gb() -> None:
    answer = size_storage(Storage(state=110 * GB, replication=3), RELEASE)
    assert answer.value("size") == 660 * GB
    assert answer.value("disk") == 825 * GB  # a fifth stays free


def test_thirty_daily_savepoints_take_3_3_tb() -> None:
    answer = size_storage(Storage(state=110 * GB, savepoint_every=DAY), RELEASE)
    assert answer.value("savepoints") == 3300 * GB
    assert any("Flink deletes no savepoint" in warning for warning in answer.warnings)
    bounded = size_storage(Storage(state=110 * GB, savepoint_every=DAY, savepoints=7), RELEASE)
    assert bounded.value("savepoints") == 770 * GB
    assert not bounded.warnings


@pytest.mark.parametrize(("subtasks", "megabytes"), [(6, 346.68), (100, 5439)])
def test_metrics_in_the_log_as_they_were_measured(subtasks: int, megabytes: float) -> None:
    answer = size_storage(Storage(store="logs", report_every=15, reported_subtasks=subtasks), RELEASE)
    assert answer.value("metrics") * DAY / 1e6 == pytest.approx(megabytes, rel=0.001)
    assert any("metrics in the log" in warning for warning in answer.warnings)


def test_print_fills_a_disk_within_hours_because_nothing_rolls_it() -> None:
    answer = size_storage(Storage(store="logs", printed=500_000, line=100, disk=1000 * GB), RELEASE)
    assert answer.value("growth") * DAY == 4320 * GB
    assert answer.value("full_after") == pytest.approx(800 * GB / 50e6, abs=1)
    assert answer.errors
    assert any("nothing rolls the .out file" in warning for warning in answer.warnings)


def test_rolling_bounds_the_log_but_shortens_its_memory() -> None:
    inputs = Storage(store="logs", logged=500_000, line=100, disk=10 << 30)
    answer = size_storage(inputs, RELEASE)
    assert answer.value("cap") == 1100 << 20
    assert math.isinf(answer.value("full_after"))
    assert any("cover only the last" in warning for warning in answer.warnings)
    old = size_storage(inputs, parse_release("1.11"))  # whose log4j configuration has a plain file
    assert math.isfinite(old.value("full_after"))


def test_fewer_log_files_are_kept_where_the_disk_is_small() -> None:
    answer = size_storage(Storage(store="logs", logged=10, line=100, disk=1 << 30, processes=2), RELEASE)
    assert answer.settings == {"env.log.max": 3}
    assert spelled(answer.settings, parse_release("1.18")).unknown == ()


def test_incremental_checkpoints_share_their_files() -> None:
    full = size_storage(Storage(state=100 * GB, retained=3), RELEASE).value("size")
    shared = size_storage(Storage(state=100 * GB, retained=3, incremental=True), RELEASE).value("size")
    assert (full, shared) == (400 * GB, 250 * GB)


def test_too_many_retained_checkpoints_are_fewer_in_the_settings() -> None:
    answer = size_storage(Storage(state=100 * GB, retained=20, disk=1000 * GB), RELEASE)
    assert answer.settings == {"execution.checkpointing.num-retained": 7}
    assert answer.errors
    assert spelled(answer.settings, parse_release("1.18")).settings == {"state.checkpoints.num-retained": "7"}
    assert size_storage(Storage(state=100 * GB, retained=7, disk=1000 * GB), RELEASE).settings == {}


@pytest.mark.parametrize(
    ("backend", "recovery", "incremental", "factor"),
    [
        ("hashmap", False, False, 0.0),
        ("hashmap", True, False, 1.0),
        ("rocksdb", False, True, 1.0),
        ("rocksdb", True, False, 2.0),  # a copy of a full snapshot
        ("rocksdb", True, True, 1.5),  # hard links, and what was compacted away
    ],
)
def test_local_copies_take_room_only_where_they_are_copies(
    backend: str, recovery: bool, incremental: bool, factor: float
) -> None:
    inputs = Storage(
        store="local", state=100 * GB, backend=backend, recovery=recovery, incremental=incremental, taskmanagers=4
    )
    assert size_storage(inputs, RELEASE).value("size") == factor * 25 * GB


def test_growth_of_the_state_fills_the_disk() -> None:
    inputs = Storage(state=100 * GB, growth=GB / DAY, disk=300 * GB, reserve=0.0)
    answer = size_storage(inputs, RELEASE)
    assert answer.value("full_after") / DAY == pytest.approx(50, abs=0.01)  # two copies, of 150 GB then
    assert not answer.errors
    soon = size_storage(Storage(state=140 * GB, growth=GB / DAY, disk=300 * GB, reserve=0.0), RELEASE)
    assert any("after 10 d" in error for error in soon.errors)


def test_what_does_not_fit_now_is_an_error() -> None:
    answer = size_storage(Storage(state=100 * GB, disk=250 * GB, used=100 * GB), RELEASE)
    assert any("does not fit" in error for error in answer.errors)
    assert answer.value("most_retained") == 0
    assert answer.settings == {}


def test_savepoints_that_fit_are_the_operator_s_limit() -> None:
    answer = size_storage(Storage(state=100 * GB, savepoint_every=DAY, disk=1000 * GB), RELEASE)
    assert answer.value("most_savepoints") == 6
    assert "history.max.count: 6" in answer.elsewhere[0].text
    assert "as many as fit the disk, 6 d of them" in answer.elsewhere[0].text
    assert any("permanently delete all but the newest 6 savepoints" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("inputs", "snippets"),
    [
        ({}, ["shell"]),  # no disk, hence no number
        ({"disk": 250 * GB}, ["shell"]),  # none fits
        ({"savepoints": 7}, []),  # something deletes them already
        ({"savepoints": 3, "disk": 1000 * GB}, []),
        ({"savepoints": 7, "disk": 1000 * GB}, ["Kubernetes operator", "shell"]),
    ],
)
def test_what_deletes_savepoints_is_told_only_where_it_is_needed(inputs: dict[str, int], snippets: list[str]) -> None:
    answer = size_storage(Storage(state=100 * GB, savepoint_every=DAY, **inputs), RELEASE)  # type: ignore[arg-type]
    assert [snippet.where.split(",")[0] for snippet in answer.elsewhere] == snippets
    assert any("permanently" in warning for warning in answer.warnings) is (len(snippets) == 2)


def test_a_disk_s_first_answer_is_when_it_is_full() -> None:
    assert size_storage(Storage(state=100 * GB), RELEASE).values[0].name == "size"
    answer = size_storage(Storage(state=100 * GB, savepoint_every=DAY, disk=1000 * GB), RELEASE)
    assert answer.values[0].name == "full_after"
    assert answer.values[0].value == pytest.approx(7 * DAY, abs=1)  # the seventh savepoint is one too many


def test_state_on_the_heap_is_no_matter_of_the_disk() -> None:
    answer = size_storage(Storage(store="local", state=100 << 30), RELEASE)
    assert answer.value("size") == 0
    assert answer.binding == "hashmap keeps state on the heap, nothing on disk"
    assert "needs a heap of 130 GiB" in answer.warnings[0]
    assert size_storage(Storage(store="local", state=100 << 30, taskmanagers=10), RELEASE).warnings == ()
    copied = size_storage(Storage(store="local", state=1 << 30, recovery=True), RELEASE)
    assert "copy for local recovery, 1024 MiB" in copied.binding or "1 GiB" in copied.binding


def test_files_are_counted() -> None:
    answer = size_storage(Storage(state=64 << 30, parallelism=120, pieces=5, incremental=True), RELEASE)
    assert answer.value("files") == (120 * 5 + 1 + 1024) * 2
    many = size_storage(Storage(state=GB, parallelism=1000, pieces=10), RELEASE)
    assert any("higher inline threshold" in warning for warning in many.warnings)


def test_high_availability_keeps_jars_and_metadata() -> None:
    inputs = Storage(state=GB, jars=200 << 20, metadata=1 << 20, retained=3, replication=3)
    assert size_storage(inputs, RELEASE).value("high_availability") == (203 << 20) * 3


def test_what_a_disk_has_room_for() -> None:
    answer = load_of_storage(CurrentStorage(disk=2000 * GB, state=110 * GB, replication=3, retained=3), RELEASE)
    assert answer.value("largest_state") == pytest.approx(1600 * GB / 12, abs=1)
    assert answer.value("most_retained") == 3
    assert not answer.errors
    over = load_of_storage(CurrentStorage(disk=1000 * GB, state=110 * GB, replication=3, retained=3), RELEASE)
    assert over.errors
    logs = load_of_storage(CurrentStorage(store="logs", disk=20 * GB, reported_subtasks=100), RELEASE)
    every = logs.value("report_every")
    assert use.metrics_logged(100, every) * 30 * DAY == pytest.approx(16 * GB)


@given(
    state=st.integers(1, 10**13), retained=st.integers(1, 50), replication=st.integers(1, 3), incremental=st.booleans()
)
def test_forward_and_back_agree(state: int, retained: int, replication: int, incremental: bool) -> None:
    chosen = {"state": state, "retained": retained, "replication": replication, "incremental": incremental}
    disk = size_storage(Storage(**chosen), RELEASE).value("disk")
    back = load_of_storage(CurrentStorage(**chosen, disk=math.ceil(disk * (1 + 1e-9)) + 10), RELEASE)
    assert back.value("largest_state") >= state
    assert back.value("most_retained") >= retained
    assert not back.errors


@given(
    state=st.floats(1, 1e12), limit=st.floats(0, 1e14), concurrent=st.integers(1, 3),
    anew=st.none() | st.floats(0.01, 1),
)  # fmt: skip
def test_the_most_retained_fit_and_one_more_does_not(
    state: float, limit: float, concurrent: int, anew: float | None
) -> None:
    most = use.max_retained(state, limit, concurrent, anew)
    if most:
        assert use.checkpoints_size(state, most + concurrent, anew) <= limit * (1 + 1e-6)
    if most < 1000:
        assert use.checkpoints_size(state, most + 1 + concurrent, anew) >= limit * (1 - 1e-6)


@given(seconds=st.floats(0, 1e8), every=st.floats(60, 1e6), kept=st.none() | st.integers(1, 100))
def test_savepoints_only_pile_up(seconds: float, every: float, kept: int | None) -> None:
    now = use.savepoints_size(1e9, seconds, every, kept, growth=10)
    later = use.savepoints_size(1e9, seconds + every, every, kept, growth=10)
    assert later >= now * (1 - 1e-9)


@given(limit=st.floats(1, 1e12), rate=st.floats(0.001, 1e6))
def test_a_steady_growth_is_full_when_it_says(limit: float, rate: float) -> None:
    full = use.seconds_until(limit, lambda seconds: rate * seconds)
    if math.isfinite(full):
        assert full == pytest.approx(limit / rate, abs=1.1)


@pytest.mark.parametrize(
    ("values", "name", "told"),
    [
        ({}, "state", "is missing"),
        ({"state": 0}, "state", "at least 1 byte"),
        ({"state": 5, "replication": 0}, "replication", "at least 1"),
        ({"state": 5, "disk": 5, "used": 6}, "used", "allowed: at most that"),
        ({"state": 5, "disk": 5, "reserve": 1.0}, "reserve", "below 100 %"),
        ({"store": "logs"}, "report_every", "is missing"),
        ({"store": "logs", "report_every": 15.0}, "reported_subtasks", "is missing"),
        ({"store": "logs", "printed": 15.0}, "line", "is missing"),
    ],
)
def test_bad_inputs_name_themselves_and_what_is_allowed(values: dict[str, int], name: str, told: str) -> None:
    with pytest.raises(BadInput, match=told) as bad:
        collect(Storage, values)
    assert bad.value.name == name


def test_one_size_is_all_that_must_be_told() -> None:
    assert [declared.name for declared in missing(Storage, {})] == ["state"]
    assert [declared.name for declared in missing(CurrentStorage, {})] == ["disk"]


def test_units_and_names_of_backends() -> None:
    assert BYTES_PER_DAY.parse(BYTES_PER_DAY.spell((5 << 30) / DAY)) == pytest.approx((5 << 30) / DAY)
    names = ("rocksdb", "org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackendFactory", "filesystem")
    assert [BACKEND.parse(name) for name in names] == ["rocksdb", "rocksdb", "hashmap"]


@pytest.mark.parametrize("release", MINORS)
def test_both_examples_answer_for_every_release(release: str) -> None:
    for way in (CALCULATOR.forward, CALCULATOR.reverse):
        by = {declared.name: declared for declared in inputs_of(way.inputs)}
        values = {name: by[name].read(text) for name, text in way.example.items()}
        answer = way.answer(collect(way.inputs, values), parse_release(release))
        assert answer.values
        assert answer.steps
        assert answer.binding
        assert answer.chart
