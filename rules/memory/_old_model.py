"""Whether a file may be meant for a release with another memory model."""

from linter.flink.releases import MINORS
from linter.view import View

_LAST = MINORS.index("1.10")
"""The last release with the old model of a process, the JobManager."""

_OLD = ("taskmanager.heap.", "jobmanager.heap.")
_NEW = (
    "taskmanager.memory.process.", "taskmanager.memory.flink.", "taskmanager.memory.task.",
    "taskmanager.memory.managed.", "jobmanager.memory.",
)  # fmt: skip


def may_predate_the_model(config: View) -> bool:
    """Whether the release may be 1.9 or 1.10 among others, and memory is given in the options of those days alone.

    Such a file is more likely one of those releases than a misconfigured newer one.
    """
    keys = config.document.effective
    return (
        not config.target.certain
        and config.target.indices[0] <= _LAST
        and any(key.startswith(_OLD) for key in keys)
        and not any(key.startswith(_NEW) for key in keys)
    )
