"""RocksDB keeps the state of running tasks where the system cleans up.

## What it does
With the state backend `rocksdb` (or `forst`) on plain machines, reports `state.backend.rocksdb.localdir`
(`state.backend.forst.local-dir`) under `/tmp` or `/var/tmp`; without it, `io.tmp.dirs` there.

## Why it matters
A cleaner that deletes files nobody read for days takes single files out of a running database: the task fails with
an `IO error: No such file`, or only when it next compacts. Where `/tmp` is a tmpfs, the state is in memory beside the
heap; else it shares the small root disk.

## What to do
Name a directory on a fast local disk, one for each disk: `/mnt/disk1/rocksdb,/mnt/disk2/rocksdb`.

## Not when
YARN, Kubernetes and Docker: their containers have directories of their own, which nothing cleans.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#state-backend-rocksdb-localdir>:
  where the files are
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/>: local disks
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.storage._temporary import on_machines, temporary_of

_BACKEND = "state.backend.type"
_OWN = {"rocksdb": "state.backend.rocksdb.localdir", "forst": "state.backend.forst.local-dir"}
_NAMES = {"embeddedrocksdbstatebackendfactory": "rocksdb", "rocksdbstatebackendfactory": "rocksdb"}


@rule(
    code="FLK103",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_BACKEND, *_OWN.values()],
    of_scale=True,
    since="0.1",
)
def rocksdb_dir_in_tmp(config: View) -> Iterator[Finding]:
    """RocksDB keeps the state of running tasks where the system cleans up"""
    backend = (config.string(_BACKEND) or "").lower().rpartition(".")[2]
    own = _OWN.get(_NAMES.get(backend, backend))
    if own is None or not on_machines(config):
        return
    setting = config.get(own)
    if not setting.is_set:
        if config.is_set("process.working-dir") or config.is_set("process.taskmanager.working-dir"):
            return
        setting = config.get("io.tmp.dirs")
    directory = temporary_of(setting)
    if directory is not None:
        yield setting.finding(
            f"the state of running tasks is in {directory}, which systems clean of files unused for days, on the"
            " root disk or in memory (tmpfs)",
            help=f"set {own} to a directory on a fast local disk",
            related=[config.get(_BACKEND)],
        )


_PACKAGE = "org.apache.flink.contrib.streaming.state"


def cases() -> list[Case]:
    return [
        bad(f"{_BACKEND}: rocksdb\n{_OWN['rocksdb']}: /tmp/rocksdb\n", at=_OWN["rocksdb"], flink="1.18"),
        bad("state.backend: rocksdb\nio.tmp.dirs: /tmp\n", at="io.tmp.dirs", flink="1.13"),
        good(f"{_BACKEND}: rocksdb\n{_OWN['rocksdb']}: /data/rocksdb\nio.tmp.dirs: /tmp\n", flink="1.18"),
        good(f"{_BACKEND}: hashmap\n{_OWN['rocksdb']}: /tmp/rocksdb\n", flink="1.18"),
        good(f"{_BACKEND}: rocksdb\n{_OWN['rocksdb']}: /tmp/rocksdb\n", flink="1.18", platform="kubernetes"),
        good(f"{_BACKEND}: rocksdb\nprocess.working-dir: /data\nio.tmp.dirs: /tmp\n", flink="1.18"),
        bad(f"{_BACKEND}: forst\n{_OWN['forst']}: /tmp/forst\n", at=_OWN["forst"], flink="2.1"),
        bad(
            f"{_BACKEND}: {_PACKAGE}.EmbeddedRocksDBStateBackendFactory\nio.tmp.dirs: /tmp\n",
            at="io.tmp.dirs",
            flink="1.18",
        ),
        bad(
            f"{_BACKEND}: {_PACKAGE}.RocksDBStateBackendFactory\nio.tmp.dirs: /data,/tmp\n",
            at="io.tmp.dirs",
            flink="1.18",
        ),
        bad(f"{_BACKEND}: rocksdb\nio.tmp.dirs: /tmp\n", flink="1.18", profile="development", severity=Severity.INFO),
        good(f"{_BACKEND}: rocksdb\nprocess.taskmanager.working-dir: /data\nio.tmp.dirs: /tmp\n", flink="1.18"),
        good(f"{_BACKEND}: ${{BACKEND}}\nio.tmp.dirs: /tmp\n", flink="1.18"),
        good(f"{_BACKEND}: rocksdb\nio.tmp.dirs: /tmp/${{HOST}}\n", flink="1.18"),
        good(f"{_BACKEND}: rocksdb\nrest.port: 8081\n", flink="1.18"),
        good(
            "services:\n  taskmanager:\n    image: flink:1.18.1\n    command: taskmanager\n    environment:\n"
            f"      FLINK_PROPERTIES: |\n        {_BACKEND}: rocksdb\n        io.tmp.dirs: /tmp\n",
            file="docker-compose.yml",
            platform="standalone",
        ),
    ]


def claims() -> list[Claim]:
    directory = _OWN["rocksdb"]
    return [
        flink_uses(
            "state in RocksDB", f"{directory}: /tmp/rocksdb\n", "files in [/tmp/rocksdb]",
            good=f"{directory}: /data/rocksdb\n", both="state.backend: rocksdb\n",
        ),
    ]  # fmt: skip
