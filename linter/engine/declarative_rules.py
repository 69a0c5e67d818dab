"""Rules declared as data instead of code: an option, its forbidden values, and further conditions.

flint's own are TOML files, `rules/<family>/<name>.toml`; users write `[[rule]]` in flint's configuration.
`linter/config/flint_config.schema.json` defines the format (``$defs/rule``), docs/own-rules.md explains it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from flink_flint.linter.config.flint_config import FlintConfigError, FlintConfigFile, check_file, own_identity
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.releases import MINORS, ReleaseRange
from flink_flint.linter.flink.values import MILLISECOND, Duration, parse, parse_duration, text_of
from flink_flint.linter.model.finding import Confidence, Finding, Fix, Severity
from flink_flint.linter.model.rule import CATALOGUED, OWN_CODE, Case, Rule, bad, good
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.user_patterns import PatternError, linear_search

if TYPE_CHECKING:
    from flink_flint.linter.model.claim import Claim
    from flink_flint.linter.model.view import Setting, View

OWN = "own"
"""The default rule family of rules that users declare."""

_NAME = regex(r"[a-z][a-z0-9-]*")

_LIMITS: Mapping[str, Callable[[Any, Any], bool]] = {
    "below": lambda value, bound: value < bound,
    "above": lambda value, bound: value > bound,
    "at-least": lambda value, bound: value >= bound,
    "at-most": lambda value, bound: value <= bound,
}
_TESTS = ("set", "is", "is-not", "matches", "matches-not", *_LIMITS)
_FIXES = ("set", "rename", "remove")
_CONTROL = regex(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_PLACEHOLDER = regex(r"\{([^{}\s]+)\}")


class DeclarationError(ValueError):
    """An invalid rule declaration; the message says why."""


class Condition:
    """A condition on one option, made of one or more tests that must all pass."""

    __slots__ = ("_limits", "_matches", "_matches_not", "_one_of", "_set", "_unlike", "option")

    def __init__(self, declaration: Mapping[str, Any], own: bool) -> None:
        self.option: str = declaration["option"]
        self._set: bool | None = declaration.get("set")
        self._one_of: Sequence[object] | None = declaration.get("is")
        self._unlike: Sequence[object] = declaration.get("is-not", ())
        self._matches, self._matches_not = (
            _pattern(declaration, "matches", own),
            _pattern(declaration, "matches-not", own),
        )
        self._limits = [(_LIMITS[name], declaration[name]) for name in _LIMITS if name in declaration]
        if self._set is False and any(name in declaration for name in _TESTS[1:]):
            raise DeclarationError(f"{self.option}: an option that is not set has no value: remove the other tests")

    def holds(self, config: View) -> bool | None:
        """Return whether the option's effective value (set or default) meets the condition; None if unknown."""
        setting = _setting(config, self.option)
        if self._set is not None and setting.is_set is not self._set:
            return False
        return self.holds_of(config, setting) if self._set is not False else True

    def holds_of(self, config: View, setting: Setting) -> bool | None:
        """Return whether a value meets the condition; None if a template provides the value or Flink refuses it."""
        if not setting.is_known:
            return None
        value = _value(setting)
        if value is None:
            return None if setting.is_set else self._one_of is None and not self._limits and self._matches is None
        text = setting.text if setting.is_set else text_of(value)
        if self._one_of is not None and not any(_equal(config, setting, value, one) for one in self._one_of):
            return False
        if any(_equal(config, setting, value, one) for one in self._unlike):
            return False
        if self._matches is not None and not self._matches(text):
            return False
        if self._matches_not is not None and self._matches_not(text):
            return False
        for compare, raw in self._limits:
            bound = _typed(config, setting, value, raw)
            if bound is None or isinstance(value, (str, bool, list, dict)):
                return None
            if not compare(value, bound):
                return False
        return True


def _pattern(declaration: Mapping[str, Any], name: str, own: bool) -> Callable[[str], object] | None:
    """Compile a pattern; one that a user wrote runs in time linear in the length of the text."""
    if name not in declaration:
        return None
    try:
        return linear_search(declaration[name]) if own else regex(declaration[name]).search
    except (PatternError, re.error) as error:
        raise DeclarationError(f"{declaration['option']}: {name} {error}") from None


def _setting(config: View, key: str) -> Setting:
    """Return the setting of an option, or of a key that is not a Flink option."""
    setting = config.get(key)
    return config.written(key) if not setting.is_set and key in config.effective else setting


def _value(setting: Setting) -> object:
    """Return the typed value, or the text if the key is not an option of this release."""
    if setting.option is None:
        return setting.text if setting.is_set else None
    return setting.value


def _typed(config: View, setting: Setting, value: object, raw: object) -> Any:
    """Convert a declared value to the unit of the option's value; None if that is impossible."""
    if setting.option is None:
        return str(raw)
    try:
        return config.configuration.parse(setting.option, raw)
    except BadValue:
        pass
    # Milliseconds, before the option became a duration.
    if setting.option.type in ("Integer", "Long") and isinstance(value, int) and isinstance(raw, str):
        try:
            return parse_duration(raw, config.index) // MILLISECOND
        except BadValue:
            return None
    return None


def _equal(config: View, setting: Setting, value: object, raw: object) -> bool:
    expected = _typed(config, setting, value, raw)
    return expected is not None and bool(expected == value)


class Declared:
    """A rule declaration compiled for evaluation; an invalid declaration raises `DeclarationError`."""

    def __init__(self, declaration: Mapping[str, Any], own: bool) -> None:
        self.declaration = declaration
        self._condition = Condition(declaration, own)
        self._also = [Condition(one, own) for one in declaration.get("also", ())]
        self._unless = [Condition(one, own) for one in declaration.get("unless", ())]
        self._platforms = declaration.get("platform")
        self._by_default: bool = declaration.get("or-default", False)
        self._unset = declaration.get("set") is False
        if self._unset and not any(one.get("set") is not False for one in declaration.get("also", ())):
            raise DeclarationError("with set = false, `also` must name an option that is set, which triggers the rule")
        if not any(name in declaration for name in _TESTS):
            raise DeclarationError(f"it tests nothing of {declaration['option']}: give one of {', '.join(_TESTS)}")
        fix = declaration.get("fix", {})
        if fix and len([name for name in _FIXES if name in fix]) != 1:
            raise DeclarationError(f"fix must have exactly one of {', '.join(_FIXES)}")

    @property
    def reads(self) -> list[str]:
        """The options whose presence in a document triggers the rule."""
        others = [one["option"] for one in self.declaration.get("also", ()) if one.get("set") is not False]
        return others if self._unset else [self.declaration["option"], *(others if self._by_default else ())]

    def check(self, config: View) -> Iterator[Finding]:
        """Run the rule on a configuration and yield its findings."""
        if self._platforms is not None and config.platform not in self._platforms:
            return
        setting = _setting(config, self.declaration["option"])
        if not setting.is_set and not (self._unset or self._by_default):
            return
        if not self._condition.holds(config) or not all(one.holds(config) for one in self._also):
            return
        if any(one.holds(config) is not False for one in self._unless):
            return
        others = [_setting(config, one["option"]) for one in self.declaration.get("also", ())]
        shown = setting if setting.is_set else next((one for one in others if one.is_set), setting)
        yield shown.finding(
            _filled(self.declaration["message"], config, setting),
            help=_filled(self.declaration["help"], config, setting) if "help" in self.declaration else None,
            fix=self._fix(setting) if setting.is_set else None,
            related=[one for one in others if one.is_set and one is not shown],
            at=self.declaration.get("at", "value"),
        )

    def _fix(self, setting: Setting) -> Fix | None:
        fix = self.declaration.get("fix", {})
        safe, title = fix.get("safe", False), fix.get("title")
        if "set" in fix:
            return setting.replace(fix["set"], safe=safe, title=title)
        if "rename" in fix:
            return setting.rename(fix["rename"], safe=safe, title=title)
        return setting.remove(safe=safe, title=title) if fix.get("remove") else None


def _filled(text: str, config: View, setting: Setting) -> str:
    """Return a message with its placeholders filled in; anything that is not a placeholder is kept."""

    def fill(match: re.Match[str]) -> str:
        word = match.group(1)
        if word == "value":
            return _spelled(setting)
        if word == "key":
            return setting.written
        if word == "default":
            return "" if setting.default is None else _text(setting.default)
        if word == "release":
            return config.release.name
        named = _setting(config, word) if "." in word else None
        return _spelled(named) if named is not None and (named.is_set or named.option) else match.group()

    return _PLACEHOLDER.sub(fill, text)


def _spelled(setting: Setting) -> str:
    return setting.text if setting.is_set else _text(setting.value)


def _text(value: object) -> str:
    return str(value) if isinstance(value, Duration) else text_of(value)


def declared_rule(declaration: Mapping[str, Any], *, family: str, module: str, own: str | None = None) -> Rule:
    """Return the rule that a declaration describes; `own` is the identity of a user's rule, None for flint's rules.

    The page and the cases of the rule are stored in a new module. Raises `DeclarationError` for mistakes that the
    schema cannot detect: contradictory tests, an invalid pattern or release range.
    """
    declared = Declared(declaration, own is not None)
    flink = declaration.get("flink", CATALOGUED)
    try:
        ReleaseRange(flink)
    except ValueError as error:
        raise DeclarationError(f"flink: {error}") from None
    rule = Rule(
        declared.check,
        code=declaration["code"],
        name=declaration["name"],
        family=declaration.get("family", family),
        severity=Severity[declaration["severity"].upper()],
        confidence=Confidence[declaration.get("confidence", "high").upper()],
        reads=declared.reads,
        when=(),
        flink=flink,
        since=declaration.get("since", ""),
        scope="document",
        always=False,
        every_release=declaration.get("every-release", False),
        of_scale=declaration.get("of-scale", False),
        pedantic=declaration.get("pedantic", False),
        summary=declaration.get("summary", declaration["message"]),
        module=module,
        own=own is not None,
        identity=own,
        url=declaration.get("url"),
    )
    home = ModuleType(module, declaration.get("page") or rule.summary)
    vars(home).update(RULE=rule, cases=lambda: [_case(case, own is not None) for case in declaration.get("case", ())])
    if own is None and "claim" in declaration:
        vars(home).update(claims=lambda: _claims(declaration["claim"]))
    sys.modules[module] = home
    return rule


def _claims(tables: Sequence[Mapping[str, Any]]) -> list[Claim]:
    from flink_flint.linter.model.claim import declared_claim

    return [declared_claim(table) for table in tables]


def _case(declaration: Mapping[str, Any], own: bool) -> Case:
    what = {name: value for name, value in declaration.items() if name not in ("bad", "good")}
    if own:  # the schema of flint.toml has no key for it
        what["times"] = 0
    if "severity" in what:
        what["severity"] = Severity[what["severity"].upper()]
    return bad(declaration["bad"], **what) if "bad" in declaration else good(declaration["good"], **what)


def read_declaration(path: str) -> dict[str, Any]:
    """Read the TOML file of one of flint's rules; raise `FlintConfigError` if it does not match the schema."""
    with open(path, "rb") as stream:
        return check_file(_shown(path), stream.read())


def read_declared(path: str, module: str) -> Rule:
    """Return the rule in one of flint's TOML files; the file name is its name, the folder name is its family.

    Raises `FlintConfigError` with the file, and the line if known, for one that is invalid.
    """
    declaration = read_declaration(path)
    folder, file = os.path.split(path)
    name = file.removesuffix(".toml").replace("_", "-")
    try:
        _check_own(declaration)
        return declared_rule({"name": name, **declaration}, family=os.path.basename(folder), module=module)
    except DeclarationError as error:
        raise FlintConfigError(f"{_shown(path)}: {error}") from None


def _shown(path: str) -> str:
    return os.path.relpath(os.path.realpath(path))


def _check_own(declaration: Mapping[str, Any]) -> None:
    """Raise `DeclarationError` for a rule that could never fire, or whose texts span several lines."""
    for name in ("message", "help"):
        if _CONTROL.search(declaration.get(name, "")):
            raise DeclarationError(f"{name} is one line, without control characters")
    if any(("bad" in case) == ("good" in case) for case in declaration.get("case", ())):
        raise DeclarationError("a case must have exactly one text, `bad` or `good`")
    for one in (declaration, *declaration.get("also", ()), *declaration.get("unless", ())):
        _check_values(one)


def _check_values(declaration: Mapping[str, Any]) -> None:
    """Raise `DeclarationError` for a deprecated key, and for a value that no release accepts for the option."""
    key, options = declaration["option"], catalogue()
    newest = options.current_names(key)
    if newest and key not in newest:
        raise DeclarationError(f"{key} is an old name: write {' or '.join(newest)}")
    known = [(option, index) for index in range(len(MINORS)) if (option := options.option(key, index)) is not None]
    if not known:
        return
    for name in ("is", "is-not", *_LIMITS):
        raws = declaration.get(name, [])
        for raw in raws if isinstance(raws, list) else [raws]:
            if not any(_is_comparable(option, index, raw, name in _LIMITS) for option, index in known):
                kind = known[-1][0].type
                raise DeclarationError(f"{key}: no Flink release accepts {raw!r} in {name} as a value of type {kind}")


def _is_comparable(option: Option, index: int, raw: object, is_limit: bool) -> bool:
    try:
        value = parse(option.type, option.enum, raw, index, yaml=True)
    except BadValue:
        return False
    return not (is_limit and isinstance(value, (str, bool, list, dict)))


def own_rules(flint_config: FlintConfigFile) -> tuple[Rule, ...]:
    """Return the rules that a flint configuration file declares; raise `FlintConfigError` naming the faulty rule."""
    # Identical declarations in several files are one rule: folders may each have a copy of a shared configuration.
    rules = tuple(_own_rule(json.dumps(declaration, sort_keys=True, default=str)) for declaration in flint_config.rules)
    for words in ([rule.code for rule in rules], [rule.name for rule in rules]):
        for word in words:
            if words.count(word) > 1:
                raise FlintConfigError(f"rule {word}: the file declares two rules with that code or name", "rule", word)
    if flint_config.path is not None:
        DECLARED[flint_config.path] = rules
    return rules


DECLARED: dict[str, tuple[Rule, ...]] = {}
"""The rules that each flint configuration file declared when it was last read, by the file's path."""


@cache
def _own_rule(words: str) -> Rule:
    declaration: Mapping[str, Any] = json.loads(words)
    code = declaration["code"]
    name = declaration.get("name", code.lower().replace("_", "-"))
    try:
        if not OWN_CODE.fullmatch(code):
            raise DeclarationError("a code is letters and digits, such as ACME001; FLK codes are reserved for flint")
        if not _NAME.fullmatch(name):
            raise DeclarationError(f"{name!r} is not a valid name: use lowercase words with hyphens")
        _check_own(declaration)
        identity = own_identity(declaration)
        return declared_rule({**declaration, "name": name}, family=OWN, module=f"{OWN}.{identity}", own=identity)
    except DeclarationError as error:
        raise FlintConfigError(f"rule {code}: {error}", "rule", code) from None
