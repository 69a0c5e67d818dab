"""One environment of one function or flow is one job, and what runs in production is the job's."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.source.jvm_program import FILE_FORMAT as JVM
from flink_flint.linter.formats.source.python_program import FILE_FORMAT as PYTHON
from flink_flint.linter.model.document import Document

INTERVAL = "execution.checkpointing.interval"
RESTART = "restart-strategy"
IMPORT = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
ENV = "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"


def read(text: str, name: str = "Jobs.java") -> list[Document]:
    file_format = PYTHON if name.endswith(".py") else JVM
    imported = "from pyflink.datastream import StreamExecutionEnvironment\n" if name.endswith(".py") else IMPORT
    return file_format.read(name, f"{imported}{text}".encode())


def intervals(text: str, name: str = "Jobs.java") -> dict[str | None, str]:
    """Return the checkpoint interval of each document that sets it, by the document's name."""
    return {one.name: one.effective[INTERVAL].text for one in read(text, name) if INTERVAL in one.effective}


def sinks(text: str, name: str = "Jobs.java") -> list[tuple[str, object]]:
    """Return the sinks of a program in production, with their conditions."""
    return [
        (element.name, element.value("condition"))
        for document in read(text, name)
        for element in document.elements
        if element.kind == "sink"
    ]


def java(*methods: str, rest: str = "") -> str:
    return f"public class Jobs {{ {' '.join(methods)} }} {rest}\n"


def test_two_methods_are_two_jobs() -> None:
    one = f"void a() {{ {ENV} env.enableCheckpointing(5); env.execute(); }}"
    other = f"void b() {{ {ENV} env.enableCheckpointing(6); env.execute(); }}"
    assert intervals(java(one, other)) == {"Jobs.a": "5 ms", "Jobs.b": "6 ms"}


def test_the_job_of_main_is_named_after_the_class() -> None:
    one = f"public static void main(String[] args) {{ {ENV} env.enableCheckpointing(5); }}"
    other = f"void b() {{ {ENV} env.enableCheckpointing(6); }}"
    assert intervals(java(one, other)) == {"Jobs": "5 ms", "Jobs.b": "6 ms"}


def test_two_roots_do_not_merge_if_one_function_calls_both() -> None:
    one = f"static void a() {{ {ENV} env.enableCheckpointing(5); }}"
    other = f"static void b() {{ {ENV} env.enableCheckpointing(6); }}"
    main = "public static void main(String[] args) { a(); b(); }"
    assert intervals(java(one, other, main)) == {"Jobs.a": "5 ms", "Jobs.b": "6 ms"}


@pytest.mark.parametrize(
    "methods",
    [
        [f"void a() {{ {ENV} tune(env); }}", "void tune(StreamExecutionEnvironment e) { e.enableCheckpointing(5); }"],
        [
            "void a() { StreamExecutionEnvironment env = made(); env.enableCheckpointing(5); }",
            f"StreamExecutionEnvironment made() {{ {ENV} env.setParallelism(3); return env; }}",
        ],
        [
            "private final " + ENV,
            "void a() { env.enableCheckpointing(5); }",
            "void b() { env.execute(); }",
        ],
        [
            "private StreamExecutionEnvironment env;",
            "Jobs() { this.env = StreamExecutionEnvironment.getExecutionEnvironment(); }",
            "void a() { env.enableCheckpointing(5); }",
        ],
        [
            (
                "void a() { StreamExecutionEnvironment env = cluster()"
                " ? StreamExecutionEnvironment.getExecutionEnvironment()"
                " : StreamExecutionEnvironment.createLocalEnvironment(); env.enableCheckpointing(5); }"
            )
        ],
    ],
)
def test_one_environment_is_one_job(methods: list[str]) -> None:
    (document,) = read(java(*methods))
    assert (document.name, document.effective[INTERVAL].text) == ("Jobs", "5 ms")


def test_a_helper_belongs_to_each_job_that_calls_it() -> None:
    one = f"void a() {{ {ENV} tune(env); env.setParallelism(1); }}"
    other = f"void b() {{ {ENV} tune(env); env.setParallelism(2); }}"
    helper = "void tune(StreamExecutionEnvironment e) { e.enableCheckpointing(5); }"
    assert intervals(java(one, other, helper)) == {"Jobs.a": "5 ms", "Jobs.b": "5 ms"}


def test_helpers_that_nobody_calls_are_flows_of_their_own() -> None:
    one = "static void a(StreamExecutionEnvironment e) { e.enableCheckpointing(5); }"
    other = "static void b(StreamExecutionEnvironment e) { e.enableCheckpointing(6); }"
    assert intervals(java(one, other)) == {"Jobs.a": "5 ms", "Jobs.b": "6 ms"}


def test_two_environments_of_one_method_are_two_jobs() -> None:
    method = (
        f"void a() {{ {ENV} env.enableCheckpointing(5);"
        f" {ENV.replace('env =', 'other =')} CheckpointConfig config = other.getCheckpointConfig();"
        " config.setCheckpointInterval(6); env.execute(); other.execute(); }"
    )
    assert sorted(intervals(java(method)).values()) == ["5 ms", "6 ms"]


def test_a_table_environment_is_of_the_same_job() -> None:
    method = (
        f"void a() {{ {ENV} StreamTableEnvironment tables = StreamTableEnvironment.create(env);"
        " env.enableCheckpointing(5); tables.executeSql(\"CREATE TABLE t (a INT) WITH ('connector' = 'print')\"); }"
    )
    (document,) = read(java(method))
    assert {element.kind for element in document.elements} >= {"table"}
    assert INTERVAL in document.effective


def test_statements_in_sql_are_read_by_job() -> None:
    text = java(
        *(
            f"void {name}() {{ {ENV} StreamTableEnvironment t = StreamTableEnvironment.create(env);"
            f" t.executeSql(\"CREATE TABLE {name} (a INT) WITH ('connector' = 'print')\"); }}"
            for name in ("a", "b")
        )
    )
    assert [[e.name for e in one.elements if e.kind == "table"] for one in read(text)] == [["a"], ["b"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "jobs.py",
            (
                "def a():\n    env = StreamExecutionEnvironment.get_execution_environment()\n"
                "    env.enable_checkpointing(5)\n"
                "def b():\n    env = StreamExecutionEnvironment.get_execution_environment()\n"
                "    env.enable_checkpointing(6)\n"
            ),
        ),
        (
            "Jobs.scala",
            (
                "object Jobs { def a(): Unit = { val env = StreamExecutionEnvironment.getExecutionEnvironment\n"
                " env.enableCheckpointing(5) }\n def b(): Unit = {\n"
                " val env = StreamExecutionEnvironment.getExecutionEnvironment\n env.enableCheckpointing(6) } }\n"
            ),
        ),
        (
            "Jobs.kt",
            (
                "fun a() { val env = StreamExecutionEnvironment.getExecutionEnvironment()\n"
                " env.enableCheckpointing(5) }\n"
                "fun b() { val env = StreamExecutionEnvironment.getExecutionEnvironment()\n"
                " env.enableCheckpointing(6) }\n"
            ),
        ),
    ],
)
def test_jobs_of_other_languages(name: str, text: str) -> None:
    assert sorted(intervals(text, name).values()) == ["5 ms", "6 ms"]


def main(code: str, rest: str = "") -> str:
    return java(
        f"public static void main(String[] args) {{ {ENV} DataStream<String> s = env.fromSource(x); {code} }}", rest
    )


@pytest.mark.parametrize(
    "code",
    [
        "if (isLocal(env)) { s.print(); } else { s.sinkTo(other); }",
        "if (!isProduction) s.print();",
        'if ("dev".equals(profile)) { s.print(); }',
        'if (!"prod".equals(profile)) { s.print(); }',
        "if (profile != Profile.PROD) { s.print(); }",
        "if (env instanceof LocalStreamEnvironment) { s.print(); }",
        "boolean flag = env instanceof LocalStreamEnvironment; if (flag) { s.print(); }",
        "if (isProd()) { s.sinkTo(other); } else { s.print(); }",
        "if (isProd()) { s.sinkTo(other); return; } s.print();",
        "if (!isLocal) return; s.print();",
        "if (debug && other) { s.print(); }",
        'if (params.has("x")) { if (isLocal) { s.print(); } }',
        "Object o = isLocal ? s.print() : null;",
    ],
)
def test_a_sink_of_a_local_run_is_not_productions(code: str) -> None:
    assert sinks(main(code)) == []


@pytest.mark.parametrize(
    "code",
    [
        "s.print();",
        "if (isLocal(env)) { s.sinkTo(other); } else { s.print(); }",
        "if (isLocal(env)) { s.sinkTo(other); return; } s.print();",
        "if (isLocal(env) && verbose) { s.sinkTo(other); return; } s.print();",
        "if (isLocal(env) && verbose) { s.sinkTo(other); } else { s.print(); }",
        "if (isProd() || verbose) { s.print(); }",
        'if ("prod".equals(profile)) { s.print(); }',
        "if (args.length < 1) { System.err.println(usage); return; } s.print();",
        "try { s.print(); } finally { }",
        "if (true) { s.print(); }",
        'if (params.getBoolean("print", true)) { s.print(); }',
    ],
)
def test_a_sink_of_production(code: str) -> None:
    assert sinks(main(code)) == [("print", None)]


@pytest.mark.parametrize(
    ("code", "condition"),
    [
        ('if (params.has("output")) { s.sinkTo(files); } else { s.print(); }', "flag"),
        ("if (verbose) { s.print(); }", "flag"),
        ("if (isLocalDate) { s.print(); }", "flag"),
        ('if (params.getBoolean("print", false)) { s.print(); }', "off"),
        ("if (isLocal || verbose) { s.print(); }", "flag"),
    ],
)
def test_a_sink_behind_a_flag(code: str, condition: str) -> None:
    assert sinks(main(code)) == [("print", condition)]


def test_a_function_that_is_only_called_locally() -> None:
    helper = "static void show(DataStream<String> s) { s.print(); }"
    assert (
        sinks(java(helper, f"public static void main(String[] a) {{ {ENV} if (isLocal) show(env.fromSource(x)); }}"))
        == []
    )
    assert sinks(java(helper, f"public static void main(String[] a) {{ {ENV} show(env.fromSource(x)); }}")) == [
        ("print", None)
    ]


def test_conditions_of_python() -> None:
    head = "def main():\n    env = StreamExecutionEnvironment.get_execution_environment()\n    s = env.from_source(x)\n"
    assert sinks(f"{head}    if is_local:\n        s.print()\n    else:\n        s.sink_to(y)\n", "job.py") == []
    assert sinks(f"{head}    if args.output and args.x:\n        s.print()\n", "job.py") == [("print", "flag")]
    assert sinks(f"{head}    if profile == 'dev':\n        s.print()\n", "job.py") == []
    assert sinks("if __name__ == '__main__':\n" + head.replace("def main():\n", ""), "job.py") == []
    made = "env = StreamExecutionEnvironment.get_execution_environment()\n"
    entry = f"{made}if __name__ == '__main__':\n    env.from_source(x).print()\n"
    assert sinks(entry, "job.py") == [("print", None)]


def test_a_local_environment_in_one_of_two_branches_is_production() -> None:
    (document,) = read(
        java(
            "public static void main(String[] a) { StreamExecutionEnvironment env; if (isLocal)"
            " { env = StreamExecutionEnvironment.createLocalEnvironmentWithWebUI(c); } else"
            " { env = StreamExecutionEnvironment.getExecutionEnvironment(); } env.execute(); }"
        )
    )
    assert (document.platform, document.profile) == (None, None)


def test_settings_of_a_local_run_are_not_productions() -> None:
    assert intervals(main("if (isLocal) { env.enableCheckpointing(5); } else { env.enableCheckpointing(6); }")) == {
        "Jobs": "6 ms"
    }


def test_settings_of_the_application_are_followed_to_their_defaults() -> None:
    assert intervals(main('env.enableCheckpointing(params.getLong("interval", 60000));')) == {"Jobs": "60000 ms"}
    assert intervals(main('env.enableCheckpointing(Long.parseLong(System.getenv().getOrDefault("I", "7")));')) == {
        "Jobs": "7 ms"
    }
    assert intervals(main('env.enableCheckpointing(params.getLong("interval"));')) == {}


def test_a_setting_that_is_off_by_default_is_unknown() -> None:
    (document,) = read(main('if (params.getBoolean("checkpoints", false)) { env.enableCheckpointing(5); }'))
    (job,) = (element for element in document.elements if element.kind == "job")
    assert INTERVAL not in document.effective
    assert job.has(f"sets.{INTERVAL}")


def test_paths_are_not_followed_to_their_defaults() -> None:
    (document,) = read(main('env.getCheckpointConfig().setCheckpointStorage(params.get("dir", "file:///tmp/x"));'))
    assert "state.checkpoints.dir" not in document.effective


def test_a_program_that_starts_a_mini_cluster_runs_in_its_own_jvm() -> None:
    text = java(
        "public static void main(String[] a) { Configuration c = new Configuration();"
        ' c.setString("io.tmp.dirs", "/tmp"); MiniCluster m = new MiniCluster(new MiniClusterConfiguration.Builder()'
        ".setNumTaskManagers(1).setConfiguration(c).build()); m.start(); }"
    )
    (document,) = read(text)
    assert (document.platform, document.profile) == ("local", None)


def test_many_jobs_are_read_in_bounded_work() -> None:
    methods = "".join(f"void m{i}() {{ {ENV} env.enableCheckpointing({i + 1}); helper(env); }}\n" for i in range(1_500))
    helper = "void helper(StreamExecutionEnvironment e) { e.setParallelism(2); }"
    documents = read(java(methods, helper))
    assert 2 <= len(documents) <= 62


def test_a_switch_behind_a_flag_is_unknown() -> None:
    (document,) = read(main("if (properties.isReuse()) { env.getConfig().enableObjectReuse(); }"))
    (job,) = (element for element in document.elements if element.kind == "job")
    assert "pipeline.object-reuse" not in document.effective
    assert job.has("sets.pipeline.object-reuse")


_STREAMS = (
    "StreamTableEnvironment t = StreamTableEnvironment.create(env); DataStream<Row> s = t.toDataStream(t.from(x));"
    " s.print(); t.createTemporaryView(y, s);"
)
_INSERT = 't.executeSql("INSERT INTO z SELECT * FROM " + y);'


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        (_INSERT, 0),
        ('StatementSet all = t.createStatementSet(); all.addInsertSql("INSERT INTO z SELECT 1"); all.execute();', 0),
        ('t.createStatementSet().addInsertSql("INSERT INTO z SELECT 1").execute();', 0),
        ('t.from(y).executeInsert("z");', 0),
        ('String sql = "INSERT INTO z SELECT 1"; t.executeSql(sql); // env.execute();', 0),
        (f"{_INSERT} env.execute();", 1),
        (f"{_INSERT} env.executeAsync();", 1),
        (f'{_INSERT} t.execute("orders");', 1),
        (f"{_INSERT} s.executeAndCollect();", 1),
        (f"{_INSERT} Jobs2.start(env);", 1),
        (f"{_INSERT} new Starter(env).start();", 1),
        (f"{_INSERT} submit(env.getStreamGraph());", 1),
        ("", 1),
        ('t.executeSql("CREATE TABLE z (x INT)");', 1),
        ("t.executeSql(args[0]);", 1),
    ],
)
def test_what_nothing_executes_is_no_sink(statements: str, count: int) -> None:
    """Statements of tables run without the streams that the program builds beside them."""
    main = f"public static void main(String[] args) {{ {ENV} {_STREAMS} {statements}\n }}"
    assert len(sinks(java(main))) == count


def test_a_helper_that_only_builds_does_not_execute() -> None:
    main = f"public static void main(String[] args) {{ {ENV} {_STREAMS} build(env); {_INSERT} }}"
    build = "static void build(StreamExecutionEnvironment e) { e.fromSource(a, b, c).print(); }"
    assert sinks(java(main, build)) == []
    execute = build.replace("print(); }", "print(); e.execute(); }")
    assert len(sinks(java(main, execute))) == 2


@pytest.mark.parametrize(("last", "count"), [("", 0), ("env.execute()", 1)])
def test_what_nothing_executes_in_python_is_no_sink(last: str, count: int) -> None:
    text = (
        "from pyflink.table import StreamTableEnvironment\n"
        "if __name__ == '__main__':\n"
        "    main()\n"
        "def main():\n"
        "    env = StreamExecutionEnvironment.get_execution_environment()\n"
        "    t = StreamTableEnvironment.create(env)\n"
        "    t.to_data_stream(t.from_path('x')).print()\n"
        "    t.execute_sql('INSERT INTO z SELECT * FROM x')\n"
        f"    {last}\n"
    )
    assert len(sinks(text, "jobs.py")) == count


@pytest.mark.parametrize(("last", "count"), [("", 0), ("env.execute", 1)])
def test_what_nothing_executes_in_scala_is_no_sink(last: str, count: int) -> None:
    text = (
        "object Jobs { def main(args: Array[String]): Unit = {\n"
        "  val env = StreamExecutionEnvironment.getExecutionEnvironment\n"
        "  val t = StreamTableEnvironment.create(env)\n"
        "  t.toDataStream(t.from(x)).print()\n"
        '  t.executeSql("INSERT INTO z SELECT * FROM x")\n'
        f"  {last}\n}} }}\n"
    )
    assert len(sinks(text, "Jobs.scala")) == count
