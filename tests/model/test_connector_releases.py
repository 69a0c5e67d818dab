"""The release of a connector is found in builds, Dockerfiles and scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.filesystem.folders import forget
from flink_flint.linter.model.release_evidence.connector_releases import connector_versions

KAFKA = ("org.apache.flink:flink-connector-kafka_2.12", "org.apache.flink:flink-connector-kafka")
POM = (
    "<project><properties><kafka.version>3.1.0-1.18</kafka.version></properties><dependencies><dependency>"
    "<groupId>org.apache.flink</groupId><artifactId>flink-connector-kafka</artifactId><version>{}</version>"
    "</dependency></dependencies></project>"
)


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("pom.xml", POM.format("3.2.0-1.19"), "3.2.0-1.19"),
        ("pom.xml", POM.format("${kafka.version}"), "3.1.0-1.18"),
        ("pom.xml", POM.format("${unknown}"), None),
        ("pom.xml", f"<!-- {POM.format('3.2.0-1.19')} -->", None),
        ("build.gradle", "implementation 'org.apache.flink:flink-connector-kafka:3.0.2-1.18'", "3.0.2-1.18"),
        ("build.gradle", "def k = '1.17.2'\nimplementation \"org.apache.flink:flink-connector-kafka:$k\"", "1.17.2"),
        ("build.sbt", '"org.apache.flink" % "flink-connector-kafka" % "3.4.0-1.20"', "3.4.0-1.20"),
        ("Dockerfile", "RUN wget https://repo/flink-sql-connector-kafka-4.0.1-2.0.jar", "4.0.1-2.0"),
        ("Dockerfile", "COPY flink-connector-kafka_2.12-1.14.6.jar /opt/flink/lib/", "1.14.6"),
        ("Dockerfile", "COPY flink-sql-connector-mysql-cdc-2.4.1.jar /opt/flink/lib/", None),
    ],
)
def test_the_release_in_a_file_beside_the_script(name: str, text: str, version: str | None, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sql").mkdir()
    (tmp_path / name).write_text(text)
    forget()
    found = connector_versions(str(tmp_path / "sql"), "SELECT 1;\n", KAFKA)
    assert found == (frozenset() if version is None else {version})


def test_the_jar_that_the_script_adds_counts_first(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pom.xml").write_text(POM.format("3.2.0-1.19"))
    forget()
    text = "ADD JAR '/opt/flink-sql-connector-kafka-3.0.2-1.17.jar';\n"
    assert connector_versions(str(tmp_path), text, KAFKA) == {"3.0.2-1.17"}
    assert connector_versions(str(tmp_path), text, ()) == frozenset()
