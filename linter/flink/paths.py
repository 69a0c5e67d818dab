"""Paths and URIs as Flink's options hold them."""

import re

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_SCHEME = r"(?s)([A-Za-z][A-Za-z0-9+.-]*):(?!\\)(.*)"
_TEMPORARY = regex(r"/(?:private/)?(?:var/)?tmp(?:/|$)")


class Location(NamedTuple):
    """A path with its scheme: ``file``, ``s3``, ``hdfs``, ...; empty where none is written."""

    scheme: str
    path: str

    @property
    def is_local(self) -> bool:
        """Whether it names a place on the machine's own disks (or a mount on them)."""
        return self.scheme in ("", "file")

    @property
    def is_temporary(self) -> bool:
        """Whether it lies where systems clean up: ``/tmp``, ``/var/tmp``, ``${java.io.tmpdir}``."""
        return self.is_local and (_TEMPORARY.match(self.path) is not None or self.path.startswith("${java.io.tmpdir}"))


def locate(text: str) -> Location:
    """The scheme and the path of a value; ``file:///tmp/x`` and ``file:/tmp/x`` are both ``/tmp/x``."""
    match = re.fullmatch(_SCHEME, text.strip())
    if match is None:
        return Location("", text.strip())
    scheme, rest = match.group(1).lower(), match.group(2)
    if scheme == "file" and rest.startswith("//"):
        rest = "/" + rest[2:].partition("/")[2] if not rest.startswith("///") else rest[2:]
    return Location(scheme, rest)


def split_directories(text: str) -> list[str]:
    """The directories of ``io.tmp.dirs``: separated by ``,``, ``|`` or the path separator, as Flink splits it."""
    return [part for part in re.split(r"[,|:]", text) if part]
