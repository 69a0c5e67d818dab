"""Every subtask gets the union list of all subtasks, and there are very many of them.

## What it does
Reports, as advice, a program that keeps operator state in a union list (`getUnionListState`) at a `parallelism.default`
from a threshold on, 200 unless set otherwise.

## Why it matters
When a job is restored each subtask is handed the whole list, to keep what is its own. The JobManager tells each where
the parts of all the others are: with 500 subtasks that is 500 times 500 places, with eight bytes for each element of
the list besides. All of it is made on the JobManager's heap at once and sent in the messages that deploy the tasks.
Such a job runs for months, and fails in the first recovery: with a message above the frame size, or for want of heap.
Where it does not, every subtask reads the files of all. A list that `snapshotState` does not clear before it adds to it
even multiplies with the parallelism at each recovery.

## What to do
Keep the list as even-split state (`getListState`) where any subtask may take any element, as keyed state, or as
broadcast state where all need the same. At a lower parallelism of this operator alone the square is small, too.

## Not when
The operator has a parallelism of its own that is low, or a program's parallelism is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/state/#using-operator-state>:
  the two kinds of redistribution, and what a union costs
- <https://github.com/apache/paimon/issues/1732>: a sink whose union list was not cleared and
  outgrew the largest message
- <https://github.com/apache/paimon/pull/1469>: one that filled the JobManager's heap
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_PARALLELISM = "parallelism.default"


@rule(
    code="FLK388",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    when=["element:union-state"],
    since="0.1",
    thresholds={"parallelism": Threshold(200, "parallelism from which a union list is handed out too often")},
)
def union_state_at_scale(config: View) -> Iterator[Finding]:
    """every subtask gets the union list of all subtasks, and there are very many"""
    parallelism = config.integer(_PARALLELISM)
    if parallelism is None or parallelism < config.threshold("parallelism"):
        return
    for state in config.elements("union-state"):
        yield state.finding(
            f"in a recovery each of {parallelism} subtasks is handed the list of all, which the JobManager has to tell"
            f" {parallelism * parallelism} places for",
            help="use getListState, keyed state or broadcast state",
            related=[config.get(_PARALLELISM)],
            evidence={"parallelism": parallelism},
            measure=parallelism,
        )


def _job(parallelism: str, method: str = "getUnionListState") -> str:
    return f"""\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {{
    public static void main(String[] args) throws Exception {{
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism({parallelism});
        env.execute();
    }}

    static class Writer implements CheckpointedFunction {{
        public void initializeState(FunctionInitializationContext context) throws Exception {{
            files = context.getOperatorStateStore().{method}(new ListStateDescriptor<>("files", String.class));
        }}
    }}
}}
"""


def cases() -> list[Case]:
    return [
        bad(_job("200"), file="Job.java", at="getUnionListState", severity=Severity.INFO, says="each of 200 subtasks"),
        bad(_job("1000"), file="Job.java", at="files", says="1000000 places"),
        good(_job("199"), file="Job.java"),
        good(_job("args.length"), file="Job.java"),
        good(_job("500", "getListState"), file="Job.java"),
    ]
