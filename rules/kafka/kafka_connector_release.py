"""A connector was built for another Flink.

## What it does
Reads the release of Flink from the names of connectors: `flink-sql-connector-kafka-3.0.1-1.17.jar` is built for 1.17,
`flink-connector-kafka_2.12-1.14.6.jar` is a part of 1.14, `iceberg-flink-runtime-1.20-1.8.1.jar`,
`paimon-flink-1.20-1.0.0.jar`, `hudi-flink1.17-bundle-0.15.0.jar` and `flink-doris-connector-1.17-1.6.0.jar` have it in
their names. It looks at what a Dockerfile copies or downloads, at `pipeline.jars` and `pipeline.classpaths`, and at the
dependencies of Maven and Gradle builds, and compares it with the release that runs: an error where the connector of
Kafka or Iceberg is for 1.x and Flink is 2.x, a warning for other connectors and where a JAR is for a newer Flink than
the one that runs, which in a build is advice. Of Flink CDC, it reports 2.0 and 2.1 from Flink 1.14 on.

## Why it matters
Connectors call classes of Flink that are no public interface, and are released for certain minors. Flink 2.0 took many
of these away: a connector for 1.17 fails in 2.x with `NoSuchMethodError` or `NoClassDefFoundError` once the job starts,
and no plan, test of the program or start of the cluster shows it before. Iceberg's catalog for 1.20 does so as well, as
`org.apache.flink.table.api.TableSchema` is gone. One for a newer Flink calls what is not there yet. Flink CDC 2.0 and
2.1 call `org.apache.flink.shaded.guava18`, which is gone since 1.14: `ClassNotFoundException:
org.apache.flink.shaded.guava18.com.google.common.util.concurrent.ThreadFactoryBuilder`.

## What to do
Take the connector whose second number is the minor that runs, such as `3.2.0-1.18` on 1.18, and Flink CDC 2.2 or later
from Flink 1.14 on.

## Not when
The connector is for an older minor of the same major release, which mostly works; the release that runs is not known,
or the name or version of the connector is not; it is for tests.

## Sources
- <https://github.com/apache/flink/pull/28625>: the connector 3.0.0-1.17 in Flink 2.x, and what it ends with
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/>: which connector is for which
  release
- <https://iceberg.apache.org/multi-engine-support/#apache-flink>: the runtime of each minor
- <https://flink.apache.org/downloads/#apache-flink-connectors>: connectors and the releases they are made for
- The classes of flink-sql-connector-mysql-cdc 2.0.2 and 2.1.1, which refer to guava18, and those of Flink 1.14.6 and
  later, which have guava30 to guava33
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_SETTINGS = ("pipeline.jars", "pipeline.classpaths")
_JAR = regex(
    r"flink-(?:sql-)?connector-[a-z][a-z0-9.-]{0,40}?-\d+\.\d+\.\d+-(\d)\.(\d+)\.jar"
    r"|flink-(?:sql-)?connector-(?:kafka|jdbc|elasticsearch\d|hive-[\d.]+)(?:_2\.1[12])?-(1)\.(\d+)\.\d+\.jar"
    r"|(?:iceberg-flink-runtime|paimon-flink|flink-doris-connector)-([12])\.(\d+)(?:_2\.12)?-\d+\.\d+\.\d+\.jar"
    r"|hudi-flink([12])\.(\d+)-bundle-\d+\.\d+\.\d+\.jar"
)
_SURELY_GONE = ("flink-connector-kafka", "flink-sql-connector-kafka", "iceberg-")
_OLD_CDC = regex(r"flink-(?:sql-)?connector-\w+-cdc-2\.[01]\.\d+\.jar")


@rule(
    code="FLK821",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=_SETTINGS,
    when=["element:image", "element:dependency"],
    flink=">=1.9",
    since="0.1",
)
def kafka_connector_release(config: View) -> Iterator[Finding]:
    """a connector was built for another Flink"""
    if not config.target.certain:
        return
    for image in config.elements("image"):
        for name, attribute in image.element.attributes.items():
            if name.startswith("downloads[") or name.endswith("].source"):
                for message, advice, severity in _judge(config, attribute.value):
                    yield image.finding(message, of=name, help=advice, severity=severity)
    for one in config.elements("dependency"):
        version = one.text("version")
        if version and one.text("scope") != "test":
            for message, advice, severity in _judge(config, f"{one.name}-{version}.jar", Severity.INFO):
                yield one.finding(message, of="version", help=advice, severity=severity)
    for key in _SETTINGS:
        jars = config.get(key)
        for jar in (jars.value or ()) if jars.is_set else ():
            for message, advice, severity in _judge(config, jar):
                yield jars.finding(message, help=advice, severity=severity)


def _judge(
    config: View, path: object, newer: Severity = Severity.WARNING
) -> Iterator[tuple[str, str, Severity | None]]:
    """Yield what is wrong with a JAR, what to take instead, and how severe that is; `newer`: for a newer Flink."""
    name = str(path).rpartition("/")[2].strip()
    if _OLD_CDC.fullmatch(name) is not None and config.since("1.14"):
        yield (
            (
                f"{name} is built for Flink 1.13, and {config.releases_text} runs it: ClassNotFoundException"
                " org.apache.flink.shaded.guava18...ThreadFactoryBuilder"
            ),
            "take Flink CDC 2.2 or later",
            Severity.WARNING,
        )
    match = _JAR.fullmatch(name)
    if match is None:
        return
    major, minor = (one for one in match.groups() if one is not None)
    what = f"{name} is built for Flink {major}.{minor}, and {config.releases_text} runs it:"
    advice = f"take the connector for Flink {config.release.name}"
    if major == "1" and config.since("2.0"):
        severity = None if name.startswith(_SURELY_GONE) else Severity.WARNING
        yield f"{what} what it calls is gone since 2.0, and the job fails as it starts", advice, severity
    elif not config.since(f"{major}.{minor}"):
        yield f"{what} it may call what is not there yet", advice, newer


def _image(line: str, flink: str = "1.18.1") -> str:
    return f"FROM flink:{flink}\n{line}\n"


_REPOSITORY = "https://repo.example.com/flink-sql-connector-kafka"


_POM = """<project>
  <artifactId>job</artifactId>
  <dependencies>
    <dependency>
      <groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>{}</version>
      <scope>provided</scope>
    </dependency>
    <dependency>
      <groupId>org.apache.flink</groupId><artifactId>{}</artifactId><version>{}</version>{}
    </dependency>
  </dependencies>
</project>
"""


def _pom(artifact: str, version: str, flink: str, more: str = "") -> str:
    return _POM.format(flink, artifact, version, more)


def cases() -> list[Case]:
    return [
        bad(
            _image(f"RUN wget -P lib {_REPOSITORY}-3.0.1-1.17.jar", "2.0.0"),
            file="Dockerfile",
            severity=Severity.ERROR,
            at=f"{_REPOSITORY}-3.0.1-1.17.jar",
            says="is built for Flink 1.17, and Flink 2.0.0 runs it: what it calls is gone",
        ),
        bad(
            _image("COPY flink-sql-connector-kafka-3.3.0-1.20.jar /opt/flink/lib/"),
            file="Dockerfile",
            severity=Severity.WARNING,
            says="is built for Flink 1.20",
        ),
        bad(
            _image(f"ADD {_REPOSITORY}-4.0.0-2.0.jar /opt/flink/lib/", "1.20"),
            file="Dockerfile",
            severity=Severity.WARNING,
        ),
        bad(
            _image("COPY flink-connector-kafka_2.12-1.14.6.jar /opt/flink/lib/", "2.1"),
            file="Dockerfile",
            severity=Severity.ERROR,
            says="is built for Flink 1.14",
        ),
        bad(
            _image("COPY flink-connector-kafka-1.16.3.jar /opt/flink/lib/", "1.15.4"),
            file="Dockerfile",
            severity=Severity.WARNING,
            says="is built for Flink 1.16",
        ),
        bad(
            "pipeline.jars: file:///opt/job.jar;file:///opt/flink-connector-kafka-3.4.0-1.20.jar\n",
            flink="2.2",
            at="pipeline.jars",
            severity=Severity.ERROR,
        ),
        bad(
            "pipeline.classpaths: file:///opt/flink-connector-kafka-3.1.0-1.18.jar\n",
            flink="1.17",
            at="pipeline.classpaths",
            severity=Severity.WARNING,
        ),
        bad(
            _image("COPY iceberg-flink-runtime-1.20-1.8.1.jar /opt/flink/lib/", "2.0.0"),
            file="Dockerfile",
            severity=Severity.ERROR,
            says="is built for Flink 1.20",
        ),
        bad(
            _image("COPY paimon-flink-1.20-1.0.0.jar /opt/flink/lib/", "2.0.0"),
            file="Dockerfile",
            severity=Severity.WARNING,
            says="paimon-flink-1.20-1.0.0.jar is built for Flink 1.20",
        ),
        bad(_image("COPY hudi-flink1.17-bundle-0.15.0.jar /opt/flink/lib/", "1.16.3"), file="Dockerfile"),
        bad(
            _image("COPY flink-sql-connector-mysql-cdc-2.1.1.jar /opt/flink/lib/", "1.14.6"),
            file="Dockerfile",
            severity=Severity.WARNING,
            says="guava18",
        ),
        bad(
            _pom("flink-connector-kafka", "3.2.0-1.19", "2.0.0"),
            file="pom.xml",
            at="3.2.0-1.19",
            severity=Severity.ERROR,
            says="is built for Flink 1.19",
        ),
        bad(_pom("flink-connector-jdbc", "3.2.0-1.19", "2.1.0"), file="pom.xml", severity=Severity.WARNING),
        bad(_pom("flink-connector-kafka", "3.3.0-1.20", "1.18.1"), file="pom.xml", severity=Severity.INFO),
        bad(_pom("flink-sql-connector-mysql-cdc", "2.0.2", "1.15.0"), file="pom.xml", says="guava18"),
        good(_pom("flink-sql-connector-mysql-cdc", "2.0.2", "1.13.6"), file="pom.xml"),
        good(_pom("flink-connector-kafka", "3.3.0-1.20", "1.20.1"), file="pom.xml"),
        good(_pom("flink-connector-kafka", "${kafka.connector}", "2.0.0"), file="pom.xml"),
        good(_pom("flink-connector-kafka", "3.3.0-1.20", "1.18.1", "<scope>test</scope>"), file="pom.xml"),
        good(_image("COPY hudi-flink1.17-bundle-0.15.0.jar /opt/flink/lib/", "1.18.1"), file="Dockerfile"),
        good(_image("COPY flink-sql-connector-mysql-cdc-2.2.1.jar /opt/flink/lib/", "1.14.6"), file="Dockerfile"),
        good(_image("COPY iceberg-flink-runtime-1.20-1.8.1.jar /opt/flink/lib/", "1.20.1"), file="Dockerfile"),
        good(_image(f"RUN wget -P lib {_REPOSITORY}-3.0.1-1.18.jar"), file="Dockerfile"),
        good(_image(f"RUN wget -P lib {_REPOSITORY}-3.0.1-1.17.jar"), file="Dockerfile"),
        good(_image(f"RUN wget -P lib {_REPOSITORY}-4.0.0-2.0.jar", "2.1.0"), file="Dockerfile"),
        good(_image(f"RUN wget -P lib {_REPOSITORY}-${{CONNECTOR}}.jar"), file="Dockerfile"),
        good(_image("COPY flink-sql-connector-mysql-cdc-2.4.1.jar /opt/flink/lib/", "2.1.0"), file="Dockerfile"),
        good(_image(f"RUN wget -P lib {_REPOSITORY}-3.0.1-1.17.jar", "latest"), file="Dockerfile"),
        good("pipeline.jars: '{{ jars }}/flink-connector-kafka-3.4.0-1.20.jar'\n", flink="2.2"),
        good("pipeline.jars: file:///opt/flink-connector-kafka-4.0.0-2.0.jar\n", flink="2.2"),
    ]
