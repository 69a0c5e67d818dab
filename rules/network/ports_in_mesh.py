"""A service mesh stands between Flink's processes, whose ports tell it no protocol.

## What it does
Reports, as advice, a pod template of the operator that asks for Istio's sidecar (`sidecar.istio.io/inject: "true"`, as
a label or an annotation) and keeps no port from it. Being opt-in it speaks only where it is selected.

## Why it matters
JobManager and TaskManagers talk over TCP in protocols of their own: RPC on 6123 and 6122, files on 6124, data on a port
of each TaskManager, metrics on another. A sidecar takes all of these connections. It knows a port's protocol by the
port's name (`tcp-...`) or its `appProtocol`. The Services and pods that Flink makes say neither, and no option makes
them. What the mesh then does is its guess: with mutual TLS demanded, processes do not find each other; without it, each
connection waits first for bytes to guess by.

## What to do
Keep Flink's own ports out of the mesh, in both directions and on both kinds of pods, with the ports fixed
(`taskmanager.rpc.port`, `taskmanager.data.port`, `blob.server.port`, `metrics.internal.query-service.port`), and let
Flink encrypt between its processes (`security.ssl.internal.enabled`). Or leave the pods without a sidecar.

## Not when
The template excludes ports (`traffic.sidecar.istio.io/excludeInboundPorts` or `excludeOutboundPorts`), or the mesh is
told of these ports elsewhere.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-28171>, <https://github.com/apache/flink/pull/22393>: what JobManager and
  TaskManagers lack to talk to each other with Istio and mutual TLS; in 1.20.5 and 2.3.0 no class of Flink's that makes
  pods and Services names a protocol
- <https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/>: names, `appProtocol`, guesses
- <https://istio.io/latest/docs/reference/config/annotations/>: ports left out
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._pods import TEMPLATES
from flink_flint.rules.network._sidecars import INJECT, sidecars


@rule(
    code="FLK518",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    when=["element:kubernetes-object"],
    since="0.1",
    pedantic=True,
)
def ports_in_mesh(config: View) -> Iterator[Finding]:
    """Flink's own ports go through a service mesh, which they tell no protocol"""
    for resource, name in sidecars(config, TEMPLATES):
        yield resource.finding(
            "Flink's own connections go through Istio's sidecar, which no port of theirs tells its protocol: with"
            " mutual TLS the processes may not find each other",
            of=name,
            key=name,
            help="keep Flink's ports out of the mesh (excludeInboundPorts, excludeOutboundPorts), and fix them",
        )


_LABEL = f'labels: {{{INJECT}: "true"}}'


def _pods(metadata: str, template: str = "podTemplate") -> str:
    return deployment(spec=f"{template}:\n  metadata:\n    {metadata}\n")


def cases() -> list[Case]:
    annotation = f'annotations: {{{INJECT}: "true"%s}}'
    return [
        bad(_pods(_LABEL), file="deployment.yaml", at='"true"', severity=Severity.INFO, says="go through Istio"),
        bad(_pods(annotation % ""), file="deployment.yaml", at=f"spec.podTemplate.metadata.annotations.{INJECT}"),
        bad(deployment(spec=f"jobManager:\n  podTemplate:\n    metadata:\n      {_LABEL}\n"), file="deployment.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  serviceAccount: flink\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n"
            "  podTemplate:\n"
            "    metadata:\n"
            '      labels: {sidecar.istio.io/inject: "false"}\n',
            file="deployment.yaml",
        ),
        good(_pods(annotation % ', traffic.sidecar.istio.io/excludeInboundPorts: "6122"'), file="deployment.yaml"),
        good(_pods("labels: {app: orders}"), file="deployment.yaml"),
    ]
