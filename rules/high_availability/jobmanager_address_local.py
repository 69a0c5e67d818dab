"""TaskManagers on other machines look for the JobManager on their own.

## What it does
Reports `jobmanager.rpc.address: localhost` (or 127.0.0.1) without high availability where TaskManagers certainly run
elsewhere: in a TaskManager's container of Docker Compose or Kubernetes that shares no network with the JobManager's,
and beside a `workers` file that names several machines, or one that `masters` does not name. Where there is no such
`masters` file, a single machine in `workers` may be the JobManager's: then it is advice.

## Why it matters
Without high availability this address is how a TaskManager finds the JobManager. On `localhost` of its own machine or
container nobody listens: it logs "Could not resolve ResourceManager address" every few seconds, ends after
`taskmanager.registration.timeout` (5 min), and the cluster has no slots.

## What to do
Write the name of the JobManager's machine, of its service, or of its container.

## Not when
All processes are on one machine, or in one pod. Mesos starts the TaskManagers (`mesos.*`), or the file is a variant
such as `flink-conf.yaml.mesos`, which start-cluster.sh does not read. With high availability the leader's address is
looked up instead. The machines of a `workers` file may each have a configuration of their own; start-cluster.sh expects
them to have the same.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/overview/>: the
  address, and the `workers` file
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: FLINK_PROPERTIES win over
  JOB_MANAGER_RPC_ADDRESS
"""

from collections.abc import Iterator

from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import NONE, mode
from flink_flint.rules.settings._clusters import arguments

_ADDRESS = "jobmanager.rpc.address"


@rule(
    code="FLK422",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_ADDRESS],
    flink=">=1.0",
    since="0.1",
)
def jobmanager_address_local(config: View) -> Iterator[Finding]:
    """TaskManagers on other machines look for the JobManager on their own"""
    setting = config.get(_ADDRESS)
    if setting.text.strip().lower() not in LOCAL_HOSTS or mode(config) != NONE:
        return
    container = _container(config)
    worker, is_certain = _worker(config) if container is None else (None, True)
    if container is None and worker is None:
        return
    reason = f"the TaskManager of {container}" if container is not None else f"the TaskManager on {worker} (workers)"
    unless = "" if is_certain else f", unless {worker} is the JobManager's machine"
    yield setting.finding(
        f"{reason} looks for the JobManager on {setting.text}, which is itself, and never registers{unless}",
        help="write the name of the JobManager's machine, service or container",
        severity=None if is_certain else Severity.INFO,
        confidence=None if is_certain else Confidence.LOW,
    )


def _container(config: View) -> str | None:
    """Return the name of a TaskManager's container without the JobManager beside it; None if there is none."""
    for container in config.elements("container"):
        told = any(_ADDRESS in word for word in arguments(container))
        if container.text("role") == "taskmanager" and not container.has("network") and not told:
            return container.name
    return None


def _worker(config: View) -> tuple[str | None, bool]:
    """Return a machine in `workers` that may not be the JobManager's, if there is one, and whether it certainly is not.

    Of several machines at most one is the JobManager's. `masters` names that one, or it is where the scripts start.
    """
    if config.elements("container") or any(key.startswith("mesos.") for key in config.effective):
        return None, True
    workers = list(dict.fromkeys(host.lower() for host in config.hosts("workers") or config.hosts("slaves")))
    managers = {host.partition(":")[0].lower() for host in config.hosts("masters")}.difference(LOCAL_HOSTS)
    others = [host for host in workers if host not in LOCAL_HOSTS and host not in managers]
    return (others[-1] if others else None), bool(managers) or len(workers) > 1


def _compose(taskmanager: str = "", properties: str = "jobmanager.rpc.address: localhost") -> str:
    return (
        "services:\n  jobmanager:\n    image: flink:1.18\n    command: jobmanager\n"
        "  taskmanager:\n    image: flink:1.18\n    command: taskmanager\n" + taskmanager +
        f"    environment:\n      FLINK_PROPERTIES: |\n        {properties}\n        rest.port: 8081\n"
    )  # fmt: skip


_LINE = f"{_ADDRESS}: localhost\n"
_SHARED = (
    "services:\n  jobmanager:\n    image: flink:1.18\n    command: jobmanager\n    environment:\n"
    "      FLINK_PROPERTIES: &properties |\n        jobmanager.rpc.address: localhost\n"
    "  taskmanager:\n    image: flink:1.18\n    command: [taskmanager, -Djobmanager.rpc.address=jobmanager]\n"
    "    environment:\n      FLINK_PROPERTIES: *properties\n"
)


def cases() -> list[Case]:
    return [
        bad(_compose(), file="docker-compose.yml", at=_ADDRESS, says="the TaskManager of taskmanager looks"),
        bad(
            "services:\n  worker:\n    image: flink:1.18\n    command: taskmanager\n    environment:\n"
            "      JOB_MANAGER_RPC_ADDRESS: 127.0.0.1\n", file="docker-compose.yml", at=_ADDRESS,
        ),
        good(_compose("    network_mode: host\n"), file="docker-compose.yml"),
        good(_SHARED, file="docker-compose.yml"),
        good(_compose(properties="jobmanager.rpc.address: jobmanager"), file="docker-compose.yml"),
        good(_compose(properties="jobmanager.rpc.address: localhost\n        high-availability: zookeeper"),
             file="docker-compose.yml"),
        good("services:\n  jobmanager:\n    image: flink:1.18\n    command: jobmanager\n    environment:\n"
             "      FLINK_PROPERTIES: |\n        jobmanager.rpc.address: localhost\n", file="docker-compose.yml"),
        good(_LINE, file="conf/flink-conf.yaml", flink="1.16"),
        bad(_LINE, file="conf/flink-conf.yaml.j2", beside={"conf/workers": "flink-1\nflink-2\n"}, flink="1.16"),
        bad(_LINE, file="conf/flink-conf.yaml", beside={"conf/workers": "localhost\nflink-2\n"}, flink="1.16"),
        bad(_LINE, file="conf/flink-conf.yaml", flink="1.16", says="on flink-2 (workers)",
            beside={"conf/workers": "flink-2\n", "conf/masters": "flink-1:8081\n"}),
        good(_LINE, file="conf/flink-conf.yaml", flink="1.16",
             beside={"conf/workers": "flink-1\n", "conf/masters": "flink-1:8081\n"}),
        bad(_LINE, file="conf/flink-conf.yaml", flink="1.16", beside={"conf/workers": "flink-1\n"},
            severity=Severity.INFO, says="unless flink-1 is the JobManager's machine"),
        good(_LINE, file="conf/flink-conf.yaml.standalone", beside={"conf/workers": "flink-1\n"}, flink="1.13"),
        good(_LINE + "mesos.resourcemanager.tasks.cpus: 1\n", file="conf/flink-conf.yaml", flink="1.13",
             beside={"conf/slaves": "flink-1\n"}),
        *cases_in_folders(__file__),
    ]  # fmt: skip
