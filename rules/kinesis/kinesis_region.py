"""A Kinesis client does not know its region, or another than its stream's.

## What it does
Reports a `FlinkKinesisConsumer` and a SQL table that is read with neither `aws.region` nor `aws.endpoint`, a
`FlinkKinesisProducer` without `aws.region`, and a sink whose `aws.region` is not that of its stream's ARN.

## Why it matters
Without a region the source or producer is refused. With the wrong one AWS finds no such stream, and the job fails at
its first write.

## What to do
Set `aws.region` to the stream's region. For LocalStack set both `aws.endpoint` and `aws.region`.

## Not when
Properties come from elsewhere. `KinesisStreamsSource` takes the region from the ARN and heeds no other.

## Sources
- <https://github.com/apache/flink-connector-aws/blob/v4.3/flink-connector-aws/flink-connector-kinesis/src/main/java/org/apache/flink/streaming/connectors/kinesis/util/KinesisConfigUtil.java>:
  the checks of consumer and producer
- <https://github.com/apache/flink-connector-aws/blob/main/flink-connector-aws/flink-connector-aws-kinesis-streams/src/main/java/org/apache/flink/connector/kinesis/source/KinesisStreamsSource.java>:
  the region of the ARN wins
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kinesis._cases import ARN, READ, STREAM, WRITE, consumer, given_more, program, source, table
from flink_flint.rules.kinesis._reader import CONSUMER, api, attribute, more_properties, region_of, text

_REGION, _ENDPOINT = "aws.region", "aws.endpoint"


@rule(
    code="FLK843",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kinesis-source", "element:kinesis-sink"],
    flink=">=1.3",
    since="0.1",
)
def kinesis_region(config: View) -> Iterator[Finding]:
    """a Kinesis client does not know its region, or another than its stream's"""
    for client in config.elements("kinesis-source", "kinesis-sink"):
        region = attribute(client, _REGION)
        if region is None and not more_properties(client):
            reads = client.kind == "kinesis-source" and api(client) in (CONSUMER, "sql")
            if reads and attribute(client, _ENDPOINT) is None:
                yield client.finding(
                    f"neither {_REGION} nor {_ENDPOINT} is set: the source is refused",
                    help=f"set {_REGION} to the stream's region",
                )
            elif api(client) == "FlinkKinesisProducer" and "calls" not in client.element.attributes:
                yield client.finding(
                    f"{_REGION} is not set: the producer is refused", help=f"set {_REGION} to the stream's region"
                )
        elif region is not None and client.kind == "kinesis-sink":
            wanted, given = region_of(client), text(client, _REGION)
            if wanted and given and wanted != given and attribute(client, _ENDPOINT) is None:
                yield client.finding(
                    f"the stream is in {wanted}, and the client asks {given} for it, which knows no such stream",
                    of=region,
                    help=f"set {_REGION} to {wanted}",
                    fix=client.replace(region, wanted),
                )


def _sink(region: str) -> str:
    return program(
        "Properties sinkProperties = new Properties();",
        f'sinkProperties.put("aws.region", "{region}");',
        "KinesisStreamsSink<String> sink = KinesisStreamsSink.<String>builder()\n"
        "            .setKinesisClientProperties(sinkProperties)\n"
        '            .setStreamArn("arn:aws:kinesis:eu-west-1:123456789012:stream/enriched")\n'
        "            .build();",
        "stream.sinkTo(sink);",
    )


_PRODUCER = (
    "Properties producerConfig = new Properties();\n"
    "        {}stream.addSink(new FlinkKinesisProducer<>(new SimpleStringSchema(), producerConfig));"
)


_UNPLACED = (
    "CREATE TABLE t (id STRING, speed INT) WITH ('connector' = 'kinesis', %s'stream' = 'p', 'format' = 'json');\n"
)


def cases() -> list[Case]:
    return [
        bad(program(consumer(region=False)), file="Positions.java", severity=Severity.ERROR, says="neither aws.region"),
        bad(program(_PRODUCER.format("")), file="Positions.java", says="the producer is refused"),
        bad(_sink("us-east-1"), file="Positions.java", says="the stream is in eu-west-1", fixed=_sink("eu-west-1")),
        bad(
            "CREATE TABLE t (\n"
            "  id STRING, speed INT\n"
            ") WITH (\n"
            "  'connector' = 'kinesis',\n"
            "  'format' = 'json',\n"
            "  'stream' = 'positions'\n"
            ");\n"
            "CREATE TABLE printed (id STRING, speed INT) WITH ('connector' = 'print');\n"
            "INSERT INTO printed SELECT * FROM t;\n",
            file="positions.sql",
        ),
        good(program(consumer(("aws.endpoint", "http://localhost:4566"), region=False)), file="Positions.java"),
        good(
            program(_PRODUCER.format('producerConfig.put("aws.region", "eu-west-1");\n        ')), file="Positions.java"
        ),
        good(program(source()), file="Positions.java"),
        good(_sink("eu-west-1"), file="Positions.java"),
        good(table("t", STREAM) + READ, file="positions.sql"),
        good(table("t", ARN) + WRITE, file="positions.sql"),
        bad(program(consumer(region=False)), file="Positions.java", flink="1.5"),
        good(given_more(program(consumer(("flink.stream.initpos", "LATEST"), region=False))), file="Positions.java"),
        good(
            "CREATE TABLE t (\n"
            "  id STRING, speed INT\n"
            ") WITH (\n"
            "  'connector' = 'kinesis',\n"
            "  'format' = 'json',\n"
            "  'stream' = 'positions'\n"
            ");\n"
            "CREATE TABLE made (id STRING, speed INT) WITH ('connector' = 'datagen');\n"
            "INSERT INTO t SELECT * FROM made;\n",
            file="positions.sql",
        ),
        bad(
            "CREATE TABLE t (\n"
            "  id STRING, speed INT\n"
            ") WITH (\n"
            "  'connector' = 'kinesis',\n"
            "  'aws.region' = 'eu-west-1',\n"
            "  'format' = 'json',\n"
            "  'stream.arn' = 'arn:aws:kinesis:us-east-1:123456789012:stream/positions'\n"
            ");\n"
            "CREATE TABLE made (id STRING, speed INT) WITH ('connector' = 'datagen');\n"
            "INSERT INTO t SELECT * FROM made;\n",
            file="positions.sql",
            says="the stream is in us-east-1",
        ),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            _UNPLACED % "" + READ,
            good=_UNPLACED % "'aws.region' = 'eu-west-1', " + READ,
            releases=">=1.13,<1.19",
        ),
    ]
