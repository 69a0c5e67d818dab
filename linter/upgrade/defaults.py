"""Options that a document does not set and whose default changes with the upgrade."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from flink_flint.linter.engine.registry import registry
from flink_flint.linter.flink.changed_defaults import EFFECTS, HABITS, Habit, Uses, is_same, is_set, shown
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.release_differences import Changed, Differences, differences
from flink_flint.linter.flink.releases import Release, nearest_index
from flink_flint.linter.model.target import Target
from flink_flint.linter.upgrade.upgrade_report import EFFECT, MEMORY, OTHER, READ, Default

_MEMORY = ("taskmanager.memory.", "jobmanager.memory.")


@cache
def between(before: Release, after: Release) -> Differences:
    """Return the differences in options between two releases, down to their patch releases if known."""
    options = catalogue()
    return differences(
        options.as_of(before), nearest_index(before), options.as_of(after), nearest_index(after)
    )  # fmt: skip


def unset_defaults(before: Configuration, after: Configuration, target: Target, stays: frozenset[str]) -> list[Default]:
    """Return the changed defaults of options that are not set, the most important first.

    `stays` are the processes (``taskmanager``, ``jobmanager``) whose memory is the same in both releases. An option
    with an unknown value counts as set.
    """
    applies = Uses(before, after, target.platform, stays)
    found = [
        _default(change, applies)
        for change in between(before.release, after.release).defaults
        if not is_set(change, before, after)
    ]
    found += [_habit(habit, applies) for habit in HABITS if habit.begins(before, after)]
    return sorted(found, key=lambda one: (one.same, not one.applies, one.weight, one.key))


def _default(change: Changed, applies: Callable[[str], bool]) -> Default:
    key = catalogue().current_names(change.key)[:1] or (change.key,)
    same = is_same(change)
    effect = None if same else EFFECTS.get(key[0])
    return Default(
        change.key,
        change.before.key,
        shown(change.before),
        shown(change.after),
        _weight(change.key, key[0], effect),
        effect,
        same,
        applies(key[0]),
    )


def _habit(habit: Habit, applies: Callable[[str], bool]) -> Default:
    key = habit.key
    return Default(key, key, habit.before, habit.after, EFFECT, habit.effect, same=False, applies=applies(key))


def _weight(key: str, newest: str, effect: str | None) -> int:
    if key.startswith(_MEMORY):
        return MEMORY
    if effect is not None:
        return EFFECT
    return READ if newest in _read_by_rules() else OTHER


@cache
def _read_by_rules() -> frozenset[str]:
    return frozenset(key for declaration in registry().declarations for key in declaration.reads)
