"""The periods in which the autoscaler rests: a range of a day, a cron expression of Quartz, or both.

Quartz ignores much that stands behind a number or a range; what it takes was compared with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.text.lazy_regex import regex

KEY = "job.autoscaler.excluded.periods"

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_SECOND, _MINUTE, _HOUR, _DAY_OF_MONTH, _MONTH, _DAY_OF_WEEK, _YEAR = range(7)
_BOUNDS = {
    _SECOND: (0, 59), _MINUTE: (0, 59), _HOUR: (0, 23), _DAY_OF_MONTH: (1, 31), _MONTH: (1, 12), _DAY_OF_WEEK: (1, 7),
}  # fmt: skip
_LARGEST_STEP = {_SECOND: 59, _MINUTE: 59, _HOUR: 23, _DAY_OF_MONTH: 31, _MONTH: 12, _DAY_OF_WEEK: 7}
_LAST = regex(r"L-[0-9]*W?")
_MAX_INT = 2**31 - 1
_MOST_DAYS = 30
_WEEKS = range(1, 6)


class _Refused(Exception):  # noqa: N818 - it says what Quartz does
    """Raised for an expression that Quartz refuses."""


def refusal_of(expression: str) -> str | None:
    """Return why the autoscaler refuses a period; None if it takes it."""
    parts = _java_split(expression, "&&")
    if len(parts) > 2:
        return f"Invalid value {expression} in the autoscaler config {KEY}"
    stripped = [part.strip() for part in parts]
    daily, cron = [is_daily(part) for part in stripped], [is_cron(part) for part in stripped]
    if not all(one or other for one, other in zip(daily, cron, strict=True)):
        return (
            f"Invalid value {expression} in the autoscaler config {KEY}, the value is neither a valid daily expression"
            " nor a valid cron expression"
        )
    if len(parts) == 2 and not (any(daily) and any(cron)):
        return (
            f"Invalid value {expression} in the autoscaler config {KEY}, the value can not be configured as"
            " dailyExpression && dailyExpression or cronExpression && cronExpression"
        )
    return None


def _java_split(text: str, separator: str) -> list[str]:
    """Split as Java does, without the empty parts at the end."""
    parts = text.split(separator)
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts if parts != [""] or not text else []


def is_daily(text: str) -> bool:
    """Return whether a text is a range within a day (``9:30:30-10:50:20``)."""
    parts = _java_split(text, "-")
    if len(parts) != 2:
        return False
    times = [_time(part) for part in parts]
    return times[0] is not None and times[1] is not None and times[0] < times[1]


def _time(text: str) -> tuple[int, ...] | None:
    parts = [part for part in text.split(":") if part]
    if not 2 <= len(parts) <= 4 or not all(re.fullmatch(r"[-+]?[0-9]{1,9}", part) for part in parts):
        return None
    numbers = [*map(int, parts), 0, 0][:4]
    fits = all(0 <= number <= most for number, most in zip(numbers, (23, 59, 59, 999), strict=True))
    return tuple(numbers) if fits else None


def is_cron(text: str) -> bool:
    """Return whether Quartz takes a text as a cron expression."""
    try:
        _Cron(text.upper()).check()
    except (_Refused, IndexError):
        return False
    return True


class _Cron:
    """One expression; the days that were read decide about others."""

    def __init__(self, text: str) -> None:
        self._fields = [field for field in re.split(r"[ \t]+", text) if field]
        self._of_month: set[int | None] = set()
        """The days of the month that were read; None for "?"."""
        self._of_week: set[int | None] = set()
        self._is_last_day = False

    def check(self) -> None:
        """Raise _Refused or IndexError for what Quartz refuses."""
        for kind, field in enumerate(self._fields[: _YEAR + 1]):
            is_list = "," in field and len(field) > 1
            if kind in (_DAY_OF_MONTH, _DAY_OF_WEEK) and is_list and "L" in field:
                raise _Refused
            if kind == _DAY_OF_WEEK and field.count("#") > 1:
                raise _Refused
            for item in field.split(","):
                if item:
                    for value in self._values(item, kind):
                        if kind == _DAY_OF_MONTH:
                            self._of_month.add(value)
                        elif kind == _DAY_OF_WEEK:
                            self._of_week.add(value)
        if len(self._fields) <= _DAY_OF_WEEK or (None in self._of_month) is (None in self._of_week):
            raise _Refused

    def _values(self, item: str, kind: int) -> Iterator[int | None]:
        """Yield values that stand for those of one item."""
        first = item[0]
        if "A" <= first <= "Z" and item not in ("L", "LW") and _LAST.fullmatch(item) is None:
            yield self._named(item, kind)
        elif first == "?":
            self._check_unspecified(item, kind)
            yield None
        elif first in "*/":
            yield self._every(item, kind)
        elif first == "L":
            yield from self._last(item, kind)
        elif "0" <= first <= "9":
            yield self._number(item, kind)
        else:
            raise _Refused

    @staticmethod
    def _named(item: str, kind: int) -> int:
        """Read the name of a month or day, a range of names, or a name with ``#`` or ``L``."""
        names = {_MONTH: _MONTHS, _DAY_OF_WEEK: _DAYS}.get(kind)
        if names is None or item[:3] not in names or len(item) < 3:
            raise _Refused
        rest = item[3:]
        if rest.startswith("-") and rest[1:4] not in names:
            raise _Refused
        if rest.startswith("#") and kind == _DAY_OF_WEEK and _whole(rest[1:]) not in _WEEKS:
            raise _Refused
        return names.index(item[:3]) + 1

    def _check_unspecified(self, item: str, kind: int) -> None:
        if len(item) > 2 or kind not in (_DAY_OF_MONTH, _DAY_OF_WEEK):
            raise _Refused
        if kind == _DAY_OF_WEEK and not self._is_last_day and (not self._of_month or None in self._of_month):
            raise _Refused

    @staticmethod
    def _every(item: str, kind: int) -> int:
        """Read ``*``, ``*/5`` or ``/5``; what follows another character is ignored."""
        rest = item[1:] if item[0] == "*" else item
        if rest.startswith("/"):
            _check_step(_whole(rest[1:]), kind)
        return 1

    def _last(self, item: str, kind: int) -> Iterator[int]:
        if kind == _DAY_OF_MONTH:
            self._is_last_day = True
            if item.startswith("L-") and _digits(f"0{item[2]}{item[3:]}") > _MOST_DAYS:
                raise _Refused
        elif kind == _DAY_OF_WEEK:
            yield 7

    @staticmethod
    def _number(item: str, kind: int) -> int:
        digits = re.match("[0-9]+", item)[0]  # type: ignore[index]
        value, rest = _digits(digits), item[len(digits) :]
        if rest[:1] == "L":
            if kind != _DAY_OF_WEEK:
                raise _Refused
        elif rest[:1] == "W":
            if kind != _DAY_OF_MONTH or value > _BOUNDS[kind][1]:
                raise _Refused
            return value
        elif rest[:1] == "#":
            if kind != _DAY_OF_WEEK or _whole(rest[1:]) not in _WEEKS:
                raise _Refused
            return value
        elif rest[:1] == "-":
            _check_range(value, rest[1:], kind)
        elif rest[:1] == "/":
            if not re.fullmatch(r"[0-9].*", rest[1:]) or re.fullmatch(r"[0-9][^0-9].*", rest[1:]):
                raise _Refused
            _check_step(_digits(re.match("[0-9]+", rest[1:])[0]), kind)  # type: ignore[index]
        _check_bounds(value, kind)
        return value


def _check_range(first: int, rest: str, kind: int) -> None:
    """Check the end of a range, and its step."""
    found = re.match(r"([0-9]+)(/?)([0-9]*)", rest)
    if found is None or (found[2] and not found[3]):
        raise _Refused
    last = _digits(found[1])
    if kind == _YEAR and last < first:
        raise _Refused
    if kind in _BOUNDS and last > _BOUNDS[kind][1]:
        raise _Refused
    if found[3]:
        _digits(found[3])


def _check_bounds(value: int, kind: int) -> None:
    if kind in _BOUNDS and not _BOUNDS[kind][0] <= value <= _BOUNDS[kind][1]:
        raise _Refused


def _check_step(step: int, kind: int) -> None:
    if kind in _LARGEST_STEP and step > _LARGEST_STEP[kind]:
        raise _Refused


def _whole(text: str) -> int:
    """Return a number of Java's; raise _Refused for anything else."""
    if len(text) > 1_000 or not re.fullmatch(r"[-+]?[0-9]+", text) or abs(int(text)) > _MAX_INT:
        raise _Refused
    return int(text)


def _digits(text: str) -> int:
    found = re.match(r"[0-9]*", text)
    number = int(found[0]) if found is not None and found[0] else 0
    if number > _MAX_INT:
        raise _Refused
    return number
