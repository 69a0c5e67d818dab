"""A container that submits jobs is started again, and submits them again beside those that run.

## What it does
Looks, in Compose files and Deployments, at containers that run `sql-client.sh -f` or `flink run` against the cluster,
by their command or a script of the repository, and that Docker (`restart: always`, `unless-stopped`) or Kubernetes
starts again whenever they end: reports those whose script does not look for jobs that run.

## Why it matters
A job in a session cluster lives in the cluster, not in the container that submitted it. When the container is started
again, after its script has ended or with the machine, each job runs twice: records are counted twice, two jobs write
into one table, until `NoResourceAvailableException: Could not acquire the minimum required resources` stops the next.

## What to do
Set `restart: "no"` (or `on-failure`), or have the script ask for running jobs (`flink list -r`, `/jobs/overview`) and
submit only what is missing, or stop the old one with a savepoint first. In Kubernetes use a Job.

## Not when
- The script lists, stops or cancels jobs, or the jobs are batches.
- The container starts a cluster of its own, or runs an application.
- The SQL script that it runs is in the repository and writes nothing.

## Sources
- <https://docs.docker.com/reference/compose-file/services/#restart>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/overview/#session-mode>: jobs of a session
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.containers.run_scripts import scripts_run_by
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_CONTAINERS = ["element:container/compose", "element:container/helm"]
_OF_SQL = ["element:query", "element:table", "element:catalog", "element:function"]
_AGAIN = ("always", "unless-stopped")
_OBJECTS = ("Deployment", "StatefulSet", "ReplicaSet")
_SUBMITS = regex(r"\bsql-client(?:\.sh)?\b[^;&|]{0,300}?\s(?:-f|--file)\b|\bflink\s{1,20}run\b(?!-application)")
_LOOKS = regex(
    r"\bflink\s+(?:list|cancel|stop)\b|/jobs\b|(?i:show\s+jobs)|jobmanager\.sh|start-cluster|execution\.target"
)
_BATCH = regex(r"(?i)runtime-mode\W{1,5}batch|\bbatch\b")
_ONLY_TABLES = regex(r"(?i)create|ddl|init|schema|catalog|setup|tables?\b")
_CLUSTER = ("start-cluster.sh", "jobmanager.sh", "standalone-job.sh", "taskmanager.sh", "kubernetes-session.sh")


@rule(
    code="FLK614",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_CONTAINERS,
    scope="project",
    compares=[(_CONTAINERS, ["element:command", *_OF_SQL])],
    since="0.1",
)
def jobs_submitted_again(project: Project) -> Iterator[Finding]:
    """a container that is started again submits its jobs again"""
    scripts = [config.document for config in project.views if config.document.kind == "shell"]
    written = {config.document.file_name: bool(config.elements("query")) for config in project.views
               if config.document.kind == "sql"}  # fmt: skip
    for config in project.views:
        for container in config.elements("container"):
            why = _is_started_again(config, container)
            if why is None or container.text("role") not in (None, "client"):
                continue
            what = _submission(container, scripts, written)
            if what is not None:
                submitting, document = what
                places = [] if document is None else [ElementView(config.finding, submitting, document).place()]
                yield container.finding(
                    f"{container.name} is started again whenever it ends ({why}), and submits its jobs again: those of"
                    " before still run in the cluster, and each runs twice",
                    of="restart" if container.has("restart") else "args[0]",
                    key="restart",
                    help='set restart: "no", or look for running jobs (flink list -r) before it submits',
                    related=places,
                )


def _is_started_again(config: View, container: ElementView) -> str | None:
    policy = container.text("restart")
    if config.platform == "compose":
        return f"restart: {policy}" if policy in _AGAIN else None
    kinds = [part.name for part in config.elements("kubernetes-object")]
    return f"a {kinds[0]}" if config.platform == "kubernetes" and kinds[:1] and kinds[0] in _OBJECTS else None


def _submission(
    container: ElementView, scripts: Sequence[Document], written: dict[str, bool]
) -> tuple[Element, Document | None] | None:
    """Return the element that submits jobs without a look at those that run, and the script that has it."""
    words = " ".join(str(word.value) for word in container.element.listed("args"))
    if _LOOKS.search(words) or _BATCH.search(words):
        return None
    if _SUBMITS.search(words):
        return None if _writes_nothing(words.split(), written) else (container.element, None)
    run = scripts_run_by(container.element, container.document, scripts)
    if not run or any(_BATCH.search(one.text) for one in run):
        return None
    commands = [(command, one) for one in run for command in one.elements_of(("command",))]
    if any(command.has("lists-jobs") or command.name in _CLUSTER for command, _ in commands):
        return None
    return next(((command, one) for command, one in commands if _submits(command, written)), None)


def _submits(command: Element, written: dict[str, bool]) -> bool:
    if command.name == "flink":
        return command.value("action") == "run" and not command.has("options.fromSavepoint")
    if command.name != "sql-client.sh" or not command.has("options.file"):
        return False
    path = command.value("options.file")
    return not (isinstance(path, str) and _writes_nothing([path], written))


def _writes_nothing(paths: Sequence[str], written: dict[str, bool]) -> bool:
    """Return whether the SQL scripts of a command write into no table, by what is in them or else by their names."""
    names = [path.rpartition("/")[2].strip("\"';") for path in paths if path.strip("\"';").endswith(".sql")]
    return bool(names) and all(not written[name] if name in written else _ONLY_TABLES.search(name) for name in names)


_COMPOSE = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    environment: [JOB_MANAGER_RPC_ADDRESS=jobmanager]
  jobs:
    image: flink:1.20
    {command}
    restart: {restart}
    volumes: [".:/sql:ro"]
"""
_SCRIPT = "set -e\nuntil curl -sf http://jobmanager:8081/overview; do sleep 2; done\n"
_CLIENT = "/opt/flink/bin/sql-client.sh -Drest.address=jobmanager -f /sql/orders.sql\nsleep infinity\n"
_RUN = "command: /opt/flink/bin/flink run -d -m jobmanager:8081 /jobs.jar"
_POD = """apiVersion: apps/v1
kind: {kind}
metadata: {{name: submit}}
spec:
  template:
    spec:
      containers:
        - name: submit
          image: flink:1.20
          command: [/opt/flink/bin/flink, run, -d, -m, "jobmanager:8081", /orders.jar]
"""


def _compose(command: str = "entrypoint: [bash, /sql/submit.sh]", restart: str = "unless-stopped") -> str:
    return _COMPOSE.format(command=command, restart=restart)


def _with(script: str) -> dict[str, str]:
    return {"submit.sh": script}


def cases() -> list[Case]:
    tables = "CREATE TABLE a (b INT) WITH ('connector' = 'datagen');\n"
    return [
        bad(_compose(), file="docker-compose.yaml", at="restart", severity=Severity.WARNING,
            beside=_with(_SCRIPT + _CLIENT), says="restart: unless-stopped"),
        bad(_compose(_RUN.replace("/jobs.jar", "/orders.jar"), "always"), file="docker-compose.yaml", at="restart"),
        bad(_POD.format(kind="Deployment"), file="submit.yaml", says="a Deployment"),
        good(_POD.format(kind="Job"), file="submit.yaml"),
        good(_compose(restart='"no"'), file="docker-compose.yaml", beside=_with(_SCRIPT + _CLIENT)),
        good(_compose(restart="on-failure"), file="docker-compose.yaml", beside=_with(_SCRIPT + _CLIENT)),
        good(_compose(), file="docker-compose.yaml",
             beside=_with(f"{_SCRIPT}/opt/flink/bin/flink list -r -m jobmanager:8081 | grep a && exit\n{_CLIENT}")),
        good(_compose(), file="docker-compose.yaml",
             beside=_with(f"curl -s http://jobmanager:8081/jobs/overview | grep RUNNING && exit\n{_CLIENT}")),
        good(_compose(), file="docker-compose.yaml", beside=_with(_SCRIPT + _CLIENT) | {"orders.sql": tables}),
        good(_compose(), file="docker-compose.yaml",
             beside=_with("/opt/flink/bin/sql-client.sh -D execution.runtime-mode=batch -f /sql/orders.sql\n")),
        good(_compose("command: jobmanager"), file="docker-compose.yaml"),
    ]  # fmt: skip
