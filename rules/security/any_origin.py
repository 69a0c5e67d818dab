"""Any web page may call a REST endpoint that is published for the machine alone.

## What it does
Reports a port of a JobManager's container that Docker publishes on the machine's own address (`127.0.0.1:8081:8081`)
while `web.access-control-allow-origin` is `*`, its default, and nobody is asked for a certificate.

## Why it matters
With the address nobody on the network reaches the endpoint, but every web page that is open in a browser of this
machine does: it asks `http://localhost:8081`, and Flink's answers carry `Access-Control-Allow-Origin: *`, which tells
the browser to hand them over. So a page from anywhere may list jobs and settings, upload a jar and run it.

## What to do
Set `web.access-control-allow-origin` to the origin of the web interface, `http://localhost:8081`. The interface itself
works with any value: it is of the same origin.

## Not when
An origin is named; certificates are asked for. What is published on all addresses is told by `rest-exposed`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#web-access-control-allow-origin>: for
  all responses of the web frontend
- <https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Access-Control-Allow-Origin>: what `*` allows
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.security._exposure import authenticates, rest_ports

_ORIGIN = "web.access-control-allow-origin"
_OWN = ("127.0.0.1", "localhost", "::1", "[::1]")


@rule(
    code="FLK949",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:container"],
    only=["element:container"],
    of_scale=True,
    since="0.1",
)
def any_origin(config: View) -> Iterator[Finding]:
    """any web page may call a REST endpoint that is published for the machine alone"""
    origin = config.get(_ORIGIN)
    if origin.value != "*" or authenticates(config):
        return
    for part, number, member in rest_ports(config):
        published = member.value("published")
        if published is None or member.text("address") not in _OWN:
            continue
        message = (
            f"every web page open in a browser of this machine may call the REST endpoint on port {published}: Flink"
            " allows any origin"
        )
        place = f"ports[{number}].published"
        advice = f"set {_ORIGIN}: http://localhost:{published}"
        if origin.is_set:
            yield origin.finding(message, help=advice, related=[part.place(place, "the published port")])
        else:
            yield part.finding(message, of=place, help=advice)
        return


_COMPOSE = """services:
  jobmanager:
    image: flink:1.20.1
    command: {command}
    ports:
      - "{port}"
    environment:
      FLINK_PROPERTIES: "{properties}"
"""


def _compose(port: str, properties: str = "parallelism.default: 2", command: str = "jobmanager") -> str:
    return _COMPOSE.format(port=port, properties=properties, command=command)


_TLS = "jobmanager -Dsecurity.ssl.rest.enabled=true -Dsecurity.ssl.rest.authentication-enabled=true"


def cases() -> list[Case]:
    return [
        bad(
            _compose("127.0.0.1:8081:8081"), file="compose.yaml", at="8081", severity=Severity.INFO, says="on port 8081"
        ),
        bad(_compose("localhost:80:8081", f"{_ORIGIN}: *"), file="compose.yaml", at=_ORIGIN, says="on port 80"),
        bad(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.20.1\n"
            "    command: jobmanager\n"
            "    ports:\n"
            '      - "127.0.0.1:8081:8081"\n'
            '      - "127.0.0.1:8082:8081"\n'
            "    environment:\n"
            '      FLINK_PROPERTIES: "parallelism.default: 2"\n',
            file="compose.yaml",
        ),
        bad(_compose("127.0.0.1:9000:9000", "rest.port: 9000"), file="compose.yaml", says="on port 9000"),
        good(_compose("127.0.0.1:8081:8081", f"{_ORIGIN}: http://localhost:8081"), file="compose.yaml"),
        good(_compose("127.0.0.1:8081:8081", f"{_ORIGIN}: ${{ORIGIN}}"), file="compose.yaml"),
        good(_compose("8081:8081"), file="compose.yaml"),
        good(_compose("127.0.0.1:6123:6123"), file="compose.yaml"),
        good(_compose("127.0.0.1:${PORT}:8081"), file="compose.yaml"),
        good(_compose("127.0.0.1:8081:8081", command="taskmanager"), file="compose.yaml"),
        good(_compose("127.0.0.1:8081:8081", command=_TLS), file="compose.yaml"),
    ]
