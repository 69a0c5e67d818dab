"""Running a calculator with inputs from given values, a configuration, and defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.answering.declaration import BadInput, Input, draft, inputs_of, values_in_use
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.answering.option_values import in_unit
from flink_flint.calculators.answering.setting_changes import Change, LeftAlone, changes, left_alone
from flink_flint.calculators.command_line.similar_names import near_names
from flink_flint.calculators.formulas.quantity import BadQuantity
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.release_spelling import Spelled, spelled
from flink_flint.linter.flink.releases import Release, nearest_index, release_at
from flink_flint.linter.flink.secrets import HIDDEN, credential, may_be_secret
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.calculators.command_line.open_configuration import Opened


class Source(NamedTuple):
    """The origin of an input's value."""

    kind: str
    """The kind of origin: ``given``, ``file`` (configuration), ``release`` (option default) or ``assumed``."""
    text: str
    """The origin as text: ``given``, ``config.yaml:12``, ``default of Flink 1.20``, or the reason for a default.

    If a template hides the value in the file: ``config.yaml:12 is a template; default of Flink 1.20 assumed``.
    """


class Asked(NamedTuple):
    """The result of running a calculator: its inputs with their origins, and its answer."""

    calculator: Calculator
    reverse: bool
    release: Release
    inputs: dict[str, Any]
    """The input values that affect the answer, in base units, by field name in the order of declaration."""
    sources: dict[str, Source]
    answer: Answer
    settings: Spelled
    changes: list[Change] | None
    """The changes to the opened configuration, with secrets hidden; None if no configuration was opened."""
    unused: tuple[str, ...]
    """The names of given inputs that have no effect on the answer."""
    given: dict[str, Any]
    """The given values by field name, for running the calculator again with a different value of one input."""
    left_alone: tuple[LeftAlone, ...] = ()
    """The settings that the answer would change but whose values come from templates."""

    @property
    def way(self) -> Way:
        """The direction of the calculator that was run, forward or reverse."""
        return self.calculator.way(reverse=self.reverse)

    @property
    def speller(self) -> Release:
        """The release that determines option names and defaults: the requested release, or the nearest known one."""
        return known_release(self.release)


def known_release(release: Release) -> Release:
    """Return the release if the option catalogue includes it, otherwise the nearest minor release."""
    return release if release.place is not None else release_at(nearest_index(release))


GIVEN = Source("given", "given")


def ask(
    calculator: Calculator,
    given: Mapping[str, Any],
    *,
    reverse: bool = False,
    release: Release,
    opened: Opened | None = None,
) -> Asked:
    """Run a calculator for a release.

    `given` are parsed values by field name. A given value takes precedence over one from the opened configuration,
    the default of its option in the release, and the declared default, in this order. Raises BadInput and
    MissingInput.
    """
    way = calculator.way(reverse=reverse)
    if opened is not None:
        opened = opened.at(release)
    known, sources = gather(way, given, release, opened)
    named = {name: value for name, value in given.items() if value is not None}
    answer = way.answer(collect(way.inputs, known), release)
    alone: tuple[LeftAlone, ...] = ()
    if opened is not None:
        alone = tuple(
            one._replace(was=_shown(one.key, one.was, opened)) for one in left_alone(answer, opened.configuration)
        )
        answer = replace(answer, warnings=(*answer.warnings, *_about_templates(way, sources, alone, opened)))
    return Asked(
        calculator=calculator,
        reverse=reverse,
        release=release,
        inputs=known,
        sources=sources,
        answer=answer,
        settings=spelled(answer.settings, release),
        changes=None if opened is None else _without_secrets(changes(answer, opened.configuration), opened),
        unused=tuple(name for name in named if name not in known),
        given=named,
        left_alone=alone,
    )


def _about_templates(
    way: Way, sources: Mapping[str, Source], alone: Sequence[LeftAlone], opened: Opened
) -> Iterator[str]:
    """Yield sentences about values that templates hide and settings that are therefore not changed."""
    hidden = {
        written: declared.flag
        for declared in inputs_of(way.inputs)
        if declared.name in sources
        and sources[declared.name].kind in ("release", "assumed")
        and (written := template_of(declared, opened)) is not None
    }
    for one in alone:
        flag = hidden.pop(one.key, None)
        required = "it should not be set" if one.wanted is None else f"its value should become {one.wanted}"
        now = f"; the default is assumed as the current value, unless {flag} is given" if flag else ""
        yield f"{opened.place(one.key)}: {one.key} is a template and is not changed: {required}{now}"
    for key, flag in hidden.items():
        yield f"{opened.place(key)}: {key} is a template: its default is assumed, unless {flag} is given"


def template_of(declared: Input, opened: Opened) -> str | None:
    """Return the configuration key that sets an input to a template expression; None if there is no such key."""
    configuration = opened.configuration
    if not declared.option or not configuration.is_set(declared.option) or configuration.is_known(declared.option):
        return None
    resolution = configuration.resolve(declared.option)
    return resolution.written if isinstance(resolution.raw, str) else None


def _without_secrets(found: list[Change], opened: Opened) -> list[Change]:
    """Return the changes with current values hidden if they are or contain a secret of the file."""
    return [
        change if change.was is None else change._replace(was=_shown(change.key, change.was, opened))
        for change in found
    ]


def _shown(key: str, text: str, opened: Opened) -> str:
    return HIDDEN if may_be_secret(key) or credential(text) is not None else opened.mask(text)


def gather(
    way: Way, given: Mapping[str, Any], release: Release, opened: Opened | None
) -> tuple[dict[str, Any], dict[str, Source]]:
    """Return the values to use and their origins, by field name; raise BadInput for an unusable value."""
    values: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    refused: dict[str, BadInput] = {}
    defaults = Configuration({}, release, yaml=True)
    for declared in inputs_of(way.inputs):
        name = declared.name
        if given.get(name) is not None:
            values[name], sources[name] = given[name], GIVEN
            continue
        try:
            found = _configured(declared, opened) if opened is not None else None
        except BadInput as bad:
            refused[name] = bad
            found = None
        found = found or _release_default(declared, defaults)
        if found is None and declared.default is not None:
            found = declared.default, Source("assumed", declared.assumed)
        if found is not None:
            values[name], sources[name] = found
            template = None if opened is None or found[1].kind == "file" else template_of(declared, opened)
            if template is not None and opened is not None:
                sources[name] = Source(found[1].kind, _behind(opened.place(template), found[1]))
    values = values_in_use(way.inputs, values)
    known = draft(way.inputs, values)
    for declared in inputs_of(way.inputs):
        if declared.name in refused and declared.matters(known):
            raise refused[declared.name]
    return values, {name: sources[name] for name in values}


def _behind(place: str, source: Source) -> str:
    """Return the description of the value that is used instead of one that a template hides."""
    if source.kind == "release":
        return f"{place} is a template; {source.text} assumed"
    return f"{place} is a template; {source.text}" if source.text else f"{place} is a template"


def read_texts(calculator: Calculator, texts: Mapping[str, object], *, reverse: bool = False) -> dict[str, Any]:
    """Parse strings (or values from a file) into values by field name; ``?`` and empty strings mean no value.

    Raises BadInput for an unusable value, and for a name that is not an input.
    """
    declared = {one.name: one for one in inputs_of(calculator.way(reverse=reverse).inputs)}
    values: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in declared:
            raise BadInput(name, f"is not an input of {calculator.name}{nearest_name(name, declared)}")
        if not isinstance(text, str) or text.strip() not in ("", "?"):
            values[name] = declared[name].read(text)
    return values


def nearest_name(name: str, names: Mapping[str, object]) -> str:
    """Return a suggestion such as ``; did you mean --latency?``, or an empty string if no name is similar."""
    near = near_names(name, names, most=1)
    return f"; did you mean --{near[0].replace('_', '-')}?" if near else ""


def configured(way: Way, opened: Opened) -> dict[str, tuple[Any, Source]]:
    """Return the inputs that the configuration sets, with their origins, by field name.

    Raises BadInput for an unusable value.
    """
    found = ((declared.name, _configured(declared, opened)) for declared in inputs_of(way.inputs))
    return {name: value for name, value in found if value is not None}


def _configured(declared: Input, opened: Opened) -> tuple[Any, Source] | None:
    """Return the value of an input in a configuration; None if it is not set or comes from a template."""
    configuration = opened.configuration
    if not declared.option or not configuration.is_set(declared.option) or not configuration.is_known(declared.option):
        return None
    resolution = configuration.resolve(declared.option)
    written = resolution.written
    assert written is not None
    place = opened.place(written)
    try:
        value = in_unit(declared, configuration.value(declared.option))
        declared.check(value)
    except BadValue as refused:
        reason = f"Flink refuses its value: {refused.message}"
    except BadQuantity as bad:
        reason = str(bad)
    except BadInput as bad:
        if _is_default(configuration, declared.option):
            return None  # an explicit default, such as -1 for "none", is equivalent to no value
        reason = bad.message
    else:
        return value, Source("file", place)
    raise BadInput(
        declared.name, f"{place} sets {written}, but {_shown(written, reason, opened)}; fix it or pass the flag"
    )


def _is_default(configuration: Configuration, key: str) -> bool:
    """Return whether an option is set to its default."""
    option = configuration.resolve(key).option
    return option is not None and configuration.value(key) == configuration.default(option)


def _release_default(declared: Input, defaults: Configuration) -> tuple[Any, Source] | None:
    """Return the default of an input's option in a release; None if there is no usable default."""
    option = defaults.resolve(declared.option).option if declared.option else None
    default = None if option is None else defaults.default(option)
    if default is None:
        return None
    try:
        value = in_unit(declared, default)
        declared.check(value)
    except (BadQuantity, BadInput, BadValue):
        return None
    return value, Source("release", f"default of Flink {known_release(defaults.release)}")
