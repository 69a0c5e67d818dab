"""More subtasks for a unit of the managed service than it takes.

## What it does
Reports a `ParallelismPerKPU` of an application of Managed Service for Apache Flink outside 1 to 8.

## Why it matters
A Kinesis Processing Unit is one core and 4 GB. The service lets up to 8 subtasks share one and refuses more: the
application is not created, or keeps what it had, with `InvalidArgumentException`.

## What to do
Stay within 1 to 8. More than one pays where subtasks wait for other services most of the time.

## Not when
Nobody can tell the number (a variable without default).

## Sources
- <https://docs.aws.amazon.com/managed-flink/latest/java/how-scaling.html>: 8 at most, and what a unit is
- <https://docs.aws.amazon.com/managed-flink/latest/apiv2/API_ParallelismConfiguration.html>: the least is 1
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.aws._managed_cases import template, terraform

_PER_UNIT = "ApplicationConfiguration.FlinkApplicationConfiguration.ParallelismConfiguration.ParallelismPerKPU"
_MOST = 8


@rule(
    code="FLK773",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:application"],
    flink=">=1.6",
    since="0.1",
)
def managed_parallelism_refused(config: View) -> Iterator[Finding]:
    """more subtasks for a unit of the managed service than it takes"""
    for application in config.elements("application"):
        subtasks = application.number(_PER_UNIT)
        if subtasks is not None and not 1 <= subtasks <= _MOST:
            yield application.finding(
                f"the service puts 1 to {_MOST} subtasks on a unit, and refuses a ParallelismPerKPU of {subtasks:.0f}",
                of=_PER_UNIT,
                help=f"set it to {_MOST} or less, or leave it out",
                fix=application.replace(_PER_UNIT, str(_MOST)) if subtasks > _MOST else None,
            )


def _block(number: str) -> str:
    return (
        '      parallelism_configuration {\n        configuration_type  = "CUSTOM"\n'
        f"        parallelism_per_kpu = {number}\n      }}\n"
    )


def _fields(number: str) -> str:
    return (
        "          ParallelismConfiguration:\n            ConfigurationType: CUSTOM\n"
        f"            ParallelismPerKPU: {number}\n"
    )


def cases() -> list[Case]:
    return [
        bad(
            terraform(_block("9")),
            file="main.tf",
            severity=Severity.ERROR,
            at="9",
            says="a ParallelismPerKPU of 9",
            fixed=terraform(_block("8")),
        ),
        bad(
            template(_fields("16")),
            file="template.yaml",
            says="a ParallelismPerKPU of 16",
            fixed=template(_fields("8")),
        ),
        bad(terraform(_block("0")), file="main.tf", says="a ParallelismPerKPU of 0", fixed=terraform(_block("0"))),
        good(terraform(_block("8")), file="main.tf"),
        good(template(_fields("1")), file="template.yaml"),
        good(terraform(_block("var.subtasks")), file="main.tf"),
        good(terraform(""), file="main.tf"),
    ]
