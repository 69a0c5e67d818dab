"""A job is compiled for a newer Java than its image runs.

## What it does
Compares the Java of one of Flink's own images, by its tag, with the release for which the Maven or Gradle build of the
JAR compiles that a Dockerfile copies into it (`target/orders.jar`, `build/libs/orders.jar`), or that a container has
mounted. Without a version in the tag the image has Java 11 from Flink 1.15 up to 1.20, and Java 17 from 2.0 on.

## Why it matters
The JVM refuses the first class of the job: `java.lang.UnsupportedClassVersionError: org/example/Orders has been
compiled by a more recent version of the Java Runtime (class file version 61.0), this version of the Java Runtime only
recognizes class file versions up to 55.0`. The JobManager ends, or `flink run` does; it works on the machine of who
wrote it.

## What to do
Take the image with the Java of the build, such as `flink:1.20-java17`, or set `maven.compiler.release` (Gradle:
`options.release`) to the Java of the image.

## Not when
The build names no release or several; another Java is installed into the image, or `JAVA_HOME` set; the image is not
Flink's own.

## Sources
- <https://hub.docker.com/_/flink>: the tags and their Java
- <https://docs.oracle.com/en/java/javase/17/docs/specs/jvms/se17/html/jvms-4.html#jvms-4.1>: class files
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import is_official, java_of_image
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_OTHER_JAVA = regex(r"(?i)JAVA_HOME|(?:install|add)\b[^\n]{0,200}\b(?:openjdk|jdk|temurin|corretto|zulu)")
_CLASS_FILES = 44
"""The version of class files for Java 0, so to say: that for Java 17 is 61."""


@rule(
    code="FLK989",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:image", "element:container"],
    since="0.1",
)
def job_java_newer_than_image(config: View) -> Iterator[Finding]:
    """a job is compiled for a newer Java than its image has"""
    for image in config.elements("image"):
        if _OTHER_JAVA.search(config.document.text) is not None:
            continue
        for copied in image.items("copies"):
            found = _found(config, image.text("from"), copied.text("source"), is_of_stage=copied.has("from"))
            if found is not None:
                yield _finding(image, "from", *found)
                break
    for container in config.elements("container"):
        if container.has("environment.JAVA_HOME"):
            continue
        for volume in container.items("volumes"):
            found = _found(config, container.text("image"), volume.text("source"), is_of_stage=False)
            if found is not None:
                yield _finding(container, "image", *found)
                break


def _found(config: View, image: str | None, source: str | None, *, is_of_stage: bool) -> tuple[int, int, str] | None:
    """Return the Java of an image, the newer one of a JAR in it, and the build file that names that."""
    if image is None or not source or not is_official(image):
        return None
    java = java_of_image(image)
    built = config.java_of_jar(source, is_of_stage=is_of_stage) if java is not None else None
    return None if java is None or built is None or built[0] <= java else (java, *built)


def _finding(part: ElementView, of: str, java: int, compiled: int, build: str) -> Finding:
    image = part.text(of) or ""
    other = f"flink:<release>-java{compiled}" if compiled in (8, 11, 17, 21) else "an image with that Java"
    return part.finding(
        f"{image} runs Java {java}, and {build} compiles the job for Java {compiled}: it fails with"
        f" UnsupportedClassVersionError (class file version {_CLASS_FILES + compiled}.0)",
        of=of,
        key="java",
        help=f"take {other}, or compile for Java {java}",
        evidence={"image": java, "job": compiled},
    )


_BUILD = "FROM flink:{}\nCOPY {} /opt/flink/usrlib/orders.jar\n"
_POM = "<project>\n<properties>\n<maven.compiler.release>{}</maven.compiler.release>\n</properties>\n</project>\n"
_PLUGIN = (
    "<project><build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>"
    "<source>${java}</source><target>${java}</target></configuration></plugin></plugins></build>"
    "<properties><java>%s</java></properties></project>\n"
)
_COMPOSE = "services:\n  jobmanager:\n    image: flink:1.18\n    command: jobmanager\n    volumes: ['./target:/jobs']\n"


def cases() -> list[Case]:
    docker = _BUILD.format("1.18", "target/orders.jar")
    gradle = _BUILD.format("1.20-java11", "jobs/build/libs/orders-all.jar")
    return [
        bad(docker, file="Dockerfile", beside={"pom.xml": _POM.format("17")}, at="flink:1.18", says="version 61.0"),
        bad(
            gradle,
            file="Dockerfile",
            beside={"jobs/build.gradle": "java { toolchain { languageVersion = JavaLanguageVersion.of(17) } }\n"},
            says="jobs/build.gradle compiles",
        ),
        bad(docker, file="Dockerfile", beside={"pom.xml": _PLUGIN % "21"}, says="Java 21"),
        bad(
            "FROM maven:3-eclipse-temurin-17 AS build\nRUN mvn package\n"
            + _BUILD.format("1.20", "--from=build /app/target/orders.jar"),
            file="Dockerfile",
            beside={"pom.xml": _POM.format("17")},
        ),
        bad(_COMPOSE, file="docker-compose.yml", beside={"pom.xml": _POM.format("17")}, at="flink:1.18"),
        good(docker, file="Dockerfile", beside={"pom.xml": _POM.format("11")}),
        good(docker, file="Dockerfile", beside={"pom.xml": _PLUGIN % "1.8"}),
        good(_BUILD.format("1.18-java17", "target/o.jar"), file="Dockerfile", beside={"pom.xml": _POM.format("17")}),
        good(_BUILD.format("2.0", "target/orders.jar"), file="Dockerfile", beside={"pom.xml": _POM.format("17")}),
        good(
            docker + "RUN apt-get install -y openjdk-17-jre\n",
            file="Dockerfile",
            beside={"pom.xml": _POM.format("17")},
        ),
        good(docker, file="Dockerfile", beside={"pom.xml": _POM.format("${java.release}")}),
        good(
            gradle,
            file="Dockerfile",
            beside={"jobs/build.gradle": "sourceCompatibility = '11'\njava { toolchain { of(17) } }\n"},
        ),
        good(docker, file="Dockerfile"),
        good(_COMPOSE, file="docker-compose.yml", beside={"pom.xml": _POM.format("11")}),
    ]
