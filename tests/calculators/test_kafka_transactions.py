"""Kafka transactions: what must fit into one, what the broker allows, and what a timeout outlasts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.declaration import BadInput, MissingInput, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.formulas.transactions import survived_outage, transaction_timeout
from flink_flint.calculators.kafka_transactions import (
    CALCULATOR,
    CurrentKafkaTransactions,
    KafkaTransactions,
    size_kafka_transactions,
    survived_by_kafka_transactions,
)
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import NEWEST, parse_release, release_at

RELEASE = release_at(NEWEST)
seconds = st.floats(0.01, 20_000)


@pytest.mark.parametrize(
    ("interval", "timeout", "tolerable", "outage", "needed"),
    [(60, 900, 0, 600, 1872), (60, 600, 0, 120, 936), (300, 600, 2, 300, 3600)],
)
def test_the_timeout_covers_checkpoints_and_the_outage(
    interval: float, timeout: float, tolerable: int, outage: float, needed: float
) -> None:
    assert transaction_timeout(interval, timeout, tolerable, outage) == pytest.approx(needed)


def test_the_broker_must_allow_whole_minutes_of_it() -> None:
    answer = size_kafka_transactions(KafkaTransactions(interval=60, checkpoint_timeout=900, outage=600), RELEASE)
    assert answer.value("transaction_timeout") == answer.value("broker_limit") == 1920
    texts = [snippet.text for snippet in answer.elsewhere]
    assert '.setProperty("transaction.timeout.ms", "1920000")' in texts
    assert "'properties.transaction.timeout.ms' = '1920000'" in texts
    assert "transaction.max.timeout.ms=1920000" in texts


def test_the_defaults_of_sink_and_broker_exclude_each_other() -> None:
    answer = size_kafka_transactions(KafkaTransactions(interval=10, checkpoint_timeout=60, outage=60), RELEASE)
    assert answer.value("transaction_timeout") == 180  # 156 s in whole minutes
    assert answer.errors == (
        ("the producer requests 1 h and the broker allows 15 min: it refuses the producer, and the job does not start"),
    )
    assert "broker (server.properties)" not in [snippet.where for snippet in answer.elsewhere]


def test_a_timeout_that_an_outage_exceeds_loses_data() -> None:
    short = KafkaTransactions(interval=60, outage=600, timeout=900)
    (error,) = size_kafka_transactions(short, RELEASE).errors
    assert error == ("a transaction may be open for 21 min and the broker aborts it after 15 min: its records are lost")
    tight = size_kafka_transactions(KafkaTransactions(interval=60, outage=120, timeout=900), RELEASE)
    assert tight.errors == ()
    assert len(tight.warnings) == 1  # 13 min fit, 15 min 36 s with the margin do not
    ample = size_kafka_transactions(KafkaTransactions(interval=60, outage=60, timeout=900), RELEASE)
    assert (ample.value("transaction_timeout"), ample.errors, ample.warnings) == (900, (), ())


def test_the_longer_of_interval_and_pause_counts() -> None:
    answer = size_kafka_transactions(KafkaTransactions(interval=60, min_pause=300, outage=0), RELEASE)
    assert answer.value("needed") == pytest.approx(1.2 * 900)


@pytest.mark.parametrize(
    ("remedy", "key", "value"),
    [
        ("checkpoint-timeout", "execution.checkpointing.timeout", 90.0),
        ("interval", "execution.checkpointing.interval", 30.0),
    ],
)
def test_the_job_gives_way_where_the_broker_cannot(remedy: str, key: str, value: float) -> None:
    outage = 600.0 if remedy == "checkpoint-timeout" else 120.0
    answer = size_kafka_transactions(KafkaTransactions(interval=60, outage=outage, remedy=remedy), RELEASE)
    assert answer.settings == {key: value}
    assert answer.value("transaction_timeout") == answer.value("broker_limit") == 900
    interval = answer.settings.get("execution.checkpointing.interval", 60)
    timeout = answer.settings.get("execution.checkpointing.timeout", 600)
    assert transaction_timeout(interval, timeout, 0, outage) <= 900
    assert spelled(answer.settings, parse_release("1.13")).unknown == ()


def test_what_no_interval_cures_says_so() -> None:
    answer = size_kafka_transactions(KafkaTransactions(interval=60, outage=1200, remedy="interval"), RELEASE)
    assert answer.settings == {}
    assert any(error.startswith("no interval makes transactions fit the broker's 15 min") for error in answer.errors)


def test_the_snippet_is_of_the_sink_that_the_release_has() -> None:
    inputs = KafkaTransactions(interval=60)
    old, new = (size_kafka_transactions(inputs, parse_release(version)) for version in ("1.13", "1.14"))
    assert "FlinkKafkaProducer" in old.elsewhere[0].where
    assert "KafkaSink" in new.elsewhere[0].where


def test_out_of_range_and_contradictory_inputs_are_refused() -> None:
    with pytest.raises(MissingInput, match="--interval"):
        collect(KafkaTransactions, {})
    with pytest.raises(BadInput, match=r"--margin: 0.5 is out of range; allowed: at least 1"):
        KafkaTransactions(interval=60, margin=0.5)
    with pytest.raises(BadInput, match=r"--timeout: 1 h is more than the broker allows.*allowed: at most 15 min"):
        CurrentKafkaTransactions(interval=60)
    too_long = size_kafka_transactions(KafkaTransactions(interval=86_400 * 30), RELEASE)
    assert any("transaction.timeout.ms is at most 24 d" in error for error in too_long.errors)


def test_the_outage_that_fifteen_minutes_outlast() -> None:
    answer = survived_by_kafka_transactions(CurrentKafkaTransactions(interval=60, timeout=900), RELEASE)
    assert answer.value("survived_outage") == pytest.approx(90)
    none = survived_by_kafka_transactions(CurrentKafkaTransactions(interval=400, timeout=900), RELEASE)
    assert none.value("survived_outage") == 0
    assert len(none.errors) == 1


@given(seconds, seconds, st.integers(0, 10), st.floats(0, 20_000), st.floats(1, 3))
def test_what_is_needed_for_an_outage_survives_just_that(
    interval: float, timeout: float, tolerable: int, outage: float, margin: float
) -> None:
    needed = transaction_timeout(interval, timeout, tolerable, outage, margin)
    assert survived_outage(needed, interval, timeout, tolerable, margin) == pytest.approx(outage, abs=1e-6 * needed)


@given(seconds, seconds, st.integers(0, 5))
def test_more_failures_never_need_less(interval: float, outage: float, tolerable: int) -> None:
    def needed(failures: int) -> float:
        inputs = KafkaTransactions(interval=interval, outage=outage, tolerable=failures)
        needed = size_kafka_transactions(inputs, RELEASE).value("needed")
        assert isinstance(needed, float)
        return needed

    assert needed(tolerable) < needed(tolerable + 1)


@pytest.mark.parametrize("reverse", [False, True])
def test_the_examples_answer(reverse: bool) -> None:
    way = CALCULATOR.way(reverse=reverse)
    declared = {one.name: one for one in inputs_of(way.inputs)}
    answer = way.answer(
        collect(way.inputs, {name: declared[name].read(text) for name, text in way.example.items()}), RELEASE
    )
    assert answer.values
    assert all(step.endswith(".") for step in answer.steps)


def test_the_reason_explains_the_timeout_that_is_answered() -> None:
    kept = size_kafka_transactions(KafkaTransactions(interval=60, broker_limit=7200, timeout=3600), RELEASE)
    assert kept.value("transaction_timeout") == 3600
    assert kept.binding == "the current 1 h outlasts the 25 min 12 s that are needed"
    short = size_kafka_transactions(KafkaTransactions(interval=60, broker_limit=7200, timeout=600), RELEASE)
    assert short.value("transaction_timeout") == 26 * 60
    assert short.binding == "a transaction may be open for 21 min; 1.2 times that in whole minutes keeps the margin"
