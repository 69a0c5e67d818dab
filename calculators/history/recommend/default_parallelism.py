"""The choice of a job's `parallelism.default`: the parallelism of the largest vertex that uses the default.

A slot holds a subtask of each vertex, so using fewer subtasks than the largest vertex frees no slots, and a different
parallelism of adjacent vertices costs an exchange over the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.calculators.history.recommend.fill_inputs import Surroundings
from flink_flint.calculators.history.recommend.recommendation import Recommendation, Row

VERTEX = "parallelism.vertex"
DEFAULT = "parallelism.default"


def with_default(rows: Sequence[Row], around: Surroundings) -> Iterator[Row]:
    """Yield a job's rows, with one common value of ``parallelism.default`` for the vertices that use it."""
    vertices = [one for one in rows if isinstance(one, Recommendation) and one.key == VERTEX]
    if not vertices:
        yield from rows
        return
    largest = max(vertices, key=lambda one: int(one.recommended))
    default = around.configuration.current(DEFAULT)
    default = largest.current if default is None else default
    setting = max((one for one in vertices if one.current == default), key=lambda one: one.recommended, default=None)
    for row in rows:
        if not isinstance(row, Recommendation) or row.key != VERTEX:
            yield row
        elif setting is not None and row.current == default:
            yield _of_default(row, setting)
        else:
            yield _kept(row) if row.severity == "lower" and row.current <= largest.recommended else row


def _of_default(row: Recommendation, setting: Recommendation) -> Recommendation:
    """Return the row of a vertex that uses the default, whose value the largest such vertex determines."""
    if row.recommended == setting.recommended:
        return row._replace(key=DEFAULT)
    if setting.severity == "lower":
        text = (
            f"{row.recommended_text} would be enough; it uses the value of {setting.operator}, the largest vertex with "
            "the default"
        )
        return row._replace(
            key=DEFAULT, recommended=setting.recommended, recommended_text=setting.recommended_text,
            severity=setting.severity, direction=setting.direction, reason=f"{row.reason}; {text}",
        )  # fmt: skip
    return _kept(row) if row.severity == "lower" else row


def _kept(row: Recommendation) -> Recommendation:
    text = (
        f"{row.recommended_text} would be enough, but a slot holds a subtask of each vertex, so using fewer than the "
        "largest vertex frees no slots"
    )
    return row._replace(
        recommended=row.current, recommended_text=row.current_text, severity="ok", direction=0,
        reason=f"{row.reason}; {text}",
    )  # fmt: skip
