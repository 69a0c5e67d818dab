"""A function makes a client of a service for each record.

## What it does
Looks at what functions and sinks do with each record for connections and clients that are made: of JDBC, Kafka,
Cassandra, MongoDB, Redis, HTTP, AWS and others. What is made only under a condition, such as where a field is still
null, is passed over.

## Why it matters
Each record pays for a connection: address lookup, TCP, TLS, login, threads of the client. That takes milliseconds to
seconds, during which the subtask does nothing else. What is not closed stays: sockets, threads and memory, until the
TaskManager fails with `Too many open files`, `unable to create native thread` or the database with `too many
connections`.

## What to do
Make the client in `open`, keep it in a transient field, and close it in `close`. In Python, make it in `open` of the
function's class.

## Not when
It is made once, in `open`, in the constructor of a sink's writer, or if it is not there yet.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/user_defined_functions/#rich-functions>:
  `open` is for what is made once
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK444",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:record-work"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def client_for_each_record(config: View) -> Iterator[Finding]:
    """a function makes a client of a service for each record"""
    for work in config.elements("record-work"):
        if work.text("kind") != "connects":
            continue
        opened = "open" if work.name != "eval" else "open(FunctionContext)"
        yield work.finding(
            f"{work.text('call')} connects anew for every record that {work.method(work.name)} gets: connections pile"
            " up and each record waits for one",
            help=f"make it once in {opened}, keep it in a field, and close it in close",
        )


_SINK = """  static class Store extends RichSinkFunction<Order> {
    private transient Connection connection;
    %s
    @Override public void invoke(Order order, Context context) throws Exception {
      %s
      write(connection, order);
    }
  }"""
_CONNECT = "connection = DriverManager.getConnection(url, user, password);"
_TO_SINK = '.addSink(new Store()).uid("store")'
_PYTHON = """import boto3
from pyflink.datastream import StreamExecutionEnvironment, MapFunction

class Put(MapFunction):
    def open(self, runtime_context):
        %s

    def map(self, value):
        %s
        table.put_item(Item=value)
        return value

env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(source).map(Put()).print()
env.execute("orders")
"""


def cases() -> list[Case]:
    return [
        bad(
            java_job(_SINK % ("", _CONNECT), stream=_TO_SINK), file="Job.java", at="DriverManager.getConnection",
            severity=Severity.WARNING, says="connects anew for every record that invoke gets",
        ),
        bad(_PYTHON % ("pass", 'table = boto3.resource("dynamodb")'), file="job.py", says="boto3.resource"),
        bad(
            java_job(
                "  static class Enrich implements MapFunction<Order, Order> { public Order map(Order order) {"
                " KafkaProducer<String, String> p = new KafkaProducer<>(settings); p.send(order.record());"
                " return order; } }"
            ),
            file="Job.java", says="new KafkaProducer",
        ),
        good(
            java_job(
                _SINK % (f"@Override public void open(Configuration c) throws Exception {{ {_CONNECT} }}", ""),
                stream=_TO_SINK,
            ),
            file="Job.java",
        ),
        good(java_job(_SINK % ("", f"if (connection == null) {{ {_CONNECT} }}"), stream=_TO_SINK), file="Job.java"),
        good(_PYTHON % ('self.table = boto3.resource("dynamodb")', "table = self.table"), file="job.py"),
    ]  # fmt: skip
