"""Periodic savepoints are taken and never deleted.

## What it does
Reports `kubernetes.operator.periodic.savepoint.interval` (unless it is 0) where the configuration also says that
nothing disposes of old savepoints: `kubernetes.operator.savepoint.cleanup.enabled: false`, or snapshot resources
without `kubernetes.operator.savepoint.dispose-on-delete: true`.

## Why it matters
Flink never deletes a savepoint: it belongs to its owner. Each one holds the full state, so a daily savepoint of
100 GB takes 3 TB a month, three times that on HDFS with replication 3. A full HDFS stops every job that writes
checkpoints to it. From operator 1.10 on periodic savepoints are `FlinkStateSnapshot` resources: the limits
`kubernetes.operator.savepoint.history.max.*` then delete the resources, but the files only if they are disposed of
on deletion, which is off by default.

## What to do
Leave the cleanup on and set `kubernetes.operator.savepoint.dispose-on-delete: true`, with a small
`kubernetes.operator.savepoint.history.max.count`. `flint size storage` reckons how many a disk has room for: full
state x kept savepoints x replication.

## Not when
With neither setting the operator's release decides: before 1.10 it disposes of old savepoints, so this is advice
only. `kubernetes.operator.snapshot.resource.enabled: false` keeps the old way. A lifecycle rule of the object store
is not visible here; it must never cover a directory that also holds incremental checkpoints.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/snapshots/>:
  snapshot resources, their history and its cleanup, disposal
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/>: savepoints are the user's to delete
"""

import re
from collections.abc import Iterator

from flink_flint.calculators.formulas.disk_use import savepoints_kept
from flink_flint.calculators.formulas.quantity import DAY
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import MINUTE, Duration, parse_duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex

_INTERVAL = "kubernetes.operator.periodic.savepoint.interval"
_CLEANUP = "kubernetes.operator.savepoint.cleanup.enabled"
_DISPOSE = "kubernetes.operator.savepoint.dispose-on-delete"
_RESOURCE = "kubernetes.operator.snapshot.resource.enabled"

_OFTEN = Duration(15 * MINUTE)
"""Below that `periodic-savepoints` speaks."""

_NEVER = regex(r"-?0+\s*[a-z]*", re.IGNORECASE)


@rule(
    code="FLK110",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_INTERVAL],
    of_scale=True,
    since="0.1",
)
def savepoints_accumulate(config: View) -> Iterator[Finding]:
    """periodic savepoints are taken and never deleted"""
    written = {setting.written: setting for setting in config.under("kubernetes.operator.")}
    interval = written[_INTERVAL]
    if not interval.is_known or _NEVER.fullmatch(interval.text.strip()):
        return
    what = f"a savepoint every {interval.text}{_in_a_month(interval.text, config)} with the full state"
    if _says(written.get(_CLEANUP), "false"):
        yield interval.finding(
            f"{what}, and {_CLEANUP} is false: they pile up until the storage is full",
            help=f"delete {_CLEANUP} (true by default); kubernetes.operator.savepoint.history.max.count limits them",
            related=[written[_CLEANUP]],
            fix=written[_CLEANUP].remove(),
        )
    elif _is_open(written.get(_DISPOSE), "true") and _is_open(written.get(_RESOURCE), "false"):
        explicit = _says(written.get(_DISPOSE), "false") or _says(written.get(_RESOURCE), "true")
        if not explicit and _is_short(interval.text, config):
            return  # `periodic-savepoints` tells of it, with the same remedy
        yield interval.finding(
            f"{what}, and from operator 1.10 on the files stay when their snapshot resources are deleted, because"
            f" {_DISPOSE} is false{'' if explicit else ' by default'}",
            help=f"set {_DISPOSE}: true",
            fix=written[_DISPOSE].replace("true") if _says(written.get(_DISPOSE), "false") else None,
            severity=None if explicit else Severity.INFO,
            confidence=Confidence.MEDIUM,
        )


def _is_short(interval: str, config: View) -> bool:
    """Whether savepoints come so often that another rule tells of it."""
    try:
        return parse_duration(interval, config.index) < _OFTEN
    except BadValue:
        return False


def _in_a_month(interval: str, config: View) -> str:
    """``, 120 of them in 30 days,``; nothing where the interval cannot be read or is longer."""
    try:
        seconds = parse_duration(interval, config.index).seconds
    except BadValue:
        return ""
    count = savepoints_kept(30 * DAY, seconds) if seconds > 0 else 0
    return f", {count} of them in 30 days," if count > 1 else ""


def _says(setting: Setting | None, word: str) -> bool:
    return setting is not None and setting.text.lower() == word


def _is_open(setting: Setting | None, word: str) -> bool:
    """Whether a switch is certainly not set to `word`."""
    return setting is None or (setting.is_known and setting.text.lower() != word)


def cases() -> list[Case]:
    return [
        bad(
            f"{_INTERVAL}: 6h\n{_CLEANUP}: false\n", at=_INTERVAL, flink="1.18", severity=Severity.WARNING,
            says="120 of them in 30 days", fixed=f"{_INTERVAL}: 6h\n",
        ),
        bad(
            f"{_INTERVAL}: 6h\n{_DISPOSE}: false\n", at=_INTERVAL, severity=Severity.WARNING,
            fixed=f"{_INTERVAL}: 6h\n{_DISPOSE}: true\n",
        ),
        bad(f"{_INTERVAL}: 6h\n{_RESOURCE}: true\n", at=_INTERVAL, severity=Severity.WARNING),
        bad(f"{_INTERVAL}: 6h\n", at=_INTERVAL, severity=Severity.INFO, says="by default"),
        good(f"{_INTERVAL}: 6h\n{_DISPOSE}: true\n"),
        good(f"{_INTERVAL}: 6h\n{_RESOURCE}: false\n"),
        good(f"{_INTERVAL}: 5 min\n", flink="1.18"),
        good(f"{_INTERVAL}: 0 s\n{_CLEANUP}: false\n", flink="1.18"),
        good(f"{_INTERVAL}: {{{{ interval }}}}\n{_CLEANUP}: false\n", flink="1.18"),
        bad(f"{_INTERVAL}: 15 min\n", flink="1.18", severity=Severity.INFO),
        good(f"{_INTERVAL}: 899 s\n", flink="1.18"),
        bad(f"{_INTERVAL}: 5 min\n{_DISPOSE}: false\n", flink="1.18", severity=Severity.WARNING),
        bad(f"{_INTERVAL}: often\n{_CLEANUP}: true\n", flink="1.18", severity=Severity.INFO),
        bad(f"{_INTERVAL}: 6h\n{_DISPOSE}: false\n", flink="1.18", profile="development", severity=Severity.INFO),
        good(f"{_INTERVAL}: 6h\n{_DISPOSE}: '{{{{ dispose }}}}'\n", flink="1.18"),
        good(f"{_INTERVAL}: 6h\n{_RESOURCE}: '{{{{ resource }}}}'\n", flink="1.18"),
    ]  # fmt: skip
