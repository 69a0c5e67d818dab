"""Tables that nothing reads or writes, and what is in functions that nothing calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Options, check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.elements import ONLY_WRITTEN, UNUSED
from flink_flint.linter.model.layers import relate
from tests.formats.reading import parts, read

DDL = "CREATE TABLE {} (id INT) WITH ('connector' = 'kafka', 'properties.group.id' = 'g', 'topic' = 'orders');\n"
TABLES = DDL.format("a") + DDL.format("b") + DDL.format("c")
INSERT = "INSERT INTO b SELECT id FROM a;\n"


def marks(name: str, text: str, mark: str = UNUSED, kind: str = "table") -> list[str]:
    """Return the names of the tables of a file's only document that have a mark."""
    (document,) = read(name, text)
    return [str(one[mark][0]) for _, one in parts(document, kind) if mark in one]


@pytest.mark.parametrize(
    ("more", "unused", "only_written"),
    [
        (INSERT, ["c"], ["b"]),
        (INSERT + "INSERT INTO c SELECT id FROM b;\n", [], ["c"]),
        (INSERT + "CREATE VIEW v AS SELECT * FROM c;\n", [], ["b"]),
        (INSERT + "DESCRIBE c;\nDROP TABLE c;\nALTER TABLE c SET ('x' = 'y');\n", ["c"], ["b"]),
        (INSERT + "SELECT * FROM b /*+ OPTIONS('c' = 'x') */;\n", [], []),
        (INSERT + "CREATE TABLE d WITH ('connector' = 'print') LIKE c;\n", ["d"], ["b"]),
        ("EXECUTE STATEMENT SET BEGIN\n" + INSERT + "END;\n", ["c"], ["b"]),
        ("SELECT * FROM a;\n", [], []),
        ("", [], []),
        (INSERT + "USE CATALOG hive;\n", [], []),
        (INSERT + "CREATE CATALOG hive WITH ('type' = 'hive');\n", [], []),
        (INSERT + "SOURCE 'more.sql';\n", [], []),
        (INSERT + "INSERT INTO b SELECT id FROM ${table};\n", [], []),
        (INSERT + "INSERT INTO b SELECT id FROM a WHERE id > ${least};\n", ["c"], ["b"]),
    ],
)
def test_tables_of_a_script_that_nothing_uses(more: str, unused: list[str], only_written: list[str]) -> None:
    assert marks("job.sql", TABLES + more) == unused
    assert marks("job.sql", TABLES + more, ONLY_WRITTEN) == only_written


PROGRAM = """from pyflink.table import TableEnvironment

def orders(tables):
    name = 'a'
    tables.execute_sql(f'''{}''')
    return name

def other_one(tables):
    tables.execute_sql('''{}''')

def _never(tables):
    other_one(tables)
    tables.execute_sql('''{}''')

def main():
    tables = TableEnvironment.create(settings)
    source = orders(tables)
    tables.execute_sql('''{}''')
    BODY

if __name__ == '__main__':
    main()
""".format(*(DDL.format(name) for name in ("{name}", "c", "d", "b")))


@pytest.mark.parametrize(
    ("body", "unused"),
    [
        ("tables.execute_sql(f'INSERT INTO b SELECT id FROM {source}')", ["c", "d"]),
        ("tables.execute_sql(f'INSERT INTO b SELECT id FROM {source}'); other_one(tables)", ["c", "d"]),
        ("tables.execute_sql(query)", ["other_one", "_never"]),
        ("tables.execute_sql(query); other_one(tables)", ["_never"]),
        ("tables.execute_sql(query); each = [other_one]", ["_never"]),
        ("tables.sql_query(f'SELECT id FROM {source}').execute_insert('b')", ["c", "d"]),
        ("tables.from_path('c').execute_insert('b')", ["a", "other_one", "d"]),
        ("tables.from_path(given).execute_insert('b')", ["other_one", "_never"]),
        ("tables.use_catalog('hive'); tables.execute_sql('INSERT INTO b SELECT id FROM a')", ["other_one", "_never"]),
    ],
)
def test_tables_of_a_program_that_nothing_uses(body: str, unused: list[str]) -> None:
    assert marks("job.py", PROGRAM.replace("BODY", body)) == unused


@pytest.mark.parametrize(
    ("head", "uncalled"),
    [
        ("private static KafkaSource<String> unused()", True),
        ("static KafkaSource<String> unused()", True),
        ("@Bean KafkaSource<String> unused()", False),
        ("@Override public KafkaSource<String> unused()", False),
    ],
)
def test_what_is_in_a_function_that_nothing_calls(head: str, uncalled: bool) -> None:
    program = (
        "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
        "class Job {\n  public static void main(String[] args) { env.execute(); }\n"
        f'  {head} {{ return KafkaSource.<String>builder().setTopics("t").build(); }}\n}}\n'
    )
    assert bool(marks("Job.java", program, kind="kafka-source")) is uncalled
    assert not marks("Job.java", program.replace("env.exe", "unused(); env.exe"), kind="kafka-source")
    taken_out = program.replace("{ env.exe", "{\n// unused();\nenv.exe")
    assert bool(marks("Job.java", taken_out, kind="kafka-source")) is uncalled
    assert not marks("Job.java", program.replace("Job {", "Job extends Base {"), kind="kafka-source")


def test_what_another_file_of_the_repository_names_is_used(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    texts = {"job.sql": TABLES + INSERT, "more.sql": DDL.format("d") + "INSERT INTO d SELECT id FROM c;\n"}
    documents = []
    for name, text in texts.items():
        file_format = file_format_of(str(tmp_path / name), text)
        assert file_format is not None
        documents += file_format.read(str(tmp_path / name), text.encode())
    relations = relate(documents)
    assert [word for word in "abc" if word in relations[0].used_elsewhere] == ["c"]
    assert 1 not in relations or "c" not in relations[1].used_elsewhere


@pytest.mark.parametrize(
    ("others", "severity"),
    [
        ({}, "error"),  # whoever uses it is not in the repository
        ({"job.sql": TABLES + INSERT}, "warning"),
        ({"job.sql": TABLES + INSERT, "more.sql": DDL.format("alerts")}, "warning"),
        ({"job.sql": TABLES + INSERT + "SELECT * FROM alerts;\n"}, "error"),
        ({"job.sql": TABLES + INSERT + "SELECT * FROM default_database.alerts;\n"}, "error"),
        ({"job.sql": TABLES + INSERT + "SELECT 'shop.alerts' FROM a; -- or FROM alerts\n"}, "warning"),
    ],
)
def test_a_table_that_no_job_of_the_repository_uses_has_no_error(
    others: dict[str, str], severity: str, tmp_path: Path
) -> None:
    alerts = (
        "CREATE TABLE alerts (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = 'alerts',"
    )
    texts = {"tables.sql": f"{alerts}\n 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');\n", **others}
    (tmp_path / ".git").mkdir()
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = check(find([str(tmp_path)]), Options(select=("FLK816",), flink_version="1.18")).findings
    assert [one.severity.word for one in found if one.path.endswith("tables.sql")] == [severity]
