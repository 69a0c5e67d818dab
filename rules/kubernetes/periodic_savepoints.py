"""The operator takes savepoints very often.

## What it does
Compares `kubernetes.operator.periodic.savepoint.interval` with a quarter of an hour, and with the interval of
checkpoints.

## Why it matters
A savepoint is a full copy of the state, never incremental in its canonical format. While one is written no checkpoint
begins (one at a time is the default), so that checkpoints come late, and with them what a restart can go back to. Every
copy stays for a day, or ten of them (`kubernetes.operator.savepoint.history.max.age` and `.max.count`): with 50 GB of
state that is 500 GB. From operator 1.10 on each is a FlinkStateSnapshot, whose files stay when it is deleted (FLK110).

## What to do
For fast restarts rely on checkpoints, or on `kubernetes.operator.periodic.checkpoint.interval` for full ones. Take
savepoints as a backup, every 6 hours or so, with `dispose-on-delete: true`.

## Not when
The interval is a cron expression, or nobody knows it.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/snapshots/>:
  periodic savepoints and what becomes of them
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/>: the options
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints_vs_savepoints/>: how they differ
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.values import HOUR, Duration, parse_duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import entry_of, flag

INTERVAL = "kubernetes.operator.periodic.savepoint.interval"
DISPOSE = "kubernetes.operator.savepoint.dispose-on-delete"

_RARELY = Duration(6 * HOUR)


@rule(
    code="FLK716",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[INTERVAL],
    flink=">=1.0",
    since="0.1",
    thresholds={"shortest": Threshold("15 min", "shortest interval of savepoints")},
)
def periodic_savepoints(config: View) -> Iterator[Finding]:
    """the operator takes savepoints more often than a backup needs"""
    entry = entry_of(config, INTERVAL)
    if entry is None:
        return
    try:
        interval = parse_duration(entry.text, NEWEST)
    except BadValue:
        return  # a cron expression, or nothing the operator takes
    shortest = config.threshold("shortest")
    if not 0 < interval < shortest:
        return
    checkpoints = config.duration("execution.checkpointing.interval")
    between = f", though checkpoints come every {_text(checkpoints)}" if checkpoints else ""
    dispose = "" if flag(config, DISPOSE) else f" with {DISPOSE}: true"
    yield config.finding(
        f"a savepoint every {_text(interval)} copies the whole state each time{between}, and holds the checkpoints up",
        span=entry.value_span,
        key=INTERVAL,
        help=f"take one every {max(_RARELY, shortest)} as a backup{dispose}; restarts use checkpoints",
        evidence={"per day": round(86_400 * 1_000_000_000 / interval)},
        measure=-interval,
    )


def _text(duration: Duration) -> str:
    seconds = duration / 1_000_000_000
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"


def cases() -> list[Case]:
    return [
        bad(deployment(f"{INTERVAL}: 5m"), file="deployment.yaml", at=INTERVAL, says="every 5 min"),
        bad(
            deployment(f"{INTERVAL}: 60 s\nexecution.checkpointing.interval: 2 min"), file="deployment.yaml",
            says="every 1 min copies the whole state each time, though checkpoints come every 2 min",
        ),
        good(deployment(f"{INTERVAL}: 6 h"), file="deployment.yaml"),
        good(deployment(f'{INTERVAL}: "0 0 */6 * * ?"'), file="deployment.yaml"),
        good(deployment(f"{INTERVAL}: ${{EVERY}}"), file="deployment.yaml"),
        good(deployment("kubernetes.operator.periodic.checkpoint.interval: 5m"), file="deployment.yaml"),
        good(deployment(f"{INTERVAL}: 15 min"), file="deployment.yaml"),
        bad(deployment(f"{INTERVAL}: 899 s"), file="deployment.yaml", flink="1.8"),
        good(deployment(f"{INTERVAL}: 0"), file="deployment.yaml"),
    ]  # fmt: skip
