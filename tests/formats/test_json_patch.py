"""JSON patches of Flink's resources in files of their own."""

from __future__ import annotations

from pathlib import Path

from flink_flint.linter.formats import file_format_of
from tests.formats.reading import cuts, edited, entry, file_format, read

PATCH = """# é
- op: add
  path: /spec/flinkConfiguration/rest.port
  value: "8081"
- op: replace
  path: "/spec/flinkConfiguration/state.backend.type"
  value: rocksdb # é
- op: remove
  path: /spec/flinkConfiguration/web.timeout
- op: add
  path: /spec/job/parallelism
  value: 4
"""
WHOLE = (
    '[{"op": "add", "path": "/spec/flinkConfiguration", "value": {"rest.port": "8081", "a~b": "é"}},\n'
    ' {"op": "add", "path": "/spec/flinkConfiguration/a~1b~0c", "value": "1"}]\n'
)
SAMPLES = {"patch.yaml": PATCH, "patch.json": WHOLE}


def test_values_written_to_the_configuration_are_settings() -> None:
    (document,) = read("patch.yaml", PATCH)
    assert cuts(document) == [
        ("rest.port", "rest.port", '"8081"'),
        ("state.backend.type", "state.backend.type", "rocksdb"),
    ]
    assert (document.kind, document.name, document.whole) == ("flinkdeployment", "FlinkDeployment default/?", False)


def test_a_patch_may_write_the_whole_configuration() -> None:
    (document,) = read("patch.json", WHOLE)
    assert document.settings() == {"rest.port": "8081", "a~b": "é", "a/b~c": "1"}


def test_the_kustomization_that_names_the_patch_names_its_object(tmp_path: Path) -> None:
    folder = tmp_path / "patches"
    folder.mkdir()
    (tmp_path / ".git").mkdir()
    path = folder / "patch.yaml"
    listed = "- path: patches/patch.yaml\n  target: {kind: FlinkSessionJob, name: orders, namespace: jobs}\n"
    (tmp_path / "kustomization.yaml").write_text(f"patches:\n- path: other.yaml\n{listed}")
    (document,) = file_format("patch.yaml", PATCH).read(str(path), PATCH.encode())
    assert (document.kind, document.name) == ("flinksessionjob", "FlinkSessionJob jobs/orders")


def test_a_kustomization_outside_of_the_repository_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    listed = "- path: repository/patch.yaml\n  target: {kind: FlinkSessionJob, name: orders}\n"
    (tmp_path / "kustomization.yaml").write_text(f"patches:\n{listed}")
    (document,) = file_format("patch.yaml", PATCH).read(str(folder / "patch.yaml"), PATCH.encode())
    assert document.name == "FlinkDeployment default/?"


def test_values_are_replaced_in_place_and_nothing_is_added() -> None:
    (document,) = read("patch.yaml", PATCH)
    after = edited(document, "replace", entry(document, "rest.port"), "9000")
    assert after is not None
    assert after.text == PATCH.replace("8081", "9000")
    assert edited(document, "add", "rest.address", "a") is None
    assert edited(document, "remove", entry(document, "rest.port")) is None


def test_patches_of_others_are_not_read() -> None:
    assert file_format_of("patch.yaml", PATCH.replace("flinkConfiguration", "template")) is None
    assert file_format_of("docs.yaml", "text: 'path: /spec/flinkConfiguration/rest.port'\n") is None
