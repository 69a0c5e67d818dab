"""Under ZooKeeper high availability the JobManager does not listen on `jobmanager.rpc.port`.

## What it does
Reports `jobmanager.rpc.port` in a standalone cluster with ZooKeeper high availability whose
`high-availability.jobmanager.port` is 0, which it is by default. It is a warning where the port is another than the
usual 6123, which somebody must have chosen, and advice otherwise.

## Why it matters
JobManagers then take `high-availability.jobmanager.port` instead, and 0 means any free port, another one after each
start. TaskManagers read it in ZooKeeper, but a firewall, a network policy or a Kubernetes service lets only the port
pass that was planned: the leader is known, and nobody reaches it.

## What to do
Set `high-availability.jobmanager.port` to one port or a range, such as 50010-50025, and open these.

## Not when
Flink itself starts the JobManager: on native Kubernetes and with the operator the port is `jobmanager.rpc.port`, on
YARN it is any. With Kubernetes high availability `jobmanager.rpc.port` counts.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#high-availability-jobmanager-port>: the
  option and its default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/zookeeper_ha/#zookeeper-ha-services>: ports
  of standalone JobManagers
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import ZOOKEEPER, mode
from flink_flint.rules.kubernetes._examples import deployment

_PORT = "jobmanager.rpc.port"
_HA_PORT = "high-availability.jobmanager.port"
_USUAL = 6123


@rule(
    code="FLK421",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_PORT],
    flink=">=1.0",
    of_scale=True,
    since="0.1",
)
def rpc_port_under_zookeeper(config: View) -> Iterator[Finding]:
    """the JobManager does not listen on jobmanager.rpc.port but on any free port"""
    setting, port = config.get(_PORT), config.integer(_PORT)
    if port is None or not setting.is_set or mode(config) != ZOOKEEPER or _is_started_by_flink(config):
        return
    if config.string(_HA_PORT) != "0":
        return
    yield setting.finding(
        f"with ZooKeeper high availability the JobManager does not listen on {port} but on any free port: what is open"
        f" for {port} alone keeps TaskManagers from the leader",
        help=f"set {_HA_PORT}: {port}",
        severity=Severity.INFO if port == _USUAL else None,
        related=[config.get(_HA_PORT)],
    )


def _is_started_by_flink(config: View) -> bool:
    return config.platform in ("operator", "yarn", "emr") or any(config.under("kubernetes."))


_HA = "high-availability: zookeeper\n"


def cases() -> list[Case]:
    return [
        bad(f"{_HA}{_PORT}: 6200\n", at=_PORT, flink="1.14", severity=Severity.WARNING, says="does not listen on 6200"),
        bad(f"{_HA}{_PORT}: 6123\n", at=_PORT, flink="1.20", severity=Severity.INFO),
        bad(f"high-availability.type: ZOOKEEPER\n{_PORT}: 6124\n{_HA_PORT}: 0\n", severity=Severity.WARNING),
        bad(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: jobmanager\nspec:\n  template:\n    spec:\n"
            "      containers:\n        - name: jobmanager\n          image: flink:1.18\n          args: [jobmanager]\n"
            "          env:\n            - name: FLINK_PROPERTIES\n              value: |\n"
            f"                {_HA.strip()}\n                {_PORT}: 6200\n", file="flink.yaml", at=_PORT,
        ),
        bad(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-config\ndata:\n  flink-conf.yaml: |\n"
            f"    {_HA}    {_PORT}: 6200\n    rest.port: 8081\n", file="config.yml", flink="1.14", at=_PORT,
        ),
        good(deployment(f"{_HA}{_PORT}: 6200"), file="deployment.yaml"),
        good(f"{_HA}{_PORT}: 6200\n{_HA_PORT}: 6200\n", flink="1.14"),
        good(f"{_HA}{_PORT}: 6200\n{_HA_PORT}: ${{PORT}}\n", flink="1.14"),
        good(f"{_HA}{_PORT}: ${{PORT}}\n", flink="1.14"),
        good(f"{_HA}rest.port: 6200\n", flink="1.14"),
        good(f"high-availability.type: kubernetes\n{_PORT}: 6200\n"),
        good(f"{_PORT}: 6200\n"),
        good(f"{_HA}{_PORT}: 6200\nyarn.application-attempts: 2\n", flink="1.14"),
        good(f"{_HA}{_PORT}: 6200\nkubernetes.cluster-id: orders\n", flink="1.14"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [flink_ignores("RPC ports", f"{_PORT}: 6200\n", both=_HA)]
