"""The buffer of an Elasticsearch 8 sink is one that Flink refuses.

## What it does
Reports tables with the connector `elasticsearch-8` in a SQL script whose `sink.bulk-flush.max-actions` is below 1,
whose `sink.bulk-flush.max-size` is not of whole mebibytes, whose `sink.bulk-flush.interval` is 0, or whose
`sink.bulk-flush.max-buffered-actions` (10,000 by default) is not above `max-actions` (1,000).

## Why it matters
With Elasticsearch 6 and 7, 0 switches a limit off and sizes may be any. The sink for 8 is another one: it refuses such
values, and the job does not start.

## What to do
Give each a value above 0, and buffer more than one request holds.

## Sources
- <https://github.com/apache/flink-connector-elasticsearch/blob/main/flink-connector-elasticsearch8/src/main/java/org/apache/flink/connector/elasticsearch/table/ElasticSearch8AsyncDynamicTableFactory.java>:
  actions and size
- <https://github.com/apache/flink/blob/master/flink-connectors/flink-connector-base/src/main/java/org/apache/flink/connector/base/sink/writer/AsyncSinkWriter.java>:
  the interval and the buffer
"""

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import milliseconds, number, tables

_ACTIONS = "with.sink.bulk-flush.max-actions"
_BUFFERED = "with.sink.bulk-flush.max-buffered-actions"
_SIZE = "with.sink.bulk-flush.max-size"
_INTERVAL = "with.sink.bulk-flush.interval"
_MIB = 1 << 20


@rule(
    code="FLK857",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.17",
    since="0.1",
)
def elasticsearch8_buffer_refused(config: View) -> Iterator[Finding]:
    """the buffer of an Elasticsearch 8 sink is one that Flink refuses"""
    for table in tables(config, "elasticsearch-8"):
        actions = number(table.text(_ACTIONS)) if table.has(_ACTIONS) else 1_000
        buffered = number(table.text(_BUFFERED)) if table.has(_BUFFERED) else 10_000
        size = _size(table)
        if actions is not None and actions < 1:
            yield _refused(table, _ACTIONS, f"{actions} actions are below 1", "write a number above 0")
        elif actions is not None and buffered is not None and buffered <= actions:
            of = _BUFFERED if table.has(_BUFFERED) else _ACTIONS
            yield _refused(
                table, of, f"a buffer of {buffered} is not above the {actions} actions of a request",
                f"buffer {10 * actions}, or send fewer at once",
            )  # fmt: skip
        if size is not None and (size < _MIB or size % _MIB):
            yield _refused(table, _SIZE, f"{table.text(_SIZE)} are no whole mebibytes", "write '2mb', the default")
        if table.has(_INTERVAL) and milliseconds(config, table.text(_INTERVAL)) == 0:
            yield _refused(table, _INTERVAL, "an interval of 0 is none", "write '1s', the default")


def _refused(table: ElementView, of: str, says: str, remedy: str) -> Finding:
    return table.finding(f"{says}: Flink refuses the sink {table.name}", of=of, help=remedy)


def _size(table: ElementView) -> int | None:
    text = table.text(_SIZE)
    try:
        return None if text is None else int(parse_memory(text))
    except BadValue:
        return None


_TABLE = "CREATE TABLE d (id INT) WITH ('connector' = '%s', 'hosts' = 'http://es:9200', 'index' = 'i', %s);\n"


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-actions' = '0'"),
            file="job.sql",
            at="'0'",
            flink="1.18",
            severity=Severity.ERROR,
            says="0 actions are below 1: Flink refuses the sink d",
        ),
        bad(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-actions' = '10000'"),
            file="job.sql",
            flink="1.18",
            says="a buffer of 10000 is not above the 10000 actions",
        ),
        bad(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-size' = '500kb', 'sink.bulk-flush.interval' = '0'"),
            file="job.sql",
            flink="1.20",
            times=2,
        ),
        good(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-actions' = '500', 'sink.bulk-flush.max-size' = '5mb'"),
            file="job.sql",
            flink="1.18",
        ),
        good(
            _TABLE % ("elasticsearch-7", "'sink.bulk-flush.max-actions' = '0', 'sink.bulk-flush.interval' = '0'"),
            file="job.sql",
            flink="1.18",
        ),
        good(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-actions' = '${ACTIONS}'"), file="job.sql", flink="1.18"
        ),
        bad(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-buffered-actions' = '1000'"),
            file="job.sql",
            at="'1000'",
            flink="1.17",
            says="a buffer of 1000 is not above the 1000 actions",
        ),
        bad(
            _TABLE
            % ("elasticsearch-8", "'sink.bulk-flush.max-actions' = '20', 'sink.bulk-flush.max-buffered-actions' = '9'"),
            file="job.sql",
            at="'9'",
            flink="1.18",
        ),
        bad(_TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-size' = '0'"), file="job.sql", at="'0'", flink="1.18"),
        bad(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-size' = '1025kb'"),
            file="job.sql",
            at="'1025kb'",
            flink="1.18",
        ),
        good(
            _TABLE
            % (
                "elasticsearch-8",
                (
                    "'sink.bulk-flush.max-actions' = '1', 'sink.bulk-flush.max-size' = '1mb',"
                    " 'sink.bulk-flush.max-buffered-actions' = '2', 'sink.bulk-flush.interval' = '1s'"
                ),
            ),
            file="job.sql",
            flink="1.18",
        ),
        good(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-buffered-actions' = '1001'"),
            file="job.sql",
            flink="1.18",
        ),
        good(
            _TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-buffered-actions' = '${BUFFERED}'"),
            file="job.sql",
            flink="1.18",
        ),
        good(_TABLE % ("elasticsearch-8", "'sink.bulk-flush.max-actions' = '0'"), file="job.sql", flink="1.16"),
    ]
