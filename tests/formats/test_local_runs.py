"""Programs and scripts that are written for a developer's own machine."""

from __future__ import annotations

import pytest

from flink_flint.linter.model.local_addresses import are_local, hosts_in, is_developers_path
from tests.formats.reading import read

PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Job {{
  public static void main(String[] args) {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    {};
    env.execute();
  }}
}}
"""
LOCAL = 'properties.setProperty("bootstrap.servers", "localhost:9092")'


@pytest.mark.parametrize(
    ("statements", "is_local"),
    [
        (LOCAL, True),
        ('env.socketTextStream("localhost", 9999)', True),
        (f'{LOCAL}; String url = "jdbc:mysql://127.0.0.1:3306/shop"', True),
        (f'{LOCAL}; String url = "jdbc:mysql://db:3306/shop"', False),
        (f'{LOCAL}; String user = System.getenv("DB_USER")', False),
        (f"{LOCAL}; String topic = args[0]", False),
        (f'{LOCAL}; ParameterTool given = ParameterTool.fromArgs(args); given.get("topic")', False),
        (f'{LOCAL}; String topic = given.get("topic", "orders")', True),
        (f"{LOCAL}; source.setBootstrapServers(configuration.servers())", False),
        ('String servers = given.get("servers", "localhost:9092")', False),
        ('if (args.length > 1) servers = "localhost:9092"', False),
        ('env.readTextFile("/tmp/in.txt").writeAsText("/tmp/out.txt")', True),
        ('env.readTextFile("/tmp/in.txt").writeAsText("/data/out.txt")', False),
        ('env.readTextFile("D:/data/in.txt").writeAsText("/data/out.txt")', True),
        (r'env.readTextFile("C:\\Users\\me\\in.txt")', True),
        ('env.readTextFile("file:///Users/me/in.txt")', True),
        ('env.readTextFile("/home/flink/in.txt")', False),
        ('env.getCheckpointConfig().setCheckpointStorage("file:///tmp/checkpoints")', False),
        ("env.fromElements(1, 2)", False),
    ],
)
def test_a_program_that_has_local_addresses_and_paths_alone_is_for_development(statements: str, is_local: bool) -> None:
    (document,) = read("Job.java", PROGRAM.format(statements))
    assert (document.profile == "development") is is_local


@pytest.mark.parametrize(
    ("servers", "url", "is_local"),
    [
        ("localhost:9092", "jdbc:postgresql://localhost:5432/shop", True),
        ("localhost:9092", "jdbc:postgresql://db:5432/shop", False),
        ("localhost:9092", "${URL}", False),
        ("kafka:9092", "jdbc:postgresql://localhost:5432/shop", False),
    ],
)
def test_a_script_that_has_local_addresses_alone_is_for_development(servers: str, url: str, is_local: bool) -> None:
    (document,) = read(
        "job.sql",
        f"CREATE TABLE a (id INT) WITH ('connector' = 'kafka', 'properties.bootstrap.servers' = '{servers}');\n"
        f"CREATE TABLE b (id INT) WITH ('connector' = 'jdbc', 'url' = '{url}');\n",
    )
    assert (document.profile == "development") is is_local


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("kafka-1:9092,kafka-2.acme.com:9092", {"kafka-1", "kafka-2.acme.com"}),
        ("jdbc:mysql://db/shop", {"db"}),
        ("s3://bucket/path", {"bucket"}),
        ("hdfs:///path", set()),
        ("2020-01-01T10:00", set()),
        ("10:30", set()),
        ("org.acme:orders", set()),
        ("localhost", {"localhost"}),
    ],
)
def test_hosts_of_addresses(text: str, hosts: set[str]) -> None:
    assert hosts_in(text) == hosts


def test_names_of_hosts_may_be_local() -> None:
    assert are_local(["kafka:9092"], ["kafka"])
    assert not are_local(["kafka:9092"])
    assert not are_local(["orders"])
    assert not is_developers_path("s3://bucket/home/me/x")
