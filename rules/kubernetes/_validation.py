"""What the releases of the operator in question refuse of the custom resources in a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from weakref import WeakKeyDictionary

from flink_flint.linter.flink.deployment.operator import RELEASES
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.operator.refusal import Refusal
from flink_flint.linter.flink.operator.releases import OperatorRelease, knows_version
from flink_flint.linter.flink.operator.resource import UNKNOWN, Fields
from flink_flint.linter.flink.operator.validator import Resource as Validated
from flink_flint.linter.flink.operator.validator import refusals
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kubernetes._resource import KINDS, Resource, resources, written

BLUE_GREEN = "FlinkBlueGreenDeployment"
_FIRST_BLUE_GREEN = (1, 13)
_FIRST_SNAPSHOTS = (1, 10)
FIRST_REDEPLOYMENT = (1, 8)
"""The first release with `job.savepointRedeployNonce`."""
_LONGER = "-green"
"""What the operator appends to the name of a blue/green deployment; the other one is shorter."""
_TEMPLATE = regex(r"\{\{(?!\s*(?i:name|namespace)\s*\}\})")
"""Matches an expression of a template, other than the two of the operator's own ingress."""


class Refused(NamedTuple):
    """A refusal of all operators in question."""

    resource: Resource
    refusal: Refusal
    operators: Sequence[OperatorRelease]
    is_certain: bool
    """Whether nothing outside the files can prevent it: the operator's default configuration."""


def refused(config: View, before: View | None = None, *, since: OperatorRelease = RELEASES[0]) -> Iterator[Refused]:
    """Yield what all operators in question refuse of the complete resources of a document.

    With `before`, the document at an older revision, yield what they refuse of the change. `since`: the first operator
    in question, where a field shows it.
    """
    earlier = [] if before is None else list(resources(before))
    for number, resource in enumerate(resources(config)):
        last = earlier[number] if number < len(earlier) and earlier[number].kind == resource.kind else None
        operators = [one for one in operators_of(config, resource) if one >= since]
        if not operators or not _is_complete(resource) or (before is not None and last is None):
            continue
        common = _common(config, resource, operators, before, last)
        has_defaults = any(lower.is_operator_defaults for lower in config.below)
        knows_cluster = resource.kind != "FlinkSessionJob" or _cluster(config, resource) is not None
        for refusal in common:
            if refusal.absent and not knows_cluster and not refusal.kind.startswith("jar"):
                continue  # the cluster may have it
            yield Refused(resource, refusal, operators, has_defaults or not refusal.absent)


def is_refused(config: View, resource: Resource, kind: str) -> bool | None:
    """Return whether all operators in question refuse a resource by a kind of refusals.

    None where the operators are not known, or where another vendor's reads the resource.
    """
    operators = operators_of(config, resource)
    if not operators or resource.kind not in KINDS:
        return None
    refusals_by = _validator(config, resource)
    return all(any(refusal.kind == kind for refusal in refusals_by(operator)) for operator in operators)


def operators_of(config: View, resource: Resource) -> tuple[OperatorRelease, ...]:
    """Return the releases of the operator that may read a resource; none if it is of a release outside the tables."""
    installed = config.installed_operator
    if installed is not None:
        newest = RELEASES[-1]
        return (min(installed, newest),) if installed >= RELEASES[0] else ()
    version = resource.text("flinkVersion")
    first = {BLUE_GREEN: _FIRST_BLUE_GREEN, "FlinkStateSnapshot": _FIRST_SNAPSHOTS}.get(resource.kind, RELEASES[0])
    defined = config.defined_operators
    return tuple(
        one
        for one in RELEASES
        if one >= first and (version is None or knows_version(version, one)) and (not defined or one in defined)
    )


def _is_complete(resource: Resource) -> bool:
    """Return whether a resource is one of Apache's operator, and neither a patch nor another part of one."""
    if resource.has("emrReleaseLabel") or resource.has("executionRoleArn"):
        return False
    if resource.kind == "FlinkSessionJob":
        return resource.has("deploymentName") and (resource.has("job.jarURI") or not resource.has("job"))
    return resource.is_whole or (resource.kind == "FlinkStateSnapshot" and resource.part.has("metadata"))


def _common(
    config: View, resource: Resource, operators: Sequence[OperatorRelease], before: View | None, last: Resource | None
) -> Iterator[Refusal]:
    """Yield the refusals of the newest release that all others have, too."""
    found = list(map(_validator(config, resource, before, last), reversed(operators)))
    for refusal in found[0]:
        same = [[one for one in others if _is_same(one, refusal)] for others in found[1:]]
        if all(same):
            absent = refusal.absent or any(one.absent for ones in same for one in ones)
            yield refusal._replace(absent=absent)


def _is_same(one: Refusal, other: Refusal) -> bool:
    return one.kind == other.kind and one.path == other.path and one.key == other.key


_Validator = Callable[[OperatorRelease], Sequence[Refusal]]
"""Returns what a release of the operator refuses of a resource."""

_VALIDATORS: WeakKeyDictionary[View, dict[int, _Validator]] = WeakKeyDictionary()
"""Those of the resources of views, by their elements: several rules ask the same."""


def _validator(
    config: View, resource: Resource, before: View | None = None, last: Resource | None = None
) -> _Validator:
    if before is not None:
        return _new_validator(config, resource, before, last)
    known = _VALIDATORS.setdefault(config, {})
    place = id(resource.part.element)
    if place not in known:
        known[place] = cache(_new_validator(config, resource, None, None))
    return known[place]


def _new_validator(config: View, resource: Resource, before: View | None, last: Resource | None) -> _Validator:
    kind = "FlinkDeployment" if resource.kind == BLUE_GREEN else resource.kind
    # No cluster of a session job is missing for good, and no job of a snapshot.
    other = None if kind == "FlinkDeployment" else Validated(Fields({}, complete=False), {})
    if kind == "FlinkSessionJob":
        other = _cluster(config, resource) or other
    return partial(
        refusals,
        kind,
        _validated(config, resource),
        defaults=_defaults(config),
        last=None if before is None or last is None else _validated(before, last),
        other=other,
    )


def _validated(config: View, resource: Resource) -> Validated:
    """Return a resource as the validator reads it."""
    values = _values(resource.part.element.attributes, resource.base)
    document = config.document
    complete = _TEMPLATE.search(document.text) is None
    values.setdefault("metadata.namespace", "default")
    if resource.kind == BLUE_GREEN and isinstance(name := values.get("metadata.name"), str):
        values["metadata.name"] = name + _LONGER
    return Validated(Fields(values, resource.base, complete=complete), dict(_settings(config)))


def _values(attributes: Mapping[str, Attribute], base: str) -> dict[str, object]:
    values: dict[str, object] = {}
    for path, attribute in attributes.items():
        if path.startswith(f"{base}.flinkConfiguration.") or "[" in path:
            continue
        value = attribute.value
        if value is None and path == f"{base}.ingress.template" and _TEMPLATE.search(attribute.raw) is None:
            value = _unquoted(attribute.raw)
        if value is None and attribute.raw.strip() == "{}":
            value = ()  # there, without fields
        is_unknown = value is None or (isinstance(value, str) and "$" in value and is_templated(value))
        values[path] = UNKNOWN if is_unknown else value
    return values


def _unquoted(raw: str) -> str | None:
    """Return a scalar without its quotes; None if it needs more than that to be read."""
    text = raw.strip()
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and text[0] not in text[1:-1] and "\\" not in text:
        return text[1:-1]
    return None


def _settings(config: View) -> Iterator[tuple[str, object]]:
    for entry in written(config):
        is_known = entry.value is not None and not is_templated(entry.text)
        yield entry.key, entry.text if is_known else UNKNOWN


def _defaults(config: View) -> dict[str, object]:
    """Return the operator's default configuration, as far as the files of the run have it."""
    found: dict[str, object] = {}
    for lower in config.below:
        if lower.is_operator_defaults:
            for key, entry in lower.effective.items():
                found[key] = UNKNOWN if entry.value is None or is_templated(entry.text) else entry.text
    return found


def _cluster(config: View, resource: Resource) -> Validated | None:
    """Return the session cluster of a session job, if it is among the files of the run."""
    name = resource.text("deploymentName")
    for lower in config.below:
        for element in lower.elements_of(("kubernetes-object",)):
            if element.name == "FlinkDeployment" and element.value("metadata.name") == name and lower.whole:
                return _validated_cluster(lower, element.attributes)
    return None


def _validated_cluster(document: Document, attributes: Mapping[str, Attribute]) -> Validated:
    values = _values(attributes, "spec")
    complete = _TEMPLATE.search(document.text) is None
    entries = (entry for entry in document.entries if entry.style != "implied")
    settings = {one.key: UNKNOWN if one.value is None or is_templated(one.text) else one.text for one in entries}
    return Validated(Fields(values, "spec", complete=complete), settings)
