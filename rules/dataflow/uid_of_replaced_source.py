"""A new source has the ID of the old one whose place it took.

## What it does
Compares programs of one class in different folders: one has `FlinkKafkaConsumer`, `FlinkPulsarSource` or
`FlinkKinesisConsumer`, the other the source that replaces it, under the same `uid`, and other operators have the same
IDs too.

## Why it matters
The old consumer keeps its positions in a union list, a state of its operator. Under the same ID the restore succeeds:
nothing says that the new source does not read this state. It stays in the metadata of each checkpoint, and a union
list is multiplied by the parallelism at each restore. In time the restore fails with `The rpc invocation size 67158903
exceeds the maximum akka framesize`, or the JobManager with `OutOfMemoryError`.

## What to do
Give the new source another `uid`, commit the old positions with a savepoint, and restore once with
`--allowNonRestoredState`; `OffsetsInitializer.committedOffsets()` goes on from them.

## Not when
The IDs differ, or the programs are of different jobs.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#kafka-sourcefunction>: how
  to move from the old consumer
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._sources import HELP, message, named_sources, replaced


@rule(
    code="FLK452",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:operator"],
    scope="project",
    compares=[(["element:operator"], ["element:operator"])],
    several=True,
    flink=">=1.0",
    since="0.1",
)
def uid_of_replaced_source(project: Project) -> Iterator[Finding]:
    """a new source has the ID of the old one whose place it took"""
    by_file: dict[str, list[View]] = defaultdict(list)
    for view in project.views:
        if named_sources(view):
            by_file[view.document.path.rpartition("/")[2]].append(view)
    for views in by_file.values():
        for before, after in permutations(views, 2):
            for old, new in replaced(before, after) if _are_versions(before, after) else ():
                yield new.finding(message(old, new), of="uid", help=HELP, related=[old.place("uid", "the old source")])


def _are_versions(before: View, after: View) -> bool:
    """Whether two programs are in different folders and share more IDs than the source's."""
    if before.document.directory == after.document.directory:
        return False
    ids = [{one.text("uid") for one in view.elements("operator")} - {None} for view in (before, after)]
    return len(ids[0] & ids[1]) > 1


_HEAD = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    %s
       .keyBy(o -> o.shop).process(new Count()).uid("count").sinkTo(sink).uid("sink");
    env.execute("orders");
  }
}
"""
OLD = _HEAD % 'env.addSource(new FlinkKafkaConsumer<>("orders", new OrderSchema(), props)).uid("orders")'
"""A program with the old consumer."""
NEW = _HEAD % (
    'KafkaSource<Order> source = KafkaSource.<Order>builder().setTopics("orders").build();\n'
    '    env.fromSource(source, WatermarkStrategy.noWatermarks(), "orders").uid("%s")'
)
"""A program with the new source, whose ID is to be filled in."""


def cases() -> list[Case]:
    return [
        bad(
            NEW % "orders", file="Job.java", beside={"v1/Job.java": OLD}, at='"orders"',
            severity=Severity.WARNING, says="KafkaSource has the uid of FlinkKafkaConsumer",
        ),
        bad(NEW % "orders", file="src/Job.java", beside={"old/Job.java": OLD}),
        good(NEW % "orders-source", file="Job.java", beside={"v1/Job.java": OLD}),
        good(NEW % "orders", file="Job.java", beside={"v1/Other.java": OLD}),
    ]  # fmt: skip
