"""The autoscaler of the Kubernetes operator, as the settings of a job tell of it.

Its options are the operator's own, so that no release of Flink has them. From operator 1.7 on they begin with
``job.autoscaler.``; the prefix of before is still read behind that (`AutoScalerOptions.java` of
<https://github.com/apache/flink-kubernetes-operator>).
"""

from __future__ import annotations

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.values import Duration, parse_duration
from flink_flint.linter.model.view import Setting, View

PREFIX = "job.autoscaler."
OLD_PREFIX = f"kubernetes.operator.{PREFIX}"
ENABLED = [f"{PREFIX}enabled", f"{OLD_PREFIX}enabled"]
"""What switches it on."""
RENAMED = {"utilization.target": "target.utilization"}
"""Options that operator 1.11 gave another name, and the name of before."""
_DURATIONS = {"catch-up.duration": "30 min", "restart.time": "5 min", "metrics.window": "15 min"}
"""Defaults from operator 1.7 on."""


def names(name: str) -> list[str]:
    """The keys of an option (``utilization.target``) in the order in which the autoscaler looks for them."""
    short = [name, RENAMED[name]] if name in RENAMED else [name]
    return [prefix + one for prefix in (PREFIX, OLD_PREFIX) for one in short]


def setting(config: View, name: str) -> Setting | None:
    """What sets an option; None where nothing does."""
    return next((config.written(key) for key in names(name) if key in config.effective), None)


def flag(config: View, name: str, *, default: bool) -> bool | None:
    """Whether an option is on; None where nobody knows."""
    found = setting(config, name)
    return default if found is None else {"true": True, "false": False}.get(found.text.lower())


def is_on(config: View) -> bool:
    """Whether the autoscaler is certainly switched on."""
    return flag(config, "enabled", default=False) is True


def scales(config: View) -> bool:
    """Whether it certainly changes the job's parallelism, and not only says what it would do."""
    return is_on(config) and flag(config, "scaling.enabled", default=True) is True


def duration(config: View, name: str) -> Duration | None:
    """A duration, or its default; None for what nobody knows, as defaults beside the old prefix (they changed)."""
    found = setting(config, name)
    if found is None:
        is_old = any(key.startswith(OLD_PREFIX) for key in config.effective)
        return None if is_old else parse_duration(_DURATIONS[name], NEWEST)
    if not found.is_known:
        return None
    try:
        return parse_duration(found.text, NEWEST)
    except BadValue:
        return None
