"""A setting of flinkConfiguration is empty, and Flink takes its default.

## What it does
Reports empty texts in `flinkConfiguration` for options that are a number, a size, a duration, a boolean or one of
some names, up to Flink 1.20. In a chart this is often what a template makes of a value that its values do not have:
`"{{ .Values.taskManager.slots }}"` where the file has `taskmanager:`.

## Why it matters
Helm renders a value that is missing as nothing and does not fail. The API server takes the resource, as an empty text
is a text. The operator writes `taskmanager.numberOfTaskSlots: ` to the configuration of the processes; Flink finds no
value in the line, drops it with a warning in the log, and goes on with its default: one slot instead of four, or no
checkpoints.

## What to do
Write the value, or delete the line. In a template correct the path (the case of letters counts), and write `{{
required "slots" .Values.taskmanager.slots }}`, which fails where the value is missing.

## Not when
The option is a text, for which an empty one may be meant; the value is a template's and the chart is not rendered.

## Sources
- <https://helm.sh/docs/howto/charts_tips_and_tricks/#using-the-required-function>: what fails where a value is missing
- <https://github.com/apache/flink/blob/release-1.20/flink-core/src/main/java/org/apache/flink/configuration/GlobalConfiguration.java>:
  `loadLegacyYAMLResource` skips lines without a value
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import is_operators, written

_TYPES = ("Integer", "Long", "Float", "Double", "Boolean", "MemorySize", "Duration", "Enum")


@rule(
    code="FLK743",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["map"],
    only=["element:kubernetes-object"],
    flink="<2",
    since="0.1",
)
def empty_value_in_resource(config: View) -> Iterator[Finding]:
    """a setting of flinkConfiguration is empty, and Flink takes its default"""
    if not is_operators(config):
        return
    empty = [entry for entry in written(config) if entry.value is not None and not entry.text.strip()]
    found = [entry for entry in empty if entry.raw.strip() and _is_of_type(config, entry)]
    if not found:
        return
    first, *more = found
    names = first.key if not more else f"{first.key} and {len(more)} more"
    yield config.finding(
        f"{names} {'is' if not more else 'are'} empty: the operator writes a line without a value, Flink drops it, and"
        " the default applies",
        span=first.value_span,
        key=first.key,
        help="write the value; in a chart, correct the path of the value that the template reads",
        related=[Place(config.document.path, entry.value_span, "empty too") for entry in more[:8]],
    )


def _is_of_type(config: View, entry: Entry) -> bool:
    """Return whether an entry's option takes no empty text in any of the releases."""
    options = [config.catalogue.accept(entry.key, index) for index in config.target.indices]
    return all(one is not None and one.how != "map" and one.option.type in _TYPES for one in options)


def cases() -> list[Case]:
    slots = "taskmanager.numberOfTaskSlots"
    return [
        bad(deployment(f'{slots}: ""'), file="orders.yaml", at='""', says=f"{slots} is empty"),
        bad(
            deployment(f"{slots}: ''\nexecution.checkpointing.interval: ' '", version="v1_18"), file="orders.yaml",
            says="and 1 more are empty",
        ),
        good(deployment(f'{slots}: "2"'), file="orders.yaml"),
        good(deployment('env.java.opts.all: ""\nmetrics.reporters: ""'), file="orders.yaml"),
        good(deployment(f'{slots}: "{{{{ .Values.slots }}}}"'), file="templates/orders.yaml"),
        good(deployment('own.key: ""'), file="orders.yaml"),
    ]  # fmt: skip
