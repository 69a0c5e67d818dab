"""A job has state or a position in Kafka, and takes no checkpoints.

## What it does
Looks at programs with windows, with state for each key, or with a Kafka source that keeps no offsets otherwise, where
neither the program nor the deployment it runs on sets `execution.checkpointing.interval`. Where the deployment is not
known, it is advice of low confidence.

## Why it matters
Without checkpoints Flink has no restart strategy unless one is set: the first lost TaskManager, or the first exception
of a sink, ends the job for good. However it starts again, its windows and state are empty, and `KafkaSource`, which
commits offsets with checkpoints, is not where it was.

## What to do
Call `env.enableCheckpointing(60_000)`, or set `execution.checkpointing.interval: 60s`.

## Not when
The sources end, or the job runs as a batch; the class creates no environment, or gets it, or its settings, from
elsewhere; the managed service takes the checkpoints; the Kafka consumer commits by itself (`enable.auto.commit`). What
sinks commit only with checkpoints is an error of its own (`commits-without-checkpoints`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: without checkpoints
  there is no restart strategy
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#consumer-offset-committing>:
  the source commits offsets when a checkpoint completes
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, is_managed, is_streaming
from flink_flint.rules.kafka._cases import program, source
from flink_flint.rules.kafka._clients import (
    api,
    group_attribute,
    is_bounded,
    is_group,
    is_old,
    is_sql,
    more_properties,
    named,
    of_property,
    starting_offsets,
)

_RESTARTS = "restart-strategy.type"
_STARTS = {
    "earliest": "reads {} from its beginning again",
    "latest": "skips what was written to {} in between",
    "committed": "does not know where it was in {}, since nothing is ever committed",
}


@rule(
    code="FLK350",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:window", "element:keyed-state", "element:kafka-source"],
    only=["element:job"],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def state_without_checkpoints(config: View) -> Iterator[Finding]:
    """a job has state, and takes no checkpoints"""
    jobs = config.elements("job")
    if config.document.kind != "source" or config.is_set(INTERVAL) or config.is_bounded or is_managed(config):
        return
    if not is_streaming(config) or not all(job.is_known(f"sets.{INTERVAL}") for job in jobs):
        return
    found = _lost(config)
    if found is None:
        return
    part, what = found
    known = config.is_deployment_known
    who = "neither the program nor its deployment takes" if known else "unless its deployment does, nothing takes"
    restarts = config.is_set(_RESTARTS) and config.string(_RESTARTS) != "none"
    start = "each restart" if restarts else "the first failure ends the job, and a start after it"
    yield part.finding(
        f"{who} checkpoints: {start} {what}",
        key=INTERVAL,
        help=f"call {part.method('enableCheckpointing')}, or set {INTERVAL}: 60s",
        severity=None if known else Severity.INFO,
        confidence=None if known else Confidence.LOW,
    )


def _lost(config: View) -> tuple[ElementView, str] | None:
    """The part of a program that forgets, and what becomes of it; None if nothing does."""
    for window in config.elements("window"):
        return window, "loses what its windows have collected"
    for state in config.elements("keyed-state"):
        return state, f"loses the state {state.name}".rstrip()
    for reader in config.elements("kafka-source"):
        effect = _STARTS.get((starting_offsets(reader) or "").partition("-")[0])
        if effect is not None and _forgets(reader):
            return reader, effect.format(reader.name or "the topic")
    return None


def _forgets(reader: ElementView) -> bool:
    """Return whether a Kafka source keeps no offsets without checkpoints."""
    if is_bounded(reader) or is_group(reader) or is_sql(reader) or more_properties(reader):
        return False
    if named(reader, *of_property("enable.auto.commit")) is not None:
        return False
    return api(reader) == "KafkaSource" or (is_old(reader) and group_attribute(reader) is None)


def _of_windows(*statements: str) -> str:
    window = "stream.keyBy(line -> line).window(TumblingProcessingTimeWindows.of(Time.minutes(1))).reduce(last);"
    return program(*statements, "DataStream<String> stream = env.socketTextStream(host, port);", window)


_DEPLOYMENT = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n"
    "  flinkVersion: v1_20\n  flinkConfiguration:\n    {}\n  job:\n    jarURI: local:///app.jar\n"
    "    entryClass: shop.Orders\n    upgradeMode: stateless\n"
)
_MODULE = {"pom.xml": "<project/>\n"}


def _on(setting: str) -> dict[str, str]:
    return {**_MODULE, "deploy/deployment.yaml": _DEPLOYMENT.format(setting)}


def cases() -> list[Case]:
    path = "src/main/java/Orders.java"
    return [
        bad(_of_windows(), file=path, beside=_on("rest.port: '8081'"), at="window", severity=Severity.WARNING,
            says="neither the program nor its deployment takes checkpoints: the first failure ends the job, and a"
            " start after it loses what its windows have collected"),
        bad(_of_windows(), file=path, severity=Severity.INFO, says="unless its deployment does"),
        bad(program(source()), file=path, says="reads clicks from its beginning again"),
        bad(program(source("setStartingOffsets(OffsetsInitializer.latest())")), file=path, says="skips what was"),
        bad(_of_windows("env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, 1000));"), file=path,
            says="each restart loses what its windows have collected"),
        good(_of_windows("env.enableCheckpointing(60_000);"), file=path),
        good(_of_windows(), file=path, beside=_on("execution.checkpointing.interval: 1min")),
        good(_of_windows("env.setRuntimeMode(RuntimeExecutionMode.BATCH);"), file=path),
        good(program(source('setProperty("enable.auto.commit", "true")')), file=path),
        good(program(source("setBounded(OffsetsInitializer.latest())")), file=path),
        good(program(source("setProperties(properties)")), file=path),
        good(_of_windows("env.configure(settings);"), file=path),
    ]  # fmt: skip


_PROGRAM = """import java.io.PrintWriter;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  private static final AtomicBoolean FAILED = new AtomicBoolean();

  public static void main(String[] args) throws Exception {
    ServerSocket server = new ServerSocket(0);
    Thread lines = new Thread(() -> serve(server));
    lines.setDaemon(true);
    lines.start();
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    %s
    env.socketTextStream("localhost", server.getLocalPort())
        .keyBy(line -> line)
        .countWindow(2)
        .reduce((one, other) -> FAILED.compareAndSet(false, true) ? fail() : one + other)
        .executeAndCollect(1);
  }

  private static String fail() {
    throw new IllegalStateException("the first window fails");
  }

  private static void serve(ServerSocket server) {
    while (true) {
      try (PrintWriter out = new PrintWriter(server.accept().getOutputStream(), true)) {
        for (int number = 0; number < 100; number++) {
          out.println("a");
          Thread.sleep(50);
        }
      } catch (Exception gone) {
        // the source connects again
      }
    }
  }
}
"""


def claims() -> list[Claim]:
    checkpoints = _PROGRAM % "env.enableCheckpointing(1000);"
    return [flink_fails("program", _PROGRAM % "env.setParallelism(1);", good=checkpoints, releases=">=1.12")]
