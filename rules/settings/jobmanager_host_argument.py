"""The JobManager is started with a host that its TaskManagers do not look for, or an option is taken for its host.

## What it does
Reads the arguments of JobManagers in containers: `jobmanager HOST`, `jobmanager.sh start-foreground HOST`, `--host`.
Reports a host that is not the `jobmanager.rpc.address` of the same configuration, where no high availability tells
TaskManagers another one, the words `cluster` and `local`, which were a mode in Flink 1.4 and are a host since, and
options such as `-Drest.port=8082` in the place of the host or of the port that may follow it.

## Why it matters
The argument replaces `jobmanager.rpc.address` in the JobManager alone. TaskManagers connect to the address of the
configuration, and the JobManager drops what is not addressed to the name it was started with: `dropping message ...
for non-local recipient ... arriving at ... inbound addresses are [...]`. No TaskManager registers, and jobs wait for
slots.

`jobmanager.sh` knows an option by the word `-D` alone, with the setting as the next word. What is written as one word
is the host for it: Flink 1 ends with `MissingArgumentException: Missing argument for option: h` (`r` for the port),
and Flink 2 starts at the address `pekko.tcp://flink@-drest.port=8082:6123`, without the setting. `taskmanager.sh` and
`standalone-job.sh` take both spellings.

## What to do
Write `-D`, `rest.port=8082` as two arguments. Otherwise delete the argument. It is for JobManagers with high
availability, which write the address of the leader where TaskManagers find it.

## Not when
High availability is on, the argument and the address are the same name, or either is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/kubernetes/#kubernetes-high-availability-services>:
  the argument goes with high availability
- <https://github.com/apache/flink/blob/release-1.20/flink-dist/src/main/flink-bin/bin/jobmanager.sh>: what follows
  `start-foreground` is the host
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.processes.process_view import ProcessView
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.high_availability._mode import NONE, mode
from flink_flint.rules.settings._clusters import ADDRESS_KEY

_STARTS = ("jobmanager", "jobmanager.sh")
_ACTIONS = ("start", "start-foreground")
_MODES = ("cluster", "local")
_OF_POD = regex(r"\$[({]?(?:\w*POD_?IP|HOST_?IP|POD_NAME|HOSTNAME|hostname(?: -[if])?)[)}]?")
"""An address or name of the pod itself, which no Service has."""
_GLUED = regex(r"-D[\w.$({]")
_SHELL = regex(r"\s+")


@rule(
    code="FLK086",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    since="0.1",
)
def jobmanager_host_argument(config: View) -> Iterator[Finding]:
    """the JobManager is started with a host that TaskManagers do not look for"""
    for process in config.processes:
        after = _after_start(process) if process.role == "jobmanager" else []
        if (finding := _of_option(process, after)) is not None:
            yield finding
            continue
        found = _host(after)
        if found is None:
            continue
        place, host = found
        if host in _MODES:
            yield process.finding(
                f"jobmanager.sh takes no mode: {host} is taken as the host, TaskManagers look for another, and the"
                " JobManager drops their messages",
                of=place, key=ADDRESS_KEY, help=f"delete the argument {host}",
            )  # fmt: skip
            continue
        address = process.process.settings.get(ADDRESS_KEY)
        if address is None or address.text in ("", host) or mode(config) != NONE or not process.settings_are_known:
            continue
        if _OF_POD.fullmatch(host) and "$" not in address.text:
            yield process.finding(
                f"the argument {host} replaces {ADDRESS_KEY} in the JobManager alone: TaskManagers call"
                f" {address.text}, and it drops their messages as for a non-local recipient",
                of=place, key=ADDRESS_KEY, help="delete the argument: it is for high availability",
            )  # fmt: skip


def _after_start(process: ProcessView) -> list[tuple[str, str]]:
    """The words behind the program that starts a JobManager, each with the name of the attribute that has it."""
    words = [
        (f"args[{number}]", word)
        for number, argument in enumerate(process.process.arguments)
        if isinstance(argument.value, str)
        for word in _SHELL.split(argument.value)
    ]
    start = next((n for n, (_, word) in enumerate(words) if word.rpartition("/")[2] in _STARTS), None)
    if start is None:
        return []
    after = words[start + 1 :]
    return after[1:] if after and after[0][1] in _ACTIONS else after


def _of_option(process: ProcessView, after: list[tuple[str, str]]) -> Finding | None:
    """Return a finding on an option that jobmanager.sh takes for the host, or for the port behind the host."""
    for number, (place, word) in enumerate(after[:2]):
        if _GLUED.match(word) is not None:
            what = ("host", "port")[number]
            return process.finding(
                f"jobmanager.sh takes {word} for the {what} of the JobManager, as -D is no word of its own: it does not"
                " start ('Missing argument for option'), or in Flink 2 has a wrong address",
                of=place, key=ADDRESS_KEY, help=f"write two arguments: -D {word[2:]}",
            )  # fmt: skip
        if word.startswith("-") or not word:
            break
    return None


def _host(after: list[tuple[str, str]]) -> tuple[str, str] | None:
    """The host among the arguments of a JobManager, with the name of the attribute that has it."""
    if after and after[0][1] == "--host":
        after = after[1:]
    if not after or after[0][1].startswith(("-", ";", "&", "|", ">")):
        return None
    return after[0]


_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {{name: jobmanager}}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.20
          {start}
          env:
            - name: POD_IP
              valueFrom: {{fieldRef: {{fieldPath: status.podIP}}}}
            - name: FLINK_PROPERTIES
              value: |
                jobmanager.rpc.address: flink-jobmanager
                {more}
"""
_HA = "high-availability.type: kubernetes"


def _pod(start: str, more: str = "blob.server.port: 6124") -> str:
    return _POD.format(start=start, more=more)


def cases() -> list[Case]:
    return [
        bad(
            _pod('args: ["jobmanager", "$(POD_IP)"]'), file="jobmanager.yaml", at='"$(POD_IP)"',
            severity=Severity.ERROR, says="TaskManagers call flink-jobmanager",
        ),
        bad(_pod('args: ["jobmanager", "--host", "$(POD_IP)"]'), file="jobmanager.yaml"),
        bad(_pod('command: ["/docker-entrypoint.sh", "jobmanager", "$(POD_IP)"]'), file="jobmanager.yaml"),
        bad(
            _pod("command: [bash, -ec, bin/jobmanager.sh start-foreground cluster]"), file="jobmanager.yaml",
            says="takes no mode",
        ),
        bad(
            "services:\n  jobmanager:\n    image: flink:1.20\n    command: jobmanager.sh start-foreground cluster\n",
            file="docker-compose.yaml",
        ),
        good(_pod('args: ["jobmanager", "$(POD_IP)"]', _HA), file="jobmanager.yaml"),
        good(_pod('args: ["jobmanager", "flink-jobmanager"]'), file="jobmanager.yaml"),
        good(_pod('args: ["jobmanager"]'), file="jobmanager.yaml"),
        bad(
            _pod('args: ["jobmanager", "-Dparallelism.default=2"]'), file="jobmanager.yaml",
            at="-Dparallelism.default=2", says="takes -Dparallelism.default=2 for the host",
        ),
        bad(
            "services:\n  jobmanager:\n    image: flink:1.20\n    command: jobmanager jobmanager -Drest.port=8082\n",
            file="docker-compose.yaml", says="for the port",
        ),
        good(_pod('args: ["jobmanager", "-D", "parallelism.default=2"]'), file="jobmanager.yaml"),
        good(_pod('args: ["standalone-job", "-Dparallelism.default=2"]'), file="jobmanager.yaml"),
        good(_pod('args: ["jobmanager", "$(SERVICE)"]'), file="jobmanager.yaml"),
    ]  # fmt: skip
