"""What the rules on chains of causes ask in common: where their links stand, and what lies upon what."""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import Setting, View


def links(*told: tuple[Setting | None, str]) -> list[Place]:
    """Where settings stand, each with what it adds to the chain; those that nothing sets left out."""
    found = (setting.place(message) for setting, message in told if setting is not None)
    return [place for place in found if place is not None]


def first_set(config: View, keys: Iterable[str]) -> Setting | None:
    """The first of some options that something sets."""
    return next((setting for key in keys if (setting := config.get(key)).is_set), None)


def name_of(config: View) -> str:
    """How messages call a document: by its own name without the kind and namespace, else by its file's."""
    name = config.document.name or ""
    return name.rpartition("/")[2].rpartition(" ")[2] or config.document.file_name


def release_place(config: View, message: str) -> Place:
    """Where a document names its release, else where it begins."""
    return Place(config.document.path, config.document.release_span or config.document.head, message)


def readers(project: Project, config: View) -> list[View]:
    """The views of all processes of a known release that read a document beside others: those upon it, and its own."""
    upon = project.overriding(config)
    own = [config] if upon and config.document.release is not None else []
    return [one for one in (*own, *upon) if one.document.kind not in _NO_PROCESS and len(one.target.indices) == 1]


_NO_PROCESS = ("flinksessionjob", "source", "sql", "shell")
"""Kinds of documents that run in a process of another one."""
