"""All records of a stream have one key.

## What it does
Looks at `keyBy` with a function that returns a constant.

## Why it matters
A key belongs to one subtask. With one key for all records, one subtask does all the work and has all the state, however
high the parallelism is; the others are idle. It falls behind first, back pressure stays, and its checkpoints time out.

## What to do
Key by a field of the records. For a result over all records, aggregate by a key with many values first, and combine
these few results under the constant.

## Not when
The key depends on the record, or the job has a parallelism of 1.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/overview/#keyby>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK464",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:key"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def constant_key(config: View) -> Iterator[Finding]:
    """all records of a stream have one key"""
    for key in config.elements("key"):
        if key.text("kind") != "constant" or (
            config.integer("parallelism.default") == 1 and config.is_set("parallelism.default")
        ):
            continue
        yield key.finding(
            f"every record has the key {key.text('of')}: one subtask does all the work after {key.method('keyBy')},"
            " whatever the parallelism, and holds up the job",
            of="of",
            help="key by a field, aggregate, and combine the results under the constant",
        )


_JOB = '.keyBy(o -> %s).process(new Rank()).uid("rank").addSink(sink)'
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(source).key_by(lambda x: %s).process(Rank()).print()
env.execute("orders")
"""


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.*;
import java.util.concurrent.*;
import org.apache.flink.api.common.functions.RichMapFunction;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(4);
    env.fromElements(1, 2, 3, 4, 5, 6, 7, 8, 9).keyBy(o -> %s).map(new Rank()).print();
    env.execute();
    System.out.println("shows " + Rank.BUSY.size() + " of 4");
  }
  static class Rank extends RichMapFunction<Integer, Integer> {
    static final Set<Integer> BUSY = ConcurrentHashMap.newKeySet();
    @Override public Integer map(Integer in) {
      BUSY.add(getRuntimeContext().getIndexOfThisSubtask());
      return in;
    }
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_uses("program", _CLAIMED % '"all"', "shows 1 of 4", good=_CLAIMED % '"" + o', releases=">=1.19,<2.0"),
    ]


def cases() -> list[Case]:
    return [
        bad(
            java_job("", stream=_JOB % '"all"'), file="Job.java", at='"all"', severity=Severity.WARNING,
            says="one subtask does all the work",
        ),
        bad(_PYTHON % "0", file="job.py", says="after key_by"),
        good(java_job("", stream=_JOB % "o.shop"), file="Job.java"),
        good(_PYTHON % "x[0]", file="job.py"),
        good(_PYTHON.replace("env.add", "env.set_parallelism(1)\nenv.add") % "0", file="job.py"),
    ]  # fmt: skip
