"""RocksDB takes memory that nobody has accounted for.

## What it does
Reports `state.backend.rocksdb.memory.managed: false` where neither `state.backend.rocksdb.memory.fixed-per-slot` nor
`fixed-per-tm` (from 1.17 on) gives RocksDB a budget of its own.

## Why it matters
Each state of each slot is then a column family with write buffers of 64 MiB, two by default, and each slot's database
has a block cache beside them, all of it outside the memory that Flink reckons with. Ten states in four slots may take
5 GiB that no setting shows, and the container is killed (exit 137) without an error in the log. The managed memory
that was meant for RocksDB stays empty meanwhile: RocksDB fits into its place until it takes more.

## What to do
Delete the line, so that RocksDB keeps to managed memory; raise `taskmanager.memory.managed.fraction` where it needs
more. Or set a fixed size for each slot.

## Not when
Another state backend is set, or an options factory (`state.backend.rocksdb.options-factory`), which may bound the
memory itself. A flag or a variable of the environment decides whether the program sets it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#memory-management>:
  what bounds the memory of RocksDB
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#advanced-rocksdb-state-backends-options>:
  write buffers and their sizes
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import BACKEND

_MANAGED = "state.backend.rocksdb.memory.managed"
_FACTORY = "state.backend.rocksdb.options-factory"
_DEFAULT_FACTORY = ".DefaultConfigurableOptionsFactory"
_BUFFERS = (
    "state.backend.rocksdb.writebuffer.size",
    "state.backend.rocksdb.writebuffer.count",
    "state.backend.rocksdb.predefined-options",
)
_FIXED = ("state.backend.rocksdb.memory.fixed-per-slot", "state.backend.rocksdb.memory.fixed-per-tm")


@rule(
    code="FLK337",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_MANAGED],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def rocksdb_unmanaged(config: View) -> Iterator[Finding]:
    """RocksDB takes memory outside of all that Flink reckons with"""
    setting = config.get(_MANAGED)
    if config.boolean(_MANAGED) is not False:
        return
    if any(config.is_set(key) for key in _FIXED):
        return
    backend = config.get(BACKEND)
    if backend.is_set and backend.text.lower() not in ("rocksdb", "forst"):
        return
    factory = config.get(_FACTORY)
    if factory.is_set and not factory.text.strip().endswith(_DEFAULT_FACTORY):
        return
    buffers = "write buffers" if any(config.is_set(key) for key in _BUFFERS) else "two write buffers of 64 MiB"
    memory = config.taskmanager_memory()
    room = (
        f" more than the {readable(memory.managed)} of managed memory, which stay empty,"
        if memory and memory.managed
        else ""
    )
    yield setting.finding(
        f"RocksDB then takes what its states want, {buffers} for each of them in every slot beside its cache, and"
        f" nothing bounds it: when it takes{room or ' more than the process has left'} the container is killed",
        help="delete the line so that RocksDB keeps to managed memory, or set"
        " state.backend.rocksdb.memory.fixed-per-slot",
        fix=setting.replace("true"),
        at="entry",
    )


_SET = f'settings.setBoolean("{_MANAGED}", false);'
_PROGRAM = """import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
  public static void main(String[] args) throws Exception {
    Configuration settings = new Configuration();
    %s
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(settings);
    env.execute();
  }
}
"""


def cases() -> list[Case]:
    return [
        bad(
            f"state.backend.type: rocksdb\n{_MANAGED}: false\n", at=_MANAGED, severity=Severity.WARNING,
            fixed=f"state.backend.type: rocksdb\n{_MANAGED}: true\n",
        ),
        bad(f"{_MANAGED}: false\n", at=_MANAGED, flink="1.10"),
        bad(f"state.backend: rocksdb\n{_MANAGED}: false\n{_FIXED[1]}: 2gb\n", at=_MANAGED, flink="1.16"),
        good(f"state.backend: rocksdb\n{_MANAGED}: false\n{_FIXED[0]}: 512mb\n", flink="1.14"),
        good(f"{_MANAGED}: false\n{_FIXED[1]}: 2gb\n", flink="1.18"),
        bad(f"{_MANAGED}: false\n", flink="1.18", profile="development", severity=Severity.INFO),
        bad(f"state.backend.type: forst\n{_MANAGED}: false\n", at=_MANAGED, flink="2.0"),
        good(f"state.backend.type: '{{{{ backend }}}}'\n{_MANAGED}: false\n"),
        good(f"state.backend.type: hashmap\n{_MANAGED}: false\n"),
        good(f"{_MANAGED}: true\n"),
        good(f"state.backend: rocksdb\n{_MANAGED}: false\n{_FACTORY}: com.example.Bounded\n", flink="1.18"),
        good(f"{_MANAGED}: false\n{_FACTORY}: '{{{{ factory }}}}'\n"),
        bad(
            f"{_MANAGED}: false\n{_FACTORY}: org.apache.flink.contrib.streaming.state{_DEFAULT_FACTORY}\n",
            flink="1.18", says="two write buffers of 64 MiB for each of them",
        ),
        bad(f"{_MANAGED}: false\n{_BUFFERS[0]}: 16mb\n", flink="1.18", says="what its states want, write buffers for"),
        bad(
            f"{_MANAGED}: false\ntaskmanager.memory.flink.size: 2gb\ntaskmanager.memory.managed.size: 1gb\n",
            flink="1.18", says="takes more than the 1 GiB of managed memory",
        ),
        bad(
            f"{_MANAGED}: false\ntaskmanager.memory.flink.size: 2gb\ntaskmanager.memory.managed.size: 0\n",
            flink="1.18", says="takes more than the process has left",
        ),
        good(f"{_MANAGED}: '{{{{ managed }}}}'\n"),
        bad(_PROGRAM % _SET, file="Orders.java"),
        good(_PROGRAM % f'if (System.getenv("UNMANAGED") != null) {{ {_SET} }}', file="Orders.java"),
        good(_PROGRAM % f'if (params.has("unmanaged")) {{ {_SET} }}', file="Orders.java"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses("state in RocksDB", f"{_MANAGED}: false\n", "UNBOUNDED", good="", both="state.backend: rocksdb\n"),
    ]
