"""An image or `pipeline.jars` has a connector without the libraries that it calls.

## What it does
Looks at the JARs that a Dockerfile on Flink's own image copies or downloads to `lib`, at those that a container mounts
there, and at `pipeline.jars`. Reports thin connectors whose libraries are not beside them: `flink-connector-kafka`
without `kafka-clients`, `flink-connector-elasticsearch7` without Elasticsearch's, `flink-connector-*-cdc` from 2.1 on
without Debezium.

## Why it matters
The job fails with `java.lang.NoClassDefFoundError: org/apache/kafka/common/serialization/ByteArraySerializer`, or a
table with `ClassNotFoundException`, and PyFlink with `TypeError: Could not found the Java class`. Thin artifacts are
for builds, where Maven or Gradle adds what they depend on. A JAR of the job that has the libraries does not help:
classes in `lib` do not see it.

## What to do
Take the artifact for SQL, which has all inside: `flink-sql-connector-kafka`.

## Not when
- The libraries are there too, or whole folders or several files are copied to `lib`.
- The image is based on another than Flink's own.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/configuration/connector/#uber-jars>: thin and uber JARs
- A job with the sink of flink-connector-kafka 3.4.0-1.20 on Flink 1.20.5, with the connector alone in `lib`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment import image_names
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_JARS = "pipeline.jars"
_THIN = regex(r"flink-connector-(?P<name>kafka|elasticsearch[67]|\w+-cdc)(?:_2\.1\d)?-(?P<version>\d[\w.-]*)\.jar")
_LIBRARIES = {"kafka": "kafka-clients", "elasticsearch6": "elasticsearch", "elasticsearch7": "elasticsearch"}
_OF_CDC = "debezium"
_WHOLE_BEFORE = regex(r"(?:1\.|2\.0\.)")
"""The releases of Flink CDC whose thin connectors have all inside."""
_ONE = regex(r"[^*?${}\[]+\.jar(?:[?#].*)?")
_OF_JOB = regex(r"(?:^|/)usrlib(?:/|$)")


@rule(
    code="FLK987",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_JARS],
    when=["element:image", "element:container"],
    since="0.1",
)
def thin_connector_in_lib(config: View) -> Iterator[Finding]:
    """an image or pipeline.jars has a connector without the libraries that it calls"""
    for image in config.elements("image"):
        if not image_names.is_official(image.text("from") or ""):
            continue
        jars: dict[str, str] = {}
        for number, one in enumerate(image.items("copies")):
            target = one.text("path") or one.text("target") or "lib"
            if "lib" in target.rpartition(".jar")[0] + target and _OF_JOB.search(target) is None:
                jars[f"copies[{number}].source"] = one.text("source") or "*"
        jars |= {f"downloads[{n}]": str(one.value) for n, one in enumerate(image.element.listed("downloads"))}
        of = _lacking(jars, config.document.text)
        if of is not None:
            yield image.finding(_message(jars[of]), of=of, key="jar", help=_help(jars[of]))
    for container in config.elements("container"):
        if not image_names.is_official(container.text("image") or "") or container.has("dockerfile"):
            continue
        jars = {
            f"volumes[{number}].source": one.text("source") or "*"
            for number, one in enumerate(container.items("volumes"))
            if "/lib" in (one.text("target") or "/lib")
        }
        of = _lacking(jars, " ".join(jars.values()))
        if of is not None:
            yield container.finding(_message(jars[of]), of=of, key="jar", help=_help(jars[of]))
    given = config.get(_JARS)
    paths = {str(number): str(path) for number, path in enumerate(given.value or ())} if given.is_set else {}
    own = all("flink-" in path for path in paths.values())
    of = _lacking(paths, " ".join(paths.values())) if own else None
    if of is not None:
        yield given.finding(_message(paths[of]), help=_help(paths[of]))


def _lacking(jars: dict[str, str], text: str) -> str | None:
    """Return which of some JARs is a thin connector without its libraries; None if none is, or it cannot be known."""
    if any(_ONE.fullmatch(path.strip()) is None for path in jars.values()):
        return None
    for of, path in jars.items():
        name = _name(path)
        if name and _LIBRARIES.get(name, _OF_CDC) not in text.replace(path, "").lower():
            return of
    return None


def _name(path: str) -> str:
    """Return the name of a thin connector; empty for other JARs."""
    found = _THIN.fullmatch(path.rpartition("/")[2].strip())
    if found is None or (found["name"].endswith("-cdc") and _WHOLE_BEFORE.match(found["version"])):
        return ""
    return found["name"]


def _message(path: str) -> str:
    library = {"elasticsearch": "Elasticsearch", _OF_CDC: "Debezium"}
    lacks = _LIBRARIES.get(_name(path), _OF_CDC)
    return (
        f"{path.rpartition('/')[2]} has no class of what it calls, and {library.get(lacks, lacks)} is not beside it:"
        " NoClassDefFoundError as the job starts"
    )


def _help(path: str) -> str:
    return f"take flink-sql-connector-{_name(path)}, which has all inside"


def _image(*lines: str, base: str = "flink:1.20") -> str:
    return f"FROM {base}\n" + "".join(f"{line}\n" for line in lines)


_KAFKA = "flink-connector-kafka-3.3.0-1.20.jar"
_CLIENTS = "COPY kafka-clients-3.4.0.jar /opt/flink/lib/"
_COMPOSE = """services:
  jobmanager:
    image: flink:1.17
    command: jobmanager
    volumes: [%s]
"""


def cases() -> list[Case]:
    copied = f"COPY {_KAFKA} /opt/flink/lib/"
    return [
        bad(_image(copied), file="Dockerfile", at=_KAFKA, severity=Severity.WARNING, says="kafka-clients"),
        bad(_image(f"RUN wget -P /opt/flink/lib https://repo.example.com/{_KAFKA}"), file="Dockerfile"),
        bad(_image("COPY flink-connector-mysql-cdc-2.4.2.jar /opt/flink/lib/"), file="Dockerfile", says="Debezium"),
        bad(_COMPOSE % f"./{_KAFKA}:/opt/flink/lib/{_KAFKA}", file="docker-compose.yml", says="NoClassDefFoundError"),
        bad(f"{_JARS}: file:///jars/{_KAFKA};file:///jars/flink-sql-avro-1.20.0.jar\n", at=_JARS),
        good(_image(copied, _CLIENTS), file="Dockerfile"),
        good(_image(copied, "COPY jars/*.jar /opt/flink/lib/"), file="Dockerfile"),
        good(_image(f"COPY {_KAFKA} /opt/flink/usrlib/"), file="Dockerfile"),
        good(_image(copied, base="acme/flink-base:1.20"), file="Dockerfile"),
        good(_image("COPY flink-sql-connector-kafka-3.3.0-1.20.jar /opt/flink/lib/"), file="Dockerfile"),
        good(_image("COPY flink-connector-mysql-cdc-2.0.2.jar /opt/flink/lib/"), file="Dockerfile"),
        good(_image("COPY flink-connector-jdbc-3.2.0-1.19.jar /opt/flink/lib/"), file="Dockerfile"),
        good(_COMPOSE % f"./{_KAFKA}:/opt/flink/lib/{_KAFKA}, ./lib:/opt/flink/lib/more", file="docker-compose.yml"),
        good(f"{_JARS}: file:///jars/{_KAFKA};file:///jars/job.jar\n"),
    ]  # fmt: skip
