"""All ports are fixed but the one from which TaskManagers fetch jars.

## What it does
Where `taskmanager.rpc.port` and `taskmanager.data.port` (or the ports of a Service) are fixed, as one does for a
firewall, it reports `blob.server.port` that is 0 or not set.

## Why it matters
The blob server then takes any free port. TaskManagers register without trouble, and the first job fails when they come
for its jar: `Could not connect to BlobServer`.

## What to do
Set `blob.server.port: 6124`, or a range where several JobManagers share a machine.

## Not when
The official image sets 6124; YARN and native Kubernetes open what they need; the ports of the TaskManager are free as
well.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#blob-server-port>: any port by default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/security/security-ssl/>: the ports of a cluster
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_PORT = "blob.server.port"
_FIXED = ("taskmanager.rpc.port", "taskmanager.data.port")


@rule(
    code="FLK109",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[*_FIXED, _PORT],
    since="0.1",
)
def blob_port_random(config: View) -> Iterator[Finding]:
    """all ports are fixed but the one from which TaskManagers fetch jars"""
    if config.platform not in (None, "standalone") or config.elements("container") or not config.document.whole:
        return
    settings = [config.get(key) for key in _FIXED]
    if not all(setting.is_known and setting.text.strip() not in ("0", "") for setting in settings):
        return
    port = config.get(_PORT)
    if not port.is_known or (port.is_set and port.text.strip() != "0"):
        return
    yield (port if port.is_set else settings[1]).finding(
        "the ports of the TaskManagers are fixed, and the blob server takes any: behind a firewall the first job fails"
        " when they come for its jar",
        help=f"set {_PORT}: 6124",
        related=settings,
        fix=port.replace("6124"),
    )


_BOTH = "taskmanager.rpc.port: 6122\ntaskmanager.data.port: 6121\n"


def cases() -> list[Case]:
    return [
        bad(_BOTH, at="taskmanager.data.port", flink="1.18"),
        bad(f"{_BOTH}{_PORT}: 0\n", at=_PORT, flink="1.18", fixed=f"{_BOTH}{_PORT}: 6124\n"),
        good(f"{_BOTH}{_PORT}: 6124\n", flink="1.18"),
        good("taskmanager.rpc.port: 6122\n", flink="1.18"),
        good("taskmanager.rpc.port: 6122\ntaskmanager.data.port: 0\n", flink="1.18"),
        good(_BOTH, flink="1.18", platform="kubernetes"),
        bad(_BOTH, flink="1.18", platform="standalone"),
        good("taskmanager.rpc.port: 6122\ntaskmanager.data.port: ${PORT}\n", flink="1.18"),
        good(f"{_BOTH}{_PORT}: ${{PORT}}\n", flink="1.18"),
        good("taskmanager.data.port: 6121\n", flink="1.18"),
        good(
            "services:\n  jobmanager:\n    image: flink:1.18\n    command: jobmanager\n    environment:\n"
            "      FLINK_PROPERTIES: |\n        taskmanager.rpc.port: 6122\n        taskmanager.data.port: 6121\n",
            file="docker-compose.yml",
            platform="standalone",
        ),
    ]
