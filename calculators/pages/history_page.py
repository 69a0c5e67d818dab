"""The HTML report of a history: current, observed and recommended values, and their effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from flink_flint.calculators.formulas.quantity import COUNT
from flink_flint.calculators.pages.backtest_page import Judged
from flink_flint.calculators.pages.charts import Bar, Bars, Chart
from flink_flint.calculators.pages.html_page import whole_page
from flink_flint.linter.text.named_tuple import NamedTuple

RAISE, CHANGE, LOWER, UNSET, OK = "raise", "change", "lower", "unset", "ok"
SEVERITIES = (RAISE, CHANGE, LOWER, UNSET, OK)
"""The actions that a setting may require, the most urgent first; ``unset`` means that its current value is unknown."""
_TOP_CHANGES = 12
_MAX_BARS = 10


class Pair(NamedTuple):
    """A name with its formatted value."""

    name: str
    value: str


class WouldRow(NamedTuple):
    """A measure of the effect that the recommended and the current value would have had on the history."""

    measure: str
    now: str
    """The measure's formatted value with the current setting; empty if it is unknown."""
    recommended: str


class Advice(NamedTuple):
    """A setting with its current and its recommended value."""

    calculator: str
    key: str
    operator: str
    """The name of the operator that the setting is for; empty if the setting applies to the whole job or cluster."""
    current: str
    """The setting's current value as formatted text; empty if it is unknown."""
    recommended: str
    reason: str
    confidence: str
    """The confidence in the recommendation: ``high``, ``medium`` or ``low``."""
    severity: str
    """The action that the setting requires, one of `SEVERITIES`."""
    evidence: tuple[Pair, ...] = ()
    charts: tuple[Chart, ...] = ()
    would_have: tuple[WouldRow, ...] = ()
    notes: tuple[str, ...] = ()


class Card(NamedTuple):
    """The recommendations of one calculator for one operator, which belong together."""

    calculator: str
    operator: str
    severity: str
    """The action that the card's most urgent setting requires, one of `SEVERITIES`."""
    advice: tuple[Advice, ...]

    @property
    def confidence(self) -> str:
        """The confidence in the card's most urgent setting."""
        return self.advice[0].confidence

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for the card's settings, without repetition."""
        return tuple(dict.fromkeys(one.reason for one in self.advice))

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the card's settings, without repetition."""
        return tuple(dict.fromkeys(note for one in self.advice for note in one.notes))

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The charts of the card's settings."""
        return tuple(chart for one in self.advice for chart in one.charts)

    @property
    def would_have(self) -> tuple[WouldRow, ...]:
        """The effects that the card's settings would have had on the history."""
        return tuple(row for one in self.advice for row in one.would_have)

    @property
    def evidence(self) -> tuple[Pair, ...]:
        """The evidence for the card's most urgent setting."""
        return self.advice[0].evidence


class Subject(NamedTuple):
    """The charts and heat maps of an operator, a task, a whole job, or a cluster's processes."""

    name: str
    charts: tuple[Chart, ...]


class JobSection(NamedTuple):
    """A detailed section about a job or a cluster's processes."""

    name: str
    cluster: str
    summary: str
    """A sentence about the job's samples: their period, the number of metrics read, and the time with samples."""
    settings: tuple[Pair, ...]
    """The job's current settings, as far as the history or a configuration file contains them."""
    advice: tuple[Advice, ...]
    operators: tuple[Subject, ...] = ()
    """Charts of observations that no recommendation shows, by operator, task or process."""

    def count(self, severity: str) -> int:
        """Return the number of settings whose severity is `severity`."""
        return sum(one.severity == severity for one in self.advice)

    @property
    def cards(self) -> list[Card]:
        """The recommended changes by calculator and operator, the most urgent first."""
        held: dict[tuple[str, str], list[Advice]] = {}
        for one in self.advice:
            if one.severity != OK:
                held.setdefault((one.calculator, one.operator), []).append(one)
        cards = [
            Card(*key, min((one.severity for one in advice), key=SEVERITIES.index), tuple(advice))
            for key, advice in held.items()
        ]
        return sorted(cards, key=lambda card: SEVERITIES.index(card.severity))

    @property
    def fine(self) -> list[Advice]:
        """The settings that need no change."""
        return [one for one in self.advice if one.severity == OK]


class OtherJob(NamedTuple):
    """A job without a detailed section, shown as a row of a table."""

    name: str
    cluster: str
    counts: tuple[int, ...]
    """The number of the job's settings with each severity, in the order of `SEVERITIES`."""
    first: str
    """The most urgent change to the job's settings as a phrase; empty if no change is needed."""


class Lack(NamedTuple):
    """A recommendation that could not be made because data is missing."""

    job: str
    operator: str
    calculator: str
    reason: str


class Page(NamedTuple):
    """The data that a history report shows."""

    store: str
    window: tuple[float, float]
    """The times of the first and the last sample, in seconds since the epoch."""
    made: float
    """The creation time of the report, in seconds since the epoch."""
    jobs: tuple[JobSection, ...]
    """The detailed sections of jobs and clusters, those with the most urgent changes first."""
    others: tuple[OtherJob, ...] = ()
    backtest: Judged | None = None
    missing: tuple[Lack, ...] = ()


class _Change(NamedTuple):
    anchor: str
    job: str
    advice: Advice


def history_page(page: Page) -> str:
    """Render a history report as an HTML page; raise ValueError if Jinja2 is not installed."""
    return whole_page(
        "history.html.j2",
        page=page,
        totals=_totals(page),
        changes=_most_urgent(page.jobs),
        by_key=_by_key(page.jobs),
        severities=SEVERITIES,
    )


def _totals(page: Page) -> dict[str, int]:
    """Return the number of settings of all jobs by severity."""
    counts = Counter(advice.severity for job in page.jobs for advice in job.advice)
    for other in page.others:
        counts.update(dict(zip(SEVERITIES, other.counts, strict=True)))
    return {severity: counts[severity] for severity in SEVERITIES}


def _most_urgent(jobs: Sequence[JobSection]) -> list[_Change]:
    """Return the changes to make first: the most urgent of each job in turn, then the second ones."""
    listed = [list(_changes(number, job)) for number, job in enumerate(jobs, 1)]
    longest = max(map(len, listed), default=0)
    turns = [changes[place] for place in range(longest) for changes in listed if place < len(changes)]
    if any(change.advice.severity != UNSET for change in turns):
        turns = [change for change in turns if change.advice.severity != UNSET]
    turns.sort(key=lambda change: SEVERITIES.index(change.advice.severity))
    return turns[:_TOP_CHANGES]


def _changes(number: int, job: JobSection) -> Iterator[_Change]:
    for place, card in enumerate(job.cards, 1):
        for advice in card.advice:
            if advice.severity == card.severity:
                yield _Change(f"job-{number}-{place}", job.name, advice)
                break


def _by_key(jobs: Sequence[JobSection]) -> Bars | None:
    """Return a bar chart of how often each setting should change; None if it adds no information to the list."""
    counts = Counter(one.key for job in jobs for one in job.advice if one.severity not in (OK, UNSET))
    if len(jobs) < 2 or len(counts) < 2:
        return None
    return Bars(
        "Settings to change, by how many jobs and operators",
        COUNT,
        tuple(Bar(key, count) for key, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_MAX_BARS]),
    )
