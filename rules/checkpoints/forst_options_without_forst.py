"""Options of ForSt are set, and the state backend is another one.

## What it does
Reports options that start with `state.backend.forst.` beside a `state.backend.type` other than `forst`, from 2.0 on.

## Why it matters
Each state backend reads its own options only: with `rocksdb` a size, a directory or a cache under `forst` does
nothing, although the options of both are called the same.

## What to do
Write `state.backend.rocksdb.` for RocksDB, or set `state.backend.type: forst`.

## Not when
- No state backend is set: a program may choose ForSt. An option is set to its default.
- Flink is older: its releases do not know ForSt, which is told by `state-backend-name` and `key-newer-than-flink`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/disaggregated_state/>: ForSt and its options
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import BACKEND, backend_name

_FORST = "state.backend.forst."


@rule(
    code="FLK346",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_FORST],
    flink=">=2.0",
    since="0.1",
)
def forst_options_without_forst(config: View) -> Iterator[Finding]:
    """options of ForSt do nothing beside another state backend"""
    name = backend_name(config)
    if not name or "forst" in name:
        return
    found = [one for one in config.under(_FORST) if one.value is None or one.value != one.default]
    if found:
        others = f" and {len(found) - 1} more" if len(found) > 1 else ""
        yield found[0].finding(
            f"the state backend is {name}, which reads nothing of ForSt's: {found[0].written}{others} does nothing",
            help=f"write state.backend.rocksdb. if that is meant, or set {BACKEND}: forst",
            related=[config.get(BACKEND)],
            at="entry",
        )


def cases() -> list[Case]:
    return [
        bad(
            f"state.backend.type: rocksdb\n{_FORST}local-dir: /data/forst\n", at=f"{_FORST}local-dir", flink="2.0",
            severity=Severity.WARNING, says="local-dir does nothing",
        ),
        bad(
            f"state.backend.type: HashMap\n{_FORST}local-dir: /data/forst\n{_FORST}files.open: 500\n",
            says="local-dir and 1 more", flink="2.3",
        ),
        good(f"state.backend.type: forst\n{_FORST}local-dir: /data/forst\n"),
        good(f"state.backend.type: org.apache.flink.state.forst.ForStStateBackendFactory\n{_FORST}files.open: -1\n"),
        good(f"state.backend.type: rocksdb\n{_FORST}files.open: -1\n", flink="2.0"),
        good(f"{_FORST}local-dir: /data/forst\n"),
        good(f"state.backend.type: '{{{{ backend }}}}'\n{_FORST}local-dir: /data/forst\n"),
        good("state.backend.type: rocksdb\nstate.backend.rocksdb.files.open: -1\n", flink="2.0"),
        good(f"state.backend.type: rocksdb\n{_FORST}local-dir: /data/forst\n", flink="1.20", file="config.yaml"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    both = "state.backend.type: rocksdb\n"
    return [flink_ignores("state in RocksDB", f"{_FORST}local-dir: /data/forst\n", both=both, releases=">=2.0")]
