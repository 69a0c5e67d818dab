"""An asynchronous function waits for its answer in the task's own thread.

## What it does
Reports a call in `asyncInvoke` that waits: `get` or `join` on a future, `Thread.sleep`, `Await.result`, a JDBC query,
OkHttp's `execute()`. What stands inside a lambda or an inner class runs elsewhere, and does not count.

## Why it matters
`asyncInvoke` is called by the one thread of the task. While it waits, no other record is taken, no barrier and no timer
is handled: one call at a time, so capacity and timeout mean nothing, and checkpoints are as slow as the service.

## What to do
Complete the `ResultFuture` from a callback (`whenComplete`, `thenAccept`), or make the blocking call on a pool of your
own and give the operator as many records as twice its threads.

## Not when
The function makes a pool of its own: what runs in it cannot always be told.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: the function is not
  called by several threads, and a blocking call or a wait for a future in it makes it synchronous
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import counted, program
from flink_flint.rules.async_io._programs import running_program


@rule(
    code="FLK883",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:async-call", "element:async-function"],
    flink=">=1.2",
    since="0.1",
)
def async_blocking_call(config: View) -> Iterator[Finding]:
    """an asynchronous function waits for its answer in the task's own thread"""
    seen = set()
    for part in config.elements("async-call", "async-function"):
        waits, place = part.text("blocking"), part.span("blocking")
        if waits is None or place in seen:
            continue
        seen.add(place)
        capacity = part.number("capacity")
        allowed = f", whatever the capacity of {counted(int(capacity))} allows" if capacity else ""
        yield part.finding(
            f"{waits} in asyncInvoke holds the task's only thread: each subtask makes one call at a time{allowed}",
            of="blocking",
            help="complete the ResultFuture from a callback, or make the call on a pool",
            related=[part.place()],
        )


def _job(body: str, fields: str = "") -> str:
    return (
        program("unorderedWait(in, new Lookup(), 5, TimeUnit.SECONDS)")
        + f"class Lookup extends RichAsyncFunction<String, String> {{\n    {fields}\n"
        f"    public void asyncInvoke(String in, ResultFuture<String> out) throws Exception {{\n"
        f"        {body}\n    }}\n}}\n"
    )


_IMPORT = "import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;\n"


def cases() -> list[Case]:
    return [
        bad(
            _job("Future<String> answer = client.query(in); out.complete(List.of(answer.get()));"),
            file="Job.java",
            at="get",
            severity=Severity.WARNING,
            says="answer.get in asyncInvoke",
        ),
        bad(_job("Thread.sleep(100); out.complete(List.of(in));"), file="Job.java", says="capacity of 100"),
        bad(_job("out.complete(List.of(http.newCall(request).execute().body().string()));"), file="Job.java"),
        bad(
            "import org.apache.flink.streaming.api.scala._\n\nobject Job { AsyncDataStream.unorderedWait(in, new Fn, 5,"
            " TimeUnit.SECONDS, 50) }\nclass Fn extends AsyncFunction[String, String] {\n  override def asyncInvoke(in:"
            " String, out: ResultFuture[String]): Unit = out.complete(Seq(Await.result(client.get(in), "
            "5.seconds)))\n}\n",
            file="Job.scala",
            at="result",
        ),
        bad(
            _job(
                "ResultSet found = session.execute(query(in)); out.complete(List.of(found.one()));",
                "CqlSession session;",
            ),
            file="Job.java",
            says="session.execute in asyncInvoke",
        ),
        good(
            _job("session.executeAsync(query(in)).thenAccept(a -> out.complete(List.of(a)));", "CqlSession session;"),
            file="Job.java",
        ),
        good(
            _job(
                "CompletableFuture.supplyAsync(() -> client.query(in).get()).thenAccept(a -> out.complete(List.of(a)));"
            ),
            file="Job.java",
        ),
        good(_job("client.query(in).whenComplete((a, e) -> out.complete(List.of(a.get())));"), file="Job.java"),
        good(
            _job(
                "String known = cache.get(); Supplier<String> s = suppliers.get(); out.complete(List.of(s.get()));",
                "Map<String, String> cache;",
            ),
            file="Job.java",
        ),
        good(
            _job(
                "pool.submit(() -> out.complete(List.of(http.newCall(r(in)).execute().body())));",
                "ExecutorService pool = Executors.newFixedThreadPool(8);",
            ),
            file="Job.java",
        ),
        bad(
            _IMPORT + "class Lookup extends RichAsyncFunction<String, String> {\n    public void asyncInvoke(String in,"
            " ResultFuture<String> out) throws Exception {\n        Thread.sleep(100);\n    }\n}\n",
            file="Lookup.java",
            flink="1.5",
        ),
        bad(
            program(
                "unorderedWait(in, new RichAsyncFunction<String, String>() { public void asyncInvoke(String in,"
                " ResultFuture<String> out) { Thread.sleep(100); } }, 5, TimeUnit.SECONDS)"
            ),
            file="Job.java",
        ),
        bad(
            _IMPORT + "class Quick extends RichAsyncFunction<String, String> {\n    public void asyncInvoke(String in,"
            " ResultFuture<String> out) {\n        out.complete(List.of(in));\n    }\n}\n"
            "class Slow extends RichAsyncFunction<String, String> {\n    public void asyncInvoke(String in,"
            " ResultFuture<String> out) throws Exception {\n        Thread.sleep(100);\n    }\n}\n",
            file="Lookup.java",
        ),
    ]


def _running(body: str) -> str:
    return running_program(
        "unorderedWait(in, new Lookup(), 30, TimeUnit.SECONDS, 12)",
        body,
        fields="static void pause() {\n        try {\n            Thread.sleep(200);\n"
        "        } catch (InterruptedException stopped) {\n            return;\n        }\n    }",
        end='if (Lookup.most == 1) { throw new IllegalStateException("one call at a time"); }',
    )


def claims() -> list[Claim]:
    return [
        flink_fails(
            "program",
            _running("Thread.sleep(20); answer(in, out);"),
            good=_running("CompletableFuture.runAsync(() -> { pause(); answer(in, out); });"),
            releases=">=2.3",
        ),
    ]
