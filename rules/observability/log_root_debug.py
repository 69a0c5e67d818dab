"""The root logger writes everything from DEBUG up.

## What it does
Reports a root logger at `DEBUG`, `TRACE` or `ALL` in log4j 1, log4j 2 and logback configurations, and
`env.log.level` and the variable `ROOT_LOG_LEVEL` of a container with such a value, which the logging files of Flink
take the root's level from.

## Why it matters
Every record, buffer and heartbeat may write a line, of Flink, of its libraries and of the job. Logs grow a hundred
times as fast, a slow disk holds the job up, and when the disk is full, processes die that have nothing to do with it.
It gets worse with a reporter that writes metrics to the log and with a job that prints its stream: all of it ends in
one file. Libraries also log at DEBUG what they would hide at INFO, credentials among it. Without loggers that keep Akka
or Pekko, Kafka, Hadoop and ZooKeeper at a higher level, as Flink's own logging files have them, they write most of the
log: each RPC message, each fetch of a consumer, each ping. The message names those that nothing limits; it names none
for values of the operator's chart, which appends them to logging files with these limits (`append`, true by default).

## What to do
Set the root to `INFO` and give the one logger that is of interest a level of its own, such as
`logger.mine.name = com.example` with `logger.mine.level = DEBUG`. Keep the limits of the release's own file. log4j 2
and logback read the file again while Flink runs (`monitorInterval`, `scan`), so DEBUG is easily had for an hour.

## Not when
- The file is for tests (`src/test`), or for the command line client (`log4j-cli.properties`, `log4j-session`).
- Every appender of the root has a threshold above DEBUG.
- The file is in a JAR (`src/main/resources`), which a cluster does not read: that is advice, unless a container has
  the file in another place, too.
- The level is filled in by a variable (`${env:ROOT_LOG_LEVEL:-INFO}`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/>: the files and their reading
- <https://logging.apache.org/log4j/2.x/manual/customloglevels.html>: the order of levels
"""

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observability._libraries import listed, unlimited
from flink_flint.rules.observability._logging import DEBUGGING, is_for_tests, level, logs, passes


@rule(
    code="FLK928",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["env.log.level"],
    when=["element:logging", "element:container"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def log_root_debug(config: View) -> Iterator[Finding]:
    """the root logger writes everything from DEBUG up"""
    if is_for_tests(config):
        return
    with_metrics = _metrics_are_logged(config)
    for log in logs(config):
        root = log.root
        if root is None or log.is_of_a_client or level(root) not in DEBUGGING:
            continue
        appenders = log.of(root)
        if appenders and not any(passes(appender, "DEBUG") for appender in appenders):
            continue
        loud = unlimited(log) if log.is_whole and not log.is_of_the_operator else []
        yield root.finding(
            _of_operator(level(root)) if log.is_of_the_operator else _message(level(root), with_metrics, loud),
            of="level",
            help="set the root to INFO, and one logger of interest to DEBUG",
            fix=root.replace("level", "INFO"), key="rootLogger.level", evidence={"libraries": loud} if loud else None,
        )  # fmt: skip
    setting = config.get("env.log.level")
    if setting.text.strip().upper() in DEBUGGING:
        yield setting.finding(
            _message(setting.text.strip().upper(), with_metrics), help="set env.log.level: INFO",
            fix=setting.replace("INFO"),
        )  # fmt: skip
    for container in config.elements("container"):
        word = (container.text("environment.ROOT_LOG_LEVEL") or "").strip().upper()
        if word in DEBUGGING:
            yield container.finding(
                _message(word, with_metrics), of="environment.ROOT_LOG_LEVEL", help="set ROOT_LOG_LEVEL to INFO"
            )


def _message(word: str, with_metrics: bool, loud: Sequence[str] = ()) -> str:
    what = f"with the root logger at {word}, Flink, its libraries and the job log all they do"
    more = ", and a reporter writes all metrics to the same log" if with_metrics else ""
    more += f", and no logger limits {listed(loud)}" if loud else ""
    return f"{what}{more}: logs grow many times as fast, slow the job down and fill the disk"


def _of_operator(word: str) -> str:
    return (
        f"with the root logger at {word}, the operator and its libraries log all they do: its log grows many times as"
        " fast and hides what happens to deployments"
    )


def _metrics_are_logged(config: View) -> bool:
    """Whether a reporter writes to the log, here or in the configuration that stands beside."""
    if any("Slf4jReporter" in setting.text for setting in config.under("metrics.reporter.")):
        return True
    if config.sibling_files is None or config.document.entries:
        return False
    for name in ("flink-conf.yaml", "config.yaml"):
        beside = config.sibling_files.properties(name) or {}
        if any("Slf4jReporter" in value for value in beside.values()):
            return True
    return False


_TWO = "rootLogger.level = {}\nrootLogger.appenderRef.rolling.ref = R\nappender.rolling.name = R\n"
_FILE = "appender.rolling.type = RollingFile\nappender.rolling.fileName = ${sys:log.file}\n"
_ONE = "log4j.rootLogger={}, file\nlog4j.appender.file=org.apache.log4j.FileAppender\n"
_ONE_FILE = "log4j.appender.file.file=${log.file}\n"
_LOGBACK = (
    '<configuration>\n  <appender name="file" class="ch.qos.logback.core.FileAppender"><file>${log.file}</file>'
    '</appender>\n  <root level="%s"><appender-ref ref="file"/></root>\n</configuration>\n'
)
_LIMITS = (
    "logger.pekko.name = org.apache.pekko\nlogger.pekko.level = INFO\nlogger.kafka.name= org.apache.kafka\n"
    "logger.kafka.level = INFO\n"
)

_FILTER = "appender.rolling.filter.threshold.type = ThresholdFilter\nappender.rolling.filter.threshold.level = {}\n"
_COMPOSE = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    environment:
      ROOT_LOG_LEVEL: {}
"""


_VALUES = """defaultConfiguration:
{}  flink-conf.yaml: |+
    taskmanager.numberOfTaskSlots: 1
  log4j-{}.properties: |+
    rootLogger.level = DEBUG
"""


_FILE_OF_CLAIM = (
    "appender.rolling.type = File\nappender.rolling.fileName = claim.log\n"
    "appender.rolling.layout.type = PatternLayout\n"
)


def claims() -> list[Claim]:
    return [
        flink_uses(
            "log4j",
            _TWO.format("DEBUG") + _FILE_OF_CLAIM,
            "DEBUG to [R]",
            good=_TWO.format("INFO") + _FILE_OF_CLAIM,
            releases=">=1.11",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(
            _TWO.format("DEBUG") + _FILE,
            file="log4j-console.properties",
            at="rootLogger.level",
            severity=Severity.WARNING,
            fixed=_TWO.format("INFO") + _FILE,
        ),
        bad(
            _ONE.format("TRACE") + _ONE_FILE,
            file="log4j.properties",
            at="TRACE",
            says="a reporter writes all metrics",
            beside={"flink-conf.yaml": "metrics.reporter.log.class: org.apache.flink.metrics.slf4j.Slf4jReporter\n"},
            fixed=_ONE.format("INFO") + _ONE_FILE,
        ),
        bad(
            _TWO.format("DEBUG") + _FILE + _LIMITS,
            file="log4j.properties",
            says="no logger limits Hadoop and ZooKeeper:",
            fixed=_TWO.format("INFO") + _FILE + _LIMITS,
        ),
        bad(_LOGBACK % "debug", file="logback.xml", at="rootLogger.level", fixed=_LOGBACK % "INFO"),
        bad("env.log.level: debug\n", at="env.log.level", flink="1.20", fixed="env.log.level: INFO\n"),
        good(
            _TWO.format("INFO") + _FILE + "logger.mine.name = org.example\nlogger.mine.level = DEBUG\n",
            file="log4j.properties",
        ),
        good(_TWO.format("${env:ROOT_LOG_LEVEL:-DEBUG}") + _FILE, file="log4j.properties"),
        good(_ONE.format("DEBUG") + _ONE_FILE, file="log4j-cli.properties"),
        good(
            _TWO.format("DEBUG") + _FILE + "appender.rolling.filter.threshold.type = ThresholdFilter\n"
            "appender.rolling.filter.threshold.level = INFO\n",
            file="log4j.properties",
        ),
        good(_TWO.format("DEBUG") + _FILE, file="log4j-test.properties"),
        bad(
            _TWO.format("ALL") + _FILE,
            file="log4j.properties",
            flink="1.8",
            profile="development",
            severity=Severity.INFO,
        ),
        bad(_COMPOSE.format("debug"), file="compose.yaml", at="debug", severity=Severity.WARNING),
        good(_COMPOSE.format("INFO"), file="compose.yaml"),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.20\n"
            "    command: jobmanager\n"
            "    environment:\n"
            "      OTHER: INFO\n",
            file="compose.yaml",
        ),
        bad("rootLogger.level = DEBUG\n" + _FILE, file="log4j.properties"),
        bad(_TWO.format("DEBUG") + _FILE + _FILTER.format("DEBUG"), file="log4j.properties"),
        bad(_TWO.format("DEBUG") + _FILE + _FILTER.format("LOUD"), file="log4j.properties"),
        bad(
            "rootLogger.level = DEBUG\n"
            "rootLogger.appenderRef.rolling.ref = WARN\n"
            "appender.rolling.name = WARN\n"
            "appender.rolling.type = RollingFile\n"
            "appender.rolling.fileName = ${sys:log.file}\n",
            file="log4j.properties",
        ),
        bad(_ONE.format("DEBUG") + _ONE_FILE + "log4j.appender.file.threshold=DEBUG\n", file="log4j.properties"),
        good(_ONE.format("DEBUG") + _ONE_FILE + "log4j.appender.file.threshold=INFO\n", file="log4j.properties"),
        good(
            "<configuration>\n"
            '  <appender name="file" class="ch.qos.logback.core.FileAppender"><file>${log.file}</file>'
            '<filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>INFO</level></filter>'
            "</appender>\n"
            '  <root level="debug"><appender-ref ref="file"/></root>\n'
            "</configuration>\n",
            file="logback.xml",
        ),
        good(_FILE + _LIMITS, file="log4j.properties"),
        bad(_TWO.format("DEBUG") + _FILE + _FILTER.format("${env:LOUD}"), file="log4j.properties"),
        bad(_TWO.format("DEBUG") + _FILE + "appender.rolling.level = INFO\n", file="log4j.properties"),
        bad(
            _VALUES.format("", "console"),
            file="values.yaml",
            at="rootLogger.level",
            says="Flink, its libraries and the job log all they do: logs grow",
        ),
        bad(
            _VALUES.format("  append: false\n", "console"),
            file="values.yaml",
            says="no logger limits Akka or Pekko, Kafka, Hadoop and ZooKeeper",
        ),
        bad(
            _VALUES.format("  append: false\n", "operator"),
            file="values.yaml",
            says="the operator and its libraries log all they do: its log grows",
        ),
    ]
