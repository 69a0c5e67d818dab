"""The release of the operator decides which settings a custom resource has, wherever it is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flink_flint.linter.commands.show import ShowArguments, run_show
from flink_flint.linter.engine.check_run import documents_of
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.remembered_documents import decode_documents, encode_documents
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.folders import forget
from tests.formats.reading import read

_RESOURCE = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: orders}\nspec:\n"
    "  flinkVersion: v1_18\n  mode: standalone\n  job: {jarURI: 'local:///opt/a.jar', parallelism: 2}\n"
)
_INSTALLATION = (
    "helm repo add flink https://downloads.apache.org/flink/flink-kubernetes-operator-{}/\n"
    "helm install flink-kubernetes-operator flink/flink-kubernetes-operator\n"
)


def shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    forget()
    arguments = ShowArguments((str(folder),), False, False, "json", None, None, None, None)
    assert run_show(arguments, print) == 0
    (document,) = json.loads(capsys.readouterr().out)["documents"]
    return dict(document["settings"])


def test_flint_toml_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deployment.yaml").write_text(_RESOURCE)
    assert "pipeline.jars" not in shown(tmp_path, capsys)
    (tmp_path / "flint.toml").write_text('operator-version = "1.10"\n')
    assert "pipeline.jars" in shown(tmp_path, capsys)


def test_the_files_of_the_repository_decide_unless_flint_toml_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deployment.yaml").write_text(_RESOURCE)
    (tmp_path / "install.sh").write_text(_INSTALLATION.format("1.10.0"))
    assert "pipeline.jars" in shown(tmp_path, capsys)
    (tmp_path / "flint.toml").write_text('operator-version = "1.15"\n')
    assert "pipeline.jars" not in shown(tmp_path, capsys)


def test_remembered_documents_have_the_settings_of_all_releases(tmp_path: Path) -> None:
    path = tmp_path / "deployment.yaml"
    path.write_text(_RESOURCE)
    (source,) = find([str(path)])
    assert isinstance(source, Source)
    data = encode_documents(source.documents(), source)
    assert data is not None
    for operator, has_jars in (((1, 10), True), ((1, 11), False)):
        (document,) = decode_documents(json.loads(json.dumps(data)), str(path), source.documents, lambda: source)
        document.set_operator(lambda operator=operator: operator)  # type: ignore[misc]
        assert ("pipeline.jars" in document.effective) is has_jars


def test_the_release_set_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "deployment.yaml"
    path.write_text(_RESOURCE)
    (tmp_path / "flint.toml").write_text('operator-version = "1.10"\n')
    (source,) = find([str(path)])
    assert isinstance(source, Source)
    ((document, _),) = documents_of(source, Options())
    document.set_operator(lambda: (1, 15))
    assert "pipeline.jars" in document.effective
    (other,) = read("deployment.yaml", _RESOURCE)
    other.set_operator_of(document)
    assert "pipeline.jars" in other.effective
