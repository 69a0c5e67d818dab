"""In order, one unanswered call can hold a checkpoint back for longer than it may take.

## What it does
Compares the timeout of `orderedWait` and `orderedWaitWithRetry` with the timeout of checkpoints: reports more than half
of the one that the same program sets, or more than Flink's default of 10 minutes.

## Why it matters
In order, the first record in the queue holds back all results behind it until it is answered or times out. When the
queue is full the operator takes nothing more, no barrier either, until its head goes: up to the whole timeout. A
checkpoint that has to wait so long at one operator expires, and enough of those fail the job.

## What to do
Give a call a third of the checkpoint timeout at most, let results come out of order (`unorderedWait`), or raise
`execution.checkpointing.timeout`.

## Not when
Out of order. Where the checkpoint timeout is set elsewhere, this rule knows only the default. A job without checkpoints
has no barriers; where nothing sets their interval, but a file that is not known may, the finding is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: how results are kept in
  order, and that the operator exerts backpressure when its capacity is exhausted
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-timeout>: the
  default is 10 minutes
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import calls, program, seconds
from flink_flint.rules.checkpoints._checkpointing import takes_checkpoints

_KEY = "execution.checkpointing.timeout"


@rule(
    code="FLK890",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:async-call"],
    reads=[_KEY],
    flink=">=1.10",
    since="0.1",
)
def async_timeout_vs_checkpoint(config: View) -> Iterator[Finding]:
    """an asynchronous call in order may take as long as a checkpoint"""
    setting, limit = config.get(_KEY), config.duration(_KEY)
    if limit is None or not all(job.is_known(f"sets.{_KEY}") for job in config.elements("job")):
        return
    known = takes_checkpoints(config)
    if known is False:
        return
    share = 0.5 if setting.is_set else 1.0
    for call in calls(config):
        if call.timeout is None or call.part.name.startswith("unordered") or call.timeout <= share * limit.seconds:
            continue
        whose = "the checkpoint's" if setting.is_set else "the default of a checkpoint's"
        yield call.part.finding(
            f"in order, a call without answer holds back everything behind it for {seconds(call.timeout)}, and {whose}"
            f" timeout is {seconds(limit.seconds)}: barriers behind a full queue come too late",
            of="timeout",
            help=f"give a call {seconds(limit.seconds // 3)} at most, or use unorderedWait",
            severity=None if known else Severity.INFO,
            related=[setting],
            evidence={"timeout_s": call.timeout, "checkpoint_timeout_s": limit.seconds},
            measure=call.timeout,
        )


def _job(call: str, env: str = "") -> str:
    return program(call, env)


_MINUTE = "env.getCheckpointConfig().setCheckpointTimeout(60_000); "
_EVERY = "env.enableCheckpointing(30_000); "


def cases() -> list[Case]:
    return [
        bad(
            _job("orderedWait(in, new Lookup(), 45, TimeUnit.SECONDS, 100)", _EVERY + _MINUTE),
            file="Job.java",
            at="45, TimeUnit.SECONDS",
            severity=Severity.WARNING,
            says="timeout is 60 s",
        ),
        bad(
            _job("orderedWait(in, new Lookup(), 1, TimeUnit.HOURS)"), file="Job.java", says="default of a checkpoint's"
        ),
        bad(
            _job("orderedWait(in, new Lookup(), 45, TimeUnit.SECONDS, 100)", _MINUTE),
            file="Job.java",
            severity=Severity.INFO,
        ),
        good(_job("unorderedWait(in, new Lookup(), 45, TimeUnit.SECONDS, 100)", _MINUTE), file="Job.java"),
        good(_job("orderedWait(in, new Lookup(), 20, TimeUnit.SECONDS, 100)", _MINUTE), file="Job.java"),
        good(_job("orderedWait(in, new Lookup(), 6, TimeUnit.MINUTES)"), file="Job.java"),
        good(_job("orderedWait(in, new Lookup(), n, TimeUnit.MINUTES)", _MINUTE), file="Job.java"),
        bad(
            _job(
                "unorderedWait(in, new Lookup(), 45, TimeUnit.SECONDS, 100); AsyncDataStream.orderedWait(in, new "
                "Lookup(),"
                " 45, TimeUnit.SECONDS)",
                _MINUTE,
            ),
            file="Job.java",
            at="orderedWait.timeout",
        ),
        bad(_job("orderedWait(in, new Lookup(), 601, TimeUnit.SECONDS)"), file="Job.java"),
        good(_job("orderedWait(in, new Lookup(), 10, TimeUnit.MINUTES)"), file="Job.java"),
        good(_job("orderedWait(in, new Lookup(), 30, TimeUnit.SECONDS, 100)", _MINUTE), file="Job.java"),
        good(
            "import org.apache.flink.streaming.api.datastream.AsyncDataStream;\n"
            "\n"
            "class Job { public static void main(String[] args) throws Exception { "
            "env.getCheckpointConfig().setCheckpointTimeout(minutes); AsyncDataStream.orderedWait(in, "
            "new Lookup(), 1, TimeUnit.HOURS); } }\n",
            file="Job.java",
        ),
        *cases_in_folders(__file__),
    ]
