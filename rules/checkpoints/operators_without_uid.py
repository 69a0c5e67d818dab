"""Operators with state have no id of their own.

## What it does
Looks at a program of the DataStream API, in Java, Scala, Kotlin or Python, for sources, sinks, asynchronous calls and
operators on keyed streams without a `uid`. One finding for each program, at the first of them. As many jobs never
restore an old savepoint, the rule runs only where it is selected.

## Why it matters
State belongs to an operator's id. Without one Flink makes it of the shape of the whole job: an operator more or less,
another order or another chain, and the ids differ. The new version of the job then refuses the savepoint, or starts
without the state where that is allowed.

## What to do
Give each of them a `uid("...")` and never change it; a sink and a source as well as a window.
`pipeline.auto-generate-uids: false` makes Flink refuse a job that lacks one.

## Not when
- The program is a test, or all its operators are made by SQL, which has its own way (compiled plans).
- The job ends by itself: it runs in batch mode, or all it reads has an end.
- An operator is returned by a function or given to one, which may name it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/production_ready/#set-uuids-for-all-operators>:
  an id for every operator
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#assigning-operator-ids>:
  what generated ids depend on
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK333",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:operator"],
    of_scale=True,
    pedantic=True,
    since="0.1",
)
def operators_without_uid(config: View) -> Iterator[Finding]:
    """operators with state have no id of their own"""
    if config.is_bounded:
        return
    nameless = [operator for operator in config.elements("operator") if not operator.has("uid")]
    if nameless:
        others = f" (and so has none of {len(nameless) - 1} more)" if len(nameless) > 1 else ""
        yield nameless[0].finding(
            f"the operator of {nameless[0].name} has no uid{others}: a changed job does not find its state again",
            help='give each operator with state a uid("...")',
            related=[operator.place() for operator in nameless[1:5]],
            evidence={"operators": len(nameless)},
        )


_JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
{}
    env.execute();
  }}
}}
"""


def _job(*lines: str) -> str:
    return _JOB.format("\n".join(f"    {line}" for line in lines))


_SOURCE = 'DataStream<Order> in = env.fromSource(source, marks, "in").uid("in");'


def cases() -> list[Case]:
    return [
        bad(
            _job('DataStream<Order> in = env.fromSource(source, marks, "in").name("in");', "in.print();"),
            at="fromSource",
            file="Orders.java",
            severity=Severity.WARNING,
            says="of fromSource has no uid: a changed job",
        ),
        bad(
            _job(
                _SOURCE, 'in.keyBy(Order::user).process(new Totals()).name("a").map(Total::line).uid("b").sinkTo(sink);'
            ),
            at="process",
            file="Orders.java",
            says="has no uid (and so has none of 1 more)",
        ),
        bad(
            _job(_SOURCE, 'in.keyBy(Order::user).window(days).aggregate(new Sum()).sinkTo(sink).uid("out");'),
            at="aggregate",
            file="Orders.java",
        ),
        bad(
            _job("env.addSource(new Ticks()).print();"),
            file="Orders.java",
            profile="development",
            severity=Severity.INFO,
        ),
        bad(
            "from pyflink.datastream import StreamExecutionEnvironment\n\n"
            "env = StreamExecutionEnvironment.get_execution_environment()\n"
            'env.from_source(source, marks, "in").key_by(user).process(Totals()).uid("totals")\nenv.execute()\n',
            file="job.py",
            says="fromSource has no uid: ",
        ),
        good(
            _job(
                _SOURCE,
                'in.keyBy(Order::user).process(new Totals()).name("a").uid("totals").map(Total::line).sinkTo(sink)'
                '.setParallelism(2).uid("out");',
            ),
            file="Orders.java",
        ),
        good(
            _job(
                _SOURCE,
                "SingleOutputStreamOperator<Total> totals = in.keyBy(Order::user).reduce(new Sum());",
                'totals.setParallelism(4).uid("totals");',
                "totals.map(Total::line).print();",
            ),
            file="Orders.java",
        ),
        good(_job(_SOURCE, "in.process(new Split()).print();"), file="Orders.java"),
        good(_job("env.fromElements(1, 2).keyBy(x -> x).process(new Totals()).print();"), file="Orders.java"),
        good(_job("withId(env.fromSource(source, marks, name)).print();"), file="Orders.java"),
        good(_job(_SOURCE, 't.executeSql("INSERT INTO a SELECT * FROM b");'), file="Orders.java"),
    ]


_CHANGED = """import java.util.HashSet;
import java.util.Set;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    if (!idsOf(true).containsAll(idsOf(false))) {
      throw new IllegalStateException("the changed job does not find the state of the operator");
    }
  }

  static Set<String> idsOf(boolean isChanged) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(2);
    DataStream<String> lines = env.socketTextStream("localhost", 1).uid("lines");
    DataStream<String> read = isChanged ? lines.filter(line -> !line.isEmpty()).uid("filter") : lines;
    read.keyBy(line -> line).reduce((one, other) -> other).uid("last").print().uid("out");
    Set<String> ids = new HashSet<>();
    for (JobVertex vertex : env.getStreamGraph().getJobGraph().getVertices()) {
      ids.add(vertex.getID().toString());
    }
    return ids;
  }
}
"""


def claims() -> list[Claim]:
    return [flink_fails("program", _CHANGED.replace('.uid("last")', ""), good=_CHANGED)]
