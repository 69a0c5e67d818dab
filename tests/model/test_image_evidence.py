"""The release of a Helm chart, by the images in its values and by its `appVersion`."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.model.release_evidence.image_evidence import (
    app_version_of_chart,
    release_of_chart,
    release_of_compose,
)


def _release(folder: Path, values: str) -> str | None:
    (folder / "Chart.yaml").write_text("name: orders\n")
    (folder / "values.yaml").write_text(values)
    found = release_of_chart(str(folder))
    return found and found[0]


@pytest.mark.parametrize(
    ("values", "release"),
    [
        ("image:\n  repository: flink\n  pullPolicy: Always\n\n  args:\n    - a\n  tag: 1.17.2\n", "1.17.2"),
        ("repository: flink\npullPolicy: Always\ntag: 1.17.2\n", "1.17.2"),
        ("image:\n  repository: flink\n" + "  # what to know of it\n" * 9 + "  tag: 1.17.2\n", "1.17.2"),
        ("image:\n  repository: flink\nsidecar:\n  tag: 1.17.2\n", None),
        ("repository: flink\n---\ntag: 1.17.2\n", None),
        ("images:\n  - name: a\n    repository: flink\n  - name: b\n    tag: 1.17.2\n", None),
    ],
)
def test_a_repository_goes_with_the_tag_of_the_same_mapping(values: str, release: str | None, tmp_path: Path) -> None:
    assert _release(tmp_path, values) == release


def test_work_grows_with_the_length_of_the_values(tmp_path: Path) -> None:
    """Whatever is between a repository and a tag, it is not read once per pair of them."""
    values = "  repository: flink\n" * 100 + "  # x\n" * 150_000 + "  tag: 1.17.2\n" * 100
    assert _release(tmp_path, values) is None


SCAFFOLD = """\
name: flink
description: A Helm chart for Kubernetes
# This is the version number of the application being deployed. This version number should be
# incremented each time you make changes to the application.
appVersion: "{version}"
"""


def _app_version(folder: Path, chart: str, values: str = "replicas: 1\n") -> tuple[str, str] | None:
    (folder / "Chart.yaml").write_text(chart)
    (folder / "values.yaml").write_text(values)
    (folder / "templates").mkdir(exist_ok=True)
    return app_version_of_chart(str(folder / "templates"))


@pytest.mark.parametrize(
    ("chart", "values", "release"),
    [
        ("name: flink\nappVersion: 1.16.0\n", "", "1.16.0"),
        (SCAFFOLD.format(version="1.17.2"), "", "1.17.2"),
        (SCAFFOLD.format(version="1.17.2"), "image:\n  repository: acme/flink\n  tag: ''\n", "1.17.2"),
        (SCAFFOLD.format(version="1.17.2"), "image:\n  repository: acme/x\n  tag: 1.17.2-7\n", "1.17.2"),
        (SCAFFOLD.format(version="1.17.2"), "sidecar:\n  image:\n    tag: 3.4.1\n", "1.17.2"),
    ],
)
def test_the_app_version_of_a_chart_named_for_flink_is_its_release(
    chart: str, values: str, release: str, tmp_path: Path
) -> None:
    assert _app_version(tmp_path, chart, values) == (release, "appVersion of the chart flink")


@pytest.mark.parametrize(
    ("chart", "values"),
    [
        (SCAFFOLD.format(version="1.16.0"), ""),
        ("name: flink\ndescription: A Helm chart for Kubernetes\nappVersion: 1.16.0\n", ""),
        ("name: flink\nappVersion: 1.0.0\n", ""),
        ("name: flink\nappVersion: 1.30.0\n", ""),
        ("name: flink\nappVersion: 3.4\n", ""),
        ("name: flink\nappVersion: latest\n", ""),
        ("name: spark\nappVersion: 1.17.2\n", ""),
        ("name: flink\nappVersion: 1.17.2\n", "image:\n  # ours\n\n  repository: acme/orders\n  tag: 3.4.1\n"),
    ],
)
def test_an_app_version_that_need_not_be_flinks_is_no_evidence(chart: str, values: str, tmp_path: Path) -> None:
    assert _app_version(tmp_path, chart, values) is None


@pytest.mark.parametrize(("tag", "is_named"), [("1.17.2-java11", True), ("v1.17.2", True), ("2.1.46", False)])
def test_an_image_in_a_template_shows_whose_the_app_version_is(tag: str, is_named: bool, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "jobmanager.yaml").write_text(f'        image: "acme/docker-flink:{tag}"\n')
    assert (_app_version(tmp_path, "name: flink\nappVersion: 1.17.2\n", "") is not None) == is_named


def test_the_app_version_of_another_chart_is_not_inherited(tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("name: flink\nappVersion: 1.17.2\n")
    (tmp_path / "charts" / "spark").mkdir(parents=True)
    assert _app_version(tmp_path / "charts" / "spark", "name: spark\nappVersion: 3.3.0\n") is None


@pytest.mark.parametrize(
    ("images", "release"),
    [
        (("flink:1.18-java11", "flink:1.18.1-java11"), ">=1.18,<=1.18"),
        (("flink:1.18.1", "flink:1.17"), ">=1.17,<=1.18"),
        (("flink:1.18.1", "flink:1.18.1"), "1.18.1"),
    ],
)
def test_images_of_a_compose_file_may_name_a_patch_or_not(
    images: tuple[str, str], release: str, tmp_path: Path
) -> None:
    services = "".join(f"  s{number}:\n    image: {image}\n" for number, image in enumerate(images))
    (tmp_path / "docker-compose.yml").write_text(f"services:\n{services}")
    assert release_of_compose(str(tmp_path)) == (release, "the image in docker-compose.yml")
