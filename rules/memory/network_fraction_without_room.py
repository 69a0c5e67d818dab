"""The network memory has a fraction, and bounds that leave it no choice.

## What it does
Tells where `taskmanager.memory.network.min` and `taskmanager.memory.network.max` are one amount and
`taskmanager.memory.network.fraction` is set as well.

## Why it matters
Network memory is the fraction of Flink's memory, raised to the lower bound or cut to the upper one. With both bounds
the same it is that amount whatever the fraction: who raises the fraction for larger shuffles changes nothing.

## What to do
Delete the fraction, or move the bounds apart. Both bounds at one amount are a good way to give network memory a fixed
size.

## Not when
One of the bounds is a template.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/#capped-fractionated-components>:
  fraction, lower and upper bound
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_NETWORK = "taskmanager.memory.network"


@rule(
    code="FLK211",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[f"{_NETWORK}.fraction"],
    flink=">=1.10",
    since="0.1",
)
def network_fraction_without_room(config: View) -> Iterator[Finding]:
    """the fraction of network memory has no effect between bounds that are the same"""
    fraction = config.get(f"{_NETWORK}.fraction")
    least, most = config.memory(f"{_NETWORK}.min"), config.memory(f"{_NETWORK}.max")
    if least is not None and least == most:
        yield fraction.finding(
            f"{fraction.written} {fraction.text} has no effect: both bounds say {readable(least)}",
            help="delete it, or move the bounds apart",
            fix=fraction.remove(safe=True),
            at="entry",
            related=[config.get(f"{_NETWORK}.min"), config.get(f"{_NETWORK}.max")],
        )


_FRACTION = f"{_NETWORK}.fraction: 0.2\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_NETWORK}.min: 1g\n{_NETWORK}.max: 1024m\n{_FRACTION}",
            at=f"{_NETWORK}.fraction",
            severity=Severity.INFO,
            says="both bounds say 1 GiB",
            fixed=f"{_NETWORK}.min: 1g\n{_NETWORK}.max: 1024m\n",
        ),
        bad(f"{_NETWORK}.min: 1g\n{_FRACTION}", at=f"{_NETWORK}.fraction", flink="1.16"),
        good(f"{_NETWORK}.min: 1g\n{_FRACTION}", flink="1.17"),
        good(f"{_NETWORK}.min: 512m\n{_NETWORK}.max: 1g\n{_FRACTION}"),
        good(f"{_NETWORK}.min: 1g\n{_NETWORK}.max: 1g\n"),
        good(f"{_NETWORK}.min: '{{{{ size }}}}'\n{_NETWORK}.max: '{{{{ size }}}}'\n{_FRACTION}"),
        good(f"{_NETWORK}.min: '{{{{ least }}}}'\n{_NETWORK}.max: 1g\n{_FRACTION}"),
    ]
