"""Formats the differences between the deployments of two paths, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flink_flint.linter.engine.deployments import Deployments
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.processes.difference import (
    FactDifference,
    ProcessDifference,
    SettingDifference,
    object_name,
)
from flink_flint.linter.model.processes.process import Fact, Process, Value
from flink_flint.linter.model.safe_text import neutral_line
from flink_flint.linter.output.deployments.process_json import chain_object
from flink_flint.linter.output.deployments.process_text import Page
from flink_flint.linter.output.deployments.safe_values import SafeValues
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, GOOD, count, wrap
from flink_flint.linter.text.named_tuple import NamedTuple

_REMOVED = "1;38;5;160"
_Difference = FactDifference | SettingDifference


class Side(NamedTuple):
    """One of the two compared paths, with the deployments that use it."""

    path: str
    deployments: Deployments
    values: SafeValues


class _Line(NamedTuple):
    sign: str
    value: str
    remark: str


class Differences:
    """Formats the differences between two sides, as text and as JSON."""

    def __init__(self, before: Side, after: Side, found: Sequence[ProcessDifference]) -> None:
        self._before, self._after, self._found = before, after, found

    def lines(self, page: Page) -> Iterator[str]:
        """Yield the differences as text: each setting or fact, then one line per side."""
        before, after = self._before.path, self._after.path
        yield page.style.paint(_REMOVED, f"- {neutral_line(before)}")
        yield page.style.paint(GOOD, f"+ {neutral_line(after)}")
        if not self._found:
            yield ""
            yield "No differences."
            return
        for group in _of_one_deployment(self._found):
            yield from self._group(group, page)
        settings = {(object_name(one.process), each.key) for one in self._found for each in one.settings}
        facts = {(object_name(one.process), each.what) for one in self._found for each in one.facts}
        lonely = sum(one.before is None or one.after is None for one in self._found)
        parts = [count(len(settings), "setting")] if settings else []
        parts += [count(len(facts), "other value")] if facts else []
        parts += [f"{count(lonely, 'process').replace('processs', 'processes')} on one side only"] if lonely else []
        yield ""
        yield f"Found differences: {', '.join(parts)}."

    def _group(self, group: Sequence[ProcessDifference], page: Page) -> Iterator[str]:
        shared = _shared(group)
        known = {_identity(each) for each in shared}
        roles = " and ".join(dict.fromkeys(_named(one.process) for one in group))
        if shared:
            yield from self._heading(group[0], roles, page)
            for each in shared:
                yield from self._difference(group[0], each, page)
        for one in group:
            own = [each for each in _all(one) if _identity(each) not in known]
            if own or one.before is None or one.after is None:
                yield from self._heading(one, _named(one.process), page)
                if one.before is None or one.after is None:
                    side = self._after if one.before is None else self._before
                    yield f"  only in {neutral_line(side.path)}"
                for each in own:
                    yield from self._difference(one, each, page)

    def _heading(self, one: ProcessDifference, roles: str, page: Page) -> Iterator[str]:
        yield ""
        yield page.style.paint(BOLD, f"{neutral_line(object_name(one.process))}: {roles}")

    def _difference(self, one: ProcessDifference, each: _Difference, page: Page) -> Iterator[str]:
        if isinstance(each, FactDifference):
            yield f"  {page.style.paint(FRAME, neutral_line(each.what))}"
            lines = [self._fact("-", self._before, each.what, each.before, one.before),
                     self._fact("+", self._after, each.what, each.after, one.after)]  # fmt: skip
        else:
            yield f"  {page.style.paint(FRAME, neutral_line(self._key(each)))}"
            lines = [*self._setting("-", self._before, each.key, each.before, one.before),
                     *self._setting("+", self._after, each.key, each.after, one.after)]  # fmt: skip
        longest = min(max(len(line.value) for line in lines), max(12, page.width // 2))
        for line in lines:
            color = _REMOVED if line.sign == "-" else GOOD if line.sign == "+" else DIM
            shown = line.value
            if page.cuts and len(shown) > page.width - 6:
                shown = f"{shown[: page.width - 7]}…"
            is_below = page.cuts and max(longest, len(shown)) + len(line.remark) + 6 > page.width
            tail = f"  {page.style.paint(DIM, line.remark)}" if line.remark and not is_below else ""
            text = f"{line.sign} {shown:<{longest}}" if tail else f"{line.sign} {shown}"
            yield f"  {page.style.paint(color, text)}{tail}"
            if line.remark and is_below:
                yield f"      {page.style.paint(DIM, wrap(line.remark, page.width, ' ' * 6, used=6))}"

    def _key(self, each: SettingDifference) -> str:
        side, value = (self._before, each.before) if each.before is not None else (self._after, each.after)
        assert value is not None
        return side.values.key(each.key, value.origin.document)

    def _fact(self, sign: str, side: Side, what: str, fact: Fact | None, process: Process | None) -> _Line:
        if fact is None or process is None:
            return _Line(sign, "(unknown)" if what == "replicas" else "(none)", "")
        place = neutral_line(side.values.place(fact.origin)) if fact.origin is not None else ""
        return _Line(sign, neutral_line(self._shown(side, what, fact, process)), place)

    def _shown(self, side: Side, what: str, fact: Fact, process: Process) -> str:
        if what == "memory limit" and isinstance(fact.value, int):
            return readable(fact.value)
        if what.startswith("variable "):
            return side.values.variable(what.removeprefix("variable "), fact, process.document) or "(unknown)"
        text = str(fact.value) if fact.value is not None else fact.origin.text if fact.origin is not None else "?"
        return side.values.text(text, process.document)

    def _setting(
        self, sign: str, side: Side, key: str, value: Value | None, process: Process | None
    ) -> Iterator[_Line]:
        if value is None:
            yield _Line(sign, "(not set)", "" if process is None else _default(process, key))
            return
        for number, origin in enumerate(value.chain):
            remark = ", ".join(filter(None, (value.note * (not number), origin.layer, side.values.place(origin))))
            text = neutral_line(" ".join(side.values.setting(origin).split()))
            if not number:
                yield _Line(sign, text, neutral_line(remark))
            elif origin.text != value.text:
                yield _Line(" ", text, neutral_line(f"overridden, {remark}"))

    # -- JSON

    def object(self) -> dict[str, Any]:
        """Return the differences as a JSON object, with the chains of origins on both sides."""
        return {
            "version": 1,
            "before": self._before.path,
            "after": self._after.path,
            "processes": [self._process(one) for one in self._found],
        }

    def _process(self, one: ProcessDifference) -> dict[str, Any]:
        return {
            "role": one.process.role,
            "name": one.process.name,
            "before": self._place(self._before, one.before),
            "after": self._place(self._after, one.after),
            "differences": [
                {"what": each.what, "before": self._fact_object(self._before, each.what, each.before, one.before),
                 "after": self._fact_object(self._after, each.what, each.after, one.after)}
                for each in one.facts
            ],
            "settings": [
                {"key": self._key(each), "before": self._value_object(self._before, each.before),
                 "after": self._value_object(self._after, each.after)}
                for each in one.settings
            ],
        }  # fmt: skip

    def _place(self, side: Side, process: Process | None) -> dict[str, Any] | None:
        if process is None:
            return None
        path, line = side.deployments.head(process.document)
        return {"deployment": side.values.name(process.document), "path": path, "line": line,
                "flink_version": str(process.configuration.release)}  # fmt: skip

    def _fact_object(self, side: Side, what: str, fact: Fact | None, process: Process | None) -> dict[str, Any] | None:
        if fact is None or process is None:
            return None
        value = fact.value if isinstance(fact.value, int) else self._shown(side, what, fact, process)
        if fact.origin is None:
            return {"value": value}
        path, line = side.deployments.place(fact.origin)
        return {"value": value, "path": path, "line": line}

    def _value_object(self, side: Side, value: Value | None) -> dict[str, Any] | None:
        if value is None:
            return None
        chain = [chain_object(side.deployments, side.values, origin) for origin in value.chain]
        return {"value": side.values.setting(value.origin), "chain": chain}


def _default(process: Process, key: str) -> str:
    try:
        found = process.configuration.value(key)
    except BadValue:
        return ""
    if found in (None, "") or isinstance(found, (list, dict)):
        return ""
    return f"default {str(found).lower() if isinstance(found, bool) else found}"


def _named(process: Process) -> str:
    return process.role if process.name in (process.role, "") else f"{process.role} {neutral_line(process.name)}"


def _of_one_deployment(found: Sequence[ProcessDifference]) -> Iterator[list[ProcessDifference]]:
    """Yield the differences of the processes of each deployment."""
    groups: dict[object, list[ProcessDifference]] = {}
    for one in found:
        sides = tuple(None if side is None else id(side.document) for side in (one.before, one.after))
        groups.setdefault(sides, []).append(one)
    yield from groups.values()


def _identity(each: _Difference) -> tuple[object, ...]:
    if isinstance(each, FactDifference):
        return each.what, each.before and str(each.before.value), each.after and str(each.after.value)
    return each.key, each.before and each.before.text, each.after and each.after.text


def _all(one: ProcessDifference) -> list[_Difference]:
    return [*one.facts, *one.settings]


def _shared(group: Sequence[ProcessDifference]) -> list[_Difference]:
    """Return what differs in the same way for all processes of a deployment."""
    if len(group) < 2:
        return []
    others = [{_identity(each) for each in _all(one)} for one in group[1:]]
    return [each for each in _all(group[0]) if all(_identity(each) in other for other in others)]
