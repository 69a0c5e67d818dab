"""Build files: dependencies and plugins, their scopes and versions."""

from __future__ import annotations

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


def test_what_a_pom_manages_counts_where_a_dependency_says_nothing() -> None:
    managed = (
        "<dependencyManagement><dependencies><dependency><groupId>org.apache.flink</groupId>"
        "<artifactId>flink-clients</artifactId><version>1.20.0</version><scope>provided</scope></dependency>"
        "</dependencies></dependencyManagement>"
    )
    text = POM.replace("<properties>", f"{managed}<properties>").replace("flink-sql-connector-kafka", "flink-clients")
    (document,) = read("pom.xml", text.replace("\n      <version>${unknown}</version>", ""))
    clients = next(one for one in document.elements if one.name == "flink-clients")
    assert (clients.value("version"), clients.value("scope")) == ("1.20.0", "provided")


def test_a_property_that_a_profile_sets_as_well_is_unknown() -> None:
    profile = "<profiles><profile><properties><flink.version>1.19.0</flink.version></properties></profile></profiles>"
    (document,) = read("pom.xml", POM.replace("</project>", f"{profile}</project>"))
    scala = next(one for one in document.elements if one.name.startswith("flink-streaming-scala"))
    assert scala.value("version") is None


def test_a_plugin_of_a_pom_has_what_it_leaves_out() -> None:
    excludes = (
        "<configuration><excludes><exclude>org.slf4j:*</exclude><exclude>log4j:*</exclude></excludes></configuration>"
    )
    (document,) = read("pom.xml", POM.replace("<executions>", f"{excludes}<executions>"))
    assert document.elements[-1].value("excludes") == "org.slf4j:* log4j:*"


def test_variables_of_a_gradle_build_are_filled_in() -> None:
    text = """def scala = '2.12'
    ext.flinkVersion = "1.20.0"
dependencies {
    implementation "org.apache.flink:flink-clients_$scala:${flinkVersion}"
    compileOnly group: 'org.apache.flink', name: 'flink-runtime', version: "$other"
}
"""
    (document,) = read("build.gradle", text)
    clients, runtime = document.elements
    assert (clients.name, clients.value("version"), clients.value("scope")) == (
        "flink-clients_2.12",
        "1.20.0",
        "compile",
    )
    assert (runtime.name, runtime.value("version"), runtime.value("scope")) == ("flink-runtime", None, "provided")


def test_only_what_flinks_own_configuration_has_is_packed_where_there_is_one() -> None:
    text = GRADLE.replace("custom", "implementation").replace(
        "dependencies {", "configurations { flinkShadowJar }\ndependencies {"
    )
    (document,) = read("build.gradle", text)
    found = {one.name: one.value("scope") for one in document.elements if one.kind == "dependency"}
    assert (found["flink-sql-connector-kafka"], found["flink-connector-jdbc"]) == ("compile", "provided")
