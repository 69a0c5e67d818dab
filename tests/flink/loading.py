"""What real releases of Flink load of the configurations in a run's documents: each as Flink is given it.

Flink is given a file, as it is or taken out of the file that it stands in; the settings of a custom resource in the
file that the operator writes; and FLINK_PROPERTIES in the file that the entrypoint of the image writes. One JVM loads
all that a release is given.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import NamedTuple

import yaml

from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.flink.deployment.docker_image import collisions, read_properties
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.flink.generate.distributions import PATCHES
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, LAST_FLINK_CONF, MINORS
from flink_flint.linter.formats.containers.flink_container import Workload
from flink_flint.linter.formats.flink_files.embedding import Embedded
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.model.document import Document
from tests.live.distribution import flink_libraries

SETTINGS = "settings"
"""The name of what Flink itself writes to a config.yaml."""

_FILES = {"flink-conf": FLINK_CONF, "config-yaml": CONFIG_YAML}
_READERS = {FLINK_CONF: (0, LAST_FLINK_CONF), CONFIG_YAML: (FIRST_CONFIG_YAML, len(MINORS) - 1)}
_OF_THE_OPERATOR = ("flinkdeployment", "flinksessionjob", "bluegreen")
_FIRST_WRITTEN_AS_YAML = MINORS.index("2.0")
"""From this release on the operator writes a config.yaml."""

Found = dict[str, str] | str
"""The settings that Flink loaded, or the error."""

Key = tuple[int, str, bytes]
"""A release, and the name and bytes of what it is given."""


def is_there() -> bool:
    """Return whether this machine can run Flink."""
    return shutil.which("javac") is not None


class Given(NamedTuple):
    """What one release is given of a document, and what flint says it loads."""

    index: int
    file: str
    data: bytes
    read: Mapping[str, str] | None
    """None: Flink refuses it."""

    @property
    def key(self) -> Key:
        """What tells it from others."""
        return self.index, self.file, self.data


class Load(NamedTuple):
    """What a release is given of a document after fixes, and what the releases were given of it before."""

    where: str
    before: tuple[Given, ...]
    after: Given

    def problem(self, loaded: Mapping[Key, Found]) -> str | None:
        """What is wrong with what Flink loads of it; None where it is what flint says.

        What flint read otherwise in the same release before is no doing of the fixes (`misread`).
        """
        found, read = loaded[self.after.key], self.after.read
        was_refused = any(isinstance(loaded[one.key], str) for one in self.before)
        if isinstance(found, str):
            return None if was_refused and read is None else f"refused ({found})"
        if read is None:
            return "loaded, where flint says that it is refused"
        other = _other(self.after, loaded) - set(self.misread(loaded))
        return f"loaded otherwise than flint reads it: {sorted(other)}" if other else None

    def misread(self, loaded: Mapping[Key, Found]) -> list[tuple[str, str]]:
        """The settings before fixes that Flink has and flint has not, or the other way round."""
        same = (one for one in self.before if one.index == self.after.index)
        return sorted(pair for one in same for pair in _other(one, loaded))


def _other(one: Given, loaded: Mapping[Key, Found]) -> set[tuple[str, str]]:
    found = loaded[one.key]
    return set() if isinstance(found, str) or one.read is None else {*found.items()} ^ {*one.read.items()}


def given(judged: Judged, data: bytes) -> Iterator[Given]:
    """What each release that a document is for is given of it; `data` is the document's file."""
    document = judged.document
    for index in judged.target.indices:
        if isinstance(document, Workload):
            yield from _properties(document, index)
        elif document.syntax in _FILES:
            file = _FILES[document.syntax]
            content = _content(document, data)
            if content is not None and _READERS[file][0] <= index <= _READERS[file][1]:
                yield Given(index, file, content, None if document.refusals else document.settings())
        elif document.kind in _OF_THE_OPERATOR and not is_template(document.text):
            written = {key: entry.text for key, entry in document.effective.items() if not entry.layer}
            if written:
                yield _written(index, written, is_yaml=index >= _FIRST_WRITTEN_AS_YAML)


def _content(document: Document, data: bytes) -> bytes | None:
    """The bytes of a document that is a file of Flink; None for what a template engine is still to fill in."""
    if not isinstance(document, Embedded):
        return None if is_template(document.text) else data
    return _in_yaml(document, document.extract.text)


def _in_yaml(document: Document, text: str) -> bytes | None:
    """A text that stands in a YAML file, where no template or variable is to be filled in."""
    if is_template(document.text) or "$" in text:
        return None
    try:
        scalars = [event.value for event in yaml.parse(document.text) if isinstance(event, yaml.ScalarEvent)]
    except yaml.YAMLError:
        return None
    # Compose also has a list of variables, each with its name.
    texts = (scalar.removeprefix("FLINK_PROPERTIES=") for scalar in scalars)
    found = next((one for one in texts if one.rstrip("\n") == text.rstrip("\n")), None)
    assert found is not None, (f"{document.path}: {document.name} is no scalar of the file", text, scalars)
    return _bytes(found)


def _properties(document: Workload, index: int) -> Iterator[Given]:
    """FLINK_PROPERTIES alone: without what stands in the file of the image."""
    if document.properties is None or _in_yaml(document, document.properties.text) is None:
        return
    text = document.properties.text
    read = read_properties(text, index, {}).content.settings()
    if index < FIRST_CONFIG_YAML:
        yield Given(index, FLINK_CONF, _bytes(text), read)
    elif read and not collisions(read):  # of keys that collide Flink loses some: a rule says so
        yield _written(index, read, is_yaml=True)


def _written(index: int, settings: Mapping[str, str], *, is_yaml: bool) -> Given:
    if is_yaml:
        pairs = " ".join(f"{encoded(key)}={encoded(text)}" for key, text in settings.items())
        return Given(index, SETTINGS, pairs.encode(), settings)
    lines = "".join(f"{key}: {text}\n" for key, text in settings.items())
    return Given(index, FLINK_CONF, _bytes(lines), settings)


def load(configurations: Iterable[Given]) -> dict[Key, Found]:
    """What Flink makes of each: the settings it loads, or its error."""
    by_release: dict[int, set[Key]] = defaultdict(set)
    for one in configurations:
        by_release[one.index].add(one.key)
    loaded: dict[Key, Found] = {}
    with tempfile.TemporaryDirectory() as scratch:
        if by_release:
            _compile(min(by_release), scratch)
        folders: dict[tuple[str, bytes], Path] = {}
        for index, keys in sorted(by_release.items()):
            for _, file, data in keys:
                if (file, data) not in folders:
                    folder = folders[file, data] = Path(scratch, str(len(folders)))
                    folder.mkdir()
                    (folder / file).write_bytes(data)
            found = _load(index, [folders[key[1:]] for key in keys], Path(scratch))
            loaded.update((key, found[str(folders[key[1:]])]) for key in keys)
    return loaded


def _compile(index: int, folder: str) -> None:
    program = Path(__file__).with_name("Loads.java")
    done = subprocess.run(["javac", "-nowarn", "-cp", _jars(index), "-d", folder, program], stderr=PIPE, check=False)
    assert done.returncode == 0, done.stderr


def _jars(index: int) -> str:
    minor = MINORS[index]
    return f"{flink_libraries(f'{minor}.{PATCHES[minor][-1]}')}/*"


def _load(index: int, folders: Iterable[Path], scratch: Path) -> dict[str, Found]:
    names, results = scratch / "names", scratch / "loaded"
    names.write_text("".join(f"{folder}\n" for folder in folders))
    options = ["-Dfile.encoding=UTF-8", "-XX:TieredStopAtLevel=1", "-cp", f"{scratch}{os.pathsep}{_jars(index)}"]
    done = subprocess.run(["java", *options, "Loads", names, results], stdout=DEVNULL, stderr=PIPE, check=False)
    assert done.returncode == 0, done.stderr
    rows = (line.split("\t") for line in results.read_text("utf-8").splitlines())
    return {folder: found if found.startswith("!") else _pairs(found) for folder, found in rows}


def _pairs(text: str) -> dict[str, str]:
    pairs = (pair.split("=") for pair in text.split())
    return {_decoded(key): _decoded(value) for key, value in pairs}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def encoded(text: str) -> str:
    """Return a text as the programs that run Flink are given it: without blanks and signs that separate."""
    return "u" + base64.urlsafe_b64encode(_bytes(text)).decode().rstrip("=")


def _decoded(code: str) -> str:
    return base64.urlsafe_b64decode(code[1:] + "=" * (-len(code[1:]) % 4)).decode()
