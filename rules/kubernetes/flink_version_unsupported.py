"""`flinkVersion` names a release that operators do not take.

## What it does
Checks `spec.flinkVersion` against the values that the operator's releases know, from 1.0 to 1.15: a value that none
has, one that newer operators refuse (`v1_13` and `v1_14`, from operator 1.7 on), and one they call deprecated. That
newer operators refuse a value is an error where flint knows that such an operator is installed, and advice elsewhere.

## Why it matters
The field is an enumeration of the custom resource definition: the API server refuses any other value (`1.18`,
`v1.18`). Of the values it takes, the operator refuses those it no longer supports (`Flink version v1_14 is not
supported by this operator version`), so that an upgrade of the operator leaves such a deployment without one: it runs
on, but no change of it is carried out.

## What to do
Write `v1_20` for Flink 1.20. Upgrade Flink before the operator; of the deprecated ones a later operator lets go.

## Not when
A template fills the value in. EMR on EKS (`emrReleaseLabel`) has an operator of its own. A release newer than flint
knows may be in a newer operator: that is only a hint.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator-api/src/main/java/org/apache/flink/kubernetes/operator/api/spec/FlinkVersion.java>:
  the values, since when deprecated
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/reference/>: the field
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import (
    DEPRECATED_SINCE,
    SINCE_VERSION,
    UNSUPPORTED_SINCE,
    release_number,
)
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS, Resource, resources


@rule(
    code="FLK703",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def flink_version_unsupported(config: View) -> Iterator[Finding]:
    """flinkVersion names a release that the operator does not take"""
    for resource in resources(config, *APACHE_CLUSTERS):
        path = resource.path("flinkVersion")
        value = resource.part.value(path)
        if value is None:
            continue
        if resource.has("emrReleaseLabel"):
            continue  # Amazon's operator has a life of its own
        yield from _check(config, resource, path, str(value))


def _check(config: View, resource: Resource, path: str, version: str) -> Iterator[Finding]:
    known = list(SINCE_VERSION)
    if version in UNSUPPORTED_SINCE:
        since, installed = UNSUPPORTED_SINCE[version], config.installed_operator
        refuses = installed is not None and installed >= release_number(since)
        yield resource.part.finding(
            f"operators from {since} on refuse {version}: the job runs on, but no change is carried out any more",
            of=path,
            help="upgrade Flink before the operator",
            severity=Severity.ERROR if refuses else Severity.INFO,
            confidence=Confidence.MEDIUM,
        )
    elif version in DEPRECATED_SINCE:
        yield resource.part.finding(
            f"{version} is deprecated since operator {DEPRECATED_SINCE[version]}; a later one refuses it",
            of=path,
            help="upgrade Flink before the operator",
            severity=Severity.INFO,
        )
    elif version not in SINCE_VERSION:
        minor = re.fullmatch(r"[vV]?(\d+)[._](\d+)(?:[._]\d+)?", version)
        meant = f"v{minor[1]}_{minor[2]}" if minor else None
        if meant == version and (int(minor[1]), int(minor[2])) > (2, 2) and int(minor[1]) == 2:  # type: ignore[index]
            yield resource.part.finding(
                f"no operator up to 1.15 knows {version}, and the API server refuses a value the operator's"
                " definition does not list",
                of=path,
                help="check that the operator installed is new enough",
                severity=Severity.INFO,
                confidence=Confidence.MEDIUM,
            )
            return
        fits = meant in SINCE_VERSION
        yield resource.part.finding(
            f"the API server refuses flinkVersion {version}: it takes {known[0]} to v1_20 and v2_0 to {known[-1]}",
            of=path,
            help=f"write {meant}" if fits else "write the release as v1_20",
            severity=Severity.ERROR,
            fix=resource.part.replace(path, str(meant), safe=True) if fits else None,
        )


_INSTALL = "helm install operator https://downloads.apache.org/flink/flink-kubernetes-operator-%s-helm.tgz\n"


def cases() -> list[Case]:
    return [
        bad(
            deployment(version='"1.18"', image="flink:1.18"), file="deployment.yaml", severity=Severity.ERROR,
            says="refuses flinkVersion 1.18", fixed=deployment(version='"v1_18"', image="flink:1.18"),
        ),
        bad(deployment(version="v1.19"), file="deployment.yaml", fixed=deployment(version="v1_19")),
        bad(deployment(version="v1_12"), file="deployment.yaml", severity=Severity.ERROR),
        bad(deployment(version="v1_14"), file="deployment.yaml", severity=Severity.INFO, says="from 1.7 on"),
        bad(
            deployment(version="v1_14"), file="deployment.yaml", severity=Severity.ERROR,
            beside={".git/HEAD": "ref: refs/heads/main\n", "up.sh": _INSTALL % "1.7.0"},
        ),
        bad(
            deployment(version="v1_14"), file="deployment.yaml", severity=Severity.ERROR,
            beside={".git/HEAD": "ref: refs/heads/main\n", "README.md": f"```\n{_INSTALL % '1.10.0'}```\n"},
        ),
        bad(
            deployment(version="v1_14"), file="deployment.yaml", severity=Severity.INFO,
            beside={".git/HEAD": "ref: refs/heads/main\n", "README.md": f"```\n{_INSTALL % '1.6.1'}```\n"},
        ),
        bad(deployment(version="v1_17"), file="deployment.yaml", severity=Severity.INFO, says="operator 1.13"),
        bad(deployment(version="v2_4"), file="deployment.yaml", severity=Severity.INFO),
        good(deployment(version="v1_20"), file="deployment.yaml"),
        good(deployment(version="v2_2"), file="deployment.yaml"),
        good(deployment(version="v1_14", spec="emrReleaseLabel: emr-6.6.0-flink-latest"), file="deployment.yaml"),
        good(deployment(version="${FLINK_VERSION}"), file="deployment.yaml"),
        good(deployment(version="{{ .Values.flinkVersion }}"), file="deployment.yaml"),
        bad(deployment(version="latest"), file="deployment.yaml", flink="1.8", severity=Severity.ERROR),
        bad(
            deployment(version='"2.4"'), file="deployment.yaml", severity=Severity.ERROR,
            fixed=deployment(version='"2.4"'),
        ),
        bad(deployment(version="v3_0"), file="deployment.yaml", severity=Severity.ERROR),
        bad(deployment(version="v2_3"), file="deployment.yaml", severity=Severity.INFO),
        bad(deployment(version="v1_12"), file="deployment.yaml", fixed=deployment(version="v1_12")),
    ]  # fmt: skip
