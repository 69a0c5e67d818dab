"""A connector is in Flink's lib and in the JAR of the job.

## What it does
Compares the connectors that a Dockerfile puts into `/opt/flink/lib` with those that the build of the job's JAR packs,
where the same Dockerfile copies that JAR (`target/job.jar`, `build/libs/job.jar`), or takes it from the stage that
builds it.

## Why it matters
The job fails with `class org.apache.kafka.common.serialization.ByteArraySerializer is not an instance of
org.apache.kafka.common.serialization.Serializer`, or `AbstractMethodError` in a serializer of its own. Classes of
`org.apache.flink` come from `lib`, and so do the libraries that they call; classes that these load by their names come
from the job's JAR first. Both JARs have Kafka's client, and one class loaded twice is two classes.

## What to do
Keep one: take the connector out of `lib`, or give it the scope `provided`.

## Not when
The connector in the build is `provided` or for tests; the Dockerfile copies another JAR, or the build packs nothing.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/debugging/debugging_classloading/>: which classes come
  from where
- Jobs with the sink of flink-connector-kafka 3.4.0-1.20 packed on Flink 1.20.5: with the same connector and
  kafka-clients in `lib`, and with flink-sql-connector-kafka
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.runtime._packed import PACKERS, is_packed

_JAR = regex(
    r"flink-(?:sql-)?connector-(?P<name>kafka|kinesis|pulsar|elasticsearch\d?|\w+-cdc)(?:_2\.1\d)?-\d[\w.-]*\.jar"
)
_DEPENDENCY = regex(r"flink-(?:sql-)?connector-(?P<name>kafka|kinesis|pulsar|elasticsearch\d?|\w+-cdc)(?:_2\.1\d)?")
_BUILT = regex(r"(?P<module>[^*?]*?)(?:target|build/libs)/[^/]*\.jar")


@rule(
    code="FLK995",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:image"],
    scope="project",
    compares=[(["element:image"], ["element:dependency"])],
    since="0.1",
)
def connector_in_lib_and_job(project: Project) -> Iterator[Finding]:
    """a connector is in Flink's lib and in the JAR of the job"""
    builds = {
        os.path.normpath(view.document.directory): view for view in project.views if view.elements("build-plugin")
    }
    for config in project.views if builds else ():
        for image in config.elements("image"):
            in_lib = _in_lib(image)
            if not in_lib:
                continue
            for packed in _packed(config, image, builds):
                found = _DEPENDENCY.fullmatch(packed.name)
                if found is not None and found["name"] in in_lib:
                    of = in_lib[found["name"]]
                    yield image.finding(
                        f"{found['name']}'s connector is in lib and in the job's JAR: {_effect(found['name'])}",
                        of=of,
                        key=found["name"],
                        help=f"take it out of lib, or give {packed.name} the scope provided",
                        related=[packed.place(None, "packed into the job's JAR")],
                    )
                    break


def _effect(name: str) -> str:
    if name == "kafka":
        return "ByteArraySerializer is not an instance of Serializer, or AbstractMethodError"
    return "its classes meet libraries loaded twice, with ClassCastException or NoSuchMethodError"


def _in_lib(image: ElementView) -> dict[str, str]:
    """Return the attributes that put connectors into the image's lib, by the names of the connectors."""
    found: dict[str, str] = {}
    for number, one in enumerate(image.items("copies")):
        target = one.text("path") or one.text("target") or ""
        jar = _JAR.fullmatch((one.text("source") or "").rpartition("/")[2])
        if jar is not None and "/lib" in f"/{target}":
            found[jar["name"]] = f"copies[{number}].source"
    for number, attribute in enumerate(image.element.listed("downloads")):
        jar = _JAR.fullmatch(str(attribute.value).rpartition("/")[2])
        if jar is not None:
            found[jar["name"]] = f"downloads[{number}]"
    return found


def _packed(config: View, image: ElementView, builds: dict[str, View]) -> Iterator[ElementView]:
    """Yield what is packed into the JARs of builds that an image copies."""
    for copied in image.items("copies"):
        built = _BUILT.fullmatch(copied.text("source") or "")
        if built is None:
            continue
        folder = os.path.normpath(
            os.path.join(config.document.directory, "" if copied.has("from") else built["module"].strip("/"))
        )
        view = builds.get(folder)
        if view is not None and any(one.name in PACKERS for one in view.elements("build-plugin")):
            yield from (one for one in view.elements("dependency") if is_packed(one))


_BASE = "FROM flink:1.20\n"
_LIB = "COPY flink-sql-connector-kafka-3.4.0-1.20.jar /opt/flink/lib/\n"
_JOB = "COPY target/job-1.0.jar /opt/flink/usrlib/job.jar\n"
_POM = """<project>
  <artifactId>job</artifactId>
  <dependencies><dependency>
    <groupId>org.apache.flink</groupId><artifactId>flink-connector-kafka</artifactId><version>3.4.0-1.20</version>%s
  </dependency></dependencies>
  <build><plugins><plugin><artifactId>maven-shade-plugin</artifactId></plugin></plugins></build>
</project>
"""


def cases() -> list[Case]:
    pom, provided = {"pom.xml": _POM % ""}, {"pom.xml": _POM % "<scope>provided</scope>"}
    return [
        bad(_BASE + _LIB + _JOB, file="Dockerfile", beside=pom, at="flink-sql-connector-kafka-3.4.0-1.20.jar",
            severity=Severity.WARNING, says="ByteArraySerializer is not an instance"),
        bad("FROM maven AS build\nRUN mvn package\n" + _BASE
            + "RUN wget -P /opt/flink/lib https://repo.example.com/flink-connector-kafka-3.4.0-1.20.jar\n"
            "COPY --from=build /app/target/job.jar /opt/flink/usrlib/\n", file="Dockerfile", beside=pom),
        bad(_BASE + _LIB + _JOB.replace("target", "job/target"), file="Dockerfile", beside={"job/pom.xml": _POM % ""}),
        good(_BASE + _LIB + _JOB, file="Dockerfile", beside=provided),
        good(_BASE + _LIB + _JOB, file="Dockerfile", beside={"other/pom.xml": _POM % ""}),
        good(_BASE + _JOB, file="Dockerfile", beside=pom),
        good(_BASE + _LIB, file="Dockerfile", beside=pom),
        good(_BASE + _LIB.replace("kafka", "elasticsearch7") + _JOB, file="Dockerfile", beside=pom),
        good(_BASE + _LIB + _JOB, file="Dockerfile", beside={"pom.xml": (_POM % "").replace("shade", "jar")}),
    ]  # fmt: skip
