"""The buffers of an AWS sink do not fit each other, or the service.

## What it does
Reports, for `KinesisStreamsSink`, `KinesisFirehoseSink`, `DynamoDbSink` and their SQL tables, a batch that is larger
than the service takes in one request (500 records; 25 for DynamoDB), and a buffer that is not larger than a batch.

## Why it matters
The service refuses a request with more records, and the job fails. The sink itself refuses a buffer that does not
hold more than a batch, when the job starts: *"The maximum number of requests that may be buffered should be strictly
greater than the maximum number of requests per batch"*.

## What to do
Keep `maxBatchSize` within the service's limit and `maxBufferedRequests` (10 000 by default) well above it.

## Sources
- <https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html>: 500 records in a request
- <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html>: 25 writes in a request
- <https://github.com/apache/flink/blob/master/flink-connectors/flink-connector-base/src/main/java/org/apache/flink/connector/base/sink/writer/AsyncSinkWriter.java>:
  the check of the buffer
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kinesis._cases import IN_INDEX, STREAM, WRITE, job, producer, program, sink, table
from flink_flint.rules.kinesis._reader import api


class _Service(NamedTuple):
    name: str
    most: int
    """Records in one request; also what a batch is by default."""


_SERVICES = {
    "KinesisStreamsSink": _Service("Kinesis", 500),
    "KinesisFirehoseSink": _Service("Firehose", 500),
    "DynamoDbSink": _Service("DynamoDB", 25),
    "kinesis": _Service("Kinesis", 500),
    "firehose": _Service("Firehose", 500),
    "dynamodb": _Service("DynamoDB", 25),
}
"""By the class, or the connector in SQL."""
_BUFFERED = 10_000
_BATCHES = ("max-batch-size", "with.sink.batch.max-size")
_BUFFERS = ("max-buffered-requests", "with.sink.requests.max-buffered")


@rule(
    code="FLK840",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kinesis-sink"],
    flink=">=1.15",
    since="0.1",
)
def kinesis_sink_buffers(config: View) -> Iterator[Finding]:
    """the buffers of an AWS sink do not fit each other, or the service"""
    for writer in config.elements("kinesis-sink"):
        service = _SERVICES.get(writer.text("with.connector") or "" if api(writer) == "sql" else api(writer))
        if service is None:
            continue
        (batch_name, batch), (buffer_name, buffer) = (
            _limit(writer, _BATCHES, service.most),
            _limit(writer, _BUFFERS, _BUFFERED),
        )
        if batch is None or buffer is None:
            continue
        if batch > service.most:
            yield writer.finding(
                f"a request of {batch:.0f} records is more than {service.name} takes ({service.most}), so the job"
                " fails",
                of=batch_name,
                help=f"set it to {service.most} or less",
                fix=writer.replace(batch_name, str(service.most)) if batch_name else None,
            )
        if buffer <= batch:
            yield writer.finding(
                f"a buffer of {buffer:.0f} records is not larger than a batch of {batch:.0f}: the sink"
                " refuses to start",
                of=buffer_name or batch_name,
                help=f"leave the buffer at {_BUFFERED}, or make the batch smaller",
            )


def _limit(writer: ElementView, names: tuple[str, ...], usual: int) -> tuple[str | None, float | None]:
    """The attribute that sets a limit, and its value; the default where nothing does."""
    name = next((name for name in names if name in writer.element.attributes), None)
    return name, (float(usual) if name is None else writer.number(name))


def cases() -> list[Case]:
    return [
        bad(
            program(sink("setMaxBatchSize(1000)")),
            file="Positions.java",
            flink="1.18",
            severity=Severity.ERROR,
            says="1000 records is more than Kinesis takes (500)",
        ),
        bad(program(sink("setMaxBufferedRequests(400)")), file="Positions.java", says="not larger than a batch of 500"),
        bad(
            table("t", STREAM, "'sink.batch.max-size' = '600'") + WRITE,
            file="positions.sql",
            fixed=table("t", STREAM, "'sink.batch.max-size' = '500'") + WRITE,
        ),
        bad(
            table("t", "'table-name' = 'positions'", "'sink.batch.max-size' = '100'", connector="dynamodb") + WRITE,
            file="positions.sql",
            says="DynamoDB takes (25)",
        ),
        good(program(sink("setMaxBatchSize(500)", "setMaxBufferedRequests(10_000)")), file="Positions.java"),
        good(program(sink("setMaxBatchSize(batch)")), file="Positions.java"),
        good(program(sink("setMaxBatchSize(100)", "setMaxBufferedRequests(400)")), file="Positions.java"),
        good(table("t", STREAM) + WRITE, file="positions.sql"),
        bad(
            program(producer("setFailOnError(true)"), sink("setMaxBatchSize(1000)")),
            file="Positions.java",
            flink="1.15",
        ),
        bad(program(sink("setMaxBatchSize(10_000)")), file="Positions.java", times=2),
        bad(table("t", STREAM, "'sink.requests.max-buffered' = '500'") + WRITE, file="positions.sql", at="'500'"),
        bad(program(sink("setMaxBatchSize(500)", "setMaxBufferedRequests(499)")), file="Positions.java", at="499"),
        good(program(sink("setMaxBufferedRequests(buffer)")), file="Positions.java"),
        good(program(sink("setMaxBatchSize(1000)")), file="Positions.java", flink="1.14"),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [flink_fails("program", _running(500), good=_running(501), releases=IN_INDEX)]


def _running(buffered: int) -> str:
    return job(
        "connector.kinesis.sink.KinesisStreamsSink",
        'given.put("aws.credentials.provider", "BASIC");',
        'given.put("aws.credentials.provider.basic.accesskeyid", "test");',
        'given.put("aws.credentials.provider.basic.secretkey", "test");',
        "KinesisStreamsSink<String> sink = KinesisStreamsSink.<String>builder()",
        "    .setKinesisClientProperties(given).setSerializationSchema(new SimpleStringSchema())",
        f'    .setPartitionKeyGenerator(one -> one).setStreamName("s").setMaxBufferedRequests({buffered}).build();',
        'env.fromElements("a").filter(one -> false).sinkTo(sink);',
        "env.execute();",
    )
