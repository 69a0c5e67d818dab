"""Programs for the test cases of rules on connectors."""

from __future__ import annotations

from flink_flint.linter.model.claim import Claim, flink_uses


def program(*statements: str) -> str:
    """Return a Java program that creates an environment, runs the given statements, and starts the job."""
    body = "".join(f"        {statement}\n" for statement in statements)
    return (
        "package fleet;\n\n"
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n\n"
        "public class Positions {\n"
        "    public static void main(String[] args) throws Exception {\n"
        "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        f"{body}"
        '        env.execute("positions");\n'
        "    }\n"
        "}\n"
    )


def cassandra(*calls: str) -> str:
    """Return a statement that adds a CassandraSink, configured by the given method calls."""
    return (
        "CassandraSink.addSink(stream)\n"
        '            .setQuery("INSERT INTO fleet.positions (id, speed) VALUES (?, ?);")\n'
        "            .setClusterBuilder(new ClusterBuilder() {\n"
        "                @Override\n"
        "                protected Cluster buildCluster(Cluster.Builder builder) {\n"
        "                    return builder.addContactPoint(host).withQueryOptions(\n"
        "                        new QueryOptions().setConsistencyLevel(ConsistencyLevel.QUORUM)).build();\n"
        "                }\n"
        "            })\n" + "".join(f"            .{call}\n" for call in calls) + "            .build();"
    )


def kinesis(*puts: tuple[str, str]) -> str:
    """Return statements that read Kinesis with a FlinkKinesisConsumer, configured by the given properties."""
    lines = "".join(f'        properties.put("{key}", "{value}");\n' for key, value in puts)
    return (
        "Properties properties = new Properties();\n"
        '        properties.put("aws.region", "eu-west-1");\n'
        f"{lines}"
        "        DataStream<Position> stream = env.addSource(\n"
        '            new FlinkKinesisConsumer<>("positions", new PositionSchema(), properties));'
    )


def elasticsearch_claim(option: str, shows: str) -> Claim:
    """Return the claim that a table with an option makes the real sink show something, and not without it."""
    given = "'connector' = 'elasticsearch-7', 'hosts' = 'http://es:9200', 'index' = 'i'"
    script = (
        "SET 'execution.checkpointing.interval' = '1 min';\n"
        "CREATE TABLE s (id INT) WITH ('connector' = 'datagen');\n"
        "CREATE TABLE d (id INT) WITH (%s);\nINSERT INTO d SELECT id FROM s;\n"
    )
    return flink_uses("SQL job", script % f"{given}, {option}", shows, good=script % given, releases=">=1.13,<1.18")
