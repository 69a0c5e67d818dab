"""The source trees of Flink's own projects, by their POMs."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.filesystem.flink_sources import flink_project_in, flink_project_of

APACHE = "<parent><groupId>org.apache</groupId><artifactId>apache</artifactId><version>20</version></parent>"
OWN = "<groupId>org.apache.flink</groupId>\n<artifactId>flink-parent</artifactId>"
CONNECTOR = (
    "<parent><groupId>org.apache.flink</groupId><artifactId>flink-connector-parent</artifactId></parent>"
    "<groupId>org.apache.flink</groupId><artifactId>flink-connector-kafka-parent</artifactId>"
)
MODULE = (
    "<parent><groupId>org.apache.flink</groupId><artifactId>flink-parent</artifactId></parent>"
    "<groupId>org.apache.flink</groupId><artifactId>flink-core</artifactId>"
)
SPRINGS = (
    "<parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot</artifactId></parent>"
    "<artifactId>jobs-parent</artifactId><dependencies><dependency>"
    "<groupId>org.apache.flink</groupId><artifactId>flink-core</artifactId></dependency></dependencies>"
)


@pytest.mark.parametrize(
    ("pom", "project"),
    [
        (f"<project>{APACHE}{OWN}<packaging>pom</packaging></project>", "flink-parent"),
        (f"<project><!-- <artifactId>x</artifactId> -->{OWN}{APACHE}</project>", "flink-parent"),
        (f"<project>{CONNECTOR}</project>", "flink-connector-kafka-parent"),
        (f"<project>{MODULE}</project>", None),
        (f"<project>{OWN}</project>", None),
        (f"<project>{SPRINGS}</project>", None),
        (
            f"<project>{APACHE}<artifactId>beam</artifactId><properties/><dependencies>{OWN}</dependencies></project>",
            None,
        ),
        ("<project/>", None),
    ],
)
def test_the_root_pom_of_a_project_of_flink(tmp_path: Path, pom: str, project: str | None) -> None:
    (tmp_path / "pom.xml").write_text(pom)
    assert flink_project_in(str(tmp_path)) == project


def test_a_folder_belongs_to_the_project_above_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "flink" / "flink-core" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "flink" / "pom.xml").write_text(f"<project>{APACHE}{OWN}</project>")
    assert flink_project_of(str(inner)) == "flink-parent"
    assert flink_project_of(str(tmp_path)) is None
