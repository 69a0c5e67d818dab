"""A build mixes artifacts for two releases of Scala.

## What it does
Looks at the artifacts of Maven and Gradle builds whose names end in a release of Scala (`flink-streaming-scala_2.12`),
and at `scala-library`. Reports a release of Scala that differs from that of the first artifact of Flink with one.

## Why it matters
The job fails with `java.lang.NoClassDefFoundError: scala/Product$class`, or `NoSuchMethodError:
scala.Predef$.refArrayOps`. Classes compiled for one minor of Scala do not run with the library of another, and one
library is on the class path. The compiler does not see it.

## What to do
Give all artifacts one suffix, best by one property: `flink-streaming-scala_${scala.binary.version}`. Flink is released
for 2.12 alone from 1.15 on, and for 2.11 and 2.12 before.

## Not when
- An artifact is for tests, or comes from a profile.
- It is one of Flink's connectors, formats or state backends. These are written in Java, whatever their suffix, and
  bring no library of Scala.

## Sources
- <https://docs.scala-lang.org/overviews/core/binary-compatibility-of-scala-releases.html>: minors are not compatible
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/configuration/advanced/#scala-versions>: the suffixes
  of Flink's artifacts
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_SUFFIX = regex(r"_(2\.1[0-3])$")
_JAVA = regex(
    r"flink-(?:(?:sql-)?connector-|statebackend-|metrics-|hadoop-|(?:sql-)?(?:avro|parquet|orc|csv|json|protobuf)[_-]|cep_)"
)
"""Flink's artifacts that have no classes of Scala, nor depend on one that has."""
_LIBRARY = regex(r"2\.1[0-3]")


@rule(
    code="FLK983",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:dependency"],
    since="0.1",
)
def build_mixes_scala(config: View) -> Iterator[Finding]:
    """a build mixes artifacts for two releases of Scala"""
    built = [(one, scala) for one in config.elements("dependency")
             if one.text("scope") != "test" and (scala := _scala(one)) is not None]  # fmt: skip
    first = next(((one, scala) for one, scala in built if one.name.startswith("flink-")), None)
    if first is None:
        return
    flink, expected = first
    for one, scala in built:
        if scala != expected:
            yield one.finding(
                f"{one.name} is for Scala {scala} and {flink.name} for {expected}: one library of Scala is loaded, and"
                " classes for the other fail with NoClassDefFoundError or NoSuchMethodError",
                of="version" if one.name == "scala-library" else None,
                help=f"take Scala {expected} for all artifacts",
                related=[flink.place(None, f"for Scala {expected}")],
            )


def _scala(one: ElementView) -> str | None:
    """Return the release of Scala that an artifact needs; None if its name does not say one, or it needs none."""
    if one.name == "scala-library":
        found = _LIBRARY.match(one.text("version") or "")
        return found[0] if found is not None else None
    found = _SUFFIX.search(one.name) if _JAVA.match(one.name) is None else None
    return found[1] if found is not None else None


_POM = """<project>
  <artifactId>job</artifactId>
  <properties><scala.binary.version>2.12</scala.binary.version></properties>
  <dependencies>
    <dependency>
      <groupId>org.apache.flink</groupId>
      <artifactId>flink-streaming-scala_${scala.binary.version}</artifactId>
      <version>1.14.6</version>
    </dependency>
    <dependency>
      <groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>%s
    </dependency>
  </dependencies>
</project>
"""
_GRADLE = """def scala = '2.11'
dependencies {
    implementation "org.apache.flink:flink-clients_$scala:1.13.6"
    implementation group: 'org.apache.flink', name: 'flink-streaming-java_%s', version: '1.13.6'
}
"""


def _pom(group: str = "org.apache.flink", artifact: str = "", version: str = "1.14.6", more: str = "") -> str:
    return _POM % (group, artifact, version, more)


def cases() -> list[Case]:
    table = "flink-table-planner_2.11"
    return [
        bad(_pom(artifact=table), file="pom.xml", at=table, severity=Severity.WARNING,
            says="flink-table-planner_2.11 is for Scala 2.11 and flink-streaming-scala_2.12 for 2.12"),
        bad(_pom("org.scala-lang", "scala-library", "2.13.12"), file="pom.xml", at="2.13.12"),
        bad(_GRADLE % "2.12", file="build.gradle", at="flink-streaming-java_2.12"),
        good(_GRADLE % "2.11", file="build.gradle"),
        good(_GRADLE.replace("def ", "def other_") % "2.12", file="build.gradle"),
        good(_pom(artifact="flink-table-planner_${scala.binary.version}"), file="pom.xml"),
        good(_pom(artifact="flink-connector-kafka_2.11"), file="pom.xml"),
        good(_pom(artifact="flink-avro_2.11"), file="pom.xml"),
        good(_pom(artifact=table, more="<scope>test</scope>"), file="pom.xml"),
        good(_pom(artifact="flink-clients_${other}"), file="pom.xml"),
        good(_pom("org.scala-lang", "scala-library", "2.12.18"), file="pom.xml"),
        good(_pom("org.scala-lang", "scala-library", "${scala.version}"), file="pom.xml"),
        good(_POM.replace("flink-streaming-scala_${scala.binary.version}", "flink-core")
             % ("com.acme", "tools_2.13", "1.0", ""), file="pom.xml"),
    ]  # fmt: skip
