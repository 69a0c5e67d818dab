"""A commit that fails once or twice fails the job.

## What it does
Reports `sink.committer.retries` below 3; it is 10 by default.

## Why it matters
Sinks that write in two phases (files, Kafka with exactly-once, Iceberg) commit after a checkpoint. A broker that moves
or a store that answers slowly makes a commit fail for a moment; without retries the whole job restarts, and commits
the same once more.

## What to do
Leave the default of 10.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#sink-committer-retries>: the option
"""

from collections.abc import Iterator

from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import View

_RETRIES = "sink.committer.retries"


@rule(
    code="FLK870",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[_RETRIES],
    flink=">=1.19",
    since="0.1",
)
def committer_retries_few(config: View) -> Iterator[Finding]:
    """a commit that fails once or twice fails the job"""
    setting, retries = config.get(_RETRIES), config.integer(_RETRIES)
    if setting.is_set and setting.is_read and retries is not None and 0 <= retries < 3:
        yield setting.finding(
            f"a commit that fails {'once' if retries == 0 else 'twice' if retries == 1 else 'three times'} fails the"
            f" job: {retries} retries are few for a broker that moves or a slow store",
            help="write 10, the default",
            fix=setting.replace("10"),
        )


CASES = [
    bad("parallelism.default: 4\nsink.committer.retries: 1\n", at="1", flink="1.20", severity=Severity.INFO,
        says="fails twice", fixed="parallelism.default: 4\nsink.committer.retries: 10\n"),
    bad("SET 'sink.committer.retries' = '0';\n", file="job.sql", at="'0'", flink="2.0",
        fixed="SET 'sink.committer.retries' = '10';\n"),
    good("parallelism.default: 4\nsink.committer.retries: 10\n", flink="1.20"),
    good("parallelism.default: 4\nsink.committer.retries: 3\n", flink="2.0"),
    good("parallelism.default: 4\nsink.committer.retries: ${RETRIES}\n", flink="1.20"),
]  # fmt: skip
