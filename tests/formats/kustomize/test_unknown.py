"""What cannot be built is reported with its place, and hostile input is bounded."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from flink_flint.linter.formats.kustomize.build import Build, build, reader
from flink_flint.linter.formats.kustomize.overlays import overlays

SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {mode: base}\n"


def built(files: dict[str, str], folder: str = "") -> Build:
    data = {path: text.encode() for path, text in files.items()}
    return build(folder, data.get)


def reasons(result: Build) -> list[str]:
    return [problem.reason for problem in result.problems]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("https://example.com/base.yaml", "a remote base is not read"),
        ("github.com/acme/base?ref=v1", "a remote base is not read"),
        ("git@example.com:acme/base.git", "a remote base is not read"),
        ("git::ssh://example.com/acme/base", "a remote base is not read"),
        ("/etc/passwd", "/etc/passwd is not in the repository"),
        ("../outside", "../outside is not in the repository"),
        ("missing.yaml", "there is no kustomization in missing.yaml"),
    ],
)
def test_what_is_elsewhere_is_unknown_and_the_rest_is_built(entry: str, reason: str) -> None:
    result = built({"kustomization.yaml": f"resources: [settings.yaml, '{entry}']\n", "settings.yaml": SETTINGS})
    assert reasons(result) == [reason]
    assert not result.is_whole
    assert [one.name for one in result.objects] == ["settings"]
    origin = result.problems[0].origin
    assert (origin.path, origin.span.start) == ("kustomization.yaml", 27)


def test_a_patch_for_what_is_not_known_is_no_refusal() -> None:
    patch = "patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}'}]\n"
    result = built({
        "kustomization.yaml": "resources: [settings.yaml, 'github.com/a/b']\n" + patch, "settings.yaml": SETTINGS,
    })  # fmt: skip
    assert len(result.objects) == 1
    assert not any(problem.is_refusal for problem in result.problems)


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("helmCharts: [{name: flink}]", "Helm charts are not rendered"),
        ("generators: [g.yaml]", "generator plug-ins are not run"),
        ("transformers: [t.yaml]", "transformer plug-ins are not run"),
        ("openapi: {path: schema.json}", "another schema is not used for patches"),
        ("vars: [{name: X}]", "vars are not filled in"),
    ],
)
def test_fields_that_are_not_evaluated_are_reported(field: str, reason: str) -> None:
    result = built({"kustomization.yaml": f"resources: [settings.yaml]\n{field}\n", "settings.yaml": SETTINGS})
    assert reasons(result) == [reason]
    assert len(result.objects) == 1
    assert not result.is_whole


def test_a_broken_file_is_unknown() -> None:
    result = built({
        "kustomization.yaml": "resources: [settings.yaml, broken.yaml]\n", "settings.yaml": SETTINGS,
        "broken.yaml": "a: [b\nc: }\n",
    })  # fmt: skip
    assert result.problems[0].origin.path == "broken.yaml"
    assert "cannot be parsed" in result.problems[0].reason
    assert len(result.objects) == 1


def test_an_object_that_exists_already_is_reported_at_its_name() -> None:
    result = built({
        "kustomization.yaml": "resources: [a.yaml, b.yaml]\n", "a.yaml": SETTINGS, "b.yaml": SETTINGS,
    })  # fmt: skip
    assert reasons(result) == ["ConfigMap settings exists already"]
    origin = result.problems[0].origin
    assert (origin.path, SETTINGS[slice(*origin.span)]) == ("b.yaml", "settings")


def test_only_the_objects_of_an_unknown_patch_are_unknown() -> None:
    pattern = "(a*)*b"
    result = built({
        "kustomization.yaml": "resources: [a.yaml, b.yaml]\npatches: [{path: x.yaml, target: {name: settings}}]\n",
        "a.yaml": SETTINGS, "b.yaml": SETTINGS.replace("settings", "other"),
    })  # fmt: skip
    assert {one.name: bool(one.problems) for one in result.objects} == {"settings": True, "other": False}
    refused = built({
        "kustomization.yaml": f"resources: [a.yaml]\npatches:\n- {{patch: '[]', target: {{name: '{pattern}'}}}}\n",
        "a.yaml": SETTINGS,
    })  # fmt: skip
    assert reasons(refused) == ["the pattern is too complex"]


def test_aliases_do_not_explode() -> None:
    bomb = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    started = time.process_time()
    result = built({
        "kustomization.yaml": "resources: [bomb.yaml]\n", "bomb.yaml": SETTINGS + "a0: &a0 [x]\n" + bomb,
    })  # fmt: skip
    assert result.problems
    assert time.process_time() - started < 20


def test_bases_that_fan_out_do_not_explode() -> None:
    files = {"end/kustomization.yaml": "namePrefix: x-\n"}
    for level in range(30):
        below = f"l{level + 1}" if level < 29 else "end"
        for side in "ab":
            names = ["end"] if below == "end" else [f"{below}a", f"{below}b"]
            listed = ", ".join(f"../{name}" for name in names)
            files[f"l{level}{side}/kustomization.yaml"] = f"resources: [{listed}]\n"
    result = built(files, "l0a")
    assert reasons(result)[-1] == "there are too many kustomizations"
    assert result.objects == () or not result.is_whole


def test_deep_nesting_is_bounded() -> None:
    deep = SETTINGS + "x: " + "[" * 3_000 + "]" * 3_000 + "\n"
    assert built({"kustomization.yaml": "resources: [deep.yaml]\n", "deep.yaml": deep}).problems


def test_nothing_outside_of_the_repository_is_read(tmp_path: Path) -> None:
    top, outside = tmp_path / "repository", tmp_path / "outside"
    top.mkdir()
    outside.mkdir()
    (outside / "settings.yaml").write_text(SETTINGS)
    (outside / "kustomization.yaml").write_text("resources: [settings.yaml]\n")
    os.symlink(outside, top / "base")
    os.symlink(outside / "settings.yaml", top / "settings.yaml")
    (top / "kustomization.yaml").write_text("resources: [settings.yaml, base]\n")
    result = build("", reader(os.path.realpath(top)))
    assert result.objects == ()
    assert len(result.problems) == 2
    assert reader(os.path.realpath(top))("base/settings.yaml") is None


def test_links_inside_of_the_repository_are_followed(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "settings.yaml").write_text(SETTINGS)
    os.symlink(tmp_path / "shared" / "settings.yaml", tmp_path / "settings.yaml")
    (tmp_path / "kustomization.yaml").write_text("resources: [settings.yaml]\n")
    assert len(build("", reader(os.path.realpath(tmp_path))).objects) == 1


def test_overlays_are_what_no_other_kustomization_contains() -> None:
    files = {
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "region/kustomization.yml": "bases: [../base]\n",
        "envs/dev/kustomization.yaml": "resources: [../../region]\ncomponents: [../../ha]\n",
        "envs/prod/Kustomization": "resources:\n- ../../region/\n",
        "ha/kustomization.yaml": "kind: Component\n",
        "unused/kustomization.yaml": "kind: Component\n",
        "broken/kustomization.yaml": "a: [\n",
        "base/a.yaml": SETTINGS,
    }
    data = {path: text.encode() for path, text in files.items()}
    assert overlays(data, data.get) == ["broken", "envs/dev", "envs/prod"]
