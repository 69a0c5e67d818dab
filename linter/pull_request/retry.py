"""How long a run waits for a forge that asks it to, or that is not well."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST_TRIES = 6
"""Of one request."""
_BETWEEN_WRITES = 1.0
_LIMITED = 60.0


class Patience:
    """Waits between the tries of requests, until all waits of a run together have used up `seconds`.

    The bound is on the run, not on each request: a forge that is down or that has used up its limit for the hour
    should cost a job minutes, whatever it had to say. `sleep` and `now` (seconds since the epoch) can be replaced.
    """

    def __init__(
        self,
        seconds: float = 600.0,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._left = seconds
        self._sleep = sleep
        self._next_write = 0.0
        self.now = now

    def wait(self, seconds: float) -> bool:
        """Wait, or return False at once where that is longer than what is left."""
        if seconds > self._left:
            return False
        self._left -= seconds
        self._sleep(seconds)
        return True

    def pace(self) -> None:
        """Wait until a second has passed since the last request that wrote, as GitHub asks of its clients."""
        early = self._next_write - self.now()
        if early > 0:
            self._sleep(min(early, _BETWEEN_WRITES))
        self._next_write = self.now() + _BETWEEN_WRITES


def backoff(tries: int) -> float:
    """Seconds to wait after so many tries that met a server or a connection that is not well: 1, 2, 4, 8, …"""
    return 2.0 ** (tries - 1)


def limited_backoff(tries: int) -> float:
    """Seconds to wait after so many tries that met a limit without a word on when it ends: a minute, 2, 4, …"""
    return _LIMITED * backoff(tries)
