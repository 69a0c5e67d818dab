"""Managed memory is set aside although the state backend keeps its state on the heap.

## What it does
Speaks where the state backend is named and is one of the heap (`hashmap`, formerly `filesystem` and `jobmanager`)
while managed memory is more than a tenth of Flink's memory; by default it is 40 %. Without a total in the file only
a fraction that is written there counts.

## Why it matters
Only RocksDB and ForSt, batch and some SQL operators and Python workers use managed memory. Under a heap backend it
lies idle: of a TaskManager of 8 GB some 2.8 GB are never touched, while the heap that holds the state runs full.

## What to do
Set `taskmanager.memory.managed.fraction: 0` for DataStream jobs; leave 64 MB or more for SQL window and sort
operators.

## Not when
Batch jobs (`execution.runtime-mode: BATCH`), Python jobs (any `python.` option, an image with PyFlink, a container that
has programs in Python or runs one, chart values that mention Python), SQL jobs (any `table.` or `sql-gateway.` option,
a script that runs there, or a SQL gateway, client or folder in the same file), weights for its consumers, options of
RocksDB or ForSt in the same file (jobs may choose them in their code), or no state backend named at all. A backend that
the release does not have is told by `state-backend-name`. A file for an unknown release that gives memory only in the
options of 1.9 and before.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_tuning/#hashmap-state-backend>:
  set managed memory to zero for the heap backend
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/#managed-memory>:
  who uses it
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/python/python_config/#python-options>: Python workers
  use managed memory by default (`python.fn-execution.memory.managed`)
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.checkpoints.state_backend_name import known_backends
from flink_flint.rules.memory._old_model import may_predate_the_model

_ON_HEAP = ("hashmap", "filesystem", "jobmanager")
_OTHER_USERS = ("python.", "table.", "sql-gateway.", "state.backend.rocksdb.", "state.backend.forst.")
_SQL = regex(r"sql-(?:gateway|client)|\.sql\b|/sql(?=[:/\s]|$)")
"""What a file has that runs SQL on the cluster, or mounts scripts of SQL into it."""
_FRACTION = "taskmanager.memory.managed.fraction"
_SIZE = "taskmanager.memory.managed.size"
_NONE = {_FRACTION: "0", _SIZE: "0m"}


@rule(
    code="FLK205",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    flink=">=1.10",
    reads=["state.backend.type"],
    since="0.1",
    thresholds={"most": Threshold(0.1, "largest part of Flink's memory that may lie idle as managed memory")},
)
def managed_memory_unused(config: View) -> Iterator[Finding]:
    """managed memory is set aside for a state backend that keeps its state on the heap"""
    backend = config.get("state.backend.type")
    if not (backend.is_set and backend.is_known and backend.text.lower() in _ON_HEAP):
        return
    if backend.text.lower() not in known_backends(config):
        return
    if _is_reported_below(config) or _has_other_users(config) or may_predate_the_model(config):
        return
    memory = config.taskmanager_memory()
    if memory is not None:
        share = memory.managed / memory.flink_size
        amount = f"{readable(memory.managed)} of {readable(memory.flink_size)} Flink memory"
    else:
        fraction = config.number(_FRACTION)
        if fraction is None or not config.is_set(_FRACTION) or config.is_set(_SIZE):
            return
        share = fraction
        amount = f"{fraction:.0%} of the Flink memory"
    if round(share, 3) <= config.threshold("most"):
        return
    chosen = next((config.get(key) for key in (_SIZE, _FRACTION) if config.is_set(key)), None)
    given = "is" if chosen else "is by default"
    yield (chosen or backend).finding(
        f"{amount} {given} managed memory, which the state backend {backend.text} never uses: its state needs heap",
        help=_remedy(config, memory),
        fix=chosen.replace(_NONE[chosen.key]) if chosen else None,
        related=[backend] if chosen else (),
        evidence={"managed_share": round(share, 3)},
        measure=share,
    )


def _remedy(config: View, memory: TaskManagerMemory | None) -> str:
    # A size beats the fraction, so that a fraction of 0 beside it would do nothing.
    key, kept = (_SIZE, "64m") if config.is_set(_SIZE) else (_FRACTION, f"{_SIZE}: 64m")
    gain = ""
    if memory is not None:
        from flink_flint.rules.memory._proposals import tried

        without = tried(config, "taskmanager").accepted({config.get(key).written: _NONE[key]})
        if without is not None and without.task_heap > memory.task_heap:
            gain = f", and the task heap grows from {readable(memory.task_heap)} to {readable(without.task_heap)}"
    return f"set {key}: {_NONE[key]} ({kept} or more if SQL or batch jobs run here too){gain}"


def _is_reported_below(config: View) -> bool:
    """Whether a deployment already keeps its state on the heap, and this program only says so again."""
    if config.document.kind not in ("source", "sql"):
        return False
    entries = (
        entry
        for lower in config.below
        for key in ("state.backend.type", "state.backend")
        if lower.whole and (entry := lower.effective.get(key)) is not None
    )
    return any(entry.text.lower() in _ON_HEAP for entry in entries)


def _has_other_users(config: View) -> bool:
    """Whether something else than a state backend on the heap may use managed memory."""
    if config.string("execution.runtime-mode") not in (None, "STREAMING"):
        return True
    if config.is_set("taskmanager.memory.managed.consumer-weights") or not config.is_known("execution.runtime-mode"):
        return True
    if config.relation.may_run_python:
        return True
    if any(above.kind == "sql" for above in config.relation.above) or _SQL.search(config.document.text) is not None:
        return True
    return any(key.startswith(_OTHER_USERS) for key in config.document.effective)


_COMPOSE = """services:
  taskmanager:
    image: flink:1.20
    command: taskmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        taskmanager.memory.process.size: 4g
        state.backend.type: hashmap
  {}
"""
_VALUES = """job:
  {}
flinkConfiguration:
  state.backend.type: hashmap
  taskmanager.memory.process.size: 4g
"""
_BUILT = _COMPOSE.replace("image: flink:1.20", "build: .").format("")
_IMAGE = "FROM flink:1.20\n"
_PYTHON = (
    "from pyflink.datastream import StreamExecutionEnvironment\n"
    "env = StreamExecutionEnvironment.get_execution_environment()\nenv.execute('orders')\n"
)
_PROGRAM = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;\n"
    "public class Orders {\n"
    "    public static void main(String[] args) throws Exception {\n"
    "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    "        env.setStateBackend(new HashMapStateBackend());\n"
    '        env.execute("orders");\n'
    "    }\n"
    "}\n"
)


def cases() -> list[Case]:
    return [
        bad(
            "state.backend: filesystem\ntaskmanager.memory.process.size: 4g\n",
            at="state.backend.type",
            flink="1.12",
            severity=Severity.WARNING,
            says="1372.2 MiB of 3430.4 MiB",
        ),
        bad(
            "state.backend.type: hashmap\ntaskmanager.memory.process.size: 4g\n"
            "taskmanager.memory.managed.fraction: 0.3\n",
            at="taskmanager.memory.managed.fraction",
            flink="1.20",
            fixed="state.backend.type: hashmap\ntaskmanager.memory.process.size: 4g\n"
            "taskmanager.memory.managed.fraction: 0\n",
        ),
        bad(
            "state.backend.type: hashmap\ntaskmanager.memory.flink.size: 4g\ntaskmanager.memory.managed.size: 1g\n",
            at="taskmanager.memory.managed.size",
            flink="2.0",
            fixed="state.backend.type: hashmap\ntaskmanager.memory.flink.size: 4g\n"
            "taskmanager.memory.managed.size: 0m\n",
        ),
        bad("state.backend.type: hashmap\ntaskmanager.memory.managed.fraction: 0.4\n", says="40% of the Flink memory"),
        good("state.backend.type: filesystem\ntaskmanager.memory.process.size: 4g\n", flink="2.1"),
        good("state.backend: hashmap\ntaskmanager.memory.process.size: 4g\n", flink="1.12"),
        good("state.backend.type: hashmap\n"),
        good("state.backend: filesystem\ntaskmanager.heap.size: 4g\n", file="flink-conf.yaml"),
        bad(
            _PROGRAM,
            file="src/main/java/Orders.java",
            beside={"pom.xml": "<project/>\n", "conf/flink-conf.yaml": "taskmanager.memory.process.size: 4g\n"},
        ),
        bad(
            "taskmanager.memory.process.size: 4g\nstate.backend: hashmap\n",
            file="conf/flink-conf.yaml",
            beside={"pom.xml": "<project/>\n", "src/main/java/Orders.java": _PROGRAM},
            times=1,
        ),
        good("state.backend.type: rocksdb\ntaskmanager.memory.process.size: 4g\n", flink="1.20"),
        good("taskmanager.memory.process.size: 4g\n", flink="1.20"),
        good(
            "state.backend: hashmap\ntaskmanager.memory.process.size: 4g\ntaskmanager.memory.managed.fraction: 0.05\n",
            flink="1.15",
        ),
        good(
            "state.backend: hashmap\ntaskmanager.memory.process.size: 4g\nexecution.runtime-mode: BATCH\n", flink="1.15"
        ),
        good("state.backend: hashmap\ntaskmanager.memory.process.size: 4g\npython.executable: python3\n", flink="1.15"),
        good("state.backend: hashmap\ntaskmanager.memory.process.size: 4g\ntable.exec.state.ttl: 1h\n", flink="1.15"),
        good(
            "state.backend: hashmap\ntaskmanager.memory.process.size: 4g\nstate.backend.rocksdb.localdir: /data\n",
            flink="1.15",
        ),
        good("state.backend.type: '{{ backend }}'\ntaskmanager.memory.process.size: 4g\n"),
        good(
            "state.backend: hashmap\ntaskmanager.memory.flink.size: 4g\ntaskmanager.memory.managed.fraction: 0.1\n",
            flink="1.15",
        ),
        good(
            "state.backend: hashmap\ntaskmanager.memory.process.size: 4g\n"
            "taskmanager.memory.managed.consumer-weights: OPERATOR:70,PYTHON:30\n",
            flink="1.15",
        ),
        good("state.backend: hashmap\ntaskmanager.memory.process.size: 4g\nexecution.runtime-mode: '{{ mode }}'\n"),
        good(
            "state.backend.type: hashmap\ntaskmanager.memory.managed.fraction: 0.4\n"
            "taskmanager.memory.managed.size: '{{ m }}'\n"
        ),
        good(_COMPOSE.format("sql-gateway:\n    image: flink:1.20\n    command: bin/sql-gateway.sh start-foreground"),
             file="compose.yaml"),
        bad(_COMPOSE.format("kafka:\n    image: apache/kafka:4.0.0"), file="compose.yaml"),
        bad(_COMPOSE.format("db:\n    image: mysql:8\n    volumes: ['./data:/var/lib/mysql']"), file="compose.yaml"),
        good(
            _COMPOSE.format("jobmanager:\n    image: flink:1.20\n    volumes: ['./sql:/opt/sql']"), file="compose.yaml"
        ),
        good(_BUILT, file="compose.yaml", beside={"Dockerfile": f"{_IMAGE}RUN pip3 install apache-flink\n"}),
        good(_BUILT, file="compose.yaml", beside={"Dockerfile": f"{_IMAGE}RUN pip3 install apache-flink==1.20.0\n"}),
        good(
            _BUILT,
            file="compose.yaml",
            beside={"Dockerfile": f"{_IMAGE}COPY jobs /opt/flink/jobs\n", "jobs/orders.py": _PYTHON},
        ),
        bad(
            _BUILT,
            file="compose.yaml",
            beside={"Dockerfile": f"{_IMAGE}COPY lib /opt/flink/lib\n", "jobs/orders.py": _PYTHON},
        ),
        bad(_BUILT, file="compose.yaml", beside={"Dockerfile": f"{_IMAGE}RUN pip3 install apache-flink-ml\n"}),
        good(
            _COMPOSE.format("  volumes: ['./jobs:/opt/flink/jobs']"),
            file="compose.yaml",
            beside={"jobs/orders.py": _PYTHON},
        ),
        bad(
            _COMPOSE.format("  volumes: ['./data:/data']"),
            file="compose.yaml",
            beside={"jobs/orders.py": _PYTHON},
        ),
        good(
            _COMPOSE.format("submit:\n    image: flink:1.20\n    command: flink run -py /jobs/orders.py"),
            file="compose.yaml",
        ),
        bad("state.backend: jobmanager\ntaskmanager.memory.process.size: 4g\n", flink="1.12"),
        bad(_VALUES.format("entryClass: org.acme.Orders"), file="values.yaml"),
        good(_VALUES.format("pythonEntryPoint: /opt/orders/main.py"), file="values.yaml"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    size, rocksdb = "taskmanager.memory.process.size: 4g\n", "state.backend: rocksdb\n"
    return [
        flink_uses("managed memory", "state.backend: hashmap\n", "no managed memory", good=rocksdb, both=size),
        flink_uses(
            "managed memory", "state.backend: filesystem\n", "no managed memory", good=rocksdb, both=size,
        ),
    ]  # fmt: skip
