"""TaskManagers that share a machine's network all want the same port.

## What it does
Looks for a single fixed port in `taskmanager.data.port`, `taskmanager.rpc.port`, `taskmanager.collect-sink.port` and
`metrics.internal.query-service.port`, and for a debugger's in `env.java.opts.all` and `env.java.opts.taskmanager`
(`-agentlib:jdwp=…address=5005`), where several TaskManagers may run on one machine in its own network: on YARN, and
with `kubernetes.hostnetwork.enabled`. There `taskmanager.rpc.port` is left out.

## Why it matters
The first TaskManager of a machine gets the port, the second fails with a BindException and ends. The resource manager
asks for another one, which may be put on the same machine again: the job waits for slots while containers come and go.

## What to do
Take the line out, so that each takes any free port, or give a range (`50100-50200`) where a firewall needs one and the
option takes it.

## Not when
The port is 0 or a range. On Kubernetes with a network for each pod. `prometheus-port` speaks about the ports of
reporters.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-rpc-port>: a list or range
  avoids collisions on one machine
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#kubernetes-hostnetwork-enabled>: pods in
  the network of their node
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.jvm_options import split_options
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.lazy_regex import regex

_RPC = "taskmanager.rpc.port"
_PORTS = (
    "taskmanager.data.port", _RPC, "taskmanager.collect-sink.port", "metrics.internal.query-service.port",
)  # fmt: skip
_OPTIONS = ("env.java.opts.all", "env.java.opts.taskmanager")
_HOST_NETWORK = "kubernetes.hostnetwork.enabled"
_DEBUGGER = regex(r"-(?:agentlib:jdwp=|Xrunjdwp:)(?:.*,)?address=(?:[^,]*:)?([1-9]\d*)(?:,.*)?")


@rule(
    code="FLK998",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[*_PORTS, *_OPTIONS],
    since="0.1",
)
def fixed_port_shared(config: View) -> Iterator[Finding]:
    """TaskManagers that share a machine's network all want the same port"""
    on_yarn = config.platform in ("yarn", "emr")
    if not on_yarn and config.boolean(_HOST_NETWORK) is not True:
        return
    why = "YARN puts several containers on a machine" if on_yarn else "pods share the network of their node"
    for key in (*_PORTS, *_OPTIONS):
        setting = config.get(key)
        port = _port(setting)
        if port is None or (key == _RPC and not on_yarn):
            continue
        yield setting.finding(
            f"{why}, and the second TaskManager there does not get the port {port}: it ends with a BindException",
            help="delete it, so that each takes a free one"
            + ("" if key in _OPTIONS else ", or give a range where the option takes one"),
            related=[] if on_yarn else [config.get(_HOST_NETWORK)],
        )


def _port(setting: Setting) -> int | None:
    """The only port that a setting allows."""
    if not setting.is_set or not setting.is_known:
        return None
    if setting.key in _OPTIONS:
        found = (_DEBUGGER.fullmatch(option.text) for option in split_options(setting.text))
        return next((whole(match[1]) for match in found if match), None)
    return whole(setting.text) or None


_ON_NODE = f"{_HOST_NETWORK}: true\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_PORTS[0]}: 6121\n",
            at=_PORTS[0],
            platform="yarn",
            flink="1.20",
            severity=Severity.WARNING,
            says="does not get the port 6121",
        ),
        bad(f"{_RPC}: 6122\n", at=_RPC, platform="emr", flink="1.16"),
        bad(f"{_ON_NODE}{_PORTS[0]}: 6121\n{_RPC}: 6122\n", at=_PORTS[0], flink="1.20", says="network of their node"),
        bad(
            "env.java.opts.taskmanager: -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5005\n",
            at=_OPTIONS[1],
            platform="yarn",
            flink="1.20",
            says="the port 5005",
        ),
        bad(
            "env.java.opts: -Xrunjdwp:transport=dt_socket,address=5005,server=y\n",
            at=_OPTIONS[0],
            platform="yarn",
            flink="1.14",
        ),
        good(
            "env.java.opts.all: -agentlib:jdwp=transport=dt_socket,server=y,address=0\n", platform="yarn", flink="1.20"
        ),
        good(f"{_PORTS[0]}: 0\n{_RPC}: 6122-6222\n", platform="yarn", flink="1.20"),
        good(f"{_PORTS[0]}: '{{{{ port }}}}'\n", platform="yarn", flink="1.20"),
        good(f"{_PORTS[0]}: 6121\n", platform="standalone"),
        good(f"{_HOST_NETWORK}: false\n{_PORTS[0]}: 6121\n", flink="1.20"),
    ]
