"""A lookup over HTTP may wait longer than Flink waits for it.

## What it does
Looks at tables of the connector `rest-lookup` that are looked up asynchronously (`asyncPolling`), and compares their
`gid.connector.http.source.lookup.request.timeout` (30 s by default) with `table.exec.async-lookup.timeout`.

## Why it matters
The job fails and restarts: `TimeoutException: Async function call has timed out.` Flink's timer ends the lookup before
the HTTP client does, so that the client's own error handling and retries never come into play.

## What to do
Set the request's timeout, in seconds, below `table.exec.async-lookup.timeout`, or raise the latter.

## Not when
The table is not looked up, or lookups are synchronous.

## Sources
- <https://github.com/getindata/flink-http-connector#http-lookup-source-1>: the options
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-async-lookup-timeout>: the
  timeout of a lookup
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import Duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import Reading, in_force, number, queries, readings

_TIMEOUT = "gid.connector.http.source.lookup.request.timeout"
_LIMIT = "table.exec.async-lookup.timeout"
_DEFAULT = 30
_SECOND = 1_000_000_000


@rule(
    code="FLK589",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.15",
    since="0.1",
)
def http_lookup_outlasts_operator(config: View) -> Iterator[Finding]:
    """a lookup over HTTP may wait longer than Flink waits for it"""
    told = set()
    for query in queries(config):
        limit = in_force(config, query, _LIMIT)
        for source in readings(config, query):
            seconds = _request(source)
            if seconds is None or source.table is None or not isinstance(limit, Duration):
                continue
            if seconds * _SECOND < int(limit) or source.table.span() in told:
                continue
            told.add(source.table.span())
            yield source.table.finding(
                f"a request of {source.name} may take {seconds} s, and Flink gives up after {int(limit) // _SECOND} s:"
                " Async function call has timed out, and the job fails",
                of=f"with.{_TIMEOUT}" if source.table.has(f"with.{_TIMEOUT}") else "connector",
                key=_TIMEOUT,
                help=f"set '{_TIMEOUT}' below {_LIMIT}",
                related=[config.get(_LIMIT)],
            )


def _request(source: Reading) -> int | None:
    """Return after how many seconds a request of an asynchronous lookup ends; None if it is none or not known."""
    if source.connector != "rest-lookup" or source.role != "lookup":
        return None
    if (source.option("asyncPolling") or "").lower() != "true":
        return None
    return number(source.option(_TIMEOUT)) if source.has(_TIMEOUT) else _DEFAULT


_JOB = (
    "CREATE TABLE o (id STRING, p AS PROCTIME()) WITH ('connector' = 'datagen');\n"
    "CREATE TABLE c (id STRING, n STRING) WITH ('connector' = 'rest-lookup', 'url' = 'http://crm'%s);\n"
    "CREATE TABLE d (id STRING, n STRING) WITH ('connector' = 'blackhole');\n"
    "INSERT INTO d SELECT o.id, c.n FROM o JOIN c FOR SYSTEM_TIME AS OF o.p AS c ON o.id = c.id;\n"
)
_ASYNC = ", 'asyncPolling' = 'true'"


def cases() -> list[Case]:
    limit, request = f"SET '{_LIMIT}' = '30 s';\n", f"{_ASYNC}, '{_TIMEOUT}' = '%s'"
    return [
        bad(limit + _JOB % (request % 120), file="job.sql", at="'120'", flink="1.18", severity=Severity.WARNING,
            says="may take 120 s, and Flink gives up after 30 s"),
        bad(limit + _JOB % _ASYNC, file="job.sql", at="'rest-lookup'", flink="1.18"),
        bad(_JOB % (request % 180), file="job.sql", flink="1.18"),
        good(_JOB % _ASYNC, file="job.sql", flink="1.18"),
        good(limit + _JOB % (request % 29), file="job.sql", flink="1.18"),
        good(limit + _JOB % f", '{_TIMEOUT}' = '120'", file="job.sql", flink="1.18"),
        good(limit + _JOB % (request % "${WAIT}"), file="job.sql", flink="1.18"),
        good(limit.replace("30 s", "${WAIT}") + _JOB % (request % 120), file="job.sql", flink="1.18"),
        good((limit + _JOB % (request % 120)).replace("rest-lookup", "crm"), file="job.sql", flink="1.18"),
        good(
            (limit + _JOB % (request % 120)).replace("FOR SYSTEM_TIME AS OF o.p ", ""), file="job.sql", flink="1.18"
        ),
        bad(limit + _JOB % (request % 30) + _JOB.splitlines()[-1], file="job.sql", times=1, flink="1.18"),
    ]  # fmt: skip
