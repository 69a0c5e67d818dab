"""Paths, URIs and hosts in the values of Flink's options."""

from __future__ import annotations

import re

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
"""Hosts by which a machine reaches itself alone."""

STORES = ("s3", "s3a", "s3p", "gs", "oss", "cosn", "obs", "abfs", "abfss", "wasb", "wasbs")
"""The schemes of object stores."""
_OTHER_SCHEMES = (
    "file", "hdfs", "viewfs", "webhdfs", "swebhdfs", "har", "ftp", "sftp", "http", "https", "s3n", "adl", "swift",
    "maprfs", "alluxio", "ofs", "o3fs", "cos", "ks3", "tos", "bos", "jfs", "dbfs", "nfs", "gcs",
)  # fmt: skip
"""Schemes of other file systems that Flink or Hadoop have, or that plugins bring."""

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


def scheme_meant(scheme: str) -> str | None:
    """Return the scheme of which an unknown one is a slip (``s4``, ``hdsf``); None if it is known, or like none."""
    known = (*STORES, *_OTHER_SCHEMES)
    if len(scheme) < 2 or scheme.lower() in known:
        return None
    from flink_flint.linter.flink.nearest import slips  # unknown schemes are rare

    return next((one for one in known if slips(scheme, one, 1) is not None), None)
