"""A record whose asynchronous call times out fails the job.

## What it does
Looks for an async function that neither overrides `timeout(...)` nor is called with a retry strategy, a lambda too. It
is a warning where the timeout is 1 s or less, otherwise advice.

## Why it matters
Unless overridden, `timeout` completes the record with a TimeoutException. One slow answer then restarts the whole job,
which asks again for everything that was in flight: an outage of a service that only enriches becomes an outage of the
job.

## What to do
Override `timeout` and complete the record with what the job can do without the answer: the record as it came, an empty
result, or a mark to ask later. Where the answer is indispensable, leave it and ignore this rule.

## Not when
On a developer's machine, in tests, where a retry strategy is given, and where the function is in another file.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: by default an exception
  is thrown and the job is restarted; override `timeout` to handle it
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import calls, program, seconds

_SHORT = 1.0
"""Seconds of a timeout that a pause of the service's garbage collector, or a restart of it, certainly exceeds."""


@rule(
    code="FLK884",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:async-call"],
    flink=">=1.5",
    since="0.1",
)
def async_timeout_fails_job(config: View) -> Iterator[Finding]:
    """a record whose asynchronous call times out fails the job"""
    if config.target.profile != "production":
        return
    for call in calls(config):
        if call.handles_timeout is not False or call.part.has("retries"):
            continue
        function = call.part.text("function") or "the function"
        after = f" after {seconds(call.timeout)}" if call.timeout is not None else ""
        yield call.part.finding(
            f"{function} does not override timeout: one answer that is missing{after} fails the whole job",
            of="function",
            severity=Severity.WARNING if call.timeout is not None and call.timeout <= _SHORT else None,
            help="override timeout and complete the record with what the job can do without the answer",
        )


def _job(more: str = "", call: str = "unorderedWait(in, new Lookup(), 5, TimeUnit.SECONDS)") -> str:
    return program(call) + f"class Lookup extends RichAsyncFunction<String, String> {{\n    {more}\n}}\n"


_TIMEOUT = "public void timeout(String in, ResultFuture<String> out) { out.complete(List.of(in)); }"


def cases() -> list[Case]:
    return [
        bad(_job(), file="Job.java", at="new Lookup()", severity=Severity.INFO, says="missing after 5 s fails"),
        bad(
            "import org.apache.flink.streaming.api.datastream.AsyncDataStream\n\n"
            "fun run() { AsyncDataStream.orderedWait("
            "input, Lookup(), 2, TimeUnit.SECONDS) }\nclass Lookup : RichAsyncFunction<String, String>() {\n}\n",
            file="Job.kt",
            at="Lookup()",
        ),
        bad(
            _job(call="unorderedWait(in, new Lookup(), 800, TimeUnit.MILLISECONDS)"),
            file="Job.java",
            severity=Severity.WARNING,
        ),
        bad(
            _job(call="orderedWait(in, f, 1, TimeUnit.SECONDS)").replace(
                "{ AsyncDataStream", "{ AsyncFunction<String, String> f = (id, out) -> ask(id, out); AsyncDataStream"
            ),
            file="Job.java",
            severity=Severity.WARNING,
            says="the function does not override",
        ),
        good(_job(_TIMEOUT), file="Job.java"),
        good(_job(call="unorderedWaitWithRetry(in, new Lookup(), 5, TimeUnit.SECONDS, strategy)"), file="Job.java"),
        good(_job(call="unorderedWait(in, new Elsewhere(), 5, TimeUnit.SECONDS)"), file="Job.java"),
        good(_job(), file="Job.java", profile="development"),
        bad(
            _job(
                _TIMEOUT,
                "unorderedWait(in, new Lookup(), 5, TimeUnit.SECONDS); AsyncDataStream.orderedWait(in, new Bare(),"
                " 5, TimeUnit.SECONDS)",
            )
            + "class Bare extends RichAsyncFunction<String, String> {\n}\n",
            file="Job.java",
            at="new Bare()",
            flink="1.5",
        ),
    ]
