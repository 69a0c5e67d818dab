"""The recorded agreement of `flint show` with the releases of the operator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

AGREEMENT = Path(__file__).with_name("agreement.json")
COUNT = 300
"""The number of resources that are put to each release."""


def recorded() -> dict[str, Any]:
    """Return by release how many resources agree, how many the operator accepts, and the keys that differ."""
    return dict(json.loads(AGREEMENT.read_text("utf-8"))) if AGREEMENT.is_file() else {}
