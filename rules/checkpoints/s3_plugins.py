"""The file systems for S3 are installed where they do not work, or stand in each other's way.

## What it does
Reports

- `flink-s3-fs-hadoop` and `flink-s3-fs-presto` both enabled in a container (`ENABLE_BUILT_IN_PLUGINS`) while
  checkpoints, savepoints or high availability go to `s3://`;
- the jar of one of them copied or mounted into `lib/`, from 1.10 on.

## Why it matters
Both answer to `s3://`, and nothing says which one Flink takes. They read other settings, and only Hadoop's can be
written to by a file sink (`UnsupportedOperationException` otherwise). In `lib/` they share classes with everything
else there: since 1.10 they are made for `plugins/` alone, as their libraries are no longer renamed, and other versions
of Hadoop or of the SDK break them or are broken.

## What to do
Enable one. Where both are needed, write `s3p://` for Presto's (checkpoints) and `s3a://` for Hadoop's (file sinks). Put
each jar into a folder of its own below `plugins/`.

## Not when
The paths say `s3a://` or `s3p://`, or a variable names the plugins. Jars of Hadoop, Hive, Iceberg, Hudi, Paimon or
Delta are there too, which use the file system's classes. SQL clients and other containers without jobs. A file or
variables that are not in the repository may set the paths: then it is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/s3/#hadooppresto-s3-file-systems-plugins>:
  the schemes, and where the jars belong
- <https://nightlies.apache.org/flink/flink-docs-release-1.10/release-notes/flink-1.10.html>: S3 only as a plugin
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.checkpoints._state_directories import READS

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView

_PLUGINS = "ENABLE_BUILT_IN_PLUGINS"
_ENABLED = f"environment.{_PLUGINS}"
_JARS = ("flink-s3-fs-native", "flink-s3-fs-hadoop", "flink-s3-fs-presto")
_BOTH_OF = _JARS[1:]
_SHARES_HADOOP = regex(r"(?:(?<!s3-fs-)hadoop|iceberg|hudi|paimon|delta|(?<!\w)hive)[-\w.$*{}]{0,80}\.jar")
"""A jar that reads S3 by classes of Hadoop, which it finds in `lib/` but not in `plugins/`."""
_PROCESSES = ("jobmanager", "taskmanager")


@rule(
    code="FLK328",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:container", "element:image"],
    flink=">=1.10",
    since="0.1",
)
def s3_plugins(config: View) -> Iterator[Finding]:
    """the file systems for S3 stand in lib/, or in each other's way"""
    for process in config.processes:
        if process.is_requested:
            continue
        variable = process.variable(_PLUGINS)
        if variable is not None and _jars_in(variable.value) == _BOTH_OF:
            yield from _both(config, process)
    # The file is searched only if there is something to report: each of its documents would search it again
    found = list(_all_in_lib(config))
    if found and _SHARES_HADOOP.search(config.document.text) is None:
        yield from found


def plugins(container: ElementView) -> tuple[str, ...]:
    """Which file systems for S3 the image of Flink is told to enable."""
    return _jars_in(container.text(_ENABLED))


def _jars_in(text: object) -> tuple[str, ...]:
    return tuple(jar for jar in _JARS if isinstance(text, str) and jar in text)


def _both(config: View, process: ProcessView) -> Iterator[Finding]:
    settings = [config.get(key) for key in READS]
    read = [one for one in settings if one.is_set and process.has_setting(one.text, one.key, one.written)]
    plain = next((one for one in read if locate(one.text).scheme == "s3"), None)
    if plain is not None:
        yield process.finding(
            f"two file systems answer to s3://, and nothing says which one {plain.written} gets",
            of=_ENABLED,
            help="enable one of them, or write s3p:// for Presto's and s3a:// for Hadoop's",
            severity=Severity.INFO if process.is_configured_elsewhere else None,
            related=[plain],
        )


def _all_in_lib(config: View) -> Iterator[Finding]:
    for container in config.elements("container"):
        for volume in container.items("volumes") if container.text("role") in _PROCESSES else ():
            yield from _in_lib(volume, "target")
    for image in config.elements("image"):
        for copy in image.items("copies"):
            yield from _in_lib(copy, "source", folder="target")
        for jar in image.items("placed"):
            yield from _in_lib(jar, "source", folder="target")


def _in_lib(part: ElementView, jar: str, folder: str | None = None) -> Iterator[Finding]:
    """A finding where a jar for S3 goes to `lib/`; the name of the folder may stand apart from that of the jar."""
    where = part.text(folder or jar) or ""
    name = next((one for one in _JARS if one in (part.text(jar) or "")), None)
    if name is not None and "lib" in where.split("/")[-2:]:
        yield part.finding(
            f"{name} belongs into a folder of its own below plugins/: in lib/ its libraries meet everyone else's",
            of=folder or jar,
            help=f"put it into plugins/{name.removeprefix('flink-')}/",
        )


_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment:
      ENABLE_BUILT_IN_PLUGINS: {}
      FLINK_PROPERTIES: |
        state.checkpoints.dir: {}
"""
_BUILT = "build: {context: flink, target: cluster}"
_BOTH = "flink-s3-fs-hadoop-1.18.1.jar;flink-s3-fs-presto-1.18.1.jar"
_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_18
  flinkConfiguration:
    high-availability.storageDir: s3://bucket/ha
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - name: ENABLE_BUILT_IN_PLUGINS
              value: {}
"""
_MOUNT = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    volumes:
      - ./flink-s3-fs-hadoop-1.18.1.jar:/opt/flink/{}/flink-s3-fs-hadoop-1.18.1.jar
"""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE.format(_BOTH, "s3://bucket/checkpoints"), at=f"jobmanager.{_ENABLED}", file="docker-compose.yml",
            severity=Severity.WARNING, says="nothing says which one state.checkpoints.dir gets",
        ),
        bad(_DEPLOYMENT.format(_BOTH), file="deployment.yaml", says="high-availability.storageDir"),
        bad(
            _COMPOSE.format(_BOTH, "s3://bucket/checkpoints").replace("image: flink:1.18.1", _BUILT),
            file="compose.yml", flink="1.18", severity=Severity.INFO, says="nothing says which one",
        ),
        bad(
            "FROM flink:1.18.1\nCOPY flink-s3-fs-presto-1.18.1.jar /opt/flink/lib/\n", file="Dockerfile",
            at="/opt/flink/lib/", says="plugins/",
        ),
        bad("FROM flink:1.18.1\nCOPY a.jar flink-s3-fs-hadoop.jar /opt/flink/lib/\n", file="Dockerfile"),
        bad(
            "FROM flink:1.18.1\nCOPY flink-s3-fs-hadoop.jar /opt/flink/lib/flink-s3-fs-hadoop.jar\n", file="Dockerfile",
        ),
        bad(
            _MOUNT.format("lib"), at="/opt/flink/lib/flink-s3-fs-hadoop-1.18.1.jar", file="docker-compose.yml",
            says="flink-s3-fs-hadoop belongs",
        ),
        good(_MOUNT.format("plugins/s3"), file="docker-compose.yml"),
        bad("FROM flink:1.18.1\nRUN cp /opt/flink/opt/flink-s3-fs-hadoop-*.jar /opt/flink/lib/\n", file="Dockerfile"),
        bad(
            "FROM flink:1.18.1\nRUN curl -o $FLINK_HOME/lib/s3.jar https://a.org/flink-s3-fs-presto-1.18.1.jar\n",
            file="Dockerfile",
        ),
        good(
            "FROM flink:1.18.1\nRUN mkdir plugins/s3 && cp opt/flink-s3-fs-hadoop-1.18.1.jar plugins/s3/\n",
            file="Dockerfile",
        ),
        good("FROM flink:1.18.1\nCOPY flink-s3-fs-presto-1.18.1.jar /opt/flink/plugins/s3/\n", file="Dockerfile"),
        good("FROM flink:1.9.3\nCOPY flink-s3-fs-presto-1.9.3.jar /opt/flink/lib/\n", file="Dockerfile"),
        good("FROM flink:1.18.1\nCOPY flink-s3-fs-presto-1.18.1.jar /usr/lib/flink/\n", file="Dockerfile"),
        good("FROM flink:1.18.1\nCOPY ${JAR} /opt/flink/lib/\n", file="Dockerfile"),
        good(
            "FROM flink:1.18.1\nCOPY flink-s3-fs-hadoop-*.jar /opt/flink/lib\n"
            "COPY hadoop-common-3.3.6.jar /opt/flink/lib\n",
            file="Dockerfile",
        ),
        good("FROM flink:1.18.1\nCOPY flink-s3-fs-presto-1.18.1.jar ${FOLDER}\n", file="Dockerfile"),
        good(
            "FROM flink:1.18.1\nCOPY flink-s3-fs-hadoop-1.18.1.jar /opt/flink/lib/\n"
            "RUN wget -P /opt/flink/lib https://example.org/iceberg-flink-runtime-1.18-1.5.0.jar\n",
            file="Dockerfile",
        ),
        good(_MOUNT.format("lib").replace("command: jobmanager", "command: bin/sql-client.sh"), file="compose.yml"),
        good("FROM flink:1.18.1\nCOPY connector.jar /opt/flink/lib/\n", file="Dockerfile"),
        good(_COMPOSE.format(_BOTH, "s3p://bucket/checkpoints"), file="docker-compose.yml"),
        good(_COMPOSE.format("flink-s3-fs-presto-1.18.1.jar", "s3://bucket/checkpoints"), file="docker-compose.yml"),
        good(_COMPOSE.format("${PLUGINS}", "s3://bucket/checkpoints"), file="docker-compose.yml"),
        good(_DEPLOYMENT.format("flink-s3-fs-hadoop-1.18.1.jar"), file="deployment.yaml"),
    ]  # fmt: skip
