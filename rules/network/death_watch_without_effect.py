"""The death watch of Akka is tuned, which nobody listens to any more.

## What it does
Reports `akka.watch.heartbeat.interval`, `akka.watch.heartbeat.pause` and `akka.watch.threshold`. For Flink 1.4 and
before, where they act, it reports a pause of less than 60 s instead.

## Why it matters
Up to 1.4 JobManager and TaskManager watched each other through Akka's death watch: a pause (a long garbage collection,
a network that is away for a moment) longer than `akka.watch.heartbeat.pause` put the other side into quarantine, from
which only a restart of its process leads out, and a TaskManager does not restart by itself unless
`taskmanager.exit-on-fatal-akka-error` says so. From 1.5 on heartbeats of Flink's own do this work
(`heartbeat.interval`, `heartbeat.timeout`), and the keys change nothing; 2.0 dropped them. Who believes that failures
are found after 10 s waits 50 s.

## What to do
Delete the keys and set `heartbeat.timeout`. On 1.4 and before give the pause a minute, and set
`taskmanager.exit-on-fatal-akka-error: true` where something starts a TaskManager that ended.

## Sources
- <https://cwiki.apache.org/confluence/pages/viewpage.action?pageId=65147077>: FLIP-6, with heartbeats of its own
- <https://nightlies.apache.org/flink/flink-docs-release-1.4/ops/config.html#distributed-coordination-via-akka>: what
  the keys did
"""

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import Duration, parse_duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_PAUSE = "akka.watch.heartbeat.pause"
_LEAST = Duration(60_000_000_000)
_EXIT = "taskmanager.exit-on-fatal-akka-error"


@rule(
    code="FLK505",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=["akka.watch.heartbeat.interval", _PAUSE, "akka.watch.threshold"],
    scope="key",
    flink=">=1.0,<2",
    since="0.1",
)
def death_watch_without_effect(config: View, setting: Setting) -> Iterator[Finding]:
    """Akka's death watch is tuned, which finds no failures any more"""
    if config.since("1.5"):
        timeout = config.duration("heartbeat.timeout")
        instead = f"; heartbeat.timeout ({timeout}) decides" if timeout is not None else ""
        yield setting.finding(
            f"{setting.written} has had no effect since Flink 1.5: failures are found by heartbeats{instead}",
            help="delete it, and set heartbeat.timeout if failures must be found sooner or later",
            fix=setting.remove(safe=True),
            at="entry",
        )
        return
    pause = _duration(config, setting) if setting.written == _PAUSE else None
    if pause is not None and pause < _LEAST:
        exits = any(other.text.lower() == "true" for other in config.under(_EXIT))
        yield setting.finding(
            f"a pause of more than {pause} quarantines a TaskManager"
            + (", which then restarts" if exits else ": it keeps running and never joins again"),
            help=f"set {_PAUSE} to 60 s or more" + ("" if exits else f", and {_EXIT}: true"),
            severity=Severity.INFO if exits else Severity.WARNING,
        )


def _duration(config: View, setting: Setting) -> Duration | None:
    try:
        return parse_duration(setting.text, config.index)
    except BadValue:
        return None


def cases() -> list[Case]:
    return [
        bad(
            "akka.watch.heartbeat.pause: 10 s\nheartbeat.timeout: 50000\n", flink="1.14",
            at=_PAUSE, says="heartbeat.timeout (50 s) decides", fixed="heartbeat.timeout: 50000\n",
        ),
        bad("akka.watch.threshold: 12\n", flink="1.20", file="flink-conf.yaml", at="akka.watch.threshold", fixed=""),
        bad(
            "akka.watch.heartbeat.interval: 5 s\nakka.watch.heartbeat.pause: 10 s\n", flink="1.4.0", at=_PAUSE,
            severity=Severity.WARNING, says="never joins again",
        ),
        good("akka.watch.heartbeat.pause: 120 s\n", flink="1.4.0"),
        good("akka.ask.timeout: 10 s\nheartbeat.timeout: 50000\n", flink="1.14"),
        good("akka.watch.heartbeat.pause: 10 s\n", flink="2.0", file="flink-conf.yaml"),
        bad("akka.watch.heartbeat.interval: 5 s\n", flink="1.18", at="akka.watch.heartbeat.interval"),
        good("akka.watch.heartbeat.pause: 60 s\n", flink="1.4.0"),
        good("akka.watch.heartbeat.pause: ${PAUSE}\n", flink="1.4.0"),
        bad("akka.watch.heartbeat.pause: 59 s\ntaskmanager.exit-on-fatal-akka-error: TRUE\n", flink="1.4.0",
            severity=Severity.INFO, says="which then restarts"),
        bad("akka.watch.heartbeat.pause: 59 s\ntaskmanager.exit-on-fatal-akka-error: false\n", flink="1.4.0",
            severity=Severity.WARNING),
    ]  # fmt: skip
