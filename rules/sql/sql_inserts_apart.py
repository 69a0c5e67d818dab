"""Several INSERTs over the same stream run as jobs of their own.

## What it does
Reports, as advice, streaming INSERTs of one SQL script that read the same endless table (Kafka, Kinesis, Pulsar, ...)
and stand outside of a statement set.

## Why it matters
Each INSERT becomes a job: the topic is read once for each, and each takes slots, checkpoints and a place in the
cluster. In a statement set they are one job that reads the table once.

## What to do
Put them between `EXECUTE STATEMENT SET BEGIN` and `END;` (up to 1.14 `BEGIN STATEMENT SET;` and `END;`).

## Not when
The jobs are meant to live apart, each with restarts and checkpoints of its own: then silence the rule.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/insert/#insert-into-multiple-tables>:
  statement sets
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sqlclient/#execute-a-set-of-sql-statements>: one
  job, and what is shared
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import is_streaming, queries, readings


@rule(
    code="FLK912",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    since="0.1",
)
def sql_inserts_apart(config: View) -> Iterator[Finding]:
    """several INSERTs over the same stream run as jobs of their own"""
    readers: dict[str, list[ElementView]] = {}
    for query in queries(config):
        if query.name.startswith("INSERT") and is_streaming(config, query):
            read = (one.name for one in readings(config, query) if one.is_endless)
            for name in dict.fromkeys(read):
                readers.setdefault(name, []).append(query)
    told: set[object] = set()
    for name, members in readers.items():
        jobs = {query.value("job"): query for query in members}
        if len(jobs) > 1:
            first, *others = jobs.values()
            if first.value("job") in told:
                continue
            told.add(first.value("job"))
            yield first.finding(
                f"{len(jobs)} jobs read {name}, each for itself; a statement set is one job that reads it once",
                help="EXECUTE STATEMENT SET BEGIN … END;" if config.since("1.15") else "BEGIN STATEMENT SET; … END;",
                related=[query.place() for query in others],
            )


_TABLE = "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'topic' = 's');\n"
_TWO = "INSERT INTO a SELECT id FROM s;\nINSERT INTO b SELECT id FROM s WHERE id > 3;\n"


def cases() -> list[Case]:
    return [
        bad(_TABLE + _TWO, file="job.sql", at="INSERT", flink="1.18", severity=Severity.INFO, says="2 jobs read s"),
        bad(_TABLE + "CREATE VIEW v AS SELECT id FROM s;\nINSERT INTO a SELECT id FROM v;\n"
            "INSERT INTO b SELECT id FROM s;\nINSERT INTO c SELECT id FROM s;\n", file="job.sql", flink="1.13",
            says="3 jobs read s"),
        good(_TABLE + "EXECUTE STATEMENT SET BEGIN\n" + _TWO + "END;\n", file="job.sql", flink="1.18"),
        good(_TABLE + "BEGIN STATEMENT SET;\n" + _TWO + "END;\n", file="job.sql", flink="1.13"),
        good(_TABLE + "INSERT INTO a SELECT id FROM s;\nINSERT INTO b SELECT id FROM t;\nSELECT * FROM s;\n",
             file="job.sql", flink="1.18"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _TABLE + _TWO, file="job.sql", flink="1.18"),
        bad(_TABLE + "CREATE TABLE u (id INT) WITH ('connector' = 'mysql-cdc');\nINSERT INTO a SELECT s.id FROM s, u;\n"
            "INSERT INTO b SELECT s.id FROM s, u;\n", file="job.sql", flink="1.18", times=1),
        bad(
            "CREATE TABLE s (id INT) WITH ('connector' = 'mysql-cdc', 'topic' = 's');\n"
            "INSERT INTO a SELECT id FROM s;\n"
            "INSERT INTO b SELECT id FROM s WHERE id > 3;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'jdbc', 'topic' = 's');\n"
            "INSERT INTO a SELECT id FROM s;\n"
            "INSERT INTO b SELECT id FROM s WHERE id > 3;\n",
            file="job.sql",
            flink="1.18",
        ),
    ]  # fmt: skip
