"""The release of a Helm chart, by the images in its values."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.model.release_evidence.image_evidence import release_of_chart


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
