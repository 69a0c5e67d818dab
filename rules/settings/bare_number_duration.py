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

from flink_flint.linter.flink.values import MILLISECOND, MINUTE, SECOND, Duration
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.settings._amounts import is_duration_later

_TTL = "table.exec.state.ttl"
_REPORTER = "metrics.reporter."
_OF_SMALL_DEFAULT = {
    "execution.checkpointing.interval": "least",
    "execution.checkpointing.interval-during-backlog": "least",
    "table.exec.source.idle-timeout": "least",
    "execution.checkpointing.min-pause": "least-delay",
    "restart-strategy.exponential-delay.initial-backoff": "least-delay",
    "restart-strategy.failure-rate.delay": "least-delay",
    "restart-strategy.fixed-delay.delay": "least-delay",
    "table.exec.mini-batch.allow-latency": "least-delay",
}
"""Options of small or no default -> the threshold from which they are believed."""
_MAX_DIGITS = 9
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
    thresholds={
        "least": Threshold("1 s", "shortest interval or timeout that is believed"),
        "least-delay": Threshold("100 ms", "shortest pause or delay that is believed"),
        "least-odd": Threshold("10 s", "shortest timeout that is believed though it is no whole number of seconds"),
        "least-ttl": Threshold("10 s", "shortest life of state that is believed"),
        "least-odd-ttl": Threshold("1000 s", "the same where it is no whole number of seconds"),
    },
)
def bare_number_duration(config: View, setting: Setting) -> Iterator[Finding]:
    """a duration has no unit, so it is milliseconds, where seconds must be meant"""
    option, text = setting.option, setting.text.strip()
    number = whole(text) if len(text) <= _MAX_DIGITS else None
    if option is None or number is None:
        return
    if option.type != "Duration" and not is_duration_later(config, setting):
        return
    if number == 0 or (number < 10 and setting.key in _REFUSED_BELOW_10_MS):
        return
    if setting.key.startswith(_REPORTER) and not config.since("1.12"):
        return  # refused: an error is logged, and the default counts
    amount = Duration(number * MILLISECOND)
    if not setting.is_read or not _implausible(config, setting, amount) or _told_by_heartbeats(config, setting, amount):
        return
    seconds = f"{text} s" if option.type == "Duration" else str(number * 1000)
    yield setting.finding(
        f"{setting.written} is {amount}, because a number without a unit is milliseconds"
        f"{_consequence(setting, number)}",
        help=f"write {seconds} if seconds were meant",
        fix=setting.replace(seconds),
        confidence=Confidence.HIGH if number < 100 or setting.key == _TTL else None,
    )


def _implausible(config: View, setting: Setting, amount: Duration) -> bool:
    is_odd = amount % SECOND != 0
    if setting.key == _TTL:
        return amount < config.threshold("least-ttl") or (is_odd and amount < config.threshold("least-odd-ttl"))
    if setting.key in _OF_SMALL_DEFAULT:
        return amount < config.threshold(_OF_SMALL_DEFAULT[setting.key])
    default = setting.default
    if isinstance(default, int) and not isinstance(default, Duration):
        default *= MILLISECOND
    if not isinstance(default, int) or default < 10 * SECOND:
        return False
    if amount < config.threshold("least"):
        return True
    return is_odd and default >= MINUTE and amount < config.threshold("least-odd")


def _told_by_heartbeats(config: View, setting: Setting, amount: Duration) -> bool:
    if setting.key != "heartbeat.timeout":
        return False
    interval = config.duration("heartbeat.interval")
    return interval is not None and amount < interval


def _consequence(setting: Setting, number: int) -> str:
    if setting.key == _TTL:
        return ", after which state is dropped and results are silently wrong"
    if setting.key == "execution.checkpointing.interval":
        return f", which asks for {1000 // number} checkpoints a second"
    default = setting.default
    if isinstance(default, Duration) and default:
        return f"; the default is {default}"
    return ""


def cases() -> list[Case]:
    return [
        bad("execution.checkpointing.interval: 60\n", at="execution.checkpointing.interval", flink="1.18",
            severity=Severity.WARNING, says="16 checkpoints a second"),
        bad("table.exec.state.ttl: 86400\n", at="86400", flink="1.18", says="silently wrong",
            fixed="table.exec.state.ttl: 86400 s\n"),
        bad("execution.checkpointing.timeout: 3600\n", flink="1.20", file="flink-conf.yaml", says="default is 10 min"),
        bad("slot.idle.timeout: 50\n", flink="1.18", at="slot.idle.timeout", fixed="slot.idle.timeout: 50000\n"),
        bad("table.exec.state.ttl: 5\n", flink="1.18"),
        bad("metrics.reporter.log.interval: 60\n", flink="1.12"),
        good("metrics.reporter.log.interval: 60\n", flink="1.11"),
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
        good("execution.checkpointing.interval-during-backlog: 5\n", flink="2.0"),
        good("execution.checkpointing.timeout: 9\n", flink="1.18"),
        good("execution.checkpointing.interval: 1000\nrestart-strategy.fixed-delay.delay: 100\n", flink="1.18"),
        good("table.exec.state.ttl: 1000000\nheartbeat.rpc-failure-threshold: 2\n", flink="1.18"),
        good("task.cancellation.interval: 30000\ntask.cancellation-interval: 30\n", flink="1.18"),
        bad("resourcemanager.taskmanager-timeout: 30\n", flink="1.18"),
        bad("high-availability.zookeeper.client.session-timeout: 60\n", flink="1.18"),
        good("heartbeat.interval: 1500\nrestart-strategy.exponential-delay.max-backoff: 9000\n", flink="1.18"),
        good("parallelism.default: 4\nheartbeat.timeout: 1500\n", flink="1.13"),
        bad("heartbeat.interval: 500\nparallelism.default: 4\n", flink="1.13"),
        bad("heartbeat.timeout: 500\nheartbeat.interval: 100 ms\n", flink="1.18"),
        good("slot.idle.timeout: 10001\ntable.exec.state.ttl: 1000000\n", flink="1.20", file="flink-conf.yaml"),
        bad("pekko.ask.timeout: 900\n", flink="1.20", file="flink-conf.yaml"),
        good("rest.client.max-content-length: 500\nenv.java.opts.all: '5'\nakka.ask.timeout: 60\n", flink="1.13"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    interval = "execution.checkpointing.interval"
    return [
        flink_uses("checkpoints", f"{interval}: 60\n", "every 60 ms", good=f"{interval}: 60 s\n"),
        flink_uses("options", f"{_TTL}: 3600\n", "PT3.6S", good=f"{_TTL}: 3600 s\n"),
    ]
