"""Flink does not deploy an application for want of a JAR in its image.

## What it does
Looks at `spec.job.jarURI` of a native `FlinkDeployment`: reports an application that has none and is no Python program,
and, where the operator is known to be older than 1.10, one with another scheme than `local`
(`file:///opt/flink/usrlib/orders.jar`, `s3://…`).

## Why it matters
The operator's validator takes both, and its definition does not require the field. Flink's client for Kubernetes, which
the operator has inside, does not: up to Flink 1.18 (operator 1.9) it fails with `java.lang.IllegalArgumentException:
Only "local" is supported as schema for application mode. This assumes that the jar is located in the image, not the
Flink client`, and up to 1.20 (operator 1.15), without any JAR, with a `NullPointerException` in
`KubernetesUtils.checkJarFileForApplicationMode`. No JobManager comes, and the resource keeps the error in its status.

## What to do
Write `local:///` and the absolute path in the image; from operator 1.10 on other schemes are fetched. A Python program
has `entryClass: org.apache.flink.client.python.PythonDriver`.

## Not when
The mode `standalone`; the operator's release is not known, of a scheme; `pipeline.jars` is set; the resource is a patch
or a part; a template makes the value.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.18/docs/deployment/resource-providers/native_kubernetes/#application-mode>
- <https://issues.apache.org/jira/browse/FLINK-28915>: other schemes, from Flink 1.19 on
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS, Resource, entry_of, resources

_FIRST_FETCHING = (1, 10)
"""The first operator whose client for Kubernetes, that of Flink 1.19, takes other schemes than `local`."""
_PYTHON_ARGUMENT = regex(r"(?:-py|--python|-pym|--pyModule|-pyfs|-pyarch)(?:\s.*)?")


@rule(
    code="FLK797",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=[f"element:kubernetes-object/{kind}" for kind in APACHE_CLUSTERS],
    flink=">=1.13",
    since="0.1",
)
def job_jar_refused(config: View) -> Iterator[Finding]:
    """Flink does not deploy an application without a JAR in its image"""
    for resource in resources(config, *APACHE_CLUSTERS):
        is_native = not resource.has("mode") or resource.text("mode") == "native"
        if not resource.is_application or not is_native or entry_of(config, "pipeline.jars") is not None:
            continue
        is_complete = resource.has("serviceAccount") and resource.has("image") and resource.has("job.parallelism")
        if is_complete and resource.lacks("job.jarURI") and not _may_be_python(resource):
            yield resource.part.finding(
                "the application has no jarURI: Flink's client ends with a NullPointerException in"
                " checkJarFileForApplicationMode, and nothing is deployed",
                of=resource.path("job.parallelism"),
                at="key",
                key="spec.job.jarURI",
                help="set spec.job.jarURI: local:///opt/flink/usrlib/ and the JAR, or the entryClass of a Python"
                " program",
            )
            continue
        uri, operator = resource.text("job.jarURI"), config.installed_operator
        scheme, colon, _ = (uri or "").partition(":")
        if colon and scheme != "local" and operator is not None and operator < _FIRST_FETCHING:
            yield resource.part.finding(
                f'operator {operator[0]}.{operator[1]} does not deploy a JAR with the scheme {scheme}: Only "local" is'
                " supported as schema for application mode",
                of=resource.path("job.jarURI"),
                help="write local:/// and the path of the JAR in the image",
            )


def _may_be_python(resource: Resource) -> bool:
    """Return whether a job is a Python program, or may be one."""
    if resource.has("job.entryClass"):
        main = resource.text("job.entryClass")
        if main is None or "python" in main.lower():
            return True
    arguments = [one.text("") for one in resource.part.items(resource.path("job.args"))]
    return any(one is None or _PYTHON_ARGUMENT.fullmatch(one) is not None for one in arguments)


def cases() -> list[Case]:
    jar = "jarURI: local:///opt/flink/usrlib/orders.jar"
    file = deployment(version="v1_17").replace(jar, "jarURI: file:///opt/flink/usrlib/orders.jar")
    bare = deployment().replace(f"    {jar}\n", "")
    without = deployment(spec="jobManager: {replicas: 1}").replace(f"    {jar}\n", "")
    old = {"flint.toml": 'operator-version = "1.9"\n'}
    return [
        bad(file, file="orders.yaml", beside=old, at="file:///opt", says='Only "local" is supported'),
        bad(file.replace("file:///opt", "s3://jobs"), file="orders.yaml", beside=old, says="the scheme s3"),
        bad(without, file="orders.yaml", at="parallelism", says="has no jarURI"),
        bad(
            deployment(job="entryClass: com.example.Orders", spec="mode: native").replace(f"    {jar}\n", ""),
            file="orders.yaml",
            says="NullPointerException",
        ),
        good(deployment(), file="orders.yaml", beside=old),
        good(deployment(job="-", spec="jobManager: {replicas: 1}"), file="orders.yaml", beside=old),
        good(without.replace("    parallelism", "    entryClass: ${MAIN}\n    parallelism"), file="orders.yaml"),
        bad(without.replace("    parallelism", "    args: [--a, b]\n    parallelism"), file="orders.yaml"),
        good(file, file="orders.yaml"),
        good(file, file="orders.yaml", beside={"flint.toml": 'operator-version = "1.10"\n'}),
        good(without.replace("  jobManager:", "  mode: standalone\n  jobManager:"), file="orders.yaml"),
        good(
            deployment(job="entryClass: org.apache.flink.client.python.PythonDriver").replace(f"    {jar}\n", ""),
            file="orders.yaml",
        ),
        good(deployment(job="args: [-py, /opt/jobs/orders.py]").replace(f"    {jar}\n", ""), file="orders.yaml"),
        good(deployment("pipeline.jars: local:///a.jar").replace(f"    {jar}\n", ""), file="orders.yaml"),
        good(file.replace("file:///opt", "{{ .Values.jar }}"), file="templates/orders.yaml", beside=old),
        good(bare.replace("  serviceAccount: flink\n", "").replace("  image: flink:1.20\n", ""), file="patch.yaml"),
    ]
