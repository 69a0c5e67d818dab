"""Changes to configurations that follow from recommendations, as diffs or written to files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.setting_changes import Change, LeftAlone, changes, left_alone
from flink_flint.calculators.command_line.write_settings import applied, diff, write
from flink_flint.calculators.recommend.deployments import Deployment
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.calculators.history.recommend.recommendation import Recommendation


class Patch(NamedTuple):
    """The recommended changes to one configuration, and those that cannot be made automatically."""

    deployment: Deployment
    changes: list[Change]
    left_alone: list[LeftAlone]
    """The settings that are not changed because their values come from templates."""
    undecided: list[str]
    """The keys of options that are not changed because the cluster's jobs have different recommendations."""

    @property
    def path(self) -> str:
        """The path of the changed configuration."""
        return self.deployment.opened.path


def patches(deployments: Sequence[Deployment], recommendations: Sequence[Recommendation]) -> list[Patch]:
    """Return the recommended changes to each configuration, omitting recommendations that require code changes."""
    return [_patch(one, [row for row in recommendations if row.cluster == one.cluster]) for one in deployments]


def _patch(deployment: Deployment, rows: Sequence[Recommendation]) -> Patch:
    configuration = deployment.opened.configuration
    required: dict[str, list[Recommendation]] = {}
    for row in rows:
        if row.severity != "ok" and configuration.resolve(row.key).option is not None:
            required.setdefault(row.key, []).append(row)
    settings: dict[str, Any] = {}
    undecided: list[str] = []
    removed: set[str] = set()
    for key, of_key in required.items():
        if len({row.job for row in of_key}) > 1 and len({row.recommended_text for row in of_key}) > 1:
            undecided.append(key)
            continue
        # If two calculators recommend the same option, the larger value has the reason.
        chosen = max(of_key, key=lambda row: row.recommended if isinstance(row.recommended, (int, float)) else 0)
        settings[key] = chosen.recommended_text if key.endswith(".framesize") else chosen.recommended
        removed.update(chosen.remove)
    answer = Answer(values=(), binding="", steps=(), settings=settings, remove=tuple(sorted(removed - settings.keys())))
    return Patch(deployment, changes(answer, configuration), left_alone(answer, configuration), undecided)


def as_text(found: Sequence[Patch]) -> str:
    """Return one unified diff for all configurations; raise ValueError if a change cannot be made."""
    return "".join(diff(one.deployment.opened, applied(one.deployment.opened, one.changes)) for one in found)


def write_all(found: Sequence[Patch]) -> Iterator[Patch]:
    """Write all changed configurations and yield their patches, after checking that every change is possible.

    Yields each configuration's changes after it is written. Raises ValueError.
    """
    ready = [(one, applied(one.deployment.opened, one.changes)) for one in found if one.changes]
    for one, new in ready:
        write(one.deployment.opened, new)
        yield one
