"""Flink knows no such key, in any release, and ignores it without a word.

## What it does
Reports keys that no Flink release from 1.9 to 2.3 accepts: not as an option, an old name of one, an
instance of a family such as `metrics.reporter.<name>.port`, or an entry of a map option. Where a real key
is near, the finding names it and the releases it lives in. It is an error if a key that this release (of an unknown
one: every candidate) knows is the same but for case, separators or at most two slips of the pen, and a warning
otherwise.

## Why it matters
Flink never complains about a key it does not know. Whoever writes `state.checkpoint.dir` believes that
checkpoints go to the directory; they go to the default instead, and nothing in the log says so.

## What to do
Write the key that was meant, or delete the line. The fix is safe if exactly one key differs by one slip of
the pen (or by case and separators only), no line sets it yet and Flink takes the value for it.

## Not when
- The key does not begin like Flink's own: a parameter of the job (`myapp.window`) is nobody's slip.
- A source of the repository declares an option with the key (`ConfigOptions.key("...")` in Java, Scala or
  Kotlin, also of a class of one's own with that name): a program of its own reads it.
- Flink hands the key on to something else: file systems (`s3.`, `fs.`), the Kubernetes operator, Hive.
- The start scripts read it by themselves: `zookeeper.heap.mb`, `taskmanager.compute.numa` and others.
- It begins with `env.`, `metrics.`, `python.`, `restart-strategy.`, `security.`, `sql-client.`, `table.` or
  another prefix under which plug-ins and connectors keep keys of their own, and no real key is very near.
- EMR on EKS (`emrReleaseLabel`) runs Amazon's own Flink, with options of its own: there only slips are told.
- `query.server.port` is advice only: the Docker image writes it by itself, and it does no harm. So is a key beside
  the one that was probably meant: that one counts.
- `kubernetes.max.concurrent.requests` has a rule of its own (FLK406), and so have indented lines of a
  nested `flink-conf.yaml` (FLK009).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the options there are
- <https://github.com/apache/flink-docker/blob/master/2.3/scala_2.12-java17-ubuntu/docker-entrypoint.sh>:
  writes `query.server.port`
"""

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.key_segments import OWN, SHARED
from flink_flint.linter.flink.nearest import alike, slips
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._keys import accepted_by_all, lifetime

REMEDIES = {
    "query.server.port": "delete the line; the port of queryable state is queryable-state.server.ports",
    "rest.bind-host": "write rest.bind-address, which the REST endpoint calls what the others call bind-host",
    "execution.checkpointing.enabled": "delete the line; execution.checkpointing.interval switches checkpoints on",
}
"""What to write instead, where the nearest key is not what was meant."""

_DISTINCT = len("jobmanager")
"""The length from which on a first segment is Flink's in any case; `Rest` and `State` may be the program's."""
TOLD_ELSEWHERE = ("kubernetes.max.concurrent.requests",)


@rule(
    code="FLK001",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    when=["irregular-key"],
)
def unknown_key(config: View, setting: Setting) -> Iterator[Finding]:
    """no Flink release knows this key, so it is ignored without a word"""
    key, options = setting.written, config.catalogue
    if options.releases(key) or options.passes_through(key):
        return
    if is_templated(key) or key.startswith(TOLD_ELSEWHERE):
        return
    segment, dot, _ = key.partition(".")
    own = bool(dot) and (segment in OWN or (len(segment) >= _DISTINCT and segment.lower() in OWN))
    if not own and segment not in SHARED and dot and not any(slips(segment, known, 2) for known in OWN | SHARED):
        return
    near = config.document.nearest_keys(key)
    close = [candidate for candidate in near if alike(key, candidate)]
    assert setting.entry is not None
    if not close and (not own or setting.entry.indent > 0 or _is_amazons(config)):
        return
    if config.is_declared(key):
        return
    here = all(any(options.accept(c, index) for c in close) for index in config.target.indices)
    severity = Severity.ERROR if here else Severity.WARNING
    meant = close or near[:1]
    if key == "query.server.port" or (meant and all(_is_set(config, candidate) for candidate in meant)):
        severity = Severity.INFO  # what the line was meant to say is said
    yield setting.finding(
        f"no Flink release since 1.9 knows the key {key}, so this line does nothing and nothing is logged",
        at="key",
        help=REMEDIES.get(key) or _help(config, close or near[:2]),
        severity=severity,
        confidence=Confidence.HIGH if close else Confidence.MEDIUM,
        fix=None if key in REMEDIES else _rename(config, setting, close),
        evidence={"nearest": close or near[:2]},
    )


def _help(config: View, meant: Sequence[str]) -> str:
    if not meant:
        return "delete the line, or look the key up with `flint options`"
    return f"did you mean {' or '.join(f'{key} ({lifetime(config, key)})' for key in meant)}?"


def _is_amazons(config: View) -> bool:
    """Whether the Flink is that of EMR on EKS."""
    return any(part.has("spec.emrReleaseLabel") for part in config.elements("kubernetes-object"))


def _rename(config: View, setting: Setting, close: Sequence[str]) -> Fix | None:
    """Write the one key that can be meant, if no line sets it yet and every candidate release takes the value."""
    assert setting.entry is not None
    if len(close) != 1:
        return None
    meant = close[0]
    if config.document.misspellings_of(meant) > 1:
        return None
    if not accepted_by_all(config, meant) or _is_set(config, meant):
        return None
    # It would switch on what Flink has ignored so far, and that is a guess.
    return setting.rename(meant, safe=False)


def _is_set(config: View, meant: str) -> bool:
    """Whether a line sets the option that a key belongs to, under whatever name."""
    return not config.document.options_set.isdisjoint(config.catalogue.current_names(meant))


def cases() -> list[Case]:
    return [
        bad(
            "state.checkpoint.dir: s3://bucket/checkpoints\n",
            at="state.checkpoint.dir",
            flink="1.18",
            severity=Severity.ERROR,
            fixed="state.checkpoints.dir: s3://bucket/checkpoints\n",
        ),
        bad(
            "taskmanager.numberoftaskslots: 4\n",
            at="taskmanager.numberoftaskslots",
            file="flink-conf.yaml",
            fixed="taskmanager.numberOfTaskSlots: 4\n",
        ),
        bad(
            "jobmanger:\n  rpc:\n    address: jm\nparallelism.default: 2\n",
            at="jobmanger.rpc.address",
            severity=Severity.ERROR,
        ),
        bad("taskmanager.heartbeat.timeout: 50000\n", flink="1.18", severity=Severity.WARNING),
        bad(
            "execution.checkpointing.enabled: true\n",
            severity=Severity.WARNING,
            fixed="execution.checkpointing.enabled: true\n",
        ),
        bad("jobmanager.memory.proces.size: lots\n", flink="1.20", severity=Severity.ERROR),
        bad("query.server.port: 6125\n", flink="1.18", severity=Severity.INFO, fixed="query.server.port: 6125\n"),
        bad(
            "state.backend.rocksdb.metrics.num-files-at-level0: true\n",
            file="flink-conf.yaml",
            severity=Severity.WARNING,
            says="since 1.9",
        ),
        bad("tabel.exec.mini-batch.enabled: true\nparallelism.default: 2\n", at="tabel.exec.mini-batch.enabled"),
        bad(
            "jobManager.numberOfTaskSlots: 2\nparallelism.default: 2\n",
            file="flink-conf.yaml",
            at="jobManager.numberOfTaskSlots",
            severity=Severity.WARNING,
        ),
        good("Rest.maximum: 2\nState.of.orders: 2\nparallelism.default: 2\n", file="flink-conf.yaml"),
        good("myapp.window: 5 min\nparallelism.default: 2\n"),
        good("s3.endpoint: http://minio:9000\nfs.s3a.impl: x.Y\nkubernetes.operator.savepoint.history.max.age: 1 d\n"),
        good("metrics.reporter.prom.whatever: 1\nkubernetes.jobmanager.labels.app: a\nparallelism.default: 2\n"),
        good("table.exec.hive.fallback-mapred-reader: true\nrestart-strategy.mine.attempts: 3\n", flink="1.18"),
        good("kubernetes.max.concurrent.requests: 200\nparallelism.default: 2\n", flink="1.18"),
        good("jobmanager:\n  bind-host: 0.0.0.0\nparallelism.default: 2\n", file="flink-conf.yaml"),
        bad(
            "state.backend.rocksdb.localdirs: /a\nstate.backend.rocksdb.local-dir: /b\n",
            flink="1.18",
            times=2,
            fixed="state.backend.rocksdb.localdirs: /a\nstate.backend.rocksdb.local-dir: /b\n",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n"
            "  emrReleaseLabel: emr-7.12.0-flink-latest\n  flinkConfiguration:\n"
            "    jobmanager.adaptive-scheduler.combined-restart.enabled: 'true'\n",
            file="orders.yaml",
        ),
        good("taskmanager.compute.numa: true\nzookeeper.heap.mb: 64\nenv.java.home: /opt/java\n", flink="1.18"),
        good("taskmanager.memory.fraction: 0.7\nexecution.checkpointing.dir: s3://b/c\n", flink="1.18"),
        bad(
            "executoin.checkpointing.dir: s3://b/c\n",
            flink="1.18",
            severity=Severity.WARNING,
            fixed="executoin.checkpointing.dir: s3://b/c\n",
        ),
        bad(
            "state.checkpoint.dir: s3://b/c\nexecution.checkpointing.dir: s3://b/d\n",
            flink="2.0",
            fixed="state.checkpoint.dir: s3://b/c\nexecution.checkpointing.dir: s3://b/d\n",
        ),
        good("state.{{ kind }}.folder: a\nrest.port: 8081\n", flink="1.18"),
        good(
            "execution.checkpointing.enable: true\nstate.checkpoint.dir: s3://b/c\nparallelism.default: 2\n",
            flink="1.18",
            beside={
                "pom.xml": "<project/>\n",
                "src/main/java/fleet/Keys.java": "package fleet;\n\nclass Keys {\n"
                '    static final String STATE = "state.";\n'
                "    static final ConfigOption<Boolean> ON =\n"
                '        ConfigOptions.key("execution.checkpointing.enable").booleanType().defaultValue(false);\n'
                "    static final ConfigOption<String> DIR =\n"
                '        ConfigOptions.key(STATE + "checkpoint.dir").stringType().noDefaultValue();\n}\n',
            },
        ),
        bad(
            "execution.checkpointing.enable: true\nparallelism.default: 2\n",
            flink="1.18",
            at="execution.checkpointing.enable",
            beside={
                "pom.xml": "<project/>\n",
                "src/main/java/fleet/Keys.java": "package fleet;\n\nclass Keys {\n"
                '    static final ConfigOption<Boolean> ON = ConfigOptions.key("fleet.enable").booleanType();\n}\n',
                "src/test/java/fleet/Misspelled.java": "package fleet;\n\nclass Misspelled {\n"
                '    Object on = ConfigOptions.key("execution.checkpointing.enable").booleanType();\n}\n',
            },
        ),
        good("rest: 1\nparallelism.default: 2\n", flink="1.18"),
        good("flink:\n taskmanager.frobnication.rate: 1\nparallelism.default: 2\n", flink="1.18"),
        bad("taskmanager.frobnication.rate: 1\nparallelism.default: 2\n", flink="1.18", severity=Severity.WARNING),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "taskmanager memory",
            "taskmanager.memory.proces.size: 4g\n",
            both="taskmanager.memory.process.size: 2g\n",
            releases=">=1.10",
        ),
    ]
