"""Java properties of jobs: Flink keys among others, as java.util.Properties loads them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.syntax.property_entries import escape, read_properties
from tests.formats.reading import assert_edits_hold, cuts, edited, parts, read

JOB = """\
# the job ä
! another comment
app.name = orders
flink.parallelism.default   8
flink.state.backend: rocksdb
flink.execution.checkpointing.interval=60 \\
    s
flink.taskmanager.numberOfTaskSlots=${SLOTS}
kafka.topic=état
"""
FLAT = "state.backend=rocksdb\nexecution.checkpointing.interval=1 min\nexecution.checkpointing.intervall=2 min\n"
KINESIS = (
    "input.stream.name=orders\naws.region=eu-west-1\nflink.stream.initpos=LATEST\n"
    "flink.shard.getrecords.maxrecordcount=10000\n"
)

SAMPLES = {"job.properties": JOB, "application.properties": FLAT, "consumer.properties": KINESIS}


def test_the_keys_behind_a_prefix_are_cut_out_without_it() -> None:
    (document,) = read("job.properties", JOB)
    assert (document.kind, document.name, document.whole) == ("properties", "flink", False)
    assert cuts(document) == [
        ("parallelism.default", "parallelism.default", "8"),
        ("state.backend", "state.backend", "rocksdb"),
        ("execution.checkpointing.interval", "execution.checkpointing.interval", "60 \\\n    s"),
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", "${SLOTS}"),
    ]
    assert document.settings()["execution.checkpointing.interval"] == "60 s"


def test_keys_without_a_prefix_are_taken_and_slips_of_them() -> None:
    (document,) = read("application.properties", FLAT)
    assert document.name is None
    assert "execution.checkpointing.intervall" in document.settings()


def test_line_ends_and_blanks_keep_the_places() -> None:
    for end in ("\r\n", "\r"):
        (document,) = read("job.properties", JOB.replace("\n", end))
        assert [cut[0] for cut in cuts(document)] == [cut[1] for cut in cuts(document)]
    (document,) = read("a.properties", "\tstate.backend\t=\trocksdb \nparallelism.default\f:\f4\n")
    assert cuts(document) == [
        ("state.backend", "state.backend", "rocksdb"), ("parallelism.default", "parallelism.default", "4"),
    ]  # fmt: skip


def test_escapes_are_undone() -> None:
    text = "a\\:b\\=c\\ d=e\\u00e4\\tf\\\\g\n#x\nempty\nlast=\\\n"
    found = [(entry.key, entry.value) for entry in read_properties(text)]
    assert found == [("a:b=c d", "eä\tf\\g"), ("empty", ""), ("last", "")]


def test_a_continued_line_may_end_in_an_empty_one() -> None:
    assert [(e.key, e.value) for e in read_properties("a=b\\\n\nc=d\\\\\ne=f\n")] == [
        ("a", "b"),
        ("c", "d\\"),
        ("e", "f"),
    ]


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_what_is_escaped_is_read_again(value: str) -> None:
    (entry,) = read_properties(f"key={escape(value)}\n")
    assert entry.value.rstrip(" ") == value.rstrip(" ")


def test_edits_change_the_one_setting() -> None:
    (document,) = read("job.properties", JOB)
    assert assert_edits_hold(document) >= 6
    after = edited(document, "add", "state.backend.incremental", "true")
    assert after is not None
    assert "flink.state.backend.incremental: true\n" in after.text
    renamed = edited(document, "rename", document.effective["state.backend"], "state.backend.type")
    assert renamed is not None
    assert "flink.state.backend.type: rocksdb\n" in renamed.text


def test_a_value_beyond_ascii_is_written_with_escapes() -> None:
    (document,) = read("job.properties", JOB)
    after = edited(document, "replace", document.effective["state.backend"], "ä")
    assert after is not None
    assert "flink.state.backend: \\u00e4\n" in after.text


def test_the_properties_of_a_kinesis_consumer_are_an_element() -> None:
    (document,) = read("consumer.properties", KINESIS)
    ((name, attributes),) = parts(document, "kinesis-source")
    assert name == "orders"
    assert attributes["api"][0] == "property-group"
    assert attributes["properties.flink.shard.getrecords.maxrecordcount"] == ("10000", "10000")


def test_files_of_other_programs_are_not_recognized() -> None:
    assert file_format_of("application.properties", "server.port=8080\nspring.state.backend=x\n") is None
    assert file_format_of("server.properties", "rest.port=1\nsecurity.ssl.enabled=true\nstate.backend.x=1\n") is None
    assert file_format_of("one.properties", "state.backend=rocksdb\n") is None


def test_comments_silence_in_both_ways() -> None:
    (document,) = read("job.properties", JOB)
    assert document.file_format.comments == ("#", "!")
