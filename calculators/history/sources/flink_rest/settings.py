"""Conversion of settings in Flink's REST responses to the options that set them, with secrets hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from flink_flint.linter.flink.secret_places import secret_spans
from flink_flint.linter.flink.secrets import HIDDEN, may_be_secret

_NEVER = 2**63 - 1
"""Flink's checkpoint interval for a job without periodic checkpoints."""


def hidden(key: str, value: str) -> str:
    """Return a setting's value with its secrets hidden."""
    return HIDDEN if may_be_secret(key) else without_secrets(value)


def without_secrets(text: str) -> str:
    """Return `text` with everything that looks like a secret hidden."""
    parts: list[str] = []
    done = 0
    for span in secret_spans(text, ()):
        parts += (text[done : span.start], HIDDEN)
        done = span.end
    return "".join((*parts, text[done:]))


def settings_of_cluster(response: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings of ``/jobmanager/config`` by key, with secrets hidden."""
    return {str(one["key"]): hidden(str(one["key"]), str(one["value"])) for one in response}


def settings_of_job(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the execution configuration of a job as Flink options, with secrets hidden.

    The job's own parameters become one map, as in ``pipeline.global-job-parameters``.
    """
    execution = response["execution-config"]
    settings: dict[str, Any] = {}
    if int(execution.get("job-parallelism", -1)) > 0:
        settings["parallelism.default"] = str(execution["job-parallelism"])
    if "object-reuse-mode" in execution:
        settings["pipeline.object-reuse"] = _flag(execution["object-reuse-mode"])
    settings |= _restarts(str(execution.get("restart-strategy", "")))
    parameters = {str(key): str(value) for key, value in (execution.get("user-config") or {}).items()}
    if parameters:
        settings["pipeline.global-job-parameters"] = ",".join(
            f"{key}:{hidden(key, value)}" for key, value in sorted(parameters.items())
        )
    return settings


def _restarts(said: str) -> dict[str, str]:
    """Return the restart strategy from Flink's description of it; empty if it is the cluster's."""
    if found := re.match(r"Restart with fixed delay \((\d+) ms\)\. #(\d+) restart attempts", said):
        return {
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.delay": f"{found[1]} ms",
            "restart-strategy.fixed-delay.attempts": found[2],
        }
    return {"restart-strategy.type": "none"} if said.startswith("Restart deactivated") else {}


def settings_of_checkpoints(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of ``/jobs/:jobid/checkpoints/config`` by 2.x option name, with times in milliseconds."""
    settings: dict[str, Any] = {"execution.checkpointing.mode": str(response["mode"]).upper()}
    if int(response["interval"]) != _NEVER:
        settings["execution.checkpointing.interval"] = f"{int(response['interval'])} ms"
    for field, option in _CHECKPOINT_TIMES.items():
        if field in response:
            settings[option] = f"{int(response[field])} ms"
    for field, option in _CHECKPOINT_NUMBERS.items():
        if field in response:
            settings[option] = str(int(response[field]))
    for field, option in _CHECKPOINT_FLAGS.items():
        if field in response:
            settings[option] = _flag(response[field])
    kept = response.get("externalization") or {}
    if kept:
        settings["execution.checkpointing.externalized-checkpoint-retention"] = (
            "NO_EXTERNALIZED_CHECKPOINTS"
            if not kept.get("enabled")
            else "DELETE_ON_CANCELLATION"
            if kept.get("delete_on_cancellation")
            else "RETAIN_ON_CANCELLATION"
        )
    for field, option, known in _CHECKPOINT_CLASSES:
        if response.get(field):
            settings[option] = known.get(str(response[field]), str(response[field]))
    return settings


_CHECKPOINT_TIMES = {
    "timeout": "execution.checkpointing.timeout",
    "min_pause": "execution.checkpointing.min-pause",
    "aligned_checkpoint_timeout": "execution.checkpointing.aligned-checkpoint-timeout",
    "changelog_periodic_materialization_interval": "state.changelog.periodic-materialize.interval",
}
_CHECKPOINT_NUMBERS = {
    "max_concurrent": "execution.checkpointing.max-concurrent-checkpoints",
    "tolerable_failed_checkpoints": "execution.checkpointing.tolerable-failed-checkpoints",
}
_CHECKPOINT_FLAGS = {
    "unaligned_checkpoints": "execution.checkpointing.unaligned.enabled",
    "checkpoints_after_tasks_finish": "execution.checkpointing.checkpoints-after-tasks-finish.enabled",
    "state_changelog_enabled": "state.changelog.enabled",
}
_CHECKPOINT_CLASSES: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "state_backend",
        "state.backend.type",
        {
            "HashMapStateBackend": "hashmap",
            "EmbeddedRocksDBStateBackend": "rocksdb",
            "RocksDBStateBackend": "rocksdb",
            "ForStStateBackend": "forst",
        },
    ),
    (
        "checkpoint_storage",
        "execution.checkpointing.storage",
        {"FileSystemCheckpointStorage": "filesystem", "JobManagerCheckpointStorage": "jobmanager"},
    ),
    ("changelog_storage", "state.changelog.storage", {}),
)
"""Fields with a class instead of an option's value; a user's own class is kept, as Flink accepts it."""


def _flag(said: object) -> str:
    return "true" if said is True or str(said).lower() == "true" else "false"
