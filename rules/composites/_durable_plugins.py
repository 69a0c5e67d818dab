"""File system plugins that a container needs for its directories but does not load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.model.containers.built_image import image_of
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.finding import Finding, Place
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.composites._durable import CHECKPOINTS, HIGH_AVAILABILITY, MAX_NAMED, RESULTS, Durable

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView

_PLUGINS = "ENABLE_BUILT_IN_PLUGINS"
_S3 = ("flink-s3-fs-native", "flink-s3-fs-hadoop", "flink-s3-fs-presto")
_AZURE = ("flink-azure-fs-hadoop",)
_SERVED_BY = {
    "s3": _S3, "s3a": _S3[:2], "s3p": _S3[2:], "gs": ("flink-gs-fs-hadoop",), "oss": ("flink-oss-fs-hadoop",),
    "abfs": _AZURE, "abfss": _AZURE, "wasb": _AZURE, "wasbs": _AZURE,
}  # fmt: skip
"""The file system plugins for each URI scheme; images contain them in a folder that Flink does not load.

The last one is what all releases with the scheme have; `flink-s3-fs-native` is part of Flink from 2.3 on.
"""
_KNOWN = {plugin for plugins in _SERVED_BY.values() for plugin in plugins}
_OFFICIAL = regex(r"(?:docker\.io/)?(?:library/|apache/)?flink(?::(?P<tag>[\w.-]+))?(?:@.*)?")
_HOME = "/opt/flink/"
_LOADED = (f"{_HOME}plugins/", f"{_HOME}lib/")
_FAILING = {
    CHECKPOINTS: "jobs that take checkpoints fail at their start",
    HIGH_AVAILABILITY: "the processes end at their start",
    RESULTS: "the JobManager ends at its start",
}
"""What fails where no plugin serves the scheme of a directory, by the key of the directory."""
_MAY_BRING = regex(r"(?i)plugins|-fs-|\.sh\b|hadoop|s3|presto|ENABLE_BUILT_IN|[\"'\s]/opt/flink/?[\"'\s]")
"""Matches what in a Dockerfile may bring a file system."""
_PLUGIN = regex(r"(?P<name>[\w-]+?)-(?P<release>\d+\.\d+(?:\.\d+)?)\.jar")


def missing_plugins(in_containers: Sequence[tuple[View, ProcessView, list[Durable]]]) -> Iterator[Finding]:
    """Yield findings on processes in Flink's own image, for the schemes of their directories that no plugin serves."""
    missing: dict[tuple[object, ...], tuple[Durable, list[tuple[View, ProcessView]]]] = {}
    outdated: dict[Place, Finding] = {}
    for config, process, found in in_containers:
        tag, enabled = _official_tag(process), _plugins(process)
        if tag is None:
            tag = _built_tag(config, process)
        if tag is None or enabled is None:
            continue
        for durable in found:
            serving = _SERVED_BY.get(durable.location.scheme, ())
            fitting = [plugin for plugin in enabled if plugin.name in serving]
            if serving and not fitting:
                place = (durable.location.scheme, config.document.path, durable.setting.document.path)
                missing.setdefault(place, (durable, []))[1].append((config, process))
                break
            for plugin in fitting:
                where = process.place(f"environment.{_PLUGINS}")
                if not _is_of(plugin.release, tag) and where not in outdated:
                    outdated[where] = _outdated(process, durable, plugin.name, plugin.release, tag)
    yield from outdated.values()
    for durable, processes in missing.values():
        yield _missing(durable, processes)


def _who_fails(durable: Durable) -> str:
    """What fails without the file system; a JobManager that runs a single job ends with it, one of a session stays."""
    return _FAILING.get(durable.setting.key, "what needs them fails")


def _missing(durable: Durable, processes: Sequence[tuple[View, ProcessView]]) -> Finding:
    scheme = durable.location.scheme
    config, process = processes[0]
    image = process.image.value if process.image is not None else None
    of = "image" if process.has("image") or not process.has("dockerfile") else "dockerfile"
    dockerfile = config.relation.dockerfile
    is_built = dockerfile is not None and process.dockerfile is not None
    named = f"an image of {dockerfile.file_name}" if dockerfile is not None and is_built else image
    jar = f"{_SERVED_BY[scheme][-1]}-{config.target.release or '<release>'}.jar"
    roles = list(dict.fromkeys(one.name for _, one in processes))[:2]
    places = {one.place(of).span: one.place(of, f"of {one.name}") for _, one in processes[:MAX_NAMED]}
    return process.finding(
        f"{durable.what} go to {durable.setting.text}, and {' and '.join(roles)} {'run' if roles[1:] else 'runs'}"
        f" {named}, which loads no plugin for {scheme}: {_who_fails(durable)} with 'Could not find a file"
        f" system implementation for scheme '{scheme}''",
        of=of,
        key=durable.setting.key,
        help=f"set {_PLUGINS}: {jar} in the environment of each container, or build the plugin into the image",
        related=[
            *durable.place(),
            *([process.place(f"environment.{_PLUGINS}", "enables others")] if process.variable(_PLUGINS) else ()),
            *(place for span, place in places.items() if span != process.place(of).span),
        ],
        evidence={"scheme": scheme, "image": image},
    )


def _outdated(process: ProcessView, durable: Durable, name: str, release: str, tag: str) -> Finding:
    return process.finding(
        f"{_PLUGINS} asks for {name}-{release}.jar, and the image has that of {tag}: its entrypoint ends with 'Plugin"
        f" {name}-{release}.jar does not exist', and {durable.what} are out of reach",
        of=f"environment.{_PLUGINS}",
        key=_PLUGINS,
        help=f"write {name}-{_release_of(tag)}.jar",
        related=[process.place("image", f"the image of {tag}"), *durable.place()],
        evidence={"plugin": release, "image": tag},
    )


def _release_of(tag: str) -> str:
    return tag.partition("-")[0]


def _is_of(release: str, tag: str) -> bool:
    """Whether a release may be that of a tag: the same, or a patch of a tag that names none."""
    named = _release_of(tag)
    return not named[:1].isdigit() or release == named or release.startswith(f"{named}.")


def _official_tag(process: ProcessView) -> str | None:
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


def _built_tag(config: View, process: ProcessView) -> str | None:
    """Return the tag of Flink's image on which a Dockerfile builds that of a process, if that adds no plugin."""
    dockerfile = config.relation.dockerfile
    if dockerfile is None or process.dockerfile is None or not process.environment_is_known:
        return None
    image = image_of(dockerfile)
    base = image.value("from")
    match = _OFFICIAL.fullmatch(base) if isinstance(base, str) else None
    if (
        match is None
        or image.has("entrypoint")
        or process.has("other-build")
        or any(map(_brings_plugins, process.volumes()))
    ):
        return None
    if _MAY_BRING.search(dockerfile.text) is not None or any(map(_copies_folder, image.items("copies"))):
        return None
    if any(".sh" in str(word.value) for word in process.process.arguments):
        return None
    return match["tag"] or ""


def _copies_folder(copy: Element) -> bool:
    """Return whether a build copies something to where Flink loads plugins and libraries from."""
    target = copy.value("target")
    folder = f"{target.rstrip('/')}/" if isinstance(target, str) else _HOME
    return folder == _HOME or folder.startswith(_LOADED)


def _brings_plugins(volume: ElementView) -> bool:
    """Whether a volume lies, or may lie, over what Flink loads."""
    target = volume.text("target")
    folder = f"{target.rstrip('/')}/" if target is not None else _HOME
    return folder == _HOME or folder.startswith(_LOADED)


class _Plugin(NamedTuple):
    """A plugin that the image enables at startup."""

    name: str
    release: str


def _plugins(process: ProcessView) -> list[_Plugin] | None:
    """Return the plugins that a process enables; None if they are unknown."""
    variable = process.variable(_PLUGINS)
    if variable is None:
        return []
    if not isinstance(variable.value, str):
        return None
    found = []
    for word in filter(None, map(str.strip, variable.value.split(";"))):
        match = _PLUGIN.fullmatch(word)
        if match is None or ("-fs-" in match["name"] and match["name"] not in _KNOWN):
            return None  # nobody can tell which schemes another file system serves
        found.append(_Plugin(match["name"], match["release"]))
    return found
