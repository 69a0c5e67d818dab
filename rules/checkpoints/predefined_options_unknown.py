"""The set of options for RocksDB is one that Flink does not have.

## What it does
Compares `state.backend.rocksdb.predefined-options` with the names that Flink knows: `DEFAULT`,
`SPINNING_DISK_OPTIMIZED`, `SPINNING_DISK_OPTIMIZED_HIGH_MEM` and `FLASH_SSD_OPTIMIZED`, in capitals.

## Why it matters
Flink takes the text for a constant as it is, and no job with RocksDB starts: `No enum constant ...
PredefinedOptions.flash_ssd_optimized`. Other enumerated options are taken in any case, this one is not.

## What to do
Write the name in capitals and underscores.

## Not when
Another state backend is set, or a template fills in the name.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#predefined-per-columnfamily-options>:
  the sets
- <https://github.com/apache/flink/blob/release-1.20/flink-state-backends/flink-statebackend-rocksdb/src/main/java/org/apache/flink/contrib/streaming/state/EmbeddedRocksDBStateBackend.java>:
  where the name is looked up
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import may_be_rocksdb

_OPTIONS = "state.backend.rocksdb.predefined-options"
_NAMES = ("DEFAULT", "SPINNING_DISK_OPTIMIZED", "SPINNING_DISK_OPTIMIZED_HIGH_MEM", "FLASH_SSD_OPTIMIZED")


@rule(
    code="FLK340",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_OPTIONS],
    since="0.1",
)
def predefined_options_unknown(config: View) -> Iterator[Finding]:
    """the set of options for RocksDB is one that Flink does not have"""
    setting = config.get(_OPTIONS)
    if not setting.is_set or not setting.is_known or not may_be_rocksdb(config):
        return
    name = setting.text
    upper = name.strip().upper().replace("-", "_")
    if name in _NAMES:
        return
    yield setting.finding(
        f"{name!r} is no set of options that Flink has: no job with RocksDB starts",
        help=f"write one of {', '.join(_NAMES)}",
        fix=setting.replace(upper) if upper in _NAMES else None,
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{_OPTIONS}: flash_ssd_optimized\n",
            at=_OPTIONS,
            flink="1.20",
            file="config.yaml",
            severity=Severity.ERROR,
            fixed=f"{_OPTIONS}: FLASH_SSD_OPTIMIZED\n",
        ),
        bad(
            f"state.backend: rocksdb\n{_OPTIONS}: FLASH_SSD\n", at=_OPTIONS, flink="1.10", says="'FLASH_SSD' is no set"
        ),
        bad(f"{_OPTIONS}: spinning-disk-optimized\n", flink="1.14", fixed=f"{_OPTIONS}: SPINNING_DISK_OPTIMIZED\n"),
        good(f"{_OPTIONS}: FLASH_SSD_OPTIMIZED\n"),
        good(f"{_OPTIONS}: DEFAULT\n", flink="1.10"),
        good(f"{_OPTIONS}: SPINNING_DISK_OPTIMIZED_HIGH_MEM\n", flink="1.20", file="config.yaml"),
        good(f"{_OPTIONS}: SPINNING_DISK_OPTIMIZED\n"),
        bad(f"{_OPTIONS}: flash_ssd_optimized\n", flink="1.9", fixed=f"{_OPTIONS}: FLASH_SSD_OPTIMIZED\n"),
        good(f"state.backend.type: hashmap\n{_OPTIONS}: FLASH\n"),
        good(f"state.backend.type: '{{{{ backend }}}}'\n{_OPTIONS}: FLASH\n"),
        good(f"{_OPTIONS}: '{{{{ options }}}}'\n"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "RocksDB",
            "state.backend.rocksdb.predefined-options: FLASH_SSD\n",
            good="state.backend.rocksdb.predefined-options: FLASH_SSD_OPTIMIZED\n",
            both="state.backend: rocksdb\nstate.checkpoints.dir: file:///data/checkpoints\n",
        ),
        flink_refuses(
            "RocksDB",
            "state.backend.rocksdb.predefined-options: flash_ssd_optimized\n",
            good="state.backend.rocksdb.predefined-options: FLASH_SSD_OPTIMIZED\n",
            both="state.backend: rocksdb\nstate.checkpoints.dir: file:///data/checkpoints\n",
        ),
    ]
