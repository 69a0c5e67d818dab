"""A unit is written where this release reads a plain number of milliseconds.

## What it does
Reports values such as `50 s` on options that the release reads as a whole number of milliseconds. 34 options were
such numbers up to 1.19 and became durations in 1.20 (`heartbeat.timeout`, `slot.idle.timeout`, `web.timeout`,
`task.cancellation.*`, ...); some are numbers of milliseconds to this day
(`python.fn-execution.bundle.time`, `blob.client.socket.timeout`, `taskmanager.network.request-backoff.*`, ...).

## Why it matters
`50 s` is no number: Flink fails with "Could not parse value '50 s' for key 'heartbeat.timeout'" when it
reads the option. This is what happens when a setting of 1.20 is taken back to 1.19 or copied from its documentation.

## What to do
Write the milliseconds: `50000`. Every release reads that, as number or as duration.

## Not when
From 1.20 on, on the options that became durations; nor in a `config.yaml` of unknown release, which only 1.19 would
refuse. Options that count seconds belong to `seconds-not-millis`.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-35359>: options in milliseconds become durations in 1.20
- <https://nightlies.apache.org/flink/flink-docs-release-1.19/docs/deployment/config/>: their type before that
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._amounts import counted_unit, hardly_older, is_duration_later, meant_duration
from flink_flint.rules.settings._keys import shown


@rule(
    code="FLK023",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    when=["type:Long", "type:Integer"],
)
def duration_string_on_millis_key(config: View, setting: Setting) -> Iterator[Finding]:
    """a unit is written where this release reads a plain number of milliseconds"""
    if counted_unit(config, setting) != MILLISECOND or not setting.is_read:
        return
    names = config.catalogue.current_names(setting.written)
    if any((option := config.get(name).option) is not None and option.type == "Duration" for name in names):
        return  # slotmanager.taskmanager-timeout is an option of its own, which nothing reads, and an old name
    became_duration = is_duration_later(config, setting)
    if became_duration and hardly_older(config):
        return
    meant = meant_duration(setting.text)
    if meant is None:
        return
    milliseconds, rest = divmod(meant, MILLISECOND)
    whole = str(milliseconds) if not rest else None
    when = " up to Flink 1.19" if became_duration else ""
    yield setting.finding(
        f"{setting.written} is a plain number of milliseconds{when}, and '{shown(setting.text)}' is no number:"
        " Flink fails on reading it",
        help=f"write {whole or 'a whole number of milliseconds'}",
        fix=None if whole is None else setting.replace(whole, safe=True, title=f"write {whole} milliseconds"),
    )


def cases() -> list[Case]:
    return [
        bad("heartbeat.timeout: 50 s\n", at="heartbeat.timeout", flink="1.18", fixed="heartbeat.timeout: 50000\n",
            severity=Severity.ERROR, says="up to Flink 1.19"),
        bad("slot.idle.timeout: 1.5min\n", at="1.5min", flink="1.9", fixed="slot.idle.timeout: 90000\n"),
        bad("heartbeat.timeout: 50 s\n", file="flink-conf.yaml", severity=Severity.WARNING,
            fixed="heartbeat.timeout: 50000\n"),
        bad("metrics.reporter.influx.connectTimeout: 30s\n", flink="1.16",
            fixed="metrics.reporter.influx.connectTimeout: 30000\n"),
        bad("python.fn-execution.bundle.time: 1 s\n", flink="2.1", fixed="python.fn-execution.bundle.time: 1000\n"),
        bad("high-availability.zookeeper.client.session-timeout: 60s\n", file="flink-conf.yaml", flink="1.17"),
        good("heartbeat.timeout: 50 s\n", flink="1.20"),
        good("heartbeat.timeout: 50 s\n"),
        good("heartbeat.timeout: 50000\n", file="flink-conf.yaml"),
        good("slotmanager.taskmanager-timeout: 50 s\n", flink="1.20"),
        bad("slotmanager.taskmanager-timeout: 50 s\n", flink="1.18", fixed="slotmanager.taskmanager-timeout: 50000\n"),
        good("heartbeat.timeout: ${TIMEOUT} s\n", flink="1.18"),
        good("blob.service.cleanup.interval: 1 h\nparallelism.default: 4 s\n", flink="1.18"),
        bad("heartbeat.timeout: 50 s\n", flink="1.19", severity=Severity.ERROR),
        bad("heartbeat.timeout: 1500 us\n", flink="1.18", fixed="heartbeat.timeout: 1500 us\n"),
        bad("python.fn-execution.bundle.time: 1 s\nparallelism.default: 2\n"),
        bad("taskmanager.runtime.fs_timeout: 10 s\n", flink="1.18", fixed="taskmanager.runtime.fs_timeout: 10000\n"),
        good("heartbeat.timeout: 3 mins\n", flink="1.20"),
        good("heartbeat.timeout: soon\n", flink="1.18"),
        good('heartbeat.timeout: "50 s"\n', flink="1.18"),
        good("task.cancellation.interval: 30000\ntask.cancellation-interval: 30 s\n", flink="1.18"),
        good("python.fn-execution.bundle.time: 1 s\n", flink="1.9"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses("options", "heartbeat.timeout: 50 s\n", good="heartbeat.timeout: 50000\n"),
    ]
