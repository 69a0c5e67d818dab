"""A plugin is to be enabled that the image does not have, and the container ends.

## What it does
Compares the jars that `ENABLE_BUILT_IN_PLUGINS` names with the release in the tag of Flink's own image: each has to be
of that release, which must have such a plugin (`flink-s3-fs-native` comes with 2.3), and they are separated by
semicolons.

## Why it matters
The entrypoint of the image looks for each file in `/opt/flink/opt`, where their names end with the release. If one is
not there it says "Plugin flink-s3-fs-presto-1.17.2.jar does not exist. Exiting." and the container ends, again and
again. It happens when the image is upgraded and the variable forgotten.

## What to do
Write the release of the image. In an image of your own a link in `plugins/` needs no variable.

## Not when
The tag names a minor alone (`flink:1.18`) and the jar one of its patches: which patch the image has, nobody can tell.
The image is not Flink's own; it may bring jars of its own.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/#using-filesystem-plugins>:
  the variable
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: what becomes of it
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.releases import ReleaseRange, parse_release
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment

_VARIABLE = "ENABLE_BUILT_IN_PLUGINS"
_JAR = regex(r"(?P<name>flink-[a-z0-9-]+?)-(?P<minor>\d+\.\d+)(?P<patch>\.\d+)?\.jar")
_FIRST = {"flink-s3-fs-native": "2.3"}
"""Plugins that old releases do not have, with the first minor release that has them."""


@rule(
    code="FLK968",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    flink=">=1.11",
    since="0.1",
)
def builtin_plugin_missing(config: View) -> Iterator[Finding]:
    """a plugin is to be enabled that the image does not have, and the container ends"""
    told = set()
    for process in config.processes:
        named = process.variable(_VARIABLE)
        image = process.image.value if process.image is not None else None
        shipped = release_of_image(image) if isinstance(image, str) else None
        place = process.place(f"environment.{_VARIABLE}") if process.containers else None
        if named is None or not isinstance(named.value, str) or shipped is None or place is None or place in told:
            continue
        told.add(place)
        for jar in filter(None, named.value.split(";")):
            if _may_be_there(jar, shipped):
                continue
            yield process.finding(
                f"{image} has no {jar} in /opt/flink/opt: the entrypoint says so and the container ends",
                of=f"environment.{_VARIABLE}",
                help=f"name jars of Flink {shipped}, with semicolons between them",
                evidence={"image": shipped},
            )


def _may_be_there(jar: str, shipped: str) -> bool:
    """Whether an image of a release (`1.18.1`, or `1.18` of an unknown patch) may have a jar."""
    found = _JAR.fullmatch(jar.strip())
    if found is None or found["patch"] is None:
        return False
    minor = ".".join(shipped.split(".")[:2])
    first = _FIRST.get(found["name"])
    if first is not None and parse_release(minor) not in ReleaseRange(f">={first}"):
        return False
    return found["minor"] == minor and (shipped == minor or f"{minor}{found['patch']}" == shipped)


_COMPOSE = """services:
  jobmanager:
    image: {}
    command: jobmanager
    environment:
      ENABLE_BUILT_IN_PLUGINS: {}
"""


def _resource(jar: str) -> str:
    return deployment(
        image="flink:1.20.1",
        spec="podTemplate:\n  spec:\n    containers:\n      - name: flink-main-container\n        env:\n"
        f"          - name: ENABLE_BUILT_IN_PLUGINS\n            value: {jar}",
    )


_S3 = "flink-s3-fs-hadoop"


def cases() -> list[Case]:
    return [
        bad(_COMPOSE.format("flink:1.18.1", f"{_S3}-1.17.2.jar"), file="compose.yaml", severity=Severity.ERROR,
            at=f"{_S3}-1.17.2.jar", says="flink:1.18.1 has no flink-s3-fs-hadoop-1.17.2.jar"),
        bad(_COMPOSE.format("flink:1.18.1", f"{_S3}-1.18.0.jar"), file="compose.yaml"),
        bad(_COMPOSE.format("flink:1.18-java17", f"{_S3}-1.17.2.jar"), file="compose.yaml"),
        bad(_COMPOSE.format("flink:1.18.1", f"{_S3}.jar"), file="compose.yaml"),
        bad(_COMPOSE.format("flink:1.18.1", f"{_S3}-1.18.jar"), file="compose.yaml"),
        bad(_COMPOSE.format("flink:1.18.1", f"{_S3}-1.18.1.jar,flink-gs-fs-hadoop-1.18.1.jar"), file="compose.yaml"),
        bad(_COMPOSE.format("flink:1.18.1", f"{_S3}-1.18.1.jar;flink-gs-fs-hadoop-1.18.0.jar"), file="compose.yaml",
            says="no flink-gs-fs-hadoop-1.18.0.jar"),
        bad(_COMPOSE.format("flink:2.2.0", "flink-s3-fs-native-2.2.0.jar"), file="compose.yaml",
            says="no flink-s3-fs-native-2.2.0.jar"),
        good(_COMPOSE.format("flink:2.3.0", "flink-s3-fs-native-2.3.0.jar"), file="compose.yaml"),
        bad(_resource(f"{_S3}-1.19.1.jar"), file="deployment.yaml", says="flink:1.20.1 has no"),
        good(_resource(f"{_S3}-1.20.1.jar"), file="deployment.yaml"),
        good(_COMPOSE.format("flink:1.18.1", f"{_S3}-1.18.1.jar;flink-gs-fs-hadoop-1.18.1.jar;"), file="compose.yaml"),
        good(_COMPOSE.format("flink:1.18", f"{_S3}-1.18.0.jar"), file="compose.yaml"),
        good(_COMPOSE.format("shop/orders:1.18.1", f"{_S3}-1.17.2.jar"), file="compose.yaml"),
        good(_COMPOSE.format("flink:latest", f"{_S3}-1.17.2.jar"), file="compose.yaml"),
        good(_COMPOSE.format("flink:1.18.1", "flink-s3-fs-hadoop-${FLINK}.jar"), file="compose.yaml"),
    ]  # fmt: skip
