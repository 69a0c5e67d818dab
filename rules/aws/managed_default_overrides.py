"""The managed service uses its defaults although the application gives values.

## What it does
Looks at the checkpoint, monitoring and parallelism configuration of an application of Managed Service for Apache Flink.
Where `ConfigurationType` is `DEFAULT` and a value other than the service's own stands beside it, it reports that value.

## Why it matters
Values count only under `CUSTOM`. With `DEFAULT` the service takes a checkpoint every 60 s, pauses 5 s, logs at INFO and
starts with a parallelism of 1, whatever the resource or the program says. A shorter interval, checkpointing turned
off or a parallelism of 32 are then only on paper.

## What to do
Set `ConfigurationType` to `CUSTOM`, or delete the values.

## Not when
The values are those the service uses anyway, or nobody can tell them (a variable without default).

## Sources
- <https://docs.aws.amazon.com/managed-flink/latest/apiv2/API_CheckpointConfiguration.html>:
  what counts with DEFAULT, even if set otherwise
- <https://docs.aws.amazon.com/managed-flink/latest/apiv2/API_ParallelismConfiguration.html>: CUSTOM is needed
- <https://docs.aws.amazon.com/managed-flink/latest/apiv2/API_MonitoringConfiguration.html>: CUSTOM is needed
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.aws import MANAGED_INTERVAL, MANAGED_PAUSE
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.aws._managed_cases import template, terraform

_FLINK = "ApplicationConfiguration.FlinkApplicationConfiguration"
_DEFAULTS = {
    "CheckpointConfiguration": {
        "CheckpointingEnabled": "true", "CheckpointInterval": str(MANAGED_INTERVAL),
        "MinPauseBetweenCheckpoints": str(MANAGED_PAUSE),
    },
    "MonitoringConfiguration": {"LogLevel": "INFO", "MetricsLevel": "APPLICATION"},
    "ParallelismConfiguration": {"Parallelism": "1", "ParallelismPerKPU": "1", "AutoScalingEnabled": "true"},
}  # fmt: skip


@rule(
    code="FLK770",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:application"],
    flink=">=1.6",
    since="0.1",
)
def managed_default_overrides(config: View) -> Iterator[Finding]:
    """values of a managed application have no effect under the type DEFAULT"""
    for application in config.elements("application"):
        for name, defaults in _DEFAULTS.items():
            yield from _ignored(application, name, defaults)


def _ignored(application: ElementView, name: str, defaults: dict[str, str]) -> Iterator[Finding]:
    kind = f"{_FLINK}.{name}.ConfigurationType"
    if application.text(kind) != "DEFAULT":
        return
    written = {field: f"{_FLINK}.{name}.{field}" for field in defaults if application.has(f"{_FLINK}.{name}.{field}")}
    for field, path in written.items():
        if not application.is_known(path):
            continue
        value = str(application.value(path))
        if value.lower() == defaults[field].lower():
            continue
        fix = application.replace(kind, "CUSTOM", title="set the configuration type to CUSTOM")
        yield application.finding(
            f"{field} of {value} has no effect: with ConfigurationType DEFAULT the service uses {defaults[field]}",
            of=path,
            help="set ConfigurationType of the same block to CUSTOM, or delete the value",
            related=[application.place(kind, "DEFAULT is said here")],
            fix=fix,
            severity=None if name == "CheckpointConfiguration" else Severity.WARNING,
        )


_CHECKPOINTS = '      checkpoint_configuration {\n        configuration_type = "%s"\n        %s\n      }\n'


def cases() -> list[Case]:
    return [
        bad(
            terraform(_CHECKPOINTS % ("DEFAULT", "checkpoint_interval = 10000")), file="main.tf", says="10000",
            at="10000", fixed=terraform(_CHECKPOINTS % ("CUSTOM", "checkpoint_interval = 10000")),
        ),
        bad(
            template(
                "          CheckpointConfiguration:\n            ConfigurationType: DEFAULT\n"
                "            CheckpointingEnabled: false\n"
            ),
            file="template.yaml", severity=Severity.ERROR, says="CheckpointingEnabled",
        ),
        bad(
            template("          ParallelismConfiguration: {ConfigurationType: DEFAULT, Parallelism: 32}\n"),
            file="template.yaml", severity=Severity.WARNING, says="32",
        ),
        good(terraform(_CHECKPOINTS % ("CUSTOM", "checkpoint_interval = 10000")), file="main.tf"),
        good(terraform(_CHECKPOINTS % ("DEFAULT", "checkpoint_interval = 60000")), file="main.tf"),
        good(terraform(_CHECKPOINTS % ("DEFAULT", "checkpoint_interval = var.interval")), file="main.tf"),
        good(
            template(
                "          CheckpointConfiguration:\n            ConfigurationType: DEFAULT\n"
                "            CheckpointInterval: !Ref Interval\n"
            ),
            file="template.yaml",
        ),
        bad(
            terraform(_CHECKPOINTS % (
                "DEFAULT", "checkpoint_interval = var.interval\n        min_pause_between_checkpoints = 60000",
            )), file="main.tf", at="60000",
        ),
        bad(
            template(
                "          CheckpointConfiguration:\n            ConfigurationType: DEFAULT\n"
                "            CheckpointInterval: 60000\n            MinPauseBetweenCheckpoints: 60000\n"
            ), file="template.yaml", says="MinPauseBetweenCheckpoints of 60000",
        ),
        bad(
            template(
                "          MonitoringConfiguration: {ConfigurationType: DEFAULT, LogLevel: WARN, MetricsLevel: TASK}\n"
                "          ParallelismConfiguration: {ConfigurationType: DEFAULT, ParallelismPerKPU: 2,"
                " AutoScalingEnabled: false}\n"
            ), file="template.yaml", times=4, severity=Severity.WARNING, says="the service uses APPLICATION",
        ),
        good(
            template(
                "          CheckpointConfiguration: {ConfigurationType: DEFAULT, CheckpointingEnabled: true}\n"
                "          MonitoringConfiguration: {ConfigurationType: DEFAULT, LogLevel: INFO, MetricsLevel:"
                " APPLICATION}\n"
                "          ParallelismConfiguration: {ConfigurationType: DEFAULT, Parallelism: 1, ParallelismPerKPU: 1,"
                " AutoScalingEnabled: true}\n"
            ), file="template.yaml",
        ),
        good(
            terraform(_CHECKPOINTS % ("DEFAULT", "checkpoint_interval = 10000")), file="main.tf", flink="1.5",
        ),
    ]  # fmt: skip
