"""A configuration file that is mounted where Flink does not look.

## What it does
Reports a `flink-conf.yaml` that a JobManager or TaskManager of Flink's own image mounts outside of `/opt/flink/conf`,
and a `config.yaml` that it mounts in another folder of `/opt/flink` whose name begins with `conf`.

## Why it matters
Flink reads its configuration from `conf` in its own folder. The processes start with the file of the image, 1600 MiB
for the JobManager and 1728 MiB with one slot for the TaskManager, and log nothing about the other file.

## What to do
Mount the file at `/opt/flink/conf/flink-conf.yaml` (`config.yaml` for Flink 2), or name its folder in `FLINK_CONF_DIR`.
The folder then needs the files for logging, too.

## Not when
- `FLINK_CONF_DIR` is set, in the container or its Dockerfile.
- The container runs a script, has an init container beside it, or its image is not Flink's own or has an entrypoint of
  its own: these may move the file.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-dist/src/main/flink-bin/bin/config.sh>: `FLINK_CONF_DIR` is
  `conf` in Flink's folder unless it is set
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: the entrypoint writes to the same folder
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.docker_image import CONF_DIR, CONF_FOLDER, HOME, starts_at_once
from flink_flint.linter.flink.file_loading import CONF_FOLDERS, CONFIG_YAML, FLINK_CONF
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.settings._clusters import arguments


@rule(
    code="FLK080",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:container"],
    since="0.1",
)
def config_mounted_elsewhere(config: View) -> Iterator[Finding]:
    """a configuration file is mounted where Flink does not look"""
    if any(
        ".initContainers[" in name for one in config.elements("kubernetes-object") for name in one.element.attributes
    ):
        return
    for container in config.elements("container"):
        if container.text("role") not in ("jobmanager", "taskmanager") or not _shows_where_it_looks(config, container):
            continue
        for number, volume in enumerate(container.items("volumes")):
            target = (volume.text("target") or "").rstrip("/")
            folder, _, name = target.rpartition("/")
            if folder in CONF_FOLDERS or not _is_configuration(folder, name):
                continue
            yield container.finding(
                f"{container.name} mounts {target}, but Flink looks in {CONF_FOLDER}: nothing in this file counts",
                of=f"volumes[{number}].target",
                key=f"{container.name}.{target}",
                help=f"mount it at {CONF_FOLDER}/{name}",
            )


def _is_configuration(folder: str, name: str) -> bool:
    """Return whether a file is surely meant for Flink; a job may have a file called config.yaml of its own."""
    return name == FLINK_CONF or (name == CONFIG_YAML and folder.startswith(f"{HOME}/conf"))


def _shows_where_it_looks(config: View, container: ElementView) -> bool:
    """Return whether a container's Flink surely has its configuration in the folder of the official image."""
    from flink_flint.linter.flink.deployment import image_names

    if container.has(f"environment.{CONF_DIR}") or not starts_at_once(arguments(container)):
        return False
    if "environment" in container.element.attributes or container.has("other-build"):
        return False
    if (dockerfile := config.relation.dockerfile) is not None:
        from flink_flint.linter.model.containers.built_image import image_of, is_official

        image = image_of(dockerfile)
        return is_official(image) and not (image.has("entrypoint") or image.has(f"environment.{CONF_DIR}"))
    return image_names.is_official(container.text("image") or "")


_COMPOSE = """services:
  taskmanager:
    {}
    command: {}
    volumes: ["./flink-conf.yaml:{}"]
"""
_IMAGE = "image: flink:1.18.1"
_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: taskmanager}
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.20.1
          args: [taskmanager]
          volumeMounts: [{name: conf, mountPath: /opt/flink/config/config.yaml, subPath: config.yaml}]
      volumes: [{name: conf, configMap: {name: flink-config}}]
"""


def _service(target: str, image: str = _IMAGE, command: str = "taskmanager") -> str:
    return _COMPOSE.format(image, command, target)


def cases() -> list[Case]:
    return [
        bad(
            _service("/opt/flink/config/flink-conf.yaml"),
            file="compose.yaml",
            at="/opt/flink/config/flink-conf.yaml",
            severity=Severity.WARNING,
            says="Flink looks in /opt/flink/conf",
        ),
        bad(_service("/opt/flink/flink-conf.yaml", command="[docker-entrypoint.sh, jobmanager]"), file="compose.yaml"),
        bad(
            _service("/opt/flink/config/flink-conf.yaml", "build: ."),
            file="compose.yaml",
            beside={"Dockerfile": "FROM flink:1.18.1\n"},
        ),
        bad(_POD, file="pod.yaml", at="/opt/flink/config/config.yaml"),
        good(_service("/opt/flink/conf/flink-conf.yaml"), file="compose.yaml"),
        good(_service("/opt/flink/conf/log4j-console.properties"), file="compose.yaml"),
        good(_service("/cfg/flink-conf.yaml", f"{_IMAGE}\n    environment: {{{CONF_DIR}: /cfg}}"), file="compose.yaml"),
        good(_service("/cfg/flink-conf.yaml", command="[/start.sh, taskmanager]"), file="compose.yaml"),
        good(_service("/cfg/flink-conf.yaml", command="bash -c 'cp /cfg/* conf; taskmanager.sh'"), file="compose.yaml"),
        good(_service("/cfg/flink-conf.yaml", "image: acme/streams:1.18.1"), file="compose.yaml"),
        good(
            _service("/cfg/flink-conf.yaml", "build: ."),
            file="compose.yaml",
            beside={"Dockerfile": f"FROM flink:1.18.1\nENV {CONF_DIR}=/cfg\n"},
        ),
        good(
            _service("/cfg/flink-conf.yaml", "build: ."),
            file="compose.yaml",
            beside={"Dockerfile": 'FROM flink:1.18.1\nCOPY run.sh /\nENTRYPOINT ["/run.sh"]\n'},
        ),
        good(_POD.replace("/opt/flink/config/", "/opt/flink/usrlib/"), file="pod.yaml"),
        good(_POD.replace("containers:", "initContainers: [{name: a, image: b}]\n      containers:"), file="pod.yaml"),
    ]
