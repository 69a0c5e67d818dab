"""The effective size of RPC frames."""

from __future__ import annotations

from flink_flint.linter.flink.frame_size import parse_hocon_bytes
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.model.view import View

FRAME = "pekko.framesize"


def frame_of(config: View) -> int | None:
    """Return the frame size in bytes; None if it is unknown or invalid."""
    text = config.string(FRAME)
    if text is None:
        return None
    try:
        return int(parse_hocon_bytes(text))
    except BadValue:
        return None
