"""The ID of an operator is another one at each start.

## What it does
Follows what is given to `uid`, `uidSuffix`, `uidPrefix` and `setUidHash` of a program to functions that return
something else each time: `UUID.randomUUID()`, `System.currentTimeMillis()`, `uuid.uuid4()`.

## Why it matters
State is found by the ID of its operator. The program makes its job graph at each start, with other IDs: from a
savepoint or checkpoint it fails with `Cannot map checkpoint/savepoint state for operator ... to the new program`, or,
if that is allowed, starts with empty state.

## What to do
Build the ID from names that stay the same: of the table, the topic or the job.

## Not when
The ID is a constant or a parameter.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#assigning-operator-ids>: IDs should
  not change between versions of a program
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK440",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:operator-id"],
    flink=">=1.0",
    since="0.1",
)
def uid_differs_each_time(config: View) -> Iterator[Finding]:
    """the ID of an operator is another one at each start"""
    for one in config.elements("operator-id"):
        yield one.finding(
            f"{one.name} makes another ID of the operator at each start: state in savepoints and checkpoints cannot be"
            " mapped to the new program",
            help="build the ID from names that stay the same, such as the table's",
        )


_JOB = """import java.util.UUID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String id = %s;
    env.addSource(new Orders()).uid(id).print();
    env.execute("orders");
  }
}
"""
_PYTHON = """import uuid
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(source).uid(f"orders-{uuid.uuid4()}").print()
env.execute("orders")
"""


def cases() -> list[Case]:
    return [
        bad(
            _JOB % '"orders-" + UUID.randomUUID()', file="Job.java", at="randomUUID", severity=Severity.WARNING,
            says="another ID of the operator at each start",
        ),
        bad(_JOB % '"orders-" + System.currentTimeMillis()', file="Job.java"),
        bad(_PYTHON, file="job.py"),
        good(_JOB % '"orders"', file="Job.java"),
        good(_JOB % "args[0]", file="Job.java"),
    ]  # fmt: skip


_TWICE = """import java.util.UUID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    if (!idOf().equals(idOf())) {
      throw new IllegalStateException("the second start does not find the state of the first");
    }
  }

  static String idOf() throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String id = UUID.randomUUID().toString();
    env.socketTextStream("localhost", 1).uid(id).print();
    return env.getStreamGraph().getJobGraph().getVerticesAsArray()[0].getID().toString();
  }
}
"""


def claims() -> list[Claim]:
    return [flink_fails("program", _TWICE, good=_TWICE.replace("UUID.randomUUID().toString()", '"lines"'))]
