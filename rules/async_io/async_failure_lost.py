"""A callback of an asynchronous function loses a failure, and the record's future is never completed.

## What it does
Looks at functions with a future for each record (`ResultFuture`, or the `CompletableFuture` of an asynchronous table
function) for callbacks that throw where nothing catches it, and for `thenAccept` that completes the future with a
result where nothing completes it with a failure. In such a class an empty `timeout` is reported too.

## Why it matters
A callback runs in a thread of the client, which logs an exception at best. Flink does not see it: the record waits
until its timeout, and the job fails minutes later with `TimeoutException: Async function call has timed out`, which
says nothing of the cause. Asynchronous lookups of SQL have no result either until then.
With an empty `timeout` not even that happens: the record stays in the queue for ever, with its place among those of
`capacity`. After 100 lost answers the operator takes no record any more, and the job stands still without an error.

## What to do
Complete the future in any case: `future.completeExceptionally(error)`, at best in `whenComplete`, which gets result and
failure.

## Not when
- The exception is caught, or the chain has `exceptionally`, `handle` or `whenComplete`.
- The class overrides `timeout` with what completes the future, or completes futures exceptionally itself.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/#async-io-api>:
  a future must be completed, with a failure too
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import program


@rule(
    code="FLK891",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:lost-failure"],
    flink=">=1.0",
    since="0.1",
)
def async_failure_lost(config: View) -> Iterator[Finding]:
    """a callback loses a failure, and the record's future is never completed"""
    for lost in config.elements("lost-failure"):
        future = lost.text("future")
        if lost.text("by") == "timeout":
            yield lost.finding(
                f"this empty timeout does not complete {future}: of a request without an answer, its place in the queue"
                " is never free again, and the operator stops once all are taken",
                help=f"complete {future} with a default or exceptionally, or leave the method out",
            )
            continue
        if lost.text("by") == "throw":
            what = f"{lost.name} is thrown in the client's callback, where Flink does not see it"
        else:
            what = f"{lost.name} is called with results alone"
        yield lost.finding(
            f'{what}: if the request fails, {future} is never completed and the job fails later with "Async function'
            ' call has timed out"',
            help=f"call {future}.completeExceptionally(error)"
            + ("" if lost.text("by") == "throw" else ", in whenComplete instead"),
        )


def _job(body: str, more: str = "") -> str:
    return (
        program("unorderedWait(in, new Lookup(), 5, TimeUnit.SECONDS)")
        + "class Lookup extends RichAsyncFunction<String, String> {\n"
        "    public void asyncInvoke(String in, ResultFuture<String> out) throws Exception {\n"
        f"        {body}\n    }}\n    {more}\n}}\n"
    )


_TABLE = """import org.apache.flink.table.functions.AsyncTableFunction;
public class Lookup extends AsyncTableFunction<RowData> {
  public void eval(CompletableFuture<Collection<RowData>> future, Object... keys) {
    client.query(keys, rs -> {
      %s
      future.complete(rs.result());
    });
  }
}
"""
_EMPTY = "public void timeout(String in, ResultFuture<String> out) { }"
_TIMEOUT = "public void timeout(String in, ResultFuture<String> out) { out.complete(Collections.emptyList()); }"


_CAUGHT = ".exceptionally(e -> { out.complete(List.of()); return null; })"
_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.*;
import java.util.concurrent.*;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.functions.async.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    AsyncDataStream.unorderedWait(env.fromElements("a"), new Lookup(), 2, TimeUnit.SECONDS).print();
    env.execute();
  }
  static class Lookup extends RichAsyncFunction<String, String> {
    String query(String in) { throw new IllegalStateException("the database is down"); }
    @Override public void asyncInvoke(String in, ResultFuture<String> out) {
      CompletableFuture.supplyAsync(() -> query(in)).thenAccept(a -> out.complete(List.of(a)))%s;
    }
  }
}
"""


_HANGS = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.*;
import java.util.concurrent.*;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.functions.async.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    AsyncDataStream.unorderedWait(env.fromElements("a"), new Lookup(), 1, TimeUnit.SECONDS).print();
    try {
      env.executeAsync().getJobExecutionResult().get(15, TimeUnit.SECONDS);
    } catch (Exception error) {
      System.out.println("Caused by: " + error);
      System.exit(1);
    }
  }
  static class Lookup extends RichAsyncFunction<String, String> {
    @Override public void asyncInvoke(String in, ResultFuture<String> out) { }
    @Override public void timeout(String in, ResultFuture<String> out) {%s}
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails("program", _HANGS % "", good=_HANGS % " out.complete(List.of()); ", releases=">=1.20"),
        flink_fails("program", _CLAIMED % "", good=_CLAIMED % _CAUGHT, releases=">=1.20"),
    ]


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % "if (rs.failed()) { throw new RuntimeException(rs.cause()); }", file="Lookup.java",
            at="new RuntimeException", severity=Severity.WARNING, says="future is never completed",
        ),
        bad(_job("client.query(in).thenAccept(a -> out.complete(List.of(a)));"), file="Job.java", at="thenAccept"),
        bad(
            _TABLE % "try { if (rs.failed()) { throw new IllegalStateException(); } } finally { rs.close(); }",
            file="Lookup.java",
        ),
        good(
            _TABLE % "if (rs.failed()) { future.completeExceptionally(rs.cause()); return; }", file="Lookup.java"
        ),
        good(
            _TABLE % "try { if (rs.failed()) { throw new IllegalStateException(); } } catch (Exception e) { fail(e); }",
            file="Lookup.java",
        ),
        good(
            _job("client.query(in).whenComplete((a, e) -> { if (e != null) out.completeExceptionally(e);"
            " else out.complete(List.of(a)); });"), file="Job.java",
        ),
        good(_job("client.query(in).thenAccept(a -> out.complete(List.of(a)));", _TIMEOUT), file="Job.java"),
        bad(
            _job("client.query(in, a -> out.complete(a));", _EMPTY), file="Job.java", at="timeout",
            says="its place in the queue is never free again",
        ),
        good(
            _job("client.query(in).handle((a, e) -> { out.complete(List.of(a)); return null; });", _EMPTY),
            file="Job.java",
        ),
        good(
            _job("client.query(in).thenAccept(a -> out.complete(List.of(a))).exceptionally(e -> fail(out, e));"),
            file="Job.java",
        ),
    ]  # fmt: skip
