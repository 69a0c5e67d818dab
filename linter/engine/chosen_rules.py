"""Determines the rules that options and flint's configuration select for a file, including user-defined rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from flink_flint.linter.config.flint_config import FlintConfig, FlintConfigError, FlintConfigFile, located
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.engine.selection import codes_of, select_codes
from flink_flint.linter.model.rule import Rule
from flink_flint.linter.model.target import target_from_version


def register(found: FlintConfigFile) -> Sequence[Rule]:
    """Register and return rules that a configuration file declares or enables; raise ValueError if one is invalid."""
    if not (found.rules or found.plugins) or found.path is None:
        return ()
    from flink_flint.linter.engine.declarative_rules import own_rules

    try:
        rules = (*own_rules(found), *_plugin_rules(found.plugins))
        _check_distinct(rules)
        for rule in rules:
            if registry().own.get(rule.identity) is not rule:
                registry().register(rule)
    except ValueError as error:
        raise located(found.path, error) from None
    return rules


def _plugin_rules(names: Iterable[str]) -> list[Rule]:
    """Return the rules of the plugins that flint.toml enables; importlib.metadata is only imported if there are any."""
    if not names:
        return []
    from flink_flint.linter.engine.plugins import plugin_rules

    return [rule for name in names for rule in plugin_rules(name)]


def _check_distinct(rules: Sequence[Rule]) -> None:
    """Raise `FlintConfigError` if rules that one file declares or enables share a code or a name."""
    seen: dict[str, Rule] = {}
    for rule in rules:
        for word in (rule.code, rule.name):
            other = seen.setdefault(word, rule)
            if other is not rule:
                raise FlintConfigError(f"{word} is a rule of {other.family} and of {rule.family}", rule.family)


def check_words(found: FlintConfigFile, flint_config: FlintConfig, options: Options) -> None:
    """Raise ValueError, naming the flint configuration file, for an invalid value that affects this run."""
    version = None if options.flink_version else flint_config.flink_version
    selectors = flint_config.extend_select + tuple(selector for selector, _ in flint_config.severity)
    if not options.select:
        selectors += flint_config.select + flint_config.ignore
    try:
        _check_these(version, selectors if options.rules else ())
        if flint_config.thresholds and options.rules:
            _check_thresholds(flint_config.thresholds)
    except ValueError as error:
        raise located(found.path, error) if found.path else error from None


@cache
def _check_these(version: str | None, selectors: tuple[str, ...]) -> None:
    word = ""
    try:
        if version:
            word = version
            target_from_version(version, "flint.toml")
        for word in selectors:
            codes_of(word)
    except ValueError as error:
        raise FlintConfigError(str(error), word) from None


def _check_thresholds(thresholds: Mapping[str, Mapping[str, object]]) -> None:
    for word, chosen in thresholds.items():
        declaration = registry().find(word)
        if declaration is None:
            try:
                codes_of(word)
            except ValueError as error:
                raise FlintConfigError(str(error), "thresholds", word) from None
            message = f"thresholds.{word}: set thresholds for one rule, by its name or code"
            raise FlintConfigError(message, "thresholds", word)
        declared = declaration.load().thresholds
        for name, value in chosen.items():
            if name not in declared:
                known = f"has {', '.join(declared)}" if declared else "has none"
                message = f"thresholds.{word}.{name}: no such threshold; {declaration.name} {known}"
                raise FlintConfigError(message, "thresholds", word, name)
            try:
                declared[name].read(value)
            except ValueError as refused:
                raise FlintConfigError(f"thresholds.{word}.{name}: {refused}", "thresholds", word, name) from None


def selection(options: Options, flint_config: FlintConfig) -> frozenset[str]:
    """Return the identities of the rules to run; raise ValueError for a selector that matches no rule."""
    if not options.rules:
        return frozenset()
    return select_codes(
        options.select or flint_config.select,
        (*flint_config.extend_select, *options.extend_select),
        (*(() if options.select else flint_config.ignore), *options.ignore),
        flint_config.own.union(rule.identity for rule in _plugin_rules(flint_config.plugins)),
    )


def ignored_codes(options: Options, flint_config: FlintConfig) -> frozenset[str]:
    """Return the identities of rules excluded only by `ignore` in flint's configuration, to count their findings."""
    if options.select or not flint_config.ignore or not options.ignores:
        return frozenset()
    return selection(options, flint_config._replace(ignore=())) - selection(options, flint_config)
