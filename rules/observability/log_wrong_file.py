"""A logging file that the processes in containers do not read.

## What it does
Looks for `log4j.properties` (or `logback.xml`) where Flink runs in containers: in a ConfigMap, mounted into a
container's `conf` folder, or copied there by a Dockerfile. It reports the file if `log4j-console.properties`
(`logback-console.xml`) is not beside it.

## Why it matters
Flink's start scripts choose the file by how a process runs: in the background (`start-cluster.sh`, `jobmanager.sh
start`) it is `log4j.properties`; in the foreground, as in every container, `log4j-console.properties`. The image brings
one of its own, so levels and appenders in the other file change nothing.

## What to do
Use the name `log4j-console.properties`.

## Not when
- Both files are there, or the folder `conf` is mounted as a whole.
- A ConfigMap has `logback.xml` beside files of log4j: Flink's images log with log4j.
- A container mounts the ConfigMap's file under the other name.
- A ConfigMap holds the syntax of log4j 1: manifests of that time started processes in the background (`jobmanager.sh
  start` with `tail`).
- The platform is not one of containers.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/>: which process reads which
  file
- <https://github.com/apache/flink/blob/master/flink-dist/src/main/flink-bin/bin/flink-console.sh>: the console's files
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.observability._logging import logs

_BACKGROUND = {"log4j.properties": "log4j-console.properties", "logback.xml": "logback-console.xml"}
_PLATFORMS = ("kubernetes", "operator", "compose")


@rule(
    code="FLK932",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:logging", "element:container", "element:image"],
    flink=">=1.0",
    since="0.1",
)
def log_wrong_file(config: View) -> Iterator[Finding]:
    """a logging file that the processes in containers do not read"""
    if config.platform in _PLATFORMS:
        files = {log.file: log.whole for log in logs(config) if log.dialect != "log4j1"}
        for name, console in _BACKGROUND.items():
            if name in files and console not in files and not _is_placed_as(config, name, console):
                yield files[name].finding(_message(name), help=f"name it {console}", key=name)
    for container in config.elements("container"):
        if container.text("role") in ("jobmanager", "taskmanager", "cluster"):
            yield from _placed(container, container.items("volumes"), "volumes")
    for image in config.elements("image"):
        yield from _placed(image, image.items("copies"), "copies")


def _is_placed_as(config: View, key: str, name: str) -> bool:
    """Whether a container has the file under another name: of `items` of a volume, or of a single mounted file."""
    volumes = [
        volume
        for document in config.relation.above
        for element in document.elements
        if element.kind == "container"
        for volume in element.items("volumes")
    ]
    return any(
        (volume.value("sub-path") == key and str(volume.value("target")).endswith(f"/{name}"))
        or any(item.value("key") == key and item.value("path") == name for item in volume.items("items"))
        for volume in volumes
    )


def _placed(where: ElementView, places: list[ElementView], name: str) -> Iterator[Finding]:
    targets = {(place.text("target") or "").rstrip("/"): place for place in places}
    for target, place in targets.items():
        folder, _, file = target.rpartition("/")
        console = _BACKGROUND.get(file)
        if file == "logback.xml" and any(one.startswith(f"{folder}/log4j") for one in targets):
            continue
        if console is None or not folder.endswith("/conf") or f"{folder}/{console}" in targets or folder in targets:
            continue
        yield where.finding(
            _message(file), of=f"{name}[{place.name}].target", key=f"{where.name}.{file}",
            help=f"put it to {folder}/{console}",
        )  # fmt: skip


def _message(name: str) -> str:
    return f"a process in a container runs in the foreground and reads {_BACKGROUND[name]}: {name} changes nothing"


_COMPOSE = (
    "services:\n  jobmanager:\n    image: flink:1.20\n    command: jobmanager\n    volumes:\n"
    "      - ./log4j.properties:/opt/flink/conf/{}\n"
)
_MAP = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-config\ndata:\n  flink-conf.yaml: |\n"
    "    jobmanager.rpc.address: jm\n  {}: |\n    rootLogger.level = INFO\n    appender.c.name = C\n"
)
_LOGBACK = (
    '<configuration><appender name="c" class="ch.qos.logback.core.ConsoleAppender"/>'
    '<root level="INFO"><appender-ref ref="c"/></root></configuration>'
)
_POD = (
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: jobmanager\nspec:\n  template:\n    spec:\n"
    "      containers:\n      - name: jobmanager\n        image: flink:1.18\n        args: [jobmanager]\n"
    "        volumeMounts:\n{}      volumes:\n      - name: conf\n        configMap:\n          name: flink-config\n{}"
)
_ALL = "        - {name: conf, mountPath: /opt/flink/conf}\n"
_ONE = "        - {{name: conf, mountPath: /opt/flink/conf/{}, subPath: log4j.properties}}\n"
_ITEMS = "          items:\n          - {{key: log4j.properties, path: {}}}\n"


def cases() -> list[Case]:
    return [
        bad(_COMPOSE.format("log4j.properties"), file="docker-compose.yaml", at="/opt/flink/conf/log4j.properties"),
        bad(
            "FROM flink:1.20\nCOPY log4j.properties /opt/flink/conf/log4j.properties\n",
            file="Dockerfile",
            at="image.log4j.properties",
            says="log4j-console.properties",
        ),
        good(_COMPOSE.format("log4j-console.properties"), file="docker-compose.yaml"),
        good(
            _COMPOSE.format("log4j.properties")
            + "      - ./log4j.properties:/opt/flink/conf/log4j-console.properties\n",
            file="docker-compose.yaml",
        ),
        good("FROM flink:1.20\nCOPY log4j.properties /app/log4j.properties\n", file="Dockerfile"),
        bad(_MAP.format("log4j.properties"), file="configmap.yaml", platform="kubernetes", at="log4j.properties"),
        good(_MAP.format("log4j-console.properties"), file="configmap.yaml", platform="kubernetes"),
        bad(_MAP.format("log4j.properties") + _POD.format(_ALL, ""), file="cluster.yaml", at="log4j.properties"),
        bad(
            _MAP.format("log4j.properties") + _POD.format(_ALL, _ITEMS.format("log4j.properties")),
            file="cluster.yaml",
            at="log4j.properties",
        ),
        good(
            _MAP.format("log4j.properties") + _POD.format(_ALL, _ITEMS.format("log4j-console.properties")),
            file="cluster.yaml",
        ),
        good(
            _MAP.format("log4j.properties") + _POD.format(_ONE.format("log4j-console.properties"), ""),
            file="cluster.yaml",
        ),
        good("rootLogger.level = INFO\nappender.file.fileName = ${sys:log.file}\n", file="log4j.properties"),
        bad(
            "FROM flink:1.8\nCOPY logback.xml /opt/flink/conf/logback.xml\n",
            file="Dockerfile",
            says="logback-console.xml",
        ),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.20\n"
            "    command: jobmanager\n"
            "    volumes:\n"
            "      - ./logback.xml:/opt/flink/conf/logback-console.xml\n"
            "      - ./logback.xml:/opt/flink/conf/logback.xml\n",
            file="docker-compose.yaml",
        ),
        bad(
            "services:\n"
            "  taskmanager:\n"
            "    image: flink:1.20\n"
            "    command: taskmanager\n"
            "    volumes:\n"
            "      - ./log4j.properties:/opt/flink/conf/log4j.properties\n",
            file="docker-compose.yaml",
        ),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.20\n"
            "    command: history-server\n"
            "    volumes:\n"
            "      - ./log4j.properties:/opt/flink/conf/log4j.properties\n",
            file="docker-compose.yaml",
        ),
        bad(_MAP.format("log4j.properties"), file="configmap.yaml", platform="operator"),
        good(
            _MAP.format("log4j.properties") + "  log4j-console.properties: |\n    rootLogger.level = INFO\n"
            "    appender.c.name = C\n",
            file="configmap.yaml",
            platform="kubernetes",
        ),
        good(
            "apiVersion: v1\n"
            "kind: ConfigMap\n"
            "metadata:\n"
            "  name: flink-config\n"
            "data:\n"
            "  flink-conf.yaml: |\n"
            "    jobmanager.rpc.address: jm\n"
            "  log4j.properties: |\n"
            "    log4j.rootLogger=INFO\n"
            "    log4j.appender.c=org.apache.log4j.ConsoleAppender\n",
            file="configmap.yaml",
            platform="kubernetes",
        ),
        bad(
            _MAP.format("logback.xml").replace("rootLogger.level = INFO\n    appender.c.name = C", _LOGBACK),
            file="configmap.yaml",
            platform="kubernetes",
            at="logback.xml",
        ),
        good(
            _MAP.format("log4j-console.properties") + f"  logback.xml: |\n    {_LOGBACK}\n",
            file="configmap.yaml",
            platform="kubernetes",
        ),
        good(_COMPOSE.format("log4j.properties") + "      - ./conf:/opt/flink/conf/\n", file="docker-compose.yaml"),
        bad(
            "FROM flink:1.20\nCOPY a.jar /opt/flink/lib/\nCOPY log4j.properties /opt/flink/conf/log4j.properties\n",
            file="Dockerfile",
        ),
    ]
