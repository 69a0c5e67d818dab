"""The calculator of Kinesis."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.formulas.kinesis_limits import bounds, fetch_interval, polling, record_limit, shards_for
from flink_flint.calculators.inputs.kinesis import MEGABYTES, CurrentKinesis, Kinesis
from flink_flint.calculators.kinesis import load_of_kinesis, size_kinesis
from flink_flint.linter.flink.releases import parse_release

RELEASE = parse_release("1.20")
DAY = 86_400.0


def size(**known: Any) -> Answer:
    return size_kinesis(Kinesis(**{"connector": "consumer", "shards": 1, "record_size": 1000, **known}), RELEASE)


def read(**known: Any) -> Answer:
    return load_of_kinesis(
        CurrentKinesis(**{"connector": "consumer", "shards": 1, "record_size": 1000, **known}), RELEASE
    )


def properties(answer: Answer) -> str:
    return "\n".join(snippet.text for snippet in answer.elsewhere)


@pytest.mark.parametrize(
    ("known", "interval", "records"),
    [
        ({}, 0.2, 320),
        ({"sink_records": 1000.0, "sink_bytes": 1e6}, 0.2, 160),
        ({"sink_bytes": 1e6}, 0.2, 160),
        ({"consumers": 3, "record_size": 500}, 0.6, 640),
        ({"record_size": 20}, 0.2, 10_000),
        ({"shards": 4, "sink_records": 4000.0}, 0.2, 160),
        ({"sink_records": 1.0}, 1.25, 1),
    ],
)
def test_interval_and_record_limit_keep_to_shard_and_sink(known: dict[str, Any], interval: float, records: int) -> None:
    answer = size(**known)
    assert answer.value("interval") == pytest.approx(interval)
    assert answer.value("max_records") == records
    assert not answer.errors


def test_the_old_consumer_has_keys_for_both() -> None:
    assert properties(size(consumers=3, record_size=500)) == (
        "flink.shard.getrecords.intervalmillis=600\nflink.shard.getrecords.maxrecordcount=640"
    )


def test_the_new_source_has_no_interval_and_its_calls_count_instead() -> None:
    assert properties(size(connector="source")) == "source.shard.get-records.max-record-count: 320"
    slow = size(connector="source", call_rate=2.0)
    assert slow.value("max_records") == 800
    assert slow.value("read_rate") == size(connector="source").value("read_rate")


def test_a_source_with_the_later_key_is_paced_by_it() -> None:
    assert properties(size(connector="source", paced=True, consumers=2)) == (
        "source.shard.get-records.max-record-count: 320\nsource.reader.nonempty-records-fetch-interval: 400 ms"
    )


def test_several_unpaced_readers_make_more_calls_than_a_shard_takes() -> None:
    answer = size(connector="source", consumers=4)
    assert any("make up to 20/s calls and a shard accepts 5" in warning for warning in answer.warnings)
    assert not size(connector="source", consumers=4, paced=True).warnings


def test_fan_out_is_advised_where_polling_cannot_catch_up() -> None:
    answer = size(shards=10, consumers=4, rate=8000.0)
    assert any("use enhanced fan-out, or 30 shards" in warning for warning in answer.warnings)
    assert "flink.stream.recordpublisher=EFO" in properties(answer)
    assert answer.value("consumer_shard_hours") == 7300
    assert answer.value("retrieved_gigabytes") == pytest.approx(8000 * 1000 * 730 * 3600 / 1e9)
    assert "source.reader.type: EFO" in properties(size(connector="source", shards=10, consumers=4, rate=8000.0))


def test_fan_out_is_not_advised_where_it_does_not_help() -> None:
    # Behind the job nothing takes more; two readers' shards are too few in any case; twenty are registered.
    sink = size(shards=10, rate=4000.0, sink_records=5000.0)
    assert "EFO" not in properties(sink)
    few = size(shards=1, consumers=2, rate=2000.0)
    assert "EFO" not in properties(few)
    assert any("too few, even with enhanced fan-out" in warning for warning in few.warnings)
    full = size(shards=10, consumers=4, rate=8000.0, fan_out_consumers=20)
    assert "EFO" not in properties(full)
    assert any("free one of the 20 registrations" in warning for warning in full.warnings)


def test_a_sink_that_takes_less_than_is_written_leaves_the_job_behind_for_good() -> None:
    answer = size(shards=1, rate=1000.0, sink_records=1000.0)
    assert any(
        "the job falls behind permanently, and downstream systems accept no more" in told for told in answer.errors
    )


def test_more_written_than_shards_take_is_doubted() -> None:
    answer = size(shards=2, rate=5000.0)
    assert any("is the number of shards right?" in warning for warning in answer.warnings)


def test_the_default_of_10_000_records_reads_ten_megabytes_and_is_refused_for_five_seconds() -> None:
    answer = read()
    assert any(
        "returns 10 000 000 bytes, and the shard refuses all calls of the next 5 s" in told for told in answer.errors
    )
    assert answer.value("shard_share") == pytest.approx(25)


def test_a_full_stream_is_read_twice_as_fast_as_written_and_a_day_takes_a_day() -> None:
    answer = read(shards=4, rate=4000.0, behind=DAY)
    assert answer.value("read_factor") == pytest.approx(2)
    assert answer.value("catch_up_time") == pytest.approx(DAY)


def test_throttled_below_what_is_written_it_never_catches_up() -> None:
    answer = read(rate=1000.0, behind=DAY, max_records=160)
    assert answer.value("read_factor") == pytest.approx(0.8)
    assert answer.value("catch_up_time") == float("inf")
    assert any("a backlog is never read" in error for error in answer.errors)


def test_what_is_behind_the_job_meets_the_whole_read_rate() -> None:
    answer = read(shards=4, max_records=400, sink_records=4000.0, sink_bytes=4e6)
    assert sum("without backpressure their errors" in error for error in answer.errors) == 2
    assert not read(shards=4, max_records=200, sink_records=4000.0, sink_bytes=4e6).errors


def test_calls_of_several_readers_add_up() -> None:
    answer = read(consumers=2, max_records=10)
    assert answer.value("calls_share") == pytest.approx(2)
    assert any("10/s calls to a shard that accepts 5" in error for error in answer.errors)
    assert not read(consumers=2, interval=0.4, max_records=10).errors


def test_the_old_consumer_is_gone_from_flink_2() -> None:
    newer = parse_release("2.0")
    known = {"shards": 1, "record_size": 1000}
    assert size_kinesis(Kinesis(connector="consumer", **known), newer).errors
    assert not size_kinesis(Kinesis(**known), newer).errors
    assert size_kinesis(Kinesis(**known), parse_release("1.18")).warnings
    assert not size_kinesis(Kinesis(**known), RELEASE).warnings


def test_megabytes_of_aws_and_of_flink_are_not_mixed_up() -> None:
    assert MEGABYTES.parse("1mb/s") == 1_048_576
    assert MEGABYTES.parse("1000000 bytes/s") == 1_000_000
    assert MEGABYTES.spell(1_600_000.0) == "1 600 000 bytes/s"
    assert MEGABYTES.parse(MEGABYTES.spell(1_600_000.0)) == 1_600_000


@pytest.mark.parametrize(
    ("name", "value"),
    [("shards", 0), ("consumers", 0), ("record_size", 0), ("record_size", 11 << 20), ("interval", 301.0),
     ("max_records", 10_001), ("utilization", 1.2), ("fan_out_consumers", 21)],
)  # fmt: skip
def test_values_out_of_range_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(BadInput) as bad:
        size(**{name: value})
    assert bad.value.name == name
    assert "allowed" in bad.value.message


def test_more_readers_than_an_iterator_lives_for_are_refused() -> None:
    with pytest.raises(BadInput, match=r"--consumers: 1 501 polling applications .* allowed: at most 1 500"):
        size(consumers=1501)


@given(st.integers(1, 1 << 20), st.integers(1, 20), st.integers(1, 100), st.floats(1, 1e6), st.floats(0.1, 1))
def test_what_is_recommended_hurts_nobody(
    record_size: int, consumers: int, shards: int, sink: float, utilization: float
) -> None:
    known = {"record_size": record_size, "consumers": consumers, "shards": shards, "sink_records": sink}
    answer = size(**known, utilization=utilization)
    if answer.errors:
        assert answer.value("interval") > 300
        return
    interval, records = answer.value("interval"), answer.value("max_records")
    again = read(**known, interval=interval, max_records=records)
    assert not again.errors
    assert again.value("read_rate") == pytest.approx(answer.value("read_rate"))
    assert again.value("shard_share") <= utilization + 1e-9


@given(st.floats(1, 1e6), st.integers(1, 50), st.integers(1, 50))
def test_more_readers_leave_each_less(record_size: float, one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert bounds(record_size, consumers=low)[0].rate >= bounds(record_size, consumers=high)[0].rate
    assert fetch_interval(low) <= fetch_interval(high)


def test_a_call_returns_ten_thousand_records_and_ten_megabytes_at_most() -> None:
    assert record_limit(1e9, 1.0) == 10_000
    assert polling(1.0, 10_000, 1e6).call_bytes == 10_000_000
    assert shards_for(12_000, 1000, consumers=4) == 30


@pytest.mark.parametrize("reverse", [False, True])
def test_the_examples_run(reverse: bool) -> None:
    way = calculator("kinesis").way(reverse=reverse)
    by_name = {declared.name: declared for declared in inputs_of(way.inputs)}
    known = {name: by_name[name].read(text) for name, text in way.example.items()}
    answer = way.answer(collect(way.inputs, known), RELEASE)
    assert answer.values[0].value > 0
    assert answer.steps
    assert not answer.settings


def test_one_shard_is_not_one_shards() -> None:
    answer = size_kinesis(Kinesis(shards=1, record_size=1000, rate=900.0, consumers=4), RELEASE)
    told = " ".join((*answer.steps, *answer.warnings, *answer.errors))
    assert "1 shards" not in told
    assert "1 shard are" not in told
    small = size_kinesis(Kinesis(shards=1, record_size=1000, rate=5000.0), RELEASE)
    assert any("1 shard is too few" in warning for warning in small.warnings)
