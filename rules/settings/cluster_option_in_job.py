"""A SQL script sets an option of the cluster, which only its processes read.

## What it does
Reports SET statements of a SQL script for options that JobManager and TaskManagers read when they start:
`taskmanager.*`, `jobmanager.memory.*`, `blob.*`, `heartbeat.*`, `pekko.*`, `metrics.reporter.*`, `slotmanager.*`,
`io.tmp.dirs`, `env.java.*` and their kin.

## Why it matters
The SQL client sends the job to a cluster that runs already. Its processes have read their configuration long since:
the line does nothing, and nothing is logged. A larger `pekko.framesize`, more network memory, or a heartbeat timeout
that was to cure a failing job is simply not there.

## What to do
Move the line to the configuration of the cluster (`config.yaml`, `flink-conf.yaml`, the custom resource) and restart
it.

## Not when
The script starts the cluster along with its job (`execution.target` is `yarn-per-job`, `yarn-application`,
`kubernetes-application`, or `local`). Options by which the client finds the cluster (`rest.*`, `high-availability.*`,
`jobmanager.rpc.*`, `security.*`) do act.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sqlclient/#sql-client-configuration>: SET changes
  the session
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: what belongs to the processes
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_OF_PROCESSES = (
    *("taskmanager.", "jobmanager.memory.", "jobmanager.heap.", "jobmanager.archive.", "jobmanager.retrieve-"),
    *("blob.", "heartbeat.", "pekko.", "akka.", "slotmanager.", "slot.", "cluster.", "resourcemanager."),
    *("metrics.reporter", "metrics.internal.", "metrics.scope.", "metrics.system-resource", "metrics.fetcher."),
    *("web.", "historyserver.", "process.", "io.tmp.dirs", "env.java.", "env.log.", "env.pid."),
)
_OF_RESOURCES = ("kubernetes.", "yarn.")
_STARTS_A_CLUSTER = ("yarn-per-job", "yarn-application", "kubernetes-application", "local")


@rule(
    code="FLK037",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[*(prefix if prefix.endswith(".") else f"{prefix}." for prefix in _OF_PROCESSES), "io.tmp.dirs",
           *_OF_RESOURCES],
    only=["map"],
    since="0.1",
)  # fmt: skip
def cluster_option_in_job(config: View) -> Iterator[Finding]:
    """a SQL script sets an option of the cluster, which only its processes read"""
    if config.document.kind != "sql":
        return
    target = config.string("execution.target")
    if (target or "").lower() in _STARTS_A_CLUSTER or not config.is_known("execution.target"):
        return
    prefixes = _OF_PROCESSES if target else (*_OF_PROCESSES, *_OF_RESOURCES)
    for setting in config.entries():
        written = setting.written
        if not written.startswith(prefixes) or written.endswith((".ask.timeout", ".lookup.timeout")):
            continue
        yield setting.finding(
            f"{written} is read by the cluster's processes when they start; a SET in a script does nothing to them",
            at="entry",
            help="move it to the configuration of the cluster and restart it",
            fix=setting.remove(),
        )


def cases() -> list[Case]:
    return [
        bad(
            "SET 'taskmanager.memory.process.size' = '4g';\nINSERT INTO a SELECT * FROM b;\n",
            file="job.sql",
            at="taskmanager.memory.process.size",
            flink="1.18",
            severity=Severity.WARNING,
            fixed="INSERT INTO a SELECT * FROM b;\n",
        ),
        bad(
            "SET akka.framesize=209715200b;\nSET 'parallelism.default' = '4';\n",
            file="job.sql",
            at="pekko.framesize",
            flink="1.17",
            says="akka.framesize is read by the cluster's processes",
            fixed="SET 'parallelism.default' = '4';\n",
        ),
        bad(
            "SET 'heartbeat.timeout' = '3 min';\nSET 'kubernetes.taskmanager.cpu' = '2';\n",
            file="job.sql",
            flink="1.20",
            times=2,
        ),
        good(
            "SET 'execution.target' = 'yarn-per-job';\nSET 'taskmanager.memory.process.size' = '4g';\n",
            file="job.sql",
            flink="1.14",
        ),
        good(
            "SET 'rest.port' = '8082';\nSET 'high-availability.type' = 'zookeeper';\n"
            "SET 'akka.ask.timeout' = '60 s';\n",
            file="job.sql",
            flink="1.17",
        ),
        good(
            "SET 'execution.target' = 'kubernetes-session';\nSET 'kubernetes.cluster-id' = 'orders';\n",
            file="job.sql",
            flink="1.18",
        ),
        good("taskmanager.memory.process.size: 4g\n", flink="1.18"),
        good(
            "SET 'table.exec.state.ttl' = '1 h';\nSET 'metrics.latency.interval' = '1 s';\n",
            file="job.sql",
            flink="1.18",
        ),
        bad("SET 'parallelism.default' = '4';\nSET 'heartbeat.timeout' = '3 min';\n", file="job.sql", flink="1.20"),
        bad("SET 'io.tmp.dirs' = '/a';\n", file="job.sql", flink="1.20"),
        bad("SET 'yarn.application.queue' = 'a';\n", file="job.sql", flink="1.20"),
        bad("SET 'kubernetes.taskmanager.cpu' = '2';\n", file="job.sql", flink="1.20"),
        good(
            "SET 'execution.target' = '${TARGET}';\nSET 'heartbeat.timeout' = '3 min';\n", file="job.sql", flink="1.20"
        ),
        good("SET 'akka.lookup.timeout' = '60 s';\n", file="job.sql", flink="1.17"),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  flinkConfiguration:\n    heartbeat.timeout: 3 min\n",
            file="deployment.yaml",
        ),
    ]
