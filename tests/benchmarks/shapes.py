"""Inputs that grow along one dimension, for every format of file: what `growth` doubles and what `ceiling` fills up.

Each shape is a function from a count to the texts of files by their names. A shape whose name ends in ``!`` is hostile:
nobody writes such files, but somebody may send them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain

Files = Mapping[str, str]
Shape = Callable[[int], Files]

SHAPES: dict[str, Shape] = {}
"""By ``format: dimension``."""


def _one(name: str, file: str, make: Callable[[int], str]) -> None:
    SHAPES[name] = lambda count: {file: make(count)}


# -- settings, in whatever holds them: each format once for every kind of setting

_SETTINGS: Mapping[str, Callable[[int], tuple[str, str]]] = {
    "keys": lambda n: (f"metrics.reporter.reporter{n}.interval", f"{n} s"),
    "unknown keys": lambda n: (f"taskmanager.memroy.{n}", "1"),
    "misspelled keys": lambda n: (f"metrics.reporter.r{n}.intervall", "1 s"),
    "wrong values": lambda n: (f"metrics.reporter.r{n}.interval", "often"),
    "deprecated keys": lambda n: (f"metrics.reporter.r{n}.class", "org.apache.flink.metrics.jmx.JMXReporter"),
    "duplicates": lambda n: ("rest.port", f"{8081 + n % 1000}"),
}


def _lines(kind: str, count: int, indent: str = "", form: str = "{}: {}\n") -> str:
    setting = _SETTINGS[kind]
    return "".join(indent + form.format(*setting(number)) for number in range(count))


_DEPLOYMENT_HEAD = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders{0}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  jobManager: {{resource: {{memory: 2048m, cpu: 1}}}}
  taskManager: {{resource: {{memory: 2048m, cpu: 1}}}}
  flinkConfiguration:
"""
_COMPOSE_HEAD = """\
services:
  jobmanager:
    image: flink:1.18
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
"""
_PYTHON = "from pyflink.common import Configuration\nconfig = Configuration()\n"
_JAVA = "import org.apache.flink.configuration.Configuration;\nclass Job { void run() {\n  Configuration c = new Configuration();\n"
_SCALA = "import org.apache.flink.configuration.Configuration\nobject Job { def run(): Unit = {\n  val c = new Configuration()\n"
_KOTLIN = "import org.apache.flink.configuration.Configuration\nfun main() {\n  val c = Configuration()\n"
_EMR_JSON = '[{"Classification": "flink-conf", "Properties": {\n'

_HOLDERS: Mapping[str, tuple[str, Callable[[str, int], str]]] = {
    "flink-conf": ("flink-conf.yaml", lambda kind, n: _lines(kind, n)),
    "config.yaml": ("config.yaml", lambda kind, n: _lines(kind, n)),
    "flinkdeployment": ("deployment.yaml", lambda kind, n: _DEPLOYMENT_HEAD.format("") + _lines(kind, n, "    ", '{}: "{}"\n')),
    "configmap": (
        "map.yaml",
        lambda kind, n: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  flink-conf.yaml: |\n    parallelism.default: 2\n"
        + _lines(kind, n, "    "),
    ),
    "ververica": (
        "ververica.yaml",
        lambda kind, n: "apiVersion: v1\nkind: Deployment\nmetadata:\n  name: c\nspec:\n  template:\n    spec:\n      flinkConfiguration:\n"
        "        taskmanager.numberOfTaskSlots: 2\n" + _lines(kind, n, "        ", '{}: "{}"\n'),
    ),
    "compose": ("docker-compose.yml", lambda kind, n: _COMPOSE_HEAD + _lines(kind, n, "        ")),
    "helm values": (
        "values.yaml",
        lambda kind, n: "image:\n  repository: flink\nflinkConfiguration:\n  taskmanager.numberOfTaskSlots: 2\n"
        + _lines(kind, n, "  ", '{}: "{}"\n'),
    ),
    "template": (
        "templates/conf.yaml.j2",
        lambda kind, n: "taskmanager.numberOfTaskSlots: {{ slots }}\nparallelism.default: 2\n" + _lines(kind, n),
    ),
    "emr": (
        "emr.json",
        lambda kind, n: _EMR_JSON + _lines(kind, n, "", '"{}": "{}",\n') + '"parallelism.default": "2"}}]\n',
    ),
    "cloud formation": (
        "template.yaml",
        lambda kind, n: "Resources:\n  C:\n    Type: AWS::EMR::Cluster\n    Properties:\n      ReleaseLabel: emr-6.15.0\n      Configurations:\n"
        "        - Classification: flink-conf\n          ConfigurationProperties:\n            parallelism.default: 2\n"
        + _lines(kind, n, "            ", '{}: "{}"\n'),
    ),
    "terraform": (
        "main.tf",
        lambda kind, n: 'resource "aws_emr_cluster" "o" {\n  release_label = "emr-6.15.0"\n  configurations_json = jsonencode([{\n'
        '    Classification = "flink-conf"\n    Properties = {\n      "parallelism.default" = "2"\n'
        + _lines(kind, n, "      ", '"{}" = "{}"\n') + "    }\n  }])\n}\n",
    ),
    "terraform heredoc": (
        "heredoc.tf",
        lambda kind, n: 'resource "aws_emr_cluster" "o" {\n  release_label = "emr-6.15.0"\n  configurations_json = <<EOF\n'
        + _EMR_JSON + _lines(kind, n, "", '"{}": "{}",\n') + '"parallelism.default": "2"}}]\nEOF\n}\n',
    ),
    "dockerfile": (
        "Dockerfile",
        lambda kind, n: "FROM flink:1.20\n" + _lines(kind, n, "", "RUN echo '{}: {}' >> /opt/flink/conf/flink-conf.yaml\n"),
    ),
    "shell": ("run.sh", lambda kind, n: "#!/bin/sh\nflink run \\\n" + _lines(kind, n, "  ", "-D{}='{}' \\\n") + "  job.jar\n"),
    "sql": ("job.sql", lambda kind, n: _lines(kind, n, "", "SET '{}' = '{}';\n")),
    "python": ("job.py", lambda kind, n: _PYTHON + _lines(kind, n, "", 'config.set_string("{}", "{}")\n')),
    "java": ("Job.java", lambda kind, n: _JAVA + _lines(kind, n, "  ", 'c.setString("{}", "{}");\n') + "} }\n"),
    "scala": ("Job.scala", lambda kind, n: _SCALA + _lines(kind, n, "  ", 'c.setString("{}", "{}")\n') + "} }\n"),
    "kotlin": ("Job.kt", lambda kind, n: _KOTLIN + _lines(kind, n, "  ", 'c.setString("{}", "{}")\n') + "}\n"),
    "properties": (
        "job.properties",
        lambda kind, n: "taskmanager.numberOfTaskSlots=2\nparallelism.default=2\nexecution.checkpointing.interval=1 min\n"
        + _lines(kind, n, "", "{}={}\n"),
    ),
    "hocon": (
        "application.conf",
        lambda kind, n: "flink {\n  taskmanager.numberOfTaskSlots = 2\n  parallelism.default = 2\n" + _lines(kind, n, "  ", '{} = "{}"\n') + "}\n",
    ),
    "toml": (
        "job.toml",
        lambda kind, n: "[flink]\n'taskmanager.numberOfTaskSlots' = 2\n'parallelism.default' = 2\n" + _lines(kind, n, "", "'{}' = '{}'\n"),
    ),
    "job yaml": (
        "application.yaml",
        lambda kind, n: "flink:\n  taskmanager.numberOfTaskSlots: 2\n  parallelism.default: 2\n" + _lines(kind, n, "  ", '{}: "{}"\n'),
    ),
    "job json": (
        "job.json",
        lambda kind, n: '{"flink": {"taskmanager.numberOfTaskSlots": 2, "parallelism.default": 2,\n' + _lines(kind, n, "", '"{}": "{}",\n') + '"rest.address": "a"}}\n',
    ),
    "msf": (
        "msf.json",
        lambda kind, n: '[{"PropertyGroupId": "FlinkApplicationProperties", "PropertyMap": {\n' + _lines(kind, n, "", '"{}": "{}",\n') + '"rest.address": "a"}}]\n',
    ),
}  # fmt: skip


def _held(file: str, make: Callable[[str, int], str], kind: str) -> Shape:
    return lambda count: {file: make(kind, count)}


for _format, (_file, _make) in _HOLDERS.items():
    for _kind in _SETTINGS:
        if not (_kind == "duplicates" and _format in ("toml",)):
            SHAPES[f"{_format}: {_kind}"] = _held(_file, _make, _kind)


# -- documents of one file


def _documents(make: Callable[[int], str]) -> Callable[[int], str]:
    return lambda count: "---\n".join(map(make, range(count)))


_one(
    "flinkdeployment: documents",
    "all.yaml",
    _documents(lambda n: _DEPLOYMENT_HEAD.format(n) + "    rest.port: '8081'\n"),
)
_one(
    "flinkdeployment: a typo in each", "all.yaml",
    _documents(lambda n: _DEPLOYMENT_HEAD.format(n) + "    execution.checkpointing.interval: 1 mins\n"),
)  # fmt: skip
_one(
    "session jobs: documents", "all.yaml",
    lambda count: _DEPLOYMENT_HEAD.format("") + "    rest.port: '8081'\n" + "".join(
        f"---\napiVersion: flink.apache.org/v1beta1\nkind: FlinkSessionJob\nmetadata:\n  name: j{n}\nspec:\n"
        f"  deploymentName: orders\n  flinkConfiguration:\n    pipeline.name: j{n}\n  job: {{jarURI: local:///a.jar, parallelism: 2}}\n"
        for n in range(count)
    ),
)  # fmt: skip
_one(
    "configmap: documents of unknown keys", "maps.yaml",
    lambda count: "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{n}\ndata:\n  flink-conf.yaml: |\n    rest.port: 8081\n"
        + "".join(f"    taskmanager.memroy.{n}.{k}: 1\n" for k in range(40)) for n in range(count)
    ),
)  # fmt: skip
_one(
    "workload: documents that mount one map", "all.yaml",
    lambda count: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  flink-conf.yaml: |\n    rest.port: 8081\n" + "".join(
        f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: w{n}\nspec:\n  template:\n    spec:\n      containers:\n"
        "        - name: jm\n          image: flink:1.20\n          args: [jobmanager]\n          volumeMounts: [{name: v, mountPath: /opt/flink/conf}]\n"
        "      volumes: [{name: v, configMap: {name: c}}]\n" for n in range(count)
    ),
)  # fmt: skip
_one(
    "workload: documents each with a map", "all.yaml",
    _documents(
        lambda n: f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{n}\ndata:\n  flink-conf.yaml: |\n    rest.port: 8081\n"
        f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: w{n}\nspec:\n  template:\n    spec:\n      containers:\n"
        "        - name: jm\n          image: flink:1.20\n          args: [jobmanager]\n          volumeMounts: [{name: v, mountPath: /opt/flink/conf}]\n"
        f"      volumes: [{{name: v, configMap: {{name: c{n}}}}}]\n"
    ),
)  # fmt: skip
_one(
    "configmap: the same name", "all.yaml",
    _documents(lambda n: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  flink-conf.yaml: |\n    rest.port: 8081\n"),
)  # fmt: skip
_one(
    "ververica: documents", "all.yaml",
    _documents(lambda n: f"apiVersion: v1\nkind: Deployment\nmetadata:\n  name: d{n}\nspec:\n  template:\n    spec:\n"
               "      flinkConfiguration:\n        taskmanager.numberOfTaskSlots: 2\n"),
)  # fmt: skip
_one(
    "compose: services", "docker-compose.yml",
    lambda count: "services:\n" + "".join(
        f"  tm{n}:\n    image: flink:1.18\n    command: taskmanager\n    environment:\n      FLINK_PROPERTIES: |\n"
        "        taskmanager.numberOfTaskSlots: 2\n" for n in range(count)
    ),
)  # fmt: skip
_one(
    "compose: services of one anchor", "docker-compose.yml",
    lambda count: "x-flink: &flink\n  image: flink:1.18\n  environment:\n    FLINK_PROPERTIES: |\n      taskmanager.memroy: 2\n"
    "services:\n" + "".join(f"  tm{n}:\n    <<: *flink\n    command: taskmanager\n" for n in range(count)),
)  # fmt: skip
_one(
    "compose: services that extend", "docker-compose.yml",
    lambda count: "services:\n  tm:\n    image: flink:1.18\n    command: taskmanager\n" + "".join(
        f"  tm{n}:\n    extends: {{service: tm{n - 1 if n else ''}}}\n" for n in range(count)
    ),
)  # fmt: skip
_one(
    "helm values: jobs", "values.yaml",
    lambda count: "jobs:\n" + "".join(
        f"  - name: j{n}\n    flinkProperties:\n      taskmanager.numberOfTaskSlots: '2'\n      execution.checkpointing.interval: 1 mins\n"
        for n in range(count)
    ),
)  # fmt: skip
_one(
    "emr: clusters", "emr.json",
    lambda count: "[" + ",\n".join(
        f'{{"Name": "c{n}", "ReleaseLabel": "emr-6.15.0", "Configurations": [{{"Classification": "flink-conf", "Properties": {{"rest.port": "8081"}}}}]}}'
        for n in range(count)
    ) + "]\n",
)  # fmt: skip
_one(
    "cloud formation: resources", "template.yaml",
    lambda count: "Resources:\n" + "".join(
        f"  C{n}:\n    Type: AWS::EMR::Cluster\n    Properties:\n      ReleaseLabel: emr-6.15.0\n      Configurations:\n"
        "        - Classification: flink-conf\n          ConfigurationProperties:\n            rest.port: '8081'\n"
        for n in range(count)
    ),
)  # fmt: skip
_one(
    "terraform: resources", "main.tf",
    lambda count: "".join(
        f'resource "aws_emr_cluster" "o{n}" {{\n  release_label = "emr-6.15.0"\n  configurations_json = jsonencode([{{\n'
        '    Classification = "flink-conf"\n    Properties = { "rest.port" = "8081" }\n  }])\n}\n' for n in range(count)
    ),
)  # fmt: skip
_one(
    "shell: commands", "run.sh",
    lambda count: "#!/bin/sh\n" + "".join(f"flink run -Drest.port=8081 -p 2 -c org.example.Job{n} job.jar\n" for n in range(count)),
)  # fmt: skip

# -- SQL, programs, logging

_TABLE_SQL = (
    "CREATE TABLE t{0} (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (\n"
    "  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');\n"
)
_one("sql: tables", "job.sql", lambda count: "".join(map(_TABLE_SQL.format, range(count))))
_one(
    "sql: inserts", "job.sql",
    lambda count: _TABLE_SQL.format("a") + _TABLE_SQL.format("b")
    + "".join(f"INSERT INTO ta SELECT id, ts FROM tb WHERE id > {n};\n" for n in range(count)),
)  # fmt: skip
_one(
    "sql: views of views", "job.sql",
    lambda count: _TABLE_SQL.format("a") + _TABLE_SQL.format("b") + "CREATE VIEW v0 AS SELECT * FROM ta;\n"
    + "".join(f"CREATE VIEW v{n + 1} AS SELECT * FROM v{n};\n" for n in range(count)) + f"INSERT INTO tb SELECT * FROM v{count};\n",
)  # fmt: skip
_one(
    "sql: joins of one query", "job.sql",
    lambda count: _TABLE_SQL.format("a") + _TABLE_SQL.format("b") + "INSERT INTO ta SELECT * FROM tb\n"
    + "".join(f"  JOIN tb AS b{n} ON tb.id = b{n}.id\n" for n in range(count)) + ";\n",
)  # fmt: skip
_one(
    "sql: columns", "job.sql",
    lambda count: "CREATE TABLE t (" + ", ".join(f"c{n} BIGINT" for n in range(count)) + ") WITH ('connector' = 'kafka');\n",
)  # fmt: skip
_one(
    "sql: options of a table", "job.sql",
    lambda count: "CREATE TABLE t (a INT) WITH ('connector' = 'kafka'" + "".join(f", 'properties.p{n}' = '1'" for n in range(count)) + ");\n",
)  # fmt: skip
_one(
    "sql: statement set", "job.sql",
    lambda count: _TABLE_SQL.format("a") + _TABLE_SQL.format("b") + "EXECUTE STATEMENT SET\nBEGIN\n"
    + "".join(f"INSERT INTO ta SELECT id, ts FROM tb WHERE id > {n};\n" for n in range(count)) + "END;\n",
)  # fmt: skip
_one("sql: comments", "job.sql", lambda count: "SET 'rest.port' = '8081';\n" + "-- a comment; with 'quotes\n" * count)

_STREAM_JAVA = """\
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.datastream.*;
class Job { void run() throws Exception {
  StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
  env.enableCheckpointing(60_000);
"""
for _format, _name, _opening, _call, _end in (
    ("java", "Job.java", _STREAM_JAVA, "  DataStream<String> s{0} = env.fromElements(\"a\").map(x -> x + {0});\n  s{0}.print();\n", "  env.execute();\n} }\n"),
    ("scala", "Job.scala", "import org.apache.flink.streaming.api.scala._\nobject Job { def main(a: Array[String]): Unit = {\n  val env = StreamExecutionEnvironment.getExecutionEnvironment\n  env.enableCheckpointing(60000)\n",
     "  val s{0} = env.fromElements(\"a\").map(x => x + {0})\n  s{0}.print()\n", "  env.execute()\n} }\n"),
    ("kotlin", "Job.kt", "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment\nfun main() {\n  val env = StreamExecutionEnvironment.getExecutionEnvironment()\n  env.enableCheckpointing(60000)\n",
     "  val s{0} = env.fromElements(\"a\").map {{ it + {0} }}\n  s{0}.print()\n", "  env.execute()\n}\n"),
    ("python", "job.py", "from pyflink.datastream import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\nenv.enable_checkpointing(60000)\n",
     "s{0} = env.from_collection([{0}]).map(lambda x: x + {0})\ns{0}.print()\n", "env.execute()\n"),
):  # fmt: skip

    def _program(opening: str = _opening, call: str = _call, end: str = _end) -> Callable[[int], str]:
        return lambda count: opening + "".join(call.format(n) for n in range(count)) + end

    _one(f"{_format}: calls", _name, _program())

_one(
    "java: chained calls", "Job.java",
    lambda count: _STREAM_JAVA + "  env.fromElements(1)" + "".join(f"\n    .map(x -> x + {n})" for n in range(count)) + ".print();\n} }\n",
)  # fmt: skip
_one(
    "java: constants", "Job.java",
    lambda count: _STREAM_JAVA + "}\n" + "".join(f"  static final long C{n + 1} = C{n} + 1;\n" for n in range(count)) + "}\n",
)  # fmt: skip
_one(
    "java: asynchronous calls", "Job.java",
    lambda count: _STREAM_JAVA + "  DataStream<String> s = env.fromElements(\"a\");\n" + "".join(
        f"  AsyncDataStream.unorderedWait(s, new F{n}(), 5, java.util.concurrent.TimeUnit.SECONDS, 100).uid(\"u{n}\");\n" for n in range(count)
    ) + "} }\n" + "".join(f"class F{n} extends org.apache.flink.streaming.api.functions.async.RichAsyncFunction<String, String> {{\n"
        "  public void asyncInvoke(String a, org.apache.flink.streaming.api.functions.async.ResultFuture<String> r) { }\n}\n" for n in range(count)),
)  # fmt: skip
_one(
    "python: strings joined", "job.py",
    lambda count: _PYTHON + 'config.set_string("pipeline.name", ' + " + ".join(f'"a{n}"' for n in range(count)) + ")\n",
)  # fmt: skip
_one("logging properties: loggers", "log4j.properties", lambda count: "rootLogger.level = INFO\n" + "".join(
    f"logger.l{n}.name = org.example.l{n}\nlogger.l{n}.level = DEBUG\n" for n in range(count)))  # fmt: skip
_one("logging xml: loggers", "logback.xml", lambda count: "<configuration>\n" + "".join(
    f'  <logger name="org.example.l{n}" level="DEBUG"/>\n' for n in range(count)) + '  <root level="INFO"/>\n</configuration>\n')  # fmt: skip
_one("build: dependencies", "pom.xml", lambda count: "<project><dependencies>\n" + "".join(
    f"  <dependency><groupId>org.apache.flink</groupId><artifactId>flink-sql-connector-a{n}</artifactId></dependency>\n"
    for n in range(count)) + "</dependencies></project>\n")  # fmt: skip
_one("kustomization: resources", "kustomization.yaml", lambda count: "# flink\nresources:\n" + "".join(
    f"  - flink-{n}.yaml\n" for n in range(count)) + "configMapGenerator:\n  - name: flink\n    literals:\n" + "".join(
    f"      - taskmanager.memroy.{n}=1\n" for n in range(count)))  # fmt: skip

# -- files


def _files(make: Callable[[int], tuple[str, str]]) -> Shape:
    return lambda count: dict(map(make, range(count)))


SHAPES["files: flink-conf"] = _files(lambda n: (f"c{n}/flink-conf.yaml", "rest.port: 8081\n"))
SHAPES["files: flinkdeployment"] = _files(
    lambda n: (f"d{n}.yaml", _DEPLOYMENT_HEAD.format(n) + "    rest.port: '8081'\n")
)
SHAPES["files: one name in as many folders"] = _files(
    lambda n: (f"team{n}/d.yaml", _DEPLOYMENT_HEAD.format("") + "    rest.port: '8081'\n")
)
SHAPES["files: sql"] = _files(lambda n: (f"s{n}.sql", _TABLE_SQL.format(n) + "SET 'rest.port' = '8081';\n"))
SHAPES["files: python beside a deployment"] = lambda count: {
    "pyproject.toml": "", "d.yaml": _DEPLOYMENT_HEAD.format("") + "    rest.port: '8081'\n",
    **{f"job{n}.py": _PYTHON + 'config.set_string("rest.port", "8081")\n' for n in range(count)},
}  # fmt: skip
SHAPES["files: session jobs of one name"] = lambda count: dict(
    chain.from_iterable(
        (
            (f"t{n}/cluster.yaml", _DEPLOYMENT_HEAD.format("") + "    rest.port: '8081'\n"),
            (f"t{n}/job.yaml", ("apiVersion: flink.apache.org/v1beta1\nkind: FlinkSessionJob\nmetadata:\n  name: j\nspec:\n"
             "  deploymentName: orders\n  flinkConfiguration:\n    pipeline.name: j\n  job: {jarURI: local:///a.jar, parallelism: 2}\n")),
        )
        for n in range(count)
    )
)  # fmt: skip
SHAPES["files: patches of one name"] = lambda count: dict(
    chain.from_iterable(
        (
            (f"t{n}/base/d.yaml", _DEPLOYMENT_HEAD.format("") + "    rest.port: '8081'\n"),
            (f"t{n}/base/kustomization.yaml", "resources: [d.yaml]\n"),
            (f"t{n}/prod/kustomization.yaml", "resources:\n  - ../base\npatches:\n  - path: p.yaml\n"),
            (f"t{n}/prod/p.yaml", ("apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n"
             "  flinkConfiguration:\n    parallelism.default: '2'\n")),
        )
        for n in range(count)
    )
)  # fmt: skip
SHAPES["files: suppressed findings"] = lambda count: {
    "flink-conf.yaml": "".join(f"taskmanager.memroy.{n}: 1 # flint: ignore[FLK001] known\n" for n in range(count))
}

# -- hostile: what nobody writes


def _headed(file: str, make: Callable[[int], str]) -> Callable[[int], str]:
    """The same after a line by which Flink's own files are recognized."""
    head = "taskmanager.numberOfTaskSlots: 2\n" if file in ("config.yaml", "flink-conf.yaml") else ""
    return lambda count: head + make(count)


for _name, _file, _text in (
    ("yaml: flow collections!", "config.yaml", lambda n: "a: " + "[" * n + "]" * n + "\n"),
    ("yaml: nesting!", "config.yaml", lambda n: "".join(" " * min(k, 300) + "a:\n" for k in range(n))),
    ("yaml: sequence of sequences!", "config.yaml", lambda n: "rest.port: 8081\na: " + "- " * n + "x\n"),
    ("yaml: flow mapping!", "config.yaml", lambda n: "a: {" + ", ".join(f"k{k}: 1" for k in range(n)) + "}\n"),
    ("yaml: flow sequence!", "config.yaml", lambda n: "a: [" + ", ".join(f"k{k}" for k in range(n)) + "]\n"),
    ("yaml: aliases!", "config.yaml", lambda n: "a: &a {b: 1}\n" + "".join(f"k{k}: *a\n" for k in range(n))),
    ("yaml: laughs!", "d.yaml", lambda n: _DEPLOYMENT_HEAD.format("") + "    a: 1\nl0: &l0 [a, a]\n" + "".join(f"l{k + 1}: &l{k + 1} [*l{k}, *l{k}]\n" for k in range(n))),
    ("yaml: merged maps!", "docker-compose.yml", lambda n: "services:\n  a0: &a0 {image: 'flink:1.18', command: jobmanager}\n" + "".join(f"  a{k + 1}: &a{k + 1}\n    <<: *a{k}\n    x{k}: 1\n" for k in range(n))),
    ("yaml: a long line!", "config.yaml", lambda n: "pipeline.name: " + "a b " * n + "\n"),
    ("yaml: a quoted line!", "config.yaml", lambda n: 'pipeline.name: "' + "a\\n " * n + '"\n'),
    ("yaml: a block scalar!", "d.yaml", lambda n: _DEPLOYMENT_HEAD.format("") + "    a: |\n" + "      line of text\n" * n),
    ("yaml: a folded scalar!", "d.yaml", lambda n: _DEPLOYMENT_HEAD.format("") + "    a: >\n" + "      line of text\n\n" * n),
    ("yaml: blank lines!", "config.yaml", lambda n: "rest.port: 8081\n" + " \n" * n + "a: 1\n"),
    ("yaml: blanks!", "d.yaml", lambda n: _DEPLOYMENT_HEAD.format("") + "    a: b" + " " * n + "c\n"),
    ("yaml: comments!", "config.yaml", lambda n: "rest.port: 8081\n" + "# flint: ignore\n" * n),
    ("yaml: broken lines!", "config.yaml", lambda n: "rest.port: 8081\n" + "a: b: c\n" * n),
    ("yaml: broken documents!", "d.yaml", lambda n: _DEPLOYMENT_HEAD.format("") + "    a: 1\n" + "---\napiVersion: [\n" * n),
    ("yaml: separators!", "d.yaml", lambda n: _DEPLOYMENT_HEAD.format("") + "    a: 1\n" + "---\n" * n),
    ("template: tags!", "c.yaml.j2", lambda n: "taskmanager.numberOfTaskSlots: 2\nparallelism.default: 2\n" + "{{ a }}\n" * n),
    ("template: open tags!", "c.yaml.j2", lambda n: "taskmanager.numberOfTaskSlots: 2\nparallelism.default: 2\n" + "{{ a \n" * n),
    ("template: branches!", "c.yaml.j2", lambda n: "taskmanager.numberOfTaskSlots: 2\nparallelism.default: 2\n" + "{% if a %}\na: 1\n" * n),
    ("flink-conf: a long line!", "flink-conf.yaml", lambda n: "pipeline.name: " + "a b " * n + "\n"),
    ("flink-conf: blanks!", "flink-conf.yaml", lambda n: "rest.port: 8081" + " " * n + "x\n"),
    ("flink-conf: a long key!", "flink-conf.yaml", lambda n: "taskmanager." + "a." * n + "b: 1\n"),
    ("flink-conf: no colons!", "flink-conf.yaml", lambda n: "rest.port: 8081\n" + "rest.port 8081\n" * n),
    ("flink-conf: a list!", "flink-conf.yaml", lambda n: "pipeline.jars: " + "a;" * n + "\n"),
    ("flink-conf: a map!", "flink-conf.yaml", lambda n: "pipeline.global-job-parameters: " + ",".join(f"k{k}:v" for k in range(n)) + "\n"),
    ("flink-conf: java options!", "flink-conf.yaml", lambda n: "env.java.opts: " + " ".join(f"-Dk{k}=v" for k in range(n)) + "\n"),
    ("cloud formation: sub!", "t.yaml", lambda n: "Resources:\n  C:\n    Type: AWS::EMR::Cluster\n    Properties:\n      Configurations:\n        - Classification: flink-conf\n          ConfigurationProperties:\n            a: !Sub \"a${" + " " * n + "\"\n"),
    ("json: nesting!", "emr.json", lambda n: _EMR_JSON + '"a": ' + "[" * n + "]" * n + "}}]\n"),
    ("toml: open strings!", "job.toml", lambda n: "'taskmanager.numberOfTaskSlots' = 2\n'parallelism.default' = 2\n" + 'a = """\n' * n),
    ("toml: dotted keys!", "job.toml", lambda n: "'taskmanager.numberOfTaskSlots' = 2\n'parallelism.default' = 2\n" + "a" + ".a" * n + " = 1\n"),
    ("toml: nesting!", "job.toml", lambda n: "'taskmanager.numberOfTaskSlots' = 2\n'parallelism.default' = 2\na = " + "[" * n + "]" * n + "\n"),
    ("hocon: substitutions!", "a.conf", lambda n: "flink {\n  taskmanager.numberOfTaskSlots = 2\n parallelism.default = 2\n}\na0 = 1\n" + "".join(f"a{k + 1} = ${{a{k}}}${{a{k}}}\n" for k in range(n))),
    ("hocon: nesting!", "a.conf", lambda n: "flink.taskmanager.numberOfTaskSlots = 2\nflink.parallelism.default = 2\n" + "a {\n" * n + "}\n" * n),
    ("properties: continued!", "j.properties", lambda n: "taskmanager.numberOfTaskSlots=2\nparallelism.default=2\na=" + "b\\\n" * n + "\n"),
    ("sql: brackets!", "j.sql", lambda n: _TABLE_SQL.format("a") + "INSERT INTO ta SELECT " + "(" * n + "1" + ")" * n + ";\n"),
    ("sql: open quotes!", "j.sql", lambda n: "SET 'a' = 'b';\n" + "SELECT 'a\n" * n),
    ("sql: open comments!", "j.sql", lambda n: "SET 'a' = 'b';\n" + "/* \n" * n),
    ("sql: blanks!", "j.sql", lambda n: "SET 'a' = 'b';\nCREATE TABLE" + " " * n + "x\n"),
    ("sql: selects in selects!", "j.sql", lambda n: _TABLE_SQL.format("a") + "INSERT INTO ta " + "SELECT * FROM (" * n + "SELECT 1" + ")" * n + ";\n"),
    ("java: brackets!", "J.java", lambda n: _STREAM_JAVA + "  int a = " + "(" * n + "1" + ")" * n + ";\n} }\n"),
    ("java: blocks!", "J.java", lambda n: _STREAM_JAVA + "{" * n + "}" * n + "} }\n"),
    ("java: generics!", "J.java", lambda n: _STREAM_JAVA + "  List" + "<List" * n + ">" * n + " a;\n} }\n"),
    ("java: open comments!", "J.java", lambda n: _STREAM_JAVA + "/* \n" * n),
    ("java: strings joined!", "J.java", lambda n: _STREAM_JAVA + '  String a = "a"' + ' + "b"' * n + ";\n} }\n"),
    ("scala: brackets!", "J.scala", lambda n: "import org.apache.flink.streaming.api.scala._\nobject Job { val a = " + "(" * n + "1" + ")" * n + "}\n"),
    ("kotlin: brackets!", "J.kt", lambda n: "import org.apache.flink.x.Y\nval a = " + "(" * n + "1" + ")" * n + "\n"),
    ("python: brackets!", "j.py", lambda n: _PYTHON + "a = " + "(" * n + "1" + ")" * n + "\n"),
    ("dockerfile: continued!", "Dockerfile", lambda n: "FROM flink:1.20\nRUN a \\\n" + " && b \\\n" * n + " && c\n"),
    ("dockerfile: variables!", "Dockerfile", lambda n: "FROM flink:1.20\nENV A0=a\n" + "".join(f"ENV A{k + 1}=$A{k}$A{k}\n" for k in range(n)) + "ENV FLINK_PROPERTIES=\"a: $A1\"\n"),
    ("dockerfile: stages!", "Dockerfile", lambda n: "FROM flink:1.20 AS s0\n" + "".join(f"FROM s{k} AS s{k + 1}\nRUN echo 'rest.port: 1' >> /opt/flink/conf/flink-conf.yaml\n" for k in range(n))),
    ("shell: quotes!", "run.sh", lambda n: "#!/bin/sh\nflink run -Da='b' job.jar\n" + "echo 'a\n" * n),
    ("shell: heredocs!", "run.sh", lambda n: "#!/bin/sh\nflink run job.jar\n" + "cat <<EOF\n" * n),
    ("shell: substitutions!", "run.sh", lambda n: "#!/bin/sh\nflink run -Da=" + "$(" * n + ")" * n + " job.jar\n"),
    ("python commands: lists!", "run.py", lambda n: "import subprocess\nrun(['flink', 'run'" + ", 'a b'" * n + "])\n"),
    ("python commands: literals!", "run.py", lambda n: "import subprocess\nrun('flink run'" + " 'a'" * n + ")\n"),
    ("python commands: calls!", "run.py", lambda n: "import subprocess\n" + "run('flink run -Da.b=c d.jar')\n" * n),
    ("jsonnet: comments!", "a.jsonnet", lambda n: "{apiVersion: 'flink.apache.org/v1', kind: 'A'}\n" + "# {'\n" * n),
    ("jsonnet: blocks!", "a.jsonnet", lambda n: "{apiVersion: 'flink.apache.org/v1', kind: 'A'}\n" + "|||" * n),
    ("shell: words!", "run.sh", lambda n: "#!/bin/sh\nflink run " + "a " * n + "\n"),
    ("terraform: brackets!", "main.tf", lambda n: '# "aws_emr_cluster" classification\nlocals {\n  a = ' + "[" * n + "]" * n + "\n}\n"),
    ("terraform: locals!", "main.tf", lambda n: '# classification\nlocals {\n' + "".join(f"  a{k + 1} = [local.a{k}, local.a{k}]\n" for k in range(n)) + "}\n"),
    ("logging xml: nesting!", "log4j2.xml", lambda n: "<Configuration>" + "<a>" * n + "</a>" * n + "</Configuration>"),
    ("logging xml: open tags!", "log4j2.xml", lambda n: "<Configuration>" + "<a " * n),
    ("logging xml: entities!", "log4j2.xml", lambda n: '<!DOCTYPE a [<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{k + 1} "&l{k};&l{k};">' for k in range(n)) + f"]><Configuration>&l{n};</Configuration>"),
    ("logging properties: references!", "log4j.properties", lambda n: "rootLogger=INFO\n" + "".join(f"a{k + 1}=${{a{k}}}${{a{k}}}\n" for k in range(n))),
):  # fmt: skip
    _one(_name, _file, _headed(_file, _text))
