"""A job's network exchanges between vertices, and their text notation.

`120x120 hash x3, 10x15 rescale`: the number of sending and receiving subtasks, how records are distributed (hash by
default), and how many such exchanges the job has.
"""

from __future__ import annotations

import math
import re

from flink_flint.calculators.formulas.quantity import BadQuantity, Unit
from flink_flint.linter.text.named_tuple import NamedTuple

POINTWISE = ("forward", "rescale")
"""The kinds of exchanges in which each subtask is connected to only some of the other vertex's subtasks."""
ALL_TO_ALL = ("rebalance", "hash", "broadcast", "shuffle", "global", "custom")
"""The kinds of exchanges that connect every sending subtask to every receiving one, even if no records are sent."""
KINDS = (*POINTWISE, *ALL_TO_ALL)

_OTHER_NAMES = {"keyby": "hash", "key-by": "hash", "keyed": "hash", "range": "custom", "partition": "custom"}
_MAX_PARALLELISM = 32_768
_MAX_EXCHANGES = 10_000
_EXAMPLE = "120x120 hash x3, 10x15 rescale"
_COUNT = r"([0-9]{1,18})"
_ITEM = re.compile(rf"{_COUNT}\s*[x×*]\s*{_COUNT}(?:\s+([a-z-]+))??(?:\s*[x×*]\s*{_COUNT})?", re.IGNORECASE)


def channels(own: int, other: int, kind: str) -> int:
    """Return the number of subtasks (out of `other`) of the other vertex to which each of `own` subtasks connects.

    For a receiver these are the input channels of its gate, for a sender the subpartitions of its partition;
    `kind` is one of `KINDS`.
    """
    return math.ceil(other / own) if kind in POINTWISE else other


class Exchange(NamedTuple):
    """An exchange of records over the network between two vertices."""

    upstream: int
    """The parallelism of the sending vertex."""
    downstream: int
    """The parallelism of the receiving vertex."""
    kind: str = "hash"
    times: int = 1
    """The number of exchanges in the job with this kind and these parallelisms."""

    @property
    def channels(self) -> int:
        """The number of input channels of one receiving subtask's gate."""
        return channels(self.downstream, self.upstream, self.kind)

    @property
    def subpartitions(self) -> int:
        """The number of subpartitions of one sending subtask's result partition."""
        return channels(self.upstream, self.downstream, self.kind)

    def __str__(self) -> str:
        times = f" x{self.times}" if self.times > 1 else ""
        return f"{self.upstream}x{self.downstream} {self.kind}{times}"


Exchanges = tuple[Exchange, ...]


def scaled(exchanges: Exchanges, parallelism: int) -> Exchanges:
    """Return the exchanges with all parallelisms scaled so that the largest becomes `parallelism`."""
    largest = largest_parallelism(exchanges)

    def scale(one: int) -> int:
        return math.ceil(one * parallelism / largest)

    return tuple(one._replace(upstream=scale(one.upstream), downstream=scale(one.downstream)) for one in exchanges)


def largest_parallelism(exchanges: Exchanges) -> int:
    """Return the largest parallelism of all vertices."""
    return max(max(one.upstream, one.downstream) for one in exchanges)


def parse_exchanges(text: str) -> Exchanges:
    """Parse exchanges such as ``120x120 hash x3, 10x15 rescale``; raise BadQuantity if the text is malformed."""
    items = [item for item in re.split(r"[,;+]", text) if item.strip()]
    if not items:
        raise BadQuantity(f"no exchange is given; write them like {_EXAMPLE}")
    return tuple(_exchange(item.strip()) for item in items)


def _exchange(text: str) -> Exchange:
    match = _ITEM.fullmatch(text)
    if not match:
        raise BadQuantity(
            f"{text!r} is not an exchange: sending subtasks x receiving subtasks, the kind, and how often; write it "
            f"like {_EXAMPLE}"
        )
    upstream, downstream, word, times = match.groups()
    kind = (word or "hash").lower()
    kind = _OTHER_NAMES.get(kind, kind)
    if kind not in KINDS:
        raise BadQuantity(f"{word!r} in {text!r} is not a kind of exchange; allowed: {', '.join(KINDS)}")
    found = Exchange(int(upstream), int(downstream), kind, int(times or 1))
    for parallelism in (found.upstream, found.downstream):
        if not 1 <= parallelism <= _MAX_PARALLELISM:
            raise BadQuantity(f"{parallelism} in {text!r} is not a parallelism; allowed: 1 to {_MAX_PARALLELISM}")
    if not 1 <= found.times <= _MAX_EXCHANGES:
        raise BadQuantity(f"x{found.times} in {text!r} is not a number of exchanges; allowed: 1 to {_MAX_EXCHANGES}")
    if kind == "forward" and found.upstream != found.downstream:
        raise BadQuantity(f"{text!r}: forward requires equal parallelisms; write rescale")
    return found


def spell_exchanges(exchanges: Exchanges) -> str:
    """Format exchanges as ``120x120 hash x3, 10x15 rescale``, the form that `parse_exchanges` reads."""
    return ", ".join(map(str, exchanges))


EXCHANGES = Unit("exchanges", parse_exchanges, spell_exchanges, _EXAMPLE)
"""The unit of an input that lists a job's network exchanges."""
