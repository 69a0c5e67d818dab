"""Writing a file whole or not at all."""

import os
import sys


def write_whole(path: str, data: bytes) -> None:
    """Write a temporary file beside the file and put it in its place; raises OSError and then leaves nothing behind.

    A link is followed and the mode kept. What is no regular file (a device, a pipe) cannot be replaced and is
    written to.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            stream.write(data)
        return
    temporary = f"{path}.flint-{os.getpid()}"
    try:
        with open(temporary, "wb") as stream:
            stream.write(data)
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def save(path: str, data: bytes, what: str) -> None:
    """Write what a command made for its user; raises ValueError, naming `what` it is, where it cannot be written."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise ValueError(f"{path}: cannot write {what}: {(error.strerror or str(error)).lower()}") from None


def put_out(text: str, output_file: str | None, what: str) -> None:
    """Print a text, or save it where a file is named; bytes of a file that are no UTF-8 stay what they are."""
    data = text.encode("utf-8", "surrogateescape")
    if output_file is not None:
        save(output_file, data, what)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
