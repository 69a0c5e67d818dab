"""What `make bench` prints: a line a figure, with its target and with what other tools take."""

from __future__ import annotations

import sys

from tests.benchmarks.measuring import ROOT, cost


class Table:
    """Prints figures as they come and remembers whether one missed its target."""

    def __init__(self) -> None:
        self.missed = False
        self._bare = cost((sys.executable, "-c", "pass"), ROOT).milliseconds
        print(f"{'':<46} {'figure':>12} {'target':>12}  {'of bare':>8}  {'of yamllint':>11}")
        print(f"{'python -c pass':<46} {self._bare:>9.1f} ms {'':>12}  {1:>7.1f}x")

    def time(
        self, what: str, milliseconds: float, target: float | None = None, *, yamllint: float | None = None
    ) -> None:
        """A line about processor time."""
        beside = f"  {milliseconds / self._bare:>7.1f}x" + (f"  {milliseconds / yamllint:>10.2f}x" if yamllint else "")
        self._line(what, milliseconds, target, "ms", beside)

    def figure(self, what: str, value: float, target: float | None = None, unit: str = "") -> None:
        """A line about anything else."""
        self._line(what, value, target, unit, "")

    def _line(self, what: str, value: float, target: float | None, unit: str, beside: str) -> None:
        wanted = "" if target is None else f"<= {target:g} {unit}".rstrip()
        missed = target is not None and value > target
        self.missed |= missed
        note = "  MISSED" if missed else ""
        print(f"{what:<46} {value:>9.1f} {unit:<2} {wanted:>12}{beside}{note}", flush=True)
