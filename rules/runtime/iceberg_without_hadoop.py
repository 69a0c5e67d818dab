"""An image has the runtime of Iceberg or Paimon, and no classes of Hadoop.

## What it does
Reports Dockerfiles on Flink's own image that add `iceberg-flink-runtime` or `paimon-flink` and nothing of Hadoop.

## Why it matters
Catalogs of Iceberg and Paimon are made with a `Configuration` of Hadoop, whatever catalog and file system they use, and
neither their JARs nor Flink have that class. `CREATE CATALOG` fails with `java.lang.NoClassDefFoundError:
org/apache/hadoop/conf/Configuration`, or `ClassNotFoundException: org.apache.hadoop.hdfs.HdfsConfiguration`. The file
system plugins (`flink-s3-fs-hadoop`) keep their classes to themselves.

## What to do
Add `hadoop-client-api` and `hadoop-client-runtime`, or `flink-shaded-hadoop-2-uber`, to `/opt/flink/lib`, or set
`HADOOP_CLASSPATH`.

## Not when
- The Dockerfile mentions Hadoop apart from the plugins, or copies whole folders or several files to `lib`.
- The image is based on another than Flink's own.

## Sources
- <https://iceberg.apache.org/docs/latest/flink/#preparation-when-using-flink-sql-client>: Hadoop on the class path
- <https://paimon.apache.org/docs/master/flink/quick-start/>: Hadoop's JAR; paimon-flink-1.20 1.2.0 without it
- <https://github.com/apache/iceberg/blob/main/flink/v1.20/flink/src/main/java/org/apache/iceberg/flink/FlinkCatalogFactory.java>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.containers.built_image import is_official
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_RUNTIMES = {"iceberg-flink-runtime": "Iceberg", "paimon-flink-1": "Paimon", "paimon-flink-2": "Paimon"}
_PLUGINS = regex(r"flink-[\w]+-fs-hadoop|plugins/[\w-]*hadoop[\w-]*")
_ANY_JARS = regex(r"[*?]|/$|^[^.]*$")


@rule(
    code="FLK973",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:image"],
    since="0.1",
)
def iceberg_without_hadoop(config: View) -> Iterator[Finding]:
    """an image has the runtime of Iceberg or Paimon, but no classes of Hadoop"""
    for image in config.elements("image"):
        if not is_official(image.element) or "hadoop" in _PLUGINS.sub("", config.document.text).lower():
            continue
        copies = list(enumerate(image.items("copies")))
        sources = {f"copies[{number}].source": one.text("source") or "*" for number, one in copies}
        into_lib = {
            f"copies[{number}].source"
            for number, one in copies
            if "/lib" in (one.text("target") or "/lib") or (one.text("target") or "").rstrip("/") == "/opt/flink"
        }
        if any(_ANY_JARS.search(source) is not None for name, source in sources.items() if name in into_lib):
            continue
        downloads = {f"downloads[{n}]": str(one.value) for n, one in enumerate(image.element.listed("downloads"))}
        added = (
            (of, runtime) for of, what in (downloads | sources).items() for runtime in _RUNTIMES if runtime in what
        )
        found = next(added, None)
        if found is not None:
            yield image.finding(
                f"{_RUNTIMES[found[1]]}'s catalogs are made with a Configuration of Hadoop, which neither its runtime"
                " nor Flink has: CREATE CATALOG fails with NoClassDefFoundError: org/apache/hadoop/conf/Configuration",
                of=found[0],
                key=found[1],
                help="add hadoop-client-api and hadoop-client-runtime to /opt/flink/lib",
            )


_GET = "RUN wget -q -P /opt/flink/lib https://example.org/{}\n"
_ICEBERG = "iceberg-flink-runtime-1.20-1.7.1.jar"
_FROM = "FROM flink:1.20-java11\n"


def cases() -> list[Case]:
    return [
        bad(_FROM + _GET.format(_ICEBERG), file="Dockerfile", at="iceberg-flink-runtime", severity=Severity.WARNING,
            says="NoClassDefFoundError"),
        bad(f"{_FROM}COPY jars/{_ICEBERG} /opt/flink/lib/\n{_GET.format('flink-s3-fs-hadoop-1.20.1.jar')}",
            file="Dockerfile", at="iceberg-flink-runtime"),
        bad(_FROM + _GET.format("paimon-flink-1.20-1.2.0.jar"), file="Dockerfile", says="Paimon's catalogs"),
        good(_FROM + _GET.format("paimon-flink-action-1.2.0.jar"), file="Dockerfile"),
        good(_FROM + _GET.format(_ICEBERG) + _GET.format("hadoop-client-api-3.3.6.jar"), file="Dockerfile"),
        good(f"{_FROM}{_GET.format(_ICEBERG)}COPY lib/ /opt/flink/lib/\n", file="Dockerfile"),
        good(f"FROM acme/flink-base:1.20\n{_GET.format(_ICEBERG)}", file="Dockerfile"),
        good(_FROM + _GET.format("flink-sql-connector-kafka-3.4.0-1.20.jar"), file="Dockerfile"),
    ]  # fmt: skip
