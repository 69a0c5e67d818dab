"""The releases of Flink that an installed operator supports."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.deployment.operator import supported_releases
from flink_flint.linter.model.release_evidence.only_operator import only_operator_of

DEFAULTS = """\
defaultConfiguration:
  flink-conf.yaml: |
    execution.checkpointing.interval: 1 min
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: operator}
spec:
  chart:
    spec:
      chart: flink-kubernetes-operator
      version: "1.10.0"
  values:
    defaultConfiguration:
      flink-conf.yaml: |
        execution.checkpointing.interval: 1 min
"""
MODULE = """\
resource "helm_release" "operator" {
  name       = "operator"
  repository = "https://downloads.apache.org/flink/flink-kubernetes-operator-1.8.0/"
  chart      = "flink-kubernetes-operator"
  values     = [yamlencode({ defaultConfiguration = { "flink-conf.yaml" = "parallelism.default: 2\\n" } })]
}
"""
CHART = """\
apiVersion: v2
name: platform
version: 3.1.0
dependencies:
  - name: flink-kubernetes-operator
    version: 1.5.0
"""


def evidence(folder: Path) -> list[tuple[str | None, str]]:
    return [(one.target.version, one.target.evidence) for one in check(find([str(folder)]), Options()).documents]


NAME = "flink-kubernetes-operator"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("release.yaml", RELEASE, ("1.15 to 1.20", "operator 1.10")),
        ("main.tf", MODULE, ("1.15 to 1.19", "operator 1.8")),
        (
            "values.yaml",
            f"image:\n  repository: ghcr.io/apache/flink-kubernetes-operator\n  tag: 1.6.1\n{DEFAULTS}",
            ("1.13 to 1.18", "operator 1.6"),
        ),
    ],
)
def test_the_file_that_installs_the_operator_names_its_release(
    name: str, text: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    assert evidence(tmp_path) == [expected]


def test_so_does_the_chart_that_depends_on_the_operators(tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text(CHART)
    (tmp_path / "values.yaml").write_text(f"flink-kubernetes-operator:\n  {DEFAULTS.replace(chr(10), chr(10) + '  ')}")
    assert evidence(tmp_path) == [("1.13 to 1.17", "operator 1.5")]


@pytest.mark.parametrize(
    "text",
    [
        RELEASE.replace('"1.10.0"', "'*'"),
        RELEASE.replace("      version:", "    version:"),
        RELEASE + "# once flink-kubernetes-operator:1.9.0\n",
        RELEASE.replace("1.10.0", "7.0.0"),
        RELEASE.replace("flink-kubernetes-operator", "flink-platform"),
    ],
)
def test_no_or_several_releases_prove_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "release.yaml").write_text(text)
    ((_, found),) = evidence(tmp_path)
    assert not found.startswith("operator")


@pytest.mark.parametrize(
    ("operator", "releases"),
    [("1.0", ">=1.13,<=1.16"), ("1.7", ">=1.15,<=1.19"), ("1.13", ">=1.15,<=2.2"), ("2.0", None), ("latest", None)],
)
def test_an_operator_supports_a_range_of_releases(operator: str, releases: str | None) -> None:
    assert supported_releases(operator) == releases


@pytest.mark.parametrize(
    ("files", "release"),
    [
        ({"infra/release.yaml": RELEASE}, (1, 10)),
        ({"infra/release.yaml": RELEASE, "infra/main.tf": MODULE}, None),
        (
            {"charts/operator/Chart.yaml": "dependencies:\n  - name: flink-kubernetes-operator\n    version: 1.13.0\n"},
            (1, 13),
        ),
        ({"up.sh": "helm install o https://x/flink-kubernetes-operator-1.15.0-helm.tgz\n"}, (1, 15)),
        ({"notes.md": "flink-kubernetes-operator-1.15.0\n", "values.yaml": "replicas: 1\n"}, None),
        ({"README.md": f"```\nhelm repo add o https://x/{NAME}-1.6.1/\n```\n"}, (1, 6)),
        ({"README.md": f"    helm repo add o \\\n      https://x/{NAME}-1.6.1/\n"}, (1, 6)),
        ({"README.md": f"helm upgrade -i o repo/{NAME} --version 1.6.1\n"}, (1, 6)),
        ({"README.md": f"Run `kubectl apply -f https://x/apache/{NAME}/release-1.6/a.yaml`.\n"}, (1, 6)),
        ({"README.md": f"git clone -b release-1.6 https://x/apache/{NAME}\n"}, (1, 6)),
        ({"README.md": f"See https://x/apache/{NAME}/tree/release-1.6 and https://x/{NAME}-docs-release-1.6/\n"}, None),
        ({"README.md": f"helm install o x/{NAME}-1.6.1.tgz\nhelm install o x/{NAME}-1.7.0.tgz\n"}, None),
        ({"README.md": f"helm install o x/{NAME}-1.6.1.tgz\n", "infra/release.yaml": RELEASE}, (1, 10)),
        ({"up.sh": f"kubectl apply -k 'https://x/apache/{NAME}//config?ref=release-1.6'\n"}, (1, 6)),
        ({"up.sh": f"# https://x/apache/{NAME}/blob/release-1.6/a.md\n"}, None),
        ({"build/release.yaml": RELEASE}, None),
    ],
)
def test_the_operator_that_all_files_of_a_repository_install(
    files: dict[str, str], release: tuple[int, int] | None, tmp_path: Path
) -> None:
    for name, text in {**files, ".git/HEAD": "ref: refs/heads/main\n", "jobs/job.yaml": ""}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert only_operator_of(str(tmp_path / "jobs")) == release
