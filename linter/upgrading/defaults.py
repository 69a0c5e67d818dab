"""Options that a document does not set and that have another default after the step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from linter.flink.configuration import BadValue, Configuration, typed_default
from linter.flink.differences import Changed, Differences, differences, means_the_same
from linter.flink.options import Option, catalogue
from linter.flink.releases import MINORS, Release, nearest_index
from linter.flink.values import MAX_LONG, text_of
from linter.registry import registry
from linter.target import Target
from linter.upgrading.effects import EFFECTS, HABITS, Habit, comes_to_the_same
from linter.upgrading.report import EFFECT, MEMORY, OTHER, READ, Default

_MEMORY = ("taskmanager.memory.", "jobmanager.memory.")
_PARTS = {
    "taskmanager": ("flink", "framework", "jvm-metaspace", "jvm-overhead", "managed", "network", "process", "task"),
    "jobmanager": ("flink", "heap", "jvm-metaspace", "jvm-overhead", "off-heap", "process"),
}
"""The parts of each process's memory, by their names in keys."""


@cache
def between(before: Release, after: Release) -> Differences:
    """What changed between two releases, patches included where they are known."""
    options = catalogue()
    return differences(
        options.as_of(before), nearest_index(before), options.as_of(after), nearest_index(after)
    )  # fmt: skip


def unset_defaults(before: Configuration, after: Configuration, target: Target, stays: frozenset[str]) -> list[Default]:
    """The defaults that change under what is not set, what weighs most first.

    `stays` are the processes (``taskmanager``, ``jobmanager``) whose memory is the same in both releases. An option
    whose value nobody can tell counts as set.
    """
    applies = _Uses(before, after, target, stays)
    found = [
        _default(change, applies)
        for change in between(before.release, after.release).defaults
        if not _is_set(change, before, after)
    ]
    found += [_habit(habit, applies) for habit in HABITS if _holds(habit, before, after)]
    return sorted(found, key=lambda one: (one.same, not one.applies, one.weight, one.key))


def _default(change: Changed, applies: Callable[[str], bool]) -> Default:
    key = catalogue().current_names(change.key)[:1] or (change.key,)
    same = (
        means_the_same(change.before, change.after)
        or comes_to_the_same(key[0], change.before.default, change.after.default)
        or (items(shown(change.before)) == items(shown(change.after)) != ())
    )
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


def _holds(habit: Habit, before: Configuration, after: Configuration) -> bool:
    crossed = before.index < MINORS.index(habit.since) <= after.index
    return crossed and not after.is_set(habit.key) and after.is_set("execution.checkpointing.interval")


def shown(option: Option) -> str | None:
    """A default as people read it; None where there is none."""
    if typed_default(option) == MAX_LONG:
        return "no limit"
    return None if option.default is None else text_of(option.default)


def items(default: str | None) -> tuple[str, ...]:
    """What a default lists, sorted, however that is written; nothing where it is no list of several."""
    text = (default or "").removeprefix("[").removesuffix("]")
    parts = tuple(sorted(part.strip() for part in text.replace(";", ",").split(",") if part.strip()))
    return parts if len(parts) > 1 else ()


def _is_set(change: Changed, before: Configuration, after: Configuration) -> bool:
    if change.after.templated:
        return any(
            (accepted := after.catalogue.accept(key, after.index)) and accepted.option.key == change.key
            for key in after.settings
        )
    return before.is_set(change.before.key) or after.is_set(change.key)


def _weight(key: str, newest: str, effect: str | None) -> int:
    if key.startswith(_MEMORY):
        return MEMORY
    if effect is not None:
        return EFFECT
    return READ if newest in _read_by_rules() else OTHER


@cache
def _read_by_rules() -> frozenset[str]:
    return frozenset(key for declaration in registry().declarations for key in declaration.reads)


class _Uses:
    """Whether a configuration uses what an option is about."""

    def __init__(
        self, before: Configuration, configuration: Configuration, target: Target, stays: frozenset[str]
    ) -> None:
        self._stays = stays
        self._before = before
        self._configuration = configuration
        self._target = target

    def __call__(self, key: str) -> bool:
        """Asked by the newest key of an option."""
        return all(uses() for prefix, uses in self._conditions() if key.startswith(prefix))

    def _conditions(self) -> Iterator[tuple[str, Callable[[], bool]]]:
        platform = self._target.platform
        for process, parts in _PARTS.items():
            for part in parts:
                yield f"{process}.memory.{part}.", partial(self._moves, process)
        yield "kubernetes.", lambda: platform in ("kubernetes", "operator")
        yield "yarn.", lambda: platform in ("yarn", "emr")
        yield "state.backend.rocksdb.", lambda: "rocksdb" in self._text("state.backend.type").lower()
        yield "high-availability.zookeeper.", lambda: "zookeeper" in self._text("high-availability.type").lower()
        for strategy in ("exponential-delay", "failure-rate", "fixed-delay"):
            yield f"restart-strategy.{strategy}.", partial(self._restarts, strategy)
        yield "security.ssl.", lambda: self._any_true("security.ssl.internal.enabled", "security.ssl.rest.enabled")
        yield "execution.batch.", self._is_batch
        yield "taskmanager.memory.framework.off-heap.batch-shuffle.", self._is_batch
        yield "taskmanager.network.sort-shuffle.", self._is_batch
        yield "taskmanager.network.batch-shuffle.", self._is_batch
        for prefix in ("historyserver.", "metrics.reporter.", "python.", "sql-gateway.", "table."):
            yield prefix, partial(self._has, prefix)

    def _text(self, key: str) -> str:
        return str(self._configuration.resolve(key).raw or "")

    def _moves(self, process: str) -> bool:
        return process not in self._stays

    def _has(self, prefix: str) -> bool:
        return any(key.startswith(prefix) for key in self._configuration.settings)

    def _restarts(self, strategy: str) -> bool:
        named = self._text("restart-strategy.type")
        if not named:
            # Where the step changes the strategy itself, nothing that was in force has another default.
            usual = {
                "exponential-delay" if one.index >= MINORS.index("1.19") else "fixed-delay"
                for one in (self._before, self._configuration)
            }
            return usual == {strategy} and self._configuration.is_set("execution.checkpointing.interval")
        return named.replace("-", "").lower() == strategy.replace("-", "")

    def _any_true(self, *keys: str) -> bool:
        for key in keys:
            try:
                if self._configuration.value(key) is True:
                    return True
            except BadValue:
                continue
        return False

    def _is_batch(self) -> bool:
        return self._text("execution.runtime-mode").upper() in ("BATCH", "AUTOMATIC")
