"""Merges the values of a chart, its values files and its subcharts as Helm does."""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.formats.helm.rendering.chart_files import Chart, Requirement, text_of
from flink_flint.linter.formats.helm.rendering.go_values import Map, copied, is_bool
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotRendered

_GLOBAL = "global"


def overlaid(values: Iterable[Map], budget: Budget) -> Map:
    """Return the values of several files, as ``-f`` combines them: maps are merged, anything else is replaced."""
    result = Map()
    for one in values:
        result = _overlaid(result, one, budget)
    return result


def _overlaid(base: Map, overlay: Map, budget: Budget) -> Map:
    budget.spend(1 + len(base) + len(overlay))
    made = Map(base, origin=overlay.origin or base.origin)
    for key, value in overlay.items():
        current = made.get(key)
        is_merged = isinstance(value, Map) and isinstance(current, Map)
        made.put(key, _overlaid(current, value, budget) if is_merged else value)  # type: ignore[arg-type]
    return made


def process_dependencies(chart: Chart, values: Map, budget: Budget) -> None:
    """Remove disabled subcharts, apply aliases, and import values of subcharts."""
    _enable(chart, values, "", budget)
    _import_all(chart, budget)


def coalesced(chart: Chart, values: Map, budget: Budget) -> Map:
    """Return the values that the templates of a chart and its subcharts see."""
    return _coalesce(chart, _copy(values, budget), budget, keeps_null=False)


def _copy(values: Map, budget: Budget) -> Map:
    made = copied(values, budget.spend)
    assert isinstance(made, Map)
    return made


def _coalesce(chart: Chart, target: Map, budget: Budget, *, keeps_null: bool) -> Map:
    _coalesce_own(chart, target, budget, keeps_null=keeps_null)
    for subchart in chart.dependencies:
        inner = target.setdefault(subchart.name, Map())
        if not isinstance(inner, Map):
            raise NotRendered(f"the values of the chart {subchart.name} are not a mapping")
        _pass_globals(target, inner, budget)
        target[subchart.name] = _coalesce(subchart, inner, budget, keeps_null=keeps_null)
    return target


def _coalesce_own(chart: Chart, target: Map, budget: Budget, *, keeps_null: bool) -> None:
    for key, value in _copy(chart.values, budget).items():
        if key not in target:
            target[key] = value
        elif target[key] is None and not keeps_null:
            del target[key]
        else:
            current = target[key]
            if isinstance(current, Map) and isinstance(value, Map):
                _coalesce_tables(current, value, budget, keeps_null=keeps_null)


def _coalesce_tables(target: Map, source: Map, budget: Budget, *, keeps_null: bool) -> None:
    budget.spend(1 + len(source))
    for key, value in list(source.items()):
        if key not in target:
            target[key] = value
        elif target[key] is None and not keeps_null:
            del target[key]
        else:
            current = target[key]
            if isinstance(current, Map) and isinstance(value, Map):
                _coalesce_tables(current, value, budget, keeps_null=keeps_null)


def _pass_globals(source: Map, target: Map, budget: Budget) -> None:
    """Copy the global values of a chart into those of its subchart."""
    theirs, ours = target.setdefault(_GLOBAL, Map()), source.get(_GLOBAL, Map())
    if not isinstance(theirs, Map) or not isinstance(ours, Map):
        return
    budget.spend(1 + len(ours))
    for key, value in ours.items():
        current = theirs.get(key)
        if isinstance(value, Map):
            if key not in theirs:
                theirs[key] = Map(value, origin=value.origin)
            elif isinstance(current, Map):
                made = Map(value, origin=value.origin)
                _coalesce_tables(made, current, budget, keeps_null=True)
                theirs.put(key, made)
        elif not isinstance(current, Map):
            theirs.put(key, value)


def _value_at(values: Map, path: str) -> object:
    """Return the value at a dotted path, or None."""
    value: object = values
    for name in path.split("."):
        if not isinstance(value, Map) or name not in value:
            return None
        value = value[name]
    return value


def _enable(chart: Chart, values: Map, path: str, budget: Budget) -> None:
    if not chart.requirements:
        return
    budget.spend(len(chart.requirements) * (1 + len(chart.dependencies)))
    kept = [one for one in chart.dependencies if not any(required.accepts(one) for required in chart.requirements)]
    for requirement in chart.requirements:
        found = next((one for one in chart.dependencies if requirement.accepts(one)), None)
        if found is not None:
            kept.append(found.renamed(requirement.alias or found.name))
    chart.dependencies = kept
    merged = coalesced(chart, values, budget)
    for requirement in chart.requirements:
        _decide(requirement, merged, path)
        if not requirement.enabled:
            chart.absent.pop(requirement.name, None)
    disabled = {one.alias or one.name for one in chart.requirements if not one.enabled}
    chart.dependencies = [one for one in chart.dependencies if one.name not in disabled]
    chart.requirements = [one for one in chart.requirements if one.enabled]
    for subchart in chart.dependencies:
        _enable(subchart, merged, f"{path}{subchart.name}.", budget)


def _decide(requirement: Requirement, values: Map, path: str) -> None:
    """Set whether a requirement is enabled: by its tags, or by the first of its conditions that is set."""
    tags = values.get("tags")
    if isinstance(tags, Map):
        states = [bool(tags[name]) for name in requirement.tags if is_bool(tags.get(name))]
        requirement.enabled = any(states) or not states
    for condition in requirement.conditions:
        value = _value_at(values, path + condition)
        if is_bool(value):
            requirement.enabled = bool(value)
            break


def _import_all(chart: Chart, budget: Budget) -> None:
    for subchart in chart.dependencies:
        _import_all(subchart, budget)
    if not chart.requirements:
        return
    # Helm does so even if nothing is imported, which removes what a subchart declares as null.
    values = _coalesce(chart, Map(), budget, keeps_null=True)
    imported = Map()
    for requirement in chart.requirements:
        for entry in requirement.imported:
            found = _imported(requirement.alias or requirement.name, entry, values)
            if found is not None:
                _coalesce_tables(imported, _copy(found, budget), budget, keeps_null=True)
    chart.values = _copy(values, budget)
    _coalesce_tables(chart.values, imported, budget, keeps_null=True)


def _imported(name: str, entry: object, values: Map) -> Map | None:
    """Return the values that an entry of `import-values` adds to those of the parent."""
    if isinstance(entry, Map):
        child, parent = f"{name}.{text_of(entry.get('child'))}", text_of(entry.get("parent"))
    else:
        child, parent = f"{name}.exports.{text_of(entry)}", "."
    found = _value_at(values, child)
    if not isinstance(found, Map):
        return None
    for part in reversed(parent.split(".") if parent != "." else []):
        found = Map({part: found})
    return found
