"""A stream of changes is read as if each row were new.

## What it does
Looks at `toChangelogStream` and `toRetractStream` of a table with updates, where the next operator is a lambda that
takes fields of the row and neither looks at its kind (`getKind()`, the flag `f0`) nor passes the row on. And at
`fromDataStream` or `createTemporaryView` of what `toChangelogStream` made.

## Why it matters
Results are counted several times, and deleted rows come back: each update of a group arrives as its old row (`-U`) and
its new one (`+U`), a deletion as a row with the kind `-D`. Without the kind all of them look like insertions, and the
sink adds them up. `fromDataStream` accepts insertions alone, and the job fails with `Error during input
conversion. Conversion expects insert-only records but DataStream API record contains: UPDATE_BEFORE`.

## What to do
Drop `-U` and `-D` first (`filter(row -> row.getKind() == RowKind.INSERT || row.getKind() == RowKind.UPDATE_AFTER)`, or
`filter(t -> t.f0)`), or write deletions by their kind. Back into a table with `fromChangelogStream`.

## Not when
The query has a window, so that its rows are final; a filter or the function looks at the kind; the whole row is passed
to a function, which may.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/data_stream_api/#handling-of-changelog-streams>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK481",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:changelog-stream"],
    flink=">=1.0",
    since="0.1",
)
def row_kinds_dropped(config: View) -> Iterator[Finding]:
    """a stream of changes is read as if each row were new"""
    for stream in config.elements("changelog-stream"):
        made, into = stream.method(stream.name), stream.text("into")
        if into is not None:
            yield stream.finding(
                f"{stream.method(into)} accepts insertions alone, and {made} yields updates and deletions: the job"
                " fails"
                " (Conversion expects insert-only records)",
                help=f"call {stream.method('fromChangelogStream')}",
                related=[stream.place("into", "a stream of changes")],
            )
            continue
        retracts = stream.name == "toRetractStream"
        yield stream.finding(
            f"the kind of each row of {made} is dropped: the old rows of updates ({stream.text('updates')}) look like"
            " new ones, and are counted again",
            help="filter by the flag f0 first, or retract where it is false"
            if retracts
            else "filter by getKind() first (INSERT, UPDATE_AFTER), or delete where it is UPDATE_BEFORE or DELETE",
            related=[stream.place("updates", "updates its result")],
        )


_JAVA = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.Table;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    Table totals = tables.sqlQuery("%s");
    %s;
    env.execute("totals");
  }
}
"""
_GROUPED = "SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop"
_LONG = "tables.toChangelogStream(totals)%s.map(row -> (Long) row.getField(1)).addSink(sink)"
_RETRACT = "tables.toRetractStream(totals, Row.class)%s.map(t -> t.f1).sinkTo(sink)"
_BACK = "tables.%s(tables.toChangelogStream(totals).filter(row -> row.getField(0) != null)).execute().print()"


def cases() -> list[Case]:
    return [
        bad(
            _JAVA % (_GROUPED, _LONG % ""), file="Job.java", at="map", severity=Severity.WARNING,
            says="the kind of each row of toChangelogStream is dropped",
        ),
        bad(_JAVA % (_GROUPED, _RETRACT % ""), file="Job.java", says="(GROUP BY) look like new ones"),
        bad(
            _JAVA % (_GROUPED, _BACK % "fromDataStream"), file="Job.java", at="fromDataStream",
            says="fromDataStream accepts insertions alone",
        ),
        bad(
            _JAVA % (_GROUPED, 'Object c = tables.toChangelogStream(totals); tables.createTemporaryView("c", c)'),
            file="Job.java",
        ),
        good(_JAVA % (_GROUPED, _LONG % ".filter(row -> row.getKind() == RowKind.INSERT)"), file="Job.java"),
        good(_JAVA % (_GROUPED, _RETRACT % ".filter(t -> t.f0)"), file="Job.java"),
        good(_JAVA % (_GROUPED, _BACK % "fromChangelogStream"), file="Job.java"),
        good(
            _JAVA % (_GROUPED, "tables.toChangelogStream(totals).map(row -> toJson(row)).addSink(sink)"),
            file="Job.java",
        ),
        good(_JAVA % ("SELECT shop, n FROM orders", _LONG % ""), file="Job.java"),
        good(_JAVA % (_GROUPED, "tables.toChangelogStream(totals).print()"), file="Job.java"),
        good(_JAVA % (_GROUPED, "tables.toRetractStream(totals, Row.class).map(t -> t.f0 ? 1 : -1)"), file="Job.java"),
    ]  # fmt: skip


_PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(1);
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    Table totals = tables.sqlQuery("SELECT n, COUNT(*) AS c FROM (VALUES (1), (1)) AS t(n) GROUP BY n");
    %s
  }
}
"""
_BACK_AGAIN = "tables.%s(tables.toChangelogStream(totals)).execute().print();"
_COUNTED = """StringBuilder rows = new StringBuilder();
    try (org.apache.flink.util.CloseableIterator<Long> all = tables.toChangelogStream(totals)%s
        .map(row -> (Long) row.getField(1)).returns(Types.LONG).executeAndCollect()) {
      while (all.hasNext()) rows.append(" ").append(all.next());
    }
    System.out.println("shows" + rows);"""


def claims() -> list[Claim]:
    kept = ".filter(row -> row.getKind() == RowKind.INSERT || row.getKind() == RowKind.UPDATE_AFTER)"
    return [
        flink_fails(
            "program", _PROGRAM % (_BACK_AGAIN % "fromDataStream"),
            good=_PROGRAM % (_BACK_AGAIN % "fromChangelogStream"), releases=">=1.20",
        ),
        flink_uses(
            "program", _PROGRAM % (_COUNTED % ""), "1 1 2", good=_PROGRAM % (_COUNTED % kept), releases=">=1.20",
        ),
    ]  # fmt: skip
