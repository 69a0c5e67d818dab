"""What charts and kustomizations render to is remembered as long as nothing that it is made of has changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.rendering import renderings
from flink_flint.linter.engine.rendering.remembered_renderings import MEMORY
from flink_flint.linter.engine.rendering.renderings import renderings_of
from flink_flint.linter.filesystem import folders

LONG_AGO = 1_600_000_000_000_000_000

DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    parallelism.default: "2"
"""
FILES = {
    "README.md": "# Orders\n",
    "base/kustomization.yaml": "resources: [orders.yaml]\n",
    "base/orders.yaml": DEPLOYMENT,
    "overlays/prod/kustomization.yaml": "resources: [../../base]\npatches: [{path: patch.yaml}]\n",
    "overlays/prod/patch.yaml": DEPLOYMENT.replace('"2"', '"4"'),
    "chart/Chart.yaml": "apiVersion: v2\nname: orders\nversion: 1.0.0\n",
    "chart/values.yaml": "slots: 2\n",
    "chart/templates/orders.yaml": DEPLOYMENT.replace('"2"', '"{{ .Values.slots }}"'),
    "jobs/clicks.yaml": DEPLOYMENT.replace("orders", "clicks"),
    "notes/a.yaml": "a: 1\n",
}
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: orders}
spec:
  source:
    repoURL: https://example.com/orders.git
    path: chart
    helm: {parameters: [{name: slots, value: "8"}]}
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLINT_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "tree"
    (root / ".git").mkdir(parents=True)
    for name, text in FILES.items():
        write(root / name, text)
    monkeypatch.chdir(root)
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, ns=(LONG_AGO, LONG_AGO))


def rendered(*, remembers: bool = True) -> object:
    """Return what the files below the current folder render to, with the origin of each character."""
    folders.forget()
    sources = [one for one in find(["."]) if isinstance(one, Source)]
    found = renderings_of(sources, memory=MEMORY if remembers else None)
    assert found is not None
    each = [one._replace(text=one.text.fragments, trees=repr(one.trees)) for one in found.rendered]  # type: ignore[arg-type]
    return sorted(each), sorted(found.failed), found.unseen


def test_nothing_is_rendered_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rendered(remembers=False)
    assert rendered() == before
    monkeypatch.setattr(renderings, "_render_all", None)
    assert rendered() == before


def test_it_is_remembered_whatever_is_looked_at(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where an Argo CD application says how a chart is deployed, and where nothing is rendered."""
    write(tree / "argo/app.yaml", APPLICATION)
    before = rendered(remembers=False)
    assert rendered() == before
    monkeypatch.setattr(renderings, "_render_all", None)
    assert rendered() == before


def _edit_base(root: Path) -> None:
    write(root / "base/orders.yaml", DEPLOYMENT.replace("orders", "payments"))


def _edit_patch_at_once(root: Path) -> None:
    """Change a file without changing its size or time of modification."""
    write(root / "overlays/prod/patch.yaml", DEPLOYMENT.replace('"2"', '"6"'))


def _edit_values(root: Path) -> None:
    write(root / "chart/values.yaml", "slots: 3\n")


def _add_values(root: Path) -> None:
    write(root / "chart/values-prod.yaml", "slots: 16\n")


def _add_overlay(root: Path) -> None:
    write(root / "overlays/test/kustomization.yaml", "resources: [../../base]\nnamePrefix: test-\n")


def _remove_template(root: Path) -> None:
    (root / "chart/templates/orders.yaml").unlink()


def _deploy_chart(root: Path) -> None:
    write(root / "argo/app.yaml", APPLICATION)


def _become_application(root: Path) -> None:
    """Let a file that deployed nothing deploy the chart."""
    write(root / "notes/a.yaml", APPLICATION)


def _link(root: Path) -> None:
    write(root / "base/other.yaml", DEPLOYMENT + "    state.backend.type: rocksdb\n")
    (root / "base/orders.yaml").unlink()
    (root / "base/orders.yaml").symlink_to("other.yaml")


def _break_template(root: Path) -> None:
    write(root / "chart/templates/orders.yaml", "{{ if }}\n")


def _define_helper(root: Path) -> None:
    write(root / "chart/templates/_helpers.tpl", '{{ define "a" }}b{{ end }}\n')


CHANGES = (
    _edit_base,
    _edit_patch_at_once,
    _edit_values,
    _add_values,
    _add_overlay,
    _remove_template,
    _deploy_chart,
    _become_application,
    _link,
    _break_template,
    _define_helper,
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_counts(tree: Path, change: Callable[[Path], None]) -> None:
    before = rendered()
    change(tree)
    after = rendered()
    assert after == rendered(remembers=False)
    assert change is _define_helper or after != before
    assert rendered() == after


def test_other_places_have_other_paths(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered()
    monkeypatch.chdir(tree / "chart")
    assert rendered() == rendered(remembers=False)


def test_what_has_just_been_written_is_not_remembered(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "base/orders.yaml").write_text(DEPLOYMENT)
    before = rendered()
    calls: list[object] = []
    render = renderings._render_all
    monkeypatch.setattr(renderings, "_render_all", lambda *arguments: calls.append(0) or render(*arguments))
    assert rendered() == before
    assert calls


def test_files_of_an_editor_are_never_remembered(tree: Path) -> None:
    before = rendered()
    sources = [one for one in find(["."]) if isinstance(one, Source)]
    edited = {str(tree / "overlays/prod/patch.yaml"): DEPLOYMENT.replace('"2"', '"7"').encode()}
    changed = renderings_of([one for one in sources if "prod" not in one.path], unsaved=edited, memory=MEMORY)
    assert changed is not None
    assert any('"7"' in one.text.text for one in changed.rendered)
    assert rendered() == before
