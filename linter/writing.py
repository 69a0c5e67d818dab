"""Writing a file whole or not at all."""

import os


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
