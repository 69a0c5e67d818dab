"""A client in a container of its own is told to find the JobManager at an address that stands for itself.

## What it does
Looks at containers that run the SQL gateway, the SQL client or `flink run`, by their command or by a script of the
repository: reports a `rest.address` (or, without one, a `jobmanager.rpc.address`) that is `0.0.0.0` or `localhost`, and
a SQL gateway that has neither.

## Why it matters
Clients connect to `rest.address`, and to `jobmanager.rpc.address` only without it. `0.0.0.0` is an address to listen
at: a client that calls it calls its own container, where no JobManager runs. Statements and submissions fail with
`Connection refused: /0.0.0.0:8081` or `Failed to submit job ... Could not complete the operation`. The JobManager
itself starts with the same file, because what it listens at is `rest.bind-address`.

## What to do
Set `rest.address` to the name of the JobManager's service, and `rest.bind-address: 0.0.0.0` to listen everywhere.

## Not when
- The command line or the script names the JobManager: `-Drest.address=`, `-m`, a target on Kubernetes or YARN.
- High availability tells clients the address of the leader.
- The container shares its network with the JobManager, or starts a cluster itself.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#rest-address>: for clients
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#rest-bind-address>: for the server
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.containers.run_scripts import scripts_run_by
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.processes.process_view import ProcessView
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.high_availability._mode import NONE, mode

_REST, _RPC = "rest.address", "jobmanager.rpc.address"
ITSELF = ("0.0.0.0", "::", "[::]", "localhost", "127.0.0.1")
_PROGRAMS = {"sql-gateway.sh": "SQL gateway", "sql-client.sh": "SQL client", "flink": "client"}
_NAMES_IT = regex(
    r"(?<![\w.])rest\.address|(?:^|\s)(?:-m|--jobmanager|-t|--target|-yid|remote)(?:\s|=|$)|start-cluster"
)
"""A command line that names the JobManager, or starts it."""
_NAMING = ("options.jobmanager", "options.target", "options.executor", "options.yarnapplicationId")
_CLUSTER = ("start-cluster.sh", "jobmanager.sh", "standalone-job.sh", "taskmanager.sh")


@rule(
    code="FLK521",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:container"],
    scope="project",
    compares=[(["element:container"], ["element:command"])],
    since="0.1",
)
def client_address_unreachable(project: Project) -> Iterator[Finding]:
    """a client in a container of its own calls itself instead of the JobManager"""
    scripts = [config.document for config in project.views if config.document.kind == "shell"]
    reported: set[object] = set()
    for config in project.views:
        if not config.elements("container") or mode(config) != NONE:
            continue
        for process in config.processes:
            program = _program(process, scripts)
            if program is not None:
                yield from _judge(config, process, program, reported)


def _judge(config: View, process: ProcessView, program: str, reported: set[object]) -> Iterator[Finding]:
    settings = process.process.settings
    value = settings.get(_REST) or settings.get(_RPC)
    if value is None:
        if process.role == "sql-gateway" and process.settings_are_known:
            yield process.finding(
                f"nothing tells the {program} where the JobManager is: it looks for it in its own container, and each"
                " statement fails with Connection refused",
                of="args[0]", key=_REST, help=f"set {_REST} to the name of the JobManager's service",
            )  # fmt: skip
        return
    setting = config.get(_REST if _REST in settings else _RPC)
    place = setting.document.path, setting.entry and setting.entry.value_span
    if not setting.is_known or setting.text.strip() not in ITSELF or place in reported:
        return
    reported.add(place)
    yield setting.finding(
        f"the {program} of {process.name} connects to {setting.key}, and {setting.text} is its own container, where no"
        f" JobManager listens: Connection refused: {setting.text}:8081",
        help=f"set {_REST} to the name of the JobManager's service; rest.bind-address is where it listens",
        related=[process.place("args[0]", f"runs the {program}")],
    )


def _program(process: ProcessView, scripts: Sequence[Document]) -> str | None:
    """Return the client that a container runs and that names no JobManager itself; None if there is none."""
    if process.has("network") or not process.containers:
        return None
    words = " ".join(str(word.value) for word in process.process.arguments)
    if _NAMES_IT.search(words):
        return None
    if process.role == "sql-gateway":
        return _PROGRAMS["sql-gateway.sh"]
    if process.role == "client":
        return next((name for program, name in _PROGRAMS.items() if program in words), None)
    if process.role != "unknown":
        return None
    container = process.containers[0]
    run = scripts_run_by(container.element, container.document, scripts)
    if any(one.name in ("flink-conf.yaml", "config.yaml", "conf/config.yaml") for one in run):
        return None  # it writes the configuration
    commands = [(one, command) for one in run for command in one.elements_of(("command",))]
    if not commands or any(command.name in _CLUSTER for _, command in commands):
        return None
    if any(
        _REST in document.effective or "execution.target" in document.effective or any(map(command.has, _NAMING))
        for document, command in commands
    ):
        return None
    return next((_PROGRAMS[command.name] for _, command in commands if command.name in _PROGRAMS), None)


_COMPOSE = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        rest.address: 0.0.0.0
  client:
    image: flink:1.20
    command: {command}
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        {more}
"""
_GATEWAY = "/opt/flink/bin/sql-gateway.sh start-foreground -Dsql-gateway.endpoint.rest.address=0.0.0.0"
_MOUNTED = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    volumes: [./config.yaml:/opt/flink/conf/config.yaml:ro]
  submit:
    image: flink:1.20
    command: [bash, /sql/submit.sh]
    volumes: [./config.yaml:/opt/flink/conf/config.yaml:ro, .:/sql:ro]
"""
_CONFIG = "jobmanager:\n  rpc:\n    address: jobmanager\nrest:\n  address: 0.0.0.0\n"
_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: gateway}
spec:
  template:
    spec:
      containers:
        - name: gateway
          image: flink:1.20
          command: [/opt/flink/bin/sql-gateway.sh, start-foreground]
          env:
            - {name: FLINK_PROPERTIES, value: "%s"}
%s"""
_SIDECAR = "        - {name: jobmanager, image: 'flink:1.20', args: [jobmanager]}\n"


def _compose(more: str, command: str = _GATEWAY) -> str:
    return _COMPOSE.format(command=command, more=more)


def cases() -> list[Case]:
    return [
        bad(
            _compose("rest.address: 0.0.0.0"), file="docker-compose.yaml", at="rest.address", severity=Severity.WARNING,
            says="where no JobManager listens",
        ),
        bad(_CONFIG, file="config.yaml", at="rest.address", flink="1.20", says="the SQL client of submit", times=1,
            beside={"docker-compose.yaml": _MOUNTED, "submit.sh": "/opt/flink/bin/sql-client.sh -f /sql/rules.sql\n"}),
        bad(_POD % ("rest.address: localhost", ""), file="gateway.yaml", at="rest.address"),
        bad(_compose("rest.address: 0.0.0.0", "/opt/flink/bin/flink run -d job.jar"), file="docker-compose.yaml"),
        bad(_compose("").replace("        jobmanager.rpc.address: jobmanager\n        \n", "        rest.port: 8081\n"),
            file="docker-compose.yaml", at=None, says="nothing tells the SQL gateway"),
        good(_compose("rest.address: jobmanager"), file="docker-compose.yaml"),
        good(_compose("rest.port: 8081"), file="docker-compose.yaml"),
        good(_compose("rest.address: 0.0.0.0", f"{_GATEWAY} -Drest.address=jobmanager"), file="docker-compose.yaml"),
        good(_compose("rest.address: 0.0.0.0", "bin/flink run -m jobmanager:8081 -d job.jar"), file="compose.yaml"),
        good(_compose("rest.address: 0.0.0.0", "taskmanager"), file="docker-compose.yaml"),
        good(_POD % ("rest.address: localhost", _SIDECAR), file="gateway.yaml"),
        good(_CONFIG, file="config.yaml", flink="1.20", beside={
            "docker-compose.yaml": _MOUNTED,
            "submit.sh": "/opt/flink/bin/sql-client.sh -Drest.address=jobmanager -f /sql/rules.sql\n"}),
        good(_CONFIG + "high-availability:\n  type: zookeeper\n", file="config.yaml", flink="1.20", beside={
            "docker-compose.yaml": _MOUNTED, "submit.sh": "/opt/flink/bin/sql-client.sh -f /sql/rules.sql\n"}),
    ]  # fmt: skip
