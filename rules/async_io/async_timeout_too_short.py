"""The timeout of an asynchronous call is shorter than the line before the threads that answer it.

## What it does
For an async function whose thread pool and client are in the same file, reckons how long the last of `capacity`
records waits: `ceil(capacity / threads)` calls in line for each thread, each as long as the client's timeout allows,
and one more for room. Reports a timeout below that.

## Why it matters
Flink starts the clock of a record when the operator takes it, not when a thread begins to work on it. While the
service is quick, nobody notices. When it slows down, or when a backlog is read, the operator fills up to its
capacity, the records at the end of the line time out before their call was even made, and the job restarts: just then
when it should catch up. With 10 000 records for 25 threads and answers of up to 2 s the last one needs 802 s.

## What to do
Ask for fewer records at once (twice the threads are enough to keep them busy), add threads, or raise the timeout.
Better: a client that needs no threads. `flint size async-io` reckons all of it.

## Not when
The pool or the client's timeout is not in the file, or not constant. A function that overrides `timeout(...)` does not
fail the job: then it is a warning, because most of its records get the substitute.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: what timeout and
  capacity mean, and that a timeout fails the job unless `timeout` is overridden
- <https://cwiki.apache.org/confluence/pages/viewpage.action?pageId=65870673>: FLIP-12, the operator's queue
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import calls, counted, of_threads, program, seconds


@rule(
    code="FLK880",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:async-call"],
    only=["element:async-call"],
    reads=["taskmanager.numberOfTaskSlots"],
    flink=">=1.2",
    since="0.1",
)
def async_timeout_too_short(config: View) -> Iterator[Finding]:
    """the timeout of an asynchronous call is shorter than the line before its threads"""
    for call in calls(config):
        if call.timeout is None or not call.capacity or not call.threads or call.request is None:
            continue
        if call.retries is None or call.pause is None or call.capacity <= call.threads:
            continue
        from flink_flint.calculators.formulas.async_calls import (
            capacity_of_pool,
            drain,
            in_line,
            pauses_of,
            required_timeout,
        )

        once = call.request * (1 + call.retries)
        pauses = pauses_of(call.retries, call.pause)
        needed = required_timeout(call.capacity, call.threads, once, pauses=pauses)
        if call.timeout >= needed:
            continue
        waits = drain(call.capacity, call.threads, once, pauses)
        line = in_line(call.capacity, call.threads)
        sure = call.timeout < waits and not call.handles_timeout
        consequence = (
            "times out, and the job fails" if not call.handles_timeout else "times out and gets the substitute"
        )
        tried = f", tried {call.retries + 1} times" if call.retries else ""
        yield call.part.finding(
            f"{counted(call.capacity)} records in flight for {of_threads(call.threads)} put {counted(line)} calls"
            f" of up to {seconds(call.request)}{tried} in line for each: the last record needs {seconds(needed)}, has"
            f" {seconds(call.timeout)}, {consequence}",
            of="timeout",
            help=f"ask for {counted(capacity_of_pool(call.threads))} at once, add threads, or give"
            f" {seconds(needed)}; `flint size async-io` reckons them together",
            severity=None if sure else Severity.WARNING,
            related=[
                call.part.place("capacity"),
                call.function.place("threads"),
                call.function.place("request-timeout"),
            ],
            evidence={"needed_s": needed, "timeout_s": call.timeout, "in_line": line},
            measure=needed / max(1e-3, call.timeout),
        )


_FUNCTION = """
class Enrich extends RichAsyncFunction<String, String> {{
    {kind}ExecutorService pool = Executors.newFixedThreadPool({threads});
    OkHttpClient http = new OkHttpClient.Builder().readTimeout({read}).build();
    {more}
}}
"""


def _job(
    call: str, *, threads: str = "25", read: str = "2, TimeUnit.SECONDS", more: str = "", kind: str = "", env: str = ""
) -> str:
    return (
        program(call, env)
        + "class Sizes { static final int CAPACITY = 10_000; }\n"
        + _FUNCTION.format(threads=threads, read=read, more=more, kind=kind)
    )


_THREE = "new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(3, 1000L).build()"


def cases() -> list[Case]:
    return [
        bad(
            _job("unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, Sizes.CAPACITY)"),
            file="Job.java",
            at="unorderedWait.timeout",
            severity=Severity.ERROR,
            says="the last record needs 802 s, has 4 s",
        ),
        bad(
            _job("orderedWait(in, new Enrich(), 1, TimeUnit.SECONDS)", read="Duration.ofMillis(500)"),
            file="Job.java",
            at="1, TimeUnit.SECONDS",
            says="100 records in flight for 25 threads put 4 calls",
        ),
        bad(
            _job(
                "unorderedWait(in, new Enrich(), 5, TimeUnit.SECONDS)",
                read="1, TimeUnit.SECONDS",
                more="public void timeout(String in, ResultFuture<String> out) { out.complete(List.of()); }",
                threads="20",
            ),
            file="Job.java",
            severity=Severity.WARNING,
            says="gets the substitute",
        ),
        bad(
            _job(
                "unorderedWait(in, new Enrich(), 20, TimeUnit.SECONDS, 200)",
                threads="100",
                kind="static ",
                env='Configuration c = new Configuration(); c.setInteger("taskmanager.numberOfTaskSlots", 10); ',
            ),
            file="Job.java",
            says="200 records in flight for 10 threads",
        ),
        bad(
            "import org.apache.flink.streaming.api.scala._\n\nobject Job {\n"
            "  AsyncDataStream.unorderedWait(in, new Fn, 4, TimeUnit.SECONDS, 10000)\n}\n"
            "class Fn extends RichAsyncFunction[String, String] {\n"
            "  lazy val ec = ExecutionContext.fromExecutor(Executors.newFixedThreadPool(25))\n"
            "  lazy val http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build()\n"
            "  val request = HttpRequest.newBuilder().timeout(Duration.ofSeconds(2)).build()\n}\n",
            file="Job.scala",
            at="4, TimeUnit.SECONDS",
        ),
        good(_job("unorderedWait(in, new Enrich(), 52, TimeUnit.SECONDS, 5_000)", threads="200"), file="Job.java"),
        good(_job("unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, 25)"), file="Job.java"),
        good(_job("unorderedWait(in, new Enrich(), n, TimeUnit.MILLISECONDS, Sizes.CAPACITY)"), file="Job.java"),
        good(
            _job("unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, Sizes.CAPACITY)", threads="n"), file="Job.java"
        ),
        good(
            _job("AsyncDataStream.unorderedWait(in, new Other(), 4, TimeUnit.SECONDS, Sizes.CAPACITY)"), file="Job.java"
        ),
        bad(_job("unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, Sizes.CAPACITY)"), file="Job.java", flink="1.5"),
        bad(
            _job("unorderedWait(in, new Enrich(), 7, TimeUnit.SECONDS)", read="2, TimeUnit.SECONDS"),
            file="Job.java",
            severity=Severity.ERROR,
        ),
        bad(
            _job("unorderedWait(in, new Enrich(), 8, TimeUnit.SECONDS)", read="2, TimeUnit.SECONDS"),
            file="Job.java",
            severity=Severity.WARNING,
        ),
        bad(
            _job(
                "unorderedWait(in, new Enrich(), 9, TimeUnit.SECONDS)",
                read="2, TimeUnit.SECONDS",
                more="public void timeout(String in, ResultFuture<String> out) { out.complete(List.of()); }",
            ),
            file="Job.java",
            severity=Severity.WARNING,
        ),
        bad(
            _job("unorderedWaitWithRetry(in, new Enrich(), 24, TimeUnit.SECONDS, 100, " + _THREE + ")"),
            file="Job.java",
            says="tried 4 times",
            severity=Severity.ERROR,
        ),
        bad(
            program(
                "unorderedWait(in, new Enrich(), n, TimeUnit.MILLISECONDS); AsyncDataStream.orderedWait(in,"
                " new Enrich(), 60, TimeUnit.SECONDS, 25);"
                " AsyncDataStream.orderedWait(in, new Enrich(), 60, TimeUnit.SECONDS, 26);"
                " AsyncDataStream.orderedWait(in, new Enrich(), 1, TimeUnit.SECONDS, 26)"
            )
            + _FUNCTION.format(threads="25", read="2, TimeUnit.SECONDS", more="", kind=""),
            file="Job.java",
            at="1, TimeUnit.SECONDS",
        ),
        good(
            _job(
                "unorderedWait(in, new Enrich(), 20, TimeUnit.SECONDS, 200)",
                threads="100",
                env='Configuration c = new Configuration(); c.setInteger("taskmanager.numberOfTaskSlots", 10); ',
            ),
            file="Job.java",
        ),
        good(
            _job("unorderedWait(in, new Enrich(), 20, TimeUnit.SECONDS, 200)", threads="100", kind="static "),
            file="Job.java",
        ),
        good(
            _job("unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, 200)", threads="n", kind="static "),
            file="Job.java",
        ),
        good(
            _job(
                "unorderedWait(in, new Enrich(), 20, TimeUnit.SECONDS, 200)",
                threads="100",
                kind="static ",
                env='Configuration c = new Configuration(); c.setString("taskmanager.numberOfTaskSlots", slots); ',
            ),
            file="Job.java",
        ),
        good(_job("unorderedWait(in, new Enrich(), 0, TimeUnit.SECONDS, Sizes.CAPACITY)"), file="Job.java"),
        good(
            _job("unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, Sizes.CAPACITY)", read="n, TimeUnit.SECONDS"),
            file="Job.java",
        ),
        good(_job("unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, Sizes.CAPACITY * n)"), file="Job.java"),
        good(
            _job("unorderedWaitWithRetry(in, new Enrich(), 4, TimeUnit.SECONDS, Sizes.CAPACITY, strategy)"),
            file="Job.java",
        ),
        good(_job("unorderedWait(in, new Enrich(), 1, TimeUnit.SECONDS, 25)"), file="Job.java"),
        *cases_in_folders(__file__),
    ]
