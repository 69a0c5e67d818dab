"""The autoscaler's times have it scale too far, or at random.

## What it does
Where the autoscaler is on, compares `job.autoscaler.restart.time` (5 min by default) with
`job.autoscaler.catch-up.duration` (30 min), and `job.autoscaler.metrics.window` (15 min) with 3 min.

## Why it matters
What arrives while the job restarts is to be read within the catch-up duration, beside what arrives then. So the
autoscaler reserves `rate x restart time / catch-up duration`: with 5 min for both each vertex gets twice the
parallelism it needs, and is too idle for it as soon as it has caught up, which has it scaled down again.

Decisions follow the mean over the window of metrics. A window of one minute follows every small burst, and each time
the job is rescaled.

## What to do
Give the job several times its restart time to catch up, and a window of 3 minutes to an hour.

## Not when
- The catch-up duration is 0, which switches the reserve off, or `job.autoscaler.restart.time-tracking.enabled` is
  true: then the restart time only counts until there are measurements.
- Options have the prefix `kubernetes.operator.`, and what nothing sets had another default then.
- `job.autoscaler.scaling.enabled` is false.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/autoscaler/>:
  the window (3 to 60 minutes), catch-up duration and restart time
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-autoscaler/src/main/java/org/apache/flink/autoscaler/utils/AutoScalerUtils.java>:
  `getTargetProcessingCapacity`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.scheduling._autoscaler import ENABLED, duration, flag, scales, setting

_SEVERAL = 1 / 3


@rule(
    code="FLK635",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=ENABLED,
    of_scale=True,
    since="0.1",
    thresholds={
        "share": Threshold(1.0, "the restart time in catch-up durations from which too much is reserved"),
        "window": Threshold("3 min", "the shortest window of metrics that decisions should follow"),
    },
)
def autoscaler_timings(config: View) -> Iterator[Finding]:
    """the autoscaler's times have it scale too far, or at random"""
    if not scales(config):
        return
    restart, catch_up = duration(config, "restart.time"), duration(config, "catch-up.duration")
    shown = setting(config, "catch-up.duration") or setting(config, "restart.time")
    tracked = flag(config, "restart.time-tracking.enabled", default=False) is not False
    if shown is not None and restart and catch_up and not tracked:
        share = restart / catch_up
        if share >= config.threshold("share"):
            yield shown.finding(
                f"what piles up in a restart of {restart} is to be read within {catch_up}: for that each vertex gets"
                f" {share * 100:.0f} % of the parallelism that its rate needs on top of it",
                help=f"set job.autoscaler.catch-up.duration to {_times(config.threshold('share'))}"
                " job.autoscaler.restart.time (30 min and 5 min by default)",
                evidence={"share": share},
                measure=share,
            )
    window, found = duration(config, "metrics.window"), setting(config, "metrics.window")
    if found is not None and window is not None and window < config.threshold("window"):
        yield found.finding(
            f"the autoscaler decides by the mean of the last {window}: it follows every small burst, and rescales the"
            " job each time",
            help=f"set job.autoscaler.metrics.window to {config.threshold('window')} or more, 15 min by default",
            measure=-window,
        )


def _times(share: float) -> str:
    """How many times the restart time leaves its share of the catch-up duration below a threshold."""
    return "several times" if share >= _SEVERAL else f"more than {1 / max(share, 1e-9):.3g} times"


_ON = 'job.autoscaler.enabled: "true"'
_FILE = {"file": "deployment.yaml"}
_RESTART, _CATCH_UP, _WINDOW = (
    f"job.autoscaler.{name}" for name in ("restart.time", "catch-up.duration", "metrics.window")
)


def _with(*settings: str) -> str:
    return deployment("\n".join([_ON, *settings]))


def cases() -> list[Case]:
    return [
        bad(_with(f"{_CATCH_UP}: 5 min"), **_FILE, at=_CATCH_UP, severity=Severity.WARNING,
            says="restart of 5 min is to be read within 5 min: for that each vertex gets 100 %"),
        bad(_with(f"{_RESTART}: 1 h"), **_FILE, at=_RESTART, says="200 %"),
        bad(_with(f"{_RESTART}: 4 min", f"{_CATCH_UP}: 2 min"), **_FILE, at=_CATCH_UP),
        bad(_with(f"{_WINDOW}: 1m"), **_FILE, at=_WINDOW, says="the last 1 min"),
        bad(_with(f"{_WINDOW}: 179 s"), **_FILE, at=_WINDOW),
        bad("kubernetes.operator.job.autoscaler.enabled: true\nkubernetes.operator.job.autoscaler.restart.time: 5 min\n"
            "kubernetes.operator.job.autoscaler.catch-up.duration: 5 min\n", flink="1.17"),
        good(_with(f"{_CATCH_UP}: 301 s", f"{_WINDOW}: 3 min"), **_FILE),
        good(_with(f"{_RESTART}: 29 min"), **_FILE),
        good(_with(f"{_CATCH_UP}: 0 s"), **_FILE),
        good(_with(f"{_CATCH_UP}: 1 min", f"{_RESTART}: 0 s"), **_FILE),
        good(_with(f"{_CATCH_UP}: 5 min", 'job.autoscaler.restart.time-tracking.enabled: "true"'), **_FILE),
        good(_with(f"{_CATCH_UP}: 5 min", "job.autoscaler.restart.time-tracking.enabled: ${TRACK}"), **_FILE),
        good(_with(f"{_CATCH_UP}: ${{CATCH_UP}}", f"{_WINDOW}: ${{WINDOW}}"), **_FILE),
        good(_with(f"{_CATCH_UP}: soon"), **_FILE),
        good(_with(f"{_WINDOW}: 1m", 'job.autoscaler.scaling.enabled: "false"'), **_FILE),
        good("kubernetes.operator.job.autoscaler.enabled: true\n"
             "kubernetes.operator.job.autoscaler.catch-up.duration: 5 min\n", flink="1.17"),
        good(_with(), **_FILE),
    ]  # fmt: skip
