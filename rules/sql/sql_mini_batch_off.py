"""Mini-batching of SQL is tuned, but not switched on.

## What it does
Reports `table.exec.mini-batch.allow-latency` or `table.exec.mini-batch.size` above 0 while
`table.exec.mini-batch.enabled` is not true.

## Why it matters
Both are read only when mini-batching is on. It is off by default, so the throughput the settings were to bring does
not come, and the two-phase aggregation that builds on it does not either.

## What to do
Set `table.exec.mini-batch.enabled` to true, or delete the two settings.

## Not when
A script or a program can switch it on for itself, which a cluster's configuration does not show; in such a file the
finding has low confidence.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/tuning/#minibatch-aggregation>: all three belong
  together
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ENABLED = "table.exec.mini-batch.enabled"
_LATENCY = "table.exec.mini-batch.allow-latency"
_SIZE = "table.exec.mini-batch.size"


@rule(
    code="FLK904",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[_LATENCY, _SIZE],
    since="0.1",
)
def sql_mini_batch_off(config: View) -> Iterator[Finding]:
    """mini-batching of SQL is tuned, but not switched on"""
    enabled = config.get(_ENABLED)
    if not enabled.is_known or config.boolean(_ENABLED) is not False:
        return
    latency, size = config.get(_LATENCY), config.get(_SIZE)
    wait, rows = config.duration(_LATENCY), config.integer(_SIZE)
    tuned = [latency] if latency.is_set and wait else []
    tuned += [size] if size.is_set and rows and rows > 0 else []
    if tuned:
        yield tuned[0].finding(
            f"{' and '.join(one.written for one in tuned)} {'do' if len(tuned) > 1 else 'does'} nothing while"
            f" {_ENABLED} is {'false' if enabled.is_set else 'not set'}",
            help=f"set {_ENABLED} to true, or delete {'them' if len(tuned) > 1 else 'it'}",
            confidence=Confidence.HIGH if config.document.kind == "sql" else Confidence.LOW,
            related=[*tuned[1:], enabled],
        )


def cases() -> list[Case]:
    return [
        bad("SET 'table.exec.mini-batch.allow-latency' = '5 s';\nSET 'table.exec.mini-batch.size' = '5000';\n",
            file="job.sql", at="'5 s'", flink="1.18", severity=Severity.INFO, says="is not set"),
        bad("table.exec.mini-batch.size: 5000\ntable.exec.mini-batch.enabled: false\n", at="table.exec.mini-batch.size",
            flink="1.15", says="is false"),
        good("SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'table.exec.mini-batch.allow-latency' = '5 s';\n"
             "SET 'table.exec.mini-batch.size' = '5000';\n", file="job.sql", flink="1.18"),
        good("SET 'table.exec.mini-batch.allow-latency' = '0 s';\n", file="job.sql", flink="1.18"),
        good("SET 'table.exec.mini-batch.enabled' = '${MINI_BATCH}';\nSET 'table.exec.mini-batch.size' = '5000';\n",
             file="job.sql", flink="1.18"),
        bad("SET 'table.exec.mini-batch.allow-latency' = '5 s';\n", file="job.sql", flink="1.18", says="does nothing"),
        bad("SET 'table.exec.mini-batch.size' = '1';\n", file="job.sql", flink="1.18"),
        good("SET 'table.exec.mini-batch.size' = '0';\n", file="job.sql", flink="1.18"),
        good("SET 'table.exec.mini-batch.size' = '-1';\n", file="job.sql", flink="1.18"),
        good("SET 'table.exec.mini-batch.size' = '${SIZE}';\n", file="job.sql", flink="1.18"),
    ]  # fmt: skip
