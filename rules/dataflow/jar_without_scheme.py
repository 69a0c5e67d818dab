"""A JAR is named by a path without a scheme.

## What it does
Looks at `pipeline.jars` and `pipeline.classpaths`, and in Python at `add_jars` and `add_classpaths`, for paths such as
`/opt/flink/lib/kafka.jar`.

## Why it matters
The entries are URLs. A path is none: the program fails with `java.net.MalformedURLException: no protocol:
/opt/flink/lib/kafka.jar` before it submits anything.

## What to do
Write `file:///opt/flink/lib/kafka.jar`. Entries of `pipeline.jars` are separated by semicolons.

## Not when
The value is a variable, or has a scheme.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/python/dependency_management/#jar-dependencies>: only
  URLs with a protocol
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_KEYS = ("pipeline.jars", "pipeline.classpaths")


@rule(
    code="FLK466",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=_KEYS,
    when=["element:jar-path"],
    flink=">=1.0",
    since="0.1",
)
def jar_without_scheme(config: View) -> Iterator[Finding]:
    """a JAR is named by a path without a scheme"""
    for path in config.elements("jar-path"):
        yield path.finding(
            f"{path.name} has no scheme: {path.method(path.text('method') or '')} takes URLs, and fails with"
            " MalformedURLException: no protocol",
            help=f"write file://{path.name}"
            if path.name.startswith("/")
            else "write file:///... with the absolute path",
        )
    for key in _KEYS:
        setting = config.get(key)
        if not setting.is_set or not setting.is_known or not setting.is_read:
            continue
        first = next((one.strip() for one in setting.text.split(";") if one.strip()), "")
        if first.startswith("/"):
            yield setting.finding(
                f"{first} has no scheme: {key} takes URLs, and Flink fails with MalformedURLException: no protocol",
                help=f"write file://{first}",
            )


_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.add_jars(%s)
env.add_source(source).print()
env.execute("orders")
"""


def claims() -> list[Claim]:
    return [
        flink_fails(
            "run",
            "pipeline.jars: /etc/flink/keystore.jks\n",
            good="pipeline.jars: file:///etc/flink/keystore.jks\n",
            releases=">=1.17",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(_PYTHON % '"/opt/kafka.jar"', file="job.py", at='"/opt/kafka.jar"', severity=Severity.WARNING),
        bad("pipeline.jars: /opt/flink/kafka.jar\n", at="pipeline.jars", says="no protocol"),
        good(_PYTHON % '"file:///opt/kafka.jar"', file="job.py"),
        good(_PYTHON % 'f"file://{folder}/kafka.jar"', file="job.py"),
        good("pipeline.jars: file:///opt/flink/kafka.jar;file:///opt/flink/b.jar\n"),
    ]
