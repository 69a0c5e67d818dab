"""The operator's image is of another release than the chart that it is installed with.

## What it does
Compares the release of the chart in commands such as `helm install … flink-kubernetes-operator` with the tag of the
operator's image that they set, and, if they set a repository for an image of one's own, with the base image of the only
Dockerfile in the project that builds one (`FROM apache/flink-kubernetes-operator:…`).

## Why it matters
The chart has the custom resource definitions, roles and default configuration for the operator of its own release. An
older operator ignores the fields and options that only the definitions know; a newer one misses fields that the API
server removes because the definitions do not have them, and perhaps permissions.

## What to do
Take the base image and the chart of the same release. When upgrading, apply the new custom resource definitions first:
Helm does not upgrade them.

## Not when
Variables provide the release or the tag, or several Dockerfiles build operators.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/helm/>: what the chart
  installs, and its image
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/upgrade/>: the definitions and
  the operator are upgraded together
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.lazy_regex import regex

_IMAGE = regex(r"(?:[^\s@/]*+/)*+flink-kubernetes-operator:v?(\d+\.\d+)(?:[.\-@]\S*)?")
_MINOR = regex(r"v?(\d+\.\d+)(?:[.-].*)?")
_OFFICIAL = regex(r"(?:[\w.:-]+/)?apache/flink-kubernetes-operator")
_REPOSITORY, _TAG = "image.repository", "image.tag"


@rule(
    code="FLK730",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:operator-install", "element:image"],
    scope="project",
    compares=[(["element:operator-install"], ["element:image"])],
    since="0.1",
)
def operator_image_release(project: Project) -> Iterator[Finding]:
    """the operator's image is of another release than its chart"""
    installs = [
        (part, release)
        for config in project.views
        for part in config.elements("operator-install")
        if (release := _minor(part.text("release"))) is not None
    ]
    for part, release in installs:
        tag = _minor(part.text(_TAG)) if not _is_own(part) else None
        if tag is not None and tag != release:
            yield part.finding(
                f"the image of the operator is of {tag}, its chart of {release}",
                of=_TAG,
                help=f"install the chart of {tag}, or leave {_TAG} out",
                related=[part.place("release")],
            )
    own = [(part, release) for part, release in installs if _is_own(part)]
    builds = [part for config in project.views for part in config.elements("image") if _base(part) is not None]
    base = _base(builds[0]) if len(builds) == 1 else None
    other = [(part, release) for part, release in own if release != base]
    if base is not None and other and len(other) == len(own):
        part, release = other[0]
        yield builds[0].finding(
            f"this operator is based on release {base}, the chart that installs one with an image of its own is of"
            f" {release}",
            of="from",
            help=f"base it on {release}, or install the chart of {base}",
            related=[part.place("release") for part, _ in other],
        )


def _is_own(part: ElementView) -> bool:
    """Whether an installation sets the repository of an image that is not the official one."""
    return part.has(_REPOSITORY) and _OFFICIAL.fullmatch(part.text(_REPOSITORY) or "") is None


def _minor(version: str | None) -> str | None:
    found = _MINOR.fullmatch(version) if version else None
    return found[1] if found is not None else None


def _base(image: ElementView) -> str | None:
    """The minor release of the operator that an image is based on."""
    found = _IMAGE.fullmatch(image.text("from") or "")
    return found[1] if found is not None else None


_BUILD = "FROM apache/flink-kubernetes-operator:%s\nCOPY listener.jar /opt/flink/plugins/listener/\n"
_ADD = "helm repo add operator https://downloads.apache.org/flink/flink-kubernetes-operator-1.14.0\n"
_INSTALL = f"{_ADD}helm -n flink install flink-kubernetes-operator operator/flink-kubernetes-operator %s\n"
_OWN = '--set image.repository="${REGISTRY}/operator" --set image.tag="${TAG}"'


def cases() -> list[Case]:
    return [
        bad(_BUILD % "1.11.0", file="Dockerfile", beside={"install.sh": _INSTALL % _OWN}, severity=Severity.INFO,
            says="based on release 1.11, the chart that installs one with an image of its own is of 1.14"),
        bad(_INSTALL % "--set image.tag=1.10.0", file="install.sh", says="the image of the operator is of 1.10"),
        bad(_BUILD % "1.11.0", file="Dockerfile",
            beside={"install.sh": f"helm install o https://example.com/flink-kubernetes-operator-1.10.0.tgz {_OWN}\n"}),
        bad(_INSTALL % "--version 1.9.0 --set image.repository=apache/flink-kubernetes-operator,image.tag=1.8.0",
            file="install.sh", says="of 1.8, its chart of 1.9"),
        good(_BUILD % "1.14.1", file="Dockerfile", beside={"install.sh": _INSTALL % _OWN}),
        good(_BUILD % "1.11.0", file="Dockerfile", beside={"install.sh": _INSTALL % ""}),
        good(_BUILD % "1.11.0", file="Dockerfile",
             beside={"install.sh": _INSTALL % _OWN, "other/Dockerfile": _BUILD % "1.14.0"}),
        good(_BUILD % "1.11.0", file="Dockerfile", beside={"install.sh": _INSTALL % f"--version $RELEASE {_OWN}"}),
        good(_INSTALL % "--set image.tag=1.14.2", file="install.sh"),
        good(_INSTALL % "--set image.tag=${TAG}", file="install.sh"),
    ]  # fmt: skip
