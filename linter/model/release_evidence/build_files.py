"""Determines the Flink release that a project compiles against from Maven, Gradle, sbt or Python build files.

A build names the release itself or refers to it: by a property of its own or of a parent POM, of `gradle.properties`,
by a version catalog (`gradle/libs.versions.toml`), by a value of sbt's `build.sbt` or `project/*.scala`. Only artifacts
that are released with Flink count: the version of a connector or of the operator is another one. A build for several
releases (profiles, a catalog with several) names a range, unless the folder of a module names the one it is for:
`flink-1.20/`, `flink/v2.0/`.

The nearest file that names a release counts, up to the root of the repository. No file outside of it is read, and each
is scanned in linear time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from flink_flint.linter.filesystem.build_modules import without_comments
from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text, path_in_repository
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.flink.releases import MINORS, ReleaseRange, parse_release
from flink_flint.linter.model.release_evidence.scala_values import value_of

# Patterns for files that rarely exist are not compiled in advance; that would slow down every run.
_VERSION = r"(\d+\.\d+(?:\.\d+)?)"
_NAME = r"(?:flink[._-]?version|versions?[._-]flink)"
"""The property's names in builds of every kind, in any case: `flink.version`, `flinkVersion`, `version.flink`."""
_RUN_WITH = r"streaming-(?:java|scala)|java|scala|core|clients|runtime|dist"
_ARTIFACT = (
    rf"flink-(?:{_RUN_WITH}|table-[a-z-]++|python|cep|parent|annotations"
    r"|test-utils|statebackend-[a-z-]++|state-processor-api|connector-(?:base|files)|yarn|kubernetes|metrics-[a-z-]++)"
    r"(?:-web)?(?:_[\w.${}]+)?"
)
"""Artifacts with the version of Flink itself."""
_RUNTIME = rf"flink-(?:{_RUN_WITH})(?:_[\w.${{}}]+)?"
"""Artifacts that a program runs with; the version of another one may differ by mistake."""
_BETWEEN = r"(>=\s*\d+\.\d+(?:\.\d+)?\s*,\s*<=?\s*\d+(?:\.\d+){0,2})"
_REQUIRED = rf"(?:(?:==|~=)\s*{_VERSION}|{_BETWEEN})"
"""A version, or a range with both ends; a range without an upper end may be much older than the deployment."""
_UNLESS = r"(?:[\w.]{1,80}\([^()\n]{0,200}\)\s*\?:\s*)?"
"""What a build looks up before it takes the version: ``System.getenv("FLINK_VERSION") ?:``."""
_FOLDER = r"(?i)flink[-_]?v?(\d)[._](\d{1,2})(?:[._]x|[-_](?:shaded|connector|module|compat|adapter|shim))?"
"""Names of modules for one release: `flink-1.20`, `flink1.20`, `flink-1.20-shaded`."""
_CATALOG = "gradle/libs.versions.toml"
_MAX_STEPS = 5
_MAX_SCALA_FILES = 20
_MAX_ARTIFACTS = 100

Named = tuple[str, str]
"""A Flink version or version range, and the path of the build file that names it, relative to the build's folder."""


def release_of_build(directory: str) -> Named | None:
    """Return the Flink release named by the nearest build file in a folder or above it; None if none names one."""
    folders = list(folders_up(os.path.abspath(directory)))
    found = next(filter(None, map(release_named_in, folders)), None)
    if found is None:
        return None
    for folder in folders[:-1]:  # the name of the repository itself may be that of a branch
        minor = _minor_in_name(folder)
        if minor is not None:
            same = _minor_of(found[0]) == minor and ">" not in found[0]
            return found if same else (minor, f"the folder {os.path.basename(folder)}")
    return found


def _minor_in_name(folder: str) -> str | None:
    """Return the minor release that a folder is named for: `flink-1.20`, or `v1.20` in a folder `flink`."""
    above, name = os.path.split(folder)
    match = re.fullmatch(_FOLDER, name) or (
        re.fullmatch(r"v?(\d)[._](\d{1,2})", name) if os.path.basename(above) == "flink" else None
    )
    minor = f"{match[1]}.{match[2]}" if match is not None else None
    return minor if minor in MINORS else None


def _minor_of(version: str) -> str:
    """Return the minor release of a version."""
    return ".".join(version.split(".")[:2])


def _spanned(versions: Iterable[str]) -> str | None:
    """Return a version, or the range of several; None if there is none."""
    found = list(dict.fromkeys(versions))
    minors = sorted({parse_release(_minor_of(one)) for one in found})
    if not minors:
        return None
    return found[0] if len(minors) == 1 else f">={minors[0].name},<={minors[-1].name}"


@remembered
def release_named_in(folder: str) -> Named | None:
    """Return the Flink release named by a build file in a folder, with its name; None if none names one."""
    names = names_in(folder)
    for name, read in _READERS.items():
        if name in names and (found := read(folder)) is not None and _is_usable(found[0]):
            return found
    return None


def _is_usable(version: str) -> bool:
    """Return whether a range contains a release of the catalogue."""
    return ">" not in version or bool(ReleaseRange(version).indices())


def _text(folder: str, name: str) -> str:
    return found_text(os.path.join(folder, name)) or ""


def _first(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text)
    return None if match is None else next(filter(None, match.groups()), None)


def _every(pattern: str, text: str) -> list[str]:
    """Return the distinct texts that the groups of a pattern match, up to a limit."""
    found = (next(filter(None, match.groups()), None) for match in islice(re.finditer(pattern, text), _MAX_ARTIFACTS))
    return list(dict.fromkeys(filter(None, found)))


# -- Maven


def _of_pom(folder: str) -> Named | None:
    return _of_pom_file(os.path.join(folder, "pom.xml"), frozenset())


def _of_pom_file(path: str, wanted: frozenset[str], depth: int = 0) -> Named | None:
    """Return the release that a POM or its parents name, by a property among `wanted` or a usual one."""
    text = found_text(path)
    if text is None or depth > _MAX_STEPS:
        return None
    text = without_comments(text)
    properties = _properties(text)
    for name, value in properties.items():
        if name in wanted or re.fullmatch(_NAME, name, re.I):
            values = (value, *_values_in_profiles(text, name))
            version = _spanned(filter(None, (_resolved(one, properties) for one in values)))
            if version is not None:
                return version, os.path.basename(path)
    references = set(wanted)
    runtime: list[str] = []
    others: list[str] = []
    is_managed = False
    for artifact, value in _dependencies(text):
        version = _resolved(value, properties)
        is_runtime = re.fullmatch(_RUNTIME, artifact) is not None
        if version is not None:
            (runtime if is_runtime else others).append(version)
            continue
        references.update(re.findall(r"\$\{([^{}\s]{1,100})\}", value))
        is_managed = is_managed or is_runtime
    own = _spanned(runtime) if runtime else _spanned(others)
    if own is not None and (runtime or not is_managed):
        return own, os.path.basename(path)
    parent = _parent(path, text)
    found = None if parent is None else _of_pom_file(parent, frozenset(references), depth + 1)
    return (own, os.path.basename(path)) if found is None and own is not None else found


def _properties(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for block in text.split("<properties>")[1:] or [text]:  # a fragment may begin inside
        for name, value in re.findall(r"<([\w.-]{1,100})>([^<>]{0,200})</", block.partition("</properties>")[0]):
            found.setdefault(name, value.strip())
    return found


def _values_in_profiles(text: str, name: str) -> list[str]:
    """Return the values that the profiles of a POM give a property."""
    profiles = text.partition("<profiles>")[2].partition("</profiles>")[0]
    return [value.strip() for value in re.findall(rf"<{re.escape(name)}>([^<>]{{0,200}})</", profiles)]


def _resolved(value: str, properties: dict[str, str]) -> str | None:
    """Return the version at the beginning of a value, or of the property that the value refers to."""
    for _ in range(_MAX_STEPS):
        if match := re.match(_VERSION, value):
            return match[1]
        match = re.fullmatch(r"\$\{([^{}\s]+)\}", value)
        if match is None or match[1] not in properties:
            return None
        value = properties[match[1]]
    return None


def _dependencies(text: str) -> Iterator[tuple[str, str]]:
    """Yield the artifacts of a POM that have Flink's own version, with that version; empty if the POM names none."""
    for piece in text.split("<dependency>")[1:]:
        one = piece.partition("</dependency>")[0][:2_000]
        artifact = re.search(rf"<artifactId>\s*({_ARTIFACT})\s*</", one)
        if artifact is not None and re.search(r"<groupId>\s*org\.apache\.flink\s*</", one):
            version = re.search(r"<version>\s*([^<>\s]+)\s*</", one)
            yield artifact[1], version[1] if version is not None else ""


def _parent(path: str, text: str) -> str | None:
    if "<parent>" not in text:
        return None
    block = text.partition("<parent>")[2].partition("</parent>")[0]
    named = re.search(r"<relativePath>([^<>]{0,500})</relativePath>", block[:2_000])
    relative = "../pom.xml" if named is None else named[1].strip()
    folder = os.path.dirname(path)
    found = path_in_repository(folder, relative) if relative else None
    if found is None:
        return None
    return os.path.join(found, "pom.xml") if os.path.isdir(found) else found


# -- Gradle


def _of_gradle(name: str, folder: str) -> Named | None:
    text = _text(folder, name)
    version = _first(
        rf"""(?i)(?<![\w.-])['"]?{_NAME}['"]?\]?\s*(?:[=:,]|by\s+extra\s*\()\s*{_UNLESS}['"]{_VERSION}""", text
    )
    if version is not None:
        return version, name
    for artifact in (_RUNTIME, _ARTIFACT):
        found = list(_of_artifacts(artifact, text, name, folder))
        if spanned := _spanned(version for version, _ in found):
            return spanned, found[0][1]
    return None


def _of_artifacts(artifact: str, text: str, name: str, folder: str) -> Iterator[Named]:
    """Yield the versions that a Gradle build gives some artifacts, itself or by variables or properties."""
    versions = _every(
        rf"""['"]org\.apache\.flink:{artifact}:{_VERSION}|['"]org\.apache\.flink['"],\s*(?:name\s*[:=]\s*)?"""
        rf"""['"]{artifact}['"],\s*(?:version\s*[:=]\s*)?['"]{_VERSION}""",
        text,
    )
    yield from ((version, name) for version in versions)
    variables = _every(
        rf"""['"]org\.apache\.flink:{artifact}:\$\{{?([\w.]{{1,80}})"""
        rf"""|['"]org\.apache\.flink:{artifact}:['"]\s*\+\s*([\w.]{{1,80}})"""
        rf"""|['"]org\.apache\.flink['"],\s*(?:name\s*[:=]\s*)?['"]{artifact}['"],\s*(?:version\s*[:=]\s*)?"""
        r"""(?!version\s*[:=])([\w.]{1,80})""",
        text,
    )
    for variable in variables:
        last = re.escape(variable.rpartition(".")[2])
        version = _first(rf"""(?<![\w.]){last}['"]?\]?\s*(?:[=:,]|by\s+extra\s*\()\s*{_UNLESS}['"]{_VERSION}""", text)
        found = _of_property(folder, last) if version is None else (version, name)
        if found is not None:
            yield found


def _of_property(folder: str, name: str) -> Named | None:
    """Return the version of a property in the nearest `gradle.properties`."""
    for above in folders_up(folder):
        version = _first(rf"(?m)^[ \t]*{name}[ \t]*[=:][ \t]*{_VERSION}", _text(above, "gradle.properties"))
        if version is not None:
            return version, "gradle.properties"
    return None


def _of_gradle_properties(folder: str) -> Named | None:
    version = _first(rf"(?im)^[ \t]*{_NAME}[ \t]*[=:][ \t]*{_VERSION}", _text(folder, "gradle.properties"))
    return None if version is None else (version, "gradle.properties")


def _of_catalog(folder: str) -> Named | None:
    """Return the release of the version catalog in a folder's `gradle` folder."""
    text = _text(folder, _CATALOG)
    if not text:
        return None
    artifact = rf"""(?:module\s*=\s*['"]org\.apache\.flink:{_ARTIFACT}['"]|name\s*=\s*['"]{_ARTIFACT}['"])"""
    # A version stands after the module, on the same line.
    line = r"""(?m)^[^\n#]*org\.apache\.flink[^\n]*$"""
    runtime: list[str] = []
    others: list[str] = []
    for found in re.findall(line, text)[:200]:
        if re.search(artifact, found) is None and re.search(rf"org\.apache\.flink:{_ARTIFACT}:", found) is None:
            continue
        reference = _first(r"""version(?:\.ref\s*=|\s*=\s*\{\s*ref\s*=)\s*['"]([\w.-]{1,80})""", found)
        if reference is not None:
            version = _first(rf"""(?m)^[ \t]*['"]?{re.escape(reference)}['"]?\s*=\s*[^\n'"]*['"]{_VERSION}""", text)
        else:
            version = _first(rf"""version\s*=\s*['"]{_VERSION}|org\.apache\.flink:{_ARTIFACT}:{_VERSION}""", found)
        if version is not None:
            is_runtime = re.search(rf"""org\.apache\.flink:{_RUNTIME}['":]|name\s*=\s*['"]{_RUNTIME}['"]""", found)
            (runtime if is_runtime else others).append(version)
    if spanned := _spanned(runtime or others):
        return spanned, _CATALOG
    version = _first(rf"""(?im)^[ \t]*['"]?(?:flink|{_NAME})['"]?\s*=\s*[^\n'"]*['"]{_VERSION}""", text)
    return None if version is None else (version, _CATALOG)


# -- sbt


def _of_sbt(folder: str) -> Named | None:
    texts = {"build.sbt": _text(folder, "build.sbt")}
    project = os.path.join(folder, "project")
    for name in sorted(names_in(project))[:200]:
        if name.endswith((".scala", ".sbt")) and len(texts) < _MAX_SCALA_FILES:
            texts[f"project/{name}"] = _text(project, name)
    for name, text in texts.items():
        version = _first(rf"(?i)\b{_NAME}\b(?:\s*:\s*String)?\s*=\s*\"{_VERSION}", text)
        if version is not None:
            return version, name
    for artifact in (_RUNTIME, _ARTIFACT):
        found = list(_of_modules(artifact, texts))
        if spanned := _spanned(version for version, _ in found):
            return spanned, found[0][1]
    return None


def _of_modules(artifact: str, texts: Mapping[str, str]) -> Iterator[Named]:
    """Yield the versions that the files of an sbt build give some artifacts, themselves or by values."""
    module = rf"\"org\.apache\.flink\"\s*%%?\s*\"{artifact}\"\s*%\s*"
    for name, text in texts.items():
        yield from ((version, name) for version in _every(rf"{module}\"{_VERSION}", text))
        for use in islice(re.finditer(rf"{module}([\w.]{{1,80}})", text), _MAX_ARTIFACTS):
            for other, definitions in texts.items():
                version = value_of(use[1], _VERSION, definitions, use.start() if other == name else None)
                if version is not None:
                    yield version, other
                    break


# -- Python


def _of_requirements(name: str, folder: str) -> Named | None:
    text = _text(folder, name)
    version = _first(rf"(?m)(?:^[ \t]*|[\"'])apache-flink(?:\[[^\]\n]*\])?\s*{_REQUIRED}", text)
    return None if version is None else (version, name)


def _of_poetry(name: str, folder: str) -> Named | None:
    found = _of_requirements(name, folder)
    if found is not None:
        return found
    match = re.search(
        rf"(?m)^[ \t]*[\"']?apache-flink[\"']?\s*=\s*(?:\{{[^}}\n]*version\s*=\s*)?[\"'](\^|~|==|~=)?\s*{_VERSION}",
        _text(folder, name),
    )
    if match is None:
        between = _first(
            rf"(?m)^[ \t]*[\"']?apache-flink[\"']?\s*=\s*(?:\{{[^}}\n]*version\s*=\s*)?[\"']\s*{_BETWEEN}",
            _text(folder, name),
        )
        return None if between is None else (between, name)
    if match[1] == "^":
        return f">={match[2]},<{int(match[2].partition('.')[0]) + 1}", name
    return match[2] if match[1] != "~" else ".".join(match[2].split(".")[:2]), name


_READERS: dict[str, Callable[[str], Named | None]] = {
    "pom.xml": _of_pom,
    "POM.xml": lambda folder: _of_pom_file(os.path.join(folder, "POM.xml"), frozenset()),
    "build.gradle": lambda folder: _of_gradle("build.gradle", folder),
    "build.gradle.kts": lambda folder: _of_gradle("build.gradle.kts", folder),
    "gradle.properties": _of_gradle_properties,
    "gradle": _of_catalog,
    "build.sbt": _of_sbt,
    "pyproject.toml": lambda folder: _of_poetry("pyproject.toml", folder),
    "Pipfile": lambda folder: _of_poetry("Pipfile", folder),
    "requirements.txt": lambda folder: _of_requirements("requirements.txt", folder),
    "setup.py": lambda folder: _of_requirements("setup.py", folder),
}
"""How each build file, or folder of build files, is read; in this order where a folder has several."""
BUILD_FILES = frozenset((*_READERS, "settings.gradle", "settings.gradle.kts"))
"""The names of files that a folder with a build has."""
