"""The log file is not where Flink looks for it.

## What it does
In the logging files of Flink's processes (`log4j.properties`, `log4j-console.properties`, `logback.xml`,
`logback-console.xml`) it looks at the file appenders of the root logger, and reports those whose file has a fixed
name, if none of them writes to `${sys:log.file}` (`${log.file}` in log4j 1 and logback). A console file whose root has
appenders but none for the console is advice.

## Why it matters
Flink's start scripts give each process a log file of its own in the system property `log.file`, and the web interface
shows that file. With a fixed name the log tab stays empty, several processes of a machine write into one file and
rename it under each other when it rolls, and the scripts that keep old logs do not find them. In a container the
console is what `kubectl logs` and `docker logs` show.

## What to do
Write `appender.<name>.fileName = ${sys:log.file}`, and keep the console appender in the console file.

## Not when
One file appender of the root does write to `log.file`; the root writes to the console alone; the name is made of some
other variable.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/>: which process reads which
  file
- <https://github.com/apache/flink/blob/master/flink-dist/src/main/flink-bin/bin/flink-daemon.sh>: sets `log.file`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.observability._logging import file_of, is_for_tests, is_source, logs, raw, sort_of

_PROCESSES = regex(r"(?:log4j|logback)(?:-console)?\.(?:properties|xml)")
_LOG_FILE = regex(r"\$\{(?:sys:)?log\.file\b")


@rule(
    code="FLK931",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:logging"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def log_file_name(config: View) -> Iterator[Finding]:
    """the log file is not where Flink looks for it"""
    if is_for_tests(config) or is_source(config):
        return
    in_pods = config.platform in ("kubernetes", "operator")
    for log in logs(config):
        root = log.root
        appenders = log.of(root) if root is not None else []
        if root is None or not appenders or not _PROCESSES.fullmatch(log.file):
            continue
        files = [(one, name) for one in appenders if "file" in sort_of(one) and (name := file_of(one)) is not None]
        fixed = [(one, name) for one, name in files if one.is_known(name)]
        if fixed and len(fixed) == len(files):
            for appender, name in fixed:
                wanted = "${sys:log.file}" if log.dialect == "log4j2" else "${log.file}"
                written = raw(appender, name)
                what = f"the log goes to {written}" if in_pods else f"all processes of a machine log to {written}"
                yield appender.finding(
                    f"{what}, and the web interface, which shows the file that the start scripts name in log.file,"
                    " stays empty",
                    of=name,
                    help=f"write {wanted}",
                    fix=appender.replace(name, wanted),
                )
        elif "-console" in log.file and len(appenders) == len(files) and _LOG_FILE.search(raw(*files[0])):
            yield root.finding(
                "nothing is logged to the console, which is what kubectl logs and docker logs show of a container",
                help="add a console appender to the root logger",
                severity=Severity.INFO,
                key="rootLogger",
            )


_ROOT = "rootLogger.level = INFO\nrootLogger.appenderRef.rolling.ref = R\nappender.rolling.name = R\n"
_ROLLING = "appender.rolling.type = RollingFile\nappender.rolling.fileName = {}\n"
_LOGGER = "logger.flink.name = org.apache.flink\nlogger.flink.level = INFO\n"
_ONE = (
    "log4j.rootLogger=INFO, file\nlog4j.appender.file=org.apache.log4j.FileAppender\nlog4j.appender.file.file={}\n"
    "log4j.logger.org.apache.flink=INFO\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _ROOT + _ROLLING.format("/var/log/flink/flink.log") + _LOGGER,
            file="log4j.properties",
            at="R.fileName",
            fixed=_ROOT + _ROLLING.format("${sys:log.file}") + _LOGGER,
        ),
        bad(
            _ONE.format("/var/log/flink.log"),
            file="log4j.properties",
            flink="1.10",
            at="/var/log/flink.log",
            fixed=_ONE.format("${log.file}"),
        ),
        bad(
            _ROOT + _ROLLING.format("${sys:log.file}"),
            file="log4j-console.properties",
            severity=Severity.INFO,
            says="the console",
        ),
        good(_ROOT + _ROLLING.format("${sys:log.file}"), file="log4j.properties"),
        good(_ONE.format("/var/log/flink.log"), file="log4j.properties", flink="1.11"),
        bad(
            _ROOT + _ROLLING.format("/var/log/flink/flink.log") + _LOGGER,
            file="log4j.properties",
            platform="kubernetes",
            says="the log goes to /var/log/flink/flink.log",
        ),
        good(_ROOT + _ROLLING.format("${env:LOGS}/flink.log") + _LOGGER, file="log4j.properties"),
        good(_ROOT + _ROLLING.format("/var/log/flink/flink.log") + _LOGGER, file="log4j-cli.properties"),
        good(
            "rootLogger.level = INFO\nrootLogger.appenderRef.console.ref = C\nappender.console.name = C\n"
            "appender.console.type = CONSOLE\n" + _LOGGER,
            file="log4j-console.properties",
        ),
        bad(
            _ROOT + _ROLLING.format("/var/log/flink.log") + _LOGGER,
            file="log4j.properties",
            flink="1.8",
            profile="development",
            severity=Severity.INFO,
        ),
        good(_ROOT + _ROLLING.format("/var/log/flink.log") + _LOGGER, file="src/main/resources/log4j.properties"),
        good(_ROOT + _ROLLING.format("/var/log/flink.log") + _LOGGER, file="tests/log4j.properties"),
        good(_ROLLING.format("/var/log/flink.log") + _LOGGER, file="log4j.properties"),
        good(
            "rootLogger.level = INFO\n" + _ROLLING.format("${sys:log.file}") + _LOGGER, file="log4j-console.properties"
        ),
        good(_ROOT + _ROLLING.format("${env:LOGS}/flink.log") + _LOGGER, file="log4j-console.properties"),
        good(
            _ROOT + "rootLogger.appenderRef.own.ref = O\nappender.own.name = O\nappender.own.type = File\n"
            "appender.own.fileName = ${sys:log.file}\n" + _ROLLING.format("/var/log/flink.log") + _LOGGER,
            file="log4j.properties",
        ),
        good(_ROOT + "appender.rolling.fileName = /var/log/flink.log\n" + _LOGGER, file="log4j.properties"),
    ]
