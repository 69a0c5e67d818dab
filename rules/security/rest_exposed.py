"""The REST endpoint of the JobManager is open to a network.

## What it does
Reports a port of a JobManager's container that Docker publishes on all addresses of its host (`"8081:8081"`) while the
REST endpoint does not ask its clients for a certificate.

## Why it matters
Whoever reaches the endpoint can submit a job, and a job is a program that runs on the cluster with all it may reach:
the secrets in its configuration, its state, its network. That is how Flink is meant to work, and no bug. Docker
publishes past the firewall rules of the host (`ufw`, `firewalld`), so that such a port is often open to more than its
author believes; scanners find it within hours.

## What to do
Publish it for the machine itself, `"127.0.0.1:8081:8081"`, and put a proxy that authenticates before it; or switch on
`security.ssl.rest.enabled` with `security.ssl.rest.authentication-enabled`.

## Not when
The port is published on one address (`127.0.0.1:8081:8081`), or TLS with client certificates is on. On a developer's
machine the finding is advice.

## Sources
- <https://flink.apache.org/what-is-flink/security/>: Flink executes arbitrary code of whoever may access it, by design
- <https://docs.docker.com/engine/network/packet-filtering-firewalls/>: published ports and firewalls
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/security/security-ssl/>: REST with certificates
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.security._exposure import WHEN, authenticates, doors


@rule(
    code="FLK940",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=WHEN,
    of_scale=True,
    since="0.1",
)
def rest_exposed(config: View) -> Iterator[Finding]:
    """the REST endpoint of the JobManager is open to a network"""
    if authenticates(config):
        return
    for part, attribute, what, is_short in doors(config):
        yield part.finding(
            f"the REST endpoint is published on {what} and asks nobody who they are: whoever reaches it runs programs"
            " of their own here",
            of=attribute,
            help='publish it for the machine alone ("127.0.0.1:8081:8081"), behind a proxy that authenticates',
            fix=_for_this_machine(part, attribute) if is_short else None,
        )


def _for_this_machine(part: ElementView, attribute: str) -> Fix | None:
    """A fix of a port's short form: the machine's own address in place of the one it has, or before the port."""
    title = "publish it for this machine alone"
    address = attribute.replace(".published", ".address")
    if address in part.element.attributes:
        return part.replace(address, "127.0.0.1", title=title)
    return part.replace(attribute, f"127.0.0.1:{part.element.attributes[attribute].raw}", title=title)


_COMPOSE = """services:
  jobmanager:
    image: flink:1.20.1
    command: jobmanager
    ports:
      - {}
  taskmanager:
    image: flink:1.20.1
    command: taskmanager
    ports:
      - "8081"
    environment:
      FLINK_PROPERTIES: "jobmanager.rpc.address: jobmanager"
"""

_DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: jobmanager
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.20.1
          args: [jobmanager]
          ports:
            - containerPort: 8081
"""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE.format('"8081:8081"'),
            file="docker-compose.yml",
            at="8081",
            severity=Severity.WARNING,
            fixed=_COMPOSE.format('"127.0.0.1:8081:8081"'),
        ),
        bad(_COMPOSE.format("8081:8081"), file="docker-compose.yml", profile="development", severity=Severity.INFO),
        bad(
            _COMPOSE.format('"0.0.0.0:18081:8081/tcp"'),
            file="docker-compose.yml",
            says="port 18081",
            fixed=_COMPOSE.format('"127.0.0.1:18081:8081/tcp"'),
        ),
        bad(
            _COMPOSE.format("{target: 8081, published: 80}"),
            file="compose.yaml",
            says="port 80",
            fixed=_COMPOSE.format("{target: 8081, published: 80}"),
        ),
        bad(_COMPOSE.format('"8081"'), file="compose.yaml", at="8081", says="a port"),
        good(_COMPOSE.format('"127.0.0.1:8081:8081"'), file="docker-compose.yml"),
        good(_COMPOSE.format('"6123:6123"'), file="docker-compose.yml"),
        good(_COMPOSE.format("{target: 8081, published: 80, host_ip: 127.0.0.1}"), file="compose.yaml"),
        good(_COMPOSE.format('"${ADDRESS}:8081:8081"'), file="docker-compose.yml"),
        bad(_DEPLOYMENT + "              hostPort: 80\n", file="deployment.yaml", says="port 80"),
        good(_DEPLOYMENT, file="deployment.yaml"),
        *cases_in_folders(__file__),
    ]
