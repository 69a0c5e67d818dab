"""The options of a run, which cannot be set by a file in the checked repository."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

from flink_flint.linter.config.flint_config import FlintConfigFile, ReadFile, flint_config_for, flint_config_in
from flink_flint.linter.model.finding import Confidence
from flink_flint.linter.model.limits import FINDINGS
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.engine.planning.planned_documents import Planning


class Options(NamedTuple):
    """The options of a run; None means that flint's configuration decides."""

    flink_version: str | None = None
    platform: str | None = None
    profile: str | None = None
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_confidence: Confidence = Confidence.LOW
    flint_config: FlintConfigFile | None = None
    """The flint configuration file to use for all paths; None means the nearest one to each path."""
    ignores: bool = True
    """Whether suppressions apply: comments, annotations, and `ignore` in flint's configuration."""
    rules: bool = True
    """Whether rules run; if not, flint only determines the documents and their targets."""
    history: str | None = None
    """The history store (``STORE`` or ``STORE#cluster``) with the metrics that rules compare the documents with."""
    read_config_file: ReadFile | None = None
    """The function that reads flint's own configuration; None means that it is read from disk."""
    include_tests: bool = False
    """Whether test files are checked even if flint's configuration excludes them."""
    renders: bool = False
    """Whether charts and kustomizations around the files are rendered and checked in place of the files."""
    by_programs: bool | None = False
    """Whether the real Helm and kustomize render charts and kustomizations; None defers to the user's configuration."""
    planning: Planning | None = None
    """The planners that plan SQL scripts; None if nothing is planned."""
    named: frozenset[str] | None = None
    """The absolute paths of the files and folders (with a final separator) to report findings for; None means all.

    The others are the project around them, and only findings in which a named file takes part are reported."""
    unsaved: Mapping[str, bytes] = {}
    """The contents to use instead of files on disk that are not themselves Flink files, by absolute path.

    A chart or kustomization may be made of them."""
    without_deployments: Mapping[str, Set[str]] = {}
    """The names of files that are known not to say how charts or kustomizations are deployed, by the absolute path,
    without links, of their folder.

    They are not read again to find that out."""
    remembers: bool = False
    """Whether what charts and kustomizations render to is remembered; all files must be as they are on the disk."""
    leaves_out_void: bool = True
    """Whether findings on settings are omitted if another finding reports that Flink does not read their file."""
    max_findings: int = FINDINGS
    """The maximum number of findings that one rule reports for a file."""

    def flint_config_in(self, folder: str) -> FlintConfigFile:
        """Return the flint configuration for the files in a folder; raise `FlintConfigError` if it is invalid."""
        return flint_config_in(folder, self.read_config_file) if self.flint_config is None else self.flint_config

    def flint_config_at(self, path: str) -> FlintConfigFile:
        """Return the flint configuration for a file or folder; raise `FlintConfigError` if it is invalid."""
        return flint_config_for(path, self.read_config_file) if self.flint_config is None else self.flint_config
