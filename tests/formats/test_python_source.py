"""PyFlink programs: what they declare, and the exact spans."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.source.python_program import FILE_FORMAT
from tests.fix_edits import edits_for
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

JOB = """from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource, KafkaSink, FlinkKafkaConsumer

TIMEOUT = 5_000


class Lookup(AsyncFunction):
    async def async_invoke(self, value):
        return await self.client.get(value)

    def timeout(self, value):
        return []


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(TIMEOUT * 2)
    env.get_checkpoint_config().set_checkpoint_timeout(60 * 1000)
    env.set_parallelism(2)
    t_env = StreamTableEnvironment.create(env)
    t_env.get_config().set("table.exec.mini-batch.enabled", "true")
    x = "é😀"; t_env.get_config().get_configuration().set_string("pipeline.name", 'é')
    config = Configuration()
    config.set_integer("taskmanager.numberOfTaskSlots", 4)
    source = (KafkaSource.builder()
        .set_bootstrap_servers("b:1")  # the broker
        .set_topics("in", "more")
        .set_group_id("g")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_property("partition.discovery.interval.ms", "10000")
        .build())
    old = FlinkKafkaConsumer(
        topics="t", deserialization_schema=S(), properties={"bootstrap.servers": "b", 'group.id': f"x{x}"})
    ds = AsyncDataStream.unordered_wait(ds, Lookup(), Time.seconds(10), 1000, Types.STRING())
    ds.print()
    print("done")
    env.execute()
"""

SAMPLES: dict[str, str] = {
    "job.py": JOB,
    "table.py": (
        "import pyflink\nconfig = Configuration()\nconfig.set_string('rest.port', '''8082''')\n"
        "env = StreamExecutionEnvironment.get_execution_environment(config)\nenv.set_parallelism(int('4'))\n"
    ),
}


def test_settings_stand_where_they_are_made() -> None:
    (document,) = read("job.py", JOB)
    assert cuts(document) == [
        ("execution.checkpointing.interval", "enable_checkpointing", "TIMEOUT * 2"),
        ("execution.checkpointing.timeout", "set_checkpoint_timeout", "60 * 1000"),
        ("parallelism.default", "set_parallelism", "2"),
        ("table.exec.mini-batch.enabled", '"table.exec.mini-batch.enabled"', '"true"'),
        ("pipeline.name", '"pipeline.name"', "'é'"),
        ("taskmanager.numberOfTaskSlots", '"taskmanager.numberOfTaskSlots"', "4"),
    ]
    assert entry(document, "execution.checkpointing.interval").text == "10000 ms"


def test_places_hold_with_carriage_returns() -> None:
    assert cuts(read("job.py", JOB.replace("\n", "\r\n"))[0]) == cuts(read("job.py", JOB)[0])


def test_elements_are_those_of_java() -> None:
    (document,) = read("job.py", JOB)
    built, old = parts(document, "kafka-source")
    assert built[0] == "in,more"
    assert built[1]["starting-offsets"] == ("earliest", "KafkaOffsetsInitializer.earliest()")
    assert built[1]["properties.partition.discovery.interval.ms"] == ("10000", '"10000"')
    assert old[0] == "t"
    assert old[1]["properties.bootstrap.servers"] == ("b", '"b"')
    assert old[1]["properties.group.id"] == (None, 'f"x{x}"')
    ((name, call),) = parts(document, "async-call")
    assert name == "unorderedWait"
    assert call["timeout"] == (10_000, "Time.seconds(10)")
    assert call["capacity"] == (1000, "1000")
    assert call["timeout-handled"] == (True, "timeout")
    assert [name for name, _ in parts(document, "sink")] == ["print"]


def test_a_number_can_be_replaced() -> None:
    (document,) = read("job.py", JOB)
    changed = edited(document, "replace", entry(document, "parallelism.default"), "8")
    assert changed is not None
    assert "env.set_parallelism(8)" in changed.text
    assert edited(document, "replace", entry(document, "execution.checkpointing.interval"), "1 s") is None
    assert assert_edits_hold(document, "7") == 4


def test_triple_quotes_are_read_but_not_edited() -> None:
    (document,) = read("table.py", SAMPLES["table.py"])
    assert cuts(document)[0] == ("rest.port", "'rest.port'", "'''8082'''")
    assert edits_for(document, "replace", entry(document, "rest.port"), "1") is None


def test_only_programs_that_import_pyflink_are_recognized() -> None:
    assert file_format_of("a.py", "text = 'pyflink'\n") is None
    assert file_format_of("a.py", "    from pyflink.table import TableEnvironment\n") is FILE_FORMAT


@pytest.mark.parametrize(
    "data",
    [
        b"\nx = {1}; del x; y: set[int] = {*x}\n",
        b"import pyflink\n(",
        b"\xff\x00",
        b"(" * 1_000_000,
        b"x = " + b"-" * 3_000 + b"1",
        b"x = " + b"'a'+\\\n" * 9_000,
    ],
)
def test_nothing_makes_the_reader_fail(data: bytes) -> None:
    for content in (data, JOB.encode() + data):
        (document,) = FILE_FORMAT.read("job.py", content)
        assert document.kind == "source"


TABLES = """from pyflink.table import StreamTableEnvironment

SINK = "sink_orders"
GROUP = "orders"


def create(name, topic):
    statement = f'''
    CREATE TABLE {name} (
        id INT,
        note STRING
    ) WITH (
        'connector' = 'kafka',
        'topic' = '{topic}',
        'properties.group.id' = '{GROUP}-{suffix()}',
        'scan.startup.mode' = 'latest-offset'
    )'''
    print(statement)
    return statement


def main(topic):
    t_env = StreamTableEnvironment.create(env)
    t_env.execute_sql(create("orders", topic))
    t_env.execute_sql(create(name=SINK, topic="out"))
    statements = t_env.create_statement_set()
    statements.add_insert_sql(f"INSERT INTO {SINK} SELECT id, note FROM orders")
    statements.add_insert_sql(f"INSERT INTO other SELECT * FROM orders WHERE {condition()}")
"""


def test_sql_in_f_strings_is_read_with_what_is_known() -> None:
    (document,) = read("job.py", TABLES)
    tables = dict(parts(document, "table"))
    orders, sink = tables["orders"], tables["sink_orders"]
    assert orders["with.topic"][0] is None
    assert orders["with.scan.startup.mode"] == ("latest-offset", "'latest-offset'")
    assert orders["with.properties.group.id"] == (None, "'{GROUP}-{suffix()}'")
    assert sink["with.topic"][0] == "out"


def test_inserts_that_are_added_to_a_statement_set_are_one_job() -> None:
    (document,) = read("job.py", TABLES)
    queries = [element for element in document.elements if element.kind == "query"]
    assert [(query.value("job"), query.value("statement-set")) for query in queries] == [(0, True), (0, True)]
    assert queries[0].value("targets[0].name") == "sink_orders"


@pytest.mark.parametrize(
    "sql",
    [
        "name",  # nothing of it is known
        "f'{verb} TABLE t (id INT)'",
        "'CREATE TABLE t (id INT)'.replace('t', name)",
        "create(name)",  # it returns one of two texts
    ],
)
def test_sql_whose_beginning_is_unknown_is_not_read(sql: str) -> None:
    text = (
        "from pyflink.table import TableEnvironment\n"
        "def create(name):\n    if name:\n        return 'CREATE TABLE a (i INT)'\n"
        f"    return 'CREATE TABLE b (i INT)'\ndef main(name, verb):\n    t_env.execute_sql({sql})\n"
    )
    assert [part for document in read("job.py", text) for part in parts(document, "table")] == []


def test_texts_that_use_others_very_often_are_not_read() -> None:
    doubled = "".join(f"x{n} = x{n - 1} + x{n - 1}\n" for n in range(1, 50))
    text = (
        f"from pyflink.table import TableEnvironment\nx0 = 'CREATE TABLE a (i INT);'\n{doubled}t_env.execute_sql(x49)\n"
    )
    assert [part for document in read("job.py", text) for part in parts(document, "table")] == []
