"""Asynchronous calls that are each well set hold up a checkpoint, starve each other or overrun a service together.

## What it does
Takes all calls of `AsyncDataStream` in a program with the function in another file, the slots and the parallelism of
the deployment and the timeout of checkpoints, wherever these are set. Reports

- calls whose timeouts add up to more than a third of `execution.checkpointing.timeout`;
- calls that share one pool in each TaskManager (a `static` one), which all slots and all calls together put too much
  in line for;
- more calls at once, from all subtasks, than a service takes: 10,000, unless the preferences tell how many that is.

## Why it matters
Flink starts a record's clock when the operator takes it, and while the operator is full it takes no barrier either. So
what a slow service costs adds up over operators, slots and subtasks, and these are in different files:

    Enrich    timeout 150 s, 1000 in flight     EnrichmentJob.java
    Price     timeout 90 s, 1000 in flight      EnrichmentJob.java
    pool      100 threads, static, 2 s a call   Service.java
    slots     4 in each TaskManager             deployment.yaml
    checkpoint timeout 10 min                   values.yaml

Call by call this holds: 1000 records for the 25 threads that each slot has of the pool are 40 calls in line, 82 s in
all. But both calls use the pool in all four slots: 8000 records for 100 threads are 80 in line, and the last one needs
162 s. It times out just when the service is slow or a backlog is read.

And 150 s + 90 s of 600 s is more than a third: a barrier that waits at a full operator, then at the next one, takes 4
minutes before any state is written. As a third of the time is what remains for alignment and another for the state, the
checkpoint expires, and if `execution.checkpointing.tolerable-failed-checkpoints` is 0 the job fails with it. Where
nothing sets an interval of checkpoints, but a file that is not known may, this is advice.

## What to do
- Give all calls together a third of the checkpoint timeout at most, or raise that.
- Make the pool as large as the calls in flight in a TaskManager want (half of them keeps every thread busy), or lower
  the capacities. `flint size async-io` reckons both.
- Divide what the service takes by the subtasks, and let that be the capacity.

## Not when
- One call alone is too much: `async-timeout-too-short` reckons its own line, `async-timeout-vs-checkpoint` its own
  timeout where results keep their order.
- The job takes no checkpoints: then no barrier waits.
- The timeouts, the pool or the time of a call is not constant, or the function is not in the same module.
- Every subtask has a pool of its own: then slots and calls do not share it.
- Sizes of records are in no file, so that what calls in flight add to a checkpoint is not reckoned.

The share of the checkpoint timeout is the threshold `share`, 0.34 by default, the calls that a service takes the
threshold `calls`, 10,000. Set that to what is known of yours.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: timeout, capacity,
  backpressure of a full operator
- <https://github.com/apache/flink/blob/release-1.20/flink-streaming-java/src/main/java/org/apache/flink/streaming/api/operators/async/AsyncWaitOperator.java>:
  `addToWorkQueue` waits while the queue is full; the timer starts in `processElement`
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-timeout>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/concepts/flink-architecture/#task-slots-and-resources>:
  the slots of a TaskManager share one JVM
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import (
    Case,
    Confidence,
    Finding,
    Severity,
    Threshold,
    bad,
    cases_in_folders,
    good,
    rule,
)
from flink_flint.linter.model.view import View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.async_io._calls import AsyncCall, calls, counted, of_threads, seconds
from flink_flint.rules.checkpoints._checkpointing import takes_checkpoints
from flink_flint.rules.composites._places import links

_TIMEOUT = "execution.checkpointing.timeout"
_SLOTS = "taskmanager.numberOfTaskSlots"
_PARALLELISM = "parallelism.default"


class _Load(NamedTuple):
    """A call of which all is known. Times in seconds."""

    call: AsyncCall
    timeout: float
    capacity: int
    once: float
    """How long a thread is busy with one record, retries included."""
    pauses: float


@rule(
    code="FLK058",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:async-call"],
    scope="project",
    compares=[],
    since="0.1",
    thresholds={
        "share": Threshold(0.34, "share of the checkpoint timeout that the timeouts of all calls may take"),
        "calls": Threshold(10_000, "calls at once that the service behind a program's calls takes"),
    },
)
def async_calls_under_load(project: Project) -> Iterator[Finding]:
    """asynchronous calls, each well set, are too much for checkpoint, pool or service"""
    for config in project.views:
        found = list(calls(config))
        if found:
            yield from _barrier(config, found)
            yield from _service(config, found)
            for group in _sharing(found):
                yield from _pool(config, group)


def _load(call: AsyncCall) -> _Load | None:
    """A call with all its numbers; None where one is unknown."""
    from flink_flint.calculators.formulas.async_calls import pauses_of

    if call.timeout is None or call.capacity is None or call.retries is None or call.pause is None:
        return None
    if call.request is None:
        return None
    once = call.request * (1 + call.retries)
    return _Load(call, call.timeout, call.capacity, once, pauses_of(call.retries, call.pause))


def _barrier(config: View, found: Sequence[AsyncCall]) -> Iterator[Finding]:
    """The timeouts of all operators that a barrier passes, against what a checkpoint may take."""
    setting, limit = config.get(_TIMEOUT), config.duration(_TIMEOUT)
    times = [(call.timeout, call) for call in found if call.timeout is not None]
    total, share = sum(timeout for timeout, _ in times), config.threshold("share")
    if not limit or len(times) < len(found) or total <= share * limit.seconds:
        return
    known = takes_checkpoints(config)
    if known is False:
        return
    half = (0.5 if setting.is_set else 1.0) * limit.seconds
    if any(timeout > half and not call.part.name.startswith("unordered") for timeout, call in times):
        return  # what FLK890 says of one call in order
    enough, times_total = int(limit.seconds * min(1 / 3, share)), max(3, math.ceil(1 / max(share, 1e-9)))
    _, longest = max(times, key=lambda one: one[0])
    listed = " and ".join(f"{seconds(timeout)} at {_named(call)}" for timeout, call in times)
    in_all = f", {seconds(total)} in all" if len(times) > 1 else ""
    yield longest.part.finding(
        f"a slow service holds a barrier back for up to {listed}{in_all}: {total / limit.seconds:.0%} of the"
        f" {seconds(limit.seconds)} that a checkpoint may take, before any state is written",
        of="timeout",
        help=f"give the calls {seconds(enough)} together, or raise {_TIMEOUT} to {seconds(times_total * total)}",
        severity=None if known else Severity.INFO,
        related=[
            *(call.part.place("timeout", f"{seconds(timeout)} more") for timeout, call in times if call is not longest),
            *links((setting, "what a checkpoint may take")),
        ],
        evidence={"timeouts_s": total, "checkpoint_timeout_s": limit.seconds},
        measure=total,
    )


def _sharing(found: Sequence[AsyncCall]) -> Iterator[list[_Load]]:
    """The calls that share a pool of their process, two or more of each, where all is known of all."""
    groups: dict[tuple[str, int], list[_Load | None]] = defaultdict(list)
    for call in found:
        if call.function.flag("threads-shared"):
            groups[call.function.document.path, call.function.span("threads").start].append(_load(call))
    for group in groups.values():
        known = [load for load in group if load is not None]
        if len(known) == len(group) > 1:
            yield known


def _pool(config: View, group: Sequence[_Load]) -> Iterator[Finding]:
    """One pool of a TaskManager, and all that its slots and calls put in line for it."""
    from flink_flint.calculators.formulas.async_calls import in_line, required_timeout

    slots, function = config.integer(_SLOTS), group[0].call.function
    threads = int(function.number("threads") or 0)
    if slots is None or threads < 1:
        return
    own = [required_timeout(one.capacity, one.call.threads, one.once, pauses=one.pauses) for one in group]
    flight = slots * sum(one.capacity for one in group)
    once, pauses = max(one.once for one in group), max(one.pauses for one in group)
    needed = required_timeout(flight, threads, once, pauses=pauses)
    tightest = min(group, key=lambda one: one.timeout)
    if tightest.timeout >= needed or any(one.timeout < alone for one, alone in zip(group, own, strict=True)):
        return  # enough, or what FLK880 says of one call
    yield function.finding(
        f"{len(group)} calls in each of {slots} slot{'s' if slots > 1 else ''} share one pool of {of_threads(threads)}:"
        f" {counted(flight)} records in flight put {counted(in_line(flight, threads))} calls of up to {seconds(once)}"
        f" in line for each thread, the last needs {seconds(needed)}, has {seconds(tightest.timeout)}",
        of="threads",
        help=f"give the pool {counted(-(-flight // 2))} threads, or ask for"
        f" {counted(max(1, 2 * threads // (slots * len(group))))} at once in each call",
        severity=None if tightest.call.handles_timeout else Severity.ERROR,
        related=[
            *(one.call.part.place("capacity", f"{counted(one.capacity)} in flight") for one in group),
            *(one.call.part.place("timeout", f"{seconds(one.timeout)} for each record") for one in group),
            *links((config.get(_SLOTS), "slots of one process, which has the pool once")),
        ],
        evidence={"needed_s": needed, "in_flight": flight, "threads": threads},
        measure=needed / max(1e-3, tightest.timeout),
    )


def _service(config: View, found: Sequence[AsyncCall]) -> Iterator[Finding]:
    """What all subtasks ask at once, against what a service takes."""
    from flink_flint.calculators.formulas.async_calls import at_once

    takes, subtasks, count = int(config.threshold("calls")), config.get(_PARALLELISM), config.integer(_PARALLELISM)
    known = [(call, at_once(call.capacity, call.threads)) for call in found if call.capacity is not None]
    each = sum(number for call, number in known if call.threads or not call.has_pool)
    if count is None or each * count <= takes:
        return
    first, *more = (call for call, _ in known)
    yield first.part.finding(
        f"{count} subtasks make {counted(each)} calls at once each, {counted(each * count)} in all, and a service takes"
        f" {counted(takes)} or less: while a backlog is read they time out",
        of="capacity",
        help=f"let each subtask make {counted(max(1, takes // count))} at once",
        confidence=Confidence.LOW,
        related=[
            *([first.function.place("threads", f"{of_threads(first.threads)} a subtask")] if first.threads else []),
            *(call.part.place("capacity", "more in flight") for call in more),
            *links((subtasks, f"{count} subtasks")),
        ],
        evidence={"calls": each * count, "takes": takes},
        measure=each * count / max(takes, 1),
    )


def _named(call: AsyncCall) -> str:
    return call.part.text("function") or call.part.name


_IMPORT = "import org.apache.flink.streaming.api.datastream.AsyncDataStream;\n\n"
_FUNCTION = """class Service extends RichAsyncFunction<String, String> {
    %sExecutorService pool = Executors.newFixedThreadPool(%s);
    OkHttpClient http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build();
    %s
}
"""
_LATE = "@Override public void timeout(String in, ResultFuture<String> out) { out.complete(List.of()); }"


def _call(timeout: int, capacity: int, method: str = "unorderedWait") -> str:
    return f"AsyncDataStream.{method}(in, new Service(), {timeout}, TimeUnit.SECONDS, {capacity});"


def _job(*calls: str, env: str = "", pool: str = "static ", threads: int = 100, more: str = "") -> str:
    body = " ".join(calls)
    return f"{_IMPORT}class Job {{ void run() {{ {env}{body} }} }}\n" + _FUNCTION % (pool, threads, more)


_EVERY = "env.enableCheckpointing(30_000); "
_SHORT = "env.getCheckpointConfig().setCheckpointTimeout(240_000); "
_RETRY = "new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(1, 3000L).build()"


def _retried(timeout: int, capacity: int) -> str:
    return _call(timeout, capacity, "unorderedWaitWithRetry").removesuffix(");") + f", {_RETRY});"


def cases() -> list[Case]:
    return [
        bad(
            _job(_call(60, 10), _call(40, 10), env=_EVERY + _SHORT),
            file="Job.java",
            at="60, TimeUnit.SECONDS",
            severity=Severity.WARNING,
            says="60 s at Service and 40 s at Service, 100 s in all: 42% of the 240 s that a checkpoint may take",
        ),
        bad(
            _job(_call(82, 10), env=_SHORT),
            file="Job.java",
            at="82, TimeUnit.SECONDS",
            says="82 s at Service: 34% of the 240 s",
        ),
        bad(_job(_call(240, 10)), file="Job.java", says="40% of the 600 s", severity=Severity.INFO),
        good(_job(_call(81, 10), env=_SHORT), file="Job.java"),
        good(_job(_call(60, 10), _call(20, 10), env=_SHORT), file="Job.java"),
        good(
            _job(
                _call(60, 10),
                "AsyncDataStream.unorderedWait(in, new Service(), late, TimeUnit.SECONDS, 10);",
                env=_SHORT,
            ),
            file="Job.java",
        ),
        # One that is in order and takes more than half is FLK890's.
        good(_job(_call(121, 10, "orderedWait"), env=_SHORT), file="Job.java"),
        bad(_job(_call(120, 10, "orderedWait"), env=_SHORT), file="Job.java"),
        bad(
            _job(_call(20, 500), _call(30, 500)),
            file="Job.java",
            at="100",
            severity=Severity.ERROR,
            says="2 calls in each of 1 slot share one pool of 100 threads: 1 000 records in flight put 10 calls"
            " of up to 2 s in line for each thread, the last needs 22 s, has 20 s",
        ),
        bad(_job(_call(20, 500), _call(20, 500), more=_LATE), file="Job.java", at="100", severity=Severity.WARNING),
        good(_job(_call(22, 500), _call(22, 500)), file="Job.java"),
        good(_job(_call(20, 500), _call(20, 500), pool=""), file="Job.java"),
        good(_job(_call(20, 500)), file="Job.java"),
        # One that is too short by itself is FLK880's.
        good(_job(_call(11, 500), _call(20, 500)), file="Job.java"),
        bad(_job(_call(12, 500), _call(20, 500)), file="Job.java"),
        good(_job(_call(20, 500), _call(20, 500), threads=0), file="Job.java"),
        good(
            "import org.apache.flink.streaming.api.datastream.AsyncDataStream;\n"
            "\n"
            "class Job { void run() { AsyncDataStream.unorderedWait(in, new Service(), 20, "
            "TimeUnit.SECONDS, 500); AsyncDataStream.unorderedWait(in, new Service(), 20, "
            "TimeUnit.SECONDS, many); } }\n"
            "class Service extends RichAsyncFunction<String, String> {\n"
            "    static ExecutorService pool = Executors.newFixedThreadPool(100);\n"
            "    OkHttpClient http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build();\n"
            "    \n"
            "}\n",
            file="Job.java",
        ),
        good(
            "import org.apache.flink.streaming.api.datastream.AsyncDataStream;\n"
            "\n"
            "class Job { void run() { AsyncDataStream.unorderedWait(in, new Service(), 20, "
            "TimeUnit.SECONDS, 500); AsyncDataStream.unorderedWait(in, new Service(), 20, "
            "TimeUnit.SECONDS, 500); } }\n"
            "class Service extends RichAsyncFunction<String, String> {\n"
            "    static ExecutorService pool = Executors.newFixedThreadPool(100);\n"
            "    OkHttpClient http = new OkHttpClient.Builder().readTimeout(some, TimeUnit.SECONDS).build();\n"
            "    \n"
            "}\n",
            file="Job.java",
        ),
        # Retries keep a thread once more each, and wait 3 s.
        bad(
            _job(_retried(40, 500), _retried(50, 500)),
            file="Job.java",
            at="100",
            says="put 10 calls of up to 4 s in line for each thread, the last needs 47 s, has 40 s",
        ),
        good(_job(_retried(47, 500), _retried(47, 500)), file="Job.java"),
        good(_job(_call(52, 500), _retried(26, 500)), file="Job.java"),
        bad(_job(_call(200, 10), env=_SHORT), file="Job.java", says="83% of the 240 s"),
        bad(_job(_call(400, 10, "orderedWait")), file="Job.java", says="67% of the 600 s"),
        good(_job(_call(601, 10, "orderedWait")), file="Job.java"),
        good(
            _job(
                _call(90, 10),
                "AsyncDataStream.unorderedWait(in, new Service(), late, TimeUnit.SECONDS, 10);",
                env=_SHORT,
            ),
            file="Job.java",
        ),
        *cases_in_folders(__file__),
    ]
