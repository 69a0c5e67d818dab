"""Checkpoints are taken, but nothing says where they go.

## What it does
Looks for `execution.checkpointing.interval` without a directory (`execution.checkpointing.dir`,
`state.checkpoints.dir` before 1.20). An error where the storage is `filesystem`, or a state backend that wants a
directory (`filesystem`, and `rocksdb` up to 1.12); else a warning.

## Why it matters
A storage or backend that wants a directory and has none ends every job with an `IllegalConfigurationException`.
Without one, checkpoints go into the heap of the JobManager: at most 5 MiB for the state of a subtask, and gone with
the JobManager. A job that worked in the test fails when its state has grown, with `Size of the state is larger than
the maximum permitted memory-backed state`.

## What to do
Set `execution.checkpointing.dir` (`state.checkpoints.dir`) to a directory every process reaches, such as
`s3://bucket/checkpoints`.

## Not when
The file is a part of a configuration, a job has its checkpoints from Managed Service for Apache Flink, or the interval
is the operator's own. A program may set the storage itself, so confidence is medium. On a development machine it is
advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/#checkpoint-storage>:
  what is used without a directory, and its limits
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-dir>: the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import BACKEND, DIRECTORY, INTERVAL, interval, is_managed

_DIRECTORIES = (DIRECTORY, "state.checkpoints.dir", "state.backend.fs.checkpointdir")
"""Under any name: one that the release does not read is told by the rules on keys."""

_STORAGE = "execution.checkpointing.storage"


@rule(
    code="FLK313",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[INTERVAL, _STORAGE],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def checkpoint_dir_missing(config: View) -> Iterator[Finding]:
    """checkpoints have no directory to go to"""
    setting = config.get(INTERVAL)
    if interval(config) is None or not config.document.whole or is_managed(config):
        return
    if any(key in config.effective for key in _DIRECTORIES) or config.is_set_above(DIRECTORY):
        return
    if setting.entry is None or setting.entry.layer:
        return
    storage, backend = config.get(_STORAGE), config.get(BACKEND)
    if not storage.is_known or not backend.is_known:
        return
    name = "execution.checkpointing.dir" if config.since("1.20") else "state.checkpoints.dir"
    help_text = f"set {name} to a directory that every process reaches, such as s3://bucket/checkpoints"
    demanding = _demanding(config)
    if demanding is not None:
        yield config.get(demanding).finding(
            f"{config.get(demanding).text} wants a directory for checkpoints and has none: every job ends with an"
            " IllegalConfigurationException",
            help=help_text,
            severity=Severity.ERROR,
            related=[setting],
        )
    elif (storage.text if storage.is_set else "jobmanager").lower() == "jobmanager":
        yield setting.finding(
            "without a directory checkpoints lie in the heap of the JobManager: 5 MiB for the state of a subtask, and"
            " all of them are lost with it",
            help=help_text,
        )


def _demanding(config: View) -> str | None:
    """The option whose value makes Flink want a directory."""
    if config.get(_STORAGE).text.lower() == "filesystem":
        return _STORAGE
    backend = config.get(BACKEND).text.lower()
    if backend == "filesystem" and not config.since("2.0"):
        return BACKEND
    return BACKEND if backend == "rocksdb" and not config.since("1.13") else None


def cases() -> list[Case]:
    return [
        bad(f"{INTERVAL}: 60s\n", at=INTERVAL, severity=Severity.WARNING, says="5 MiB"),
        bad(f"{INTERVAL}: 60000\nstate.backend: rocksdb\n", at=INTERVAL, flink="1.14", severity=Severity.WARNING),
        bad(f"{INTERVAL}: 60000\nstate.backend: rocksdb\n", at=BACKEND, flink="1.12", severity=Severity.ERROR),
        bad(f"{INTERVAL}: 60s\n{_STORAGE}: filesystem\n", at=_STORAGE, severity=Severity.ERROR, flink="1.20"),
        bad(f"{INTERVAL}: 60000\nstate.backend: filesystem\n", at=BACKEND, flink="1.16", severity=Severity.ERROR),
        bad(f"{INTERVAL}: 60s\n", at=INTERVAL, file="flink-conf.yaml"),
        bad(f"{INTERVAL}: 60s\n", profile="development", severity=Severity.INFO),
        good(f"{INTERVAL}: 60s\nexecution.checkpointing.dir: s3://bucket/c\n"),
        good(f"{INTERVAL}: 60000\nstate.backend.fs.checkpointdir: hdfs:///c\n", flink="1.14"),
        good(f"{INTERVAL}: 60s\nexecution.checkpointing.dir: '{{{{ directory }}}}'\n"),
        good(f"{INTERVAL}: 60s\nexecution.runtime-mode: BATCH\n"),
        good(f"{_STORAGE}: filesystem\n", flink="1.20"),
        good(
            "SET 'execution.checkpointing.interval' = '60s';\nCREATE TABLE a (b INT) WITH ('connector' = 'datagen');\n",
            file="job.sql",
        ),
        good(f"{INTERVAL}: 60s\nstate.checkpoints.dir: hdfs:///c\n", flink="2.0"),
        good(f"{INTERVAL}: 60s\n", flink="1.20", platform="msf"),
        good(f"{INTERVAL}: 60s\n{_STORAGE}: ${{STORAGE}}\n", flink="1.20"),
        good(f"{INTERVAL}: 60s\nstate.backend.type: ${{BACKEND}}\n", flink="1.20"),
        good(f"{INTERVAL}: 60s\n{_STORAGE}: org.example.OurStorageFactory\n", flink="1.20"),
        bad(f"{INTERVAL}: 60s\n{_STORAGE}: jobmanager\n", at=INTERVAL, flink="1.20"),
        bad(f"{INTERVAL}: 60000\n{_STORAGE}: filesystem\n", at=INTERVAL, flink="1.12", severity=Severity.WARNING),
        bad(f"{INTERVAL}: 60s\nstate.backend.type: filesystem\n", at=INTERVAL, flink="2.0", severity=Severity.WARNING),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses(
            "checkpoint storage",
            "execution.checkpointing.interval: 1 min\n",
            "JobManagerCheckpointStorage",
            good="execution.checkpointing.interval: 1 min\nstate.checkpoints.dir: file:///data/c\n",
            releases=">=1.13",
        ),
    ]
