"""A process of Flink starts only while the server that its JARs are downloaded from answers.

## What it does
Looks for `wget` and `curl` commands that download a JAR in the command or the arguments of a container that runs Flink,
and in the init containers of its pod: workloads, pod templates of custom resources, and services of Docker Compose.

## Why it matters
The download is repeated at each start of the container: when a node is drained or fails, when a job is rescaled, when
the operator redeploys. While the server is unreachable or refuses the address because of too many requests (`429 Too
Many Requests` of a public repository), no process starts and the job does not recover. A file that has changed in the
meantime runs with the others.

## What to do
Copy the JARs into the image: `RUN wget -P /opt/flink/lib https://…` in its Dockerfile. Or keep them in the object store
that the checkpoints are in, which the job needs anyway.

## Not when
- The command downloads only what is missing (`test -f`, `[ -f`, `wget -nc`).
- The server runs on the same machine, or a client submits a job with the JAR and ends.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/#further-customization>:
  an image with more libraries
- <https://kubernetes.io/docs/concepts/workloads/pods/init-containers/>: init containers run at each start of a pod, and
  the others wait for them
- <https://central.sonatype.org/faq/429-error/>: Maven Central refuses too many requests of an address
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, KINDS

_PROGRAM = regex(r"(?:^|[\s;&|(/])(?:wget|curl)\b")
_JAR = regex(r"(?i)https?://(?!localhost\b|127\.)([\w.-]+)(?::\d+)?/[^\s\"'`;|&<>]+\.jar\b")
_ONLY_MISSING = regex(r"(?:\btest|\[)[ \t]+(?:![ \t]*)?-[efs][ \t]|\bwget\b[^;&|]*[ \t](?:-nc|--no-clobber)\b")
_WORD = regex(r"(.*\bspec\.)(initContainers|containers)\[(\d+)\]\.(?:command|args)\[\d+\]")


@rule(
    code="FLK965",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object", "element:container"],
    since="0.1",
)
def jars_downloaded_at_start(config: View) -> Iterator[Finding]:
    """a container of Flink downloads JARs each time it starts"""
    containers = config.elements("container")
    if any(container.text("role") == "client" for container in containers):
        return
    for part, commands in (*_of_containers(containers), *_of_objects(config)):
        text = " ".join(value for _, value in commands)
        if _PROGRAM.search(text) is None or _ONLY_MISSING.search(text) is not None:
            continue
        found = [(name, jar) for name, value in commands if (jar := _JAR.search(value)) is not None]
        if not found:
            continue
        name, jar = found[0]
        yield part.finding(
            f"each start of the container downloads JARs from {jar[1]}: while that does not answer, the process does"
            " not start and the job does not recover",
            of=name,
            help="copy the JARs into the image",
        )


_Commands = list[tuple[str, str]]
"""The words of a command line, each with its attribute."""


def _of_containers(containers: Sequence[ElementView]) -> Iterator[tuple[ElementView, _Commands]]:
    for container in containers:
        names = (f"args[{item.name}]" for item in container.items("args"))
        yield container, [(name, value) for name in names if (value := container.text(name)) is not None]


def _of_objects(config: View) -> Iterator[tuple[ElementView, _Commands]]:
    """Yield the commands of init containers, and of the containers of custom resources, which are no elements."""
    for part in config.elements("kubernetes-object"):
        commands: dict[tuple[str, ...], _Commands] = {}
        for name in part.element.attributes:
            word = _WORD.fullmatch(name)
            value = part.text(name) if word is not None else None
            if (
                word is not None
                and value is not None
                and (word[2] == "initContainers" or part.name in (*KINDS, *CLUSTERS))
            ):
                commands.setdefault(word.groups(), []).append((name, value))
        for found in commands.values():
            yield part, found


_DOWNLOAD = "wget -P /opt/flink/lib https://repo1.maven.org/maven2/com/acme/orders/1.0/orders-1.0.jar"
_INIT = (
    "podTemplate:\n  spec:\n    initContainers:\n      - name: jars\n        image: curlimages/curl\n"
    "        command: [sh, -c]\n        args: ['%s']\n"
)
_CURL = "curl -o /lib/orders.jar https://repo.example.com/orders.jar"
_WORKLOAD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-taskmanager}
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.20
          command: ["/bin/bash", "-c"]
          args: ["%s && $FLINK_HOME/bin/taskmanager.sh start-foreground"]
"""
_SERVICE = """services:
  taskmanager:
    image: flink:1.20
    command: bash -c "%s && /docker-entrypoint.sh taskmanager"
"""


def cases() -> list[Case]:
    return [
        bad(_WORKLOAD % _DOWNLOAD, file="taskmanager.yaml", severity=Severity.INFO, says="from repo1.maven.org"),
        bad(deployment(spec=_INIT % _CURL), file="deployment.yaml", says="from repo.example.com"),
        bad(_SERVICE % _DOWNLOAD, file="docker-compose.yml", says="from repo1.maven.org"),
        bad(
            deployment(spec=_INIT.replace("initContainers", "containers") % _CURL), file="deployment.yaml",
        ),
        bad(
            _WORKLOAD.replace(
                "      containers:\n",
                "      initContainers:\n        - name: jars\n          image: busybox\n"
                f"          command: [sh, -c, '{_DOWNLOAD}']\n      containers:\n",
            ) % "true",
            file="taskmanager.yaml", at=f"'{_DOWNLOAD}'",
        ),
        good(_WORKLOAD % "cp /opt/flink/opt/flink-s3-fs-presto-1.20.0.jar /opt/flink/lib/", file="taskmanager.yaml"),
        good(_WORKLOAD % f"[ -f /opt/flink/lib/orders.jar ] || {_DOWNLOAD}", file="taskmanager.yaml"),
        good(_WORKLOAD % _DOWNLOAD.replace("-P", "-nc -P"), file="taskmanager.yaml"),
        good(_WORKLOAD % _DOWNLOAD.replace("repo1.maven.org", "localhost:8080"), file="taskmanager.yaml"),
        good(_WORKLOAD % _DOWNLOAD.replace("wget -P", "echo"), file="taskmanager.yaml"),
        good(_WORKLOAD % _DOWNLOAD.replace(".jar", ".conf"), file="taskmanager.yaml"),
        good(
            _SERVICE.replace("/docker-entrypoint.sh taskmanager", "flink run orders.jar") % _DOWNLOAD,
            file="docker-compose.yml",
        ),
        good(deployment(spec=_INIT % "mc cp s3/jars/orders.jar /lib/"), file="deployment.yaml"),
    ]  # fmt: skip
