"""A function makes a client in `open`, and never closes it.

## What it does
Looks at functions and sinks whose `open` makes a client, connection pool or thread pool (JDBC, Kafka, Cassandra,
MongoDB, Redis, Elasticsearch, ...), in classes without a `close`.

## Why it matters
Each restart, rescaling and end of the job opens the function anew, in a TaskManager that goes on. What the last attempt
opened stays: connections, sockets, and threads, which hold the job's class loader and all its classes. After some
restarts the database refuses connections, or the TaskManager fails with `OutOfMemoryError: Metaspace`, `Too many open
files` or `unable to create native thread`.

## What to do
Close it in `close`: `if (client != null) client.close();`, and shut thread pools down.

## Not when
The class has a `close`, extends a class of one's own, or makes a client that needs no closing.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/debugging/debugging_classloading/#unloading-of-dynamically-loaded-classes-in-user-code>:
  threads and clients that are not closed keep classes loaded
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK476",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:unclosed-client"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def client_left_open(config: View) -> Iterator[Finding]:
    """a function makes a client in open, and never closes it"""
    for client in config.elements("unclosed-client"):
        function = client.text("function") or "the function"
        yield client.finding(
            f"{client.text('made')} is opened with each start of {function}, which has no close: every restart leaves"
            " its connections and threads in the TaskManager",
            help=f"add close() to {function}, and close {client.name} in it",
        )


_SINK = """  static class Store extends %s {
    private transient KafkaProducer<String, String> producer;
    @Override public void open(Configuration c) { producer = %s; }
    @Override public void invoke(String in, Context context) { send(producer, in); }
    %s
  }"""
_TO = '.addSink(new Store()).uid("store")'
_MADE = "new KafkaProducer<>(settings)"
_RICH = "RichSinkFunction<String>"


def cases() -> list[Case]:
    return [
        bad(
            java_job(_SINK % (_RICH, _MADE, ""), _TO), file="Job.java", at="producer", severity=Severity.WARNING,
            says="every restart leaves its connections",
        ),
        bad(
            java_job((_SINK % (_RICH, _MADE, "")).replace(_MADE, "CqlSession.builder().build()"), _TO),
            file="Job.java", says="CqlSession.builder is opened with each start of Store",
        ),
        bad(
            java_job((_SINK % (_RICH, _MADE, "")).replace(_MADE, "Executors.newFixedThreadPool(4)"), _TO),
            file="Job.java",
        ),
        good(
            java_job(_SINK % (_RICH, _MADE, "@Override public void close() { producer.close(); }"), _TO),
            file="Job.java",
        ),
        good(java_job(_SINK % ("StoreBase", _MADE, ""), _TO), file="Job.java"),
        good(
            java_job((_SINK % (_RICH, _MADE, "")).replace(_MADE, "HttpClient.newHttpClient()"), _TO), file="Job.java"
        ),
        good(
            java_job((_SINK % (_RICH, _MADE, "")).replace(_MADE, "pools.producer()"), _TO), file="Job.java"
        ),
    ]  # fmt: skip
