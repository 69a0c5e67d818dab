"""The inline threshold is above 1 MiB, and Flink ignores it.

## What it does
Reports `execution.checkpointing.data-inline-threshold` (`state.storage.fs.memory-threshold` in 1.13 to 1.19,
`state.backend.fs.memory-threshold` before) above 1 MiB (1 048 576 bytes).

## Why it matters
State up to the threshold travels inside the checkpoint acknowledgement and the `_metadata` file instead of files
of its own. Above 1 MiB Flink logs "Ignoring invalid file size threshold value" and goes on with the default:
20 kb from 1.11 on, 1 kb before. So `2mb` inlines a hundredth of what its author expects.

## What to do
Write `1mb` at most, mind `inline-vs-framesize`, or delete the setting.

## Not when
With the JobManager as checkpoint storage the threshold has no meaning, whatever it is. A negative value is refused
altogether (`bad-memory-size`). In a job's own configuration the threshold counts only together with
`execution.checkpointing.storage`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-data-inline-threshold>:
  the option and its bound
- <https://issues.apache.org/jira/browse/FLINK-17865>: the default became 20 kb in 1.11
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.acknowledgement import DEFAULT_THRESHOLD, LARGEST_THRESHOLD, OLD_DEFAULT_THRESHOLD
from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.inlining._inlining import THRESHOLD, inlines_by_threshold, threshold_of


@rule(
    code="FLK383", severity=Severity.ERROR, confidence=Confidence.HIGH, reads=[THRESHOLD], since="0.1",
)  # fmt: skip
def inline_threshold_ignored(config: View) -> Iterator[Finding]:
    """the inline threshold is above 1 MiB, and Flink ignores it"""
    setting, size = config.get(THRESHOLD), threshold_of(config)
    if size is None or size <= LARGEST_THRESHOLD or not inlines_by_threshold(config):
        return
    default = MemorySize(DEFAULT_THRESHOLD if config.since("1.11") else OLD_DEFAULT_THRESHOLD)
    yield setting.finding(
        f"{setting.written} is {size}, above the limit of 1 MiB: Flink ignores it and inlines state up to {default}",
        help="write 1mb, or delete the setting",
        fix=setting.replace("1mb" if config.since("1.11") else str(LARGEST_THRESHOLD)),
    )


def cases() -> list[Case]:
    return [
        bad(
            "state.storage.fs.memory-threshold: 2mb\n",
            at="2mb",
            flink="1.18",
            severity=Severity.ERROR,
            says="20 KiB",
            fixed="state.storage.fs.memory-threshold: 1mb\n",
        ),
        bad(
            "execution.checkpointing.data-inline-threshold: 1025kb\n",
            at="execution.checkpointing.data-inline-threshold",
            severity=Severity.WARNING,
        ),
        bad(
            "state.backend.fs.memory-threshold: 2000000\n",
            flink="1.10",
            says="1 KiB",
            fixed="state.backend.fs.memory-threshold: 1048576\n",
        ),
        good("state.storage.fs.memory-threshold: 1mb\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: 1048576\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: 2mb\nstate.checkpoint-storage: jobmanager\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: {{ threshold }}mb\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: -1\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "checkpoint storage",
            "state.storage.fs.memory-threshold: 2mb\n",
            both="state.checkpoints.dir: file:///data/c\n",
            releases=">=1.13",
        ),
        flink_ignores(
            "checkpoint storage",
            "state.backend.fs.memory-threshold: 2097152\n",
            both="state.backend: filesystem\nstate.checkpoints.dir: file:///data/c\n",
            releases="<1.13",
        ),
    ]
