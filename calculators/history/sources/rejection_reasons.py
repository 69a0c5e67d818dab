"""The valid range of times, and the reasons for which all sources reject rows."""

from __future__ import annotations

EARLIEST = 631_152_000_000
"""1990-01-01, in milliseconds since the epoch: a time before is a mistake."""
LATEST = 4_102_444_800_000
"""2100-01-01: so is one from here on."""

OUT_OF_RANGE = "time is out of range"
NO_NUMBER = "value is no number"
BREAKS_OFF = "the file breaks off"
