"""Suggestions for mistyped names."""

from __future__ import annotations

from collections.abc import Iterable


def near_names(word: str, names: Iterable[str], *, most: int = 3) -> list[str]:
    """Return the names that a mistyped word may mean, likeliest first: by prefix, substring or similar spelling."""
    from difflib import get_close_matches

    wanted, known = word.lower(), list(names)
    begun = [name for name in known if wanted and name.startswith(wanted)]
    holding = [name for name in known if len(wanted) > 2 and wanted in name]
    close = get_close_matches(wanted, known, n=most, cutoff=0.6)
    return (begun or list(dict.fromkeys([*holding, *close])))[:most]
