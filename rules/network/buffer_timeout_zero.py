"""Every record is sent on its own.

## What it does
Reports `execution.buffer-timeout.interval: 0` (`execution.buffer-timeout` before 1.16), and a program's
`setBufferTimeout(0)`.

## Why it matters
At 0 each record is flushed into the network as soon as it is written, in a buffer of its own. Throughput falls to a
fraction of what it was, and the buffers run out while they are nearly empty. At the default of 100 ms full buffers
leave at once all the same; only a slow trickle of records waits.

## What to do
Set 5 ms to 10 ms where latency counts, and leave it at 100 ms elsewhere.

## Not when
The job runs as a batch. `execution.buffer-timeout.enabled: false` waits for full buffers.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/learn-flink/streaming_analytics/>: what makes latency
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/overview/#controlling-latency>:
  a timeout of 0 should be avoided, as it can degrade performance severely
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import is_streaming

_INTERVAL = "execution.buffer-timeout.interval"


@rule(
    code="FLK506",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_INTERVAL],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def buffer_timeout_zero(config: View) -> Iterator[Finding]:
    """every record is sent on its own"""
    setting, interval = config.get(_INTERVAL), config.duration(_INTERVAL)
    if interval != 0 or not is_streaming(config):
        return
    if config.boolean("execution.buffer-timeout.enabled") is False:
        return
    yield setting.finding(
        "every record is flushed into the network in a buffer of its own, which costs most of the throughput",
        help="set it to 5 ms where latency counts, or to 100 ms, the default",
        fix=setting.replace("5 ms"),
    )


_JAVA = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n\n"
    "public class Positions {\n"
    "    public static void main(String[] args) throws Exception {\n"
    "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    "        env.setBufferTimeout(%s);\n"
    '        env.execute("positions");\n'
    "    }\n"
    "}\n"
)


def claims() -> list[Claim]:
    return [
        flink_uses(
            "job",
            "execution.buffer-timeout: 0 ms\n",
            "buffers for 0 ms",
            good="execution.buffer-timeout: 5 ms\n",
            releases=">=1.10,<1.16",
        ),
        flink_uses("job", f"{_INTERVAL}: 0 ms\n", "buffers for 0 ms", good=f"{_INTERVAL}: 5 ms\n", releases=">=1.16"),
    ]


def cases() -> list[Case]:
    return [
        bad("execution.buffer-timeout: 0 ms\n", at=_INTERVAL, flink="1.14", severity=Severity.WARNING,
            fixed="execution.buffer-timeout: 5 ms\n"),
        bad(f"{_INTERVAL}: 0\n", at=_INTERVAL, flink="1.20"),
        bad(_JAVA % "0", file="Positions.java"),
        good(_JAVA % "-1", file="Positions.java"),
        good(_JAVA % "10", file="Positions.java"),
        good(f"{_INTERVAL}: 10 ms\n", flink="1.18"),
        good(f"{_INTERVAL}: 0\nexecution.buffer-timeout.enabled: false\n", flink="1.20"),
        good(f"{_INTERVAL}: 0\nexecution.runtime-mode: BATCH\n", flink="1.20"),
        bad(f"{_INTERVAL}: 0\n", profile="development", severity=Severity.INFO),
        good(f"{_INTERVAL}: ${{TIMEOUT}}\n"),
    ]  # fmt: skip
