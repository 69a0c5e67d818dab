"""Buffers are debloated at a parallelism for which there are too few of them.

## What it does
Reports, as advice, `taskmanager.network.memory.buffer-debloat.enabled: true` at a `parallelism.default` above 200 with
fewer `taskmanager.network.memory.floating-buffers-per-gate` (8 by default) than that. Speaks about Flink 1.14 to 1.20;
2.0 has no such option.

## Why it matters
Debloating measures the throughput of a task by the buffers that are in use and makes them smaller. With hundreds of
channels that share eight floating buffers the measure is off: throughput falls, or checkpoints take longer than
without it.

## What to do
Where throughput or checkpoints suffer, set the floating buffers to the parallelism at least.

## Not when
The parallelism is set elsewhere, or 200 or less.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/network_mem_tuning/#high-parallelism>:
  debloating above a parallelism of about 200
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_DEBLOAT = "taskmanager.network.memory.buffer-debloat.enabled"
_FLOATING = "taskmanager.network.memory.floating-buffers-per-gate"
_PARALLELISM = "parallelism.default"


@rule(
    code="FLK507",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_DEBLOAT],
    flink=">=1.14,<2",
    since="0.1",
    pedantic=True,
    thresholds={"most": Threshold(200, "largest parallelism for which the usual buffers are enough")},
)
def debloating_at_high_parallelism(config: View) -> Iterator[Finding]:
    """buffers are debloated at a parallelism for which there are too few of them"""
    setting, parallelism, floating = config.get(_DEBLOAT), config.integer(_PARALLELISM), config.integer(_FLOATING)
    if config.boolean(_DEBLOAT) is not True or parallelism is None or floating is None:
        return
    most = config.threshold("most")
    if parallelism <= most or floating >= parallelism:
        return
    document = setting.document
    title = f"set {_FLOATING} to {parallelism}"
    added = None if config.is_set(_FLOATING) else document.add(_FLOATING, str(parallelism), title)
    yield setting.finding(
        f"debloating does not work well above a parallelism of {most}: {parallelism} channels of a gate share"
        f" {floating} floating buffers",
        help=f"set {_FLOATING} to {parallelism} where throughput falls or checkpoints take longer",
        fix=config.get(_FLOATING).replace(str(parallelism)) or added,
        related=[config.get(_PARALLELISM)],
        evidence={"parallelism": parallelism, "floating": floating},
        measure=parallelism,
    )


_ON = f"{_DEBLOAT}: true\n"


def cases() -> list[Case]:
    return [
        bad(f"{_ON}{_PARALLELISM}: 400\n", at=_DEBLOAT, flink="1.18", severity=Severity.INFO,
            says="400 channels of a gate share 8 floating buffers",
            fixed=f"{_ON}{_FLOATING}: 400\n{_PARALLELISM}: 400\n"),
        bad(f"{_ON}{_PARALLELISM}: 256\n{_FLOATING}: 64\n", flink="1.15"),
        good(f"{_ON}{_PARALLELISM}: 400\n{_FLOATING}: 400\n", flink="1.18"),
        good(f"{_ON}{_PARALLELISM}: 64\n", flink="1.18"),
        good(f"{_DEBLOAT}: false\n{_PARALLELISM}: 400\n", flink="1.18"),
        good(f"{_ON}{_PARALLELISM}: 400\n", flink="2.0"),
        good(f"{_ON}{_PARALLELISM}: 200\n", flink="1.18"),
        bad(f"{_ON}{_PARALLELISM}: 201\n{_FLOATING}: 64\n", flink="1.18",
            fixed=f"{_ON}{_PARALLELISM}: 201\n{_FLOATING}: 201\n"),
        good(f"{_ON}{_PARALLELISM}: ${{P}}\n", flink="1.18"),
        good(f"{_ON}{_PARALLELISM}: 400\n{_FLOATING}: ${{P}}\n", flink="1.18"),
    ]  # fmt: skip
