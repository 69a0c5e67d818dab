"""Build files: dependencies and plugins, their scopes and versions."""

from __future__ import annotations

from flink_flint.linter.formats import file_format_of
from tests.formats.reading import read

POM = """<project>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>3.3.0</version>
  </parent>
  <artifactId>job</artifactId>
  <properties><flink.version>1.20.0</flink.version><scala.binary.version>2.12</scala.binary.version></properties>
  <!-- <dependency><artifactId>flink-clients</artifactId></dependency> -->
  <dependencies>
    <dependency>
      <groupId>org.apache.flink</groupId>
      <artifactId>flink-streaming-scala_${scala.binary.version}</artifactId>
      <version>${flink.version}</version>
      <scope>provided</scope>
    </dependency>
    <dependency>
      <groupId>org.apache.flink</groupId>
      <artifactId>flink-sql-connector-kafka</artifactId>
      <version>${unknown}</version>
    </dependency>
  </dependencies>
  <build><plugins><plugin>
    <artifactId>spring-boot-maven-plugin</artifactId>
    <executions><execution><goals><goal>repackage</goal></goals></execution></executions>
  </plugin></plugins></build>
</project>
"""
GRADLE = """plugins {
    id 'org.springframework.boot' version '3.3.0' apply false
}
dependencies {
    // implementation "org.apache.flink:flink-clients:1.20.0"
    compileOnly "org.apache.flink:flink-streaming-java:1.20.0"
    flinkShadowJar("org.apache.flink:flink-sql-connector-kafka:$version")
    custom "org.apache.flink:flink-connector-jdbc:3.2.0-1.19"
}
"""
SAMPLES = {"pom.xml": POM, "build.gradle": GRADLE}


def test_a_pom_has_dependencies_a_parent_and_plugins() -> None:
    (document,) = read("pom.xml", POM)
    found = [(one.kind, one.name) for one in document.elements]
    assert found == [
        ("build-parent", "spring-boot-starter-parent"),
        ("dependency", "flink-streaming-scala_2.12"),
        ("dependency", "flink-sql-connector-kafka"),
        ("build-plugin", "spring-boot-maven-plugin"),
    ]
    scala, kafka, plugin = document.elements[1:]
    assert (scala.value("version"), scala.value("scope")) == ("1.20.0", "provided")
    assert "version" in kafka.attributes
    assert kafka.value("version") is None
    assert plugin.value("goals") == "repackage"


def test_a_gradle_build_has_scopes_of_its_configurations() -> None:
    (document,) = read("build.gradle", GRADLE)
    found = {one.name: one for one in document.elements}
    assert found.keys() == {
        "org.springframework.boot", "flink-streaming-java", "flink-sql-connector-kafka", "flink-connector-jdbc",
    }  # fmt: skip
    assert found["org.springframework.boot"].value("skip") == "true"
    assert found["flink-streaming-java"].value("scope") == "provided"
    assert found["flink-sql-connector-kafka"].value("scope") == "compile"
    assert found["flink-connector-jdbc"].value("scope") is None
    assert found["flink-sql-connector-kafka"].value("version") is None


