"""A value of `flinkConfiguration` is no text.

## What it does
Finds values of `flinkConfiguration` that YAML makes a number, a truth value, nothing, a list or a mapping, and writes
them as texts.

## Why it matters
Up to operator 1.12 the field is a map of texts, and the API server refuses a resource with anything else (`Invalid
value: "integer": spec.flinkConfiguration.taskmanager.numberOfTaskSlots in body must be of type string`). From 1.13 on
any value is taken and nested mappings are flattened. Before the number reaches the operator YAML has read it, though:
`1.10` becomes `1.1`, `010` is 8, `on` is `true`.

## What to do
Put each value in quotes; that is right for every operator.

## Not when
- `flinkVersion` names a release that only operators from 1.13 on run (2.1 and later), or the files of the repository
  install such an operator.
- A template makes the value, which may quote it; so may the templates of a chart, whose values are only a hint.
- A nested mapping is there: its author's operator takes it, or nothing would have worked; then it is a hint too.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator-api/src/main/java/org/apache/flink/kubernetes/operator/api/spec/ConfigObjectNode.java>:
  what operators from 1.13 on make of a value
- <https://phabricator.wikimedia.org/T328675>: a deployment that failed on an unquoted fraction
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/reference/>: the field
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import FIRST_NESTED, type_of
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.finding import Fix, Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit, Span
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import is_operators, named_release, resources, written

_FIRST_OF_ANY = (1, 13)
"""The first operator that takes any value."""
WORDS = {"integer": "a number", "number": "a number", "boolean": "true or false to YAML", "null": "nothing"}


@rule(
    code="FLK725",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["map"],
    only=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def value_not_text(config: View) -> Iterator[Finding]:
    """operators before 1.13 take only texts as values of flinkConfiguration"""
    if not is_operators(config):
        return
    release = next((named for resource in resources(config) if (named := named_release(resource))), None)
    if release is not None and release >= (2, 1):
        return
    found = [(entry, what) for entry in written(config) if (what := _what(entry)) is not None]
    if not found or (config.installed_operator or (0, 0)) >= _FIRST_OF_ANY:
        return
    first, what = found[0]
    certain = release is not None and release <= (1, 14)
    doubtful = config.document.kind == "helm" or (not certain and any(entry.nested for entry, _ in found))
    others = f", like {len(found) - 1} more here" if len(found) > 1 else ""
    yield config.finding(
        f"{first.key} is {what}{others}: operators before {FIRST_NESTED} take only texts, and the API server refuses"
        " the resource",
        span=first.value_span,
        key=first.key,
        help="put the values in quotes",
        severity=Severity.INFO if doubtful else Severity.ERROR if certain else None,
        confidence=Confidence.LOW if doubtful else Confidence.HIGH if certain else None,
        fix=_quote(config, [entry for entry, _ in found]),
        related=[Place(config.document.path, entry.value_span, "no text either") for entry, _ in found[1:9]],
        evidence={"values": len(found)},
    )


def _what(entry: Entry) -> str | None:
    """What a value is, if not a text; None of a text, and of what a template makes."""
    if is_templated(entry.raw):
        return None
    if entry.nested:
        return "in a nested mapping"
    if entry.style in ("flow", "block"):
        return "a list"
    return WORDS.get(type_of(entry.raw)) if entry.style == "plain" else None


def _quote(config: View, entries: list[Entry]) -> Fix | None:
    """Quotes around all of them; None where one cannot be written as a text in its place."""
    edits = []
    for entry in entries:
        start, end = entry.value_span
        if entry.style != "plain" or entry.nested or entry.value is None or start == end:
            return None
        edits.append(Edit(Span(start, end), f'"{entry.text}"'))
    return Fix("put the values in quotes", edits, True, config.document.path)


_HA = "high-availability.type: kubernetes"


def cases() -> list[Case]:
    return [
        bad(
            deployment(f"taskmanager.numberOfTaskSlots: 2\n{_HA}\ntaskmanager.memory.jvm-overhead.fraction: 0.33"),
            file="deployment.yaml",
            flink="1.8",
            at="taskmanager.numberOfTaskSlots",
            says="like 1 more",
            severity=Severity.WARNING,
            fixed=deployment(
                f'taskmanager.numberOfTaskSlots: "2"\n{_HA}\ntaskmanager.memory.jvm-overhead.fraction: "0.33"'
            ),
        ),
        bad(
            deployment("s3.path.style.access: on", version="v1_14"),
            file="deployment.yaml",
            severity=Severity.ERROR,
            fixed=deployment('s3.path.style.access: "true"', version="v1_14"),
        ),
        bad(
            deployment("taskmanager:\n  numberOfTaskSlots: '2'"),
            file="deployment.yaml",
            severity=Severity.INFO,
            says="nested",
        ),
        bad(deployment("pipeline.jars: [a.jar, b.jar]"), file="deployment.yaml", says="a list"),
        bad(deployment("web.cancel.enable:"), file="deployment.yaml", says="nothing"),
        bad(
            "app:\n  job:\n    upgradeMode: savepoint\n  flinkConfiguration:\n    s3.path.style.access: 'true'\n"
            "    taskmanager.memory.jvm-overhead.fraction: 0.33\n",
            file="values.yaml",
            severity=Severity.INFO,
            at="taskmanager.memory.jvm-overhead.fraction",
        ),
        good(deployment(f'{_HA}\ntaskmanager.numberOfTaskSlots: "2"\ns3.path-style: "true"'), file="deployment.yaml"),
        good(deployment("taskmanager.numberOfTaskSlots: 2", version="v2_2", image="flink:2.2"), file="deployment.yaml"),
        good(deployment("taskmanager.numberOfTaskSlots: {{ .Values.slots }}"), file="deployment.yaml"),
        good(
            deployment("execution.checkpointing.interval: 60 s\nstate.checkpoints.dir: s3://a/b"),
            file="deployment.yaml",
        ),
        good("taskmanager.numberOfTaskSlots: 2\n", flink="1.20"),
        good(deployment("taskmanager.numberOfTaskSlots: 2", version="v2_1"), file="deployment.yaml"),
        bad(deployment("taskmanager.numberOfTaskSlots: 2", version="v2_0"), file="deployment.yaml"),
        bad(
            deployment("taskmanager.numberOfTaskSlots: 2", version="v1_15"),
            file="deployment.yaml",
            severity=Severity.WARNING,
        ),
        bad(
            deployment("taskmanager:\n  numberOfTaskSlots: 2", version="v1_14"),
            file="deployment.yaml",
            severity=Severity.ERROR,
            fixed=deployment("taskmanager:\n  numberOfTaskSlots: 2", version="v1_14"),
        ),
        bad(
            deployment("pipeline.jars: [a.jar, b.jar]\nrest.port: 1"),
            file="deployment.yaml",
            fixed=deployment("pipeline.jars: [a.jar, b.jar]\nrest.port: 1"),
        ),
        bad(deployment("pipeline.jars:\n  - a.jar\n  - b.jar"), file="deployment.yaml", says="a list"),
        bad(
            deployment("web.cancel.enable:\nrest.port: 1"),
            file="deployment.yaml",
            fixed=deployment("web.cancel.enable:\nrest.port: 1"),
        ),
    ]
