"""The logger of a library writes everything from DEBUG up.

## What it does
Reports loggers of Akka or Pekko, Kafka, Hadoop and ZooKeeper at `DEBUG`, `TRACE` or `ALL` under a root at a higher
level. (A root that is at `DEBUG` itself is `log-root-debug`'s, which also names the libraries that nothing limits.)

## Why it matters
These libraries log each RPC message, each fetch of a consumer, each call of a file system, each ping. A logger that was
turned up for a search and forgotten writes most of the log, and fills the disk with what nobody reads.

## What to do
Set it to `INFO`, as in the logging files of the release, when the search is over.

## Not when
The file is for tests or for the command line client; every appender of the root has a threshold above `DEBUG`.

## Sources
- <https://github.com/apache/flink/blob/master/flink-dist/src/main/flink-bin/conf/log4j-console.properties>: the loggers
  that Flink's own file limits
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observability._libraries import at_debug
from flink_flint.rules.observability._logging import DEBUGGING, is_for_tests, level, logs, passes


@rule(
    code="FLK929",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:logging"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
    pedantic=True,
)
def log_noisy_libraries(config: View) -> Iterator[Finding]:
    """the logger of a library writes everything from DEBUG up"""
    if is_for_tests(config):
        return
    for log in logs(config):
        root = log.root
        if root is None or log.is_of_a_client or not root.is_known("level") or level(root) in DEBUGGING:
            continue
        for logger, library in at_debug(log):
            appenders = [*log.of(root), *log.of(logger)]
            if appenders and not any(passes(appender, "DEBUG") for appender in appenders):
                continue
            yield logger.finding(
                f"the logger {logger.name} is at {level(logger)}: {library} then writes most of the log",
                of="level",
                help="set it to INFO, as the logging file of the release does",
                fix=logger.replace("level", "INFO"),
            )


_ROOT = "rootLogger.level = {}\nappender.rolling.fileName = ${{sys:log.file}}\n"
_KAFKA = "logger.kafka.name = org.apache.kafka\nlogger.kafka.level = {}\n"
_LOGBACK = (
    '<configuration>\n  <appender name="file" class="ch.qos.logback.core.FileAppender"><file>${log.file}</file>'
    '</appender>\n  <logger name="akka" level="%s"/>\n  <root level="INFO"><appender-ref ref="file"/></root>\n'
    "</configuration>\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _ROOT.format("INFO") + _KAFKA.format("DEBUG"),
            file="log4j.properties",
            at="DEBUG",
            severity=Severity.INFO,
            says="the logger org.apache.kafka is at DEBUG: Kafka then writes most of the log",
            fixed=_ROOT.format("INFO") + _KAFKA.format("INFO"),
        ),
        bad(
            "log4j.rootLogger=INFO, file\nlog4j.appender.file=org.apache.log4j.FileAppender\n"
            "log4j.appender.file.file=${log.file}\nlog4j.logger.org.apache.hadoop=TRACE\n",
            file="log4j.properties",
            says="Hadoop",
        ),
        bad(_LOGBACK % "debug", file="logback.xml", says="the logger akka is at DEBUG", fixed=_LOGBACK % "INFO"),
        good(_ROOT.format("INFO") + _KAFKA.format("WARN"), file="log4j.properties"),
        good(
            _ROOT.format("INFO") + "logger.mine.name = com.example\nlogger.mine.level = DEBUG\n",
            file="log4j.properties",
        ),
        good(_ROOT.format("DEBUG") + _KAFKA.format("DEBUG"), file="log4j.properties"),
        good(_ROOT.format("INFO") + _KAFKA.format("DEBUG"), file="log4j-cli.properties"),
        good(_ROOT.format("INFO") + _KAFKA.format("${env:KAFKA_LEVEL}"), file="log4j.properties"),
        bad(_ROOT.format("INFO") + _KAFKA.format("DEBUG"), file="log4j.properties", flink="1.8"),
        good(_ROOT.format("INFO") + _KAFKA.format("DEBUG"), file="log4j-test.properties"),
        good(_ROOT.format("${env:ROOT}") + _KAFKA.format("DEBUG"), file="log4j.properties"),
        good("appender.rolling.fileName = ${sys:log.file}\n" + _KAFKA.format("DEBUG"), file="log4j.properties"),
        good(
            "<configuration>\n"
            '  <appender name="file" class="ch.qos.logback.core.FileAppender"><file>${log.file}</file>'
            '<filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>INFO</level></filter>'
            "</appender>\n"
            '  <logger name="akka" level="debug"/>\n'
            '  <root level="INFO"><appender-ref ref="file"/></root>\n'
            "</configuration>\n",
            file="logback.xml",
        ),
    ]
