"""All subtasks together ask a service for more at once than it may take.

## What it does
Multiplies the calls that one subtask has in flight (its capacity, or the threads of the function's pool where these are
fewer) with the parallelism, and reports more than 5000 (the threshold `calls`).

## Why it matters
While a job keeps up few of these places are used. After an outage, or when the service slows down, all are: it then
gets `capacity` times the parallelism of calls at once, slows down further, and they time out together; each restart
asks for all of them again. More subtasks make it worse.

## What to do
Find out how many calls at once the service takes, and give each subtask its share: capacity = limit / parallelism. Then
let flint know it:

```toml
[thresholds.async-service-overrun]
calls = 400
```

## Not when
The parallelism is not known. A capacity of 10 000 and more without a pool is told by `async-capacity-large`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: capacity, and that
  requests in flight are made again after a failure
- <https://en.wikipedia.org/wiki/Little%27s_law>: calls in flight are rate times latency
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import MANY, calls, counted, program

_PARALLELISM = "parallelism.default"


@rule(
    code="FLK886",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    when=["element:async-call"],
    only=["element:async-call"],
    reads=[_PARALLELISM],
    flink=">=1.2",
    thresholds={"calls": Threshold(5000, "calls of all subtasks at once that the service behind them takes")},
    of_scale=True,
    since="0.1",
)
def async_service_overrun(config: View) -> Iterator[Finding]:
    """all subtasks together ask a service for more at once than it may take"""
    parallelism = config.get(_PARALLELISM)
    subtasks = config.integer(_PARALLELISM) if parallelism.is_set else None
    most = int(config.threshold("calls"))
    for call in calls(config):
        if subtasks is None or call.capacity is None or (call.threads is None and call.has_pool):
            continue
        if call.threads is None and call.capacity >= MANY:
            continue
        at_once = min(call.capacity, call.threads or call.capacity)
        if at_once * subtasks <= most:
            continue
        yield call.part.finding(
            f"{subtasks} subtasks with {counted(at_once)} calls each ask for {counted(at_once * subtasks)} at once"
            f" where they have to catch up; {counted(most)} are taken to be enough for a service",
            of="capacity",
            help=f"ask for {counted(max(most // subtasks, 1))} in each subtask, or set the threshold to what it takes",
            related=[parallelism],
            evidence={"in_flight": at_once * subtasks, "parallelism": subtasks},
            measure=at_once * subtasks,
        )


def _job(capacity: str, subtasks: str = "50", pool: str = "") -> str:
    env = f"StreamExecutionEnvironment env = make(); env.setParallelism({subtasks}); " if subtasks else ""
    job = program(f"unorderedWait(in, new Lookup(), 60, TimeUnit.SECONDS{capacity})", env)
    if not pool:
        return job
    return (
        f"{job}class Lookup extends RichAsyncFunction<String, String> {{\n"
        f"    void open(Configuration c) {{ pool = {pool}; }}\n    ExecutorService pool;\n}}\n"
    )


def cases() -> list[Case]:
    return [
        bad(
            _job(", 101"),
            file="Job.java",
            at="101",
            severity=Severity.WARNING,
            says="50 subtasks with 101 calls each ask for 5 050 at once",
        ),
        bad(_job("", "64"), file="Job.java", says="64 subtasks with 100 calls each ask for 6 400 at once"),
        bad(
            _job(", 10000", "60", "Executors.newFixedThreadPool(100)"),
            file="Job.java",
            says="60 subtasks with 100 calls",
        ),
        bad(
            _job(", 200", "30", "Executors.newFixedThreadPool(1000)"),
            file="Job.java",
            says="30 subtasks with 200 calls",
        ),
        bad(_job(", 200"), file="Job.java", profile="development", severity=Severity.INFO),
        good(_job(", 100"), file="Job.java"),
        good(_job(", 200", ""), file="Job.java"),
        good(_job(", 200", "n"), file="Job.java"),
        good(_job(", n"), file="Job.java"),
        good(_job(", 10000"), file="Job.java"),
        good(_job(", 10000", "50", "Executors.newFixedThreadPool(100)"), file="Job.java"),
        good(_job(", 1000", "50", "Executors.newFixedThreadPool(threads)"), file="Job.java"),
    ]
