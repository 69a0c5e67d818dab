"""FLINK_PROPERTIES that the image's entrypoint cannot apply.

## What it does
Reports `FLINK_PROPERTIES` of a container whose configuration is mounted read-only, or whose command replaces the
image's entrypoint, unless all of its settings are in effect anyway. `TASK_MANAGER_NUMBER_OF_TASK_SLOTS` and
`JOB_MANAGER_RPC_ADDRESS`, which take the same way, are reported as information.

## Why it matters
Flink itself reads none of these variables. `docker-entrypoint.sh` writes them to the configuration file in
`/opt/flink/conf`, before it starts the process. A ConfigMap or a Secret is always mounted read-only, the operator
mounts one for every `FlinkDeployment`, and so does `:ro` in Compose. The log then has *"Read-only file system"* or
*"sed: couldn't open temporary file"* in its first lines, the entrypoint goes on, and Flink starts without the settings:
with less memory, without checkpoints, or with another state backend than the file shows.

## What to do
Move the settings to the file that is mounted (to `flinkConfiguration` with the operator), or pass them as arguments:
`args: [taskmanager, -Dtaskmanager.memory.process.size=4g]`. To keep the variable, do not mount over
`/opt/flink/conf`: copy the file there in an init container, into a volume that can be written to.

## Not when
- The volume can be written to: a bind mount of Compose without `:ro`, an `emptyDir`.
- Another file is mounted, such as `log4j-console.properties` by `subPath`.
- The mounted configuration has the same values.

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.18/docker-entrypoint.sh>: `prepare_configuration`, up to 1.18
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `process_flink_properties`, from 1.19
- <https://github.com/apache/flink/blob/release-1.20/flink-dist/src/main/flink-bin/bin/config-parser-utils.sh>: writes
  the result to the file
- <https://kubernetes.io/docs/concepts/storage/volumes/#configmap>: a ConfigMap is always mounted read-only
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flink_flint.linter.flink.deployment.docker_image import (
    CONF_FOLDER,
    PROPERTIES,
    SETTING_VARIABLES,
    SLOTS,
    read_properties,
)
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View

_RESOURCES = ("flinkdeployment", "bluegreen")


@rule(code="FLK084", severity=Severity.WARNING, confidence=Confidence.HIGH, when=["element:container"], since="0.1")
def variables_without_effect(config: View) -> Iterator[Finding]:
    """FLINK_PROPERTIES that the entrypoint of the image cannot apply"""
    told = set()
    for container in config.elements("container"):
        why = _why(config, container)
        for variable in (PROPERTIES, *SETTING_VARIABLES) if why else ():
            name = f"environment.{variable}"
            if not container.has(name) or container.span(name) in told or _is_in_effect(config, container, variable):
                continue
            told.add(container.span(name))
            is_blocked = container.has("reads-no-variables")
            yield container.finding(
                f"{variable}{_owner(container)} has no effect: {why}",
                of=name,
                at="key",
                help=_help(config),
                severity=None if variable == PROPERTIES else Severity.INFO,
                confidence=None if "flink:" in (container.text("image") or "flink:") else Confidence.MEDIUM,
                related=[container.place("reads-no-variables", "keeps it from Flink")] if is_blocked else (),
            )


def _owner(container: ElementView) -> str:
    return "" if container.name == "?" else f" of {container.name}"


def _why(config: View, container: ElementView) -> str:
    """Return the reason why the variables of a container do not reach Flink; empty if they may."""
    if config.document.kind in _RESOURCES:
        return "the operator mounts the configuration from a ConfigMap, which the image's entrypoint cannot write to"
    if not container.has("reads-no-variables"):
        return ""
    target = container.text("reads-no-variables") or ""
    if target.startswith(CONF_FOLDER):
        return f"{target} is mounted read-only, and the image's entrypoint cannot write the variable to it"
    return f"{target} runs instead of the image's entrypoint, which alone reads the variable"


def _help(config: View) -> str:
    if config.document.kind in _RESOURCES:
        return "move the settings to flinkConfiguration"
    return "move the settings to the mounted file, or pass them as arguments: -Dkey=value"


def _is_in_effect(config: View, container: ElementView, variable: str) -> bool:
    """Whether everything that a variable sets has the same value in the configuration that Flink reads."""
    text = container.text(f"environment.{variable}")
    if text is None:
        return False
    key = SETTING_VARIABLES.get(variable)
    wanted = {key: text} if key is not None else _settings(config, container, text)
    effective = config.effective
    return all(key in effective and effective[key].text == value for key, value in wanted.items())


def _settings(config: View, container: ElementView, text: str) -> dict[str, str]:
    variables: Mapping[str, str | None] = {
        name: attribute.value if isinstance(attribute.value, str) else None
        for name, attribute in container.under("environment")
    }
    return {entry.key: entry.text for entry in read_properties(text, config.index, variables).content.entries}


_MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: flink}
data:
  config.yaml: |
    taskmanager.memory.process.size: 2g
    taskmanager.numberOfTaskSlots: 2
---
"""
_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {{name: taskmanager}}
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.20.1
          {command}: [{program}]
          env:
            - name: FLINK_PROPERTIES
              value: "taskmanager.memory.process.size: {size}"
          volumeMounts: [{mount}]
      volumes: [{{name: conf, {volume}}}]
"""
_FOLDER, _FROM_MAP = "{name: conf, mountPath: /opt/flink/conf}", "configMap: {name: flink}"
_FILE = "{name: conf, mountPath: /opt/flink/conf/%s, subPath: %s}"
_COMPOSE = """services:
  taskmanager:
    image: flink:{}
    command: taskmanager
    volumes: ["./conf{}"]
    environment:
      FLINK_PROPERTIES: "taskmanager.memory.process.size: 4g"
"""
_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env: [{{name: {}, value: "state.backend.type: rocksdb"}}]
  jobManager: {{resource: {{memory: 2g}}}}
  taskManager: {{resource: {{memory: 2g}}}}
"""


def _pod(mount: str = _FOLDER, *, size: str = "4g", volume: str = _FROM_MAP, command: str = "args",
         program: str = "taskmanager") -> str:  # fmt: skip
    return _POD.format(mount=mount, size=size, volume=volume, command=command, program=program)


def cases() -> list[Case]:
    return [
        bad(
            _MAP + _pod(),
            file="flink.yaml",
            at="FLINK_PROPERTIES",
            severity=Severity.WARNING,
            says="/opt/flink/conf is mounted read-only",
        ),
        bad(_COMPOSE.format("1.18.1", ":/opt/flink/conf:ro"), file="docker-compose.yml", at="FLINK_PROPERTIES"),
        good(_COMPOSE.format("1.18.1", ":/opt/flink/conf"), file="docker-compose.yml"),
        good(_MAP + _pod(size="2g"), file="flink.yaml"),
        bad(_MAP + _pod(_FILE % ("config.yaml", "config.yaml")), file="flink.yaml", says="config.yaml is mounted"),
        bad(_pod(), file="flink.yaml"),
        good(_pod(_FILE % ("log4j-console.properties", "log4j.properties")), file="flink.yaml"),
        good(_pod(volume="emptyDir: {}"), file="flink.yaml"),
        bad(
            _pod("{name: conf, mountPath: /data}", command="command", program="/opt/flink/bin/taskmanager.sh"),
            file="flink.yaml",
            says="taskmanager.sh runs instead",
        ),
        good(_pod("{name: conf, mountPath: /data}"), file="flink.yaml"),
        bad(
            _MAP + _pod().replace("FLINK_PROPERTIES", SLOTS).replace('"taskmanager.memory.process.size: 4g"', '"8"'),
            file="flink.yaml",
            severity=Severity.INFO,
            at=SLOTS,
        ),
        good(
            _MAP + _pod().replace("FLINK_PROPERTIES", SLOTS).replace('"taskmanager.memory.process.size: 4g"', '"2"'),
            file="flink.yaml",
        ),
        bad(_RESOURCE.format("FLINK_PROPERTIES"), file="orders.yaml", says="the operator mounts"),
        good(_RESOURCE.format("PROPERTIES"), file="orders.yaml"),
        good(
            "services:\n  jobmanager:\n    image: flink:1.20\n    entrypoint: [/bin/bash, -c]\n    command:\n"
            '    - echo "$$FLINK_PROPERTIES" >> conf/config.yaml; exec /opt/flink/bin/jobmanager.sh start-foreground\n'
            "    environment:\n      FLINK_PROPERTIES: 'jobmanager.rpc.address: jobmanager'\n",
            file="docker-compose.yml",
        ),
    ]
