"""A function has a client in a field, which is serialized with it.

## What it does
Looks at fields of functions, sources and sinks that are neither static nor transient and are given a client where they
are declared: a Kafka producer, an HTTP or Redis client, a connection pool, a thread pool.

## Why it matters
Flink makes a function once, where the job is submitted, and sends it to the subtasks in serialized form. Connections
and threads cannot be sent: the submission fails with `InvalidProgramException: The implementation of the
RichMapFunction is not serializable. The object probably contains or references non serializable fields`, caused by
`java.io.NotSerializableException`.

## What to do
Declare the field `transient`, and make the client in `open`.

## Not when
The field is transient, static or made in `open`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/user_defined_functions/#rich-functions>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK461",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:serialized-client"],
    flink=">=1.0",
    since="0.1",
)
def client_serialized(config: View) -> Iterator[Finding]:
    """a function has a client in a field, which is serialized with it"""
    for client in config.elements("serialized-client"):
        yield client.finding(
            f"{client.text('made')} is made with the function and serialized with it: the job is refused, as"
            f" {client.name} is not serializable",
            help="declare the field transient and make the client in open()",
        )


_FUNCTION = """  static class Send extends RichSinkFunction<String> {
    private %s;
    %s
    @Override public void invoke(String in, Context context) { send(in); }
  }"""
_STREAM = '.addSink(new Send()).uid("send")'


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.concurrent.*;
import org.apache.flink.api.common.functions.RichMapFunction;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a").map(new Send()).print();
    env.execute();
  }
  static class Send extends RichMapFunction<String, String> {
    private %sExecutorService pool = Executors.newFixedThreadPool(1);
    @Override public String map(String in) { return in; }
  }
}
"""


def claims() -> list[Claim]:
    return [flink_fails("program", _CLAIMED % "", good=_CLAIMED % "transient ", releases=">=1.20")]


def cases() -> list[Case]:
    return [
        bad(
            java_job(_FUNCTION % ("final OkHttpClient http = new OkHttpClient()", ""), stream=_STREAM),
            file="Job.java", at="http", severity=Severity.WARNING, says="new OkHttpClient",
        ),
        bad(
            java_job(_FUNCTION % ("ExecutorService pool = Executors.newFixedThreadPool(8)", ""), stream=_STREAM),
            file="Job.java",
        ),
        good(
            java_job(_FUNCTION % ("transient OkHttpClient http = new OkHttpClient()", ""), stream=_STREAM),
            file="Job.java",
        ),
        good(
            java_job(
                _FUNCTION % ("OkHttpClient http", "public void open(Configuration c) { http = new OkHttpClient(); }"),
                stream=_STREAM,
            ),
            file="Job.java",
        ),
    ]  # fmt: skip
