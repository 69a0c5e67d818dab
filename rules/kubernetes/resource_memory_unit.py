"""A size of memory in the resource is not what it seems, or not taken.

## What it does
Checks `jobManager.resource.memory` and `taskManager.resource.memory`: sizes the operator cannot read, quantities of
Kubernetes with a decimal point, numbers that are no text, numbers without a unit, quantities on operators that do not
take them.

## Why it matters
The operator first reads the size as Flink does (`2048m`, `2g`), and from 1.7 on what that refuses as a quantity of
Kubernetes (`2Gi`, `2048Mi`). What neither takes it refuses. Of a quantity with a decimal point it makes a number with
one (`1.5Gi` becomes `1610612736.0`), which Flink refuses. A number without a unit is bytes: `memory: "2048"` asks for
2 KiB. `2G` is read the Flink way, as 2 GiB, not as 2 000 000 000 bytes, 7 % less.

## What to do
Write whole MiB with Flink's unit: `2048m`.

## Not when
A template fills the size in.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/config/FlinkConfigBuilder.java>:
  `parseResourceMemoryString`
- <https://github.com/fabric8io/kubernetes-client/blob/main/kubernetes-model-generator/kubernetes-model-core/src/main/java/io/fabric8/kubernetes/api/model/Quantity.java>:
  how quantities are read
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/>: sizes of Flink
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import FIRST_QUANTITY, is_flink_size, quantity
from flink_flint.linter.flink.operator.sizes import resource_memory
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, Resource, named_release, resources

SMALLEST = 64 << 20
"""Bytes; no process of Flink starts with less, so a smaller number without a unit is meant otherwise."""


@rule(
    code="FLK709",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def resource_memory_unit(config: View) -> Iterator[Finding]:
    """the operator refuses a size of memory, or reads it otherwise than it looks"""
    for resource in resources(config, *CLUSTERS, VALUES):
        for process in ("jobManager", "taskManager"):
            yield from _check(resource, f"{process}.resource.memory")


def _check(resource: Resource, field: str) -> Iterator[Finding]:
    path = resource.path(field)
    value = resource.part.value(path)
    if value is None or (isinstance(value, str) and "$" in value):
        return
    remedy = "write whole MiB with Flink's unit, such as 2048m"
    if not isinstance(value, str):
        meant = f"{value}m" if isinstance(value, int) and 64 <= value < 1 << 20 else None
        yield resource.part.finding(
            f"{field} {value} is a number, and the API server takes only a text",
            of=path,
            help=f"write {meant}" if meant else remedy,
            fix=resource.part.replace(path, meant) if meant else None,
        )
        return
    size = resource_memory(value)
    if size is None:
        yield resource.part.finding(
            f"the operator refuses {field} {value}{_reason(value)}",
            of=path,
            help=_instead(value) or remedy,
        )
    elif re.fullmatch(r"\s*\d+\s*", value) and size < SMALLEST:
        yield resource.part.finding(
            f"{field} {value} has no unit and means {value} bytes: no process of Flink starts with so little",
            of=path,
            help=f"write {value}m if MiB are meant",
            fix=resource.part.replace(path, f"{value.strip()}m"),
        )
    elif not is_flink_size(value) and (release := named_release(resource)) is not None and release <= (1, 14):
        yield resource.part.finding(
            f"operators before {FIRST_QUANTITY} refuse {field} {value}, and later ones do not run Flink"
            f" {release[0]}.{release[1]}",
            of=path,
            help=_instead(value) or remedy,
        )


def _reason(value: str) -> str:
    if "." in value and quantity(re.sub(r"\s", "", value)) is not None:
        return ": it takes no fraction"
    return ": it is neither a size of Flink's nor a quantity of Kubernetes"


def _instead(value: str) -> str | None:
    """The size in whole MiB, as Flink spells it."""
    size = quantity(re.sub(r"\s", "", value))
    if size is None:
        return None
    mebibytes = size / (1 << 20)
    return f"write {round(mebibytes)}m" if mebibytes >= 1 else None


def _sized(memory: str, **what: str) -> str:
    return deployment(spec=f"taskManager:\n  resource:\n    memory: {memory}\n    cpu: 1", **what)


def cases() -> list[Case]:
    return [
        bad(_sized("1.5Gi"), file="deployment.yaml", at="1.5Gi", says="no fraction"),
        bad(_sized("2048"), file="deployment.yaml", says="is a number", fixed=_sized("2048m")),
        bad(_sized('"2048"'), file="deployment.yaml", says="2048 bytes", fixed=_sized('"2048m"')),
        bad(_sized("2 gigs"), file="deployment.yaml", says="neither"),
        bad(_sized("2Gi", version="v1_14"), file="deployment.yaml", says="before 1.7"),
        bad(
            deployment(spec="jobManager:\n  resource:\n    memory: 0.5Gi", kind="FlinkBlueGreenDeployment"),
            file="deployment.yaml", at="0.5Gi",
        ),
        good(_sized("2048m"), file="deployment.yaml"),
        good(_sized('"2Gi"'), file="deployment.yaml"),
        good(_sized("2 gi"), file="deployment.yaml"),
        good(_sized('"4294967296"'), file="deployment.yaml"),
        good(_sized("${MEMORY}"), file="deployment.yaml"),
        bad(_sized('"67108863"'), file="deployment.yaml", flink="1.8", says="no process of Flink"),
        good(_sized('"67108864"'), file="deployment.yaml"),
        good(_sized("32m"), file="deployment.yaml"),
        bad(_sized("64"), file="deployment.yaml", fixed=_sized("64m")),
        bad(_sized("63"), file="deployment.yaml", fixed=_sized("63")),
        bad(_sized("1048575"), file="deployment.yaml", fixed=_sized("1048575m")),
        bad(_sized("1048576"), file="deployment.yaml", fixed=_sized("1048576")),
        bad(_sized("1048577"), file="deployment.yaml", fixed=_sized("1048577")),
        bad(_sized("512.0"), file="deployment.yaml", fixed=_sized("512.0")),
        good(_sized("2048m", version="v1_14"), file="deployment.yaml"),
        good(_sized("2Gi", version="v1_15"), file="deployment.yaml"),
    ]  # fmt: skip
