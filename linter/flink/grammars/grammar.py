"""A grammar says which values of its type the code that uses an option takes; these are on numbers and on names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.linter.flink.values import MILLISECOND
from flink_flint.linter.text.named_tuple import NamedTuple


class Grammar(NamedTuple):
    """What the code that reads a typed value takes."""

    name: str
    allowed: str
    """What is allowed, in words that follow "allowed:"."""
    takes: Callable[[Any], bool]


def of_numbers(name: str, allowed: str, takes: Callable[[Any], bool]) -> Grammar:
    """Return a grammar of integers, fractions, durations or sizes."""
    return Grammar(name, allowed, lambda value: not isinstance(value, int | float) or takes(value))


def of_texts(name: str, allowed: str, takes: Callable[[str], bool]) -> Grammar:
    """Return a grammar of texts."""
    return Grammar(name, allowed, lambda value: takes(str(value)))


def one_of(name: str, *names: str) -> Grammar:
    """Return a grammar of names in any case."""
    return of_texts(name, ", ".join(names), lambda text: text.lower() in names)


def names_as_written(name: str, *names: str) -> Grammar:
    """Return a grammar of names in the case that is given."""
    return of_texts(name, ", ".join(names), lambda text: text in names)


MAX_PORT = 65535
SMALLEST_SEGMENT = 4096
"""How many bytes a memory segment has at least."""
POSITIVE = of_numbers("positive", "above 0", lambda value: value > 0)
AT_LEAST_ONE = of_numbers("at least one", "at least 1", lambda value: value >= 1)
NOT_NEGATIVE = of_numbers("not negative", "at least 0", lambda value: value >= 0)
UNLIMITED = of_numbers("positive or unlimited", "at least 1, or -1", lambda value: value >= 1 or value == -1)
SLOTS = UNLIMITED._replace(name="slots", allowed="at least 1")
NOT_BELOW_MINUS_ONE = of_numbers("default or not negative", "at least -1", lambda value: value >= -1)
FRACTION = of_numbers("fraction", "0 to 1", lambda value: 0 <= value <= 1)
FRACTION_BELOW_ONE = of_numbers("fraction below one", "0 to 1, without 1", lambda value: 0 <= value < 1)
GROWTH = of_numbers("growth", "above 1", lambda value: value > 1)
PARALLELISM = of_numbers("parallelism", "at least 1, or -1", lambda value: value >= 1 or value in (-1, -2))
MAX_PARALLELISM = of_numbers("maximum parallelism", "1 to 32768", lambda value: 1 <= value <= 32768)
PRIORITY = of_numbers("thread priority", "1 to 10", lambda value: 1 <= value <= 10)
MILLISECONDS = of_numbers("milliseconds", "at least 1 ms", lambda value: value >= MILLISECOND)
TEN_MILLISECONDS = of_numbers("ten milliseconds", "at least 10 ms", lambda value: value >= 10 * MILLISECOND)
PAUSED_OR_TEN_MILLISECONDS = of_numbers(
    "pause or ten milliseconds", "0, or at least 10 ms", lambda value: value == 0 or value >= 10 * MILLISECOND
)
INTEGER_MILLISECONDS = of_numbers(
    "integer milliseconds", "at most 2147483647 ms", lambda value: value < (1 << 31) * MILLISECOND
)
PORT = of_numbers("port", f"0 to {MAX_PORT}", lambda value: 0 <= value <= MAX_PORT)
SEGMENT = of_numbers("segment", "at least taskmanager.memory.segment-size", lambda value: value >= SMALLEST_SEGMENT)
CLASS_ORDER = one_of("class loading order", "child-first", "parent-first")
FAILOVER = one_of("failover strategy", "region", "full")
CLEANUP = one_of(
    "cleanup strategy", "none", "disable", "off", "fixed-delay", "fixeddelay", "exponential-delay", "exponentialdelay"
)
ACCESS = one_of("access control", "open", "creator")
TLS_PROVIDER = one_of("TLS provider", "jdk", "openssl")
DIALECT = one_of("dialect", "default", "hive")
AGGREGATION = names_as_written("phases of aggregation", "AUTO", "ONE_PHASE", "TWO_PHASE")
EXCHANGE_MODE = one_of(
    "exchange mode", "all_edges_blocking", "forward_edges_pipelined", "pointwise_edges_pipelined",
    "all_edges_pipelined", "all_edges_pipelined_approximate", "batch", "pipelined",
)  # fmt: skip
_CONSISTENCIES = ("ALL", "ANY", "ONE", "QUORUM")
# Other names are no constants of the enum that is the type of the option.
CONSISTENCY = of_texts(
    "consistency",
    f"{', '.join(_CONSISTENCIES)} in capitals",
    lambda text: text in _CONSISTENCIES or text.upper() not in _CONSISTENCIES,
)
COMPRESSION = one_of("compression", "gzip", "none")
NOT_EMPTY = of_texts("not empty", "a text that is not empty", bool)
