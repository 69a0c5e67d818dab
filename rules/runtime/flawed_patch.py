"""The release has a flaw that a patch of the same minor mends, and the configuration meets it.

## What it does
Knows these flaws, each mended by a patch of the same minor:

| releases | where | what |
|---|---|---|
| 1.15.0, 1.15.1 | SQL and the Table API | operators get ids from which a later release cannot restore their state |
| 1.14.0 to 1.14.2 | wherever state is restored | some serializers read state of older releases with a wrong version |

It speaks where the release is known with its patch; of 1.15 in SQL scripts and where an option `table.*` is set.

## Why it matters
In 1.15.0 and 1.15.1 the ids depend on a counter and on the version of the operator in the plan: a savepoint that such a
job takes may not fit the same job in another environment or release. Upgrading late means losing the state.

In 1.14.0 to 1.14.2 a job that comes from 1.13 may fail as it restores, or read wrong values. 1.14.1 and 1.14.2 mend a
hole in log4j and nothing else.

## What to do
Go to 1.15.2 or later, and to 1.14.3 or later: the last patch of the minor is always the right one.

## Not when
The patch is not known. Unaligned checkpoints of 1.11 and 1.12 are told by `unaligned-in-broken-release`,
vulnerabilities by `vulnerable-release`.

## Sources
- <https://github.com/apache/flink/pull/20600>: 1.15.0 and 1.15.1, with what to do about state of theirs
- <https://github.com/apache/flink/pull/17755>: serializers of 1.14
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK984",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    flink=">=1.14,<1.16",
    always=True,
    when=["element:query"],
    of_scale=True,
    since="0.1",
)
def flawed_patch(config: View) -> Iterator[Finding]:
    """the release has a flaw that a patch of the same minor mends"""
    if not config.target.certain:
        return
    if config.since("1.15"):
        sql = config.document.kind == "sql" or any(key.startswith("table.") for key in config.effective)
        if sql and not config.since("1.15.2"):
            yield config.finding(
                f"{config.releases_text} gives the operators of SQL ids from which later releases cannot restore their"
                " state",
                span=config.release_span,
                related=config.release_places,
                help="upgrade to 1.15.4 before there is state to keep",
            )
    elif not config.since("1.14.3"):
        yield config.finding(
            f"serializers of {config.releases_text} may read the state of an older release wrongly",
            span=config.release_span,
            related=config.release_places,
            help="upgrade to 1.14.6, above all before a job of 1.13 is restored",
            severity=Severity.INFO,
        )


_SQL = "SET 'parallelism.default' = '4';\nINSERT INTO a SELECT * FROM b;\n"


def cases() -> list[Case]:
    return [
        bad(_SQL, file="job.sql", flink="1.15.1", severity=Severity.WARNING, says="Flink 1.15.1 gives"),
        bad("table.exec.state.ttl: 1 h\n", flink="1.15.0"),
        bad("rest.port: 8081\n", flink="1.14.2", severity=Severity.INFO, says="Flink 1.14.2 may read"),
        good(_SQL, file="job.sql", flink="1.15.2"),
        good(_SQL, file="job.sql", flink="1.15"),
        good(_SQL, file="job.sql", flink="1.16.0"),
        good("rest.port: 8081\n", flink="1.15.0"),
        good("rest.port: 8081\n", flink="1.14.3"),
        good("table.exec.state.ttl: 1 h\n", flink="1.14"),
        good("table.exec.state.ttl: 1 h\n", flink="1.13.0"),
        good("table.exec.state.ttl: 1 h\n", file="flink-conf.yaml"),
    ]  # fmt: skip
