"""The managed application takes no checkpoints.

## What it does
Reports an application of Managed Service for Apache Flink whose checkpoint configuration is `CUSTOM` with checkpointing
switched off.

## Why it matters
Without checkpoints each failure of a task, and each maintenance of the service, sets the application back to its latest
snapshot, or to an empty state if there is none. Sources read again what they read since then, or skip it, and sinks
that commit with a checkpoint (files, transactions of Kafka) never commit. The interval and pause beside the switch do
nothing.

## What to do
Leave `CheckpointingEnabled` true, or use the configuration type `DEFAULT`, which takes a checkpoint each minute.

## Not when
The type is `DEFAULT` (the service ignores the switch then), or a value is not known. On a development machine it is
advice.

## Sources
- <https://docs.aws.amazon.com/managed-flink/latest/apiv2/API_CheckpointConfiguration.html>: the switch and the types
- <https://docs.aws.amazon.com/managed-flink/latest/java/how-fault.html>: what checkpoints are for
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.aws._managed_cases import template, terraform

_CONFIGURATION = "ApplicationConfiguration.FlinkApplicationConfiguration.CheckpointConfiguration"
_TYPE = f"{_CONFIGURATION}.ConfigurationType"
_ENABLED = f"{_CONFIGURATION}.CheckpointingEnabled"


@rule(
    code="FLK763",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:application"],
    flink=">=1.6",
    of_scale=True,
    since="0.1",
)
def managed_checkpoints_off(config: View) -> Iterator[Finding]:
    """the managed application takes no checkpoints"""
    for application in config.elements("application"):
        if application.text(_TYPE) == "CUSTOM" and application.flag(_ENABLED) is False:
            yield application.finding(
                "checkpoints are off: a failure sets the application back to its latest snapshot, or to an empty state",
                of=_ENABLED,
                help="set CheckpointingEnabled to true, or ConfigurationType to DEFAULT",
            )


def _blocks(kind: str, enabled: str) -> str:
    return (
        f'      checkpoint_configuration {{\n        configuration_type    = "{kind}"\n'
        f"        checkpointing_enabled = {enabled}\n      }}\n"
    )


def _lines(kind: str, enabled: str) -> str:
    return f"          CheckpointConfiguration: {{ConfigurationType: {kind}, CheckpointingEnabled: {enabled}}}\n"


def cases() -> list[Case]:
    return [
        bad(
            terraform(_blocks("CUSTOM", "false")), file="main.tf", at="false", severity=Severity.WARNING, says="are off"
        ),
        bad(template(_lines("CUSTOM", "false")), file="template.yaml", at="false"),
        bad(terraform(_blocks("CUSTOM", "false")), file="main.tf", profile="development", severity=Severity.INFO),
        good(terraform(_blocks("CUSTOM", "true")), file="main.tf"),
        good(template(_lines("DEFAULT", "false")), file="template.yaml"),
        good(terraform(_blocks("CUSTOM", "var.checkpoints")), file="main.tf"),
        good(template("          CheckpointConfiguration: {ConfigurationType: CUSTOM}\n"), file="template.yaml"),
        good(terraform(_blocks("CUSTOM", "false")), file="main.tf", flink="1.5"),
    ]
