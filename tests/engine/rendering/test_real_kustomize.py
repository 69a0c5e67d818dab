"""`flint check --render`: the real kustomize builds kustomizations, from the files that they name and nothing else."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.rendering.isolated_programs import Programs, find_programs
from flink_flint.linter.engine.rendering.real_kustomize import build as build_really
from flink_flint.linter.engine.rendering.renderings import NO_HELM, NO_KUSTOMIZE
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.folders import KUSTOMIZATIONS
from flink_flint.linter.formats.kustomize.build import Build, build
from flink_flint.linter.formats.kustomize.build_inputs import build_inputs
from flink_flint.linter.formats.syntax.yaml_tree import read_trees
from flink_flint.linter.text.rendered_text import RenderedText
from tests.engine.rendering.test_rendered_documents import CHART, DEPLOYMENT, PATCH, TEMPLATE, VALUES, places, written
from tests.formats.kustomize.case_files import case_named, names
from tests.marks import mostly_slow

BASE = {
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    "base/job.yaml": DEPLOYMENT,
    "prod/kustomization.yaml": "resources: [../base]\npatches: [{path: patch.yaml}]\n",
    "prod/patch.yaml": PATCH,
}
OTHER = {"other.yaml": "a: 1\n", "prod/secret.yaml": "kind: Secret\n"}


def inputs(kustomization: str, files: Mapping[str, str] = {}) -> list[str] | None:
    data = {**BASE, **OTHER, "prod/kustomization.yaml": kustomization, **files}
    encoded = {path: text.encode() for path, text in data.items()}
    return build_inputs("prod", encoded.get)


class TestInputs:
    def test_what_the_kustomizations_name_and_nothing_else(self) -> None:
        assert inputs(BASE["prod/kustomization.yaml"]) == sorted(BASE)

    def test_files_of_generators_and_plugins(self) -> None:
        kustomization = (
            "resources: [../base]\nconfigMapGenerator: [{name: a, files: [flink-conf.yaml=conf, job.sql]}]\n"
            "transformers: [prefix.yaml]\n"
        )
        transformer = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: p.yaml\n"
        more = {"prod/conf": "a: b", "prod/job.sql": "", "prod/prefix.yaml": transformer, "prod/p.yaml": PATCH}
        assert set(inputs(kustomization, more) or ()) == (set(BASE) | set(more)) - {"prod/patch.yaml"}

    @pytest.mark.parametrize(
        "kustomization",
        [
            "resources: ['https://example.com/job.yaml']\n",
            "resources: [github.com/acme/bases//flink]\n",
            "resources: ['git@github.com:acme/bases']\n",
            "Resources: ['http://localhost:8080/job.yaml']\n",
            "re\u017fources: ['http://localhost:8080/job.yaml']\n",
            "resources: []\nresources: ['http://localhost:8080/job.yaml']\n",
            "resources: [../base]\npatches: [{Path: 'http://localhost:8080/patch.yaml'}]\n",
            "resources: [../base]\npatches: [{pat\u212a: x, path: 'http://localhost/patch.yaml'}]\n",
            "resources: [../base]\nconfigMapGenerator: [{name: a, files: ['a=http://localhost/x']}]\n",
            "resources: [../base]\ntransformers: [t.yaml]\n",
            "resources: [../base]\ntransformers: [f.yaml]\n",
            "resources: [../base]\nhelmCharts: [{name: a, repo: 'https://example.com'}]\n",
            "resources: [/etc/passwd]\n",
            "resources: [../../elsewhere]\n",
            "resources: [missing.yaml]\n",
            "resources: [../base]\n---\nresources: ['http://localhost:8080/job.yaml']\n",
            "not: [a",
        ],
    )
    def test_what_would_need_more_than_the_repository_is_not_built(self, kustomization: str) -> None:
        remote = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: http://localhost/p.yaml\n"
        function = (
            "apiVersion: v1\nkind: F\nmetadata:\n  name: f\n  annotations:\n"
            "    config.kubernetes.io/function: 'exec: {path: ./run.sh}'\n"
        )
        assert inputs(kustomization, {"prod/t.yaml": remote, "prod/f.yaml": function}) is None

    def test_an_address_in_a_value_is_no_file(self) -> None:
        literals = "resources: [../base]\nconfigMapGenerator: [{name: a, literals: ['url=https://example.com']}]\n"
        annotations = "commonAnnotations: {source: 'https://example.com'}\n"
        assert inputs(literals + annotations) is not None


def program(folder: Path, name: str, text: str) -> str:
    """Write a program that stands in for another one."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def built(kustomize: str, files: Mapping[str, str], folder: str = "prod") -> Build | None:
    data = {path: text.encode() for path, text in files.items()}
    path = f"{folder}/kustomization.yaml"
    return build_really(Programs(None, (kustomize, "build")), path, build(folder, data.get), data.get)


def test_it_runs_on_a_copy_with_the_restriction_and_without_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "x")
    show = (
        "import os, sys\nfiles = sorted(f for p, _, fs in os.walk('tree') for f in (os.path.join(p, n) for n in fs))\n"
        "print('kind: A\\nmetadata:\\n  name:', [sys.argv[1:], files, 'GITHUB_TOKEN' in os.environ, os.listdir()])\n"
    )
    made = built(program(tmp_path, "kustomize", show), {**BASE, **OTHER})
    assert made is not None
    (text,) = [one.text.text for one in made.objects]
    assert "['build', '--load-restrictor=LoadRestrictionsRootOnly', './tree/prod']" in text
    assert str([f"tree/{path}" for path in sorted(BASE)]) in text
    assert "False" in text


def test_a_failure_gives_nothing(tmp_path: Path) -> None:
    assert built(program(tmp_path, "kustomize", "raise SystemExit(1)"), BASE) is None


def test_kubectl_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path, "kubectl", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_programs().kustomize == (path, "kustomize")


def test_places_are_those_of_the_same_parts(tmp_path: Path) -> None:
    files = {**BASE, "base/kustomization.yaml": "resources: [job.yaml, settings.yaml]\n"}
    files["base/settings.yaml"] = "kind: ConfigMap\nmetadata: {name: settings}\ndata: {a: '1', b: '2'}\n"
    output = (
        "kind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  b: '2'\n  a: '3'\n  c: '4'\n---\n"
        "kind: CustomResourceDefinition\nmetadata: {name: left-out}\n---\n"
        "kind: Secret\nmetadata:\n  name: new\nresources: x\n"
    )
    made = built(program(tmp_path, "kustomize", f"print({output!r}, end='')"), files)
    assert made is not None
    assert [one.name for one in made.objects] == ["settings", "new"]
    settings, new = (one.text for one in made.objects)
    assert settings.text + "---\n" + new.text == output.replace(output[output.index("kind: Cus") :], "") + new.text

    def origin(text: RenderedText, *path: str) -> tuple[str, str] | None:
        root = read_trees(text.text)[0].root
        value = root.get(*path) if root is not None else None
        found = text.origin(value.span) if value is not None else None
        return (found.path, files[found.path][slice(*found.span)]) if found is not None else None

    assert origin(settings, "data", "a") == ("base/settings.yaml", "1")
    assert origin(settings, "data", "b") == ("base/settings.yaml", "2")
    assert origin(settings, "data", "c") == ("base/settings.yaml", "data")
    assert origin(new, "resources") == ("prod/kustomization.yaml", "resources: [../base]")
    assert origin(new, "metadata", "name") == ("prod/kustomization.yaml", "r")


class TestMissingPrograms:
    def test_what_is_missing_is_said_once_for_each_program(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chart = {"orders/Chart.yaml": CHART, "orders/values.yaml": VALUES, "orders/templates/job.yaml": TEMPLATE}
        written(tmp_path, {**BASE, **chart})
        monkeypatch.setenv("PATH", "/nowhere")
        alone = check(find([str(tmp_path)]), Options(renders=True))
        report = check(find([str(tmp_path)]), Options(renders=True, by_programs=True))
        said = [(Path(one.path).relative_to(tmp_path).as_posix(), one.reason) for one in report.skipped]
        assert said == [("orders/Chart.yaml", NO_HELM), ("prod/kustomization.yaml", NO_KUSTOMIZE)]
        assert [one.fingerprint for one in report.findings] == [one.fingerprint for one in alone.findings]


class TestUsersConfiguration:
    @pytest.fixture(autouse=True)
    def _tree(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        written(tmp_path / "tree", BASE)
        (tmp_path / "bin").mkdir()
        program(tmp_path / "bin", "kustomize", "open(sys.argv[0] + '.ran', 'w')".join(("import sys\n", "\n")))
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "mine"))

    def ran(self, tmp_path: Path, by_programs: bool | None) -> bool:
        check(find([str(tmp_path / "tree")]), Options(renders=True, by_programs=by_programs))
        return (tmp_path / "bin/kustomize.ran").exists()

    def set_to(self, folder: Path, text: str) -> None:
        (folder / "flint").mkdir(parents=True)
        (folder / "flint/flint.toml").write_text(text)

    def test_it_decides_unless_the_run_does(self, tmp_path: Path) -> None:
        self.set_to(tmp_path / "mine", "render = true\n")
        assert not self.ran(tmp_path, by_programs=False)
        assert self.ran(tmp_path, by_programs=None)

    @pytest.mark.parametrize("text", ["", "render = false\n"])
    def test_by_default_nothing_runs(self, tmp_path: Path, text: str) -> None:
        self.set_to(tmp_path / "mine", text)
        assert not self.ran(tmp_path, by_programs=None)

    def test_one_in_the_tree_does_not_count(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.set_to(tmp_path / "tree/.config", "render = true\n")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "tree/.config"))
        assert not self.ran(tmp_path, by_programs=None)

    def test_an_invalid_one_is_an_error(self, tmp_path: Path) -> None:
        self.set_to(tmp_path / "mine", "rendr = true\n")
        with pytest.raises(ValueError, match="did you mean 'render'"):
            self.ran(tmp_path, by_programs=None)


@pytest.mark.tools
class TestReal:
    @pytest.fixture(autouse=True)
    def _path(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)

    @pytest.mark.parametrize("name", mostly_slow(names(), every=12))
    def test_objects_are_kustomize_s_with_the_places_of_flint_s_own(self, name: str) -> None:
        case = case_named(name)
        own = build(case.folder, case.files.get)
        folder = "" if case.folder == "." else f"{case.folder}/"
        path = next(f"{folder}{one}" for one in KUSTOMIZATIONS if f"{folder}{one}" in case.files)
        made = build_really(find_programs(), path, own, case.files.get)
        assert (made is None) == (case.expected is None)
        if made is None:
            return
        assert "---\n".join(one.text.text for one in made.objects) == case.expected
        known = {(one.kind, one.namespace, one.name): one for one in own.objects}
        for one in made.objects:
            like = known[one.kind, one.namespace, one.name]
            assert one.plain_name == like.plain_name
            assert origins(one.text) == origins(like.text)

    def test_what_flint_does_not_build_is_known(self, tmp_path: Path) -> None:
        transformer = (
            "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\ntarget: {kind: FlinkDeployment}\n"
            "patch: |\n  - {op: add, path: /spec/flinkConfiguration/jobmanager.rpc.prot, value: '1'}\n"
        )
        overlay = "resources: [../base]\ntransformers: [t.yaml]\n"
        written(tmp_path, {**BASE, "prod/kustomization.yaml": overlay, "prod/t.yaml": transformer})
        (tmp_path / "prod/patch.yaml").unlink()
        options = Options(select=("FLK001",), renders=True)
        assert places(tmp_path, check(find([str(tmp_path)]), options).findings) == ["base/job.yaml:9"]
        found = check(find([str(tmp_path)]), options._replace(by_programs=True))
        assert places(tmp_path, found.findings) == ["base/job.yaml:8", "base/job.yaml:9"]
        assert found.skipped == []

    def test_a_remote_base_is_not_fetched_and_the_rest_is_judged(self, tmp_path: Path) -> None:
        overlay = "resources: [../base, 'http://localhost:1/x.yaml']\npatches: [{path: patch.yaml}]\n"
        written(tmp_path, {**BASE, "prod/kustomization.yaml": overlay})
        options = Options(select=("FLK001",), renders=True)
        alone = check(find([str(tmp_path)]), options)
        found = check(find([str(tmp_path)]), options._replace(by_programs=True))
        assert places(tmp_path, found.findings) == places(tmp_path, alone.findings)
        assert found.skipped == alone.skipped


def origins(text: RenderedText) -> dict[str, object]:
    """Return the places of all scalars of an object."""
    root = read_trees(text.text, is_rendered=False)[0].root
    assert root is not None
    return {name: text.origin(one.span) for name, one in root.attributes().items()}
