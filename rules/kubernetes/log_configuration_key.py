"""A key of `logConfiguration` is none that the operator takes.

## What it does
Checks the keys of `spec.logConfiguration`.

## Why it matters
The operator takes `log4j-console.properties` and `logback-console.xml`, the names of the files that containers read.
It refuses a resource with any other key (`Invalid log config key: log4j.properties`).

## What to do
Call the key `log4j-console.properties`.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  the check
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/metrics-logging/>:
  the field
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import LOG_FILES
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, Resource, resources


@rule(
    code="FLK721",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def log_configuration_key(config: View) -> Iterator[Finding]:
    """the operator refuses a key of logConfiguration"""
    for resource in resources(config, *CLUSTERS, VALUES):
        field = resource.path("logConfiguration")
        present = {name for name, _ in resource.part.under(field)}
        for name in sorted(present):
            if name in LOG_FILES or "{{" in name:
                continue
            meant = _meant(name)
            yield resource.part.finding(
                f"the operator takes {' and '.join(LOG_FILES)} in logConfiguration, and refuses {name}",
                of=f"{field}.{name}",
                at="key",
                help=f"call it {meant}",
                fix=_rename(config, resource, f"{field}.{name}", meant) if meant not in present else None,
                # A chart's template may write anything from its values.
                severity=Severity.INFO if config.document.kind == "helm" else None,
            )


def _meant(name: str) -> str:
    return LOG_FILES["logback" in name.lower() or name.lower().endswith(".xml")]


def _rename(config: View, resource: Resource, path: str, meant: str) -> Fix | None:
    attribute = resource.part.element.attributes[path]
    if attribute.key_span is None:
        return None
    written = config.document.text[attribute.key_span.start : attribute.key_span.end]
    quote = written[:1] if written[:1] in ("'", '"') else ""
    return Fix(f"call it {meant}", [Edit(attribute.key_span, f"{quote}{meant}{quote}")], True, config.document.path)


def _logs(name: str) -> str:
    return deployment(spec=f"logConfiguration:\n  {name}: |\n    rootLogger.level = INFO")


def cases() -> list[Case]:
    return [
        bad(
            _logs("log4j.properties"), file="deployment.yaml", at="log4j.properties", says="refuses log4j.properties",
            fixed=_logs("log4j-console.properties"),
        ),
        bad(_logs('"logback.xml"'), file="deployment.yaml", fixed=_logs('"logback-console.xml"')),
        bad(_logs("log4j-cli.properties"), file="deployment.yaml", severity=Severity.ERROR),
        bad(
            "app:\n  job:\n    upgradeMode: savepoint\n  flinkConfiguration:\n    rest.port: '8081'\n"
            "  logConfiguration:\n    rootLogger.level: INFO\n",
            file="values.yaml",
            severity=Severity.INFO,
        ),
        good(_logs("log4j-console.properties"), file="deployment.yaml"),
        good(_logs('"logback-console.xml"'), file="deployment.yaml"),
        good(deployment(spec="logConfiguration: {{ .Values.logs }}"), file="deployment.yaml"),
        bad(
            _logs("log4j-console.properties: a\n  log4j.properties"), file="deployment.yaml", flink="1.8",
            fixed=_logs("log4j-console.properties: a\n  log4j.properties"),
        ),
        bad(_logs("'logback.xml'"), file="deployment.yaml", fixed=_logs("'logback-console.xml'")),
        bad(_logs("Logback.groovy"), file="deployment.yaml", fixed=_logs("logback-console.xml")),
        bad(_logs("logging.XML"), file="deployment.yaml", fixed=_logs("logback-console.xml")),

    ]  # fmt: skip
