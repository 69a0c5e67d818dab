"""A duration has no unit, so it is milliseconds, where seconds must have been meant.

## What it does
Reports durations written as a number alone that are implausible as milliseconds:

- below 1000 for options whose default is 10 s or more, for the checkpoint interval and the idle timeout of
  sources;
- below 10 000 and no multiple of 1000 (such as `3600`) for options whose default is a minute or more;
- below 100 for restart delays, the pause between checkpoints and the latency of mini-batches;
- for `table.exec.state.ttl`, below 10 000, or below 1 000 000 and no multiple of 1000 (such as `86400`).

Zero is never reported. The same goes for options that are plain numbers of milliseconds in older releases
(`heartbeat.timeout` up to 1.19).

## Why it matters
Flink takes a bare number for milliseconds. `execution.checkpointing.interval: 60` starts 16 checkpoints a
second; `table.exec.state.ttl: 3600` forgets state after 3.6 s, and the results are silently wrong.

## What to do
Append the unit: `60 s`. Where the option is a plain number of milliseconds, write the zeros: `60000`.

## Not when
Numbers above the bounds are taken for milliseconds. Buffer timeouts, debloating periods and other options whose
usual values are small are not looked at. What Flink refuses anyway is told by `out-of-hard-range` (a checkpoint
interval or timeout below 10 ms) and by the rule on heartbeats (a timeout below the interval).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: durations and their defaults
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-state-ttl>: what the state
  retention does
"""

from collections.abc import Iterator

from linter.flink.values import MILLISECOND, MINUTE, SECOND, Duration
from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import Setting, View
from rules.settings._amounts import is_duration_later

_TTL = "table.exec.state.ttl"
_BELOW = {
    "execution.checkpointing.interval": 1000,
    "execution.checkpointing.interval-during-backlog": 1000,
    "table.exec.source.idle-timeout": 1000,
    "execution.checkpointing.min-pause": 100,
    "restart-strategy.exponential-delay.initial-backoff": 100,
    "restart-strategy.failure-rate.delay": 100,
    "restart-strategy.fixed-delay.delay": 100,
    "table.exec.mini-batch.allow-latency": 100,
}
"""Options of small or no default -> the number of milliseconds from which it is believed."""
_REFUSED_BELOW_10_MS = (
    "execution.checkpointing.interval", "execution.checkpointing.interval-during-backlog",
    "execution.checkpointing.timeout",
)  # fmt: skip


@rule(
    code="FLK022",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    since="0.1",
    scope="key",
    when=["type:Duration", "type:Long", "type:Integer"],
)
def bare_number_duration(config: View, setting: Setting) -> Iterator[Finding]:
    """a duration has no unit, so it is milliseconds, where seconds must be meant"""
    option, text = setting.option, setting.text.strip()
    if option is None or option.type not in ("Duration", "Long", "Integer"):
        return
    if not (text.isascii() and text.isdecimal()) or len(text) > 9:
        return
    if option.type != "Duration" and not is_duration_later(config, setting):
        return
    number = int(text)
    if number == 0 or (number < 10 and setting.key in _REFUSED_BELOW_10_MS):
        return
    if not _implausible(setting, number) or not setting.is_read or _told_by_heartbeats(config, setting, number):
        return
    seconds = f"{text} s" if option.type == "Duration" else str(number * 1000)
    yield setting.finding(
        f"{setting.written} is {Duration(number * MILLISECOND)}, because a number without a unit is milliseconds"
        f"{_consequence(setting, number)}",
        help=f"write {seconds} if seconds were meant",
        fix=setting.replace(seconds),
        confidence=Confidence.HIGH if number < 100 or setting.key == _TTL else None,
    )


def _implausible(setting: Setting, number: int) -> bool:
    round_seconds = number % 1000 == 0
    if setting.key == _TTL:
        return number < 10_000 or (number < 1_000_000 and not round_seconds)
    if setting.key in _BELOW:
        return number < _BELOW[setting.key]
    default = setting.default
    if isinstance(default, int) and not isinstance(default, Duration):
        default *= MILLISECOND
    if not isinstance(default, int) or default < 10 * SECOND:
        return False
    return number < 1000 or (default >= MINUTE and number < 10_000 and not round_seconds)


def _told_by_heartbeats(config: View, setting: Setting, number: int) -> bool:
    if setting.key != "heartbeat.timeout":
        return False
    interval = config.duration("heartbeat.interval")
    return interval is not None and number * MILLISECOND < interval


def _consequence(setting: Setting, number: int) -> str:
    if setting.key == _TTL:
        return ", after which state is dropped and results are silently wrong"
    if setting.key == "execution.checkpointing.interval":
        return f", which asks for {1000 // number} checkpoints a second"
    default = setting.default
    if isinstance(default, Duration) and default:
        return f"; the default is {default}"
    return ""


CASES = [
    bad("execution.checkpointing.interval: 60\n", at="execution.checkpointing.interval", flink="1.18",
        severity=Severity.WARNING, says="16 checkpoints a second"),
    bad("table.exec.state.ttl: 86400\n", at="86400", flink="1.18", says="silently wrong",
        fixed="table.exec.state.ttl: 86400 s\n"),
    bad("execution.checkpointing.timeout: 3600\n", flink="1.20", file="flink-conf.yaml", says="default is 10 min"),
    bad("slot.idle.timeout: 50\n", flink="1.18", at="slot.idle.timeout", fixed="slot.idle.timeout: 50000\n"),
    bad("table.exec.state.ttl: 5\n", flink="1.18"),
    good("table.exec.state.ttl: 0\n", flink="1.18"),
    good("rest.client.max-content-length: 500\n", flink="1.18"),
    bad("restart-strategy:\n  fixed-delay:\n    delay: 10\n", at="10", says="10 ms"),
    bad("execution.checkpointing.interval: 30\n", file="flink-conf.yaml"),
    bad("table.exec.state.ttl: 9000\n", flink="1.18"),
    bad("table.exec.state.ttl: 999999\n", flink="1.18"),
    bad("execution.checkpointing.timeout: 999\n", flink="1.18"),
    bad("execution.checkpointing.timeout: 9999\n", flink="1.18", fixed="execution.checkpointing.timeout: 9999 s\n"),
    bad("execution.checkpointing.interval: 10\n", flink="1.18", at="execution.checkpointing.interval"),
    bad("heartbeat.timeout: 50\nheartbeat.interval: 20 ms\n", at="heartbeat.timeout", flink="1.18"),
    bad("heartbeat.timeout: 50\nheartbeat.interval: 50 ms\n", at="heartbeat.timeout", flink="1.18"),
    bad("heartbeat.timeout: 50\nheartbeat.interval: '{{ interval }}'\n", at="heartbeat.timeout", flink="1.18"),
    good("table.exec.state.ttl: 10000\n", flink="1.18"),
    good("table.exec.state.ttl: 1000001\n", flink="1.18"),
    good("execution.checkpointing.timeout: 1000\n", flink="1.18"),
    good("execution.checkpointing.timeout: 10001\n", flink="1.18"),
    good("execution.checkpointing.timeout: 0000000060\n", flink="1.18"),
    good("execution.checkpointing.interval: 60000\nexecution.checkpointing.min-pause: 500\n", flink="1.18"),
    good("execution.buffer-timeout: 5\ntaskmanager.network.memory.buffer-debloat.period: 100\n", flink="1.15"),
    good("table.exec.state.ttl: 3600000\nexecution.checkpointing.timeout: 600000\n", flink="1.18"),
    good("execution.checkpointing.interval: 5\nexecution.checkpointing.timeout: 0\n", flink="1.18"),
    good("heartbeat.timeout: 50\n", flink="1.18"),
    good("execution.checkpointing.interval: 60 s\n", flink="1.18"),
    good("execution.checkpointing.interval: ${CHECKPOINT_INTERVAL}\n", flink="1.18"),
    good("blob.service.cleanup.interval: 600\nyarn.heartbeat.interval: 10\n", flink="1.18"),
]  # fmt: skip
