"""Sizes that rules recommend, tested with Flink's memory model on the document's settings.

Loaded by a rule once it has something to say: `flint check` of a sound file never comes here.
"""

from operator import attrgetter
from typing import Any

from flink_flint.calculators.formulas.smallest_memory import LARGEST, Process
from flink_flint.linter.flink.memory.jobmanager import jobmanager
from flink_flint.linter.flink.memory.taskmanager import taskmanager
from flink_flint.linter.flink.release_spelling import size_text
from flink_flint.linter.model.view import Setting, View

STEP = 64 << 20
"""The bytes (64 MiB) to a multiple of which recommended sizes are rounded, because they follow from a heuristic."""


def tried(config: View, process: str) -> "Process[Any]":
    """Return the "taskmanager" or "jobmanager" of a document, for deriving its memory with other values."""
    return Process(
        taskmanager if process == "taskmanager" else jobmanager,
        config.configuration.settings,
        config.release,
        yaml=config.document.yaml_in(config.index),
        containers=config.is_in_containers,
        restrict=config.configuration.restrict,
        known=config.configuration,
    )


def proposed(config: View, process: str, total: Setting, part: str, needed: int, most: int = LARGEST) -> str | None:
    """Return the smallest value of a `total` option with which a part of the memory has `needed` bytes.

    None where the total is not set, or no value up to `most` bytes helps.
    """
    present = config.memory(total.key)
    if not total.is_set or present is None:
        return None
    size = tried(config, process).smallest(
        total.written, attrgetter(part), needed, above=int(present), most=most, step=STEP
    )
    return None if size is None else size_text(size)
