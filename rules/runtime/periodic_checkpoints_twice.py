"""The operator takes checkpoints beside those that Flink takes.

## What it does
Compares `kubernetes.operator.periodic.checkpoint.interval` with `execution.checkpointing.interval`, and tells where the
operator takes its own more than half as often as Flink.

## Why it matters
The operator asks for checkpoints of the type FULL unless `kubernetes.operator.checkpoint.type` says otherwise: each
copies the whole state, also where Flink's are incremental. Taken about as often as these they double what is written,
and hold them up, as one checkpoint at a time is the default.

## What to do
Drop one: with `execution.checkpointing.interval` Flink takes checkpoints by itself. For full ones now and then, take
them every few hours.

## Not when
The operator's are rarer than every second of Flink's. It takes incremental ones. Its interval is a cron expression or
filled in later.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/snapshots/>: what the
  operator's periodic checkpoints are for
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/operations/configuration/>:
  `kubernetes.operator.checkpoint.type` is FULL
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.quantity import spell_duration
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.values import Duration, parse_duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment

_PERIODIC = "kubernetes.operator.periodic.checkpoint.interval"
_TYPE = "kubernetes.operator.checkpoint.type"
_INTERVAL = "execution.checkpointing.interval"


@rule(
    code="FLK990",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[_PERIODIC],
    flink=">=1.10",
    since="0.1",
)
def periodic_checkpoints_twice(config: View) -> Iterator[Finding]:
    """the operator takes checkpoints beside those that Flink takes"""
    if _PERIODIC not in config.effective:
        return
    periodic = config.written(_PERIODIC)
    theirs, ours = _duration(periodic.text), config.duration(_INTERVAL)
    kind = config.effective.get(_TYPE)
    if not theirs or not ours or theirs > 2 * ours or (kind is not None and kind.text.upper() != "FULL"):
        return
    yield periodic.finding(
        f"every {spell_duration(theirs.seconds)} the operator has a full checkpoint taken, beside those that Flink"
        f" takes every {spell_duration(ours.seconds)} anyway",
        help=f"delete it, or set {_TYPE}: INCREMENTAL; full ones as a backup may come every few hours",
        related=[config.get(_INTERVAL)],
        measure=-theirs,
    )


def _duration(text: str) -> Duration | None:
    """An interval of the operator; None for a cron expression and for what a template fills in."""
    if is_templated(text):
        return None
    try:
        return parse_duration(text, NEWEST)
    except BadValue:
        return None


def _case(periodic: str, more: str = f"{_INTERVAL}: 1 min") -> str:
    return deployment(f"{_PERIODIC}: {periodic}\n{more}")


def cases() -> list[Case]:
    return [
        bad(
            _case("2 min"),
            file="deployment.yaml",
            at=_PERIODIC,
            severity=Severity.INFO,
            says="every 2 min the operator",
        ),
        bad(_case("10s", f"{_INTERVAL}: 1 min\n{_TYPE}: full"), file="deployment.yaml", at=_PERIODIC),
        bad(f"{_PERIODIC}: 60 s\nexecution.checkpointing.interval: 60000\n", flink="1.14"),
        good(_case("121 s"), file="deployment.yaml"),
        good(_case("0"), file="deployment.yaml"),
        good(_case("1 min", f"{_INTERVAL}: 1 min\n{_TYPE}: INCREMENTAL"), file="deployment.yaml"),
        good(_case("1 min", f"{_INTERVAL}: 1 min\n{_TYPE}: '${{TYPE}}'"), file="deployment.yaml"),
        good(_case('"0 */5 * * * ?"'), file="deployment.yaml"),
        good(_case('"${EVERY}"'), file="deployment.yaml"),
        good(_case("1 min", "rest.port: 8081"), file="deployment.yaml"),
    ]
