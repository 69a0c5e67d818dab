"""Unpacks, in memory, the chart archives in a chart's `charts` folder (``redis-1.2.3.tgz``)."""

from __future__ import annotations

import io
import posixpath
import tarfile
import zlib

_MAX_BYTES = 16 << 20
"""Maximum size of an unpacked archive."""
_MAX_MEMBERS = 5_000


def unpacked(path: str, data: bytes) -> dict[str, bytes]:
    """Return the contents of the regular files in a chart archive, by their paths as if the archive were a folder.

    A file in `charts/redis-1.2.3.tgz` is named `charts/redis-1.2.3.tgz/redis/Chart.yaml`. Returns nothing if the
    archive is damaged or too large.
    """
    unzip = zlib.decompressobj(wbits=31)
    try:
        content = unzip.decompress(data, _MAX_BYTES)
        if unzip.unconsumed_tail:
            return {}
        return _members(path, content)
    except (zlib.error, tarfile.TarError, ValueError, EOFError, OSError):
        return {}


def _members(path: str, content: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for number, member in enumerate(archive):
            if number >= _MAX_MEMBERS:
                return {}
            name = posixpath.normpath(member.name)
            if not member.isreg() or name.startswith(("/", "..")):
                continue
            stream = archive.extractfile(member)
            if stream is not None:
                found[posixpath.join(path, name)] = stream.read()
    return found
