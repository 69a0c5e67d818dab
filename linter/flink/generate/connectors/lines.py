"""The releases of connectors from which their options are read, and the Flink that each of them is read with.

Releases before a connector got its own repository are those of Flink (``1.14.6``); later ones name the Flink that they
are built for (``3.4.0-1.20``), in their version or in the artifact. Of each line the newest patch is read that the
package index has, once for each minor release of Flink. Flink's own tables and formats come from its distribution.
"""

from __future__ import annotations

import re

from flink_flint.linter.flink.generate.distributions import PATCHES
from flink_flint.linter.text.named_tuple import NamedTuple

_FLINK = "org.apache.flink:"
_VERVERICA = "com.ververica:"
_SUFFIX = re.compile(r"[-_](?:flink-)?(\d\.\d+)(?:_2\.\d+)?$")

FIRST = "1.11"
"""The first minor release of Flink whose tables have factories of this kind."""


class Release(NamedTuple):
    """A release of a connector: what Maven calls it, its version, and the minor release of Flink it is read with."""

    artifact: str
    version: str
    flink: str
    alone: bool = False
    """Whether its dependencies are left out, since they are not all in the package index."""
    any_flink: bool = False
    """Whether it is made for several minor releases of Flink."""

    @property
    def name(self) -> str:
        """What names the release in file names."""
        return f"{self.artifact.replace(':', '-') or 'flink'}-{self.version}-{self.flink}"


class Line(NamedTuple):
    """A connector with its releases, the oldest first."""

    name: str
    releases: tuple[Release, ...]
    more: bool = False
    """Whether there are later releases, which the package index does not have."""


def _minor_of(version: str) -> str:
    suffix = _SUFFIX.search(version)
    return suffix[1] if suffix is not None else ".".join(version.split(".")[:2])


def _line(name: str, *groups: str, alone: bool = False, more: bool = False) -> Line:
    """Return a line from groups of an artifact and its versions, the Flink of which the versions name."""
    found = []
    for group in groups:
        artifact, *versions = group.split()
        found += [Release(artifact, one, _minor_of(one), alone) for one in versions]
    return Line(name, tuple(found), more)


def _built_for(name: str, *groups: str, more: bool = False) -> Line:
    """Return a line from groups of a minor release, the artifact for it, and its versions."""
    found = []
    for group in groups:
        minor, artifact, *versions = group.split()
        found += [Release(artifact, one, minor) for one in versions]
    return Line(name, tuple(found), more)


def _change_capture(name: str, *groups: str, more: bool = False) -> Line:
    """Return a line of Flink CDC, from groups of an artifact and its versions, each made for several minors."""
    found = []
    for group in groups:
        artifact, *versions = group.split()
        found += [Release(artifact, one, _CDC_FLINK[one[:3]], any_flink=True) for one in versions]
    return Line(name, tuple(found), more)


_CDC_FLINK = {
    "2.0": "1.13",
    "2.1": "1.13",
    "2.2": "1.14",
    "2.3": "1.16",
    "2.4": "1.17",
    "3.0": "1.18",
    "3.1": "1.18",
    "3.2": "1.19",
    "3.3": "1.20",
    "3.4": "1.20",
    "3.5": "1.20",
}
"""A minor release that each release of Flink CDC is made for."""

LINES = (
    _line(
        "kafka",
        f"{_FLINK}flink-connector-kafka_2.12 1.11.3 1.12.7 1.13.6 1.14.6",
        f"{_FLINK}flink-connector-kafka 1.15.4 1.16.3 1.17.2 3.0.2-1.17 3.0.2-1.18 3.1.0-1.17 3.1.0-1.18 3.2.0-1.18"
        " 3.2.0-1.19 3.3.0-1.19 3.3.0-1.20 3.4.0-1.20 4.0.1-2.0 5.0.0-2.1 5.0.0-2.2",
    ),
    _line(
        "kinesis",
        f"{_FLINK}flink-connector-kinesis_2.12 1.12.1 1.13.2 1.14.3",
        f"{_FLINK}flink-connector-kinesis 1.15.2 1.16.3",
        f"{_FLINK}flink-sql-connector-kinesis 4.0.0-1.16",
        f"{_FLINK}flink-connector-kinesis 4.2.0-1.18 4.3.0-1.19",
        more=True,
    ),
    _line(
        "firehose",
        f"{_FLINK}flink-sql-connector-aws-kinesis-firehose 1.16.1 4.0.0-1.16",
        f"{_FLINK}flink-connector-aws-kinesis-firehose 4.3.0-1.19",
        more=True,
    ),
    _line("dynamodb", f"{_FLINK}flink-connector-dynamodb 3.0.0-1.15 4.3.0-1.19", more=True),
    _line(
        "jdbc",
        f"{_FLINK}flink-connector-jdbc_2.12 1.11.3 1.12.7 1.13.6 1.14.6",
        f"{_FLINK}flink-connector-jdbc 1.15.4 1.16.3 3.0.0-1.16 3.1.0-1.16 3.1.1-1.17 3.1.2-1.18 3.2.0-1.18 3.2.0-1.19",
        f"{_FLINK}flink-connector-jdbc-core 3.3.0-1.20 4.0.0-2.0",
    ),
    _line("mongodb", f"{_FLINK}flink-connector-mongodb 1.0.1-1.17 1.1.0-1.18", more=True),
    _line(
        "elasticsearch6",
        f"{_FLINK}flink-connector-elasticsearch6_2.12 1.11.3 1.12.7 1.13.6 1.14.4",
        f"{_FLINK}flink-connector-elasticsearch6 1.15.2 1.16.1 3.0.0-1.16 3.0.1-1.17",
        more=True,
    ),
    _line(
        "elasticsearch7",
        f"{_FLINK}flink-connector-elasticsearch7_2.12 1.11.6 1.12.7 1.13.6 1.14.4",
        f"{_FLINK}flink-connector-elasticsearch7 1.15.3 1.16.3 3.0.1-1.16 3.0.1-1.17",
        more=True,
    ),
    _line("opensearch", f"{_FLINK}flink-connector-opensearch 1.0.1-1.16 1.1.0-1.18", more=True),
    _line("opensearch2", f"{_FLINK}flink-connector-opensearch2 2.0.0-1.19"),
    _line(
        "hbase-1.4",
        f"{_FLINK}flink-connector-hbase-1.4_2.12 1.12.2 1.13.2 1.14.3",
        f"{_FLINK}flink-connector-hbase-1.4 1.15.2 1.17.0",
        more=True,
    ),
    _line(
        "hbase-2.2",
        f"{_FLINK}flink-connector-hbase-2.2_2.12 1.12.7 1.13.6 1.14.4",
        f"{_FLINK}flink-connector-hbase-2.2 1.15.4 1.16.3 1.17.1 3.0.0-1.17 4.0.0-1.19",
        more=True,
    ),
    _line(
        "pulsar",
        f"{_FLINK}flink-connector-pulsar 3.0.1-1.16 4.0.0-1.17 4.1.0-1.18",
        more=True,
    ),
    _line(
        "avro",
        f"{_FLINK}flink-avro 1.11.6 1.12.7 1.13.6 1.14.6 1.15.3 1.16.3 1.17.2 1.18.1 1.19.3 1.20.3 2.0.0 2.1.1 2.2.1"
        " 2.3.0",
    ),
    _line(
        "avro-confluent-registry",
        f"{_FLINK}flink-avro-confluent-registry 1.12.7 1.13.2 1.14.6 1.15.4 1.16.3 1.17.1 1.18.1 1.19.3 1.20.0 2.0.0"
        " 2.1.1 2.2.1 2.3.0",
        alone=True,
    ),
    _line(
        "parquet",
        f"{_FLINK}flink-parquet_2.12 1.11.3 1.12.7 1.13.6 1.14.6",
        f"{_FLINK}flink-parquet 1.15.3 1.16.3 1.17.2 1.18.1 1.19.2 1.20.1 2.0.0 2.1.1 2.2.0 2.3.0",
        alone=True,
    ),
    _line(
        "orc",
        f"{_FLINK}flink-orc_2.12 1.11.1 1.12.7 1.13.2 1.14.6",
        f"{_FLINK}flink-orc 1.15.3 1.16.1 1.17.2 1.18.1 1.19.1 1.20.1 2.0.0 2.2.0 2.3.0",
        alone=True,
    ),
    _line(
        "protobuf",
        f"{_FLINK}flink-protobuf 1.16.1 1.17.0 1.18.0 1.20.0 2.0.0 2.2.0 2.3.0",
        alone=True,
    ),
    _change_capture(
        "mysql-cdc",
        f"{_VERVERICA}flink-sql-connector-mysql-cdc 2.0.2 2.1.1 2.2.1 2.3.0 2.4.2 3.0.1",
        f"{_FLINK}flink-sql-connector-mysql-cdc 3.1.1 3.2.1 3.3.0 3.5.0",
    ),
    _change_capture(
        "postgres-cdc",
        f"{_VERVERICA}flink-sql-connector-postgres-cdc 2.1.1 2.2.1 2.3.0 2.4.2 3.0.1",
        f"{_FLINK}flink-sql-connector-postgres-cdc 3.1.1 3.2.1 3.3.0 3.5.0",
    ),
    _change_capture(
        "oracle-cdc",
        f"{_VERVERICA}flink-sql-connector-oracle-cdc 2.2.1 2.3.0 2.4.2 3.0.1",
        f"{_FLINK}flink-sql-connector-oracle-cdc 3.1.1 3.2.1 3.5.0",
    ),
    _change_capture(
        "sqlserver-cdc",
        f"{_VERVERICA}flink-sql-connector-sqlserver-cdc 2.2.1 2.3.0 2.4.2 3.0.1",
        f"{_FLINK}flink-sql-connector-sqlserver-cdc 3.1.1 3.2.1 3.5.0",
    ),
    _change_capture(
        "mongodb-cdc",
        f"{_VERVERICA}flink-sql-connector-mongodb-cdc 2.2.1 2.3.0 2.4.2 3.0.0",
        f"{_FLINK}flink-sql-connector-mongodb-cdc 3.1.1 3.2.1 3.5.0",
    ),
    _change_capture(
        "db2-cdc",
        f"{_VERVERICA}flink-sql-connector-db2-cdc 2.3.0",
        f"{_FLINK}flink-sql-connector-db2-cdc 3.1.1 3.2.1",
        more=True,
    ),
    _change_capture("oceanbase-cdc", f"{_VERVERICA}flink-sql-connector-oceanbase-cdc 2.3.0 3.0.1", more=True),
    _change_capture("tidb-cdc", f"{_VERVERICA}flink-sql-connector-tidb-cdc 2.3.0", more=True),
    _built_for(
        "iceberg",
        "1.16 org.apache.iceberg:iceberg-flink-runtime-1.16 1.1.0 1.4.3 1.5.2",
        "1.17 org.apache.iceberg:iceberg-flink-runtime-1.17 1.3.1 1.5.0",
        "1.18 org.apache.iceberg:iceberg-flink-runtime-1.18 1.5.2 1.6.0",
        "1.19 org.apache.iceberg:iceberg-flink-runtime-1.19 1.6.1 1.9.2 1.10.0",
        "1.20 org.apache.iceberg:iceberg-flink-runtime-1.20 1.7.2 1.8.1 1.9.2 1.10.2 1.11.0",
        "2.0 org.apache.iceberg:iceberg-flink-runtime-2.0 1.10.1 1.11.0",
        more=True,
    ),
    _built_for(
        "hudi",
        "1.14 org.apache.hudi:hudi-flink1.14-bundle 0.12.1",
        "1.15 org.apache.hudi:hudi-flink1.15-bundle 0.12.3 0.14.1",
        "1.16 org.apache.hudi:hudi-flink1.16-bundle 0.13.1",
        "1.17 org.apache.hudi:hudi-flink1.17-bundle 0.14.0",
        more=True,
    ),
    _built_for(
        "paimon",
        "1.16 org.apache.paimon:paimon-flink-1.16 0.4.0-incubating 0.7.0-incubating 0.8.2 0.9.0 1.3.0",
        "1.17 org.apache.paimon:paimon-flink-1.17 0.5.0-incubating 0.6.0-incubating 1.2.0",
        "1.20 org.apache.paimon:paimon-flink-1.20 0.9.0 1.0.1 1.2.0 1.3.1",
        "2.0 org.apache.paimon:paimon-flink-2.0 1.1.1 1.4.2",
    ),
    _built_for("fluss", "1.20 org.apache.fluss:fluss-flink-1.20 0.9.1-incubating", more=True),
    _line(
        "starrocks",
        "com.starrocks:flink-connector-starrocks 1.1.13_flink-1.12 1.1.12_flink-1.13 1.2.2_flink-1.13_2.11"
        " 1.2.3_flink-1.14_2.12 1.2.7_flink-1.15 1.2.9_flink-1.16 1.2.9_flink-1.18 1.2.10_flink-1.18 1.2.10_flink-1.19",
        more=True,
    ),
    _built_for(
        "doris",
        "1.16 org.apache.doris:flink-doris-connector-1.16 1.3.0 1.4.0 1.5.0 1.6.2",
        "1.18 org.apache.doris:flink-doris-connector-1.18 1.5.2 1.6.2 25.1.0",
        "1.19 org.apache.doris:flink-doris-connector-1.19 24.0.1",
        "1.20 org.apache.doris:flink-doris-connector-1.20 24.0.1 25.0.0",
    ),
    _change_capture(
        "pipeline-mysql",
        f"{_FLINK}flink-cdc-pipeline-connector-mysql 3.1.1 3.2.0",
        more=True,
    ),
    _change_capture("pipeline-doris", f"{_FLINK}flink-cdc-pipeline-connector-doris 3.1.1 3.2.0", more=True),
    _change_capture("pipeline-starrocks", f"{_FLINK}flink-cdc-pipeline-connector-starrocks 3.1.1 3.2.0", more=True),
    _change_capture("pipeline-values", f"{_FLINK}flink-cdc-pipeline-connector-values 3.1.0", more=True),
)
"""The connectors and formats that are not a part of Flink's distribution, by the weight of their use in each group.

A name belongs to the first line that has it: the jars of pipeline connectors contain other connectors."""

FLINK = Line(
    "flink",
    tuple(
        Release("", f"{minor}.{patches[-1]}", minor)
        for minor, patches in PATCHES.items()
        if list(PATCHES).index(minor) >= list(PATCHES).index(FIRST)
    ),
)
"""What the distribution itself has."""
