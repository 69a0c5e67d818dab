"""The operator refuses this resource.

## What it does
Checks a `FlinkDeployment`, `FlinkSessionJob`, `FlinkStateSnapshot` or `FlinkBlueGreenDeployment` as the validator of
Apache's operator does, by the rules of the release that is installed (of a chart, an image, or `operator-version` in
`flint.toml`). Where that is not known, it reports what every release from 1.4 to 1.15 that knows the resource's
`flinkVersion` refuses. The rules on single fields (FLK701, FLK704,
FLK709, FLK717, FLK718, FLK721, FLK728, FLK795 and others) report their own; this one reports the rest:

| what | the operator says |
|---|---|
| the name | `The FlinkDeployment name: … is invalid, must consist of lower case alphanumeric characters or '-'` |
| no `flinkVersion` | `Flink Version must be defined.` |
| the ingress | `Ingress template must be defined`, `Unable to process the Ingress template` |
| no parallelism, or 0 | `Job parallelism must be larger than 0` |
| replicas | `TaskManager replicas must be larger than 0`, `… should not be configured less than one.` |
| `ephemeralStorage` | `resource ephemeral storage parse error` |
| the state of a new job, before 1.7 | `Job must start in running state` |
| an option of the operator | `Could not parse value '…' for key '…'` |
| `job.autoscaler.excluded.periods`, from 1.8 on | `Invalid value … in the autoscaler config` |
| a session job | `The job spec should not be empty`, `Can not submit session job to application cluster` |
| its mode `last-state`, before 1.10 | `The LAST_STATE upgrade mode is not supported in session job now.` |
| its jar, from 1.15 on | `jarURI scheme '…' is not in the allowlist`, `jarURI must include a scheme` |
| a snapshot | `Exactly one of checkpoint or savepoint configurations has to be set.` |

## Why it matters
The webhook refuses the resource on `kubectl apply`; without the webhook the message stands in `status.error` and in an
event, and nothing is deployed. A cluster that runs already goes on with the spec that was deployed last, whatever is
changed.

## What to do
Correct the field that the finding names.

## Not when
- The resource is a patch or a part, or a template makes the field.
- The operator's own configuration has what is missing, and is among the files.
- A custom validator plugin refuses more than the operator itself.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/release-1.15/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  the checks; they were compared with the validators of twelve releases
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/reference/>: the fields
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import KINDS, Resource, entry_of
from flink_flint.rules.kubernetes._validation import Refused, refused

_REPORTED = {
    "forbidden key": "FLK701", "version unsupported": "FLK703", "checkpoint directory": "FLK704",
    "savepoint directory": "FLK704", "memory size": "FLK709", "rollback without HA": "FLK717",
    "health check without recovery": "FLK718", "log key": "FLK721", "redeployment": "FLK726", "cluster kind": "FLK727",
    "mode": "FLK727", "deployment name": "FLK727", "service account": "FLK728", "memory absent": "FLK795",
    "standby without HA": "FLK415", "autoscaler range": "FLK633", "autoscaler value": "FLK633",
    "last-state without HA": "FLK706",
}  # fmt: skip
"""The kinds of refusals that another rule reports, with its code."""
_OF_CLUSTERS = (
    "checkpoint directory",
    "savepoint directory",
    "last-state without HA",
    "autoscaler range",
    "autoscaler value",
)
"""Those kinds that the other rule reports of clusters alone, not of session jobs."""
_HELPS = {
    "checkpoint directory": "set state.checkpoints.dir in the session cluster",
    "savepoint directory": "set state.savepoints.dir in the session cluster",
    "name": "use lower-case letters, digits and dashes, at most 45 characters, and begin with a letter",
    "version absent": "set spec.flinkVersion, such as v1_20",
    "ingress template": 'set spec.ingress.template, such as "{{name}}.{{namespace}}.example.com"',
    "parallelism": "set job.parallelism to 1 or more",
    "replicas": "set replicas to 1 or more, or leave it out",
    "storage size": "write a quantity of Kubernetes, such as 10Gi",
    "state": "start the job in state running, and suspend it then",
    "job absent": "set spec.job with the jar and the parallelism",
    "application cluster": "name a FlinkDeployment without spec.job in spec.deploymentName",
    "last-state of a session job": "use upgradeMode savepoint or stateless, or an operator from 1.10 on",
    "autoscaler periods": 'write ranges such as "9:30-10:50" or cron expressions such as "* * 9-11 * * ?"',
    "jar scheme": "serve the jar by https, or set kubernetes.operator.user.artifacts.allowed-schemes in the operator's"
    " own configuration",
    "jar host": "serve the jar at a public address, or set"
    " kubernetes.operator.user.artifacts.disallow-restricted-hosts: false in the operator's own configuration",
    "jar address": "write a URI, with other characters percent-encoded",
    "snapshot kind": "set either spec.savepoint or spec.checkpoint",
    "snapshot job": "set spec.jobReference with the kind and name of the job",
}
_FRAGMENTS = ("version absent", "parallelism", "job absent", "snapshot kind", "snapshot job")
"""The kinds that say that a field is absent: many a fragment lacks it, and is no resource by itself."""


@rule(
    code="FLK796",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=[f"element:kubernetes-object/{kind}" for kind in KINDS],
    flink=">=1.0",
    since="0.1",
)
def resource_refused(config: View) -> Iterator[Finding]:
    """the operator refuses the resource"""
    seen: set[tuple[str, str]] = set()
    for one in refused(config):
        refusal, resource = one.refusal, one.resource
        if not _is_reported_here(one, config) or (refusal.path, refusal.key) in seen:
            continue
        seen.add((refusal.path, refusal.key))
        yield _finding(config, resource, one)


def _is_reported_here(one: Refused, config: View) -> bool:
    refusal, resource = one.refusal, one.resource
    is_of_session = resource.kind == "FlinkSessionJob"
    if refusal.kind in _REPORTED and not (is_of_session and refusal.kind in _OF_CLUSTERS):
        return False
    if is_of_session and refusal.kind.startswith("autoscaler") and entry_of(config, refusal.key) is not None:
        return refusal.kind == "autoscaler periods"  # FLK633
    if refusal.kind == "exception":
        return bool(refusal.key)  # a session job without a cluster is FLK719's
    if refusal.kind == "jar scheme" and (resource.text("job.jarURI") or "").lower().startswith(("local:", "http:")):
        return False  # FLK719
    if refusal.kind == "name" and resource.kind == "FlinkBlueGreenDeployment":
        return len(resource.part.text("metadata.name") or "") <= _LONGEST_OF_BOTH  # longer ones are FLK737's
    return refusal.kind not in _FRAGMENTS or _is_complete(resource)


_LONGEST_OF_BOTH = 39
"""The longest name of a blue/green deployment, to which the operator appends `-green`."""


def _is_complete(resource: Resource) -> bool:
    """Return whether a resource has fields that a fragment of one, such as a patch, has no reason to have."""
    if resource.kind == "FlinkSessionJob":
        return resource.has("deploymentName")
    if resource.kind == "FlinkStateSnapshot":
        return True
    return resource.has("serviceAccount") and (resource.has("image") or resource.has("flinkVersion"))


def _finding(config: View, resource: Resource, one: Refused) -> Finding:
    refusal = one.refusal
    message = f"the operator refuses the resource: {refusal.message}"
    if not refusal.message.startswith("The FlinkDeployment name"):
        message = message.rstrip(".")
    else:
        message = (
            f"the operator refuses the name {refusal.message.split(': ', 1)[1].split(' is invalid')[0]}: it takes"
            " lower-case letters, digits and '-', at most 45, from a letter on"
        )
    severity = None if one.is_certain else Severity.WARNING
    if not one.is_certain:
        message += ", unless the operator's own configuration, which is not in these files, provides for it"
    help_text = _HELPS.get(refusal.kind, "correct the value, or delete the line")
    evidence = {"operators": [f"{major}.{minor}" for major, minor in one.operators]}
    entry = entry_of(config, refusal.key) if refusal.key else None
    if entry is not None:
        return config.finding(
            message, span=entry.value_span, key=refusal.key, help=help_text, evidence=evidence, severity=severity
        )
    path = refusal.path if refusal.path.startswith("metadata.") else resource.path(refusal.path)
    of = path if refusal.path and path in resource.part.element.attributes else None
    return resource.part.finding(message, of=of, help=help_text, evidence=evidence, severity=severity)


def _named(name: str) -> str:
    return deployment(name=name, spec=_MEMORY)


_MEMORY = "jobManager: {resource: {memory: 2g}}\ntaskManager: {resource: {memory: 2g}}"
_HEAD = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkStateSnapshot\nmetadata: {name: before-upgrade}\nspec:\n"
_JOB = "  jobReference: {kind: FlinkDeployment, name: orders}\n"


def _with(operator: str) -> dict[str, str]:
    return {"flint.toml": f'operator-version = "{operator}"\n'}


def cases() -> list[Case]:
    return [
        bad(deployment(job="parallelism: 0"), file="orders.yaml", at="0", says="Job parallelism must be larger than 0"),
        bad(_named("Orders"), file="orders.yaml", at="Orders", says="refuses the name Orders"),
        bad(
            deployment().replace("  parallelism: 2\n", ""),
            file="orders.yaml",
            says="Job parallelism must be larger than 0",
        ),
        bad(
            deployment(spec=_MEMORY).replace("  flinkVersion: v1_20\n", ""),
            file="orders.yaml",
            says="Flink Version must be defined",
        ),
        bad(
            deployment(spec="ingress: {className: nginx}"), file="orders.yaml", says="Ingress template must be defined"
        ),
        bad(
            deployment(spec='ingress:\n  template: "{{name}}.example.com:web"'),
            file="orders.yaml",
            at="example.com:web",
            says="Error at index 0",
        ),
        bad(deployment(spec="taskManager: {replicas: 0}"), file="orders.yaml", at="0", times=1),
        bad(deployment(spec="jobManager: {replicas: 0}"), file="orders.yaml", at="0"),
        bad(
            deployment(spec="taskManager: {resource: {memory: 2g, ephemeralStorage: 10x}}"),
            file="orders.yaml",
            at="10x",
            says="ephemeral storage parse error",
        ),
        bad(
            deployment('kubernetes.operator.deployment.rollback.enabled: "yes"'),
            file="orders.yaml",
            at="kubernetes.operator.deployment.rollback.enabled",
            says="Could not parse value 'yes'",
        ),
        bad(
            deployment('job.autoscaler.enabled: "true"\njob.autoscaler.excluded.periods: 10:50-9:30'),
            file="orders.yaml",
            at="job.autoscaler.excluded.periods",
            says="neither a valid daily expression",
        ),
        bad(session_job("jarURI: https://example.com/a.jar"), file="job.yaml", says="Job parallelism"),
        bad(f"{_HEAD}{_JOB}  backoffLimit: 1\n", file="snapshot.yaml", says="Exactly one of checkpoint or savepoint"),
        bad(
            f"{_HEAD}  savepoint: {{path: s3://flink/a}}\n", file="snapshot.yaml", says="Job reference must be supplied"
        ),
        bad(
            session_job("jarURI: s3://flink/a.jar\nparallelism: 2"),
            file="job.yaml",
            at="s3://flink/a.jar",
            beside=_with("1.15"),
        ),
        bad(
            session_job("jarURI: https://10.0.0.1/a.jar\nparallelism: 2"),
            file="job.yaml",
            says="resolves to a restricted address",
            beside=_with("1.15"),
        ),
        bad(
            session_job("jarURI: https://a.example/a.jar\nparallelism: 2\nupgradeMode: last-state"),
            file="job.yaml",
            at="last-state",
            beside=_with("1.9"),
        ),
        bad(deployment(job="state: suspended"), file="orders.yaml", at="suspended", beside=_with("1.6.1")),
        good(deployment(), file="orders.yaml"),
        good(deployment(spec=_MEMORY), file="orders.yaml"),
        good(deployment(job="parallelism: ${PARALLELISM}"), file="orders.yaml"),
        good(deployment(job="state: suspended"), file="orders.yaml"),
        good(session_job("jarURI: s3://flink/a.jar\nparallelism: 2"), file="job.yaml"),
        good(session_job("jarURI: s3://flink/a.jar\nparallelism: 2"), file="job.yaml", beside=_with("1.14")),
        good(session_job("jarURI: https://a.example/a.jar\nparallelism: 2\nupgradeMode: last-state"), file="job.yaml"),
        good(deployment(spec='ingress:\n  template: "{{name}}.{{namespace}}.example.com"'), file="orders.yaml"),
        good(deployment().replace("  parallelism: 2\n", "{{ .Values.job }}\n"), file="templates/orders.yaml"),
        good(f"{_HEAD}{_JOB}  checkpoint: {{}}\n", file="snapshot.yaml"),
        good(f"{_HEAD}  savepoint: {{path: s3://flink/a, alreadyExists: true}}\n", file="snapshot.yaml"),
        good(deployment().replace("  flinkVersion: v1_20\n", ""), file="orders.yaml"),
    ]
