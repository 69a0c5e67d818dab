"""The fields that a rule's test case may have, and their valid values (`linter.model.rule.Case`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flink_flint.linter.flink.releases import ReleaseRange
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.model.platforms import PLATFORMS, PROFILES

_TEXT = (str, "a text")
_KINDS: Mapping[str, tuple[type[Any], str]] = {
    "text": _TEXT,
    "at": _TEXT,
    "file": _TEXT,
    "flink": (str, 'a text such as "1.20"'),
    "fixed": _TEXT,
    "severity": (Severity, "a severity such as Severity.INFO"),
    "says": _TEXT,
    "profile": _TEXT,
    "platform": _TEXT,
    "beside": (Mapping, "texts by name of file"),
    "times": (int, "a whole number"),
    "before": _TEXT,
    "observed": (Mapping, "values by name of metric"),
    "planned": (Mapping, "the planner's answers by number of statement"),
    "title": _TEXT,
}
_OPTIONAL = ("at", "flink", "fixed", "severity", "says", "platform", "before")
_CHOICES = {"platform": PLATFORMS, "profile": PROFILES}


def check_fields(fields: Mapping[str, Any]) -> None:
    """Raise ValueError for an unknown field of a test case, or for an invalid value of a field."""
    for name, value in fields.items():
        if name not in _KINDS:
            raise ValueError(f"{name} is not one of {', '.join(_KINDS)}")
        kind, meaning = _KINDS[name]
        if value is None and name in _OPTIONAL:
            continue
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{name} must be {meaning}, not {value!r}")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise ValueError(f"{name} must be one of {', '.join(_CHOICES[name])}, not {value!r}")
    if fields.get("times", 0) < 0:
        raise ValueError(f"times must be at least 0 (any number), not {fields['times']}")
    for name, text in fields.get("beside", {}).items():
        if not isinstance(text, str):
            raise ValueError(f"beside: {name} must be a text, not {text!r}")
    if fields.get("flink") is not None:
        ReleaseRange(fields["flink"])
