"""After a restart the consumer of the fan-out is gone.

## What it does
Looks for readers with enhanced fan-out and `flink.stream.efo.registration` of `EAGER`, before Flink 1.15.

## Why it matters
With `EAGER` the consumer is registered once, while the job graph is built. The tasks of these releases take it off the
stream when they end, also on a failure, and the restarted ones do not register it again: they fail over and over with
`ResourceNotFoundException: Consumer ... not found`.

## What to do
Set `LAZY` (the default), which registers when tasks start, or `NONE` with a consumer that is registered beforehand.

## Not when
The reader polls, or the connector is that of Flink 1.15 or later.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-24431>: consumers are no longer taken off with EAGER
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kinesis._reader import REGISTRATION, attribute, fans_out, text


@rule(
    code="FLK844",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kinesis-source"],
    flink=">=1.12,<1.15",
    since="0.1",
)
def kinesis_eager_deregisters(config: View) -> Iterator[Finding]:
    """after a restart the consumer of the fan-out is gone"""
    for reader in config.elements("kinesis-source"):
        if (text(reader, REGISTRATION) or "").upper() != "EAGER" or fans_out(reader) is not True:
            continue
        yield reader.finding(
            "with EAGER the consumer is registered once, and tasks that fail take it off the stream: restarted ones do"
            " not find it (ResourceNotFoundException)",
            of=attribute(reader, REGISTRATION),
            help=f"set {REGISTRATION} to LAZY",
        )


_JOB = """import java.util.Properties;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Properties config = new Properties();
    config.put("aws.region", "eu-west-1");
    config.put("flink.stream.recordpublisher", "%s");
    config.put("flink.stream.efo.consumername", "orders");
    config.put("flink.stream.efo.registration", "%s");
    env.addSource(new FlinkKinesisConsumer<>("orders", new SimpleStringSchema(), config)).uid("a").print().uid("b");
    env.execute();
  }
}
"""


def cases() -> list[Case]:
    return [
        bad(_JOB % ("EFO", "EAGER"), file="Job.java", at='"EAGER"', flink="1.13", severity=Severity.WARNING),
        bad(_JOB % ("EFO", "EAGER"), file="Job.java", flink="1.14", says="do not find it"),
        good(_JOB % ("EFO", "LAZY"), file="Job.java", flink="1.13"),
        good(_JOB % ("POLLING", "EAGER"), file="Job.java", flink="1.13"),
        good(_JOB % ("EFO", "EAGER"), file="Job.java", flink="1.17"),
    ]
