"""A Python job or SQL script uses a connector whose JAR its image does not have.

## What it does
Looks at Dockerfiles on Flink's own image that copy Python programs or SQL scripts and no JAR. Reports a connector that
Flink's distribution lacks (`kafka`, `jdbc`, `mysql-cdc`, ...) in what is copied, where nothing in the repository names
a JAR for it.

## Why it matters
The job does not start. Python ends with `TypeError: Could not found the Java class
'org.apache.flink.connector.kafka.source.KafkaSource.builder'. The Java dependencies could be specified via command line
argument '--jarfile' or the config option 'pipeline.jars'`, SQL with `ValidationException: Could not find any factory
for identifier 'kafka' that implements 'org.apache.flink.table.factories.DynamicTableFactory' in the classpath`. `pip
install apache-flink` brings no connectors but those for files, `datagen` and `print`.

## What to do
Add the connector's JAR to the image: `RUN wget -P /opt/flink/lib .../flink-sql-connector-kafka-<version>.jar`, or name
it in `pipeline.jars`.

## Not when
- The Dockerfile mentions a JAR, copies to `lib`, has several stages or is based on another image.
- The program or script itself mentions a JAR, or a container or command of the repository, or `pipeline.jars` is set.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/python/dependency_management/#jar-dependencies>: how
  Python finds JARs
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/overview/>: connectors that are no part of
  the distribution
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_JARS = {
    "kafka": "kafka", "upsert-kafka": "kafka", "jdbc": "jdbc", "mysql-cdc": "mysql-cdc", "postgres-cdc": "postgres-cdc",
    "mongodb-cdc": "mongodb-cdc", "oracle-cdc": "oracle-cdc", "sqlserver-cdc": "sqlserver-cdc", "mongodb": "mongodb",
    "elasticsearch-6": "elasticsearch6", "elasticsearch-7": "elasticsearch7", "opensearch": "opensearch",
    "kinesis": "kinesis", "hbase-1.4": "hbase-1.4", "hbase-2.2": "hbase-2.2", "starrocks": "starrocks",
    "pulsar": "pulsar",
}  # fmt: skip
"""The connectors that Flink's distribution lacks, with the names of their artifacts."""
_ELSEWHERE = regex(r"(?i)\.jar\b|\bjarfile\b|/lib\b|pipeline\.(?:jars|classpaths)")


_BARE = "element:image-without-jars"
_SETTINGS = ["pipeline.jars", "pipeline.classpaths"]
_BRINGERS = ["element:container", "element:command", *_SETTINGS]
"""What may bring JARs to jobs besides the image."""
_USERS = ["element:kafka-source", "element:kafka-sink", "element:table"]


@rule(
    code="FLK874",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[_BARE],
    scope="project",
    compares=[([_BARE], _USERS), ([_BARE], _BRINGERS)],
    since="0.1",
)
def connector_jar_missing(project: Project) -> Iterator[Finding]:
    """a Python job or SQL script uses a connector whose JAR its image lacks"""
    images = [(view, image) for view in project.views for image in view.elements("image") if _has_no_jars(view, image)]
    if len(images) != 1 or any(_brings_jars(view) for view in project.views):
        return
    build, image = images[0]
    for view in project.views:
        if view.document.kind not in ("source", "sql") or not _is_copied(build, image, view):
            continue
        if _ELSEWHERE.search(view.document.text) is not None:
            continue
        for part, connector in _used(view):
            what = f"the JAR of the connector {connector}"
            yield part.finding(
                f"{build.document.file_name} brings no JAR to Flink's image, and {what} is no part of it: "
                + ("'Could not found the Java class'" if view.document.kind == "source" else
                   f"'Could not find any factory for identifier '{connector}''"),
                of="connector" if part.kind == "table" else None,
                key=connector,
                help=f"add flink-sql-connector-{_JARS[connector]}-<version>.jar to /opt/flink/lib, or to pipeline.jars",
                related=[image.place("from", "the image without it")],
            )  # fmt: skip
            break


def _has_no_jars(view: View, image: ElementView) -> bool:
    """Return whether an image has Flink's own JARs alone."""
    return bool(view.elements("image-without-jars")) and all(
        (copy.text("target") or "").rstrip("/") not in ("", "/opt/flink", "/opt") for copy in image.items("copies")
    )


def _brings_jars(view: View) -> bool:
    """Return whether a deployment, a command or a setting may give JARs to jobs."""
    brings = view.elements("container") or view.elements("command") or any(map(view.is_set, _SETTINGS))
    return bool(brings) and _ELSEWHERE.search(view.document.text) is not None


def _is_copied(build: View, image: ElementView, view: View) -> bool:
    """Return whether an image has a Python program or SQL script of the repository."""
    path, folder = view.document.path, build.document.directory
    prefix = "" if folder in ("", ".") else f"{folder}/"
    if not path.startswith(prefix) or not path.endswith((".py", ".sql")):
        return False
    relative = path.removeprefix(prefix)
    for copy in image.items("copies"):
        source = (copy.text("source") or "").removeprefix("./").rstrip("/")
        if copy.has("from") or "*" in source:
            continue
        if source in ("", ".") or relative == source or relative.startswith(f"{source}/"):
            return True
    return False


def _used(view: View) -> Iterator[tuple[ElementView, str]]:
    """Yield the connectors that a program or script uses and Flink's distribution lacks."""
    for kind in ("kafka-source", "kafka-sink"):
        for client in view.elements(kind):
            if client.text("api") != "sql":
                yield client, "kafka"
    for table in view.elements("table"):
        connector = table.text("connector") or ""
        if connector in _JARS:
            yield table, connector


_DOCKERFILE = "FROM flink:1.19.1\nRUN pip3 install apache-flink==1.19.1\nCOPY jobs /opt/flink/python_apps\n"
_JOB = """from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
env = StreamExecutionEnvironment.get_execution_environment()
%ssource = KafkaSource.builder().set_topics("orders").set_group_id("o").build()
env.from_source(source, strategy, "orders").print()
env.execute()
"""
_SQL = "CREATE TABLE t (id INT) WITH ('connector' = '%s', 'topic' = 't');\nINSERT INTO u SELECT id FROM t;\n"
_COMPOSE = (
    "services:\n  jobmanager:\n    build: .\n    command: jobmanager\n    volumes: [./jars:/opt/flink/lib/more]\n"
)


def cases() -> list[Case]:
    image = {"Dockerfile": _DOCKERFILE}
    return [
        bad(_JOB % "", file="jobs/orders.py", beside=image, severity=Severity.WARNING,
            says="Could not found the Java class"),
        bad(_SQL % "jdbc", file="jobs/orders.sql", flink="1.19", beside=image, at="'jdbc'",
            says="Could not find any factory for identifier 'jdbc'"),
        good(_JOB % 'env.add_jars("file:///opt/kafka.jar")\n', file="jobs/orders.py", beside=image),
        good(_JOB % "", file="other/orders.py", beside=image),
        good(_JOB % "", file="jobs/orders.py", beside={**image, "docker-compose.yml": _COMPOSE}),
        good(_JOB % "", file="jobs/orders.py", beside={"Dockerfile": _DOCKERFILE + "COPY jars /opt/flink/lib\n"}),
        good(_JOB % "", file="jobs/orders.py",
             beside={"Dockerfile": _DOCKERFILE.replace("flink:1.19.1\n", "acme/flink-base:1.19\n", 1)}),
        good(_SQL % "datagen", file="jobs/orders.sql", flink="1.19", beside=image),
    ]  # fmt: skip
