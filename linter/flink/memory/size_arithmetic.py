"""Arithmetic on sizes in bytes as Flink does it (in decimal, within a Java long), and the notations of sizes."""

from __future__ import annotations

from flink_flint.linter.flink.values import MAX_LONG
from flink_flint.linter.text.named_tuple import NamedTuple

_UNITS = ((40, "tb"), (30, "gb"), (20, "mb"), (10, "kb"))


def times(size: int, factor: float) -> int:
    """Return `size` bytes times a factor >= 0, truncated to whole bytes.

    Flink multiplies in decimal, by the shortest decimal number that is parsed as the factor. Raises OverflowError if
    the product exceeds a Java long.
    """
    digits, _, exponent = repr(factor).partition("e")
    whole, _, decimals = digits.partition(".")
    power = int(exponent or 0) - len(decimals)
    product = size * int(whole + decimals)
    if power >= 0:
        return total(product * 10**power)
    divisor: int = 10**-power
    if product > MAX_LONG * divisor:
        raise OverflowError("long overflow")
    return product // divisor


def total(*sizes: int) -> int:
    """Return the sum in bytes; raise OverflowError if it exceeds a Java long."""
    result = sum(sizes)
    if result > MAX_LONG:
        raise OverflowError("long overflow")
    return result


class Share(NamedTuple):
    """A component of memory given as a fraction with bounds, such as JVM overhead or network memory."""

    fraction: float
    """The component's fraction of the total, in [0, 1): a Python float with the value of Flink's 32-bit float."""
    minimum: int
    """The minimum size of the component in bytes."""
    maximum: int
    """The maximum size of the component in bytes, at least `minimum`."""

    def of(self, whole: int) -> int:
        """Return the component's size if the total is `whole` bytes, before the bounds are applied."""
        return times(whole, self.fraction)

    def next_to(self, rest: int) -> int:
        """Return the component's size if all other components are `rest` bytes, before the bounds are applied."""
        return times(rest, self.fraction / (1 - self.fraction))

    def bounded(self, size: int) -> int:
        """Return `size` (bytes), limited to the bounds."""
        return max(self.minimum, min(size, self.maximum))

    def allows(self, size: int) -> bool:
        """Return whether a size is within the bounds."""
        return self.minimum <= size <= self.maximum


def flink_text(size: int) -> str:
    """Format a size in bytes as Flink's messages do: ``1.688gb (1811939328 bytes)``."""
    for shift, unit in _UNITS:
        if size > 1 << shift:
            return f"{_thousandths(size / (1 << shift))}{unit} ({size} bytes)"
    return f"{size} bytes"


def _thousandths(value: float) -> str:
    # Java rounds the shortest decimal text of a number half up; Python rounds its binary value half to even.
    thousandths = (times(10_000, value) + 5) // 10
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def readable(size: int) -> str:
    """Format a size in bytes as readable text: ``4 GiB``, ``1728 MiB``, ``172.8 MiB``, ``12.5 GiB``, ``512 bytes``."""
    for shift, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        count = size / (1 << shift)
        # 1728 MiB is clearer than 1.7 GiB: below 10, a unit is used only for whole numbers.
        if count >= 10 or (count >= 1 and (count.is_integer() or unit == "MiB")):
            return f"{count:.1f}".removesuffix(".0") + f" {unit}"
    return f"{size} bytes"


def percent(fraction: float) -> str:
    """Format a fraction as a percentage: ``40 %``, ``12.5 %``."""
    return f"{fraction * 100:.5g} %"
