"""The state backend is one that this Flink does not have.

## What it does
Compares `state.backend.type` with the names that the release knows, in any case: `jobmanager`, `filesystem` and
`rocksdb` up to 1.12; these and `hashmap` from 1.13 to 1.20; `hashmap`, `rocksdb` and `forst` from 2.0 on. A value with
a dot is the class of a factory; of those only Flink's own are judged: the package
`org.apache.flink.contrib.streaming.state` is gone in 2.0, where RocksDB moved to `org.apache.flink.state.rocksdb`.

## Why it matters
Any other word is taken for a class name, and each job fails with `DynamicCodeLoadingException: Cannot find configured
state backend factory class`.

## What to do
Write `hashmap` (state on the heap) or `rocksdb` (state on disk). `filesystem` was `hashmap` plus a checkpoint
directory, `jobmanager` was `hashmap` plus `execution.checkpointing.storage: jobmanager`.

## Not when
Class names of others are never judged. A backend that only newer releases know (`hashmap`, `forst`) is reported only
where the release is known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/>: the backends and their names
- <https://issues.apache.org/jira/browse/FLINK-19463>: backend and checkpoint storage disentangled (1.13)
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_NEWER = ("hashmap", "forst")
_MOVED = "org.apache.flink.contrib.streaming.state."
_NEW_PACKAGES = ("org.apache.flink.state.rocksdb.", "org.apache.flink.state.forst.")
_HEAP_FACTORIES = (
    "org.apache.flink.runtime.state.memory.MemoryStateBackendFactory",
    "org.apache.flink.runtime.state.filesystem.FsStateBackendFactory",
)


@rule(
    code="FLK319",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["state.backend.type"],
    since="0.1",
)
def state_backend_name(config: View) -> Iterator[Finding]:
    """the state backend is one that this release does not have"""
    backend = config.get("state.backend.type")
    if not backend.is_set or not backend.is_known:
        return
    name = backend.text.lower()
    if "." in name:
        if backend.text.startswith("java."):
            gone = True
        elif config.since("2.0"):
            gone = backend.text.startswith(_MOVED) or backend.text in _HEAP_FACTORIES
        else:
            gone = config.target.certain and backend.text.startswith(_NEW_PACKAGES)
        if not gone:
            return
    elif name in known_backends(config) or (name in _NEWER and not config.target.certain):
        return
    when = _when(config)
    what = f"a class that Flink does not have {when}" if "." in name else f"no state backend {when}"
    yield backend.finding(
        f"{backend.text!r} is {what}, which knows {', '.join(known_backends(config))}: every job fails to load it",
        help=f"write {_meant(config, name)}",
        fix=_fix(config, backend, name),
    )


def known_backends(config: View) -> tuple[str, ...]:
    """The short names of the state backends that the release has."""
    if config.since("2.0"):
        return "hashmap", "rocksdb", "forst"
    return ("jobmanager", "filesystem", "rocksdb", *(("hashmap",) if config.since("1.13") else ()))


def _when(config: View) -> str:
    if config.since("2.0"):
        return "from 2.0 on"
    return "from 1.13 to 1.20" if config.since("1.13") else "before 1.13"


def _meant(config: View, name: str) -> str:
    if "forst" in name and config.since("2.0"):
        return "forst"
    if "rocks" in name or "forst" in name:
        return "rocksdb"
    return "hashmap" if config.since("1.13") else "filesystem"


def _fix(config: View, backend: Setting, name: str) -> Fix | None:
    # `filesystem` with a checkpoint directory has been `hashmap` under another name since 1.13.
    same = name == "filesystem" and config.is_set("execution.checkpointing.dir")
    recognised = ("rocks", "forst", "hash", "heap", "mem", "fs", "filesystem", "jobmanager")
    return backend.replace(_meant(config, name), safe=same) if any(word in name for word in recognised) else None


_DIR = "execution.checkpointing.dir: s3://bucket/checkpoints\n"


def cases() -> list[Case]:
    return [
        bad(
            f"state.backend.type: filesystem\n{_DIR}", at="state.backend.type", file="config.yaml", flink="2.1",
            severity=Severity.ERROR, fixed=f"state.backend.type: hashmap\n{_DIR}",
        ),
        bad(f"state.backend.type: filesystem\n{_DIR}", at="state.backend.type", severity=Severity.WARNING),
        bad("state.backend: java.lang.String\n", flink="1.17", says="a class that Flink does not have"),
        bad("state.backend: memory\n", at="state.backend.type", flink="1.14", fixed="state.backend: hashmap\n"),
        bad("state.backend: hashmap\n", at="state.backend.type", flink="1.12", says="before 1.13"),
        bad(
            "state.backend.type: org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackendFactory\n",
            flink="2.0", fixed="state.backend.type: rocksdb\n",
        ),
        bad("state.backend.type: forst\n", flink="1.20", file="config.yaml"),
        bad("state.backend.type: 'rocksdb '\n", flink="1.20"),
        bad("state.backend: filesytem\n", flink="1.12", fixed="state.backend: filesytem\n"),
        bad("state.backend: heap\n", flink="1.12", fixed="state.backend: filesystem\n"),
        bad(
            "state.backend.type: org.apache.flink.runtime.state.filesystem.FsStateBackendFactory\n",
            flink="2.0", fixed="state.backend.type: hashmap\n",
        ),
        bad(
            "state.backend.type: org.apache.flink.state.forst.ForStStateBackendFactory\n",
            flink="1.20", fixed="state.backend.type: rocksdb\n",
        ),
        bad(
            "state.backend: org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackendFactory\n",
            flink="1.18", fixed="state.backend: rocksdb\n",
        ),
        bad(
            "state.backend.type: org.apache.flink.contrib.streaming.state.ForStStateBackendFactory\n",
            flink="2.0", fixed="state.backend.type: forst\n",
        ),
        good("state.backend.type: com.example.OurBackendFactory\n", flink="2.0"),
        good("state.backend.type: org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackendFactory\n"),
        good("state.backend.type: forst\n"),
        good("state.backend: RocksDB\n", flink="1.9"),
        good("state.backend: filesystem\n", flink="1.18"),
        good("state.backend: hashmap\n", file="flink-conf.yaml"),
        good("state.backend.type: forst\n", flink="2.0"),
        good("state.backend: com.example.OurBackendFactory\n", flink="1.18"),
        good("state.backend: org.apache.flink.contrib.streaming.state.RocksDBStateBackendFactory\n", flink="1.18"),
        good("state.backend: {{ backend }}\n", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "state backend",
            "state.backend: rocksdbb\nstate.checkpoints.dir: file:///data/checkpoints\n",
            good="state.backend: rocksdb\nstate.checkpoints.dir: file:///data/checkpoints\n",
        ),
        flink_refuses("state backend", "state.backend: jobmanager\n", good="state.backend: hashmap\n"),
        flink_refuses(
            "state backend",
            "state.backend: filesystem\nstate.checkpoints.dir: file:///data/checkpoints\n",
            good="state.backend: rocksdb\nstate.checkpoints.dir: file:///data/checkpoints\n",
        ),
        flink_refuses(
            "state backend",
            "state.backend: hashmap\n",
            good="state.backend: org.apache.flink.runtime.state.memory.MemoryStateBackendFactory\n",
        ),
    ]
