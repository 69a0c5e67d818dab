"""A function waits for a service's answer with each record.

## What it does
Looks at the methods of map, flat map, filter, process and join functions, and at scalar functions of SQL, for calls
that wait for an answer: of Cassandra, JDBC, Redis, Elasticsearch, DynamoDB, S3 or over HTTP, and futures that are
waited for. What runs only under a condition is passed over.

## Why it matters
A subtask works on one record at a time. While it waits for an answer of 5 ms it does nothing else: 200 records a second
for each subtask, however idle the machine is. Back pressure reaches the source, barriers wait in the queues, and the
checkpoints get slow (`Checkpoint expired before completing`).

## What to do
Ask with `AsyncDataStream.unorderedWait` and an asynchronous client, which keeps many requests in flight. Where the
data is small and changes rarely, keep it in a cache or in broadcast state; in SQL, use a lookup join.

## Not when
- The function has a cache or keeps what it was told in state.
- It is an asynchronous function, a sink, or runs once for each window.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/#the-need-for-asynchronous-io-operations>:
  waiting makes up most of the time of such a function
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK443",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:record-work"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def waits_for_each_record(config: View) -> Iterator[Finding]:
    """a function waits for a service's answer with each record"""
    for work in config.elements("record-work"):
        if work.text("kind") != "waits" or config.is_bounded:
            continue
        yield work.finding(
            f"{work.text('call')} waits for its answer with every record: a subtask does nothing else meanwhile, so the"
            " service's response time limits the throughput",
            help="ask with AsyncDataStream.unorderedWait and an asynchronous client, or cache the answers",
        )


_IMPORT = "import com.datastax.oss.driver.api.core.CqlSession;"
_ENRICH = """  static class Enrich extends RichMapFunction<Order, Order> {
    private transient CqlSession session;%s
    @Override public Order map(Order order) throws Exception {
      %s
      return order;
    }
  }"""
_QUERY = 'order.name = session.execute("SELECT name FROM shops WHERE id=" + order.shop).one().getString(0);'
_PYTHON = """import requests
from pyflink.datastream import StreamExecutionEnvironment, MapFunction

class Enrich(MapFunction):
    def map(self, value):
        %s

env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(source).map(Enrich()).print()
env.execute("orders")
"""
_SCALA = """import org.apache.flink.streaming.api.scala._
class Enrich extends RichMapFunction[Order, Order] {
  override def map(order: Order): Order = Await.result(client.get(order.shop), 5.seconds)
}
object Job { def main(args: Array[String]): Unit = {
  val env = StreamExecutionEnvironment.getExecutionEnvironment
  env.addSource(new Orders).uid("a").map(new Enrich).print()
  env.execute("orders")
} }
"""
_HTTP = """  static class Enrich extends ProcessFunction<Order, Order> {
    private transient HttpClient http;
    @Override public void processElement(Order order, Context context, Collector<Order> out) throws Exception {
      out.collect(ask(order));
    }
    private Order ask(Order order) throws Exception { return read(http.send(request(order), handler)); }
  }"""


def cases() -> list[Case]:
    return [
        bad(
            java_job(_ENRICH % ("", _QUERY), imports=_IMPORT), file="Job.java", at="session.execute",
            severity=Severity.WARNING, says="session.execute waits for its answer with every record",
        ),
        bad(_PYTHON % 'return requests.get("http://shops/" + value).text', file="job.py", says="requests.get"),
        bad(_SCALA, file="Job.scala"),
        bad(java_job(_HTTP, stream=".process(new Enrich()).addSink(sink)"), file="Job.java", says="http.send"),
        good(
            java_job(_ENRICH % (" private Map<String, String> cache;", _QUERY), imports=_IMPORT), file="Job.java"
        ),
        good(java_job(_ENRICH % ("", f"if (order.name == null) {{ {_QUERY} }}"), imports=_IMPORT), file="Job.java"),
        good(_PYTHON % "return value.upper()", file="job.py"),
        good(
            java_job((_ENRICH % ("", _QUERY)).replace("RichMapFunction<Order, Order>", "Mapper"), imports=_IMPORT),
            file="Job.java",
        ),
    ]  # fmt: skip
