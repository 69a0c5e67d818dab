"""The widget for an answer's chart and memory bars, and the tick marks of the chart's axes."""

from __future__ import annotations

import math

from rich.text import Text
from textual.app import ComposeResult
from textual.color import Color
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static
from textual_plotext import PlotextPlot

from flink_flint.calculators.answering.answer import Answer, Chart
from flink_flint.calculators.command_line.answer_formats import fill
from flink_flint.calculators.formulas.quantity import BYTES, BYTES_PER_SECOND, COUNT, DAY, SECONDS, Unit
from flink_flint.calculators.interactive.answer_panes import MUTED, STRONG, in_lines
from flink_flint.calculators.interactive.value_steps import ROUND_TIMES
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory

_MIN_WIDTH, _MIN_HEIGHT = 34, 11
"""The minimum width and height of a readable chart, in terminal cells."""

# Lines and points are distinguished by what they are drawn with, even without colors.
_LINES = (("braille", "⠒⠒", "primary"), ("·", "··", "secondary"), ("˟", "˟˟", "success"), ("-", "--", "foreground"))
_POINTS = {"recommended": ("●", "success"), "now": ("◆", "warning")}
_OTHER_POINT = ("■", "foreground")

_TIMES = (*ROUND_TIMES, *(days * DAY for days in (14, 30, 60, 90, 180, 365)))
"""Round steps of time axes in seconds; an axis may span years."""


class Picture(Vertical):
    """A widget that shows the chart of an answer, and its memory as bars."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._chart: Chart | None = None
        self._memory: TaskManagerMemory | JobManagerMemory | None = None

    def compose(self) -> ComposeResult:
        """Yield the widgets for the bars, the chart, and the message shown if there is neither."""
        yield Static(classes="bars")
        yield Static(classes="legend")
        yield PlotextPlot(classes="plot")
        yield Static(classes="none")

    def show(self, answer: Answer | None) -> None:
        """Draw the chart and the memory bars of an answer; clear them if it is None."""
        self._chart = answer.chart if answer else None
        self._memory = answer.memory if answer else None
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Redraw for the new size."""
        self._draw()

    def _draw(self) -> None:
        bars, legend, none = (self.query_one(f".{name}", Static) for name in ("bars", "legend", "none"))
        plot = self.query_one(PlotextPlot)
        width, height = self.size
        bars.display = self._memory is not None
        taken = 0
        if self._memory is not None:
            from flink_flint.linter.output.memory.memory_bars import bars as lines_of

            lines = lines_of(self._memory, max(width, 20), color=True)
            bars.update(Text.from_ansi("\n".join(lines), no_wrap=True))
            taken = len(lines) + 1
        fits = width >= _MIN_WIDTH and height - taken >= _MIN_HEIGHT
        chart = self._chart if fits else None
        plot.display = legend.display = chart is not None
        none.display = not (bars.display or plot.display)
        none.update("This answer has no chart." if self._chart is None else "A larger window shows a chart.")
        if chart is not None:
            legend.update(_legend(chart, width))
            self._plot(plot, chart)

    def _plot(self, plot: PlotextPlot, chart: Chart) -> None:
        plt = plot.plt
        plt.clear_figure()
        # The first line is the one the chart is about: drawn last, it covers the others.
        for place, series in reversed(list(enumerate(chart.series))):
            marker, _, color = _LINES[place % len(_LINES)]
            finite = [(x, y) for x, y in series.points if math.isfinite(x) and math.isfinite(y)]
            plt.plot([x for x, _ in finite], [y for _, y in finite], marker=marker, color=self._color(color))
        for point in chart.points:
            if math.isfinite(point.x) and math.isfinite(point.y):
                marker, color = _POINTS.get(point.label, _OTHER_POINT)
                plt.scatter([point.x], [point.y], marker=marker, color=self._color(color))
        places = [place for series in chart.series for place in series.points] + [(p.x, p.y) for p in chart.points]
        xs = [x for x, _ in places if math.isfinite(x)]
        ys = [y for _, y in places if math.isfinite(y)]
        if xs and ys:
            low, high = _limits(xs)
            plt.xlim(low, high)
            marks = tick_marks(chart.x_unit, low, high, max(2, self.size.width // 16))
            plt.xticks(marks, [_spelled(chart.x_unit, mark) for mark in marks])
            low, high = _limits(ys)
            plt.ylim(low, high)
            marks = tick_marks(chart.y_unit, low, high, max(2, self.size.height // 5))
            plt.yticks(marks, [_spelled(chart.y_unit, mark) for mark in marks])
        plt.xlabel(chart.x)
        plot.refresh()

    def _color(self, name: str) -> tuple[int, int, int]:
        return Color.parse(self.app.theme_variables[name]).rgb


def _limits(values: list[float]) -> tuple[float, float]:
    """Return the ends of an axis; it begins at zero unless that would squeeze the line."""
    low, high = min(values), max(values)
    if low == high:
        return (0.0, high * 2) if high > 0 else (low - 1, high + 1)
    return (0.0 if 0 <= low <= high / 2 else low), high


def tick_marks(unit: Unit, low: float, high: float, wanted: int) -> list[float]:
    """Return about `wanted` round values of a unit from `low` to `high`."""
    step = _round_step(unit, (high - low) / (wanted + 0.5))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)] or [low]


def _round_step(unit: Unit, width: float) -> float:
    """Return the smallest round step of at least `width`."""
    if unit.name in (BYTES.name, BYTES_PER_SECOND.name):
        return float(2 ** math.ceil(math.log2(width)))
    if unit.name == SECONDS.name and 1 <= width <= _TIMES[-1]:
        return next(float(step) for step in _TIMES if step >= width)
    power = 10.0 ** math.floor(math.log10(width))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9))
    return max(1.0, step) if unit.name == COUNT.name else step


def _spelled(unit: Unit, mark: float) -> str:
    return str(unit.spell(mark))


def _legend(chart: Chart, width: int) -> Content:
    """Return the chart's title and the legend of its lines and points."""
    marks = []
    for place, line in enumerate(chart.series):
        _, sample, color = _LINES[place % len(_LINES)]
        marks.append(Content.assemble((sample, f"${color}"), " ", (line.label, MUTED)))
    for point in chart.points:
        mark, color = _POINTS.get(point.label, _OTHER_POINT)
        marks.append(Content.assemble((mark, f"${color}"), " ", (point.label, MUTED)))
    return Content("\n").join([Content.styled(fill(chart.title, width), STRONG), in_lines(marks, width, "   ")])
