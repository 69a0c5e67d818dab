"""AWS managed applications that use CDK's `Application` class, converted to the CloudFormation resource it creates.

Source: ``application.ts`` and ``private/flink-application-configuration.ts`` of
<https://github.com/aws/aws-cdk/tree/main/packages/%40aws-cdk/aws-kinesisanalytics-flink-alpha>. Each configuration of
which a property is given is a `CUSTOM` one; snapshots are on unless the program says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, SCALAR, Node
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

RUNTIME = "runtime"
"""The property of CDK's `Application` that specifies the Flink release, named the same in every language."""
_RUNTIME = regex(r"(?:\w+\.)*Runtime\.FLINK_(\d+)_(\d+)")
_DURATION = regex(r"(?:\w+\.)*Duration\.(millis|seconds|minutes|hours)\(\s*([0-9][0-9_]{0,12})\s*\)")
_LEVEL = regex(r"(?:\w+\.)*(?:LogLevel|MetricsLevel)\.(\w+)")
_UNITS = {"millis": 1, "seconds": 1_000, "minutes": 60_000, "hours": 3_600_000}
_CUSTOM = {
    "CheckpointConfiguration": {
        "CheckpointingEnabled": "CheckpointingEnabled", "CheckpointInterval": "CheckpointInterval",
        "MinPauseBetweenCheckpoints": "MinPauseBetweenCheckpoints",
    },
    "MonitoringConfiguration": {"LogLevel": "LogLevel", "MetricsLevel": "MetricsLevel"},
    "ParallelismConfiguration": {
        "AutoScalingEnabled": "AutoScalingEnabled", "Parallelism": "Parallelism",
        "ParallelismPerKPU": "ParallelismPerKPU",
    },
}  # fmt: skip
"""The properties, in CloudFormation's spelling, by the configuration that they belong to."""

_Pairs = list[tuple[str, Span, Node]]


def created_resource(properties: Node) -> Node | None:
    """Return the resource that CDK's `Application` creates from `properties`; None if they are not an `Application`'s.

    `properties` have the names that CloudFormation uses.
    """
    found = properties.entry("Runtime")
    release = _RUNTIME.fullmatch(found[1].raw) if found is not None else None
    if found is None or release is None or properties.get("Code") is None:
        return None
    runtime = Node(SCALAR, found[1].span, found[1].raw, f"FLINK-{release[1]}_{release[2]}", is_literal=False)
    given = {name: (span, node) for name, span, node in properties.pairs}
    flink: _Pairs = []
    for name, fields in _CUSTOM.items():
        pairs = [(field, *_known(*given[written])) for written, field in fields.items() if written in given]
        if pairs:
            span, node = pairs[0][1], pairs[0][2]
            custom = Node(SCALAR, node.span, node.raw, "CUSTOM", is_literal=False)
            flink.append((name, span, _mapping(properties, [("ConfigurationType", span, custom), *pairs])))
    configuration: _Pairs = [("FlinkApplicationConfiguration", found[0], _mapping(properties, flink))]
    if "SnapshotsEnabled" in given:
        span, node = given["SnapshotsEnabled"]
        snapshots = _mapping(properties, [("SnapshotsEnabled", span, node)])
        configuration.append(("ApplicationSnapshotConfiguration", span, snapshots))
    if "PropertyGroups" in given:
        span, node = given["PropertyGroups"]
        configuration.append(("EnvironmentProperties", span, _groups(properties, span, node)))
    pairs = [("RuntimeEnvironment", found[0], runtime)]
    pairs += [(name, *given[name]) for name in ("ApplicationName",) if name in given]
    pairs.append(("ApplicationConfiguration", found[0], _mapping(properties, configuration)))
    return _mapping(properties, pairs)


def _mapping(properties: Node, pairs: Iterable[tuple[str, Span, Node]]) -> Node:
    return Node(MAPPING, properties.span, properties.raw, pairs=list(pairs), is_open=properties.is_open)


def _known(span: Span, node: Node) -> tuple[Span, Node]:
    """Return a property with the value that a duration or a constant of CDK stands for."""
    duration = _DURATION.fullmatch(node.raw)
    if duration is not None:
        value: object = int(duration[2].replace("_", "")) * _UNITS[duration[1]]
    elif (level := _LEVEL.fullmatch(node.raw)) is not None:
        value = level[1]
    else:
        return span, node
    return span, Node(SCALAR, node.span, node.raw, value, is_literal=False)


def _groups(properties: Node, span: Span, node: Node) -> Node:
    """Return the property groups, which CDK's `Application` has by their IDs."""
    groups = [
        _mapping(
            node,
            [("PropertyGroupId", key, Node(SCALAR, key, name, name, is_literal=False)), ("PropertyMap", key, group)],
        )
        for name, key, group in node.pairs
    ]
    return _mapping(properties, [("PropertyGroups", span, Node(LIST, node.span, node.raw, items=groups))])
