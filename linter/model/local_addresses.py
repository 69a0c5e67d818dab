"""Decides by the addresses and paths in texts whether something runs on a developer's machine."""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.text.lazy_regex import regex

_WITH_PORT = regex(r"(?<![\w.:-])([A-Za-z][\w-]{0,63}(?:\.[\w-]{1,63}){0,20}|\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}(?![\w:])")
_OF_URI = regex(r"(?<![\w+])[a-z][a-z0-9+-]{0,20}://([\w.-]{1,200})")
_ONE_MACHINE = (*LOCAL_HOSTS, "0.0.0.0", "host.docker.internal")
_DESKTOP_PATH = regex(r"(?:file:/{0,3})?(?:[A-Za-z]:(?:\\\\?|/)(?!/)[\w.]|/Users/[\w.-]+/)")
"""The beginning of a path on a drive of Windows, or in a user's folder of macOS."""
_OF_SERVERS = "flink|hadoop|ubuntu|ec2-user|airflow|jovyan|app|appuser|user|admin|work"
_DEVELOPERS_PATH = regex(rf"(?:file:/{{0,3}})?/home/(?!(?:{_OF_SERVERS})/)[\w.-]+/")
"""The beginning of a path in a developer's own folder on Linux: not of a user of images and servers."""


def hosts_in(text: str) -> set[str]:
    """Return the hosts of the addresses in a text: those of URIs, those before a port, and the machine itself."""
    if text in _ONE_MACHINE:
        return {text}
    return {host.lower() for pattern in (_WITH_PORT, _OF_URI) for host in pattern.findall(text)}


def is_developers_path(text: str) -> bool:
    """Return whether a text is a path that only the machine of one developer has."""
    return is_desktop_path(text) or _DEVELOPERS_PATH.match(text) is not None


def is_desktop_path(text: str) -> bool:
    """Return whether a text is a path of Windows or macOS, which no cluster for production runs on."""
    if text[1:2] != ":" and not text.startswith(("file:", "/Users/")):
        return False  # most values, without the expression
    return _DESKTOP_PATH.match(text) is not None


def are_local(texts: Iterable[str], names: Iterable[str] = ()) -> bool:
    """Return whether texts have addresses, and all are of the machine itself, or have the given names of hosts."""
    found: set[str] = set()
    for text in texts:
        found |= hosts_in(text)
    return bool(found) and found <= {*_ONE_MACHINE, *names}


_TEMPORARY = regex(r"(?:file:/{0,3})?/tmp/|(?:file:/{1,3})tmp/")


def is_scratch_path(text: str) -> bool:
    """Return whether a text is a path in a folder for temporary files."""
    return _TEMPORARY.match(text) is not None
