"""Whether a file may be meant for a release with another memory model."""

from linter.view import View

_OLD = ("taskmanager.heap.", "jobmanager.heap.")
_NEW = (
    "taskmanager.memory.process.", "taskmanager.memory.flink.", "taskmanager.memory.task.",
    "taskmanager.memory.managed.", "jobmanager.memory.",
)  # fmt: skip


def may_predate_the_model(config: View) -> bool:
    """Whether the release is unknown and the memory is given in the options of 1.9 and before alone.

    Such a file is more likely one of those releases than a misconfigured newer one.
    """
    keys = config.document.effective
    return (
        not config.target.certain
        and any(key.startswith(_OLD) for key in keys)
        and not any(key.startswith(_NEW) for key in keys)
    )
