"""The valid range of sample times, and the rejection reasons that all sources share."""

from __future__ import annotations

EARLIEST = 631_152_000_000
"""The earliest sample time that is accepted, 1990-01-01, in milliseconds since the epoch."""
LATEST = 4_102_444_800_000
"""The exclusive upper limit of accepted sample times, 2100-01-01, in milliseconds since the epoch."""

OUT_OF_RANGE = "time is out of range"
NO_NUMBER = "value is not a number"
BREAKS_OFF = "the file is truncated"
