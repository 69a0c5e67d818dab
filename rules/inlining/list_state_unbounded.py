"""A checkpoint writes one element of list state for each thing that a program holds.

## What it does
Reports, as advice, a program whose `snapshotState` fills a list in operator state (`getListState`, `getUnionListState`)
in a loop, or with a whole collection. How long that is no source shows, so being opt-in it speaks only where it is
selected.

## Why it matters
A list in operator state is one state to the program, and as many as it has elements to Flink: that a restore may deal
them out, each subtask tells the JobManager where in its file every element begins, 8 bytes for each. These offsets are
no state. No threshold moves them into a file, and neither a state backend nor incremental checkpoints make them fewer:
they are in every acknowledgement, on the JobManager's heap, and in the `_metadata` of each checkpoint. With a million
elements in a subtask the message has 8 MB, and with 1.3 million it no longer fits the default frame of 10 MiB:
checkpoints then fail, or expire one after the other.

## What to do
Add one element that holds all: a serialised list, an array, a map. Then it is one offset, and the state a file once it
is large. Where a restore should deal the parts out, let there be some hundreds of them. What belongs to keys is better
kept in keyed state, which has no such offsets.

## Not when
There are never more than some thousand elements, such as the partitions or splits of a source.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/state/#using-operator-state>:
  elements that are dealt out one by one
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/state/OperatorStateHandle.java>:
  the offsets of a state, a long for each element
- measured on 1.20.5: 1,500,000 elements in one subtask are a message of 12,004,701 bytes with a threshold of 20 kb as
  with one of 0
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK387",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    when=["element:list-state"],
    since="0.1",
    pedantic=True,
)
def list_state_unbounded(config: View) -> Iterator[Finding]:
    """a checkpoint writes a list in operator state as long as the data"""
    for state in config.elements("list-state"):
        yield state.finding(
            f"the list {state.name or 'in operator state'} gets one element for each thing that is held, and each adds"
            " 8 bytes to every acknowledgement of a checkpoint, which no setting takes out",
            help="add one element that holds them all, or keep them in keyed state",
        )


def _sink(statement: str, descriptor: str = 'new ListStateDescriptor<>("buffer", String.class)') -> str:
    return f"""\
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

class Sink implements CheckpointedFunction {{
    private transient ListState<String> state;
    private final List<String> buffered = new ArrayList<>();

    public void snapshotState(FunctionSnapshotContext context) throws Exception {{
        state.clear();
        {statement}
    }}

    public void initializeState(FunctionInitializationContext context) throws Exception {{
        state = context.getOperatorStateStore().getListState({descriptor});
    }}
}}
"""


def cases() -> list[Case]:
    return [
        bad(
            _sink("for (String one : buffered) {\n            state.add(one);\n        }"),
            file="Sink.java",
            at="add",
            severity=Severity.INFO,
            says="the list buffer gets one element",
        ),
        bad(_sink("state.addAll(buffered);"), file="Sink.java", at="addAll", says="8 bytes"),
        bad(_sink("state.update(buffered);", "descriptor"), file="Sink.java", at="update", says="the list in operator"),
        good(_sink("state.add(String.join(separator, buffered));"), file="Sink.java"),
        good(_sink("state.update(Collections.singletonList(total));"), file="Sink.java"),
    ]
