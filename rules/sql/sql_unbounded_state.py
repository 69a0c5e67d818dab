"""A streaming query keeps state for every key it ever saw.

## What it does
Reports, in a SQL script, a streaming query that keeps state for each key and never forgets one: a join without a
bound in time, DISTINCT, a deduplication or Top-N by ROW_NUMBER, COUNT(DISTINCT), or GROUP BY without a window, over a
table that is a stream of new rows without an end (Kafka, Kinesis, Pulsar, an unbounded datagen), while
`table.exec.state.ttl` is 0, its default. Where what runs the script is not known, and may set the option, it is advice.

## Why it matters
The state grows as long as the job runs. Checkpoints become slower with it, until they time out or the disk is full,
weeks after everything looked well.

## What to do
Set `table.exec.state.ttl` to longer than the rows of one key can lie apart, or give the hint `STATE_TTL` (1.18 and
later); better, bound the query: a window, an interval join, a lookup join.

## Not when
- The table holds changes of rows (CDC formats, `upsert-kafka`): its keys are those of a table somewhere else. A join of
  such tables alone is advice.
- In batch mode, over bounded tables, and over tables that another file declares.
- A program of the repository, which may run the script, sets the option.
- With `--plan`, the planner keeps no such state for the query.
- The keys may be few (a country, a status), which the query does not show; then silence the rule. GROUP BY and Top-N
  are reported with low confidence therefore. GROUP BY of what a window aggregation yields, which has seen fewer keys
  and rows, is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/concepts/overview/#state-management>: which
  queries keep state, and what the option does
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-state-ttl>: never, by default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/hints/#state-ttl-hints>: the hint
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.spans import Span
from flink_flint.rules.sql._plans import KEPT_FOR_EVER, kept_state
from flink_flint.rules.sql._queries import (
    TTL,
    UNBOUNDED_STATE,
    Reading,
    duration_in_force,
    is_streaming,
    may_be_set_elsewhere,
    queries,
    readings,
    unset,
)

_NAMES = {
    "regular-join": "a join without a bound in time keeps the rows of both sides",
    "distinct": "DISTINCT keeps every row",
    "deduplicate": "the deduplication keeps every key",
    "top-n": "the Top-N keeps rows of every key",
    "count-distinct": "COUNT(DISTINCT) keeps every value",
    "group-by": "GROUP BY without a window keeps every key",
}
_DOUBTFUL = ("group-by", "top-n")


@rule(
    code="FLK901",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.12",
    since="0.1",
)
def sql_unbounded_state(config: View) -> Iterator[Finding]:
    """a streaming query keeps state for every key it ever saw"""
    told: set[Span] = set()
    for query in queries(config):
        what = next((name for name in UNBOUNDED_STATE if query.has(name)), None)
        if what is None or not is_streaming(config, query) or query.span(what) in told:
            continue
        ttl = duration_in_force(config, query, TTL)
        if ttl is None or ttl > 0 or _is_hinted(query):
            continue
        kept = kept_state(config, query)
        if kept is not None and not kept.intersection(KEPT_FOR_EVER):
            continue
        read = readings(config, query)
        endless = [reading for reading in read if reading.is_endless_log]
        if not endless:
            yield from _of_changes(query, what, read, told)
            continue
        told.add(query.span(what))
        is_open = may_be_set_elsewhere(config, query, TTL)
        is_small = what == "group-by" and query.has("windows-grouped")
        why = f"{unset(config, TTL)}, and by default" if is_open else f"{TTL} is 0, so"
        yield query.finding(
            f"{_NAMES[what]} of {endless[0].name} ({endless[0].connector}) for ever: {why} the state grows as long as"
            " the job runs",
            of=what,
            severity=Severity.INFO if is_open or is_small else None,
            help=f"set {TTL} to longer than the rows of one key lie apart, such as '36 h', or bound the query in time",
            confidence=Confidence.LOW if what in _DOUBTFUL else None,
        )


def _of_changes(query: ElementView, what: str, read: list[Reading], told: set[Span]) -> Iterator[Finding]:
    """Yield the advice on a join of tables of changes, which keeps these tables: they may grow, or be small."""
    changes = [one for one in read if one.is_changelog and one.role == "scan"]
    if what != "regular-join" or len(changes) < 2 or len(changes) < len(read):
        return
    told.add(query.span(what))
    yield query.finding(
        f"the join keeps all rows of {', '.join(one.name for one in changes)} in state: it is as large as these"
        " tables, and"
        " grows with them",
        of=what,
        key=TTL,
        severity=Severity.INFO,
        help=f"keep it in RocksDB (state.backend.type); set {TTL} only if rows of that age have no match any more",
        confidence=Confidence.LOW,
    )


def _is_hinted(query: ElementView) -> bool:
    return any(hint.text("name") == "STATE_TTL" for hint in query.items("hints"))


_ORDERS = "CREATE TABLE orders (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 'o');\n"
_PAID = "CREATE TABLE paid (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 'p');\n"
_INTERVAL = (
    "INSERT INTO r SELECT o.id FROM orders o JOIN paid p ON o.id = p.id\n"
    "AND o.ts BETWEEN p.ts - INTERVAL '4' HOUR AND p.ts;\n"
)
_JOIN = "INSERT INTO r SELECT o.id FROM orders o JOIN paid p ON o.id = p.id;\n"
_WINDOWS = (
    "SELECT id, window_start, window_end, COUNT(*) AS n"
    " FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY id, window_start, window_end"
)
_RUNS_IT = """\
services:
  client:
    image: flink:1.18.1
    command: sql-client.sh -f /sql/job.sql
    volumes: ['.:/sql']
    environment:
      FLINK_PROPERTIES: |
        rest.port: 8081
        %s
"""
_RUNNER = """\
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

public class Run {
  public static void main(String[] args) {
    TableEnvironment table = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    table.getConfig().setIdleStateRetention(Duration.ofHours(10));
    for (String statement : Statements.of(args[0])) table.executeSql(statement);
  }
}
"""


def cases() -> list[Case]:
    return [
        bad(
            _ORDERS + _PAID + _JOIN,
            file="job.sql",
            at="paid",
            flink="1.18",
            severity=Severity.INFO,
            says="keeps the rows of both sides of orders (kafka) for ever: the script does not set",
        ),
        bad(
            "SET 'table.exec.state.ttl' = '0';\n" + _ORDERS + _PAID + _JOIN,
            file="job.sql",
            at="paid",
            flink="1.18",
            severity=Severity.WARNING,
            says="table.exec.state.ttl is 0",
        ),
        bad(
            _ORDERS + _PAID + _JOIN,
            file="job.sql",
            flink="1.18",
            severity=Severity.WARNING,
            says="table.exec.state.ttl is 0",
            beside={"docker-compose.yml": _RUNS_IT % ""},
        ),
        good(
            _ORDERS + _PAID + _JOIN,
            file="job.sql",
            flink="1.18",
            beside={"docker-compose.yml": _RUNS_IT % "table.exec.state.ttl: 1 d"},
        ),
        good(_ORDERS + _PAID + _JOIN, file="job.sql", flink="1.18", beside={"Run.java": _RUNNER}),
        bad(
            _ORDERS
            + "CREATE VIEW v AS SELECT id, COUNT(*) AS c FROM orders GROUP BY id;\nINSERT INTO r SELECT * FROM v;\n"
            "INSERT INTO s SELECT * FROM v;\n",
            file="job.sql",
            at="id",
            flink="1.20",
            says="GROUP BY without a window",
        ),
        bad(
            "SET 'table.exec.state.ttl' = '1 d';\n" + _ORDERS + _PAID + _JOIN + "RESET 'table.exec.state.ttl';\n"
            "INSERT INTO r SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts) AS n FROM "
            "orders)\n"
            "WHERE n = 1;\n",
            file="job.sql",
            flink="1.17",
            says="the deduplication keeps every key",
        ),
        bad(
            "CREATE TABLE g (id INT) WITH ('connector' = 'datagen');\nINSERT INTO r SELECT DISTINCT id FROM g;\n",
            file="job.sql",
            flink="1.15",
            at="id",
        ),
        good(
            _ORDERS + _PAID + _JOIN,
            planned={3: {"execution": ["LookupJoin"]}},
            file="job.sql",
            flink="1.18",
        ),
        good("SET 'table.exec.state.ttl' = '36 h';\n" + _ORDERS + _PAID + _JOIN, file="job.sql", flink="1.18"),
        good("SET 'table.exec.state.ttl' = '${TTL}';\n" + _ORDERS + _PAID + _JOIN, file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _ORDERS + _PAID + _JOIN, file="job.sql", flink="1.18"),
        bad(
            _ORDERS + _PAID + _INTERVAL,
            file="job.sql",
            flink="1.18",
            severity=Severity.INFO,
            says="a join without a bound in time",  # neither `ts` is a time attribute
        ),
        good(
            _ORDERS.replace(")) WITH", "), WATERMARK FOR ts AS ts) WITH")
            + _PAID.replace(")) WITH", "), WATERMARK FOR ts AS ts) WITH")
            + _INTERVAL,
            file="job.sql",
            flink="1.18",
        ),
        good(
            _ORDERS + _PAID + "INSERT INTO r SELECT /*+ STATE_TTL('o' = '1 d', 'p' = '1 d') */ o.id FROM orders o\n"
            "JOIN paid p ON o.id = p.id;\n",
            file="job.sql",
            flink="1.18",
        ),
        *(
            bad(
                "SET 'table.exec.state.ttl' = '0';\n" + _ORDERS + f"INSERT INTO r {query};\n",
                file="job.sql",
                flink="1.18",
                severity=severity,
                says="GROUP BY without a window",
            )
            for severity, query in (
                (Severity.INFO, f"SELECT id, SUM(n) FROM ({_WINDOWS}) GROUP BY id"),
                (Severity.INFO, f"WITH w AS ({_WINDOWS}) SELECT id, SUM(n) FROM w GROUP BY id"),
                (Severity.WARNING, "SELECT id, COUNT(*) FROM orders GROUP BY id"),
            )
        ),
        good(
            _ORDERS + "INSERT INTO r SELECT window_start, COUNT(*) FROM TABLE(\n"
            "TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE c (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc');\n"
            "INSERT INTO r SELECT id, COUNT(*) FROM c GROUP BY id;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE g (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '10');\n"
            "INSERT INTO r SELECT DISTINCT id FROM g;\n",
            file="job.sql",
            flink="1.18",
        ),
    ]


_CLAIMED = (
    "CREATE TABLE g (id INT, v INT) WITH ('connector' = 'kafka', 'topic' = 'g', 'format' = 'json',"
    " 'properties.bootstrap.servers' = 'k:9092', 'scan.startup.mode' = 'earliest-offset');\n"
)


def claims() -> list[Claim]:
    printed = _CLAIMED + "CREATE TABLE p (id INT, n BIGINT) WITH ('connector' = 'print');\n"
    plain = printed + "INSERT INTO p SELECT id, v FROM g;\n"
    return [
        flink_uses("SQL plan", printed + f"INSERT INTO p {query};\n", shows, good=plain, releases=">=1.13")
        for query, shows in (
            ("SELECT id, SUM(v) FROM g GROUP BY id", "GroupAggregate("),
            ("SELECT DISTINCT id, v FROM g", "GroupAggregate("),
            ("SELECT a.id, b.v FROM g AS a JOIN g AS b ON a.id = b.id", "Join(joinType"),
        )
    ]
