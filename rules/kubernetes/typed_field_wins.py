"""A typed field of the resource overrides a setting of `flinkConfiguration`.

## What it does
Compares what typed fields set (`resource.memory` and `cpu`, `job.parallelism`, `jobManager.replicas`, `image`,
`serviceAccount`, ...) with entries of `flinkConfiguration` for the same options. It speaks where the two differ.

## Why it matters
The operator lays the typed fields over `flinkConfiguration`, so the entry does nothing. Who reads or changes the
resource sees 4 GB in one place and runs 2 GB; a change of the entry rolls the job and has no effect.

## What to do
Keep one of the two. For memory that is `resource.memory`, which is the size of the container as well.

## Not when
Both say the same, or a template decides one of them.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/config/FlinkConfigBuilder.java>:
  what is laid over the settings, and in which order
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/overview/>: the fields
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Span
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import written

OWN_RULE = ("kubernetes.cluster-id",)
"""Keys that the operator does not override but refuses (FLK701)."""


@rule(
    code="FLK708",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["map"],
    only=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def typed_field_wins(config: View) -> Iterator[Finding]:
    """a setting does nothing, as a typed field of the resource sets the option too"""
    if config.document.platform != "operator" or config.document.kind == "ververica":
        return
    typed: dict[str, Entry] = {}
    for entry in config.document.entries:
        if "." in entry.layer and entry.key not in OWN_RULE:
            typed[_name(config, entry.key)] = entry
    for entry in written(config):
        winner = typed.get(_name(config, entry.key))
        if winner is None or _is_same(entry, winner) or _is_open(entry) or _is_open(winner):
            continue
        if entry.key != winner.key and entry.key == _name(config, winner.key):
            continue  # Flink reads the newest name first, and the operator may set an older one
        yield config.finding(
            f"{winner.layer} wins with {winner.text}; {entry.key} {entry.text} here does nothing",
            span=Span(entry.key_span.start, entry.value_span.end),
            key=entry.key,
            help="keep the one that is meant, and delete the other",
            fix=config.document.remove(entry, f"delete {entry.key}") if entry.overridden else None,
            related=[
                Place(
                    config.document.path,
                    Span(winner.key_span.start, winner.value_span.end),
                    "the field that the operator obeys",
                )
            ],
        )


def _name(config: View, key: str) -> str:
    return next(iter(config.catalogue.current_names(key)), key)


def _is_open(entry: Entry) -> bool:
    return entry.value is None or is_templated(entry.text)


def _is_same(one: Entry, other: Entry) -> bool:
    if one.text.strip() == other.text.strip():
        return True
    try:
        if ".memory." in one.key:
            return parse_memory(one.text) == parse_memory(other.text)
        return float(one.text) == float(other.text)
    except (BadValue, ValueError):
        return False


_MEMORY = "taskManager:\n  resource:\n    memory: 4096m\n    cpu: 2"


def cases() -> list[Case]:
    return [
        bad(
            deployment("taskmanager.memory.process.size: 2g", spec=_MEMORY),
            file="deployment.yaml",
            flink="1.8",
            at="taskmanager.memory.process.size",
            says="spec.taskManager.resource.memory wins with 4096m",
        ),
        bad(
            deployment('rest.port: "8081"\nparallelism.default: "8"'),
            file="deployment.yaml",
            at="parallelism.default",
            fixed=deployment('rest.port: "8081"'),
        ),
        bad(
            deployment('kubernetes.taskmanager.cpu: "1"', spec=_MEMORY),
            file="deployment.yaml",
            says="spec.taskManager.resource.cpu wins with 2.0",
            fixed=deployment('kubernetes.taskmanager.cpu: "1"', spec=_MEMORY),
        ),
        bad(
            deployment('parallelism.default: "8"', kind="FlinkBlueGreenDeployment"),
            file="deployment.yaml",
            says="spec.template.spec.job.parallelism",
        ),
        good(deployment("taskmanager.memory.process.size: 4g", spec=_MEMORY), file="deployment.yaml"),
        good(deployment('kubernetes.taskmanager.cpu: "2"', spec=_MEMORY), file="deployment.yaml"),
        good(deployment("taskmanager.memory.process.size: {{ .Values.size }}", spec=_MEMORY), file="deployment.yaml"),
        good(deployment('web.cancel.enable: "true"'), file="deployment.yaml"),
        good("parallelism.default: 8\nparallelism.default: 4\n", flink="1.18"),
        good(
            deployment("execution.state-recovery.path: s3://a", version="v2_0", job="initialSavepointPath: s3://b"),
            file="deployment.yaml",
        ),
        good(deployment("kubernetes.cluster-id: payments"), file="deployment.yaml"),
        good(deployment("taskmanager.memory.process.size: 4096m", spec=_MEMORY), file="deployment.yaml"),
        good(deployment("kubernetes.service-account: flink"), file="deployment.yaml"),
        good(deployment('parallelism.default: "8"', job="parallelism: '{{ slots }}'"), file="deployment.yaml"),
        bad(deployment("kubernetes.service-account: orders"), file="deployment.yaml", says="spec.serviceAccount wins"),
        bad(
            deployment("taskmanager.memory.process.size: much", spec=_MEMORY),
            file="deployment.yaml",
            at="taskmanager.memory.process.size",
        ),
        bad(
            deployment("taskmanager.memory.process.size: 2g", spec=_MEMORY, kind="FlinkApplication").replace(
                "flink.apache.org", "platform.confluent.io"
            ),
            file="deployment.yaml",
            says="spec.taskManager.resource.memory wins with 4096m",
        ),
        *cases_in_folders(__file__),
    ]
