"""The validator of the operator: what a release refuses of a resource, alone and as a change of a deployed one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flink_flint.linter.flink.operator import deployment, session_job, snapshot
from flink_flint.linter.flink.operator.refusal import Check, Refusal, refusals_of
from flink_flint.linter.flink.operator.releases import OperatorRelease
from flink_flint.linter.flink.operator.resource import Fields
from flink_flint.linter.flink.operator.settings import OperatorSettings, with_defaults
from flink_flint.linter.text.named_tuple import NamedTuple

Values = Mapping[str, object]


class Resource(NamedTuple):
    """A custom resource: its fields, and the entries of its `flinkConfiguration`."""

    fields: Fields
    configuration: Values


def refusals(
    kind: str,
    resource: Resource,
    operator: OperatorRelease,
    *,
    defaults: Values | None = None,
    last: Resource | None = None,
    other: Resource | None = None,
) -> list[Refusal]:
    """Return what a release of the operator refuses of a resource, in the order of its checks.

    `kind` is that of the resource, `last` the resource as it was deployed last, `other` the cluster of a session job or
    the job of a snapshot, and `defaults` the operator's default configuration.
    """
    if kind == "FlinkStateSnapshot":
        if operator < snapshot.FIRST:
            return []
        check: list[Check] = [lambda: snapshot.refusals(resource.fields, has_target=other is not None)]
        return refusals_of(check, _nothing, _never)
    if kind == "FlinkSessionJob":
        return _of_session_job(resource, operator, defaults or {}, last, other)
    settings = _settings(resource, resource, operator, defaults or {})
    before = None if last is None else _settings(last, last, operator, defaults or {})
    checks = deployment.checks(resource.fields, settings, None if last is None else last.fields, before)
    return _all(checks, settings)


def _of_session_job(
    resource: Resource, operator: OperatorRelease, defaults: Values, last: Resource | None, other: Resource | None
) -> list[Refusal]:
    settings = OperatorSettings(defaults, operator)
    if other is not None:
        settings = _settings(other, resource, operator, defaults)
        if operator >= session_job.FIRST_OWN_SETTINGS:
            settings.values = {**settings.values, **resource.configuration}
    checks = session_job.checks(
        resource.fields,
        settings,
        None if last is None else last.fields,
        None if other is None else other.fields,
        OperatorSettings(defaults, operator),
    )
    return _all(checks, settings)


def _settings(cluster: Resource, named: Resource, operator: OperatorRelease, defaults: Values) -> OperatorSettings:
    """Return the settings of a cluster, with the defaults for the namespace of a resource."""
    version, namespace = cluster.fields.values.get("spec.flinkVersion"), named.fields.values.get("metadata.namespace")
    version = cluster.fields.values.get(f"{cluster.fields.base}.flinkVersion", version)
    values = with_defaults(
        defaults,
        cluster.configuration,
        operator,
        namespace=namespace if isinstance(namespace, str) else None,
        version=version if isinstance(version, str) else None,
    )
    return OperatorSettings(values, operator)


def _all(checks: Iterator[Check], settings: OperatorSettings) -> list[Refusal]:
    def forget() -> None:
        settings.met_absence = False

    return refusals_of(checks, forget, lambda: settings.met_absence)


def _nothing() -> None:
    """Forget nothing: a snapshot has no settings."""


def _never() -> bool:
    """A snapshot has no settings that could be absent."""
    return False
