"""The recorded agreement of `flint show` with the releases of the operator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

AGREEMENT = Path(__file__).with_name("agreement.json")
COUNT = 300
"""The number of resources that are put to each release."""
RELEASES = (
    "1.4.0", "1.5.0", "1.6.1", "1.7.0", "1.8.0", "1.9.0", "1.10.0", "1.11.0", "1.12.1", "1.13.0", "1.14.0", "1.15.0",
)  # fmt: skip
"""The newest patch of each minor release of the operator from 1.4 on."""


def recorded() -> dict[str, Any]:
    """Return by release how many resources agree, how many the operator accepts, and the keys that differ."""
    return dict(json.loads(AGREEMENT.read_text("utf-8"))) if AGREEMENT.is_file() else {}
