"""flint's evaluation of kustomizations equals that of the real kustomize."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from flink_flint.linter.formats.kustomize.build import Build, build
from tests.formats.kustomize.case_files import case_named, names, real_output


class _Loader(yaml.CSafeLoader):
    """A loader that reads scalars as Kubernetes does: timestamps are strings."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(("timestamp", "value"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def objects_in(text: str) -> list[Any]:
    found = [document for document in yaml.load_all(text, _Loader) if document]
    return sorted(found, key=lambda one: (one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]))


def reader(files: dict[str, bytes]) -> Callable[[str], bytes | None]:
    return files.get


def built(files: dict[str, str], folder: str = "") -> Build:
    return build(folder, reader({path: text.encode() for path, text in files.items()}))


@pytest.mark.parametrize("name", names())
def test_objects_are_those_of_kustomize(name: str) -> None:
    case = case_named(name)
    result = build(case.folder, reader(case.files))
    if case.expected is None:
        assert result.problems
        assert result.objects == ()
        return
    assert result.is_whole, result.problems
    assert objects_in("---\n".join(one.text.text for one in result.objects)) == objects_in(case.expected)


def test_there_are_enough_cases() -> None:
    assert len(names()) > 60


@pytest.mark.parametrize("name", names())
def test_values_are_what_is_at_their_places(name: str) -> None:
    """The text of each verbatim fragment is in its file, at its place."""
    case = case_named(name)
    if case.expected is None:
        return
    verbatim = 0
    for one in build(case.folder, reader(case.files)).objects:
        for text, origin in one.text.fragments:
            if origin is None:
                continue
            source = case.files[origin.path].decode("utf-8-sig", "replace")
            assert 0 <= origin.span.start <= origin.span.end <= len(source)
            verbatim += source[slice(*origin.span)] == text
    assert verbatim > 0


@pytest.mark.tools
@pytest.mark.parametrize("name", names())
def test_recorded_output_is_that_of_the_installed_kustomize(name: str, tmp_path: Path) -> None:
    kustomize = shutil.which("kustomize", path=os.pathsep.join((str(_TOOLS), os.environ["PATH"])))
    assert kustomize is not None, "make tools installs kustomize"
    case = case_named(name)
    output = real_output(case, tmp_path, kustomize)
    assert (output is None) == (case.expected is None)
    assert objects_in(output or "") == objects_in(case.expected or "")


_TOOLS = Path(__file__).parents[3] / ".venv" / "bin"
