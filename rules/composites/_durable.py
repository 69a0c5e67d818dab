"""Directories that must outlive the process that writes them, and the plugins that a container needs for them."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.uris import Location, locate
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.processes.process_view import ProcessView
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.checkpoints._state_directories import LocalDirectory, local_directories
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode

CHECKPOINTS = "execution.checkpointing.dir"
HIGH_AVAILABILITY = "high-availability.storageDir"
RESULTS = "job-result-store.storage-path"
DIRECTORIES = {
    CHECKPOINTS: "checkpoints",
    "execution.checkpointing.savepoint-dir": "savepoints",
    HIGH_AVAILABILITY: "what high availability recovers from",
    RESULTS: "the results of jobs",
    "state.changelog.dstl.dfs.base-path": "the changelog",
    "jobmanager.archive.fs.dir": "the archive of jobs",
}
_ONLY_HIGHLY_AVAILABLE = (HIGH_AVAILABILITY, RESULTS)
PLUGINS = "ENABLE_BUILT_IN_PLUGINS"
_S3 = ("flink-s3-fs-native", "flink-s3-fs-hadoop", "flink-s3-fs-presto")
_AZURE = ("flink-azure-fs-hadoop",)
SERVED_BY = {
    "s3": _S3, "s3a": _S3[:2], "s3p": _S3[2:], "gs": ("flink-gs-fs-hadoop",), "oss": ("flink-oss-fs-hadoop",),
    "abfs": _AZURE, "abfss": _AZURE, "wasb": _AZURE, "wasbs": _AZURE,
}  # fmt: skip
"""The file system plugins for each URI scheme; images contain them in a folder that Flink does not load.

The last one is what all releases with the scheme have; `flink-s3-fs-native` is part of Flink from 2.3 on.
"""
_KNOWN = {plugin for plugins in SERVED_BY.values() for plugin in plugins}
_OFFICIAL = regex(r"(?:docker\.io/)?(?:library/|apache/)?flink(?::(?P<tag>[\w.-]+))?(?:@.*)?")
_HOME = "/opt/flink/"
_LOADED = (f"{_HOME}plugins/", f"{_HOME}lib/")
_PLUGIN = regex(r"(?P<name>[\w-]+?)-(?P<release>\d+\.\d+(?:\.\d+)?)\.jar")


class Durable(NamedTuple):
    """A directory that is set, with a description of its contents."""

    setting: Setting
    location: Location
    what: str

    def place(self) -> list[Place]:
        """Return the place of the setting as a one-element list; empty if no file sets the directory."""
        place = self.setting.place(self.what)
        return [place] if place is not None else []


def directories(config: View) -> Iterator[Durable]:
    """Yield the directories with known values; those for high availability only if it is enabled."""
    for key, what in DIRECTORIES.items():
        setting = config.get(key)
        if not setting.is_set or not setting.is_known:
            continue
        if key not in _ONLY_HIGHLY_AVAILABLE or mode(config) not in (NONE, UNKNOWN):
            yield Durable(setting, locate(setting.text), what)


def local(config: View) -> list[LocalDirectory]:
    """Return the recovery directories with local paths."""
    return list(
        local_directories(config, [CHECKPOINTS, "execution.checkpointing.savepoint-dir", *_ONLY_HIGHLY_AVAILABLE])
    )


def official_tag(process: ProcessView) -> str | None:
    """Return the tag of a process's image if it is Flink's own image with its own plugins; None otherwise."""
    image = process.image.value if process.image is not None else None
    match = _OFFICIAL.fullmatch(image) if isinstance(image, str) else None
    if match is None or not process.environment_is_known or process.dockerfile is not None:
        return None
    if any(map(_brings_plugins, process.volumes())):
        return None
    if any(".sh" in str(word.value) for word in process.process.arguments):
        return None  # a script may fetch them
    return match["tag"] or ""


def _brings_plugins(volume: ElementView) -> bool:
    """Whether a volume lies, or may lie, over what Flink loads."""
    target = volume.text("target")
    folder = f"{target.rstrip('/')}/" if target is not None else _HOME
    return folder == _HOME or folder.startswith(_LOADED)


class Plugin(NamedTuple):
    """A plugin that the image enables at startup."""

    name: str
    release: str


def plugins(process: ProcessView) -> list[Plugin] | None:
    """Return the plugins that a process enables; None if they are unknown."""
    variable = process.variable(PLUGINS)
    if variable is None:
        return []
    if not isinstance(variable.value, str):
        return None
    found = []
    for word in filter(None, map(str.strip, variable.value.split(";"))):
        match = _PLUGIN.fullmatch(word)
        if match is None or ("-fs-" in match["name"] and match["name"] not in _KNOWN):
            return None  # nobody can tell which schemes another file system serves
        found.append(Plugin(match["name"], match["release"]))
    return found


def contains(prefix: str, path: str) -> bool:
    """Return whether a prefix of a bucket includes objects below `path`, at least partly."""
    path = f"{path.strip('/')}/"
    return path.startswith(prefix) or prefix.startswith(path)
