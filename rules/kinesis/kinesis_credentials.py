"""An AWS secret key stands in the program, or certificates are not checked.

## What it does
Reports a literal `aws.credentials.provider.basic.secretkey` of a Kinesis source or sink, and
`aws.trust.all.certificates` that is on. In SQL the latter alone.

## Why it matters
Whoever reads the repository or takes the jar apart has the key. And a client that trusts every certificate sends its
records to whoever sits between it and AWS.

## What to do
Leave credentials to the environment: delete the keys, so that `AUTO` finds the role of the machine, the pod or the
application. Change a key that was committed.

## Not when
The endpoint is a local one (LocalStack, kinesalite), or the key is the one everybody uses for tests (`test`, `foo`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kinesis/#configuring-access-to-kinesis-with-iam>:
  the credential providers
- <https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html>: roles rather than keys
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kinesis._cases import ARN, READ, STREAM, again, consumer, program, sink, table, unknown
from flink_flint.rules.kinesis._reader import api, attribute, text

_SECRETS = ("aws.credentials.provider.basic.secretkey", "aws.credentials.basic.secretkey")
_TRUST = "aws.trust.all.certificates"
_LOCAL = r"localhost|127\.0\.0\.1|localstack|kinesalite|host\.docker\.internal|\[::1\]"
_NO_SECRET = (
    r"(?i)test\w*|foo\w*|fake\w*|dummy\w*|local\w*|example\w*|<.*>|\*+|x+|.{0,3}|your\W?.*|"
    r"(?:aws[\W_]?)?secret[\W_]?(?:access[\W_]?)?key(?:[\W_]?id)?"
)


@rule(
    code="FLK842",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kinesis-source", "element:kinesis-sink"],
    flink=">=1.1",
    of_scale=True,
    since="0.1",
)
def kinesis_credentials(config: View) -> Iterator[Finding]:
    """an AWS secret key stands in the program, or certificates are not checked"""
    seen = set()
    for client in config.elements("kinesis-source", "kinesis-sink"):
        if re.search(_LOCAL, text(client, "aws.endpoint") or ""):
            continue
        name = next((found for key in _SECRETS if (found := attribute(client, key))), None)
        if name is not None and api(client) != "sql" and _is_secret(client, name) and client.span(name) not in seen:
            seen.add(client.span(name))
            yield client.finding(
                "the secret key of an AWS account stands here in plain text, for all who read the program or its jar",
                of=name,
                help="delete the keys and give the job a role; change the key if it was committed",
            )
        trust = attribute(client, _TRUST)
        if trust is not None and client.flag(trust) is True and client.span(trust) not in seen:
            seen.add(client.span(trust))
            yield client.finding(
                "the client trusts every certificate: whoever sits between it and AWS reads the records",
                of=trust,
                help=f"delete {_TRUST}, or set it to false",
                severity=Severity.WARNING,
            )


def _is_secret(client: ElementView, name: str) -> bool:
    value = client.text(name)
    return value is not None and not is_templated(value) and re.fullmatch(_NO_SECRET, value) is None


_KEYS = (("aws.credentials.provider.basic.accesskeyid", "AKIAIOSFODNN7"), (_SECRETS[0], "wJalrXUtnFEMIK7MDENGbPxRfiCY"))


def cases() -> list[Case]:
    return [
        bad(program(consumer(*_KEYS)), file="Positions.java", severity=Severity.ERROR, says="in plain text"),
        bad(program(consumer((_TRUST, "true"))), file="Positions.java", severity=Severity.WARNING),
        bad(table("t", ARN, f"'{_TRUST}' = 'true'") + READ, file="positions.sql", severity=Severity.WARNING),
        good(program(consumer(*_KEYS, ("aws.endpoint", "http://localhost:4566"))), file="Positions.java"),
        good(program(consumer((_SECRETS[0], "test"))), file="Positions.java"),
        good(program(consumer((_TRUST, "false"))), file="Positions.java"),
        bad(program(consumer(*_KEYS)), file="Positions.java", profile="development", severity=Severity.INFO),
        bad(
            program(
                "Properties sinkProperties = new Properties();",
                f'sinkProperties.put("{_SECRETS[1]}", "wJalrXUtnFEMIK7MDENGbPxRfiCY");',
                sink(),
            ),
            file="Positions.java",
            flink="1.5",
        ),
        bad(
            program(
                consumer(*_KEYS, ("aws.endpoint", "http://localhost:4566")),
                again(consumer(*_KEYS, (_TRUST, "true"))),
                "DataStream<String> third = env.addSource(new FlinkKinesisConsumer<>(\n"
                '            "speeds", new SimpleStringSchema(), consumerOther));',
            ),
            file="Positions.java",
            times=2,
        ),
        good(table("t", STREAM, f"'{_SECRETS[0]}' = 'wJalrXUtnFEMIK7MDENGbPxRfiCY'") + READ, file="positions.sql"),
        good(program(consumer((_SECRETS[0], "aws_secret_key"))), file="Positions.java"),
        good(unknown(program(consumer((_TRUST, "true"))), "true"), file="Positions.java"),
        *cases_in_folders(__file__),
    ]
