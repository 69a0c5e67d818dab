"""A process of a cluster of several machines listens on its own machine only.

## What it does
Reports `jobmanager.bind-host`, `taskmanager.bind-host` and `taskmanager.host` with the value `localhost` (or
127.0.0.1) where the same configuration shows that there are several machines: TaskManagers reach the JobManager by the
name of another host, or high availability is on.

## Why it matters
Since 1.15 the distribution's own configuration has these three lines, so that a cluster on a laptop is not open to the
network. Copied to a cluster they cut it apart: TaskManagers cannot register at the JobManager ("Could not resolve
ResourceManager address"), or register and are then reached by nobody, because all call themselves localhost.

## What to do
Set both bind hosts to `0.0.0.0`, and delete `taskmanager.host`, so that each TaskManager finds its own address.

## Not when
All processes share a machine. YARN and native Kubernetes give each process its own address.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-24474>: why the distribution binds to localhost since 1.15
- <https://nightlies.apache.org/flink/flink-docs-release-1.15/release-notes/flink-1.15/>: the change
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-bind-host>: the option
"""

from collections.abc import Iterator

from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._state_directories import several_machines

_HOSTS = ("jobmanager.bind-host", "taskmanager.bind-host", "taskmanager.host")
_EVERY_ADDRESS = ("0.0.0.0", "::")
"""No address to reach anybody by; quickstarts on one machine write it."""
_OWN_ADDRESSES = ("yarn", "emr", "kubernetes", "operator", "msf")


@rule(
    code="FLK511",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=list(_HOSTS),
    flink=">=1.11",
    since="0.1",
)
def bound_to_localhost(config: View) -> Iterator[Finding]:
    """a process of a cluster of several machines listens on its own machine only"""
    if config.platform in _OWN_ADDRESSES:
        return
    settings = [config.get(key) for key in _HOSTS]
    local = [setting for setting in settings if setting.text.strip().lower() in LOCAL_HOSTS]
    reason = several_machines(config)
    if reason is None or config.get("jobmanager.rpc.address").text.strip() in _EVERY_ADDRESS:
        return
    for setting in local:
        if setting.key == "taskmanager.host":
            yield setting.finding(
                f"every TaskManager calls itself {setting.text}, so no other process reaches it, but {reason}",
                help=f"delete {setting.written}",
                fix=setting.remove(),
            )
        else:
            yield setting.finding(
                f"the {_process(setting.key)} listens on {setting.text} alone, so no other machine reaches it, but"
                f" {reason}",
                help=f"set {setting.written}: 0.0.0.0",
                fix=setting.replace("0.0.0.0"),
            )


def _process(key: str) -> str:
    return "JobManager" if key.startswith("jobmanager") else "TaskManager"


def cases() -> list[Case]:
    return [
        bad(
            "jobmanager.rpc.address: jm-1.example.com\njobmanager.bind-host: localhost\n", flink="1.16",
            at="jobmanager.bind-host", says="jm-1.example.com",
            fixed="jobmanager.rpc.address: jm-1.example.com\njobmanager.bind-host: 0.0.0.0\n",
        ),
        bad("high-availability.type: zookeeper\ntaskmanager.host: localhost\nrest.port: 8081\n", at="taskmanager.host"),
        bad("jobmanager.rpc.address: jm\ntaskmanager.bind-host: 127.0.0.1\n", flink="1.18"),
        good("jobmanager.rpc.address: localhost\njobmanager.bind-host: localhost\n", flink="1.16"),
        good("jobmanager.rpc.address: jm\njobmanager.bind-host: 0.0.0.0\n", flink="1.16"),
        good("jobmanager.rpc.address: 0.0.0.0\ntaskmanager.bind-host: localhost\n", flink="1.20"),
        good("jobmanager.rpc.address: jm\njobmanager.bind-host: localhost\n", flink="1.16", platform="kubernetes"),
        good("jobmanager.bind-host: localhost\ntaskmanager.bind-host: localhost\n", flink="1.16"),
        bad("jobmanager.rpc.address: jm\njobmanager.bind-host: ::1\n", flink="1.18"),
        bad("jobmanager.rpc.address: jm\ntaskmanager.host: 127.0.0.1\n", flink="1.18", says="calls itself 127.0.0.1",
            fixed="jobmanager.rpc.address: jm\n"),
        good("jobmanager.rpc.address: 0.0.0.0\nhigh-availability: zookeeper\ntaskmanager.bind-host: localhost\n",
             flink="1.18"),
        good("jobmanager.rpc.address: '::'\nhigh-availability.type: zookeeper\ntaskmanager.bind-host: localhost\n"),
    ]  # fmt: skip
