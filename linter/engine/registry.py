"""The rule registry: all rules, found by walking the package `rules` and imported only when needed.

`rules/index.json` holds what each rule declares, so that a run imports only the rules that the keys of its documents
trigger. It only saves time: a module that is missing from the index is imported, one that no longer exists is
dropped. `make index` regenerates it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from flink_flint.linter.config.flint_config import FlintConfigError
from flink_flint.linter.filesystem.writing import write_whole
from flink_flint.linter.model.finding import Confidence, Severity, selects
from flink_flint.linter.model.rule import Comparison, Rule, is_code
from flink_flint.linter.text.named_tuple import NamedTuple

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "rules")
INDEX = os.path.join(PACKAGE, "index.json")
COMPARISONS = os.path.join(PACKAGE, "comparisons.json")
"""The path of the JSON file that lists which documents each rule of scope "project" compares, one rule per line."""

DECLARATIONS = os.path.join(PACKAGE, "declared.json")
"""The path of the JSON copy of all TOML rules, one rule per line, which is faster to parse than TOML."""


DECLARED = ".toml"
"""The file extension of declarative rules (`linter.engine.declarative_rules`)."""

PEDANTIC = "pedantic"
"""The selector for all rules that run only when selected explicitly."""

_LOADED: dict[str, Rule] = {}


class Declaration(NamedTuple):
    """The metadata of a rule: enough to select it and to know when it is triggered, without importing it."""

    code: str
    name: str
    family: str
    severity: int
    confidence: int
    scope: str
    always: bool
    every_release: bool
    of_scale: bool
    pedantic: bool
    several: bool
    flink: str
    since: str
    reads: tuple[str, ...]
    when: tuple[str, ...]
    only: tuple[str, ...]
    summary: str
    identity: str
    """The key that identifies the rule in selections: its code, plus a hash for a user's rule (see `own_identity`)."""

    @property
    def module(self) -> str:
        """The name of the module that defines the rule."""
        return f"flink_flint.rules.{self.family}.{self.name.replace('-', '_')}"

    def load(self) -> Rule:
        """Import the rule's module and return the rule."""
        rule = _LOADED.get(self.identity)
        if rule is None:
            rule = _declared(self) or _read_rule(self.module)
            if rule is None:
                raise ImportError(f"{self.module} declares no rule")
            _LOADED[self.identity] = rule
        return rule


class Registry:
    """The declarations of all rules, ordered by code."""

    def __init__(self, declarations: Iterable[Declaration]) -> None:
        self.declarations = sorted(declarations)
        self.by_identity = {one.identity: one for one in self.declarations}
        self.by_code = {one.code: one for one in self.declarations}
        self.by_name = {one.name: one for one in self.declarations}
        """Declarations by code and by name; if several folders declare the same code or name, the first."""
        self.own: dict[str, Rule] = {}
        """The rules that users declare, by identity."""
        if not len(self.by_code) == len(self.by_name) == len(self.declarations):
            for one in self.declarations:
                for word, other in ((one.code, self.by_code[one.code]), (one.name, self.by_name[one.name])):
                    if other is not one:
                        raise ValueError(f"{word} is declared by {one.module} and {other.module}")

    def register(self, rule: Rule) -> None:
        """Add a user-defined rule; raise `FlintConfigError` if its code or name belongs to one of flint's rules.

        Rules of different folders may share a code or name: each applies to the files of its own folder.
        """
        for known, word in ((self.by_code, rule.code), (self.by_name, rule.name)):
            if word in known and known[word].identity not in self.own:
                raise FlintConfigError(
                    f"rule {rule.code}: {word} is a rule of flint: use another one", "rule", rule.code
                )
        self.own[rule.identity] = _LOADED[rule.identity] = rule
        declaration = declare(rule)
        self.declarations.append(declaration)
        self.by_identity[declaration.identity] = declaration
        self.by_code.setdefault(declaration.code, declaration)
        self.by_name.setdefault(declaration.name, declaration)

    def unregister(self, rule: Rule) -> None:
        """Remove a user-defined rule."""
        del self.own[rule.identity], self.by_identity[rule.identity]
        self.declarations = [one for one in self.declarations if one.identity != rule.identity]
        self.by_code, self.by_name = {}, {}
        for declaration in self.declarations:
            self.by_code.setdefault(declaration.code, declaration)
            self.by_name.setdefault(declaration.name, declaration)

    def find(self, word: str) -> Declaration | None:
        """Return the declaration of the rule with the given code or name; None if there is none."""
        return self.by_code.get(word.upper()) or self.by_name.get(word.lower().replace("_", "-"))

    @property
    def families(self) -> list[str]:
        """The names of the families that have rules, ordered by the codes of the rules."""
        return list(dict.fromkeys(declaration.family for declaration in self.declarations))

    def selected(self, selector: str) -> set[str]:
        """Return the identities of the rules that match a selector: ALL, pedantic, a code, prefix, name or family."""
        if selector.upper() == "ALL":
            return set(self.by_identity)
        if selector.lower() == PEDANTIC:
            return {d.identity for d in self.declarations if d.pedantic}
        return {d.identity for d in self.declarations if selects(selector, code=d.code, rule=d.name, family=d.family)}


def _declared(declaration: Declaration) -> Rule | None:
    """Return the rule of a declaration as of the last index; None if the rule is code."""
    text = _declarations().get(declaration.module)
    if text is None:
        return None
    from flink_flint.linter.engine.declarative_rules import declared_rule

    fields = {"name": declaration.name, **json.loads(text)}
    return declared_rule(fields, family=declaration.family, module=declaration.module)


@cache
def _declarations() -> dict[str, str]:
    """Return the text of each declaration by module."""
    if _bypassed:
        return {}
    try:
        with open(DECLARATIONS, encoding="utf-8") as stream:
            return dict(line.rstrip("\n").split(" ", 1) for line in stream)
    except FileNotFoundError:
        return {}


@cache
def rule_of(module: str) -> Rule | None:
    """Return the rule that a module or a TOML file declares; None if it declares none."""
    declaration = _declaration_of(module)
    if os.path.isfile(declaration):
        from flink_flint.linter.engine.declarative_rules import read_declared

        return read_declared(declaration, module)
    return next((value for value in vars(import_module(module)).values() if isinstance(value, Rule)), None)


def _declaration_of(module: str) -> str:
    return os.path.join(PACKAGE, *module.split(".")[2:]) + DECLARED


def declare(rule: Rule) -> Declaration:
    """Return the metadata of a loaded rule as a `Declaration`."""
    return Declaration(
        rule.code, rule.name, rule.family, int(rule.severity), int(rule.confidence), rule.scope, rule.always,
        rule.every_release, rule.of_scale, rule.pedantic, rule.several, rule.flink, rule.since, rule.reads, rule.when,
        rule.only, rule.summary, rule.identity,
    )  # fmt: skip


@cache
def comparisons() -> Mapping[str, Comparison | None]:
    """Return which documents each rule of scope "project" compares, by identity; None means all documents.

    Rules of users compare all documents.
    """
    if _bypassed:
        return {one.identity: one.load().compares for one in registry().declarations if one.scope == "project"}
    try:
        with open(COMPARISONS, encoding="utf-8") as stream:
            rows: dict[str, list[Any]] = json.load(stream)
    except FileNotFoundError:
        return {}
    return {
        identity: tuple(one if isinstance(one, str) else (tuple(one[0]), tuple(one[1])) for one in row)
        for identity, row in rows.items()
    }


def modules() -> list[str]:
    """Return the names of all rule modules, including declarative ones, by walking the package's folders."""
    found = []
    for family in os.scandir(PACKAGE):
        if family.is_dir() and family.name.isidentifier() and not family.name.startswith("_"):
            package = f"flink_flint.rules.{family.name}."
            found += [
                package + name.rpartition(".")[0]
                for name in os.listdir(family.path)
                if name.endswith((".py", DECLARED)) and not name.startswith("_")
            ]
    return sorted(found)


def walk() -> list[Declaration]:
    """Import the modules of all rules and return the declarations; raise ValueError as `registry` does."""
    return [declare(rule) for module in modules() if (rule := _read_rule(module)) is not None]


def write_index() -> None:
    """Write the rule index (one rule per line), and the caches of declarative rules and comparisons next to it."""
    from flink_flint.linter.engine.declarative_rules import read_declaration

    declarations = {
        module: read_declaration(path) for module in modules() if os.path.isfile(path := _declaration_of(module))
    }
    text = "".join(f"{module} {json.dumps(one, ensure_ascii=False)}\n" for module, one in declarations.items())
    write_whole(DECLARATIONS, text.encode())
    lines = [json.dumps(declaration, ensure_ascii=False, separators=(",", ":")) for *declaration, _ in sorted(walk())]
    compared = {one.identity: one.load().compares for one in walk()}
    rows = [f"{json.dumps(one)}:{json.dumps(row)}" for one, row in sorted(compared.items()) if row is not None]
    write_whole(COMPARISONS, ("{\n" + ",\n".join(rows) + "\n}\n").encode())
    write_whole(INDEX, ("[\n" + ",\n".join(lines) + "\n]\n").encode())


def stale_declarations() -> bool:
    """Return whether the cached declarative rules differ from their TOML files."""
    from flink_flint.linter.engine.declarative_rules import read_declaration

    declarations = {
        module: read_declaration(path) for module in modules() if os.path.isfile(path := _declaration_of(module))
    }
    return declarations != {module: json.loads(text) for module, text in _declarations().items()}


def read_index() -> list[Declaration]:
    """Return the declarations in the index; empty if there is no index."""
    try:
        with open(INDEX, encoding="utf-8") as stream:
            rows = json.load(stream)
    except FileNotFoundError:
        return []
    return [
        Declaration._make((*fields, tuple(reads), tuple(when), tuple(only), summary, fields[0]))
        for *fields, reads, when, only, summary in rows
    ]


_bypassed = False


def bypass_index() -> None:
    """Make the registry read the rule files instead of the index, for use while rules are being edited."""
    global _bypassed
    _bypassed = True
    _declarations.cache_clear()
    comparisons.cache_clear()
    registry.cache_clear()


def _read_rule(module: str) -> Rule | None:
    """Return the rule that a module declares; raises ValueError with its file and, if known, the line."""
    try:
        rule = rule_of(module)
    except FlintConfigError:  # names the file
        raise
    except Exception as error:  # whatever a half-written module does
        raise ValueError(described(error, file_of(module))) from error
    if rule is not None and not is_code(rule.code):
        file = os.path.relpath(file_of(module))
        raise ValueError(f"{file}: {rule.code!r} is not a code of flint's rules: write FLK and three digits")
    return rule


def file_of(module: str) -> str:
    """Return the path of the Python or TOML file that a rule's module name stands for."""
    declaration = os.path.realpath(_declaration_of(module))
    return declaration if os.path.isfile(declaration) else declaration.removesuffix(DECLARED) + ".py"


def described(error: Exception, file: str) -> str:
    """Return a one-line message for an error in a rule, beginning with the rule's file and, if known, the line."""
    from traceback import extract_tb

    if isinstance(error, SyntaxError) and error.filename is not None:
        lines, file = [error.lineno], os.path.realpath(error.filename)
    else:
        lines = [one.lineno for one in extract_tb(error.__traceback__) if os.path.realpath(one.filename) == file]
    place = f"{os.path.relpath(file)}:{lines[-1]}" if lines else os.path.relpath(file)
    what = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{place}: {type(error).__name__}: {what}"


@cache
def registry() -> Registry:
    """Return the registry of all rules; raise ValueError, naming the file, for a rule that cannot be read."""
    indexed = {} if _bypassed else {declaration.module: declaration for declaration in read_index()}
    found = []
    for module in modules():
        declaration = indexed.get(module)
        if declaration is None and (rule := _read_rule(module)) is not None:
            declaration = declare(rule)
        if declaration is not None:
            found.append(declaration)
    return Registry(found)


def severity_of(word: str) -> Severity:
    """Return the severity called `word`; raise ValueError, listing the valid names, for any other name."""
    try:
        return Severity[word.upper()]
    except KeyError:
        raise ValueError(f"{word!r} is not a severity; there are info, warning and error") from None


def confidence_of(word: str) -> Confidence:
    """Return the confidence called `word`; raise ValueError, listing the valid names, for any other name."""
    try:
        return Confidence[word.upper()]
    except KeyError:
        raise ValueError(f"{word!r} is not a confidence; there are low, medium and high") from None
