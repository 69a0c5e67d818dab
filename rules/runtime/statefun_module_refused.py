"""Stateful Functions refuses its module.

## What it does
Reads `module.yaml` in ConfigMaps: reports a component whose `kind` is not of the form `<namespace>/<name>`, and a text
that is not YAML.

## Why it matters
The module is read when the JobManager starts, as a whole. `kind: io.statefun.endpoints.v2.http` ends it with
`java.lang.IllegalArgumentException: Invalid type name string: io.statefun.endpoints.v2.http. Must be of format
<namespace>/<name>.`, and a key at the wrong depth with `MarkedYAMLException: mapping values are not
allowed here`. No function is called.

## What to do
Write `io.statefun.endpoints.v2/http`, `io.statefun.kafka.v1/ingress` and so on, and indent the keys of `spec` alike.

## Not when
A template decides the kind. Kinds of other namespaces are those of extensions, which the rule does not know.

## Sources
- <https://nightlies.apache.org/flink/flink-statefun-docs-stable/docs/modules/overview/>: components of a module
- <https://nightlies.apache.org/flink/flink-statefun-docs-stable/docs/modules/http-endpoint/>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK976",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:statefun-component"],
    since="0.1",
)
def statefun_module_refused(config: View) -> Iterator[Finding]:
    """Stateful Functions refuses its module"""
    for component in config.elements("statefun-component"):
        fault, kind = component.text("fault"), component.text("kind")
        if fault is not None:
            yield component.finding(
                f"module.yaml is not YAML here ({fault}): Stateful Functions reads none of the module, and the"
                " JobManager ends",
                of="fault",
                key="module.yaml",
                help="indent the key like its neighbors: a key with a value has no keys below it",
            )
        elif kind is not None and kind.count("/") != 1 and "$" not in kind and "{{" not in kind:
            namespace, _, name = kind.rpartition(".")
            help_ = f"write kind: {namespace}/{name}" if namespace and "/" not in kind else "write <namespace>/<name>"
            yield component.finding(
                f"kind {kind} is not of the form <namespace>/<name>: the JobManager ends with 'Invalid type name"
                f" string: {kind}'",
                of="kind",
                key="kind",
                help=help_,
            )


_MAP = """apiVersion: v1
kind: ConfigMap
metadata: {{name: module}}
data:
  module.yaml: |
    kind: {kind}
    spec:
      functions: example/*
      urlPathTemplate: http://functions:8000/statefun
    ---
    kind: io.statefun.kafka.v1/ingress
    spec:
      id: example/in
      consumerGroupId: orders
    {indent}  topics: [{{topic: names}}]
"""


def cases() -> list[Case]:
    sound = "io.statefun.endpoints.v2/http"
    return [
        bad(_MAP.format(kind="io.statefun.endpoints.v2.http", indent=""), file="module.yaml", at="kind",
            severity=Severity.ERROR, says="is not of the form <namespace>/<name>", times=1),
        bad(_MAP.format(kind=sound, indent="  "), file="module.yaml", at="module.yaml", says="is not YAML here"),
        good(_MAP.format(kind=sound, indent=""), file="module.yaml"),
        good(_MAP.format(kind="com.example/endpoint", indent=""), file="module.yaml"),
    ]  # fmt: skip
