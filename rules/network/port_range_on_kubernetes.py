"""Native Kubernetes takes one port where the configuration gives several.

## What it does
Reports a range or list of ports in `taskmanager.rpc.port`, `blob.server.port`, `rest.bind-port` and, with high
availability, `high-availability.jobmanager.port`, where Flink itself or the operator asks Kubernetes for the pods.

## Why it matters
A pod and its service name each port, so Flink wants to know it before anything runs. The client, or the operator, ends
with `taskmanager.rpc.port should be specified to a fixed port. Do not support a range of ports.`, and nothing is
deployed. On YARN and on machines of one's own, where several processes share a host, ranges are right, which is where
such a line mostly comes from.

## What to do
Delete the line, or write one port: each pod has an address of its own. Flink puts 6122, 6124, 8081 and
`jobmanager.rpc.port` in the place of a 0.

## Not when
Pods that somebody else describes (a Deployment with Flink's image) may use any port.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-kubernetes/src/main/java/org/apache/flink/kubernetes/utils/KubernetesUtils.java>:
  `parsePort` and `checkAndUpdatePortConfigOption`
- <https://github.com/apache/flink/blob/release-1.20/flink-kubernetes/src/main/java/org/apache/flink/kubernetes/KubernetesClusterDescriptor.java>:
  for which ports
"""

from collections.abc import Iterator

from flink_flint.linter.flink.grammars.texts import PORT_RANGE, PORT_RANGE_OF_TWO
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.network._native import is_on_native_kubernetes

_HA_PORT = "high-availability.jobmanager.port"
_PORTS = {"taskmanager.rpc.port": 6122, "blob.server.port": 6124, "rest.bind-port": 8081, _HA_PORT: 6123}
"""What Flink puts in the place of a 0."""


@rule(
    code="FLK510",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=list(_PORTS),
    flink=">=1.10",
    since="0.1",
)
def port_range_on_kubernetes(config: View) -> Iterator[Finding]:
    """native Kubernetes takes one port where the configuration gives several"""
    if not is_on_native_kubernetes(config):
        return
    for key, usual in _PORTS.items():
        setting, text = config.get(key), config.string(key)
        if text is None or not setting.is_set or ("-" not in text and "," not in text):
            continue
        if not (PORT_RANGE_OF_TWO if config.since("1.19") else PORT_RANGE).takes(text):
            continue  # what names no ports is refused everywhere
        if key == _HA_PORT and mode(config) in (NONE, UNKNOWN):
            continue
        yield setting.finding(
            f"nothing is deployed on Kubernetes with {setting.written}: {text}, as the pod has to name one port",
            help=f"write {usual}, or delete the line",
            fix=setting.replace(str(usual)),
        )


_NATIVE = "kubernetes.container.image: flink:1.16\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_NATIVE}taskmanager.rpc.port: 50100-50200\n",
            at="taskmanager.rpc.port",
            flink="1.16",
            says="with taskmanager.rpc.port: 50100-50200",
            fixed=f"{_NATIVE}taskmanager.rpc.port: 6122\n",
        ),
        bad("execution.target: kubernetes-session\nrest.bind-port: 8081-8090\n", flink="1.20"),
        good("execution.target: kubernetes-session\nrest.bind-port: 8081-8081\n", flink="1.20"),
        bad("execution.target: kubernetes-session\nrest.bind-port: 8081-8081\n", flink="1.18"),
        good("execution.target: remote\nrest.bind-port: 8081-8090\n", flink="1.20"),
        bad(deployment('blob.server.port: "6124,6125"'), file="deployment.yaml", at="blob.server.port"),
        bad(
            deployment("rest.bind-port: 8081-8090"),
            file="deployment.yaml",
            at="rest.bind-port",
            severity=Severity.ERROR,
        ),
        bad(deployment(f"high-availability.type: kubernetes\n{_HA_PORT}: 1-5"), file="deployment.yaml", at=_HA_PORT),
        good(deployment(f"{_HA_PORT}: 50010-50025"), file="deployment.yaml"),
        good(deployment(f"high-availability.type: ${{HA}}\n{_HA_PORT}: 50010-50025"), file="deployment.yaml"),
        good(f"{_NATIVE}taskmanager.rpc.port: 6122\nblob.server.port: 0\n", flink="1.16"),
        good(f"{_NATIVE}metrics.internal.query-service.port: 50100-50200\n", flink="1.16"),
        good(f"{_NATIVE}taskmanager.rpc.port: ${{PORTS}}-1\n", flink="1.16"),
        good("kubernetes.cluster-id: orders\ntaskmanager.rpc.port: 50100-50200\n", flink="1.16"),
        good("taskmanager.rpc.port: 50100-50200\n", flink="1.16"),
        good("yarn.application-attempts: 2\ntaskmanager.rpc.port: 50100-50200\n", flink="1.16"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "Kubernetes ports",
            "taskmanager.rpc.port: 50100-50200\n",
            good="taskmanager.rpc.port: 6122\n",
            both="kubernetes.container.image: flink\n",
            releases=">=1.10",
        ),
        flink_refuses(
            "Kubernetes ports",
            "blob.server.port: 6124,6125\n",
            good="blob.server.port: 6124\n",
            both="kubernetes.container.image: flink\n",
            releases=">=1.10",
        ),
        flink_refuses(
            "Kubernetes ports",
            "rest.bind-port: 8081-8090\n",
            good="rest.bind-port: 8081\n",
            both="kubernetes.container.image: flink\n",
            releases=">=1.10",
        ),
    ]
