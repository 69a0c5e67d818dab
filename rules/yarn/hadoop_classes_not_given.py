"""A script gives Flink the configuration of Hadoop, and not its classes.

## What it does
Looks at scripts that start Flink on YARN (`yarn-session.sh`, `flink run -t yarn-...`, `-m yarn-cluster`) and set
`HADOOP_CONF_DIR` or `YARN_CONF_DIR` for it: reports those in which `HADOOP_CLASSPATH` does not occur.

## Why it matters
Flink has no classes of Hadoop with it since 1.8. Its scripts put `HADOOP_CLASSPATH` on the class path and do not ask
for it by themselves: `java.lang.NoClassDefFoundError: org/apache/hadoop/yarn/exceptions/YarnException`,
`ClassNotFoundException: org.apache.hadoop.yarn.api.ApplicationConstants$Environment`, or `Could not identify hostname
and port in 'yarn-cluster'`. `HADOOP_CONF_DIR` names files of settings alone.

## What to do
``export HADOOP_CLASSPATH=`hadoop classpath` `` before the command. With `sudo` or `env`, give it in the command as
well.

## Not when
The script reads other scripts, which may set it, or puts `flink-shaded-hadoop` into `lib`; it does not set
`HADOOP_CONF_DIR` either, so that both come from the machine.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/yarn/#preparation>
- <https://github.com/apache/flink/blob/release-1.20/flink-dist/src/main/flink-bin/bin/config.sh>:
  `INTERNAL_HADOOP_CLASSPATHS`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_CLASSES = "environment.HADOOP_CLASSPATH"
_SETTINGS = ("environment.HADOOP_CONF_DIR", "environment.YARN_CONF_DIR")


@rule(
    code="FLK757",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:command"],
    only=["platform:yarn"],
    flink=">=1.8",
    since="0.1",
)
def hadoop_classes_not_given(config: View) -> Iterator[Finding]:
    """a script gives Flink the configuration of Hadoop, but not its classes"""
    for command in config.elements("command"):
        given = next((name for name in _SETTINGS if command.has(name)), None)
        if given is None or command.has(_CLASSES) or "environment" in command.element.attributes:
            continue
        name = given.removeprefix("environment.")
        yield command.finding(
            f"{command.name} gets {name} and no HADOOP_CLASSPATH, and Flink has no classes of Hadoop with it: it ends"
            " with NoClassDefFoundError: org/apache/hadoop/yarn/...",
            of=given,
            key="HADOOP_CLASSPATH",
            help="set HADOOP_CLASSPATH=$(hadoop classpath) beside it",
        )


_START = "/usr/lib/flink/bin/yarn-session.sh -jm 2048 -tm 4096 --detached\n"
_SUDO = f"sudo -u yarn -i \\\nHADOOP_CONF_DIR=/etc/hadoop/conf \\\n  {_START}"


def cases() -> list[Case]:
    return [
        bad(_SUDO, file="start.sh", at="HADOOP_CLASSPATH", severity=Severity.WARNING, says="gets HADOOP_CONF_DIR"),
        bad("export YARN_CONF_DIR=/etc/hadoop/conf\nflink run -t yarn-per-job orders.jar\n", file="run.sh"),
        good(f"export HADOOP_CLASSPATH=`hadoop classpath`\n{_SUDO}", file="start.sh"),
        good(f"source /etc/profile.d/hadoop.sh\n{_SUDO}", file="start.sh"),
        good(_START, file="start.sh"),
        good("export HADOOP_CONF_DIR=/etc/hadoop/conf\n/opt/flink/bin/flink run -m jm:8081 a.jar\n", file="run.sh"),
    ]
