"""Far more asynchronous calls are in flight than threads can make, and the timeout leaves each hardly any time.

## What it does
Divides the timeout by the calls in line for each thread of the function's pool. Reports a capacity of more than four
times the threads where less than half a second is left for a call. Where the client's timeout is in the file too,
`async-timeout-too-short` reckons exactly, and this rule is silent.

## Why it matters
A capacity above the threads makes nothing faster: the records wait inside the pool instead of before the operator, and
there their clock runs. As soon as a call takes longer than its share, the records at the end of the line time out, and
the job restarts.

## What to do
Twice the threads are enough to keep them busy. Or add threads, or use a client that needs none.

## Not when
The pool is not in the file, or has as many threads as calls (`newCachedThreadPool`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: capacity is the number
  of requests that may be in progress; a request times out from when it is taken
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import SECOND
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import calls, counted, of_threads, program, seconds


@rule(
    code="FLK881",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:async-call"],
    only=["element:async-call"],
    reads=["taskmanager.numberOfTaskSlots"],
    flink=">=1.2",
    since="0.1",
    thresholds={
        "in-line": Threshold(4, "calls in line for each thread that are no matter"),
        "call": Threshold("500 ms", "what a call to a service may well take while that is busy"),
    },
)
def async_capacity_over_pool(config: View) -> Iterator[Finding]:
    """many more asynchronous calls are in flight than the function has threads"""
    for call in calls(config):
        if not call.capacity or not call.threads or call.timeout is None or call.request is not None:
            continue
        from flink_flint.calculators.formulas.async_calls import QUEUED_PER_THREAD, in_line

        line = in_line(call.capacity, call.threads)
        share = call.timeout / line
        queued = min(QUEUED_PER_THREAD, config.threshold("in-line"))
        if line <= config.threshold("in-line") or share * SECOND >= config.threshold("call"):
            continue
        yield call.part.finding(
            f"{counted(call.capacity)} calls in flight for {of_threads(call.threads)} are {counted(line)} in line"
            f" for each, and the timeout of {seconds(call.timeout)} leaves {seconds(share)} for a call",
            of="capacity",
            help=f"ask for {counted(max(1, int(queued * call.threads)))} at once, or add threads",
            related=[call.function.place("threads"), call.part.place("timeout")],
            evidence={"in_line": line, "share_s": share},
            measure=line,
        )


def _job(timeout: str, capacity: str, pool: str, more: str = "") -> str:
    return (
        program(f"unorderedWait(in, new Lookup(), {timeout}{capacity})")
        + "class Lookup extends RichAsyncFunction<String, String> {\n"
        f"    void open(Configuration c) {{ pool = {pool}; {more}}}\n    ExecutorService pool;\n}}\n"
    )


def cases() -> list[Case]:
    return [
        bad(
            _job("4, TimeUnit.SECONDS", ", 10000", "Executors.newFixedThreadPool(25)"),
            file="Job.java",
            at="10000",
            severity=Severity.WARNING,
            says="400 in line for each, and the timeout of 4 s leaves 10 ms",
        ),
        bad(
            _job("2, TimeUnit.SECONDS", "", "Executors.newSingleThreadExecutor()"),
            file="Job.java",
            says="100 calls in flight for 1 thread",
        ),
        good(_job("60, TimeUnit.SECONDS", "", "Executors.newFixedThreadPool(10)"), file="Job.java"),
        good(_job("1, TimeUnit.SECONDS", ", 10000", "Executors.newCachedThreadPool()"), file="Job.java"),
        good(
            _job("1, TimeUnit.SECONDS", ", 40", "new ThreadPoolExecutor(5, 20, 1, MINUTES, new ArrayBlockingQueue(9))"),
            file="Job.java",
        ),
        good(_job("4, TimeUnit.SECONDS", ", 10000", "Executors.newFixedThreadPool(threads)"), file="Job.java"),
        good(
            _job(
                "52, TimeUnit.SECONDS",
                ", 5000",
                "Executors.newFixedThreadPool(200)",
                "http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build(); ",
            ),
            file="Job.java",
        ),
        bad(
            _job("2400, TimeUnit.MILLISECONDS", ", 100", "Executors.newFixedThreadPool(20)"),
            file="Job.java",
            flink="1.5",
            says="5 in line for each",
        ),
        bad(
            program(
                "unorderedWait(in, new Other(), 1, TimeUnit.SECONDS, 10000); AsyncDataStream.unorderedWait(in,"
                " new Lookup(), 60, TimeUnit.SECONDS, 100); AsyncDataStream.unorderedWait(in, new Lookup(), 2,"
                " TimeUnit.SECONDS, 300)"
            )
            + "class Lookup extends RichAsyncFunction<String, String> {\n"
            "    ExecutorService pool = Executors.newFixedThreadPool(25);\n}\n",
            file="Job.java",
            at="300",
        ),
        good(_job("2500, TimeUnit.MILLISECONDS", ", 100", "Executors.newFixedThreadPool(20)"), file="Job.java"),
        good(_job("1, TimeUnit.SECONDS", ", 80", "Executors.newFixedThreadPool(20)"), file="Job.java"),
        good(_job("n, TimeUnit.SECONDS", ", 10000", "Executors.newFixedThreadPool(25)"), file="Job.java"),
        good(_job("4, TimeUnit.SECONDS", ", 10000 * n", "Executors.newFixedThreadPool(25)"), file="Job.java"),
        good(
            _job(
                "4, TimeUnit.SECONDS",
                ", 10000",
                "Executors.newFixedThreadPool(25)",
                "http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build(); ",
            ),
            file="Job.java",
        ),
    ]
