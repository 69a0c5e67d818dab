"""The release of the operator that reads a resource: from flint's configuration, or from the repository's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.deployment.operator import SINCE_VERSION
from flink_flint.linter.model.release_evidence.operator_evidence import operators_of_definition
from flink_flint.rules.kubernetes._examples import session_job

_JOB = session_job("jarURI: https://example.com/a.jar\nparallelism: 2\nupgradeMode: last-state")
"""A resource that operators before 1.10 refuse."""
_DEFINITION = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: flinkdeployments.flink.apache.org}
spec: {versions: [{schema: {openAPIV3Schema: {properties: {flinkVersion: {enum: [%s]}}}}}]}
"""
_UP_TO_1_9 = ", ".join(f"v1_{minor}" for minor in range(13, 20))


def _refused(folder: Path, **files: str) -> list[str]:
    """Return the findings that say that the operator refuses the job, with other files beside it."""
    (folder / ".git").mkdir(exist_ok=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / "job.yaml").write_text(_JOB, encoding="utf-8")
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return [one.message for one in check(find([str(folder)]), Options(select=("FLK796",))).findings]


def test_without_a_release_only_what_all_refuse_is_reported(tmp_path: Path) -> None:
    assert _refused(tmp_path) == []


@pytest.mark.parametrize(("release", "refuses"), [("1.9", True), ("1.9.0", True), ("1.10", False), ("1.3", False)])
def test_flint_toml_names_the_release(tmp_path: Path, release: str, refuses: bool) -> None:
    assert bool(_refused(tmp_path, flint__toml=f'operator-version = "{release}"\n')) is refuses


@pytest.mark.parametrize(("path", "refuses"), [("job.yaml", True), ("other.yaml", False)])
def test_overrides_name_releases_for_some_paths(tmp_path: Path, path: str, refuses: bool) -> None:
    text = f'[[overrides]]\npaths = ["{path}"]\noperator-version = "1.9"\n'
    assert bool(_refused(tmp_path, flint__toml=text)) is refuses


def test_a_text_that_is_no_release_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'newest' is no release of the operator"):
        _refused(tmp_path, flint__toml='operator-version = "newest"\n')


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Chart__yaml", "name: a\ndependencies:\n- name: flink-kubernetes-operator\n  version: 1.9.0\n"),
        ("app__yaml", "source:\n  chart: flink-kubernetes-operator\n  targetRevision: 1.9.0\n"),
        ("release__yaml", "spec:\n  chart: flink-kubernetes-operator\n  version: 1.9.0\n"),
        ("helmfile__yaml", "releases:\n- name: op\n  chart: flink/flink-kubernetes-operator\n  version: 1.9.0\n"),
        ("deploy__yaml", "containers:\n- image: ghcr.io/apache/flink-kubernetes-operator:1.9.0\n"),
        ("up__sh", "helm install x https://example.com/flink-kubernetes-operator-1.9.0-helm.tgz\n"),
        ("crd__yaml", _DEFINITION % _UP_TO_1_9),
    ],
)
def test_files_of_the_repository_name_the_release(tmp_path: Path, name: str, text: str) -> None:
    assert _refused(tmp_path, **{name: text})


def test_definitions_of_several_releases_prove_nothing(tmp_path: Path) -> None:
    other = ", ".join(SINCE_VERSION)
    assert not _refused(tmp_path, crd__yaml=_DEFINITION % _UP_TO_1_9, new__yaml=_DEFINITION % other)


def test_a_definition_is_from_the_releases_with_its_versions() -> None:
    assert operators_of_definition(_DEFINITION % _UP_TO_1_9) == {(1, 7), (1, 8), (1, 9)}
    assert operators_of_definition(_DEFINITION % "v1_13, v1_14, v1_15, v1_16") == set()
    assert operators_of_definition(_DEFINITION.replace("CustomResourceDefinition", "Other") % _UP_TO_1_9) == set()
