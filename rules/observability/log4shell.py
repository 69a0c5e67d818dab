"""The release ships a log4j that runs code out of log messages.

## What it does
Reports the releases 1.11.3 to 1.11.5, 1.12.0 to 1.12.6, 1.13.0 to 1.13.4, 1.14.0 and 1.14.1, which ship log4j 2 before
2.16. A release known by its minor alone counts as the latest patch of it. Of 1.11.0 to 1.11.2 `vulnerable-release`
tells it with what else they have.

## Why it matters
CVE-2021-44228 (Log4Shell): whoever gets a text into a log line, as the payload of a record that a job logs or the name
of a jar that is uploaded, makes the process load and run a class of theirs. CVE-2021-45046 is what 2.15 left open. It
has been exploited ever since it was published.

## What to do
Upgrade at least to 1.11.6, 1.12.7, 1.13.5 or 1.14.2; those end with log4j 2.16, and 1.13.6 and 1.14.3 have 2.17.

## Not when
The release is not known. Amazon, Confluent and Ververica build Flink themselves, and may have mended it there: a hint.
The jars of log4j in `lib` were replaced by newer ones, which no configuration tells: ignore
the finding then.

## Sources
- <https://flink.apache.org/2021/12/16/apache-flink-log4j-emergency-releases/>: the releases that mend it
- <https://nvd.nist.gov/vuln/detail/CVE-2021-44228>: Log4Shell
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_MENDED = (("1.11", "1.11.6"), ("1.12", "1.12.7"), ("1.13", "1.13.5"), ("1.14", "1.14.2"))


@rule(
    code="FLK934",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    flink=">=1.11,<1.15",
    of_scale=True,
    since="0.1",
)
def log4shell(config: View) -> Iterator[Finding]:
    """the release ships a log4j that runs code out of log messages"""
    if not config.target.certain or not config.since("1.11.3"):
        return
    fixed = next(fixed for first, fixed in reversed(_MENDED) if config.since(first))
    if not config.since(fixed):
        yield config.finding(
            f"{config.releases_text} ships log4j 2 before 2.16, which runs code that a log message names"
            " (CVE-2021-44228, Log4Shell)",
            span=config.release_span,
            related=config.release_places,
            help=f"upgrade to {fixed} or newer",
            severity=Severity.INFO if config.is_vendors_build else None,
            confidence=Confidence.LOW if config.is_vendors_build else None,
            evidence={"vulnerability": "CVE-2021-44228", "evidence": config.target.evidence},
        )


_ANY = "parallelism.default: 4\n"


def cases() -> list[Case]:
    return [
        bad(_ANY, flink="1.14.0", severity=Severity.ERROR, says="Flink 1.14.0"),
        bad(_ANY, flink="1.11.5", severity=Severity.ERROR),
        bad(_ANY, flink="1.13.2", profile="development", severity=Severity.INFO),
        bad(_ANY, flink="1.13.2", platform="msf", severity=Severity.INFO),
        bad(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  image: confluentinc/cp-flink:1.14.0-cp2-java17\n  flinkVersion: v1_14\n",
            file="a.yaml",
            severity=Severity.INFO,
        ),
        good(_ANY, flink="1.14.2"),
        good(_ANY, flink="1.14"),
        good(_ANY, flink="1.11.2"),  # FLK948's
        good(_ANY, flink="1.10.2"),
        good(_ANY, file="flink-conf.yaml"),
        good(_ANY, flink="1.11.6"),
        good(_ANY, flink="1.15.0"),
    ]  # fmt: skip
