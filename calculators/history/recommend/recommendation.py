"""Types for recommendations, for calculators that could not run, and for requests for recommendations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from flink_flint.linter.flink.releases import NEWEST, Release, parse_release, release_at
from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.text.named_tuple import NamedTuple

NOT_SET = "not set"
HALF_LIFE = 2.0
"""The default half-life, in days, of a sample's weight in percentiles of throughput metrics."""
WINDOW = 30
"""The number of days of data to read, up to and including the last day in the store."""


SupplyingInput = TypedDict("SupplyingInput", {"value": Any, "from": str})
"""A calculator input's value, with the metric or the kind of source that supplied it."""


class RecordedScore(TypedDict):
    """The score of a capacity method on past days; shares are None if they are not finite."""

    U: float | None
    lag: float | None
    slack: float | None
    days: int


RecordedEvidence = TypedDict(
    "RecordedEvidence",
    {
        "from": str,
        "to": str,
        "samples": int,
        "days": float | None,
        "metric": str,
        "statistic": str,
        "value": float | None,
        "peak": float | None,
        "unit": str,
        "margin": float | None,
        "half_life_days": float | None,
        "method_score": RecordedScore | None,
        "inputs": dict[str, SupplyingInput],
        "assumed": list[str],
        "notes": list[str],
        "reasoning": list[str],
    },
)
"""The evidence for a recommendation, with the field names of the JSON output."""


class Recommendation(NamedTuple):
    """A recommended value with the current value, the evidence and the reason."""

    cluster: str
    job: str
    """The name of the job as the source spells it; empty for a cluster that does not have exactly one job."""
    operator: str
    calculator: str
    key: str
    """The key of the recommended option, or a name for a value that is set in code: ``async-io.capacity``."""
    current: Any
    """The current value in the base unit; None if it is unknown."""
    recommended: Any
    unit: str
    current_text: str
    """The current value as configuration text; ``not set`` if there is none, empty if it is unknown."""
    recommended_text: str
    severity: str
    """The required action: ``ok``, ``raise``, ``lower``, ``change`` (text) or ``unset`` (current value unknown)."""
    direction: int
    """The direction of the recommended change: 1 for an increase, -1 for a reduction, otherwise 0."""
    evidence: RecordedEvidence
    confidence: str
    """The confidence in the recommendation: ``high``, ``medium`` or ``low``."""
    reason: str
    """The reason for the recommendation as one sentence with numbers."""
    remove: tuple[str, ...] = ()
    """The options that are set now but must not be set together with the recommended option."""

    def as_json(self) -> dict[str, Any]:
        """Return the recommendation as an object for the JSON output."""
        return self._asdict() | {"remove": list(self.remove)}


class Missing(NamedTuple):
    """The output row for a calculator that could not run for a job or cluster, with the reason."""

    cluster: str
    job: str
    operator: str
    calculator: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        """Return the row as an object for the JSON output."""
        return self._asdict()


Row = Recommendation | Missing


class Recommended(NamedTuple):
    """All recommendations for a store, with the calculators that could not run."""

    store: str
    first: str
    """The first date whose data was read; `last` is the last date."""
    last: str
    recommendations: list[Recommendation]
    missing: list[Missing]
    jobs: list[tuple[str, str]]
    """The observed jobs as pairs of cluster name and job name."""

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of ``flint recommend --output-format json``."""
        return {
            "version": 1,
            "store": self.store,
            "window": {"from": self.first, "to": self.last},
            "recommendations": [one.as_json() for one in self.recommendations],
            "missing": [one.as_json() for one in self.missing],
        }


@dataclass(frozen=True)
class Plan:
    """A request for recommendations: which calculators and jobs, for which release, with which settings."""

    flink_version: str = ""
    """The requested Flink release; empty for the newest supported one."""
    half_life: float = HALF_LIFE
    calculators: tuple[str, ...] = ()
    """The names of the requested calculators; empty for all."""
    jobs: tuple[str, ...] = ()
    """The names of the requested jobs, as the source or a reporter spells them; empty for all."""
    cluster: str = ""
    given: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """The settings that override recorded ones, by cluster name; an empty name applies them to every cluster."""
    until: int = 0
    """The time in milliseconds since the epoch after which records are ignored; 0 for no limit."""

    @property
    def release(self) -> Release:
        """The Flink release to make recommendations for: the requested one, or the newest."""
        return (parse_release(self.flink_version) if self.flink_version else None) or release_at(NEWEST)

    def wants(self, *calculators: str) -> bool:
        """Return whether any of the calculators is requested."""
        return not self.calculators or any(one in self.calculators for one in calculators)

    def wants_job(self, job: str) -> bool:
        """Return whether a job, identified by its sanitized name, is requested."""
        return not self.jobs or job in {sanitized(one) for one in self.jobs}


def is_number(value: object) -> bool:
    """Return whether a value is a number; booleans are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
