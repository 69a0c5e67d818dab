"""The storage of checkpoints is set, and an old state backend decides on it instead.

## What it does
Looks at `execution.checkpointing.storage` (`state.checkpoint-storage` before 1.20) from 1.13 to 1.20. Reports it
beside the state backend `jobmanager`, and where a program makes its backend of one of the classes that were storage as
well: `MemoryStateBackend`, `FsStateBackend`, `RocksDBStateBackend`.

## Why it matters
These backends say both where state lives and where checkpoints go, and for the sake of old programs they win. Flink
logs `Config option 'state.checkpoint-storage' is ignored because legacy state backend ... is used`, and checkpoints go
where the backend puts them: with `jobmanager` and `MemoryStateBackend` into the heap of the JobManager.

## What to do
Use `hashmap` instead of `jobmanager`, `HashMapStateBackend` instead of the first two classes, and
`EmbeddedRocksDBStateBackend` instead of the third. In 2.0 the old ones are gone.

## Not when
The backend is `filesystem`, set by name: since 1.13 that is `hashmap` under another name, and the storage counts. The
storage is the one that the backend uses anyway.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/state/CheckpointStorageLoader.java>:
  what takes precedence
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/ops/state/state_backends/#migrating-from-legacy-backends>:
  what to write instead
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.checkpoints._checkpointing import BACKEND

_STORAGE = "execution.checkpointing.storage"
_CLASSES = {"MemoryStateBackend": "jobmanager", "FsStateBackend": "filesystem", "RocksDBStateBackend": "filesystem"}
"""The classes that are storage as well, with the storage that each is."""
_INSTEAD = {
    "MemoryStateBackend": "HashMapStateBackend",
    "FsStateBackend": "HashMapStateBackend",
    "RocksDBStateBackend": "EmbeddedRocksDBStateBackend",
}


@rule(
    code="FLK321",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_STORAGE],
    flink=">=1.13,<2",
    since="0.1",
)
def storage_under_legacy_backend(config: View) -> Iterator[Finding]:
    """an old state backend decides where checkpoints go, whatever storage is set"""
    storage, backend = config.get(_STORAGE), config.get(BACKEND)
    if not storage.is_set or not storage.is_known:
        return
    name = _class_of(backend)
    used = _CLASSES.get(name) or ("jobmanager" if backend.text.lower() == "jobmanager" else None)
    if used is None or storage.text.lower() == used:
        return
    yield storage.finding(
        f"the state backend {name or backend.text} decides where checkpoints go: {storage.written} is ignored",
        help=f"use {_INSTEAD.get(name, 'hashmap')} as state backend",
        related=[backend],
    )


def _class_of(backend: Setting) -> str:
    """The class that a program makes the backend of; the empty string where it is set by name."""
    return backend.entry.layer.removeprefix("new ") if backend.entry is not None else ""


_OF_JOBMANAGER = "env.getCheckpointConfig().setCheckpointStorage(new JobManagerCheckpointStorage());"
_OF_FILE_SYSTEM = 'env.configure(new Configuration().set("state.checkpoint-storage", "filesystem"));'
_PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setStateBackend(new {});
    {}
    env.execute();
  }}
}}
"""


def cases() -> list[Case]:
    return [
        bad(
            "state.backend: jobmanager\nstate.checkpoint-storage: filesystem\n",
            at=_STORAGE,
            flink="1.18",
            severity=Severity.WARNING,
            says="state backend jobmanager decides",
        ),
        bad("state.backend.type: JobManager\nexecution.checkpointing.storage: filesystem\n", at=_STORAGE, flink="1.20"),
        bad(
            _PROGRAM.format('RocksDBStateBackend("s3://bucket/c", true)', _OF_JOBMANAGER),
            at=_STORAGE,
            file="Orders.java",
            flink="1.14",
            says="RocksDBStateBackend decides",
        ),
        bad(_PROGRAM.format('FsStateBackend("s3://bucket/c")', _OF_JOBMANAGER), file="Orders.java", flink="1.13"),
        bad(
            _PROGRAM.format("MemoryStateBackend()", _OF_FILE_SYSTEM),
            file="Orders.java",
            flink="1.14",
            says="MemoryStateBackend decides",
        ),
        good(_PROGRAM.format("MemoryStateBackend()", _OF_JOBMANAGER), file="Orders.java", flink="1.14"),
        good(_PROGRAM.format('FsStateBackend("s3://bucket/c")', _OF_FILE_SYSTEM), file="Orders.java", flink="1.14"),
        good(
            _PROGRAM.format('RocksDBStateBackend("s3://bucket/c")', _OF_FILE_SYSTEM), file="Orders.java", flink="1.14"
        ),
        good(_PROGRAM.format("EmbeddedRocksDBStateBackend(true)", _OF_JOBMANAGER), file="Orders.java", flink="1.14"),
        good("state.backend.type: jobmanager\nexecution.checkpointing.storage: filesystem\n", flink="2.0"),
        good("state.backend: jobmanager\nexecution.checkpointing.storage: filesystem\n", flink="1.18"),
        good("state.backend: filesystem\nstate.checkpoint-storage: jobmanager\n", flink="1.18"),
        good("state.backend: jobmanager\nstate.checkpoint-storage: jobmanager\n", flink="1.18"),
        good("state.backend: hashmap\nstate.checkpoint-storage: filesystem\n", flink="1.18"),
        good("state.backend: {{ backend }}\nstate.checkpoint-storage: filesystem\n", flink="1.18"),
        good("state.backend: jobmanager\nstate.checkpoint-storage: {{ storage }}\n", flink="1.18"),
        good("state.checkpoint-storage: filesystem\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "checkpoint storage",
            "state.checkpoint-storage: filesystem\n",
            both="state.backend: jobmanager\nstate.checkpoints.dir: file:///data/c\n",
            releases=">=1.13,<2",
        ),
    ]
