"""A reader of RabbitMQ drops what it has seen, and runs in several subtasks.

## What it does
Reports a `RMQSource` with `usesCorrelationId` true and a parallelism above 1: its own, or that of the job where it has
none of its own.

## Why it matters
With correlation ids the source remembers what it has read and drops what RabbitMQ delivers once more. Each subtask
remembers only its own, while RabbitMQ gives a message that was not acknowledged before a failure to whichever subtask
asks first: it is processed twice, although the program reads as if it were exactly once.

## What to do
Call `setParallelism(1)` on the source, and let what comes after it run in parallel. Or leave the ids out, if at least
once is enough.

## Not when
The parallelism is not known, or 1.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.12/dev/connectors/rabbitmq.html>: what exactly once wants
  of the source, one subtask among it
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cases import program

_PARALLELISM = "parallelism.default"


@rule(
    code="FLK869",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:rabbitmq-source"],
    since="0.1",
)
def rabbitmq_read_in_parallel(config: View) -> Iterator[Finding]:
    """a reader of RabbitMQ drops what it has seen, and runs in several subtasks"""
    jobs = config.get(_PARALLELISM)
    for reader in config.elements("rabbitmq-source"):
        own = reader.element.attributes.get("parallelism")
        subtasks = reader.number("parallelism") if own else config.integer(_PARALLELISM) if jobs.is_set else None
        if not reader.flag("correlation-ids") or subtasks is None or subtasks <= 1:
            continue
        yield reader.finding(
            f"each of {subtasks:.0f} subtasks remembers its own messages alone: after a failure another one gets them"
            " again, and takes them for new",
            of="correlation-ids",
            help=f"call {reader.method('setParallelism')}(1) on the source, or leave the correlation ids out",
            related=[] if own else [jobs],
            evidence={"subtasks": subtasks},
        )


def _job(ids: str, after: str = "", before: str = "env.setParallelism(4);") -> str:
    made = f'new RMQSource<>(connection, "orders", {ids}new OrderSchema())'
    return program(before, f"DataStream<String> stream = env.addSource({made}){after};")


def cases() -> list[Case]:
    return [
        bad(_job("true, "), file="Positions.java", at="true", severity=Severity.WARNING, says="each of 4 subtasks"),
        bad(_job("true, ", ".name(\"in\").setParallelism(2)", ""), file="Positions.java", says="each of 2 subtasks"),
        bad(_job("true, ", ".setParallelism(2)"), file="Positions.java", says="each of 2 subtasks"),
        good(_job("true, ", ".setParallelism(1)"), file="Positions.java"),
        good(_job("true, ", ".setParallelism(subtasks)"), file="Positions.java"),
        good(_job("true, ", "", "env.setParallelism(1);"), file="Positions.java"),
        good(_job("true, ", "", ""), file="Positions.java"),
        good(_job("false, "), file="Positions.java"),
        good(_job(""), file="Positions.java"),
        good(_job("byId, "), file="Positions.java"),
    ]  # fmt: skip
