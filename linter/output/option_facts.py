"""Facts about an option for `flint explain` and editors: its documentation page and its defaults by release."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from flink_flint.linter.flink.options import Catalogue, Option
from flink_flint.linter.flink.releases import MINORS

if TYPE_CHECKING:
    from flink_flint.linter.flink.tables.connectors import TableOption

_UNLIMITED = f"{2**63 - 1} bytes"
"""The default of unlimited sizes, as in the catalogue."""

FLINK_DOCS = "https://nightlies.apache.org/flink/flink-docs-release-{minor}/{page}"


OLD_PAGES = {**dict.fromkeys(("1.9", "1.10", "1.11"), "ops/config.html"), "1.12": "deployment/config.html"}


def is_listed(key: str, pattern: str) -> bool:
    """Return whether a key contains a text or, if that has wildcards, matches it; case does not matter."""
    lowered = pattern.lower()
    return fnmatchcase(key.lower(), lowered) if set(lowered) & set("*?") else lowered in key.lower()


def spell_default(option: Option | TableOption) -> str:
    if option.default is None:
        return "(none)"
    if isinstance(option.default, bool):
        return str(option.default).lower()
    if isinstance(option.default, (list, dict)):
        return json.dumps(option.default)
    return f"{option.default} (unlimited)" if option.default == _UNLIMITED else str(option.default)


def is_read(key: str, reads: tuple[str, ...]) -> bool:
    """Return whether `reads` contains `key`, or a prefix of it that ends with a dot."""
    return key in reads or any(read.endswith(".") and key.startswith(read) for read in reads)


def default_history(key: str, options: Catalogue) -> list[tuple[int, int, str]]:
    """Return an option's defaults, each with its first and last minor release; empty if the default never changed."""
    history: list[tuple[int, int, str]] = []
    for index in range(len(MINORS)):
        option = options.option(key, index)
        if option is None:
            continue
        default = spell_default(option)
        if history and history[-1][2] == default and history[-1][1] == index - 1:
            history[-1] = (history[-1][0], index, default)
        else:
            history.append((index, index, default))
    return history if len({default for _, _, default in history}) > 1 else []
