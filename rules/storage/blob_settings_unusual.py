"""The blob server forgets jars too early or too late, or keeps large messages out of its files.

## What it does
Looks at `blob.service.cleanup.interval` below `least` seconds (60) or above `most` (7 days), and at
`blob.offload.minsize` above `pekko.framesize`. As values like these are seldom wrong by themselves, it runs only where
it is selected.

## Why it matters
The interval, in seconds, says for how long jars of finished jobs stay in the caches of TaskManagers. If it is shorter
than a restart takes, each restart fetches all jars from the JobManager again, from all TaskManagers at once; if it is
very long, a session cluster keeps the jars of every job it ever ran.

Descriptions of tasks that are larger than `blob.offload.minsize` (1 MB) travel by the blob server, others in a message.
With the size above the frame size a description in between is too large for a message, and its task is not deployed.

## What to do
Leave both at their defaults: 3600 and 1048576.

## Not when
The values are near their defaults, or unknown.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#blob-service-cleanup-interval>: what it
  cleans, and that it is in seconds
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#blob-offload-minsize>: what it is for
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.inlining._frame import FRAME, frame_of

_INTERVAL = "blob.service.cleanup.interval"
_OFFLOAD = "blob.offload.minsize"
_DEFAULT = 3600


@rule(
    code="FLK108",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    reads=[_INTERVAL, _OFFLOAD],
    pedantic=True,
    of_scale=True,
    thresholds={
        "least": Threshold(60, "seconds for which jars stay at least"),
        "most": Threshold(7 * 86_400, "seconds for which they stay at most"),
    },
    since="0.1",
)
def blob_settings_unusual(config: View) -> Iterator[Finding]:
    """jars are forgotten early or late, or large messages are no blobs"""
    interval, seconds = config.get(_INTERVAL), config.integer(_INTERVAL)
    if interval.is_set and seconds is not None:
        least, most = config.threshold("least"), config.threshold("most")
        if seconds < least:
            why = f"jars are forgotten {seconds} s after a job, and fetched anew by all TaskManagers when it restarts"
        else:
            why = f"the jars of every job stay for {seconds / 86_400:.0f} days"
        if not least <= seconds <= most:
            kept = int(min(max(_DEFAULT, least), most))
            advice = f"leave it at {_DEFAULT}, an hour" if kept == _DEFAULT else f"set it to {kept}"
            yield interval.finding(why, help=advice, fix=interval.replace(str(kept)))
    offload, size, frame = config.get(_OFFLOAD), config.integer(_OFFLOAD), frame_of(config)
    if offload.is_set and size is not None and frame is not None and size > frame:
        yield offload.finding(
            f"descriptions of tasks up to {readable(size)} travel as messages, and those above {readable(frame)} do not"
            " arrive",
            help="leave it at 1048576, 1 MB" if frame >= 1 << 20 else f"set it to {frame} or less",
            fix=offload.replace(str(min(1 << 20, frame))),
            related=[config.get(FRAME)],
        )


def cases() -> list[Case]:
    return [
        bad(f"{_INTERVAL}: 59\n", at=_INTERVAL, severity=Severity.WARNING, says="forgotten 59 s after",
            fixed=f"{_INTERVAL}: 3600\n"),
        bad(f"{_INTERVAL}: 604801\n", at=_INTERVAL, flink="1.14", says="stay for 7 days"),
        bad(f"{_OFFLOAD}: 10485761\n", at=_OFFLOAD, flink="1.18", says="above 10 MiB do not arrive",
            fixed=f"{_OFFLOAD}: 1048576\n"),
        bad(f"{_OFFLOAD}: 1048576\n{FRAME}: 1000000b\n", at=_OFFLOAD, flink="1.18"),
        good(f"{_INTERVAL}: 60\n{_OFFLOAD}: 10485760\n"),
        good(f"{_INTERVAL}: 604800\n"),
        good(f"{_INTERVAL}: '{{{{ seconds }}}}'\n{_OFFLOAD}: '{{{{ bytes }}}}'\n"),
        good(f"{_OFFLOAD}: 20971520\n{FRAME}: '{{{{ frame }}}}'\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses("JAR cache", f"{_INTERVAL}: 30\n", "for 30000 ms", good=f"{_INTERVAL}: 3600\n"),
        flink_uses("JAR cache", f"{_INTERVAL}: 604801\n", "for 604801000 ms", good=f"{_INTERVAL}: 604800\n"),
    ]
