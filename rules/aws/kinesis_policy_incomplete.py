"""The policy of an application lacks actions that its Kinesis source calls.

## What it does
Looks for statements of IAM policies (CDK, Terraform, CloudFormation) that allow to read from Kinesis, in the same
application as a program with `KinesisStreamsSource`: reports those of a file that together do not allow
`kinesis:DescribeStreamSummary`, or, with enhanced fan-out, the actions on stream consumers.

## Why it matters
`KinesisStreamsSource`, which replaces `FlinkKinesisConsumer`, calls other actions: it asks for the summary of the
stream first. With a policy made for the old consumer the job does not start: `AccessDeniedException: User ... is not
authorized to perform: kinesis:DescribeStreamSummary on resource`. `kinesis:DescribeStream` does not include it.

## What to do
Add `kinesis:DescribeStreamSummary`, `kinesis:ListShards`, `kinesis:GetShardIterator` and `kinesis:GetRecords`. With
`source.reader.type: EFO` also `kinesis:SubscribeToShard`, `kinesis:DescribeStreamConsumer`,
`kinesis:RegisterStreamConsumer` and `kinesis:DeregisterStreamConsumer`, on the consumers of the stream too.

## Not when
- A list of actions has something else than constants, or the file gives permissions in another way (`grantRead`, a
  managed policy).
- The application has another source of Kinesis, or its program is not in the repository.

## Sources
-
  <https://github.com/apache/flink-connector-aws/blob/main/flink-connector-aws/flink-connector-aws-kinesis-streams/src/main/java/org/apache/flink/connector/kinesis/source/proxy/KinesisStreamProxy.java>:
  the calls
- <https://docs.aws.amazon.com/streams/latest/dev/controlling-access.html>: the actions"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView

_SOURCE = "KinesisStreamsSource"
_READING = "kinesis:GetRecords"
_NEEDED = ("kinesis:DescribeStreamSummary", "kinesis:ListShards", "kinesis:GetShardIterator", _READING)
_CONSUMERS = ("kinesis:DescribeStreamConsumer", "kinesis:RegisterStreamConsumer", "kinesis:SubscribeToShard")
_READER = "properties.source.reader.type"
_MAX_ABOVE = 6


@rule(
    code="FLK766",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:policy-statement"],
    scope="project",
    compares=[(["element:policy-statement"], ["element:kinesis-source"])],
    since="0.1",
)
def kinesis_policy_incomplete(project: Project) -> Iterator[Finding]:
    """a policy lacks actions that the Kinesis source of the application calls"""
    policies: dict[str, list[ElementView]] = defaultdict(list)
    sources: dict[str, list[ElementView]] = defaultdict(list)
    for config in project.views:
        statements = config.elements("policy-statement")
        policies[config.document.path] += [one for one in statements if one.name == "kinesis"]
        sources[config.document.directory] += config.elements("kinesis-source")
    for path, statements in policies.items():
        reading = next((one for one in statements if _allows([one], _READING)), None)
        if reading is None or any("actions" in one.element.attributes for one in statements):
            continue
        of_application = _nearest(path, sources)
        if not of_application or any(one.text("api") != _SOURCE for one in of_application):
            continue
        needed = [*_NEEDED, *(_CONSUMERS if any(one.text(_READER) == "EFO" for one in of_application) else ())]
        missing = [action for action in needed if not _allows(statements, action)]
        if missing:
            number = next(n for n, one in enumerate(reading.element.listed("actions")))
            yield reading.finding(
                f"KinesisStreamsSource calls {' and '.join(missing[:2])}, which this policy does not allow: the job"
                " does not start (AccessDeniedException ... not authorized to perform)",
                of=f"actions[{number}]",
                key="actions",
                help=f"add {', '.join(missing)}",
                related=[of_application[0].place("api", "the source")],
            )


def _allows(statements: Sequence[ElementView], action: str) -> bool:
    return any(
        fnmatchcase(action.lower(), str(one.value).lower())
        for statement in statements
        for one in statement.element.listed("actions")
    )


def _nearest(path: str, sources: dict[str, list[ElementView]]) -> list[ElementView]:
    """Return the sources of Kinesis below the nearest folder above a file that has any: those of its application."""
    folder = os.path.dirname(os.path.abspath(path))
    below = {os.path.abspath(directory): found for directory, found in sources.items() if found}
    for _ in range(_MAX_ABOVE):
        found = [
            one
            for directory, ones in below.items()
            if directory == folder or directory.startswith(f"{folder.rstrip(os.sep)}{os.sep}")
            for one in ones
        ]
        if found:
            return found
        folder = os.path.dirname(folder)
    return []


_STACK = """// The Flink app reads from the stream.
const policy = new iam.PolicyDocument({{
  statements: [
    new iam.PolicyStatement({{
      resources: [stream.streamArn],
      actions: [{actions}],
    }}),
  ],
}});
"""
_OLD = "'kinesis:DescribeStream', 'kinesis:GetShardIterator', 'kinesis:GetRecords', 'kinesis:ListShards'"
_NEW = f"{_OLD}, 'kinesis:DescribeStreamSummary'"
_MODULE = """# The role of the Flink application.
data "aws_iam_policy_document" "stream" {{
  statement {{
    actions   = [{actions}]
    resources = [aws_kinesis_stream.orders.arn]
  }}
}}
"""
_JOB = """import org.apache.flink.connector.kinesis.source.KinesisStreamsSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    KinesisStreamsSource<String> source = KinesisStreamsSource.<String>builder().setStreamArn(args[0]).build();
    env.fromSource(source, WatermarkStrategy.noWatermarks(), "stream").print();
    env.execute();
  }
}
"""
_CONSUMER = """import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.addSource(new FlinkKinesisConsumer<>("orders", new SimpleStringSchema(), new Properties())).print();
    env.execute();
  }
}
"""


def cases() -> list[Case]:
    quoted = _OLD.replace("'", '"')
    job = {"src/Job.java": _JOB}
    return [
        bad(
            _STACK.format(actions=_OLD), file="lib/stack.ts", at="actions", severity=Severity.WARNING, beside=job,
            says="calls kinesis:DescribeStreamSummary, which this policy does not allow",
        ),
        bad(_MODULE.format(actions=quoted), file="iam.tf", at="actions", beside=job),
        good(_STACK.format(actions=_NEW), file="lib/stack.ts", beside=job),
        good(_STACK.format(actions="'kinesis:Describe*', 'kinesis:Get*', 'kinesis:List*'"), file="a.ts", beside=job),
        good(_STACK.format(actions=f"{_OLD}, ...more"), file="lib/stack.ts", beside=job),
        good(_STACK.format(actions=_OLD) + "stream.grantRead(role);\n", file="lib/stack.ts", beside=job),
        good(_STACK.format(actions=_OLD), file="lib/stack.ts", beside={"src/Job.java": _CONSUMER}),
        good(_STACK.format(actions=_OLD), file="lib/stack.ts"),
        good(_STACK.format(actions="'kinesis:PutRecord', 'kinesis:PutRecords'"), file="lib/stack.ts", beside=job),
    ]  # fmt: skip
