"""A build has a connector with its dependencies inside, and the same connector without.

## What it does
Looks at build files of Maven and Gradle with both `flink-connector-x` and `flink-sql-connector-x` among what is packed
or on the class path. Of Flink CDC, any two of both kinds: all have the classes of Debezium.

## Why it matters
The artifact for SQL contains the connector and its dependencies, most of them under another package
(`com.ververica.cdc.connectors.shaded.org.apache.kafka`, `org.apache.flink.kafka.shaded`). Both have the same classes of
Flink with other types in their signatures, and the class loader takes whichever comes first: `NoSuchMethodError`,
`NoClassDefFoundError` or `ClassCastException`, on some machines and not on others.

## What to do
Keep `flink-connector-x` for a program in Java or Scala. The artifact for SQL is for `lib` of a cluster that runs SQL.

## Not when
One of both is for tests or provided by the cluster, or they are of different
connectors.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/configuration/connector/>: thin JARs and uber JARs of
  connectors
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_FAT, _THIN = "flink-sql-connector-", "flink-connector-"


@rule(
    code="FLK978",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:dependency"],
    flink=">=1.11",
    since="0.1",
)
def connector_jar_twice(config: View) -> Iterator[Finding]:
    """a build has a connector with its dependencies inside, and the same without"""
    packed = {
        one.name: one
        for one in config.elements("dependency")
        if one.text("scope") not in ("test", "provided") and (one.is_known("scope") or not one.has("scope"))
    }
    of_cdc = next((one for name, one in packed.items() if name.startswith(_THIN) and name.endswith("-cdc")), None)
    for name, one in packed.items():
        thin = packed.get(_THIN + name.removeprefix(_FAT)) if name.startswith(_FAT) else None
        if thin is None and name.startswith(_FAT) and name.endswith("-cdc"):
            thin = of_cdc  # all of Flink CDC's have Debezium's classes
        if thin is not None:
            what = f"classes of {thin.name}" if thin is of_cdc else thin.name
            yield one.finding(
                f"{name} contains {what} with its dependencies under other packages: which of both classes is loaded"
                " depends on the order of JARs, and calls fail with NoSuchMethodError",
                help=f"replace {name}: a program needs {_THIN}{name.removeprefix(_FAT)}",
                related=[thin.place(None, "the other JAR with such classes")],
            )


_POM = """<project>
  <artifactId>job</artifactId>
  <dependencies>
    <dependency>
      <groupId>org.apache.flink</groupId><artifactId>flink-connector-kafka</artifactId><version>3.2.0-1.19</version>
    </dependency>
    <dependency>
      <groupId>org.apache.flink</groupId>
      <artifactId>%s</artifactId>
      <version>3.2.0-1.19</version>%s
    </dependency>
  </dependencies>
</project>
"""
_GRADLE = """plugins { id 'java' }
dependencies {
    implementation "org.apache.flink:flink-connector-kafka:3.2.0-1.19"
    %s "org.apache.flink:flink-sql-connector-kafka:3.2.0-1.19"
}
"""


def cases() -> list[Case]:
    return [
        bad(
            _POM % ("flink-sql-connector-kafka", ""), file="pom.xml", at="flink-sql-connector-kafka",
            severity=Severity.WARNING, says="contains flink-connector-kafka",
        ),
        bad(
            _POM.replace("-kafka", "-postgres-cdc") % ("flink-sql-connector-mysql-cdc", ""), file="pom.xml",
            says="flink-sql-connector-mysql-cdc contains classes of flink-connector-postgres-cdc",
        ),
        bad(_GRADLE % "runtimeOnly", file="build.gradle", at="flink-sql-connector-kafka"),
        good(_POM % ("flink-sql-connector-kafka", "<scope>test</scope>"), file="pom.xml"),
        good(_POM % ("flink-sql-connector-hive-3.1.3_2.12", ""), file="pom.xml"),
        good(_POM % ("flink-sql-connector-kafka", "<scope>provided</scope>"), file="pom.xml"),
        good(_GRADLE % "testImplementation", file="build.gradle"),
    ]  # fmt: skip
