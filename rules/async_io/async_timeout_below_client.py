"""The timeout of an asynchronous call is not above the time its client waits for one answer.

## What it does
Compares the timeout of `AsyncDataStream` with the client's timeout that is set in the function's class, times the
attempts of a retry strategy, the pauses between them included. Where the pool is in the file too,
`async-timeout-too-short` reckons with the line before it instead.

## Why it matters
Flink gives up first. What the client still answers is thrown away, and the job restarts and asks all over again, so
that a slow service gets twice the load. The client's own timeout, with a message that says what was slow, is never
seen.

## What to do
Give the call more time than the client takes, retries included, or let the client give up sooner.

## Not when
One of the two is not constant, or the client is made elsewhere. A function that overrides `timeout(...)` does not fail
the job: then it is a warning.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: the timeout ends a
  request that the client still works on, and fails the job unless `timeout` is overridden
- <https://github.com/apache/flink/pull/26774>: the timeout runs from the first attempt to the last, retries included
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import calls, program, seconds
from flink_flint.rules.async_io._programs import running_program


@rule(
    code="FLK882",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:async-call"],
    flink=">=1.2",
    since="0.1",
)
def async_timeout_below_client(config: View) -> Iterator[Finding]:
    """the timeout of an asynchronous call is not above its client's own"""
    for call in calls(config):
        if call.timeout is None or not call.request or call.retries is None or call.pause is None:
            continue
        if call.threads and call.capacity and call.capacity > call.threads:
            continue  # the line before the threads is the larger matter
        from flink_flint.calculators.formulas.async_calls import longest_call, required_timeout

        longest = longest_call(call.request, retries=call.retries, pause=call.pause)
        if call.timeout > longest:
            continue
        enough = required_timeout(1, None, longest)
        retried = f", with {call.retries} retries {seconds(longest)}," if call.retries else ""
        end = "the job fails" if not call.handles_timeout else "the record gets the substitute"
        yield call.part.finding(
            f"the client waits up to {seconds(call.request)} for an answer{retried} and Flink gives the record"
            f" {seconds(call.timeout)}: {end} while the client still waits",
            of="timeout",
            help=f"give the call more than {seconds(enough)}, or let the client give up sooner",
            severity=Severity.WARNING if call.handles_timeout else None,
            related=[call.function.place("request-timeout")],
            evidence={"client_s": longest, "timeout_s": call.timeout},
            measure=longest / max(1e-3, call.timeout),
        )


def _job(timeout: str, read: str, *, method: str = "unorderedWait", strategy: str = "", more: str = "") -> str:
    return (
        program(f"{method}(in, new Lookup(), {timeout}, 100{strategy})")
        + "class Lookup extends RichAsyncFunction<String, String> {\n"
        f"    HttpRequest request = HttpRequest.newBuilder(uri).timeout({read}).build();\n    {more}\n}}\n"
    )


_THREE = ", new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(3, 1000L).build()"


def cases() -> list[Case]:
    return [
        bad(
            _job("1000, TimeUnit.MILLISECONDS", "Duration.ofSeconds(5)"),
            file="Job.java",
            at="1000, TimeUnit.MILLISECONDS",
            severity=Severity.ERROR,
            says="waits up to 5 s for an answer and Flink gives the record 1 s",
        ),
        bad(
            _job("10, TimeUnit.SECONDS", "Duration.ofSeconds(2)", method="unorderedWaitWithRetry", strategy=_THREE),
            file="Job.java",
            at="unorderedWaitWithRetry.timeout",
            says="with 3 retries 11 s",
        ),
        bad(
            _job(
                "1, TimeUnit.SECONDS",
                "Duration.ofSeconds(5)",
                more="public void timeout(String in, ResultFuture<String> out) { out.complete(List.of()); }",
            ),
            file="Job.java",
            severity=Severity.WARNING,
        ),
        good(_job("6, TimeUnit.SECONDS", "Duration.ofSeconds(5)"), file="Job.java"),
        good(_job("1, TimeUnit.SECONDS", "config.timeout()"), file="Job.java"),
        good(_job("seconds, TimeUnit.SECONDS", "Duration.ofSeconds(5)"), file="Job.java"),
        good(
            _job("12, TimeUnit.SECONDS", "Duration.ofSeconds(2)", method="unorderedWaitWithRetry", strategy=_THREE),
            file="Job.java",
        ),
        bad(_job("5, TimeUnit.SECONDS", "Duration.ofSeconds(5)"), file="Job.java", flink="1.5"),
        bad(
            _job(
                "1, TimeUnit.SECONDS",
                "Duration.ofSeconds(5)",
                more="ExecutorService pool = Executors.newFixedThreadPool(100);",
            ),
            file="Job.java",
        ),
        bad(
            _job(
                "1, TimeUnit.SECONDS",
                "Duration.ofSeconds(5)",
                method="unorderedWaitWithRetry",
                strategy=", new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(0, 1000L).build()",
            ),
            file="Job.java",
        ),
        bad(
            program(
                "unorderedWait(in, new Other(), 1, TimeUnit.SECONDS, 100); AsyncDataStream.unorderedWait(in,"
                " new Lookup(), 60, TimeUnit.SECONDS); AsyncDataStream.unorderedWait(in, new Lookup(), 2,"
                " TimeUnit.SECONDS)"
            )
            + "class Lookup extends RichAsyncFunction<String, String> {\n"
            "    HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build();\n}\n",
            file="Job.java",
            at="2, TimeUnit.SECONDS",
        ),
        bad(
            program(
                "unorderedWait(in, new Pooled(), 1, TimeUnit.SECONDS); AsyncDataStream.unorderedWait(in, new Lookup(),"
                " 2, TimeUnit.SECONDS)"
            )
            + "class Lookup extends RichAsyncFunction<String, String> {\n"
            "    HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build();\n}\n"
            "class Pooled extends RichAsyncFunction<String, String> {\n"
            "    ExecutorService pool = Executors.newFixedThreadPool(9);\n"
            "    HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build();\n}\n",
            file="Job.java",
            at="2, TimeUnit.SECONDS",
        ),
        good(
            _job(
                "1, TimeUnit.SECONDS",
                "Duration.ofSeconds(5)",
                more="ExecutorService pool = Executors.newFixedThreadPool(99);",
            ),
            file="Job.java",
        ),
        good(
            _job(
                "1, TimeUnit.SECONDS", "Duration.ofSeconds(5)", method="unorderedWaitWithRetry", strategy=", strategy"
            ),
            file="Job.java",
        ),
        good(_job("0, TimeUnit.SECONDS", "Duration.ofSeconds(5)"), file="Job.java"),
    ]


def _running(timeout: str) -> str:
    return running_program(
        f"unorderedWait(in, new Lookup(), {timeout}, 12)",
        'HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port))'
        ".timeout(Duration.ofSeconds(5)).build();\n"
        "        http.sendAsync(request, HttpResponse.BodyHandlers.discarding()).thenRun(() -> answer(in, out));",
    )


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "program",
            _running("200, TimeUnit.MILLISECONDS"),
            good=_running("30, TimeUnit.SECONDS"),
            releases=">=2.3",
        ),
    ]
