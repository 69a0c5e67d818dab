"""Mini-batching of SQL is switched on without its latency or size.

## What it does
Reports `table.exec.mini-batch.enabled: true` when `table.exec.mini-batch.allow-latency` is not set or not
above 0, or `table.exec.mini-batch.size` is not set or not above 0. The defaults (0 ms and -1) are not valid.

## Why it matters
Every streaming query then fails while it is planned: "MiniBatch Latency must be greater than 0 ms." With a latency
but no size, queries with an aggregation or deduplication fail with "maxCount must be greater than 0".

## What to do
Set both, for example 5 s and 5000.

## Not when
Programs and SQL scripts can complete the settings with their own (`SET 'table.exec.mini-batch.size' = '5000'`), which
the configuration does not show; hence medium confidence. What a script or program leaves out, its deployment may set:
where it is not known, the finding is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-mini-batch-enabled>:
  both other options must be set
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/tuning/#minibatch-aggregation>: what to set
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_ENABLED = "table.exec.mini-batch.enabled"
_LATENCY = "table.exec.mini-batch.allow-latency"
_SIZE = "table.exec.mini-batch.size"


@rule(
    code="FLK903",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=[_ENABLED],
    flink=">=1.12",
    since="0.1",
)
def sql_mini_batch_incomplete(config: View) -> Iterator[Finding]:
    """mini-batching of SQL is switched on without its latency or size"""
    enabled = config.get(_ENABLED)
    if not enabled.is_set or not config.boolean(_ENABLED):
        return
    latency, size = config.get(_LATENCY), config.get(_SIZE)
    missing = [
        f"{setting.key} {'is ' + setting.text if setting.is_set else 'is not set'}"
        for setting, value in ((latency, config.duration(_LATENCY)), (size, config.integer(_SIZE)))
        if value is not None and value <= 0
    ]
    if missing:
        yield _first_set(latency, size, enabled, missing).finding(
            f"mini-batching is switched on, but {' and '.join(missing)}: streaming queries fail in the planner",
            help=f"set both, for example {_LATENCY} to 5 s and {_SIZE} to 5000",
            severity=Severity.INFO if _may_be_completed(config, latency, size) else None,
        )


def _may_be_completed(config: View, *settings: Setting) -> bool:
    """Whether the deployment of a script or program, which is unknown, may set what it leaves out."""
    if config.document.kind not in ("source", "sql") or config.is_deployment_known:
        return False
    return all(not setting.is_set or setting.value is None or setting.value > 0 for setting in settings)


def _first_set(latency: Setting, size: Setting, enabled: Setting, missing: list[str]) -> Setting:
    """The setting to point at: a wrong value if there is one, else the switch."""
    return next((s for s in (latency, size) if s.is_set and any(m.startswith(s.key) for m in missing)), enabled)


def cases() -> list[Case]:
    return [
        bad("table.exec.mini-batch.enabled: true\n", at="table.exec.mini-batch.enabled", flink="1.18",
            severity=Severity.ERROR, says="allow-latency is not set and table.exec.mini-batch.size is not set"),
        bad("table.exec.mini-batch.enabled: true\ntable.exec.mini-batch.allow-latency: 5 s\n", flink="1.15",
            says="size is not set"),
        bad("table.exec.mini-batch.enabled: true\ntable.exec.mini-batch.allow-latency: 0\n"
            "table.exec.mini-batch.size: 5000\n", at="table.exec.mini-batch.allow-latency", flink="1.18"),
        bad("SET 'table.exec.mini-batch.enabled' = 'true';\n", file="job.sql", flink="1.18", severity=Severity.INFO),
        bad("SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'table.exec.mini-batch.size' = '0';\n", file="job.sql",
            flink="1.18", severity=Severity.ERROR),
        bad("parallelism:\n  default: 4\ntable.exec.mini-batch:\n  enabled: true\n  size: 1000\n", at="true"),
        good("table.exec.mini-batch.enabled: true\ntable.exec.mini-batch.allow-latency: 5 s\n"
             "table.exec.mini-batch.size: 5000\n", flink="1.18"),
        good("table.exec.mini-batch.enabled: false\n", flink="1.18"),
        good("table.exec.mini-batch.size: 5000\n"),
        good("table.exec.mini-batch.enabled: true\ntable.exec.mini-batch.allow-latency: ${LATENCY}\n"
             "table.exec.mini-batch.size: ${SIZE}\n", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            "SET 'table.exec.mini-batch.allow-latency' = '0 s';\n"
            "SET 'table.exec.mini-batch.size' = '1000';\n"
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = "
            "'csv');\n"
            "CREATE TABLE b (id BIGINT, v BIGINT) WITH ('connector' = 'blackhole');\n"
            "INSERT INTO b SELECT id, COUNT(*) FROM a GROUP BY id;\n",
            good="SET 'table.exec.mini-batch.allow-latency' = '1 s';\n"
            "SET 'table.exec.mini-batch.size' = '1000';\n"
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = "
            "'csv');\n"
            "CREATE TABLE b (id BIGINT, v BIGINT) WITH ('connector' = 'blackhole');\n"
            "INSERT INTO b SELECT id, COUNT(*) FROM a GROUP BY id;\n",
            both="SET 'table.exec.mini-batch.enabled' = 'true';\n",
            releases=">=1.12",
        ),
        flink_refuses(
            "SQL",
            "SET 'table.exec.mini-batch.size' = '0';\n"
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = "
            "'csv');\n"
            "CREATE TABLE b (id BIGINT, v BIGINT) WITH ('connector' = 'blackhole');\n"
            "INSERT INTO b SELECT id, COUNT(*) FROM a GROUP BY id;\n",
            good="SET 'table.exec.mini-batch.size' = '1000';\n"
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = "
            "'csv');\n"
            "CREATE TABLE b (id BIGINT, v BIGINT) WITH ('connector' = 'blackhole');\n"
            "INSERT INTO b SELECT id, COUNT(*) FROM a GROUP BY id;\n",
            both="SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'table.exec.mini-batch.allow-latency' = '1 s';\n",
            releases=">=1.12",
        ),
    ]
