"""A TaskManager's container is not told where the JobManager is.

## What it does
Reports a container of Docker Compose or Kubernetes that runs a TaskManager of Flink's image, where neither
`FLINK_PROPERTIES`, `JOB_MANAGER_RPC_ADDRESS` nor an argument sets `jobmanager.rpc.address`, and there is no high
availability to look it up.

## Why it matters
The image's entrypoint then writes the container's own host name as the address. The TaskManager asks itself for the
JobManager, logs "Could not resolve ResourceManager address" and ends after five minutes
(`taskmanager.registration.timeout`); the cluster has no slots, and jobs wait for resources until they fail.

## What to do
Set `jobmanager.rpc.address` to the name of the JobManager's service, in the JobManager's container as well.

## Not when
The configuration is mounted, or the image brings its own; variables come from elsewhere (`envFrom`, an `env_file` that
is not there);
JobManager and TaskManager share one pod or network; the file is a template.

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: the address without the variable
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/>:
  what containers are given
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import NONE, mode
from flink_flint.rules.settings._clusters import ADDRESS_KEY, names_address, tells_all, words_of


@rule(
    code="FLK034",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    since="0.1",
)
def taskmanager_without_address(config: View) -> Iterator[Finding]:
    """a TaskManager's container is not told where the JobManager is"""
    if config.platform not in ("compose", "kubernetes") or config.is_set(ADDRESS_KEY) or mode(config) != NONE:
        return
    for process in config.processes:
        if process.role != "taskmanager" or process.is_requested or process.has("network"):
            continue
        if names_address(process) or not tells_all(config, process):
            continue
        leaders = [one.name for one in config.elements("container", "neighbor") if one.text("role") == "jobmanager"]
        address = leaders[0] if config.platform == "compose" and len(leaders) == 1 else "the JobManager's service"
        replaced = any(word.endswith("taskmanager.sh") for word in words_of(process))
        asked = "localhost" if replaced else "its own host name"
        yield process.finding(
            f"{process.name} has no {ADDRESS_KEY}, so it looks for the JobManager at {asked} and never registers",
            key=ADDRESS_KEY,
            help=f"set {ADDRESS_KEY} to {address} in FLINK_PROPERTIES, for the JobManager too",
        )


_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment:
      FLINK_PROPERTIES: "jobmanager.rpc.address: jobmanager"
  taskmanager:
    image: flink:1.18.1
    command: taskmanager{}
"""
_NUMBER = "\n    environment:\n      FLINK_PROPERTIES: |\n        taskmanager.numberOfTaskSlots: 2\n"
_POD = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: taskmanager
spec:
  template:
    spec:
      {}
      containers:
        - name: taskmanager
          image: flink:1.20
          args: [taskmanager]
"""

_FROM_A_MAP = """          env:
            - name: FLINK_PROPERTIES
              valueFrom: {configMapKeyRef: {name: flink, key: properties}}
"""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE.format(""),
            file="docker-compose.yml",
            severity=Severity.ERROR,
            at="taskmanager",
            says="looks for the JobManager at its own host name",
        ),
        bad(_COMPOSE.format(_NUMBER), file="docker-compose.yml"),
        good(
            _COMPOSE.format(""),
            file="docker-compose.override.yml",
            beside={
                "docker-compose.yaml": "services: {taskmanager: {image: 'flink:1.18.1', command: taskmanager,"
                " environment: {JOB_MANAGER_RPC_ADDRESS: jobmanager}}}\n"
            },
        ),
        bad(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: jobmanager\n"
            "    environment:\n"
            '      FLINK_PROPERTIES: "jobmanager.rpc.address: jobmanager"\n'
            "  taskmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: /opt/flink/bin/taskmanager.sh start-foreground\n",
            file="docker-compose.yml",
            says="at localhost",
        ),
        bad(_POD.format("restartPolicy: Always"), file="taskmanager.yaml"),
        good(
            _COMPOSE.format("\n    environment:\n      - JOB_MANAGER_RPC_ADDRESS=jobmanager"), file="docker-compose.yml"
        ),
        good(_COMPOSE.format("\n    environment:\n      - JOB_MANAGER_RPC_ADDRESS"), file="docker-compose.yml"),
        good(_COMPOSE.format(" -D jobmanager.rpc.address=jobmanager"), file="docker-compose.yml"),
        good(_COMPOSE.format("\n    env_file: flink.env"), file="docker-compose.yml"),
        good(
            _COMPOSE.format("\n    environment:\n      FLINK_PROPERTIES: ${FLINK_PROPERTIES}"),
            file="docker-compose.yml",
        ),
        good(_COMPOSE.format("\n    volumes:\n      - ./conf:/opt/flink/conf"), file="docker-compose.yml"),
        good(_COMPOSE.format("\n    network_mode: service:jobmanager"), file="docker-compose.yml"),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: acme/orders-flink:1.18.1\n"
            "    command: jobmanager\n"
            "    environment:\n"
            '      FLINK_PROPERTIES: "jobmanager.rpc.address: jobmanager"\n'
            "  taskmanager:\n"
            "    image: acme/orders-flink:1.18.1\n"
            "    command: taskmanager\n",
            file="docker-compose.yml",
        ),
        good(_POD.format("hostNetwork: true"), file="taskmanager.yaml"),
        good(_COMPOSE.format(_NUMBER + "        high-availability.type: zookeeper\n"), file="docker-compose.yml"),
        good(
            _COMPOSE.format(_NUMBER + "        {% if leader %}\n        {{ leader }}\n        {% endif %}\n"),
            file="docker-compose.yml",
        ),
        good(_COMPOSE.format(_NUMBER + "        jobmanager.rpc.address: jobmanager\n"), file="docker-compose.yml"),
        good(_POD.format("restartPolicy: Always") + _FROM_A_MAP, file="taskmanager.yaml"),
        bad(
            _COMPOSE.format(_NUMBER + "  other:\n    image: flink:1.18.1\n    command: taskmanager"),
            times=2,
            file="docker-compose.yml",
        ),
        *cases_in_folders(__file__),
    ]
