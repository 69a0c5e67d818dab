"""The JobManager's address is none of the names in the Compose file.

## What it does
Compares `jobmanager.rpc.address` (or `JOB_MANAGER_RPC_ADDRESS`) of containers in a Compose file that has a JobManager
with the names of its services and containers, their host names, aliases, links and `extra_hosts`.

## Why it matters
Docker's DNS knows the services of the project, but not the address. The TaskManager logs *"Could not resolve
ResourceManager address …, retrying"* and ends after `taskmanager.registration.timeout` (5 min); jobs wait for slots and
fail with `NoResourceAvailableException`. This mostly happens when a service is renamed or doubled for high
availability.

## What to do
Set the address to the name of the JobManager's service. Two JobManagers need high availability, and each its own
address.

## Not when
- A network is external or has a name of its own, the file includes others, or another Compose file of the folder has a
  service of that name.
- The address is an IP address, a domain, or contains the name of a service (`flink_jobmanager_1`).
- The containers share a network of another kind (`network_mode`).

## Sources
- <https://docs.docker.com/compose/how-tos/networking/>: the names by which services reach each other
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#jobmanager-rpc-address>: who reads it
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._clusters import ADDRESS_KEY, tells_all


@rule(
    code="FLK081",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:compose-network"],
    scope="project",
    compares=["folder"],
    since="0.1",
)
def address_of_no_service(project: Project) -> Iterator[Finding]:
    """the JobManager's address is none of the names in the Compose file"""
    folders: dict[str, list[View]] = defaultdict(list)
    for config in project.views:
        if config.document.kind == "compose" and config.platform == "compose":
            folders[config.document.directory].append(config)
    for views in folders.values():
        yield from _judge(views)


def _judge(views: list[View]) -> Iterator[Finding]:
    """Yield a finding for each unknown address in the Compose files of a folder."""
    if not all(config.elements("compose-network") for config in views):
        return
    names = {
        str(host.value)
        for config in views
        for network in config.elements("compose-network")
        for host in network.element.listed("hosts")
    }
    wrong: dict[tuple[str, str], list[Setting]] = defaultdict(list)
    for config in views:
        setting = config.get(ADDRESS_KEY)
        if _is_of_cluster(config) and setting.is_set and setting.is_known and not _is_reachable(setting.text, names):
            wrong[os.path.normpath(config.document.path), setting.text].append(setting)
    for (_, address), settings in wrong.items():
        yield settings[0].finding(
            f"no service, host or alias of this Compose file is called {address}: TaskManagers do not find the"
            " JobManager there and never register",
            help=f"set {ADDRESS_KEY} to the name of the JobManager's service",
            related=settings[1:],
        )


def _is_of_cluster(config: View) -> bool:
    """Return whether a document has a JobManager or TaskManager all of whose settings are known."""
    containers = config.elements("container", "neighbor")
    if not any(one.text("role") == "jobmanager" for one in containers):
        return False
    processes = [one for one in config.processes if one.role in ("jobmanager", "taskmanager")]
    return bool(processes) and all(tells_all(config, one) and not one.has("network") for one in processes)


def _is_reachable(address: str, names: set[str]) -> bool:
    address = address.strip()
    if not address or address in LOCAL_HOSTS or any(sign in address for sign in ".:/${"):
        return True
    return any(name in address for name in names)


_COMPOSE = """services:
  jm1:
    image: flink:1.18.1
    command: jobmanager
    environment: [JOB_MANAGER_RPC_ADDRESS={address}]{more}
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    environment: [JOB_MANAGER_RPC_ADDRESS={address}]
"""


def _file(address: str = "leader", more: str = "") -> str:
    return _COMPOSE.format(address=address, more=more and f"\n    {more}")


def cases() -> list[Case]:
    file = "docker-compose.yml"
    return [
        bad(_file(), file=file, severity=Severity.WARNING, at="leader", says="is called leader"),
        bad(_file(more="networks: [inner]") + "networks: {inner: {}}\n", file=file),
        good(_file("jm1"), file=file),
        good(_file("shop_jm1_1"), file=file),
        good(_file("leader.example.com"), file=file),
        good(_file(more="hostname: leader"), file=file),
        good(_file(more="container_name: leader"), file=file),
        good(_file(more="networks: {inner: {aliases: [leader]}}") + "networks: {inner: {}}\n", file=file),
        good(_file(more="extra_hosts: ['leader:10.0.0.1']"), file=file),
        good(_file(more="links: ['taskmanager:leader']"), file=file),
        good(_file(more="networks: [outer]") + "networks: {outer: {external: true}}\n", file=file),
        good(_file() + "  leader: {image: nginx}\n", file=file),
        good(_file() + "  leader: {build: .}\n", file=file),
        good(_file("${LEADER}"), file=file),
        good(_file(more="network_mode: host").replace("    command: task", "    network_mode: host\n    command: task"),
             file=file),
        good(_file(), file=file, beside={"compose.other.yml": "services:\n  leader:\n    image: flink:1.18.1\n"}),
        good(f"include: [other.yml]\n{_file()}", file=file),
    ]  # fmt: skip
