"""A generated sequence does not fit the acknowledgement of a checkpoint.

## What it does
Adds up the sequences (`fields.<name>.kind` = `sequence`) of each datagen table that a SQL script reads as a stream.
The source keeps every number it has still to give in operator state, and shares them among its subtasks. Reports a
table whose subtasks cannot acknowledge a checkpoint within one RPC message: 8 bytes for each number.

The parallelism is the table's `scan.parallelism`, else `table.exec.resource.default-parallelism` or
`parallelism.default`, else 1. The frame is that of the cluster where its configuration is known, else Flink's 10 MiB;
a SET in the script does not change it.

## Why it matters
25,000,000 numbers in a subtask are an acknowledgement of 200 MB. Up to 1.14 the checkpoint fails with "The rpc
invocation size ... exceeds the maximum akka framesize"; from 1.15 on the message is dropped, and checkpoints expire
one after the other until enough numbers are emitted.

The cures that are usually tried do not cure it. Lowering the inline threshold (`state.storage.fs.memory-threshold`),
even to 0, moves the numbers into files and leaves the 8 bytes of each in the message: they say where in the file each
begins. A larger frame lets the message through, and the JobManager then holds the same bytes of all subtasks and
writes them to `_metadata` with every checkpoint, until its heap is full.

## What to do
Take `random` with the bounds as `min` and `max`, or number the rows in the query. In a program,
`DataGeneratorSource` (1.17 and later) keeps bounds only. Or spread the sequence over as many subtasks as it takes.

## Not when
Batch mode has no checkpoints; neither has a job for which nobody switches them on, which a script need not show:
hence a warning of medium confidence unless the script or its deployment sets the interval. Where no parallelism is set,
a larger one may be given on the command line, so it is a warning, too. A source that ends within 5 minutes at its rate
(`number-of-rows` or its shortest sequence, by `rows-per-second`) may see no checkpoint: nothing is reported unless
something shows that checkpoints are taken.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-streaming-java/src/main/java/org/apache/flink/streaming/api/functions/source/datagen/SequenceGenerator.java>:
  all numbers still to be given, in list state
- <https://issues.apache.org/jira/browse/FLINK-31192>, <https://github.com/apache/flink/pull/22010>: all values are
  loaded when the source starts, and all of them are checkpointed
- measured on 1.20.5: 1,500,000 numbers in one subtask are a message of 12,004,701 bytes with a threshold of 20 kb as
  with one of 0
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._checkpointing import takes_checkpoints
from flink_flint.rules.inlining._frame import FRAME, frame_of
from flink_flint.rules.inlining._sequences import reader_of, sequences
from flink_flint.rules.sql._queries import is_streaming, number, parallelism, tables

_ROWS = "number-of-rows"
_RATE = "rows-per-second"
_DEFAULT_RATE = 10_000
"""`DataGenConnectorOptions.ROWS_PER_SECOND`, which all subtasks share."""
_MIN_LIFE = 300
"""The number of seconds that a source has to last before a checkpoint of unknown interval is expected."""


@rule(
    code="FLK380",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    when=["element:table"],
    flink=">=1.11",
    since="0.1",
)
def datagen_sequence_state(config: View) -> Iterator[Finding]:
    """a generated sequence does not fit the acknowledgement of a checkpoint"""
    taken = takes_checkpoints(config)
    for table in tables(config, "datagen") if taken is not False else ():
        fields = sequences(table)
        total = sum(count for _, count in fields)
        reader = reader_of(config, table)
        if (reader is None and config.elements("query")) or not is_streaming(config, reader):
            continue
        subtasks, setting = parallelism(config, reader)
        own = number(table.text("with.scan.parallelism"))
        known = subtasks is not None or own is not None
        if (setting is not None and subtasks is None) or (own is None and table.has("with.scan.parallelism")):
            continue  # a template fills the parallelism in, or Flink refuses it
        spread = own or subtasks or 1
        frame = _frame(config)
        each = sum(-(-count // spread) for _, count in fields)
        message = ack.acknowledgement(each)
        if frame is None or message <= frame:
            continue
        if taken is None and _is_short_lived(table, fields):
            continue
        name, _ = max(fields, key=lambda field: field[1])
        enough = ack.subtasks_for(total, frame)
        dropped = "are dropped, and checkpoints expire" if config.since("1.15") else "fail the checkpoint"
        over = f"{spread} subtask{'s' if spread > 1 else ''}{'' if known else ' (no parallelism is set)'}"
        yield table.finding(
            f"{total:,} numbers of sequences over {over} are {each:,} in the state of each, 8 bytes for each in its"
            f" acknowledgement: {message / 1e6:,.0f} MB are above the RPC frame of {MemorySize(frame)} and {dropped}",
            of=f"with.fields.{name}.end",
            help="use kind 'random', or number the rows in the query"
            + (f", or spread it over {enough:,} subtasks" if enough is not None and enough <= 10_000 else "")
            + f"; neither a lower inline threshold nor a larger frame cures it: the JobManager would keep"
            f" {8 * total / 1e6:,.0f} MB for each checkpoint",
            severity=None if known and taken else Severity.WARNING,
            confidence=Confidence.HIGH if known and taken else None,
            related=[setting] if setting is not None and own is None else [],
            evidence={"elements": total, "elements_per_subtask": each, "acknowledgement": message, "frame": frame},
            measure=message,
        )


def _is_short_lived(table: ElementView, fields: list[tuple[str, int]]) -> bool:
    """Return whether the source ends within minutes at its rate: after its rows, or the numbers of any sequence."""
    rows = [count for _, count in fields]
    if table.has(f"with.{_ROWS}"):
        most = number(table.text(f"with.{_ROWS}"))
        rows += [] if most is None else [most]
    rate = number(table.text(f"with.{_RATE}")) if table.has(f"with.{_RATE}") else _DEFAULT_RATE
    return rate is not None and rate > 0 and min(rows) < rate * _MIN_LIFE


def _frame(config: View) -> int | None:
    """The frame of the cluster: what a script itself sets does not reach it."""
    setting = config.get(FRAME)
    if setting.is_set and setting.document.kind == "sql":
        return ack.DEFAULT_FRAME
    return frame_of(config)


_TABLE = """CREATE TABLE datagen (
  f_sequence BIGINT,
  f_random_str STRING
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '500000',
  'fields.f_sequence.kind' = 'sequence',
  'fields.f_sequence.start' = '1',
  'fields.f_sequence.end' = '%s'%s
);
"""
_SLOW = _TABLE.replace("500000", "1000")
_READ = "INSERT INTO sink SELECT f_sequence FROM datagen;\n"


def cases() -> list[Case]:
    return [
        bad(
            "SET 'parallelism.default' = '8';\nSET 'execution.checkpointing.interval' = '10 min';\n"
            + _TABLE % ("200000000", "")
            + _READ,
            file="job.sql",
            at="'200000000'",
            flink="1.20",
            severity=Severity.ERROR,
            says="are 25,000,000 in the state of each, 8 bytes for each in its acknowledgement: 200 MB are above "
            "the RPC",
        ),
        bad(
            "SET akka.framesize=209715200b;\nSET state.storage.fs.memory-threshold=0b;\nSET parallelism.default=8;\n"
            "SET execution.checkpointing.interval=10min;\n" + _TABLE % ("200000000", "") + _READ,
            file="job.sql",
            at="'200000000'",
            flink="1.13",
            severity=Severity.ERROR,
            says="fail the checkpoint",
        ),
        bad(
            _SLOW % ("1500000", "") + _READ,
            file="job.sql",
            at="'1500000'",
            flink="1.20",
            severity=Severity.WARNING,
            says="1 subtask (no parallelism is set)",
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '10 min';\n"
            + _TABLE % ("6000000", ",\n  'scan.parallelism' = '2'")
            + _READ,
            file="job.sql",
            flink="1.20",
            severity=Severity.ERROR,
        ),
        bad(
            _SLOW % ("6000000", ",\n  'scan.parallelism' = '2'") + _READ,
            file="job.sql",
            flink="1.20",
            severity=Severity.WARNING,
        ),
        good(
            "SET 'execution.checkpointing.interval' = '0';\n"
            + _TABLE % ("6000000", ",\n  'scan.parallelism' = '2'")
            + _READ,
            file="job.sql",
            flink="1.20",
        ),
        # It ends within minutes: by its numbers, by its rows, by its rows at the default rate.
        good(_TABLE % ("6000000", "") + _READ, file="job.sql", flink="1.20"),
        good(_SLOW % ("6000000", ",\n  'number-of-rows' = '200000'") + _READ, file="job.sql", flink="1.20"),
        good(
            _TABLE.replace("  'rows-per-second' = '500000',\n", "") % ("60000000", ",\n  'number-of-rows' = '2000000'")
            + _READ,
            file="job.sql",
            flink="1.20",
        ),
        bad(
            _TABLE.replace("  'rows-per-second' = '500000',\n", "") % ("6000000", "") + _READ,
            file="job.sql",
            flink="1.20",
        ),
        bad(
            "SET 'execution.checkpointing.interval' = '10 s';\n"
            + _SLOW % ("6000000", ",\n  'number-of-rows' = '200000'")
            + _READ,
            file="job.sql",
            flink="1.20",
        ),
        good(_TABLE % ("1000000", "") + _READ, file="job.sql", flink="1.20"),
        good("SET 'parallelism.default' = '32';\n" + _TABLE % ("20000000", "") + _READ, file="job.sql", flink="1.20"),
        good(
            "CREATE TABLE datagen (\n"
            "  f_sequence BIGINT,\n"
            "  f_random_str STRING\n"
            ") WITH (\n"
            "  'connector' = 'datagen',\n"
            "  'rows-per-second' = '500000',\n"
            "  'fields.f_sequence.kind' = 'random',\n"
            "  'fields.f_sequence.start' = '1',\n"
            "  'fields.f_sequence.end' = '200000000'\n"
            ");\n"
            "INSERT INTO sink SELECT f_sequence FROM datagen;\n",
            file="job.sql",
            flink="1.20",
        ),
        good(
            "SET 'execution.runtime-mode' = 'batch';\n" + _TABLE % ("200000000", "") + _READ,
            file="job.sql",
            flink="1.20",
        ),
        good(
            "SET 'parallelism.default' = '${PARALLELISM}';\n" + _TABLE % ("200000000", "") + _READ,
            file="job.sql",
            flink="1.20",
        ),
        good(_TABLE % ("${ROWS}", "") + _READ, file="job.sql", flink="1.20"),
        bad(_TABLE % ("200000000", ""), file="job.sql", severity=Severity.WARNING),
        good(
            "CREATE TABLE datagen (\n"
            "  f_sequence BIGINT,\n"
            "  f_random_str STRING\n"
            ") WITH (\n"
            "  'connector' = 'datagen',\n"
            "  'rows-per-second' = '500000',\n"
            "  'fields.f_sequence.kind' = 'sequence',\n"
            "  'fields.f_sequence.start' = '1',\n"
            "  'fields.f_sequence.end' = '200000000'\n"
            ");\n"
            "INSERT INTO sink SELECT f_sequence FROM orders;\n",
            file="job.sql",
        ),
        good(
            "SET 'parallelism.default' = '1';\n" + _TABLE % ("20000000", ",\n  'scan.parallelism' = '32'") + _READ,
            file="job.sql",
            flink="1.20",
        ),
        *cases_in_folders(__file__),
    ]
