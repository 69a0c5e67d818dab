"""The vectors of Kafka transactions: the smallest timeout that loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.formulas.transactions import BROKER_DEFAULT, SINK_DEFAULT
from flink_flint.calculators.kafka_transactions import KafkaTransactions, size_kafka_transactions
from flink_flint.linter.flink.releases import parse_release


def _kafka_txn(inputs: dict[str, Any]) -> dict[str, Any]:
    asked = KafkaTransactions(
        interval=inputs["interval_s"],
        checkpoint_timeout=inputs.get("ck_timeout_s", 600),
        tolerable=inputs.get("tolerable", 0),
        outage=inputs.get("restart_s", 0),
        margin=inputs.get("margin", 1.2),
        min_pause=inputs.get("min_pause_s", 0),
        broker_limit=inputs.get("broker_s", BROKER_DEFAULT),
        timeout=inputs.get("timeout_s", SINK_DEFAULT),
    )
    answer = size_kafka_transactions(asked, parse_release("1.20"))
    return {
        "seconds": answer.value("needed"),
        "broker_minutes": answer.value("broker_limit") / 60,
        "level": "error" if answer.errors else "warning" if answer.warnings else "ok",
    }


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"kafka_txn": _kafka_txn}
