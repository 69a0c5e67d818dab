"""Places and names that the rules on chains of causes show."""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import Setting, View


def links(*told: tuple[Setting | None, str]) -> list[Place]:
    """Return the places of settings, each with its message; skip settings that no file contains."""
    found = (setting.place(message) for setting, message in told if setting is not None)
    return [place for place in found if place is not None]


def first_set(config: View, keys: Iterable[str]) -> Setting | None:
    """Return the setting of the first of several options that is set; None if none is set."""
    return next((setting for key in keys if (setting := config.get(key)).is_set), None)


def name_of(config: View) -> str:
    """Return the name of a document in messages: its own name without kind and namespace, or its file's name."""
    name = config.document.name or ""
    return name.rpartition("/")[2].rpartition(" ")[2] or config.document.file_name


def release_place(config: View, message: str) -> Place:
    """Return the place where a document names its release, or its start."""
    return Place(config.document.path, config.document.release_span or config.document.head, message)


def readers(project: Project, config: View) -> list[View]:
    """Return the views of a configuration's processes, which read it together with overriding documents."""
    upon = project.overriding(config)
    own = [config] if upon and config.document.release is not None else []
    return [one for one in (*own, *upon) if one.document.kind not in _NO_PROCESS and len(one.target.indices) == 1]


_NO_PROCESS = ("flinksessionjob", "source", "sql", "shell")
"""Kinds of documents that run in a process of another one."""
