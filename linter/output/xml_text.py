"""Escapes text for XML, so that a report stays well-formed whatever its messages contain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 cannot represent, not even as a reference (production `Char`)."""


def content(text: str) -> str:
    """Escape text for use between tags; a carriage return becomes a character reference, so that parsers keep it."""
    return escape(_printable(text), {"\r": "&#13;"})


def opening(name: str, attributes: Mapping[str, object]) -> str:
    """Return a start tag with its attributes, without the closing bracket."""
    return f"<{name}" + "".join(f" {key}={quoteattr(_printable(str(value)))}" for key, value in attributes.items())


def _printable(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
