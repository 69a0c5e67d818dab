"""The managed service decides this itself; the setting has no effect.

## What it does
Reports settings of a program or configuration that runs on Managed Service for Apache Flink where the service keeps its
own: state backend, storage and directories of checkpoints, mode, number, timeout and retention of checkpoints,
unaligned checkpoints, high availability.

## Why it matters
State is always in RocksDB with incremental checkpoints, checkpoints are exactly once, one at a time, and in a bucket of
the service. Who sets a heap state backend for speed, a timeout to fail early or retained checkpoints for recovery
gets none of it, without a word. From Flink 2.2 on the service refuses such a setting in the program, and the
application fails.

## What to do
Delete the setting from what is deployed there. Unaligned checkpoints and some others can be changed by a support case.

## Not when
The value is what the service uses anyway. The release must be one the service offers.

## Sources
- <https://docs.aws.amazon.com/managed-flink/latest/java/reference-flink-settings.title.html>:
  what can be changed, and how
- <https://docs.aws.amazon.com/managed-flink/latest/java/flink-2-2.html>: from 2.2 on such settings raise an exception
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.aws import MANAGED_FIXED
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_SAME = {
    "state.backend.type": ("rocksdb",),
    "execution.checkpointing.incremental": ("true",),
    "execution.checkpointing.mode": ("exactly_once",),
    "execution.checkpointing.max-concurrent-checkpoints": ("1",),
    "execution.checkpointing.num-retained": ("1",),
    "execution.checkpointing.unaligned.enabled": ("false",),
}


@rule(
    code="FLK771",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=list(MANAGED_FIXED),
    only=["platform:msf"],
    flink=">=1.6",
    since="0.1",
)
def managed_setting_ignored(config: View) -> Iterator[Finding]:
    """a setting that the managed service decides itself has no effect"""
    for key, instead in MANAGED_FIXED.items():
        setting = config.get(key)
        if not setting.is_set or not setting.is_known or _is_same(key, setting):
            continue
        refused = config.since("2.2")
        what = "the service refuses it" if refused else "it has no effect"
        yield setting.finding(
            f"{setting.written} is not the application's to set on Managed Service for Apache Flink, {what}: the"
            f" service uses {instead}",
            help="delete it from what is deployed there",
            severity=Severity.ERROR if refused else None,
        )


def _is_same(key: str, setting: Setting) -> bool:
    return setting.text.lower().replace("-", "_") in _SAME.get(key, ())


def cases() -> list[Case]:
    return [
        bad("state.backend.type: hashmap\n", platform="msf", flink="1.20", says="RocksDB", severity=Severity.WARNING),
        bad("execution.checkpointing.timeout: 5 min\n", platform="msf", flink="1.20", says="60 minutes"),
        bad("execution.checkpointing.unaligned.enabled: true\n", platform="msf", flink="2.2", severity=Severity.ERROR),
        good("state.backend.type: hashmap\n", flink="1.20", platform="kubernetes"),
        good("state.backend.type: rocksdb\n", platform="msf", flink="1.20"),
        good("execution.checkpointing.max-concurrent-checkpoints: 1\n", platform="msf", flink="1.20"),
        good("pipeline.max-parallelism: 720\n", platform="msf", flink="1.20"),
        good("execution.checkpointing.mode: exactly-once\n", platform="msf", flink="1.20"),
        good("execution.checkpointing.mode: EXACTLY_ONCE\n", platform="msf", flink="1.20"),
        good("execution.checkpointing.timeout: ${TIMEOUT}\n", platform="msf", flink="1.20"),
    ]
