"""Settings that programs make: by methods of environments, strategies, backends, and configurations."""

from __future__ import annotations

import pytest

from tests.formats.reading import parts, read

HEAD = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
ENV = "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"
CONF = "Configuration conf = new Configuration();"


def settings(code: str, imports: str = "", name: str = "Job.java") -> tuple[dict[str, str], set[str]]:
    """Return the settings of a program, and the keys that it sets to unknown values."""
    body = f"class Job {{ public static void main(String[] args) {{ {code} }} }}\n" if name == "Job.java" else code
    (document,) = read(name, f"{HEAD if name != 'job.py' else ''}{imports}{body}")
    jobs = parts(document, "job")
    unknown = {key.removeprefix("sets.") for _, one in jobs for key in one if key.startswith("sets.")}
    return document.settings(), unknown


FILES = {"state.checkpoint-storage": "filesystem"}
STORAGE = {"execution.checkpointing.dir", "execution.checkpointing.storage"}
INTERVAL = "execution.checkpointing.interval"
MODE = "execution.checkpointing.mode"
RETENTION = "execution.checkpointing.externalized-checkpoint-retention"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        # times
        ("env.enableCheckpointing(5000);", {INTERVAL: "5000 ms"}), ("env.enableCheckpointing(1);", {INTERVAL: "1 ms"}),
        ("env.enableCheckpointing(0);", {}), ("env.enableCheckpointing(-1);", {}), ("env.enableCheckpointing();", {}),
        ("env.enableCheckpointing(5000, CheckpointingMode.AT_LEAST_ONCE);",
         {INTERVAL: "5000 ms", MODE: "AT_LEAST_ONCE"}),
        ("env.enableCheckpointing(0, CheckpointingMode.AT_LEAST_ONCE);", {MODE: "AT_LEAST_ONCE"}),
        ("config.setMinPauseBetweenCheckpoints(500L);", {"execution.checkpointing.min-pause": "500 ms"}),
        ("config.setAlignedCheckpointTimeout(Duration.ofSeconds(5));",
         {"execution.checkpointing.aligned-checkpoint-timeout": "5000 ms"}),
        ("env.setBufferTimeout(-1);", {}),
        ("env.setBufferTimeout(0);", {"execution.buffer-timeout": "0 ms"}),
        ("t.getConfig().setIdleStateRetention(Duration.ofHours(1));", {"table.exec.state.ttl": "3600000 ms"}),
        # numbers
        ("config.setMaxConcurrentCheckpoints(2);", {"execution.checkpointing.max-concurrent-checkpoints": "2"}),
        ("config.setMaxConcurrentCheckpoints(2, 3);", {}), ("config.setMaxConcurrentCheckpoints();", {}),
        ("env.setParallelism(4);", {"parallelism.default": "4"}), ("env.setParallelism(4, 5);", {}),
        ("other.setParallelism(4);", {}),
        ("env.setMaxParallelism(128);", {"pipeline.max-parallelism": "128"}),
        # names
        ("config.setCheckpointingMode(CheckpointingMode.AT_LEAST_ONCE);", {MODE: "AT_LEAST_ONCE"}),
        ("config.setCheckpointingMode();", {}),
        ("env.setRuntimeMode(RuntimeExecutionMode.BATCH);", {"execution.runtime-mode": "BATCH"}),
        ("config.enableExternalizedCheckpoints(ExternalizedCheckpointCleanup.RETAIN_ON_CANCELLATION);",
         {RETENTION: "RETAIN_ON_CANCELLATION"}),
        # flags
        ("config.enableUnalignedCheckpoints();", {"execution.checkpointing.unaligned": "true"}),
        ("config.enableUnalignedCheckpoints(false);", {"execution.checkpointing.unaligned": "false"}),
        ("config.enableUnalignedCheckpoints(true, 1);", {}),
        ("config.disableObjectReuse();", {"pipeline.object-reuse": "false"}),
        # strategies
        ("env.setRestartStrategy(RestartStrategies.noRestart());", {"restart-strategy": "none"}),
        ("env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, 5000));",
         {"restart-strategy": "fixed-delay", "restart-strategy.fixed-delay.attempts": "3",
          "restart-strategy.fixed-delay.delay": "5000 ms"}),
        ("env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3));",
         {"restart-strategy": "fixed-delay", "restart-strategy.fixed-delay.attempts": "3"}),
        (("env.setRestartStrategy("
         "RestartStrategies.exponentialDelayRestart(Time.seconds(1), Time.seconds(9), 1.5, Time.hours(1), 0.1));"),
         {"restart-strategy": "exponential-delay", "restart-strategy.exponential-delay.initial-backoff": "1000 ms",
          "restart-strategy.exponential-delay.max-backoff": "9000 ms",
          "restart-strategy.exponential-delay.backoff-multiplier": "1.5",
          "restart-strategy.exponential-delay.reset-backoff-threshold": "3600000 ms",
          "restart-strategy.exponential-delay.jitter-factor": "0.1"}),
        ("env.setRestartStrategy();", {}),
        # backends
        ("env.setStateBackend(new HashMapStateBackend());", {"state.backend": "hashmap"}),
        ("env.setStateBackend(new EmbeddedRocksDBStateBackend(true));",
         {"state.backend": "rocksdb", "state.backend.incremental": "true"}),
        ('env.setStateBackend(new FsStateBackend("s3://b/c", true));',
         {"state.backend": "filesystem", "state.checkpoints.dir": "s3://b/c"}),
        ("env.setStateBackend(new MemoryStateBackend(5));", {"state.backend": "jobmanager"}),
        ("env.setStateBackend();", {}),
        # storage
        ('config.setCheckpointStorage("s3://b/c");', {**FILES, "state.checkpoints.dir": "s3://b/c"}),
        ('config.setCheckpointStorage(new FileSystemCheckpointStorage("s3://b/c", 5));',
         {**FILES, "state.checkpoints.dir": "s3://b/c"}),
        ("config.setCheckpointStorage(new JobManagerCheckpointStorage());", {"state.checkpoint-storage": "jobmanager"}),
        ('env.setDefaultSavepointDirectory("s3://b/s");', {"state.savepoints.dir": "s3://b/s"}),
        ('config.setCheckpointStorage("s3://b/c", 5);', {}),
    ],
)  # fmt: skip
def test_methods(call: str, expected: dict[str, str]) -> None:
    assert settings(f"{ENV} {call}") == (expected, set())


@pytest.mark.parametrize(
    ("call", "unknown"),
    [
        ("env.enableCheckpointing(load());", {INTERVAL}), ("env.enableCheckpointing(5000, mode);", {MODE}),
        ("env.enableCheckpointing(0, load());", {MODE}), ("config.setMaxConcurrentCheckpoints(n);",
         {"execution.checkpointing.max-concurrent-checkpoints"}),
        ("config.setMaxConcurrentCheckpoints(true);", {"execution.checkpointing.max-concurrent-checkpoints"}),
        ("env.setParallelism(load());", {"parallelism.default"}),
        ("env.setParallelism(true);", {"parallelism.default"}),
        ("env.setRuntimeMode(load());", {"execution.runtime-mode"}),
        ("config.enableUnalignedCheckpoints(load());", {"execution.checkpointing.unaligned.enabled"}),
        ("config.enableUnalignedCheckpoints(5);", {"execution.checkpointing.unaligned.enabled"}),
        ("env.setRestartStrategy(load());", {"restart-strategy.type"}),
        ("env.setRestartStrategy(new Own());", {"restart-strategy.type"}),
        ("env.setRestartStrategy(RestartStrategies.fixedDelayRestart(n, rest));",
         {"restart-strategy.fixed-delay.attempts", "restart-strategy.fixed-delay.delay"}),
        ("env.setRestartStrategy(RestartStrategies.fixedDelayRestart(true, 5));",
         {"restart-strategy.fixed-delay.attempts"}),
        ("env.setStateBackend(load());", {"state.backend.type"}),
        ("env.setStateBackend(new Own());", {"state.backend.type"}),
        ("config.setCheckpointStorage(load());", STORAGE),
        ("config.setCheckpointStorage(new FileSystemCheckpointStorage(load()));", STORAGE),
        ("config.setCheckpointStorage(new Own());", STORAGE),
    ],
)  # fmt: skip
def test_unknown_values(call: str, unknown: set[str]) -> None:
    assert settings(f"{ENV} {call}")[1] == unknown


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f'{CONF} conf.setString("a.b", "1");', {"a.b": "1"}), (f'{CONF} conf.set("a.b", true);', {"a.b": "true"}),
        (f'{CONF} conf.setString("a.b");', {}), ('other.setString("a.b", "1");', {}), ('setString("a.b", "1");', {}),
        ('env.getConfig().set("a.b", "1");', {"a.b": "1"}),
        ('t.getConfiguration().setString("a.b", "1");', {"a.b": "1"}),
        ('getConfig().set("a.b", "1");', {}), ('other.load().set("a.b", "1");', {}),
        ('Configuration conf = t.getConfig(); conf.set("a.b", "1");', {"a.b": "1"}),
        ('var conf = t.getConfig(); conf.set("a.b", "1");', {"a.b": "1"}),
        ('var conf = t.load(); conf.set("a.b", "1");', {}),
        (f"{CONF} conf.set(RestOptions.PORT, 8082);", {"rest.port": "8082"}),
        ("any.set(RestOptions.PORT, 8082);", {"rest.port": "8082"}),
        (f'{CONF} conf.set(Names.PORT, "1");', {}), (f'{CONF} conf.set(AWSConfigConstants.AWS_REGION, "eu");', {}),
        (f'{CONF} conf.set(ConfigOptions.key("a.b").stringType(), "1");', {"a.b": "1"}),
        (f'{CONF} conf.set(5, "1");', {}), (f'{CONF} conf.set(load(), "1");', {}),
        (f"{CONF} conf.set(StateBackendOptions.STATE_BACKEND, Kind.ROCKSDB);", {"state.backend": "ROCKSDB"}),
        (f'{CONF} conf.set("a.b", Kind.ROCKSDB);', {}),
        (f'{CONF} conf.set("a.b", Duration.ofSeconds(5));', {"a.b": "5000 ms"}),
        (f'{CONF} conf.set("a.b", Duration.ofNanos(5));', {}),
        (f'{CONF} conf.set("a.b", MemorySize.ofMebiBytes(1));', {"a.b": "1048576 b"}),
        ('Configuration.fromMap(Map.of("a.b", "1"));', {"a.b": "1"}), ('Other.fromMap(Map.of("a.b", "1"));', {}),
        ('fromMap(Map.of("a.b", "1"));', {}), ('pool.submit(() -> { setString("a.b", "1"); });', {}),
    ],
)  # fmt: skip
def test_configurations(code: str, expected: dict[str, str]) -> None:
    assert settings(code)[0] == expected


def test_a_configuration_of_hadoop_is_not_flinks() -> None:
    code = f'{CONF} conf.set("a.b", "1"); conf.set(RestOptions.PORT, 1); Configuration.fromMap(Map.of("c.d", "1"));'
    assert settings(code, "import org.apache.hadoop.conf.Configuration;\n") == ({}, set())


def test_a_configuration_of_kotlin_with_a_receiver() -> None:
    code = 'fun main() { Configuration().apply { setString("a.b", "1") }; Other().apply { setString("c.d", "1") } }\n'
    assert settings(code, name="Job.kt")[0] == {"a.b": "1"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (("make().setParallelism(4); } static StreamExecutionEnvironment make() {"
         " return StreamExecutionEnvironment.createLocalEnvironment();"), True),
        ("var e = StreamExecutionEnvironment.getExecutionEnvironment().setBufferTimeout(5); e.setParallelism(4);",
         True),
        ("var e = StreamExecutionEnvironment.getExecutionEnvironment().fromSource(s); e.setParallelism(4);", False),
        ("StreamExecutionEnvironment e = load(); e.setParallelism(4);", True),
        ("var e = load(); e.setParallelism(4);", False),
        ("StreamExecutionEnvironment.create(5).setParallelism(4);", False),
    ],
)  # fmt: skip
def test_what_is_an_environment(code: str, expected: bool) -> None:
    assert settings(code)[0].get("parallelism.default") == ("4" if expected else None)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("env.enableCheckpointing(5); env.enableCheckpointing(6);", {INTERVAL: "6 ms"}),
        ("env.enableCheckpointing(5); if (a) { env.enableCheckpointing(6); }", {}),
        ("env.enableCheckpointing(5); if (a) { env.enableCheckpointing(5); }", {INTERVAL: "5 ms"}),
        ("if (a) { env.enableCheckpointing(6); }", {INTERVAL: "6 ms"}),
        ("env.enableCheckpointing(5); env.enableCheckpointing(load());", {}),
    ],
)
def test_of_several_values_the_one_that_counts(code: str, expected: dict[str, str]) -> None:
    found, unknown = settings(f"{ENV} {code}")
    assert found == expected
    assert unknown == (set() if expected else {INTERVAL})


def test_options_of_a_reporter_have_its_name() -> None:
    code = (
        'Configuration conf = new Configuration(); MetricOptions.forReporter(conf, "prom")'
        '.set(MetricOptions.REPORTER_FACTORY_CLASS, "a.Factory").setString("port", "9250");'
    )
    found, _ = settings(code, "import org.apache.flink.configuration.*;\n")
    assert found == {"metrics.reporter.prom.factory.class": "a.Factory", "metrics.reporter.prom.port": "9250"}


def test_a_constant_of_another_class_is_no_number() -> None:
    code = "Configuration conf = new Configuration(); conf.set(TaskManagerOptions.NUM_TASK_SLOTS, Limits.SLOTS);"
    found, unknown = settings(code, "import org.apache.flink.configuration.*;\n")
    assert (found, unknown) == ({}, {"taskmanager.numberOfTaskSlots"})


STRATEGY = "restart-strategy"
ATTEMPTS = "restart-strategy.fixed-delay.attempts"
INCREMENTAL = "state.backend.incremental"


@pytest.mark.parametrize(
    ("code", "expected", "unknown"),
    [
        # one of two branches: neither the choice nor its arguments are known
        (
            ("if (a) { env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3)); }"
            " else { env.setRestartStrategy(RestartStrategies.failureRateRestart(6)); }"),
            {},
            {
                "restart-strategy.type", ATTEMPTS,
                "restart-strategy.failure-rate.max-failures-per-interval",
            },
        ),
        (
            ("if (a) { env.setStateBackend(new EmbeddedRocksDBStateBackend(true)); }"
            " else { env.setStateBackend(new HashMapStateBackend()); }"),
            {},
            {"state.backend.type", "execution.checkpointing.incremental"},
        ),
        # the same choice in both: of its arguments, those that are the same are known
        (
            ("if (a) { env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, 5)); }"
            " else { env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, 7)); }"),
            {STRATEGY: "fixed-delay", ATTEMPTS: "3"},
            {"restart-strategy.fixed-delay.delay"},
        ),
        # in sequence, the last one replaces the first with its arguments
        (
            ("env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3));"
            " env.setRestartStrategy(RestartStrategies.noRestart());"),
            {STRATEGY: "none"},
            set(),
        ),
        ("env.setStateBackend(new EmbeddedRocksDBStateBackend(true));",
         {"state.backend": "rocksdb", INCREMENTAL: "true"}, set()),
    ],
)  # fmt: skip
def test_arguments_are_set_with_what_is_chosen(code: str, expected: dict[str, str], unknown: set[str]) -> None:
    """The arguments of a strategy or state backend are set only where it is known to be chosen."""
    assert settings(f"{ENV} {code}") == (expected, unknown)


def test_a_setter_on_a_configuration_from_a_map_sets_once() -> None:
    code = 'Configuration conf = Configuration.fromMap(tool.toMap()); conf.setString("rest.port", "8081");'
    body = f"class Job {{ public static void main(String[] args) {{ {code} {ENV} }} }}\n"
    (document,) = read("Job.java", f"{HEAD}{body}")
    assert [(one.key, one.overridden) for one in document.entries] == [("rest.port", False)]
