"""Charts as inline SVG: lines with bands, heat maps by hour of the week, trade-offs, bars.

A chart fills the available width: horizontal positions are percentages, while texts and heights are pixels, so that
it is readable on a phone and on a wide screen. Colors are classes in the page's style sheet, for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import pairwise

from flink_flint.calculators.formulas.quantity import Unit, counted
from flink_flint.calculators.pages.axis_ticks import logarithmic_ticks, moments, ticks
from flink_flint.linter.text.named_tuple import NamedTuple

MAX_POINTS = 500
"""The maximum number of points in a line of a chart."""
_MIN_GAP = 0.004
"""The part of the window below which missing time is too narrow to be visible."""
_GRID = 1000
"""The width and height of the plane that lines are drawn on, which is stretched to the chart's size."""
_FAR = 6.0
"""The multiple of the data above which a named line is listed instead of drawn, since it would flatten the rest."""
_TOP, _BOTTOM = 18, 22
"""The heights in pixels of the space above and the space below a chart's plotting area."""
_LINE_HEIGHT = 13
_LONGEST_LABEL = 42
SHADES = 9
"""The number of color classes (``h0``, ``h1``, …) of a heat map."""
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAYS_WIDE = 10
"""The percentage of a heat map's width for the names of days."""


class NamedLine(NamedTuple):
    """A named horizontal line in a chart, such as the current or the recommended value."""

    name: str
    value: float
    kind: str = ""
    """The CSS class that sets the line's color: ``set``, ``advice``, or empty."""
    about: str = ""
    """The text between the line's name and its value: ``3 subtasks, up to``."""

    def label(self, unit: Unit) -> str:
        """Return the name and value as the chart shows them."""
        return " ".join(part for part in (self.name, self.about, unit.spell(self.value)) if part)


class SeriesChart(NamedTuple):
    """A time chart of values in base units, where missing values are NaN."""

    title: str
    unit: Unit
    times: Sequence[float]
    """The start of each time slot in seconds since the epoch, ascending."""
    steps: Sequence[float]
    """The length of each time slot in seconds; time that no slot covers is a gap."""
    mid: Sequence[float]
    """The values of the line, one per time slot."""
    low: Sequence[float] = ()
    """The lower edge of the wide band (the minimum in each time slot); empty without a wide band."""
    high: Sequence[float] = ()
    inner_low: Sequence[float] = ()
    """The lower edge of the narrow band (a percentile in each time slot); empty without a narrow band."""
    inner_high: Sequence[float] = ()
    lines: tuple[NamedLine, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    """The legend of the chart: pairs of a CSS class (``mid``, ``band`` or ``inner``) and its meaning."""
    figures: tuple[tuple[str, str], ...] = ()
    """The statistics below the chart: pairs of a name such as ``p95`` and a formatted value."""
    note: str = ""


class HeatMap(NamedTuple):
    """A chart with a value for each hour of the week."""

    title: str
    unit: Unit
    values: Sequence[Sequence[float | None]]
    """The values of the seven days from Monday on, 24 hours each (UTC); None for an hour without samples."""
    note: str = ""


class Bar(NamedTuple):
    """A labeled bar of a bar chart."""

    label: str
    value: float
    kind: str = ""
    """The CSS class that sets the bar's color."""


class Bars(NamedTuple):
    """A bar chart; all values are 0 or more."""

    title: str
    unit: Unit
    bars: tuple[Bar, ...]
    note: str = ""


class CurvePoint(NamedTuple):
    """A marked point of a trade-off chart."""

    number: int
    """The number shown in the point's mark and explained in a table."""
    name: str
    x: float
    y: float
    is_ours: bool = False


class Curve(NamedTuple):
    """A trade-off chart: two costs of each method at different settings, where less of both is better."""

    title: str
    x: str
    x_unit: Unit
    y: str
    y_unit: Unit
    lines: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    """The lines, one per method: pairs of the method's name and the points for its different settings."""
    points: tuple[CurvePoint, ...]
    note: str = ""


Chart = SeriesChart | HeatMap | Bars | Curve


def draw(chart: Chart, name: str) -> str:
    """Return a chart as an SVG element; `name`, unique in the page, prefixes the ids of title and description."""
    if isinstance(chart, SeriesChart):
        return line_chart(chart, name)
    if isinstance(chart, HeatMap):
        return heat_map(chart, name)
    return bar_chart(chart, name) if isinstance(chart, Bars) else trade_off(chart, name)


def _svg(chart: Chart, name: str, height: float, description: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="100%" height="{_px(height)}" role="img" '
        f'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{escape(chart.title)}</title>'
        f'<desc id="{name}-d">{escape(description)}</desc>{"".join(parts)}</svg>'
    )


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _percent(part: float) -> str:
    return f"{100 * part:.2f}".rstrip("0").rstrip(".") + "%"


def _text(x: str, y: float, text: str, kind: str, anchor: str = "") -> str:
    place = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{_px(y)}" class="{kind}"{place}>{escape(text)}</text>'


def _plane(top: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg y="{_px(top)}" width="100%" height="{_px(height)}" viewBox="0 0 {_GRID} {_GRID}" '
        f'preserveAspectRatio="none" overflow="visible">{"".join(parts)}</svg>'
    )


# -- lines with bands


class Slot(NamedTuple):
    """One time slot of a chart: the value of its line and the bounds of its bands."""

    time: float
    step: float
    mid: float
    low: float
    high: float
    inner_low: float
    inner_high: float


def gapless_runs(chart: SeriesChart, most: int = MAX_POINTS) -> list[list[Slot]]:
    """Return a chart's time slots as runs without missing data; neighbors are merged if there are more than `most`.

    If there are more, neighbors are merged into one with the mean of their lines and the envelope of their bands.
    """
    slots = [slot for slot in _slots(chart) if math.isfinite(slot.mid)]
    if not slots:
        return []
    span = slots[-1].time + slots[-1].step - slots[0].time
    found = [[slots[0]]]
    for before, slot in pairwise(slots):
        missing = slot.time - before.time - before.step
        if missing > max(0.5 * before.step, _MIN_GAP * span if len(slots) > most else 0.0):
            found.append([])
        found[-1].append(slot)
    if len(slots) <= most:
        return found
    width = span / (most - len(found))
    return [_merged(run, slots[0].time, width) for run in found]


def _slots(chart: SeriesChart) -> Iterator[Slot]:
    mid = chart.mid
    low, high = chart.low or mid, chart.high or mid
    inner_low, inner_high = chart.inner_low or mid, chart.inner_high or mid
    for values in zip(chart.times, chart.steps, mid, low, high, inner_low, inner_high, strict=True):
        yield Slot(*(float(value) for value in values))


def _merged(run: Sequence[Slot], start: float, width: float) -> list[Slot]:
    """Return the slots of each `width` seconds merged into one."""
    found: list[Slot] = []
    held: list[Slot] = []
    for slot in run:
        if held and int((slot.time - start) / width) != int((held[0].time - start) / width):
            found.append(_one(held))
            held = []
        held.append(slot)
    return [*found, _one(held)]


def _one(slots: Sequence[Slot]) -> Slot:
    first, last = slots[0], slots[-1]
    return Slot(
        first.time,
        last.time + last.step - first.time,
        sum(slot.mid for slot in slots) / len(slots),
        min(slot.low for slot in slots),
        max(slot.high for slot in slots),
        min(slot.inner_low for slot in slots),
        max(slot.inner_high for slot in slots),
    )


def line_chart(chart: SeriesChart, name: str, height: float = 200) -> str:
    """Draw a line chart over time as SVG, with bands and named horizontal lines; missing values leave gaps."""
    found = gapless_runs(chart)
    slots = [slot for run in found for slot in run]
    if not slots:
        parts = [_text("50%", height / 2, "no samples in this window", "tick", "middle")]
        return _svg(chart, name, height, "No samples.", parts)
    start, end = slots[0].time, slots[-1].time + slots[-1].step
    least, largest = min(slot.low for slot in slots), max(slot.high for slot in slots)
    drawn, far = _within(chart.lines, largest)
    tallest = max([largest, 0.0, *(line.value for line in drawn)])
    marks = ticks(min(0.0, least), tallest, chart.unit)
    bottom, top = marks[0], marks[-1]
    # Names of lines above the chart's range are listed above it.
    ceiling = _TOP + _LINE_HEIGHT * len(far)
    plane = height - ceiling - _BOTTOM

    def across(time: float) -> float:
        return (time - start) / (end - start)

    def down(value: float) -> float:
        return (top - value) / (top - bottom)

    def point(time: float, value: float) -> tuple[int, int]:
        return round(_GRID * across(time)), round(_GRID * down(min(max(value, bottom), top)))

    gaps = [(before[-1].time + before[-1].step, after[0].time) for before, after in pairwise(found)]
    parts = [
        f'<rect class="gap" x="{_percent(across(a))}" y="{ceiling}" width="{_percent(across(b) - across(a))}" '
        f'height="{_px(plane)}"/>'
        for a, b in gaps
        if across(b) - across(a) > _MIN_GAP
    ]
    heights = [(ceiling + plane * down(mark), mark) for mark in marks]
    parts += [
        f'<line class="{"axis" if mark == 0 else "grid"}" x2="100%" y1="{_px(y)}" y2="{_px(y)}"/>'
        for y, mark in heights
    ]

    def path(run: Sequence[Slot], column: str) -> list[tuple[int, int]]:
        return [point(time, getattr(slot, column)) for time, slot in _corners(run)]

    areas = []
    for kind, low, high in (("band", "low", "high"), ("inner", "inner_low", "inner_high")):
        if getattr(chart, low):
            shapes = (_path([*path(one, high), *reversed(path(one, low))]) + "z" for one in found)
            areas.append(f'<path class="{kind}" d="{"".join(shapes)}"/>')
    areas.append(f'<path class="mid" d="{"".join(_path(path(one, "mid")) for one in found)}"/>')
    parts.append(_plane(ceiling, plane, areas))
    crossed = [ceiling + plane * down(line.value) for line in drawn]
    parts += [
        _text("0", y - 4, chart.unit.spell(mark), "tick")
        for y, mark in heights[1:]
        if all(abs(y - 8 - other) > _LINE_HEIGHT / 2 for other in crossed)
    ]
    taken = -math.inf
    for line in sorted(drawn, key=lambda one: -one.value):
        y = ceiling + plane * down(line.value)
        parts.append(f'<line class="named {line.kind}" x2="100%" y1="{_px(y)}" y2="{_px(y)}"/>')
        # Names of lines that are close together are placed below each other.
        taken = max(y - 4, taken + _LINE_HEIGHT)
        parts.append(_text("100%", taken, line.label(chart.unit), f"name {line.kind}", "end"))
    for place, line in enumerate(far):
        words = f"↑ {line.label(chart.unit)}"
        parts.append(_text("100%", 11 + _LINE_HEIGHT * place, words, f"name {line.kind}", "end"))
    parts += _times(start, end, height)
    return _svg(chart, name, height, _spoken(chart, slots, len(gaps)), parts)


def _within(lines: Sequence[NamedLine], largest: float) -> tuple[list[NamedLine], list[NamedLine]]:
    """Return the named lines within the chart's range, and those far above it."""
    finite = [line for line in lines if math.isfinite(line.value)]
    room = _FAR * largest if largest > 0 else math.inf
    return [line for line in finite if line.value <= room], [line for line in finite if line.value > room]


def _spoken(chart: SeriesChart, slots: Sequence[Slot], gaps: int) -> str:
    spell = chart.unit.spell
    low, high = min(slot.low for slot in slots), max(slot.high for slot in slots)
    mean = sum(slot.mid * slot.step for slot in slots) / sum(slot.step for slot in slots)
    text = (
        f"From {_date(slots[0].time)} to {_date(slots[-1].time + slots[-1].step)}: "
        f"minimum {spell(low)}, mean {spell(mean)}, maximum {spell(high)}."
    )
    named = "".join(f" {line.label(chart.unit)}." for line in chart.lines)
    return text + named + (f" {counted(gaps, 'gap')} without samples." if gaps else "")


def _date(time: float) -> str:
    at = datetime.fromtimestamp(time, UTC)
    return f"{at.day} {at:%b %Y %H:%M} UTC"


def _corners(run: Sequence[Slot]) -> Iterator[tuple[float, Slot]]:
    """Yield the corner points of a line: the middle of each slot, and the ends of the first and the last."""
    yield run[0].time, run[0]
    for slot in run:
        yield slot.time + slot.step / 2, slot
    yield run[-1].time + run[-1].step, run[-1]


def _path(points: Sequence[tuple[int, int]]) -> str:
    """Return an SVG path through the points, with relative moves to save space."""
    (x, y), steps = points[0], []
    for (x1, y1), (x2, y2) in pairwise(points):
        steps.append(f"{x2 - x1}{'' if y2 < y1 else ' '}{y2 - y1}")
    return f"M{x} {y}l{' '.join(steps)}" if steps else f"M{x} {y}h0"


def _times(start: float, end: float, height: float) -> Iterator[str]:
    for place, moment in enumerate(moments(start, end)):
        part = (moment.time - start) / (end - start)
        anchor = "start" if part < 0.04 else "end" if part > 0.96 else "middle"
        y = height - _BOTTOM
        rare = "tick" if place % 2 == 0 else "tick often"
        yield f'<line class="axis" x1="{_percent(part)}" x2="{_percent(part)}" y1="{_px(y)}" y2="{_px(y + 4)}"/>'
        yield _text(_percent(part), height - 6, moment.text, rare, anchor)


# -- heat maps


def heat_map(chart: HeatMap, name: str, row: float = 15) -> str:
    """Draw a heat map by hour of the week as SVG, with one row per weekday; hours without samples are empty."""
    cells = [
        (day, hour, float(value))
        for day, hours in enumerate(chart.values)
        for hour, value in enumerate(hours)
        if value is not None and math.isfinite(value)
    ]
    low, high = min((cell[2] for cell in cells), default=0.0), max((cell[2] for cell in cells), default=0.0)
    wide = 100 - _DAYS_WIDE
    parts = [_text("0", day * row + row * 0.75, label, "tick") for day, label in enumerate(_WEEKDAYS)]
    rects = ['<rect class="hn" width="24" height="7"/>']
    for day, hour, value in cells:
        shade = min(SHADES - 1, int(SHADES * (value - low) / (high - low))) if high > low else 0
        rects.append(
            f'<rect class="h{shade}" x="{hour}" y="{day}" width=".94" height=".92"><title>{_WEEKDAYS[day]} '
            f"{hour:02d}:00 {escape(chart.unit.spell(value))}</title></rect>"
        )
    parts.append(
        f'<svg x="{_DAYS_WIDE}%" width="{wide}%" height="{_px(7 * row)}" viewBox="0 0 24 7" '
        f'preserveAspectRatio="none">{"".join(rects)}</svg>'
    )
    for place, hour in enumerate(range(0, 24, 3)):
        x = f"{_DAYS_WIDE + wide * hour / 24:.2f}%"
        parts.append(_text(x, 7 * row + 14, f"{hour:02d}:00", "tick" if place % 2 == 0 else "tick often"))
    y = 7 * row + 24
    boxes = "".join(f'<rect class="h{shade}" x="{shade}" width="1" height="1"/>' for shade in range(SHADES))
    parts.append(
        f'<svg x="{_DAYS_WIDE}%" y="{_px(y)}" width="40%" height="8" viewBox="0 0 {SHADES} 1" '
        f'preserveAspectRatio="none">{boxes}</svg>'
    )
    if cells:
        parts.append(_text(f"{_DAYS_WIDE}%", y + 21, chart.unit.spell(low), "tick"))
        parts.append(_text(f"{_DAYS_WIDE + 40}%", y + 21, chart.unit.spell(high), "tick", "end"))
    if len(cells) < 168:
        parts.append(f'<rect class="hn" x="60%" y="{_px(y)}" width="4%" height="8"/>')
        parts.append(_text("66%", y + 8, "no samples", "tick"))
    return _svg(chart, name, y + 25, _spoken_hours(chart, cells), parts)


def _spoken_hours(chart: HeatMap, cells: Sequence[tuple[int, int, float]]) -> str:
    if not cells:
        return "No samples."

    def hour(cell: tuple[int, int, float]) -> str:
        return f"{_WEEKDAYS[cell[0]]} {cell[1]:02d}:00 UTC ({chart.unit.spell(cell[2])})"

    highest, lowest = max(cells, key=lambda cell: cell[2]), min(cells, key=lambda cell: cell[2])
    text = f"By hour of the week: highest on {hour(highest)}, lowest on {hour(lowest)}."
    return text if len(cells) == 168 else f"{text} {counted(168 - len(cells), 'hour')} of 168 without samples."


# -- bars


def bar_chart(chart: Bars, name: str, row: float = 34) -> str:
    """Draw a horizontal bar chart as SVG, with each bar below its label."""
    largest = max((bar.value for bar in chart.bars if math.isfinite(bar.value)), default=0.0) or 1.0
    parts = []
    for place, bar in enumerate(chart.bars):
        y = place * row
        parts.append(_text("0", y + 12, _cut(bar.label), "label"))
        parts.append(_text("100%", y + 12, chart.unit.spell(bar.value), "label", "end"))
        parts.append(f'<rect class="groove" y="{_px(y + 17)}" width="100%" height="9" rx="2"/>')
        width = _percent(min(1.0, max(0.0, bar.value / largest)))
        parts.append(f'<rect class="bar {bar.kind}" y="{_px(y + 17)}" width="{width}" height="9" rx="2"/>')
    text = "; ".join(f"{bar.label}: {chart.unit.spell(bar.value)}" for bar in chart.bars)
    return _svg(chart, name, row * len(chart.bars), f"{text}.", parts)


def _cut(label: str) -> str:
    """Return a label short enough to leave room for a value on a phone."""
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"


# -- trade-offs


def trade_off(chart: Curve, name: str, height: float = 320) -> str:
    """Draw a trade-off chart as SVG, with methods as numbered marks and lines, and a logarithmic y axis."""
    places = [(point.x, point.y) for point in chart.points] + [place for _, line in chart.lines for place in line]
    positive = [y for _, y in places if y > 0]
    if not places:
        return _svg(chart, name, height, "No days to score.", [])
    marks = logarithmic_ticks(min(positive, default=0.001), max(positive, default=1.0))
    ground, roof = marks[0], marks[-1] if marks[-1] > marks[0] else marks[0] * 10
    sides = ticks(min(x for x, _ in places), max(x for x, _ in places), chart.x_unit, 6)
    left, right = sides[0], sides[-1]
    plane = height - _TOP - 2 * _BOTTOM

    def across(x: float) -> float:
        return 0.02 + 0.96 * (x - left) / (right - left)

    def down(y: float) -> float:
        return 1 - math.log(max(y, ground) / ground) / math.log(roof / ground)

    parts = []
    for mark in marks:
        y = _TOP + plane * down(mark)
        parts.append(f'<line class="grid" x2="100%" y1="{_px(y)}" y2="{_px(y)}"/>')
        parts.append(_text("0", y - 4, chart.y_unit.spell(mark), "tick"))
    for place, side in enumerate(sides):
        x = _percent(across(side))
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP}" y2="{_px(_TOP + plane)}"/>')
        anchor = "start" if place == 0 else "end" if side == right else "middle"
        kind = "tick" if place % 2 == 0 else "tick often"
        parts.append(_text(x, _TOP + plane + 15, chart.x_unit.spell(side), kind, anchor))
    parts.append(_text("100%", height - 8, f"{chart.x} →", "axis-name", "end"))
    parts.append(_text("100%", 11, f"↑ {chart.y}", "axis-name", "end"))
    sweeps = [
        _path([(round(_GRID * across(x)), round(_GRID * down(y))) for x, y in sorted(line)])
        for _, line in chart.lines
        if line
    ]
    parts.append(_plane(_TOP, plane, [f'<path class="sweep" d="{sweep}"/>' for sweep in sweeps]))
    # flint's own marks come last, to be on top.
    for point in sorted(chart.points, key=lambda one: one.is_ours):
        place_x, place_y = _percent(across(point.x)), _px(_TOP + plane * down(point.y))
        text = f"{point.name}: {chart.x} {chart.x_unit.spell(point.x)}, {chart.y} {chart.y_unit.spell(point.y)}"
        kind = "ours" if point.is_ours else "other"
        parts.append(
            f'<g class="mark {kind}"><title>{escape(text)}</title><circle cx="{place_x}" cy="{place_y}" r="9"/>'
            f'<text x="{place_x}" y="{place_y}" dy="4" text-anchor="middle">{point.number}</text></g>'
        )
    text = "; ".join(
        f"{point.name}: {chart.x_unit.spell(point.x)} and {chart.y_unit.spell(point.y)}" for point in chart.points
    )
    return _svg(chart, name, height, f"{chart.x} and {chart.y}. {text}.", parts)
