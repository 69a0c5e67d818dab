"""A loop gives the same ID to each operator that it makes.

## What it does
Looks at `uid`, `uidPrefix` and `setUidHash` of operators that a loop makes (`for`, `forEach`), one for each table,
topic or database, where the ID has nothing that changes in the loop.

## Why it matters
The job is refused as soon as the loop runs twice: `IllegalArgumentException: Hash collision on user-specified ID
"sink". Most likely cause is a non-unique ID. Please check that all IDs specified via uid(String) are unique.` With one
table in the test, and two in production, nobody sees it before.

## What to do
Put what the loop runs over into the ID, as a whole: `uid("sink-" + database + "." + table)`.

## Not when
Each turn is a job of its own, or the ID comes from a function.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#assigning-operator-ids>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK482",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:repeated-id"],
    flink=">=1.0",
    since="0.1",
)
def uid_repeated_in_loop(config: View) -> Iterator[Finding]:
    """a loop gives the same ID to each operator that it makes"""
    for one in config.elements("repeated-id"):
        yield one.finding(
            f"each turn of the loop makes an operator with the ID {one.text('id')}: from the second on the job is"
            " refused (Hash collision on user-specified ID)",
            of="id",
            help="put what the loop runs over into the ID",
            related=[one.place("loop", "the loop")],
        )


_JAVA = """import java.util.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    String kind = args[0];
    %s
    env.execute();
  }
}
"""
_FOR = "for (String db : List.of(args)) { %senv.fromSource(s, w, db)%s.uid(%s).print(); }"
_SCALA = """import org.apache.flink.streaming.api.scala._
object Job {
  def main(args: Array[String]): Unit = {
    val env = StreamExecutionEnvironment.getExecutionEnvironment
    args.foreach { db => env.fromSource(s, w, "in").uid(%s).print() }
    env.execute("job")
  }
}
"""
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
for table in tables:
    env.from_source(source, strategy, table).uid(%s).print()
env.execute("job")
"""


def cases() -> list[Case]:
    return [
        bad(
            _JAVA % (_FOR % ("", ".map(m)", '"sink_" + kind')), file="Job.java", at='"sink_" + kind',
            severity=Severity.WARNING, says="Hash collision on user-specified ID",
        ),
        bad(_SCALA % '"in"', file="Job.scala"),
        bad(_PYTHON % '"in"', file="job.py"),
        bad(_JAVA % (_FOR % ("", "", '"in"')), file="Job.java"),
        good(_JAVA % (_FOR % ("", "", '"sink_" + db')), file="Job.java"),
        good(_JAVA % (_FOR % ("String name = db + kind; ", "", "name")), file="Job.java"),
        good(_JAVA % (_FOR % ("", "", "idOf(db)")), file="Job.java"),
        good(_JAVA % (_FOR % ("StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(); ",
                              "", '"in"')), file="Job.java"),
        good(_SCALA % 's"in-$db"', file="Job.scala"),
        good(_PYTHON % 'f"in-{table}"', file="job.py"),
    ]  # fmt: skip


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.api.common.typeinfo.Types;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    for (String db : new String[] {"a", "b"}) {
      env.fromElements(db).map(o -> o).returns(Types.STRING).uid("sink"%s).print();
    }
    env.execute();
  }
}
"""


def claims() -> list[Claim]:
    return [flink_fails("program", _CLAIMED % "", good=_CLAIMED % " + db", releases=">=1.20")]
