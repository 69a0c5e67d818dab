"""The builders of Flink CDC's sources are read as the options that they set."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.discovery import Source, opened

_JOB = """import java.util.Properties;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Properties properties = new Properties();
    properties.put("snapshot.locking.mode", "none");
    env.fromSource(%s, WatermarkStrategy.noWatermarks(), "changes").print();
    env.execute();
  }
}
"""


def read(tmp_path: Path, source: str) -> tuple[str, dict[str, object]]:
    path = tmp_path / "Job.java"
    path.write_text(_JOB % source, encoding="utf-8")
    found = opened(str(path), top=str(tmp_path))
    assert isinstance(found, Source)
    (element,) = [one for document in found.documents() for one in document.elements_of("cdc-source")]
    return element.name, {name: one.value for name, one in element.attributes.items() if name != "api"}


@pytest.mark.parametrize(
    ("builder", "connector"),
    [
        ("MySqlSource.<String>builder()", "mysql-cdc"),
        ("OracleSource.<String>builder()", "oracle-cdc"),
        ("PostgresSourceBuilder.PostgresIncrementalSource.<String>builder()", "postgres-cdc"),
        ("MongoDBSource.<String>builder()", "mongodb-cdc"),
        ("new OracleSourceBuilder<String>()", "oracle-cdc"),
    ],
)
def test_a_builder_is_a_connector(tmp_path: Path, builder: str, connector: str) -> None:
    assert read(tmp_path, f'{builder}.hostname("db").build()') == (connector, {"hostname": "db"})


def test_setters_are_options(tmp_path: Path) -> None:
    calls = (
        '.serverId("5400-5404").databaseList("a", "b").tableList("a.t").startupOptions(StartupOptions.latest())'
        ".scanNewlyAddedTableEnabled(true).debeziumProperties(properties)"
    )
    assert read(tmp_path, f"MySqlSource.<String>builder(){calls}.build()")[1] == {
        "server-id": "5400-5404",
        "database-name": "a,b",
        "table-name": "a.t",
        "scan.startup.mode": "latest-offset",
        "scan.newly-added-table.enabled": "true",
        "debezium.snapshot.locking.mode": "none",
    }


def test_what_comes_from_elsewhere_is_unknown(tmp_path: Path) -> None:
    assert read(tmp_path, "MySqlSource.<String>builder().serverId(id).debeziumProperties(load(args)).build()")[1] == {
        "server-id": None,
        "debezium": None,
    }
