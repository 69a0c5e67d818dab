"""The Flink release does not read a configuration file of this name.

## What it does
Reports `flink-conf.yaml` for Flink 2.0 and later, and `config.yaml` for 1.18 and earlier, where the release is
known. Also a Dockerfile that copies `flink-conf.yaml`, and a container that mounts it, into the configuration of an
image of 2.0 or later, where the file itself is not among those checked; and a ConfigMap that is mounted as the
configuration of an image that reads a file of the other name.

## Why it matters
Flink 2.x reads `config.yaml` alone and ends with `IllegalConfigurationException: The Flink config file … does not
exist` if there is none; 1.18 and earlier do the same with `flink-conf.yaml`. The names `.yml` are read by none.

## What to do
For 2.x turn the file into `config.yaml` (flat keys are fine there); for 1.18 and earlier write it flat, one
`key: value` a line, into `flink-conf.yaml`.

## Not when
- The release is not known.
- The other file stands beside it: then `both-config-files` (FLK017) speaks from 1.19 on, and up to 1.18 the
  `config.yaml` merely does nothing, which is a warning.
- A ConfigMap whose files an init container or the container's own command may rename; for images other than Flink's own
  it is a warning, since their entrypoints may do so as well.
- Files of other names (`flink-conf-prod.yaml`, `values.yaml`): something else reads those. The same goes for a
  Kubernetes manifest that happens to be called `config.yaml`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: flink-conf.yaml is gone
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/>: which file is read
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from flink_flint.linter.filesystem.folders import absolute_path
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, LAST_FLINK_CONF, spell
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.target import Target
from flink_flint.linter.model.view import ElementView, View

_FILES = ("flink-conf", "config-yaml")
"""What Flink's own files are; a manifest may have the name of one."""


@rule(
    code="FLK018",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink=">=1",
    since="0.1",
    scope="project",
    compares=["folder", (["element:image", "element:container/files"], ["flink-conf", "config-yaml"])],
    always=True,
    when=["element:image", "element:container/files"],
)
def wrong_config_file(project: Project) -> Iterator[Finding]:
    """the Flink release does not read a file of this name"""
    paths = {absolute_path(view.document.path) for view in project.views}
    yield from _mounted(project)
    for view in project.views:
        if view.target.indices[0] > LAST_FLINK_CONF:
            yield from _brought(view, paths)
    for views in project.directories.values():
        names = {view.document.file_name for view in views if view.document.syntax in _FILES}
        both = FLINK_CONF in names and CONFIG_YAML in names
        for view in views:
            target = view.target
            name = view.document.file_name
            if view.document.syntax not in _FILES:
                continue
            if name in ("config.yml", "flink-conf.yml"):
                yield view.finding(
                    f"no release of Flink reads a file called {name}, so nothing in it counts",
                    help=f"call it {CONFIG_YAML if target.indices[0] > LAST_FLINK_CONF else name[:-3] + 'yaml'}",
                    severity=Severity.WARNING,
                    confidence=Confidence.MEDIUM,
                )
            if not target.certain:
                continue
            if name == FLINK_CONF or name.startswith(f"{FLINK_CONF}."):
                if target.named[-1] > LAST_FLINK_CONF and not both:
                    ignoring = _after(target, LAST_FLINK_CONF)
                    found = view.finding(
                        f"Flink from 2.0 on reads only config.yaml, so nothing in this file counts in {ignoring}",
                        help="write the settings into config.yaml",
                        severity=None if target.named[0] > LAST_FLINK_CONF else Severity.WARNING,
                        evidence={"release from": target.evidence},
                    )
                    found.voids = target.named[0] > LAST_FLINK_CONF
                    yield found
            elif name == CONFIG_YAML and target.named[0] < FIRST_CONFIG_YAML:
                if both and target.named[-1] >= FIRST_CONFIG_YAML:
                    continue
                ignoring = _before(target, FIRST_CONFIG_YAML)
                found = view.finding(
                    f"Flink up to 1.18 reads only flink-conf.yaml, so nothing in this file counts in {ignoring}",
                    help="delete it: flink-conf.yaml beside it is read"
                    if both
                    else "write the settings into flink-conf.yaml, one flat `key: value` a line",
                    severity=Severity.WARNING if both or target.named[-1] >= FIRST_CONFIG_YAML else None,
                    evidence={"release from": target.evidence},
                )
                found.voids = target.named[-1] < FIRST_CONFIG_YAML
                yield found


def _after(target: Target, last: int) -> str:
    """The releases after `last` that the file is for."""
    named = [index for index in target.named if index > last]
    return target.version or "" if len(target.named) == 1 else spell(named)


def _before(target: Target, first: int) -> str:
    """The releases before `first` that the file is for."""
    named = [index for index in target.named if index < first]
    return target.version or "" if len(target.named) == 1 else spell(named)


def _brought(view: View, paths: set[str]) -> Iterator[Finding]:
    """The places where an image or a container is given the old file."""
    known = {one.path for one in view.relation.mounts if one.document is not None}
    for part in view.elements("image", "container"):
        for number, member in enumerate(part.items("copies") + part.items("volumes")):
            source, target = member.text("source") or "", member.text("target") or ""
            names = [os.path.basename(path) for path in (source, target)]
            if FLINK_CONF not in names or "conf" not in target:
                continue
            if target in known or absolute_path(os.path.join(view.document.directory, source)) in paths:
                continue
            yield view.finding(
                f"Flink from 2.0 on reads only config.yaml, so the {FLINK_CONF} that goes to {target} does nothing in"
                f" {view.target.version}",
                span=member.span("source" if member.has("source") else "target"),
                key=f"{part.name}.{number}",
                help=f"write the settings into a {CONFIG_YAML}",
                evidence={"release from": view.target.evidence},
            )


def _mounted(project: Project) -> Iterator[Finding]:
    """The keys of ConfigMaps that are mounted under a name that the release of the container's image does not read."""
    reported: set[int] = set()
    for view in project.views:
        mounts = view.relation.mounts
        has_other = {mount.container for mount in mounts if mount.is_read}
        for mount in mounts:
            lower = mount.document
            if mount.is_read is not False or lower is None or not mount.source.startswith("ConfigMap "):
                continue
            container = next((one for one in view.elements("container") if one.name == mount.container), None)
            if container is None or mount.container in has_other or id(lower) in reported:
                continue
            if _may_be_renamed(view, container):
                continue
            reported.add(id(lower))
            name = os.path.basename(mount.path)
            read = FLINK_CONF if name == CONFIG_YAML else CONFIG_YAML
            missing = f"so {container.name} has no configuration and does not start"
            ignored = f"so nothing in the {name} that {container.name} mounts counts"
            yield view.finding(
                f"Flink {view.target.version} reads only {read}, {missing if mount.is_folder else ignored}",
                span=lower.head,
                document=lower,
                help=f"call the file {read}"
                + (", one flat `key: value` a line" if read == FLINK_CONF else ": its flat keys are fine there"),
                severity=None if _is_flinks(container) else Severity.WARNING,
                related=[Place(view.document.path, mount.span, f"mounted at {mount.path} of {container.name}")],
                evidence={"release from": view.target.evidence},
            )


def _may_be_renamed(view: View, container: ElementView) -> bool:
    """Whether something that runs before Flink may put the configuration into a file of another name."""
    from flink_flint.rules.settings._clusters import arguments

    if any(".initContainers[" in name for one in view.elements("kubernetes-object") for name in one.element.attributes):
        return True
    return any(" " in word or "\n" in word or "conf" in word for word in arguments(container))


def _is_flinks(container: ElementView) -> bool:
    """Whether a container runs Flink's own image, whose entrypoint starts Flink with the files as they are."""
    image = container.text("image") or ""
    return image.rpartition("/")[2].partition(":")[0] == "flink" and container.is_known("environment.FLINK_CONF_DIR")


_RESOURCE = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n  flinkVersion: v1_17\n"
    "  flinkConfiguration:\n    rest.port: '8081'\n"
)


def cases() -> list[Case]:
    return [
        bad("rest.port: 8081\n", file="config.yml", severity=Severity.WARNING, says="no release"),
        bad("rest.port: 8081\n", file="flink-conf.yml", severity=Severity.WARNING, says="flink-conf.yml"),
        bad("rest.port: 8081\n", file="flink-conf.yaml", flink="2.0", severity=Severity.ERROR, says="only config.yaml"),
        bad("rest.port: 8081\n", file="flink-conf.yaml.j2", flink="2.1"),
        bad(
            "rest.port: 8081\n", file="config.yaml", flink="1.18", severity=Severity.ERROR, says="only flink-conf.yaml"
        ),
        bad("rest.port: 8081\n", file="config.yaml", flink="1.8"),
        good("rest.port: 8081\n", file="flink-conf.yaml", flink="2.0", beside={"config.yaml": "rest.port: 8081\n"}),
        bad("FROM flink:2.0.0\nCOPY flink-conf.yaml /opt/flink/conf/\n", file="Dockerfile", says="/opt/flink/conf/"),
        bad(
            "services:\n  jm:\n    image: flink:2.1\n    volumes: "
            "['./flink-conf.yaml:/opt/flink/conf/flink-conf.yaml']\n",
            file="docker-compose.yml",
            severity=Severity.ERROR,
        ),
        good("FROM flink:1.20.0\nCOPY flink-conf.yaml /opt/flink/conf/\n", file="Dockerfile"),
        good("FROM flink:2.0.0\nCOPY flink-conf.yaml /backup/old.txt\n", file="Dockerfile"),
        good("rest.port: 8081\n", file="flink-conf.yaml", flink="1.20"),
        good("rest.port: 8081\n", file="config.yaml", flink="1.19"),
        good("rest.port: 8081\n", file="flink-conf.yaml"),
        good("rest.port: 8081\n", file="flink-conf-prod.yaml", flink="2.0"),
        good(_RESOURCE, file="config.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: a\n"
            "spec:\n"
            "  flinkVersion: v2_0\n"
            "  flinkConfiguration:\n"
            "    rest.port: '8081'\n",
            file="flink-conf.yaml",
        ),
        bad("rest.port: 8081\n", file="config.yaml", flink=">=1.18,<1.20"),
        good("services:\n  jm:\n    image: flink:2.1\n    volumes: [/opt/flink/conf]\n", file="docker-compose.yml"),
        good("FROM flink:2.0.0\nCOPY log4j.properties /opt/flink/conf/\n", file="Dockerfile"),
        bad(
            "FROM flink:2.0.0\nCOPY log4j.properties flink-conf.yaml /opt/flink/conf/\n",
            file="Dockerfile",
            at="flink-conf.yaml",
        ),
        *cases_in_folders(__file__),
    ]
