"""The root logger is at DEBUG, and nothing keeps the libraries quiet.

## What it does
Where the root logger is at `DEBUG`, `TRACE` or `ALL`, it looks for loggers that keep Akka or Pekko, Kafka, Hadoop and
ZooKeeper at a higher level, as the logging files of Flink do, and names those that are missing.

## Why it matters
A root at DEBUG is meant to show what Flink or the job does. Without limits of their own the libraries write most of
the log: each RPC message, each fetch of a Kafka consumer, each ping to ZooKeeper.

## What to do
Copy the `logger` lines of the logging file that the release ships, with level `INFO`.

## Not when
The root is at INFO or above, where these loggers change nothing; the file is for tests, for the command line client
or for the operator, which runs none of these libraries.

## Sources
- <https://github.com/apache/flink/blob/master/flink-dist/src/main/flink-bin/conf/log4j-console.properties>: the loggers
  that Flink's own file limits
"""

from collections.abc import Iterator

from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import View
from rules.observability._logging import DEBUGGING, Log, is_for_tests, level, logs

_LIBRARIES = (
    (("akka", "org.apache.pekko"), "Akka or Pekko"), (("org.apache.kafka",), "Kafka"),
    (("org.apache.hadoop",), "Hadoop"), (("org.apache.zookeeper", "org.apache.flink.shaded.zookeeper"), "ZooKeeper"),
)  # fmt: skip


@rule(
    code="FLK929",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:logging"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def log_noisy_libraries(config: View) -> Iterator[Finding]:
    """the root logger is at DEBUG and nothing keeps the libraries quiet"""
    if is_for_tests(config):
        return
    for log in logs(config):
        root = log.root
        if root is None or log.is_of_a_client or _is_of_the_operator(log) or level(root) not in DEBUGGING:
            continue
        limited = [logger.name for logger in log.loggers if logger.has("level") and level(logger) not in DEBUGGING]
        loud = [
            library
            for names, library in _LIBRARIES
            if not any(one.startswith(names) or one in ("org", "org.apache") for one in limited)
        ]
        if loud:
            yield root.finding(
                f"the root logger is at {level(root)} and no logger limits {_listed(loud)}, which then write most of"
                " the log",
                of="level",
                help="give their loggers level INFO, as the logging file of the release does",
                key="rootLogger.level",
                evidence={"libraries": loud},
            )


def _is_of_the_operator(log: Log) -> bool:
    # It runs none of these libraries: no RPC of Flink, no connector, no high availability.
    return log.file.startswith("log4j-operator")


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_ROOT = "rootLogger.level = {}\nappender.rolling.fileName = ${{sys:log.file}}\n"
_LIMITS = (
    "logger.pekko.name = org.apache.pekko\nlogger.pekko.level = INFO\nlogger.kafka.name= org.apache.kafka\n"
    "logger.kafka.level = INFO\nlogger.hadoop.name = org.apache.hadoop\nlogger.hadoop.level = INFO\n"
)
_KEEPER = "logger.zookeeper.name = org.apache.zookeeper\nlogger.zookeeper.level = INFO\n"

CASES = [
    bad(_ROOT.format("DEBUG"), file="log4j.properties", at="rootLogger.level", says="Hadoop and ZooKeeper"),
    bad(_ROOT.format("DEBUG") + _LIMITS, file="log4j-console.properties", at="DEBUG", says="limits ZooKeeper"),
    bad(
        "log4j.rootLogger=TRACE, file\nlog4j.appender.file=org.apache.log4j.FileAppender\n"
        "log4j.appender.file.file=${log.file}\nlog4j.logger.org.apache.kafka=DEBUG\n",
        file="log4j.properties", says="Kafka",
    ),
    good(_ROOT.format("DEBUG") + _LIMITS + _KEEPER, file="log4j.properties"),
    good(_ROOT.format("INFO"), file="log4j.properties"),
    good(_ROOT.format("DEBUG"), file="log4j-operator.properties"),
    good(_ROOT.format("DEBUG"), file="log4j-cli.properties"),
    good(_ROOT.format("${env:LEVEL}"), file="log4j.properties"),
]  # fmt: skip
