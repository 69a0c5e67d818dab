"""Compares two sets of processes: effective settings, images, replicas, limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from flink_flint.linter.flink.deployment.docker_image import PROPERTIES, SETTING_VARIABLES
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.model.processes.process import Fact, Process, Value
from flink_flint.linter.model.processes.reaching_services import as_text
from flink_flint.linter.text.named_tuple import NamedTuple


class FactDifference(NamedTuple):
    """A difference other than a setting, such as the image; a side is None if unknown or missing."""

    what: str
    """The name of the fact that differs: ``image``, ``replicas``, ``memory limit``, ``variable NAME``, ..."""
    before: Fact | None
    after: Fact | None


class SettingDifference(NamedTuple):
    """A setting whose effective value differs; a side is None if it is not set and the default applies."""

    key: str
    before: Value | None
    after: Value | None


class ProcessDifference(NamedTuple):
    """The differences between two corresponding processes, or a process without a counterpart."""

    before: Process | None
    after: Process | None
    facts: Sequence[FactDifference]
    settings: Sequence[SettingDifference]

    @property
    def process(self) -> Process:
        """The older process, or the newer one if there is no older one."""
        found = self.before or self.after
        assert found is not None
        return found


def differences(before: Sequence[Process], after: Sequence[Process]) -> list[ProcessDifference]:
    """Return the differences between corresponding processes, in the order of `before`; equal ones are left out."""
    found = []
    for one, other in _pairs(before, after):
        facts: list[FactDifference] = []
        settings: list[SettingDifference] = []
        if one is not None and other is not None:
            facts, settings = list(_facts(one, other)), list(_settings(one, other))
            if not facts and not settings:
                continue
        found.append(ProcessDifference(one, other, facts, settings))
    return found


# -- which process corresponds to which


def _pairs(before: Sequence[Process], after: Sequence[Process]) -> Iterator[tuple[Process | None, Process | None]]:
    """Yield corresponding processes: of the same object and name, else the only two with one name, else one role."""
    pairs: dict[int, Process] = {}
    rest = list(after)
    for key in (_by_object, _by_name, _by_role):
        left = [one for one in before if id(one) not in pairs]
        for one, other in _matches(left, rest, key):
            pairs[id(one)] = other
            rest = [each for each in rest if each is not other]
    for one in before:
        yield one, pairs.get(id(one))
    for other in rest:
        yield None, other


def _matches(
    before: Sequence[Process], after: Sequence[Process], key: Callable[[Process], object]
) -> Iterator[tuple[Process, Process]]:
    ours, theirs = _by(before, key), _by(after, key)
    for name, members in ours.items():
        others = theirs.get(name, [])
        if len(members) == len(others) == 1:
            yield members[0], others[0]


def _by(processes: Sequence[Process], key: Callable[[Process], object]) -> dict[object, list[Process]]:
    groups: dict[object, list[Process]] = {}
    for process in processes:
        groups.setdefault(key(process), []).append(process)
    return groups


def _by_object(process: Process) -> object:
    return object_name(process), process.role, process.name


def _by_name(process: Process) -> object:
    return process.role, process.name


def _by_role(process: Process) -> object:
    return process.role


def object_name(process: Process) -> str:
    """Return the name of the object that deploys a process, without its namespace and rendering label."""
    name = re.sub(r" \([^()]*\)\Z", "", process.document.name or process.document.file_name)
    return re.sub(r" [^/ ]+/", " ", name)


# -- what differs


def _facts(one: Process, other: Process) -> Iterator[FactDifference]:
    for what, get in _COMPARED.items():
        before, after = get(one), get(other)
        if _text(before) != _text(after):
            yield FactDifference(what, before, after)
    for name in sorted({*one.environment, *other.environment}):
        before, after = one.environment.get(name), other.environment.get(name)
        if name not in _SETTINGS_IN_VARIABLES and _text(before) != _text(after):
            yield FactDifference(f"variable {name}", before, after)


def _text(fact: Fact | None) -> str | None:
    """Return what a fact is compared by: its value or, if that is unknown, what is written."""
    if fact is None:
        return None
    return str(fact.value) if fact.value is not None or fact.origin is None else fact.origin.text


def _listed(texts: Sequence[str]) -> Fact | None:
    return Fact(" ".join(texts)) if texts else None


_SETTINGS_IN_VARIABLES = (PROPERTIES, *SETTING_VARIABLES)
"""Variables that are compared as the settings that they contain."""
_COMPARED: Mapping[str, Callable[[Process], Fact | None]] = {
    "image": lambda one: one.image,
    "Dockerfile": lambda one: None if one.dockerfile is None else Fact(one.dockerfile),
    "Flink release": lambda one: Fact(str(one.configuration.release)),
    "replicas": lambda one: one.replicas,
    "memory limit": lambda one: one.memory,
    "CPU limit": lambda one: one.cpu,
    "service account": lambda one: one.service_account,
    "ports": lambda one: _listed(one.ports),
    "services": lambda one: _listed(as_text(one.services, named=False)),
    "arguments": lambda one: _listed([str(word.value) for word in one.arguments]),
    "files": lambda one: _listed([f"{file.path} from {file.source}" for file in one.files]),
}


def _settings(one: Process, other: Process) -> Iterator[SettingDifference]:
    ours, theirs = _by_newest_key(one), _by_newest_key(other)
    for key in sorted({*ours, *theirs}):
        before, after = ours.get(key), theirs.get(key)
        is_same = before is not None and after is not None and before.text == after.text
        if not is_same and not _is_equal(key, one, other):
            yield SettingDifference(key, before, after)


def _by_newest_key(process: Process) -> dict[str, Value]:
    """Return the settings by the newest key of their option, which two releases have in common."""
    found: dict[str, Value] = {}
    for key, value in process.settings.items():
        names = catalogue().current_names(key)
        found[names[0] if len(names) == 1 else key] = value
    return found


def _is_equal(key: str, one: Process, other: Process) -> bool:
    """Return whether both read the same value of an option, however it is spelled, or a default that is the same."""
    try:
        before, after = one.configuration.value(key), other.configuration.value(key)
    except BadValue:
        return False
    return before is not None and type(before) is type(after) and before == after
