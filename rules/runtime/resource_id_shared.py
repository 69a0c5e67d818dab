"""All TaskManagers that read a file have one id.

## What it does
Tells where `taskmanager.resource-id` is set in a configuration file that all TaskManagers of a cluster read: a
`flink-conf.yaml` or `config.yaml` of machines.

## Why it matters
The JobManager knows a TaskManager by this id. If a second one registers with the same, the JobManager takes the first
for dead, closes the connection and fails its tasks; the first registers anew and takes the second's place. The job
never comes to rest.

## What to do
Delete the line: Flink makes an id of host, port and a random part. Where an id must outlive the process, for working
directories on a StatefulSet, give it to each TaskManager by itself, as `-Dtaskmanager.resource-id=$POD_NAME` on its
command line.

## Not when
The value holds a variable. It stands on the command line of one container or in its FLINK_PROPERTIES. Flink gives out
the ids itself, on YARN and on Kubernetes as a resource manager (a ConfigMap may be for either kind of cluster). The
cluster has one TaskManager.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-resource-id>: the id, and
  that it must differ for each -
  <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/working_directory/#failure-recovery>:
  ids that outlive a process
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ID = "taskmanager.resource-id"


@rule(
    code="FLK970",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_ID],
    flink=">=1.12",
    of_scale=True,
    since="0.1",
)
def resource_id_shared(config: View) -> Iterator[Finding]:
    """all TaskManagers that read a file have one id"""
    setting = config.get(_ID)
    if setting.is_known and setting.document.is_configuration_file and not config.is_in_containers:
        yield setting.finding(
            f"each TaskManager that reads this file is {setting.text}: a second one takes the place of the first, which"
            " then comes back and takes its",
            help=f"delete it, or give each its own on the command line: -D{_ID}=$POD_NAME",
            fix=setting.remove(),
            at="entry",
        )


def cases() -> list[Case]:
    return [
        bad(
            f"{_ID}: tm-1\nrest.port: 8081\n", at=_ID, severity=Severity.INFO, says="is tm-1", fixed="rest.port: 8081\n"
        ),
        bad(f"{_ID}: worker\n", at=_ID, flink="1.16", platform="standalone"),
        good(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-config\ndata:\n  flink-conf.yaml: |\n"
            f"    jobmanager.rpc.address: jm\n    {_ID}: tm-1\n",
            file="config.yaml",
            flink="1.18",
        ),
        good(f"{_ID}: '${{POD_NAME}}'\n"),
        good(f"{_ID}: tm-1\n", platform="yarn"),
        good(f"{_ID}: tm-1\n", platform="kubernetes"),
        good(
            "services:\n  taskmanager:\n    image: flink:1.20\n    command: taskmanager\n    environment:\n"
            f"      FLINK_PROPERTIES: |\n        {_ID}: tm-1\n",
            file="compose.yaml",
        ),
        good("rest.port: 8081\n"),
    ]
