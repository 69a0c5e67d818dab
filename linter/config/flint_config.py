"""The configuration of flint: `flint.toml`, `.flint.toml`, `.flint.yaml` or `[tool.flint]` in pyproject.toml.

The nearest file, from the folder of a checked file up to the root of its repository, applies; a file given with
`--flint-config` applies to all. `flint_config.schema.json` defines its contents; the quick check here reads that schema
and leaves everything it does not accept to jsonschema, which produces the error message.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from flink_flint.linter.filesystem.folders import absolute_path, remembered
from flink_flint.linter.filesystem.reading import LARGEST_SIDE_FILE, is_inside, read_named
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

NAMES = ("flint.toml", ".flint.toml", ".flint.yaml", "pyproject.toml")

ReadFile = Callable[[str], "bytes | None"]
"""A function that returns the content of the file at an absolute path; None if the file does not exist."""


class FlintConfigError(ValueError):
    """Raised if flint's configuration is invalid; the message names the location and the remedy.

    `words` are the path to the place: keys, list indices and a value, each somewhere below the one before it.
    """

    def __init__(self, message: str, *words: str | int) -> None:
        super().__init__(message)
        self.words = words


class FlintConfig(NamedTuple):
    """The effective configuration of flint for one path."""

    flink_version: str | None = None
    platform: str | None = None
    profile: str | None = None
    operator_version: str | None = None
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    thresholds: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    """The configured rule thresholds: rule name or code -> threshold name -> value."""
    own: frozenset[str] = frozenset()
    """The identities of the rules that the user declares in flint's configuration (see `own_identity`)."""
    plugins: tuple[str, ...] = ()
    """The rule packages that the configuration file enables."""
    include_tests: bool = False
    """Whether test files are checked."""


class Link(NamedTuple):
    """An explicit link from programs and scripts, selected by path, to the deployment that runs them."""

    paths: tuple[str, ...]
    """Gitignore patterns, relative to `folder`, that select the programs to link."""
    to: str
    """The deployment to link the programs to: its name, or a gitignore pattern that matches its file."""
    folder: str


class FlintConfigFile(NamedTuple):
    """The contents of one configuration file of flint."""

    path: str | None
    values: Mapping[str, Any]

    @property
    def folder(self) -> str:
        """The folder that the patterns in the file are relative to."""
        return os.path.dirname(absolute_path(self.path)) if self.path is not None else os.getcwd()

    @property
    def shown_path(self) -> str:
        """The path of the file relative to the current folder; empty if there is no file."""
        return os.path.relpath(self.path) if self.path and os.path.isabs(self.path) else self.path or ""

    @property
    def exclude(self) -> tuple[str, ...]:
        """The gitignore patterns of files not to check."""
        return tuple(self.values.get("exclude", ()))

    def kind_of(self, path: str) -> str | None:
        """Return the kind that the `[files]` table gives a file (``none`` if not Flink's); None if no entry matches."""
        declared: Mapping[str, str] = self.values.get("files", {})
        return next(
            (kind for pattern, kind in reversed([*declared.items()]) if _applies((pattern,), path, self.folder)), None
        )

    @property
    def links(self) -> tuple[Link, ...]:
        """The explicit links from programs to deployments, from the file's `[[link]]` tables."""
        return tuple(Link(tuple(one["paths"]), one["to"], self.folder) for one in self.values.get("link", ()))

    @property
    def rules(self) -> Sequence[Mapping[str, Any]]:
        """The user's own rules, as declared in the file's `[[rule]]` tables."""
        found: Sequence[Mapping[str, Any]] = self.values.get("rule", ())
        return found

    @property
    def plugins(self) -> tuple[str, ...]:
        """The names of the rule packages that the file enables."""
        return tuple(self.values.get("plugins", ()))

    @property
    def fail_level(self) -> str | None:
        """The lowest severity that makes a check fail; None if the file does not set it."""
        return _text(self.values, "fail-level")

    @property
    def min_confidence(self) -> str | None:
        """The lowest confidence to report; None if the file does not set it."""
        return _text(self.values, "min-confidence")

    @property
    def output_format(self) -> str | None:
        """The format of reports; None if the file does not set it."""
        return _text(self.values, "output-format")

    @property
    def baseline(self) -> str | None:
        """The path of the baseline, relative to `folder`; None if the file names none."""
        return _text(self.values, "baseline")

    @property
    def history(self) -> str | None:
        """The path of the history store, relative to `folder`; None if the file names none."""
        return _text(self.values, "history")

    @property
    def force_exclude(self) -> bool:
        """Whether exclusions also apply to files named on the command line."""
        return bool(self.values.get("force-exclude", False))

    @property
    def diff(self) -> Mapping[str, str]:
        """The `[diff]` table: ``report`` or ``fail`` for each kind of change that may hide findings."""
        found: Mapping[str, str] = self.values.get("diff", {})
        return found

    def for_path(self, path: str) -> FlintConfig:
        """Return the configuration for a file, with overrides applied."""
        if not self.values:
            return _DEFAULTS
        merged = dict(self.values)
        for override in self.values.get("overrides", ()):
            if _applies(override["paths"], path, self.folder):
                for name, value in override.items():
                    if name == "severity":
                        merged[name] = {**merged.get(name, {}), **value}
                    elif name == "thresholds":
                        of_rules = merged.get(name, {})
                        merged[name] = of_rules | {rule: of_rules.get(rule, {}) | value[rule] for rule in value}
                    elif name in ("ignore", "extend-select"):
                        merged[name] = [*merged.get(name, ()), *value]
                    else:
                        merged[name] = value
        return FlintConfig(
            merged.get("flink-version"), merged.get("platform"), merged.get("profile"), merged.get("operator-version"),
            tuple(merged.get("select", ())), tuple(merged.get("extend-select", ())), tuple(merged.get("ignore", ())),
            tuple(merged.get("severity", {}).items()), merged.get("thresholds", {}),
            frozenset(map(own_identity, self.rules)), self.plugins, bool(merged.get("include-tests", False)),
        )  # fmt: skip


_DEFAULTS = FlintConfig(thresholds={})
NONE = FlintConfigFile(None, {})


def _text(values: Mapping[str, Any], name: str) -> str | None:
    found: str | None = values.get(name)
    return found


def own_identity(declaration: Mapping[str, Any]) -> str:
    """Return the identity of a user's rule: its code and a hash of `declaration`, as two folders may use one code."""
    from hashlib import sha256

    text = json.dumps(declaration, sort_keys=True, default=str)
    return f"{declaration['code']}@{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _applies(patterns: Sequence[str], path: str, folder: str) -> bool:
    from flink_flint.linter.filesystem.gitignore import is_among

    return is_among(patterns, path, folder)


def flint_config_for(path: str, read: ReadFile | None = None) -> FlintConfigFile:
    """Return the configuration file nearest to a checked file or folder; raise `FlintConfigError` if it is invalid.

    `read` replaces reading from disk, for example to read the files of another revision.
    """
    return _nearest(_folder_of(absolute_path(path)), read)


def flint_config_in(folder: str, read: ReadFile | None = None) -> FlintConfigFile:
    """Return the configuration file for the files in a folder, as `flint_config_for` does for a file."""
    return _nearest(absolute_path(folder), read)


@remembered
def _folder_of(absolute: str) -> str:
    return absolute if os.path.isdir(absolute) else os.path.dirname(absolute)


@remembered
def _nearest(folder: str, read: ReadFile | None) -> FlintConfigFile:
    while (found := _in_folder(folder, read)) is None:
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return NONE
        folder = parent
    return found


def has_flint_config(folder: str) -> bool:
    """Return whether the folder at an absolute path has a flint configuration file, valid or not."""
    try:
        return _in_folder(folder, None) is not None
    except FlintConfigError:
        return True


@remembered
def _in_folder(folder: str, read: ReadFile | None) -> FlintConfigFile | None:
    for name in NAMES:
        candidate = os.path.join(folder, name)
        if read is not None:
            data = read(candidate)
            found = None if data is None else parse_flint_config(candidate, data, required=False)
        elif os.path.isfile(candidate):
            if os.path.islink(candidate) and not is_inside(candidate):
                raise FlintConfigError(f"{candidate}: a link that leads out of the repository; name the file itself")
            found = read_flint_config(candidate, required=False)
        else:
            found = None
        if found is not None:
            return found
    return None


def read_flint_config(path: str, *, required: bool = True) -> FlintConfigFile | None:
    """Read a flint configuration file; return None for a pyproject.toml without `[tool.flint]`, unless `required`.

    Raises `FlintConfigError` if the file is invalid or cannot be read.
    """
    try:
        data = read_named(path, LARGEST_SIDE_FILE + 1)
    except OSError as error:
        raise FlintConfigError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    return parse_flint_config(path, data, required=required)


_TOOL_FLINT = regex(rb"""tool["']?\s*(?:\.\s*["']?flint|[\]=])|\\[uUx]""")
"""What a pyproject.toml with `[tool.flint]` contains, in any spelling that TOML allows. Parsing files without it
would take a tenth of a check's time."""


def parse_flint_config(path: str, data: bytes, *, required: bool = True) -> FlintConfigFile | None:
    """Parse the content of a configuration file, with the same results and errors as `read_flint_config`."""
    if len(data) > LARGEST_SIDE_FILE:
        if not required and os.path.basename(path) == "pyproject.toml":
            return None
        raise FlintConfigError(f"{path}: more than {LARGEST_SIDE_FILE // 1024**2} MiB: too large")
    is_shared = os.path.basename(path) == "pyproject.toml"
    if is_shared and not required and _TOOL_FLINT.search(data) is None:
        return None
    values = _load(path, data)
    if is_shared:
        tools = values.get("tool", {})
        if "flint" not in tools and not required:
            return None
        values = tools.get("flint", {})
    if not accepts(schema(), values):
        _explain(path, data, values)
    return FlintConfigFile(path, values)


def located(path: str, error: ValueError, data: bytes | None = None) -> FlintConfigError:
    """Return `error` as a `FlintConfigError` whose message begins with the file and, if known, the line."""
    words = error.words if isinstance(error, FlintConfigError) else ()
    line = _line_of(path, words, data) if words else None
    return FlintConfigError(f"{path}{f':{line}' if line else ''}: {error}", *words)


_LINES_TO_SEARCH = 1_000
"""The maximum number of lines searched for the place of an error, because the time grows with its square."""


def _line_of(path: str, words: Sequence[str | int], data: bytes | None) -> int | None:
    """Return the line where the statement begins that adds `words` to a file; None if no statement does."""
    if data is None:
        try:
            data = read_named(path, LARGEST_SIDE_FILE)
        except OSError:  # the file of another revision, which is gone
            return None
    lines = data.splitlines(keepends=True)[:_LINES_TO_SEARCH]
    begins = 1
    for number in range(1, len(lines) + 1):
        try:
            values = _load(path, b"".join(lines[:number]))
        except FlintConfigError:  # the statement goes on
            continue
        if _holds(values, words):
            return begins
        begins = number + 1
    return None


def _holds(value: object, words: Sequence[str | int]) -> bool:
    if not words:
        return True
    if isinstance(value, (dict, list)):
        below = value.items() if isinstance(value, dict) else enumerate(value)
        return any((key == words[0] and _holds(one, words[1:])) or _holds(one, words) for key, one in below)
    return len(words) == 1 and value == words[0]


def _load(path: str, data: bytes) -> Any:
    return _load_yaml(path, data) if path.endswith((".yaml", ".yml")) else _load_toml(path, data)


def _load_toml(path: str, data: bytes) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FlintConfigError(f"{path}: not valid TOML: {error}") from None


def _load_yaml(path: str, data: bytes) -> Any:
    import yaml

    try:
        return yaml.load(data, Loader=yaml.CSafeLoader) or {}
    except yaml.YAMLError as error:
        raise FlintConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of the configuration of flint."""
    with open(os.path.join(os.path.dirname(__file__), "flint_config.schema.json"), encoding="utf-8") as stream:
        loaded: dict[str, Any] = json.load(stream)
    return loaded


_TYPES: Mapping[str, type] = {"string": str, "boolean": bool, "array": list, "object": dict}


def accepts(rule: Mapping[str, Any], value: object) -> bool:
    """Return whether the schema `rule` accepts `value`; supports only the subset of JSON Schema used in `schema`."""
    if "$ref" in rule:
        return accepts(schema()["$defs"][rule["$ref"].rpartition("/")[2]], value)
    if "enum" in rule:
        return value in rule["enum"]
    if "type" not in rule:
        return True
    if not isinstance(value, _TYPES[rule["type"]]):
        return False
    if isinstance(value, list):
        return all(accepts(rule["items"], element) for element in value)
    if isinstance(value, dict):
        properties, others = rule.get("properties", {}), rule["additionalProperties"]
        return all(name in value for name in rule.get("required", ())) and all(
            accepts(properties[name], element) if name in properties else bool(others) and accepts(others, element)
            for name, element in value.items()
        )
    return True


def check_file(path: str, data: bytes, definition: str = "rule") -> dict[str, Any]:
    """Parse a TOML file and return its contents; raise `FlintConfigError` if the schema's `definition` rejects them."""
    values = _load_toml(path, data)
    rule = {"$ref": f"#/$defs/{definition}"}
    if not accepts(rule, values):
        _explain(path, data, values, {**rule, "$defs": schema()["$defs"]})
    return values


def _explain(path: str, data: bytes, values: object, rules: Mapping[str, Any] | None = None) -> None:
    """Raise an error with the message of jsonschema for values that the quick check did not accept."""
    import difflib

    import jsonschema

    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(rules or schema()).iter_errors(values))
    if error is None:
        return
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    message, words = error.message, tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", ()))
        unknown = next(name for name in error.instance if name not in known)
        near = difflib.get_close_matches(unknown, known, n=1, cutoff=0.5)
        words += (unknown,)
        message = f"unknown key {unknown!r}" + (f"; did you mean {near[0]!r}?" if near else f" ({', '.join(known)})")
        if rules is None and len(words) == 1 and unknown in schema()["$defs"]["user"]["properties"]:
            flag = "--render" if unknown == "render" else "--plan"
            message = (
                f"{unknown!r} is only allowed in your own configuration, flint/flint.toml in ~/.config; see {flag}"
            )
    if error.validator == "type" and error.schema["type"] == "string" and not isinstance(error.instance, (dict, list)):
        message += "; put it in quotes"
    raise located(path, FlintConfigError(f"{f'{where}: ' if where else ''}{message}", *words), data)
