"""Rule plugins: packages installed next to flint, found by their entry points, enabled by name in `flint.toml`.

A configuration can only enable what is installed and registers itself: it names no module and no path.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType

from flink_flint.linter.config.flint_config import FlintConfigError
from flink_flint.linter.engine.declarative_rules import OWN
from flink_flint.linter.model.rule import FAMILIES, OWN_CODE, Rule

GROUP = "flink_flint.rules"
"""The entry point group of rule plugins; each entry point names a plugin and its package of rule modules."""


@cache
def plugin_rules(name: str) -> tuple[Rule, ...]:
    """Return the rules of an installed plugin; its name becomes their family.

    Raises `FlintConfigError` if it is not installed, cannot be imported, or uses a code or name of flint's rules.
    """
    try:
        rules = tuple(sorted(_rules_of(name), key=lambda rule: rule.code))
        for rule in rules:
            _adopt(rule, name)
    except FlintConfigError:
        raise
    except Exception as error:  # whatever code of others does
        raise _refused(name, f"{type(error).__name__}: {error}") from None
    if not rules:
        raise _refused(name, "it declares no rule")
    return rules


def _refused(name: str, why: str) -> FlintConfigError:
    return FlintConfigError(f"plugin {name}: {' '.join(why.split())}", "plugins", name)


def _rules_of(name: str) -> Iterator[Rule]:
    from importlib.metadata import entry_points

    if name in FAMILIES or name == OWN:
        raise _refused(name, "the name is that of a family of flint's rules; register the plugin under another name")
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        installed = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise _refused(name, f"no installed package registers it as {GROUP} (installed: {installed})")
    if len({one.value for one in found}) > 1:
        raise _refused(name, f"several packages register it: {', '.join(sorted(one.value for one in found))}")
    for module in _modules(found[0].load()):
        rules = [
            value for value in vars(module).values() if isinstance(value, Rule) and value.module == module.__name__
        ]
        if len(rules) > 1:
            raise _refused(name, f"{module.__name__} declares {len(rules)} rules; put each into its own")
        yield from rules


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yield a package and the modules in it, except those whose name begins with an underscore."""
    yield package
    for one in pkgutil.iter_modules(getattr(package, "__path__", ())):
        if not one.name.startswith("_"):
            yield import_module(f"{package.__name__}.{one.name}")


def _adopt(rule: Rule, name: str) -> None:
    if not OWN_CODE.fullmatch(rule.code):
        raise _refused(name, f"{rule.module}: {rule.code} is reserved for flint; use a code such as ACME001")
    rule.own, rule.family, rule.identity = True, name.replace("-", "_"), f"{rule.code}@{name}"
