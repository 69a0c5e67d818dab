"""Opens the Flink configuration that a calculator reads values from and writes settings to."""

from __future__ import annotations

import os

from flink_flint.linter.config.flint_config import flint_config_for
from flink_flint.linter.engine.discovery import Problem, Source, open_file
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.filesystem.reading import is_inside
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.file_loading import pick
from flink_flint.linter.flink.releases import (
    FIRST_CONFIG_YAML,
    LAST_FLINK_CONF,
    NEWEST,
    Release,
    nearest_index,
    release_at,
)
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.target import target_from_version, target_of
from flink_flint.linter.text.named_tuple import NamedTuple


class Opened(NamedTuple):
    """A configuration that the user named, resolved for one release."""

    path: str
    source: Source
    document: Document
    configuration: Configuration
    release: Release
    evidence: str
    """The evidence for the release: a part of the file, or a flag."""
    certain: bool = True
    """Whether the release is certain; otherwise `release` is the newest release that can read the file."""

    def at(self, release: Release) -> Opened:
        """Return the configuration resolved for another release."""
        if release == self.release:
            return self
        configuration = Configuration(
            self.document.values(), release, yaml=self.document.yaml_in(nearest_index(release))
        )
        return self._replace(configuration=configuration, release=release, evidence="as requested", certain=True)

    def place(self, key: str) -> str:
        """Return the location at which the file sets `key`: ``config.yaml:12``."""
        entry = self.document.effective[key]
        return f"{self.path}:{self.document.lines.position(entry.key_span.start).line}"

    def mask(self, text: str) -> str:
        """Return the text with the file's secrets hidden."""
        return mask_of(self.document)(text)


def open_configuration(path: str, *, flink_version: str | None = None, platform: str | None = None) -> Opened:
    """Open the Flink configuration in a file, or the one that Flink would load from a directory.

    Raises ValueError if there is none, or one that Flink refuses; the message names the file and the line.
    """
    source = source_at(path, flink_version)
    if source is None:
        raise ValueError(
            f"{path}: not a Flink configuration by its name or keys; flint reads config.yaml, "
            "flink-conf.yaml, other YAML files with Flink keys, and a directory with one of the two"
        )
    if isinstance(source, Problem):
        raise ValueError(f"{source.path}: {source.message}")
    return opened_from(source, flink_version=flink_version, platform=platform)


def opened_from(source: Source, *, flink_version: str | None = None, platform: str | None = None) -> Opened:
    """Return the configuration in a file that has already been read; raise ValueError like `open_configuration`."""
    documents = source.file_format.read(source.path, source.data)
    whole = [document for document in documents if document.whole]
    if len(whole) != 1:
        held = f"{len(whole)} Flink configurations" if whole else "no complete Flink configuration"
        raise ValueError(f"{source.path}: contains {held}; name a file with one")
    document = whole[0]
    if document.refusals:
        refusal = document.refusals[0]
        line = document.lines.position(refusal.span.start).line
        message = mask_of(document)(refusal.message)
        remedy = (
            "render it first, or omit --config and pass flags"
            if refusal.reason == "template"
            else "fix that first (`flint check` shows details)"
        )
        raise ValueError(f"{source.path}:{line}: {message}; {remedy}")
    flint_config = flint_config_for(source.path).for_path(source.path)
    target = target_of(
        document,
        flink_version=flink_version,
        preferred_version=flint_config.flink_version,
        platform=platform or flint_config.platform,
        profile=flint_config.profile,
    )
    release = target.release_at(target.in_question[-1])
    configuration = Configuration(document.values(), release, yaml=document.yaml_in(nearest_index(release)))
    return Opened(source.path, source, document, configuration, release, target.evidence, target.certain)


def source_at(path: str, flink_version: str | None) -> Source | Problem | None:
    """Return the file at `path`, or the file that the given or newest release loads if `path` is a directory."""
    if not os.path.isdir(path):
        return open_file(path, trust_name=True)
    names = os.listdir(path)
    indices: tuple[int, ...] = (NEWEST, LAST_FLINK_CONF)
    if flink_version:
        indices = target_from_version(flink_version, "").indices[-1:]
    chosen = next((name for index in indices if (name := pick(names, index))), None)
    if chosen is None:
        release = f"Flink {release_at(indices[0])} reads" if flink_version else "Flink reads"
        required = "config.yaml" if indices[0] > LAST_FLINK_CONF else "flink-conf.yaml"
        if FIRST_CONFIG_YAML <= indices[0] <= LAST_FLINK_CONF or not flink_version:
            required = "config.yaml or flink-conf.yaml"
        return Problem(path, f"the directory has no {required}, which {release}")
    if not is_inside(file := os.path.join(path, chosen)):
        return Problem(file, "a link to a file outside the repository; name that file")
    return open_file(file, trust_name=True)
