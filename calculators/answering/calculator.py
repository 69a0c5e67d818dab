"""The calculator type, and the lookup of calculators by name; each calculator is a module of the same name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.declaration import Inputs
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.text.named_tuple import NamedTuple


class Way(NamedTuple):
    """One direction of a calculator: it computes settings for given needs, or the load that given settings sustain."""

    inputs: type[Inputs]
    answer: Callable[[Any, Release], Answer]
    """The function, without side effects, that computes the answer from the inputs and the target release."""
    example: Mapping[str, str]
    """The inputs of a worked example by field name, as users type them."""
    release: str = ""
    """The Flink release of the worked example; empty for the newest release."""


class Calculator(NamedTuple):
    """A calculator, forward and reverse; its module's docstring is the text of its reference page."""

    name: str
    """The name of the calculator on the command line: ``async-io``."""
    title: str
    """The title of the calculator: ``Async I/O: capacity, timeout and pool``."""
    question: str
    """The user's problem in a few words: ``My async calls time out``."""
    forward: Way
    """The direction that computes settings for given needs."""
    reverse: Way
    """The direction that computes the load that current settings sustain."""

    def way(self, *, reverse: bool) -> Way:
        """Return the reverse direction (load of current settings) if `reverse`, else the one that computes settings."""
        return self.reverse if reverse else self.forward


NAMES = (
    "async-io", "rpc-size", "kinesis", "taskmanager-memory", "jobmanager-memory", "network-buffers", "rocksdb",
    "parallelism", "checkpoint", "kubernetes-ha", "yarn", "storage", "kafka-transactions", "restart", "catch-up",
)  # fmt: skip
"""The names of all calculators, in the order in which flint lists them."""


def module_of(name: str) -> str:
    """Return the dotted module name of the calculator called `name`."""
    return f"flink_flint.calculators.{name.replace('-', '_')}"


def calculator(name: str) -> Calculator:
    """Return the calculator called `name` (``async-io`` or ``async_io``); raise KeyError for an unknown name."""
    known = name.strip().lower().replace("_", "-")
    if known not in NAMES:
        raise KeyError(name)
    found = import_module(module_of(known)).CALCULATOR
    assert isinstance(found, Calculator)
    return found
