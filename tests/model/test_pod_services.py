"""The Services that reach the processes of a deployment, and the Ingresses that lead to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.deployments import deployments_of, place_of, read_project
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.processes.process import Process
from flink_flint.linter.model.processes.reaching_services import as_text

PODS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-jm}
spec:
  template:
    metadata: {labels: {app: orders, component: jobmanager, app.kubernetes.io/part-of: shop}}
    spec:
      containers: [{name: jobmanager, image: "flink:1.20.1", args: [jobmanager]}]
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: flink-ui}
spec:
  type: NodePort
  selector: {app: orders, component: jobmanager}
  ports: [{name: rest, port: 80, targetPort: 8081, nodePort: 30081}, {port: 6123}]
"""
INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: flink-ui}
spec:
  rules:
  - host: orders.example.org
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: flink-ui, port: {number: 80}}}}]}
"""
OLD_INGRESS = """\
apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: flink-ui}
spec:
  rules: [{host: orders.example.org, http: {paths: [{backend: {serviceName: flink-ui, servicePort: 80}}]}}]
"""
ROUTE = """\
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: flink-ui}
spec: {host: orders.example.org, to: {kind: Service, name: flink-ui}}
"""
HTTP_ROUTE = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: flink-ui}
spec:
  hostnames: [orders.example.org]
  rules: [{backendRefs: [{name: flink-ui, port: 80}]}]
"""
DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: flink:1.20.1
  flinkVersion: v1_20
  jobManager: {resource: {memory: 2g, cpu: 1}}
  taskManager: {resource: {memory: 4g, cpu: 1}}
"""
UI = "flink-ui (NodePort) 80:8081 (node port 30081) 6123"


def deployed(folder: Path, **files: str) -> list[tuple[str, Process]]:
    """Return the processes of files given by their path with two underscores for a slash, with their paths."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    sources = [source for source in find([str(folder)]) if isinstance(source, Source)]
    found = deployments_of(read_project(sources, Options()), place_of([str(folder)], sources), Options())
    return [(str(Path(one.document.path).relative_to(folder)), process) for one in found for process in one.processes]


def services(folder: Path, **files: str) -> dict[str, list[str]]:
    """Return the Services of each process, by its role."""
    return {process.role: as_text(process.services) for _, process in deployed(folder, **files)}


def test_a_service_reaches_the_pods_whose_labels_it_selects(tmp_path: Path) -> None:
    assert services(tmp_path, pods=PODS, service=SERVICE) == {"jobmanager": [UI]}


@pytest.mark.parametrize(
    "service",
    [
        SERVICE.replace("app: orders", "app: flink-bills"),
        SERVICE.replace("component: jobmanager", "component: taskmanager"),
        SERVICE.replace("component: jobmanager", "component: jobmanager, release: flink"),
        SERVICE.replace("name: flink-ui", "name: flink-ui, namespace: other"),
        SERVICE.replace("app: orders, component: jobmanager", ""),
        SERVICE.replace("app: orders", "app: {{ name }}"),
    ],
)
def test_a_service_with_other_labels_or_of_another_namespace_does_not(service: str, tmp_path: Path) -> None:
    pods = PODS.replace("name: flink-jm", "name: flink-jm, namespace: shop")
    assert services(tmp_path, pods=pods, service=service) == {"jobmanager": []}


def test_labels_may_contain_dots_and_slashes(tmp_path: Path) -> None:
    selecting = SERVICE.replace("app: orders, component: jobmanager", "app.kubernetes.io/part-of: shop")
    assert services(tmp_path, pods=PODS, service=selecting) == {"jobmanager": [UI]}


def test_a_service_selects_the_pods_nearest_to_it(tmp_path: Path) -> None:
    found = deployed(tmp_path, dev__pods=PODS, prod__pods=PODS, prod__service=SERVICE)
    assert {path: len(process.services) for path, process in found} == {"dev/pods.yaml": 0, "prod/pods.yaml": 1}


@pytest.mark.parametrize("route", [INGRESS, OLD_INGRESS, ROUTE, HTTP_ROUTE])
def test_an_ingress_or_route_leads_to_a_service(route: str, tmp_path: Path) -> None:
    kind = next(line.removeprefix("kind: ") for line in route.splitlines() if line.startswith("kind: "))
    found = services(tmp_path, pods=PODS, service=SERVICE, route=route)
    assert found == {"jobmanager": [f"{UI}, {kind} orders.example.org"]}


def test_a_route_to_another_service_does_not_lead_to_the_process(tmp_path: Path) -> None:
    other = INGRESS.replace("service: {name: flink-ui", "service: {name: flink-docs")
    assert services(tmp_path, pods=PODS, service=SERVICE, route=other) == {"jobmanager": [UI]}


def test_a_closed_service_with_an_ingress_is_open(tmp_path: Path) -> None:
    closed = SERVICE.replace("  type: NodePort\n", "").replace(", nodePort: 30081", "")
    ((_, process),) = deployed(tmp_path, pods=PODS, service=closed)
    assert [one.is_open for one in process.services] == [False]
    ((_, process),) = deployed(tmp_path, pods=PODS, service=closed, route=INGRESS)
    assert [one.is_open for one in process.services] == [True]


def test_the_operator_creates_two_services_of_the_jobmanager(tmp_path: Path) -> None:
    assert services(tmp_path, flink=DEPLOYMENT) == {
        "jobmanager": ["orders-rest (ClusterIP) 8081", "orders (Headless) 6123 6124"],
        "taskmanager": [],
    }


def test_with_high_availability_native_kubernetes_needs_no_service_for_taskmanagers(tmp_path: Path) -> None:
    available = f"{DEPLOYMENT}  flinkConfiguration: {{high-availability.type: kubernetes}}\n"
    assert services(tmp_path, flink=available)["jobmanager"] == ["orders-rest (ClusterIP) 8081"]
    standalone = f"{available}  mode: standalone\n"
    assert services(tmp_path, flink=standalone)["jobmanager"][1] == "orders (Headless) 6123 6124"


def test_settings_and_ingress_of_a_resource_decide_how_its_service_is_reached(tmp_path: Path) -> None:
    opened = (
        f"{DEPLOYMENT}  ingress: {{template: 'orders.example.org'}}\n"
        "  flinkConfiguration: {kubernetes.rest-service.exposed.type: LoadBalancer, rest.port: '9999'}\n"
    )
    first = services(tmp_path, flink=opened)["jobmanager"][0]
    assert first == "orders-rest (LoadBalancer) 9999, Ingress orders.example.org"


def test_a_service_and_an_ingress_reach_the_pods_of_a_resource(tmp_path: Path) -> None:
    to_rest = INGRESS.replace("service: {name: flink-ui", "service: {name: orders-rest")
    found = services(tmp_path, flink=DEPLOYMENT, service=SERVICE, route=to_rest)
    assert found["jobmanager"] == [
        UI, "orders-rest (ClusterIP) 8081, Ingress orders.example.org", "orders (Headless) 6123 6124",
    ]  # fmt: skip
    assert found["taskmanager"] == []


def test_the_labels_of_other_operators_are_known(tmp_path: Path) -> None:
    cluster = """\
apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: orders}
spec:
  flinkVersion: "1.14"
  image: {name: acme/orders:3}
  taskManager: {replicas: 3}
"""
    selecting = SERVICE.replace("app: orders", "cluster: orders")
    assert services(tmp_path, flink=cluster, service=selecting)["jobmanager"] == [UI]


def test_work_does_not_grow_with_services_times_pods(tmp_path: Path) -> None:
    """A label that hundreds of pods have is no evidence of which of them a Service means."""
    files = {
        f"pods{part}": "---\n".join(PODS.replace("flink-jm", f"flink-jm-{part}-{number}") for number in range(67))
        for part in range(3)
    }
    found = deployed(tmp_path, **files, service=SERVICE)
    assert len(found) == 201
    assert not any(process.services for _, process in found)
