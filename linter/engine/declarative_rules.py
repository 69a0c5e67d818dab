"""Rules that are data: an option, what its value must not be, and what else holds. Nothing of them is code.

flint's own stand in files of TOML, `rules/<family>/<name>.toml`; those of users as `[[rule]]` in the preferences.
`linter/config/flint_config.schema.json` says what may be written (``$defs/rule``), docs/own-rules.md what it means.
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

from flink_flint.linter.config.flint_config import FlintConfigError, FlintConfigFile, own_identity
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.releases import MINORS, ReleaseRange
from flink_flint.linter.flink.values import MILLISECOND, Duration, parse, parse_duration, text_of
from flink_flint.linter.model.finding import Confidence, Finding, Fix, Severity
from flink_flint.linter.model.rule import CATALOGUED, OWN_CODE, Case, Rule, bad, good
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.user_patterns import PatternError, linear_search

if TYPE_CHECKING:
    from flink_flint.linter.model.view import Setting, View

OWN = "own"
"""The family of rules that users declare, unless they name another one."""

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
    """A declaration that says nothing one could judge by; the message says why."""


class Condition:
    """What must hold of one option: all of its tests."""

    __slots__ = ("_limits", "_matches", "_matches_not", "_one_of", "_set", "_unlike", "option")

    def __init__(self, said: Mapping[str, Any], own: bool) -> None:
        self.option: str = said["option"]
        self._set: bool | None = said.get("set")
        self._one_of: Sequence[object] | None = said.get("is")
        self._unlike: Sequence[object] = said.get("is-not", ())
        self._matches, self._matches_not = _pattern(said, "matches", own), _pattern(said, "matches-not", own)
        self._limits = [(_LIMITS[name], said[name]) for name in _LIMITS if name in said]
        if self._set is False and any(name in said for name in _TESTS[1:]):
            raise DeclarationError(f"{self.option}: what is not set has no value to judge: leave out the other tests")

    def holds(self, config: View) -> bool | None:
        """Whether it holds of the option as it is in force, set or by default; None where nobody knows."""
        setting = _setting(config, self.option)
        if self._set is not None and setting.is_set is not self._set:
            return False
        return self.holds_of(config, setting) if self._set is not False else True

    def holds_of(self, config: View, setting: Setting) -> bool | None:
        """Whether it holds of a value; None for one that a template fills in or Flink refuses."""
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
            if bound is None or isinstance(bound, str) or isinstance(value, (str, bool, list, dict)):
                return None
            if not compare(value, bound):
                return False
        return True


def _pattern(said: Mapping[str, Any], name: str, own: bool) -> Callable[[str], object] | None:
    """What finds a pattern in a text; one that a user wrote takes time that grows with the text alone."""
    if name not in said:
        return None
    try:
        return linear_search(said[name]) if own else regex(said[name]).search
    except (PatternError, re.error) as error:
        raise DeclarationError(f"{said['option']}: {name} {error}") from None


def _setting(config: View, key: str) -> Setting:
    """The setting of an option, or of a key that is no option of Flink's."""
    setting = config.get(key)
    return config.written(key) if not setting.is_set and key in config.effective else setting


def _value(setting: Setting) -> object:
    """The typed value; the text of what is no option of this release."""
    if setting.option is None:
        return setting.text if setting.is_set else None
    return setting.value


def _typed(config: View, setting: Setting, value: object, raw: object) -> Any:
    """What a declaration compares with, in the measure of the option's value; None where it is none."""
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
    wanted = _typed(config, setting, value, raw)
    return wanted is not None and bool(wanted == value)


class Declared:
    """What a declaration says, made ready to be asked; raises `DeclarationError`."""

    def __init__(self, said: Mapping[str, Any], own: bool) -> None:
        self.said = said
        self._condition = Condition(said, own)
        self._also = [Condition(one, own) for one in said.get("also", ())]
        self._unless = [Condition(one, own) for one in said.get("unless", ())]
        self._platforms = said.get("platform")
        self._by_default: bool = said.get("or-default", False)
        self._unset = said.get("set") is False
        if self._unset and not any(one.get("set") is not False for one in said.get("also", ())):
            raise DeclarationError("with set = false, `also` must name an option that is set, for the rule to wait for")
        if not any(name in said for name in _TESTS):
            raise DeclarationError(f"it tests nothing of {said['option']}: give one of {', '.join(_TESTS)}")
        fix = said.get("fix", {})
        if fix and len([name for name in _FIXES if name in fix]) != 1:
            raise DeclarationError(f"fix does one thing: {', '.join(_FIXES)}")

    @property
    def reads(self) -> list[str]:
        """The options that call for the rule."""
        others = [one["option"] for one in self.said.get("also", ()) if one.get("set") is not False]
        return others if self._unset else [self.said["option"], *(others if self._by_default else ())]

    def check(self, config: View) -> Iterator[Finding]:
        """The rule's check."""
        if self._platforms is not None and config.platform not in self._platforms:
            return
        setting = _setting(config, self.said["option"])
        if not setting.is_set and not (self._unset or self._by_default):
            return
        if not self._condition.holds(config) or not all(one.holds(config) for one in self._also):
            return
        if any(one.holds(config) is not False for one in self._unless):
            return
        others = [_setting(config, one["option"]) for one in self.said.get("also", ())]
        shown = setting if setting.is_set else next((one for one in others if one.is_set), setting)
        yield shown.finding(
            _filled(self.said["message"], config, setting),
            help=_filled(self.said["help"], config, setting) if "help" in self.said else None,
            fix=self._fix(setting) if setting.is_set else None,
            related=[one for one in others if one.is_set and one is not shown],
            at=self.said.get("at", "value"),
        )

    def _fix(self, setting: Setting) -> Fix | None:
        fix = self.said.get("fix", {})
        safe, title = fix.get("safe", False), fix.get("title")
        if "set" in fix:
            return setting.replace(fix["set"], safe=safe, title=title)
        if "rename" in fix:
            return setting.rename(fix["rename"], safe=safe, title=title)
        return setting.remove(safe=safe, title=title) if fix.get("remove") else None


def _filled(text: str, config: View, setting: Setting) -> str:
    """A message with its placeholders filled in; what is none of them stays as it stands."""

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


def declared_rule(said: Mapping[str, Any], *, family: str, module: str, own: str | None = None) -> Rule:
    """The rule that a declaration is (a user's has an identity of its `own`), in a module with its page and cases.

    Raises `DeclarationError` for what the schema cannot tell apart: tests that contradict each other, a pattern or a
    range of releases that is none.
    """
    declared = Declared(said, own is not None)
    flink = said.get("flink", CATALOGUED)
    try:
        ReleaseRange(flink)
    except ValueError as error:
        raise DeclarationError(f"flink: {error}") from None
    rule = Rule(
        declared.check,
        code=said["code"],
        name=said["name"],
        family=said.get("family", family),
        severity=Severity[said["severity"].upper()],
        confidence=Confidence[said.get("confidence", "high").upper()],
        reads=declared.reads,
        when=(),
        flink=flink,
        since=said.get("since", ""),
        scope="document",
        always=False,
        every_release=said.get("every-release", False),
        of_scale=said.get("of-scale", False),
        pedantic=said.get("pedantic", False),
        summary=said.get("summary", said["message"]),
        module=module,
        own=own is not None,
        identity=own,
        url=said.get("url"),
    )
    home = ModuleType(module, said.get("page") or rule.summary)
    vars(home).update(RULE=rule, cases=lambda: [_case(case, own is not None) for case in said.get("case", ())])
    sys.modules[module] = home
    return rule


def _case(said: Mapping[str, Any], own: bool) -> Case:
    what = {name: value for name, value in said.items() if name not in ("bad", "good")}
    if own:  # the schema of flint.toml has no key for it
        what["times"] = 0
    if "severity" in what:
        what["severity"] = Severity[what["severity"].upper()]
    return bad(said["bad"], **what) if "bad" in said else good(said["good"], **what)


def read_declaration(path: str) -> dict[str, Any]:
    """What a file of TOML says."""
    import tomllib

    with open(path, "rb") as stream:
        return tomllib.load(stream)


def read_declared(path: str, module: str) -> Rule:
    """One of flint's own declarations, whose name is its file's and whose family its folder's."""
    said = read_declaration(path)
    folder, file = os.path.split(path)
    name = file.removesuffix(".toml").replace("_", "-")
    return declared_rule({"name": name, **said}, family=os.path.basename(folder), module=module)


def _check_own(said: Mapping[str, Any]) -> None:
    """Raise `DeclarationError` for what would never speak, or speak in more than a line."""
    for name in ("message", "help"):
        if _CONTROL.search(said.get(name, "")):
            raise DeclarationError(f"{name} is one line, without control characters")
    if any(("bad" in case) == ("good" in case) for case in said.get("case", ())):
        raise DeclarationError("a case has one text, as `bad` or as `good`")
    for one in (said, *said.get("also", ()), *said.get("unless", ())):
        _check_values(one)


def _check_values(said: Mapping[str, Any]) -> None:
    """Raise `DeclarationError` for an old name, and for a value that no release takes for the option."""
    key, options = said["option"], catalogue()
    newest = options.current_names(key)
    if newest and key not in newest:
        raise DeclarationError(f"{key} is an old name: write {' or '.join(newest)}")
    known = [(option, index) for index in range(len(MINORS)) if (option := options.option(key, index)) is not None]
    if not known:
        return
    for name in ("is", "is-not", *_LIMITS):
        raws = said.get(name, [])
        for raw in raws if isinstance(raws, list) else [raws]:
            if not any(_is_comparable(option, index, raw, name in _LIMITS) for option, index in known):
                kind = known[-1][0].type
                raise DeclarationError(f"{key}: no Flink takes {raw!r} of {name} for a value of the type {kind}")


def _is_comparable(option: Option, index: int, raw: object, is_limit: bool) -> bool:
    try:
        value = parse(option.type, option.enum, raw, index, yaml=True)
    except BadValue:
        return False
    return not (is_limit and isinstance(value, (str, bool, list, dict)))


def own_rules(flint_config: FlintConfigFile) -> tuple[Rule, ...]:
    """The rules that a preferences file declares; raises `FlintConfigError` with the rule at fault."""
    # What several files declare in the same words is one rule: folders may each have a copy of what was agreed on.
    rules = tuple(_own_rule(json.dumps(said, sort_keys=True, default=str)) for said in flint_config.rules)
    for words in ([rule.code for rule in rules], [rule.name for rule in rules]):
        for word in words:
            if words.count(word) > 1:
                raise FlintConfigError(f"rule {word}: the file declares two rules of that code or name", "rule", word)
    if flint_config.path is not None:
        DECLARED[flint_config.path] = rules
    return rules


DECLARED: dict[str, tuple[Rule, ...]] = {}
"""Preferences file -> the rules it declared when it was read last; while an editor is open it changes."""


@cache
def _own_rule(words: str) -> Rule:
    said: Mapping[str, Any] = json.loads(words)
    code = said["code"]
    name = said.get("name", code.lower().replace("_", "-"))
    try:
        if not OWN_CODE.fullmatch(code):
            raise DeclarationError("a code is letters and digits, such as ACME001; those of FLK are flint's")
        if not _NAME.fullmatch(name):
            raise DeclarationError(f"{name!r} is no name: words in lower case with hyphens")
        _check_own(said)
        identity = own_identity(said)
        return declared_rule({**said, "name": name}, family=OWN, module=f"{OWN}.{identity}", own=identity)
    except DeclarationError as error:
        raise FlintConfigError(f"rule {code}: {error}", "rule", code) from None
