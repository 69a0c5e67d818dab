"""An exactly-once sink writes to Kafka, but no checkpoint ever commits it.

## What it does
Reports an exactly-once writer where checkpointing is off: the interval is 0, or nothing sets it, neither the program
or script nor the deployment it runs on.

## Why it matters
Such a sink commits its transaction when a checkpoint is complete. Without checkpoints nothing is ever committed:
consumers that read only what is committed see no record at all, and the others see records that the broker aborts
when the transaction times out.

## What to do
Set `execution.checkpointing.interval`, or choose at-least-once. The interval is how long consumers wait for records.

## Not when
The program's cluster is unknown: its configuration may turn checkpointing on. In batch mode everything is committed
at the end.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  checkpointing must be enabled; transactions are committed on a checkpoint
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import AT_LEAST_ONCE, EXACTLY_ONCE, PREFIX, TOPIC, WRITE, program, sink, table
from flink_flint.rules.kafka._clients import INTERVAL, exactly_once, guarantee_attribute, is_batch


@rule(
    code="FLK804",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kafka-sink"],
    flink=">=1.12",
    since="0.1",
)
def kafka_commits_never(config: View) -> Iterator[Finding]:
    """an exactly-once sink writes to Kafka, but no checkpoint ever commits it"""
    interval = config.get(INTERVAL)
    nowhere = not interval.is_set and any(document.whole for document in config.below)
    if is_batch(config) or not (nowhere or (interval.is_set and config.duration(INTERVAL) == 0)):
        return
    for writer in exactly_once(config):
        yield writer.finding(
            "this sink commits its transactions when a checkpoint completes, and checkpointing is off: consumers that"
            " read committed records see none",
            of=guarantee_attribute(writer),
            help=f"set {INTERVAL}, or choose at-least-once",
            related=[interval] if interval.is_set else (),
        )


_EXACTLY = (TOPIC, "'sink.delivery-guarantee' = 'exactly-once'", "'sink.transactional-id-prefix' = 'o'")
_DEPLOYMENT = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n"
    "  flinkVersion: v1_20\n  flinkConfiguration:\n    {}\n  job:\n    jarURI: local:///opt/orders.jar\n"
    "    entryClass: shop.Orders\n    upgradeMode: stateless\n"
)
_OFF = "SET 'execution.checkpointing.interval' = '0';\n"


def cases() -> list[Case]:
    return [
        bad(_OFF + table("t", *_EXACTLY) + WRITE, file="orders.sql", at="'exactly-once'"),
        bad(program("Configuration configuration = new Configuration();",
                    'configuration.setString("execution.checkpointing.interval", "0");',
                    "env.configure(configuration);", sink(EXACTLY_ONCE, PREFIX)), file="Orders.java"),
        good(program(sink(EXACTLY_ONCE, PREFIX)), file="Orders.java", flink="1.20",
             beside={"deployment.yaml": _DEPLOYMENT.format("execution.checkpointing.interval: 1 min")}),
        good(program(sink(EXACTLY_ONCE, PREFIX)), file="Orders.java"),
        good(program("env.enableCheckpointing(60_000);", sink(EXACTLY_ONCE, PREFIX)), file="Orders.java"),
        good(_OFF + table("t", TOPIC) + WRITE, file="orders.sql"),
        good(_OFF + "SET 'execution.runtime-mode' = 'batch';\n" + table("t", *_EXACTLY) + WRITE, file="orders.sql"),
        good(program(sink(AT_LEAST_ONCE)), file="Orders.java"),
        *cases_in_folders(__file__),
    ]  # fmt: skip
