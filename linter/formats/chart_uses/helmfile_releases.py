"""The releases of a loaded helmfile: their templates inherited and evaluated, their values in order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.formats.chart_uses.chart_use import SEGMENT, UnknownValues, Values, text_of_file
from flink_flint.linter.formats.chart_uses.helmfile_documents import read_document, written_values
from flink_flint.linter.formats.chart_uses.helmfile_states import LENIENT, Helmfile, State
from flink_flint.linter.formats.chart_uses.helmfile_templates import BEGIN, VARIABLE
from flink_flint.linter.formats.helm.rendering.filled_in_values import FilledInText
from flink_flint.linter.formats.helm.rendering.go_values import (
    List,
    Map,
    MarkedFloat,
    OpenMap,
    Struct,
    Unknown,
    is_bool,
    opened,
    with_origin,
)
from flink_flint.linter.formats.helm.rendering.go_values import origin_of as place_of
from flink_flint.linter.formats.helm.rendering.limits import NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import fragments_of, sliced
from flink_flint.linter.formats.helm.rendering.yaml_writing import written_yaml
from flink_flint.linter.text.lazy_regex import regex

_CHANGING = ("strategicMergePatches", "jsonPatches", "transformers", "dependencies", "postRenderer", "forceNamespace")
"""Fields that change what a release renders to in ways that are not evaluated."""
_ROUNDS = 6
"""How often helmfile evaluates the templates in a release, which may refer to each other, at most."""
_NUMBER = regex(r"-?[1-9]\d*|0")
_REASON = "a label of the release is not known"


class Release:
    """A release for one environment. Raises `UnknownValues` for what depends on something that is not known."""

    def __init__(self, helmfile: Helmfile, state: State, declared: Map) -> None:
        self._helmfile, self._state = helmfile, state
        self._fields = self._inherited(declared)
        self._data = self._evaluated()
        shown = self._data["Release"]
        assert isinstance(shown, Struct)
        self.name, self.chart = str(shown.fields["Name"]), str(shown.fields["Chart"])
        self.namespace = str(shown.fields["Namespace"] or "") or "default"
        self.version = str(shown.fields["ChartVersion"] or "")
        self.is_whole = True
        """Whether all values of the release are in the repository, as far as `values` has yielded them."""

    # -- fields

    def _inherited(self, declared: Map) -> Map:
        """Return the fields of the release and of the templates that it inherits."""
        content = self._state.content
        named: list[object] = [Map({"template": name}) for name in _list(content.get("defaultInherit"))]
        made = Map()
        for one in (*named, *_list(declared.get("inherit"))):
            if not isinstance(one, Map) or not isinstance(one.get("template"), str):
                raise UnknownValues
            templates = content.get("templates")
            template = templates.get(str(one["template"])) if isinstance(templates, Map) else None
            if not isinstance(template, Map) or template.get("inherit"):
                raise UnknownValues
            left_out = {str(name) for name in _list(one.get("except"))}
            _fill(made, Map((key, value) for key, value in template.items() if key not in left_out))
        _fill(made, declared)
        return made

    def _evaluated(self) -> dict[str, object]:
        """Return what templates see, with the release as its own templates make it."""
        data: dict[str, object] = dict(self._helmfile.data(self._state.environment))
        fields = {"Name": "name", "Namespace": "namespace", "Chart": "chart", "ChartVersion": "version"}
        shown: dict[str, object] = {name: self._fields.get(key) or "" for name, key in fields.items()}
        labels = self._fields.get("labels")
        spend = self._helmfile.budget.spend
        shown["Labels"] = opened(labels if isinstance(labels, Map) else Map(), OpenMap(reason=_REASON), spend)
        shown["KubeContext"] = ""
        for _ in range(_ROUNDS):
            data["Release"] = Struct("state.releaseTemplateDataRelease", shown)
            made = {**shown, **{name: self._text(self._fields.get(key), data) for name, key in fields.items()}}
            if made == shown:
                break
            shown = made
        if isinstance(shown["Name"], Unknown) or isinstance(shown["Chart"], Unknown):
            raise UnknownValues
        shown["Namespace"] = "" if isinstance(shown["Namespace"], Unknown) else shown["Namespace"]
        shown["ChartVersion"] = "" if isinstance(shown["ChartVersion"], Unknown) else shown["ChartVersion"]
        return data

    def _text(self, value: object, data: dict[str, object]) -> object:
        """Return a field evaluated as a template; an unknown value if that is unknown."""
        if value is None or isinstance(value, Unknown):
            return value or ""
        if not isinstance(value, str):
            return written_yaml(value, self._helmfile.budget).strip()
        try:
            made = self._helmfile.templates.rendered(value, Struct("state.releaseTemplateData", data))
        except NotRendered as failure:
            return Unknown(failure.reason, "template", place_of(value))
        if VARIABLE in made:
            return Unknown(_REASON, "template", place_of(value))
        start = len(made) - len(made.lstrip())
        return sliced(made, start, max(len(made.rstrip()), start))

    @property
    def is_installed(self) -> bool:
        """Whether helmfile installs the release."""
        for field in ("installedTemplate", "conditionTemplate"):
            if field in self._fields:
                return self._flag(self._text(self._fields[field], self._data))
        if isinstance(self._fields.get("installed"), Unknown):
            raise UnknownValues
        installed = self._fields.get("installed")
        if (is_bool(installed) and not installed) or installed == "false":
            return False
        condition = self._fields.get("condition")
        return not condition or self._holds(condition)

    def _flag(self, value: object) -> bool:
        if isinstance(value, Unknown) or value not in ("true", "false"):
            raise UnknownValues
        return value == "true"

    def _holds(self, condition: object) -> bool:
        """Return whether a condition such as ``orders.enabled`` holds."""
        if not isinstance(condition, str):
            raise UnknownValues
        value: object = self._data["Values"]
        for key in condition.split("."):
            value = value.get(key) if isinstance(value, Map) else None
        if not is_bool(value):
            raise UnknownValues
        return bool(value)

    # -- values

    def values(self) -> Iterator[Values]:
        """Yield the values of the release, in order."""
        if any(self._fields.get(field) for field in _CHANGING):
            raise UnknownValues
        templates = [self._filled_in(one) if isinstance(one, Map) else one for one in self._listed("valuesTemplate")]
        for entry in (*templates, *self._listed("values")):
            if isinstance(entry, Map):
                yield self._mapping(entry)
            elif isinstance(entry, str):
                yield from self._file(entry)
            else:
                raise UnknownValues
        if self._fields.get("secrets"):
            self.is_whole = False
        for field in ("setTemplate", "set", "setString"):
            for one in self._listed(field):
                yield self._single(one, is_text=field == "setString")
        if self._fields.get("env"):
            raise UnknownValues

    def _listed(self, field: str) -> list[object]:
        return _list(self._fields.get(field))

    def _mapping(self, values: Map) -> Values:
        return Values(self._helmfile.path, written_values(values, self._helmfile.budget))

    def _filled_in(self, values: Map) -> Map:
        """Return a mapping whose text is a template."""
        budget = self._helmfile.budget
        written = written_values(values, budget)
        return read_document("", self._rendered(written), budget) if "{{" in written else values

    def _rendered(self, text: str) -> str:
        try:
            return self._helmfile.templates.rendered(text, Struct("state.releaseTemplateData", self._data))
        except NotRendered as failure:
            raise UnknownValues from failure

    def _file(self, entry: str) -> Iterator[Values]:
        """Yield the values of a file, or nothing if it is missing and may be."""
        prefix = self._fields.get("valuesPathPrefix") or ""
        named = self._text(entry, self._data)
        if isinstance(named, Unknown) or not isinstance(prefix, str):
            raise UnknownValues
        files = self._helmfile.files(f"{prefix}{named}")
        if files is None:
            self.is_whole = False
        elif len(files) == 1:
            yield self._values_in(files[0])
        elif files or self._handler not in LENIENT:
            raise UnknownValues

    @property
    def _handler(self) -> object:
        return self._fields.get("missingFileHandler") or self._state.content.get("missingFileHandler") or "Error"

    def _values_in(self, path: str) -> Values:
        if not path.endswith(".gotmpl"):
            return Values(path, None)
        try:
            made = self._helmfile.text(path, self._data, "state.releaseTemplateData")
        except NotRendered as failure:
            raise UnknownValues from failure
        if BEGIN in made:
            raise UnknownValues
        return Values(path, FilledInText(fragments_of(made)))

    def _single(self, one: object, *, is_text: bool) -> Values:
        if not isinstance(one, Map) or not isinstance(one.get("name"), str) or "values" in one:
            raise UnknownValues
        name = self._text(one["name"], self._data)
        if isinstance(name, Unknown) or not isinstance(name, str) or "[" in name:
            raise UnknownValues
        if "file" in one:
            files = self._helmfile.files(self._text(one["file"], self._data))
            if not files or len(files) != 1:
                raise UnknownValues
            return text_of_file(name, files[0], self._helmfile.templates.read)
        value = self._text(one.get("value"), self._data)
        if isinstance(value, str) and value.startswith("{"):
            raise UnknownValues
        made: object = value if is_text or not isinstance(value, str) else _typed(value)
        for segment in reversed(SEGMENT.findall(name)):
            made = Map({re.sub(r"\\(.)", r"\1", segment): made})
        if not isinstance(made, Map):
            raise UnknownValues
        return self._mapping(made)


def _list(value: object) -> list[object]:
    """Return a list; an empty one for nothing; raise `UnknownValues` if it is unknown, or has unknown members."""
    if value is None:
        return []
    if not isinstance(value, list) or any(isinstance(one, Unknown) for one in value):
        raise UnknownValues
    return value


def _fill(target: Map, source: Map) -> None:
    """Add the entries of a release or template to those of the templates before it, which win; lists are joined."""
    for key, value in source.items():
        current = target.get(key)
        if isinstance(current, Map) and isinstance(value, Map):
            merged = Map(current)
            _fill(merged, value)
            target[key] = merged
        elif isinstance(current, list) and isinstance(value, list):
            target[key] = List((*current, *value))
        elif current is None or current == "":
            target[key] = value


def _typed(text: str) -> object:
    """Return a value as `helm --set` reads it."""
    if text in ("true", "false"):
        return with_origin(text == "true", place_of(text))
    if text == "null":
        return None
    return MarkedFloat(float(text), place_of(text)) if _NUMBER.fullmatch(text) else text
