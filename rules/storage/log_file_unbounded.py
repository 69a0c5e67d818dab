"""A log file grows without bound.

## What it does
Looks at the file appenders that loggers use, in log4j 1, log4j 2 and logback, and reports those that
- write to one file for as long as the process lives (`File`, `FileAppender`, also a logback `FileAppender` with a
  rolling policy in it, which it ignores);
- roll by date and delete nothing (`DailyRollingFileAppender`; a pattern with `%d` and no `%i`, without a `Delete`
  action; logback's `TimeBasedRollingPolicy` without `maxHistory` and `totalSizeCap`).

## Why it matters
A streaming job runs for months. Its processes write until the disk is full, and with it the state, the blobs and
whatever else lives there. A log at DEBUG, a reporter that logs metrics or a stream that is printed gets there in days.

## What to do
Roll by size and keep some, as the log4j files that Flink ships from 1.12 on: `type = RollingFile`,
`policies.size.type = SizeBasedTriggeringPolicy`, `policies.size.size = 100MB`, `strategy.type =
DefaultRolloverStrategy`
and `strategy.max = ${env:MAX_LOG_FILE_NUMBER:-10}`. `flint size storage --store logs` tells what a disk has room for.

## Not when
- The file is for the command line client or for tests.
- Nothing uses the appender, or it writes somewhere else (console, Kafka, a socket).
- The file begins anew with each process (`append = false`), as in the logback files that Flink ships to this day and
  the log4j files it shipped up to 1.11: that is advice, for log4j where the release is older than 1.12 or not known.
- A file in a JAR (`src/main/resources`) is advice, unless a container has it in another place, too: a cluster reads
  its logging file from the configuration directory, and only a program that starts in an IDE reads that of the JAR.
- `log4j.properties` in a JAR has the syntax of log4j 2, which looks for `log4j2.properties`.
- A ConfigMap has the files of log4j and of logback: Flink's images log with log4j, and logback's are left alone.
- Only single loggers use the appender, and what the root logger writes has a bound: that is advice too.
- A file of log4j 1 for Flink 1.11 or newer, which reads nothing of it (`log4j1-config`).

## Sources
- <https://logging.apache.org/log4j/2.x/manual/appenders/rolling-file.html>: policies, strategies and their defaults
- <https://logback.qos.ch/manual/appenders.html>: rolling policies of logback
- <https://github.com/apache/flink/blob/master/flink-dist/src/main/flink-bin/conf/log4j.properties>: Flink's own file
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.observability._logging import Log, file_of, is_for_tests, logs, part_of, raw, sort_of


@rule(
    code="FLK113",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:logging"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def log_file_unbounded(config: View) -> Iterator[Finding]:
    """a log file grows without bound"""
    if is_for_tests(config):
        return
    for log in logs(config):
        if log.is_of_a_client:
            continue
        used = {appender.name: appender for logger in log.loggers for appender in log.of(logger)}
        for appender in used.values():
            why = _why(log, appender)
            name = file_of(appender)
            if why is None or name is None:
                continue
            stock = appender.flag("append") is False and (log.dialect == "logback" or not config.since("1.12"))
            minor = log.root is not None and appender not in (most := log.of(log.root)) and _rolls(log, most)
            yield appender.finding(
                f"{why}, so the log of a process that runs for months fills the disk",
                of="type",
                help="roll by size and keep some: SizeBasedTriggeringPolicy with 100 MB and at most 10 files",
                severity=Severity.INFO if stock or minor else None,
                evidence={"file": raw(appender, name)},
            )


def _rolls(log: Log, appenders: list[ElementView]) -> bool:
    """Whether what the root logs, which is by far the most, goes to files with a bound."""
    return any(file_of(one) for one in appenders) and all(_why(log, one) is None for one in appenders)


def _why(log: Log, appender: ElementView) -> str | None:
    """Why the files of an appender have no bound; None where they have one, or nobody can tell."""
    sort = sort_of(appender)
    if sort in ("file", "memorymappedfile"):
        if log.dialect == "logback" and appender.has("rollingPolicy"):
            return "a FileAppender ignores its rolling policy (only a RollingFileAppender has one)"
        return "the appender writes to one file that never rolls"
    if sort == "dailyrollingfile":
        return "the appender starts a file each day and deletes none"
    if sort != "rollingfile":
        return None
    if log.dialect == "log4j2":
        name = next((name for name in appender.element.attributes if name.lower() == "filepattern"), None)
        pattern = "" if name is None else raw(appender, name)
        dated = "%d" in pattern or "$${date" in pattern
        if dated and "%i" not in pattern and part_of(appender, "delete") is None:
            return "the files roll by date and none is ever deleted"
        return None
    policy = part_of(appender, "timebasedrollingpolicy") if log.dialect == "logback" else None
    if policy is None or appender.has(f"{policy}.maxHistory") or appender.has(f"{policy}.totalSizeCap"):
        return None
    return "the files roll by date, and without maxHistory none is ever deleted"


_ROOT = "rootLogger.level = INFO\nrootLogger.appenderRef.f.ref = F\nappender.f.name = F\n"
_NAME = "appender.f.fileName = ${sys:log.file}\n"
_ROLLS = _ROOT + "appender.f.type = RollingFile\n" + _NAME
_SIZE = (
    "appender.f.policies.type = Policies\nappender.f.policies.size.type = SizeBasedTriggeringPolicy\n"
    "appender.f.policies.size.size = 100MB\nappender.f.strategy.type = DefaultRolloverStrategy\n"
)
_ONE = (
    "log4j.rootLogger=INFO, file\nlog4j.appender.file=org.apache.log4j.{}\nlog4j.appender.file.file=${{log.file}}\n"
    "log4j.appender.file.append={}\n"
)
_LOGBACK = (
    '<configuration>\n<appender name="file" class="ch.qos.logback.core.{}">\n<file>${{log.file}}</file>\n'
    '<rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">{}</rollingPolicy>\n</appender>\n'
    '<root level="INFO"><appender-ref ref="file"/></root>\n</configuration>\n'
)

_BOTH = (
    _ROOT + "appender.f.type = Console\n" + "rootLogger.appenderRef.g.ref = G\nappender.g.name = G\n"
    "appender.g.type = File\nappender.g.fileName = ${sys:log.file}\n"
)


_AUDIT = (
    _ROLLS + "appender.f.filePattern = ${sys:log.file}.%i\n" + _SIZE + "logger.a.name = org.example.audit\n"
    "logger.a.appenderRef.a.ref = A\nappender.a.name = A\nappender.a.type = File\n"
    "appender.a.fileName = /var/log/audit.log\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _ROOT + "appender.f.type = File\n" + _NAME, file="log4j.properties", at="F.type", severity=Severity.WARNING
        ),
        bad(
            _ROLLS + "appender.f.filePattern = ${sys:log.file}.%d{yyyy-MM-dd}\n" + _SIZE,
            file="log4j-console.properties",
            at="RollingFile",
            says="none is ever deleted",
        ),
        bad(_ONE.format("DailyRollingFileAppender", "true"), file="log4j.properties", says="each day"),
        bad(_ONE.format("FileAppender", "false"), file="log4j.properties", severity=Severity.INFO),
        bad(
            "<configuration>\n"
            '<appender name="file" class="ch.qos.logback.core.FileAppender">\n'
            "<append>false</append><file>${log.file}</file>\n"
            '<rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy"></rollingPolicy>\n'
            "</appender>\n"
            '<root level="INFO"><appender-ref ref="file"/></root>\n'
            "</configuration>\n",
            file="logback.xml",
            flink="1.20",
            severity=Severity.INFO,
        ),
        bad(_LOGBACK.format("FileAppender", "<maxHistory>30</maxHistory>"), file="logback.xml", says="ignores"),
        bad(_LOGBACK.format("rolling.RollingFileAppender", ""), file="logback.xml", says="maxHistory"),
        good(_ROLLS + "appender.f.filePattern = ${sys:log.file}.%i\n" + _SIZE, file="log4j.properties"),
        good(_ONE.format("RollingFileAppender", "false"), file="log4j.properties"),
        good(_ONE.format("FileAppender", "false"), file="log4j-cli.properties"),
        good(_LOGBACK.format("rolling.RollingFileAppender", "<maxHistory>30</maxHistory>"), file="logback.xml"),
        good(
            "rootLogger.level = INFO\n"
            "rootLogger.appenderRef.f.ref = C\n"
            "appender.f.name = F\n"
            "appender.f.type = File\n"
            "appender.f.fileName = ${sys:log.file}\n",
            file="log4j.properties",
        ),
        bad(
            _ONE.format("FileAppender", "true"), file="log4j.properties", profile="development", severity=Severity.INFO
        ),
        good(_ONE.format("FileAppender", "true"), file="log4j.properties", flink="1.12"),
        good(_ONE.format("FileAppender", "true"), file="log4j.properties", flink="1.11"),
        bad(_ONE.format("FileAppender", "true"), file="log4j.properties", flink="1.10", severity=Severity.WARNING),
        bad(_ONE.format("FileAppender", "true"), file="src/main/resources/log4j.properties", flink="1.20"),
        bad(_AUDIT, file="log4j.properties", at="A.type", severity=Severity.INFO),
        bad(
            _AUDIT.replace("RollingFile", "File"),
            file="log4j.properties",
            at="A.type",
            times=2,
            severity=Severity.WARNING,
        ),
        bad(_ONE.format("FileAppender", "false"), file="log4j.properties", flink="1.10", severity=Severity.INFO),
        good(_ONE.format("FileAppender", "true"), file="src/test/resources/log4j.properties"),
        good(
            "log4j.rootLogger=INFO, file\n"
            "log4j.appender.file=org.apache.log4j.FileAppender\n"
            "log4j.appender.file.note=${log.file}\n"
            "log4j.appender.file.append=true\n",
            file="log4j.properties",
        ),
        bad(_ROOT + "appender.f.type = MemoryMappedFile\n" + _NAME, file="log4j.properties", says="never rolls"),
        bad(
            "<configuration>\n"
            '<appender name="file" class="ch.qos.logback.core.FileAppender">\n'
            "<file>${log.file}</file>\n"
            '<!--  class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy"> -->\n'
            "</appender>\n"
            '<root level="INFO"><appender-ref ref="file"/></root>\n'
            "</configuration>\n",
            file="logback.xml",
            says="never rolls",
        ),
        bad(_ROLLS + "appender.f.filePattern = log.$${date:yyyy-MM-dd}\n" + _SIZE, file="log4j.properties"),
        good(_ROLLS + "appender.f.filePattern = log.%d{yyyy-MM-dd}.%i\n" + _SIZE, file="log4j.properties"),
        good(_ROLLS + "appender.f.filePattern = log.1\n" + _SIZE, file="log4j.properties"),
        good(_ROLLS + _SIZE, file="log4j.properties"),
        good(
            _ROLLS + "appender.f.filePattern = log.%d{yyyy-MM-dd}\n" + _SIZE + "appender.f.strategy.d.type = Delete\n"
            "appender.f.strategy.d.basePath = /log\n",
            file="log4j.properties",
        ),
        good(_LOGBACK.format("rolling.RollingFileAppender", "<totalSizeCap>1GB</totalSizeCap>"), file="logback.xml"),
        good(_ROOT + "appender.f.type = Console\n" + _NAME, file="log4j.properties"),
        bad(_BOTH, file="log4j.properties", at="G.type"),
        good(_ROOT + "appender.f.type = File\n" + _NAME, file="src/main/resources/log4j.properties"),
        bad(_ROOT + "appender.f.type = File\n" + _NAME, file="src/main/resources/log4j2.properties"),
        bad(_ROOT + "appender.f.type = File\n" + _NAME, file="src/main/docker/log4j.properties"),
    ]


def claims() -> list[Claim]:
    by_size = (f"{_ROLLS}appender.f.filePattern = ${{sys:log.file}}.%i\n{_SIZE}appender.f.strategy.max = 1\n").replace(
        "100MB", "10KB"
    )
    by_date = by_size.replace(".%i", ".%d{HH-mm-ss}").replace("size.type = SizeBased", "time.type = TimeBased")
    by_date = by_date.replace("appender.f.policies.size.size = 10KB\n", "")
    one = f"{_ROOT}appender.f.type = File\n{_NAME}"
    return [
        flink_uses("log files", one, "all lines are there", good=by_size),
        flink_uses("log files", by_date, "all lines are there", good=by_size),
    ]
