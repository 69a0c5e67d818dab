"""Output formats, one module each: `render(report, context)` yields the parts of the output."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.engine.check_run import Report

FORMATS = (
    "full", "concise", "json", "json-lines", "github", "gitlab", "sarif", "junit", "rdjson", "checkstyle", "markdown",
)  # fmt: skip
"""The formats that `--output-format` accepts."""

_MODULES = {"json": "json_report", "github": "github_annotations", "gitlab": "gitlab_code_quality"}
"""The modules whose name differs from their format."""

WITH_EDITS = frozenset({"json", "json-lines", "sarif", "rdjson"})
"""The output formats that include the edits of fixes, for other tools to apply."""

WITH_FIXES = WITH_EDITS | {"full", "concise", "github", "markdown"}
"""The output formats that show fixes or the number of fixes."""

HOME = "https://github.com/flink-flint/flint"
"""The URL of flint's source repository."""
ISSUES = f"{HOME}/issues"


class Context(NamedTuple):
    """Display options that a format may use in addition to the report."""

    color: bool = False
    width: int = 80
    """The width of the terminal in columns."""
    statistics: bool = False


class Format(Protocol):
    """The interface that the module of each format implements."""

    def render(self, report: Report, context: Context) -> Iterator[str]:
        """Yield the output in parts, which include the line ends."""
        ...


def report_format(name: str) -> Format:
    """Return the module of a format; raise ImportError for a name that is not in `FORMATS`."""
    return cast(Format, import_module(f"{__name__}.{_MODULES.get(name, name.replace('-', '_'))}"))
