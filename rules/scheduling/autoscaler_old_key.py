"""An option of the autoscaler has a name of before.

## What it does
Reports keys with the prefix `kubernetes.operator.job.autoscaler.`, which lost its beginning in operator 1.7, and
`target.utilization`, which operator 1.11 renamed to `utilization.target`. It is a warning where the option is also set
by a newer name, to something else.

## Why it matters
The old name is read only where the new one is missing: whoever adds the new one later, in the operator's defaults or
in an overlay, overrides it without a word. The old names are marked as deprecated and may go.

## What to do
Write the new name, once the operator is recent enough. The fix is not safe: an older operator ignores it.

## Not when
- Both names have the same value, for operators on both sides of the change.
- The resource is one of Amazon EMR (`emrReleaseLabel`), which wants the old prefix up to 7.1.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-autoscaler/src/main/java/org/apache/flink/autoscaler/config/AutoScalerOptions.java>:
  which names are read, and in which order
- <https://docs.aws.amazon.com/emr/latest/EMR-on-EKS-DevelopmentGuide/jobruns-flink-autoscaler.html>: the prefix on EMR
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.scheduling._autoscaler import OLD_PREFIX, PREFIX, RENAMED, names

_NEW_NAMES = {old: new for new, old in RENAMED.items()}
_OLD = [f"{PREFIX}{old}" for old in _NEW_NAMES]


@rule(
    code="FLK636",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[OLD_PREFIX, *_OLD],
    since="0.1",
)
def autoscaler_old_key(config: View) -> Iterator[Finding]:
    """an option of the autoscaler has a name of before"""
    if any(part.has("spec.emrReleaseLabel") for part in config.elements("kubernetes-object")):
        return
    for key in [key for key in config.effective if key.startswith(OLD_PREFIX) or key in _OLD]:
        found = config.written(key)
        short = key.removeprefix(OLD_PREFIX).removeprefix(PREFIX)
        name = _NEW_NAMES.get(short, short)
        known = names(name)
        winner = next(config.written(one) for one in known if one in config.effective)
        if winner.written == key:
            yield found.finding(
                f"{key} is an old name, read only where nothing sets {known[0]}",
                help=f"write {known[0]}, from operator {'1.11' if short in _NEW_NAMES else '1.7'} on",
                fix=found.rename(known[0], safe=False),
                at="key",
            )
        elif winner.text != found.text:
            yield found.finding(
                f"{found.text} has no effect: {winner.written}, the newer name, is {winner.text}",
                help="delete the one that is not meant",
                severity=Severity.WARNING,
                related=[winner],
            )


_FILE = {"file": "deployment.yaml"}
_KEY = f"{OLD_PREFIX}restart.time: 2m"
_NEW = f"{PREFIX}restart.time: 2m"
_TARGET = f'{PREFIX}target.utilization: "0.6"'


def cases() -> list[Case]:
    return [
        bad(deployment(_KEY), **_FILE, at=f"{OLD_PREFIX}restart.time", severity=Severity.INFO,
            says="nothing sets job.autoscaler.restart.time", fixed=deployment(_NEW)),
        bad(deployment(_TARGET), **_FILE, at=f"{PREFIX}target.utilization",
            fixed=deployment(f'{PREFIX}utilization.target: "0.6"')),
        bad(deployment(f'{OLD_PREFIX}target.utilization: "0.6"'), **_FILE,
            fixed=deployment(f'{PREFIX}utilization.target: "0.6"')),
        bad(deployment(f"{_KEY}\n{PREFIX}restart.time: 3m"), **_FILE, severity=Severity.WARNING,
            at=f"{OLD_PREFIX}restart.time", says="2m has no effect"),
        bad(deployment(f'{_TARGET}\n{PREFIX}utilization.target: "0.8"'), **_FILE, severity=Severity.WARNING,
            says="the newer name, is 0.8"),
        good(deployment(f"{_KEY}\n{_NEW}"), **_FILE),
        good(deployment(f'{_NEW}\n{PREFIX}target.utilization.boundary: "0.2"'), **_FILE),
        good(deployment(_KEY, spec="emrReleaseLabel: emr-6.15.0-flink-latest"), **_FILE),
        good(deployment(_KEY, spec="emrReleaseLabel: ${LABEL}"), **_FILE),
    ]  # fmt: skip
