"""Thin connectors of Flink CDC and those with everything inside are on one class path.

## What it does
Looks at the JARs that a Dockerfile copies or downloads, and at `pipeline.jars` and `pipeline.classpaths`. Reports
`flink-connector-*-cdc` beside `flink-sql-connector-*-cdc`. Those of a build file are the business of
`connector-jar-twice`.

## Why it matters
The job fails with `NoSuchMethodError`, `AbstractMethodError` or `ClassCastException` in classes of Debezium. Both kinds
have the same classes under the same names, `DebeziumDeserializationSchema` among them. In the `flink-sql-connector`
ones they refer to a Kafka Connect that is moved into another package, in the thin ones to `org.apache.kafka.connect`.
Of each class one is loaded, and it does not fit the rest.

## What to do
Take one kind for all of them: `flink-sql-connector-*-cdc` in `lib/` and for SQL, `flink-connector-*-cdc` in the JAR of
a program.

## Not when
The JARs are of one kind.

## Sources
- `DebeziumDeserializationSchema` in flink-sql-connector-mysql-cdc 2.4.2 (its record is
  `com.ververica.cdc.connectors.shaded.org.apache.kafka.connect.source.SourceRecord`) and in flink-connector-debezium
  2.4.2 (`org.apache.kafka.connect.source.SourceRecord`)
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/faq/faq/>: which of the two to take
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_SETTINGS = ("pipeline.jars", "pipeline.classpaths")
_JAR = regex(r"(flink-(?:sql-)?connector-\w+-cdc)(?:_2\.1\d)?-\d[\w.-]*\.jar")
_ADVICE = "take one kind for all of them"


@rule(
    code="FLK583",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=_SETTINGS,
    when=["element:image"],
    since="0.1",
)
def connector_jars_of_both_kinds(config: View) -> Iterator[Finding]:
    """thin connectors of Flink CDC meet those with everything inside"""
    for image in config.elements("image"):
        jars = {
            name: str(attribute.value)
            for name, attribute in image.element.attributes.items()
            if name.startswith("downloads[") or name.endswith("].source")
        }
        if (both := _both(map(_artifact, jars.values()))) is not None:
            name = next(name for name, path in jars.items() if _artifact(path) == both[0])
            yield image.finding(_message(both), of=name, help=_ADVICE)
    for key in _SETTINGS:
        paths = config.get(key)
        both = _both(_artifact(str(path)) for path in (paths.value or ())) if paths.is_set else None
        if both is not None:
            yield paths.finding(_message(both), help=_ADVICE)


def _artifact(path: str) -> str:
    """Return the artifact of a JAR of Flink CDC; empty for others."""
    found = _JAR.fullmatch(path.rpartition("/")[2].strip())
    return found[1] if found is not None else ""


def _both(artifacts: Iterable[str]) -> tuple[str, str] | None:
    """Return a thin connector and one with everything inside; None if there are not both."""
    names = sorted(filter(None, artifacts))
    whole = [name for name in names if name.startswith("flink-sql-")]
    thin = [name for name in names if not name.startswith("flink-sql-")]
    return (thin[0], whole[0]) if thin and whole else None


def _message(both: tuple[str, str]) -> str:
    return (
        f"{both[0]} and {both[1]} have the same classes, which do not fit each other: NoSuchMethodError or"
        " ClassCastException"
    )


_THIN, _WHOLE = "flink-connector-postgres-cdc", "flink-sql-connector-mysql-cdc"


def _image(*jars: str) -> str:
    return "FROM flink:1.17.2\n" + "".join(f"COPY {jar}-2.4.2.jar /opt/flink/lib/\n" for jar in jars)


def cases() -> list[Case]:
    return [
        bad(_image(_WHOLE, _THIN), file="Dockerfile", at=f"{_THIN}-2.4.2.jar", severity=Severity.WARNING,
            says="have the same classes"),
        bad(
            f"pipeline.jars: file:///opt/{_THIN}-2.4.2.jar;file:///opt/{_WHOLE}-2.4.2.jar\n",
            file="flink-conf.yaml",
        ),
        good(_image(_WHOLE, "flink-sql-connector-postgres-cdc"), file="Dockerfile"),
        good(_image(_THIN, "flink-connector-mysql-cdc"), file="Dockerfile"),
        good(_image(_THIN, "flink-sql-connector-kafka"), file="Dockerfile"),
    ]  # fmt: skip
