"""Paths, URIs and hosts in the values of Flink's options."""

from __future__ import annotations

import re

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
"""Hosts by which a machine reaches itself alone."""

_SCHEME = r"(?s)([A-Za-z][A-Za-z0-9+.-]*):(?!\\)(.*)"
_TEMPORARY = regex(r"/(?:private/)?(?:var/)?tmp(?:/|$)")


class Location(NamedTuple):
    """A path with its scheme (``file``, ``s3``, ``hdfs``, ...), which is empty if not given."""

    scheme: str
    path: str

    @property
    def is_local(self) -> bool:
        """Whether the path is on a file system of the machine itself (a local disk or a mount)."""
        return self.scheme in ("", "file")

    @property
    def is_temporary(self) -> bool:
        """Whether the path is in a local folder that systems clean: ``/tmp``, ``/var/tmp``, ``${java.io.tmpdir}``."""
        return self.is_local and (_TEMPORARY.match(self.path) is not None or self.path.startswith("${java.io.tmpdir}"))


def locate(text: str) -> Location:
    """Return the scheme and the path of a value; ``file:///tmp/x`` and ``file:/tmp/x`` are both ``/tmp/x``."""
    match = re.fullmatch(_SCHEME, text.strip())
    if match is None:
        return Location("", text.strip())
    scheme, rest = match.group(1).lower(), match.group(2)
    if scheme == "file" and rest.startswith("//"):
        rest = "/" + rest[2:].partition("/")[2] if not rest.startswith("///") else rest[2:]
    return Location(scheme, rest)


def split_directories(text: str) -> list[str]:
    """Split the value of ``io.tmp.dirs`` into directories at ``,``, ``|``, and the path separator, as Flink does."""
    return [part for part in re.split(r"[,|:]", text) if part]
