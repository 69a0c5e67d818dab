"""The autoscaler of the Kubernetes operator, as the settings of a job configure it.

Its options are the operator's own, so that no release of Flink has them. From operator 1.7 on they begin with
``job.autoscaler.``; the prefix of before is still read behind that (`AutoScalerOptions.java` of
<https://github.com/apache/flink-kubernetes-operator>).
"""

from __future__ import annotations

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.values import Duration, parse_duration
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.kubernetes import _resource
from flink_flint.rules.kubernetes._resource import Resource
from flink_flint.rules.kubernetes._state_worth_keeping import starts_empty

PREFIX = "job.autoscaler."
OLD_PREFIX = f"kubernetes.operator.{PREFIX}"
ENABLED = [f"{PREFIX}enabled", f"{OLD_PREFIX}enabled"]
"""The keys that enable the autoscaler."""
RENAMED = {"utilization.target": "target.utilization"}
"""The older name of each option that operator 1.11 renamed, by current name."""
_DURATIONS = {"catch-up.duration": "30 min", "restart.time": "5 min", "metrics.window": "15 min"}
"""Defaults from operator 1.7 on."""
SCHEDULER = "jobmanager.scheduler"
IN_PLACE = "kubernetes.operator.job.upgrade.inplace-scaling.enabled"


def names(name: str) -> list[str]:
    """Return the keys of an option (``utilization.target``) in the order in which the autoscaler looks for them."""
    short = [name, RENAMED[name]] if name in RENAMED else [name]
    return [prefix + one for prefix in (PREFIX, OLD_PREFIX) for one in short]


def setting(config: View, name: str) -> Setting | None:
    """Return the setting of an option; None if it is not set."""
    return next((config.written(key) for key in names(name) if key in config.effective), None)


def flag(config: View, name: str, *, default: bool) -> bool | None:
    """Return the value of a boolean option; None if it is unknown."""
    found = setting(config, name)
    return default if found is None else {"true": True, "false": False}.get(found.text.lower())


def is_on(config: View) -> bool:
    """Return whether the autoscaler is certainly enabled."""
    return flag(config, "enabled", default=False) is True


def is_elastic(config: View) -> bool:
    """Return whether the autoscaler or the adaptive scheduler may give the job another parallelism than it asks for."""
    scheduler = config.string(SCHEDULER)
    return flag(config, "enabled", default=False) is not False or scheduler is None or scheduler.lower() == "adaptive"


def scales(config: View) -> bool:
    """Return whether the autoscaler certainly changes the job's parallelism, and does not only report it."""
    return is_on(config) and flag(config, "scaling.enabled", default=True) is True


def duration(config: View, name: str) -> Duration | None:
    """Return the value or default of a duration option; None if unknown (the defaults of the old prefix differ)."""
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


def scales_in_place(config: View, resource: Resource) -> bool | None:
    """Return whether a running job is scaled without an upgrade; None if that is unknown."""
    if not resource.is_whole or not config.is_known(SCHEDULER):
        return None
    if not config.since("1.18") or _resource.flag(config, IN_PLACE) is False:
        return False
    return (config.string(SCHEDULER) or "").lower() == "adaptive"


def is_standalone(resource: Resource) -> bool:
    """Return whether the operator may start the processes itself, and size them by the autoscaler's decision."""
    return resource.has("mode") and resource.text("mode") != "native"


def ignores_overrides(config: View, resource: Resource) -> bool:
    """Return whether an application keeps its parallelism whatever the autoscaler decides."""
    return config.since("2.0") and not is_standalone(resource)


def scales_from_scratch(config: View, resource: Resource) -> bool:
    """Return whether each decision of the autoscaler starts the job without the state that it is meant to keep."""
    return (
        scales(config)
        and config.since("1.17")
        and scales_in_place(config, resource) is False
        and not ignores_overrides(config, resource)
        and starts_empty(config, resource) is not None
    )
