"""The release gets no fixes any more.

## What it does
Tells where the release is known and neither one of the two newest minors nor 1.20, which is the last of Flink 1 and
supported for longer. As it is right for very many files, it runs only where it is selected.

## Why it matters
Flink's community mends faults in the two newest minors. A hole in a library, a fault in a connector or in the recovery
of jobs stays in older ones for good; connectors stop being released for them.

## What to do
Upgrade; `flint upgrade` tells what it means for a configuration. From 1.x go to 1.20 first.

## Not when
Somebody else maintains it: Amazon EMR and Managed Service for Apache Flink, Ververica, Cloudera support releases of
theirs for longer.

## Sources
- <https://flink.apache.org/downloads/#update-policy-for-old-releases>: which minors are maintained
- <https://cwiki.apache.org/confluence/display/FLINK/2.0+Release>: 1.20 is supported for longer
"""

from collections.abc import Iterator

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_SUPPORTED = MINORS[-2:]
_LAST_OF_1 = "1.20"
_MAINTAINED = ("emr", "msf")


@rule(
    code="FLK986",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    flink=f">=1.0,<{_SUPPORTED[0]}",
    always=True,
    pedantic=True,
    since="0.1",
)
def end_of_life_release(config: View) -> Iterator[Finding]:
    """the release gets no fixes any more"""
    if not config.target.certain or config.platform in _MAINTAINED:
        return
    if config.since(_LAST_OF_1) and not config.since("2.0"):
        return
    yield config.finding(
        f"{config.releases_text} gets no fixes any more: {', '.join((_LAST_OF_1, *_SUPPORTED))} do",
        span=config.release_span,
        related=config.release_places,
        help="upgrade; flint upgrade tells what that means for this file",
    )


def cases() -> list[Case]:
    return [
        bad("rest.port: 8081\n", flink="1.19.3", severity=Severity.INFO, says="Flink 1.19.3 gets no fixes"),
        bad("rest.port: 8081\n", flink="1.8"),
        bad("rest.port: 8081\n", flink=MINORS[-3]),
        bad("rest.port: 8081\n", flink="2.0.1"),
        good("rest.port: 8081\n", flink="1.20"),
        good("rest.port: 8081\n", flink=MINORS[-2]),
        good("rest.port: 8081\n", flink=MINORS[-1]),
        good("rest.port: 8081\n"),
        good("rest.port: 8081\n", flink="1.18", platform="emr"),
        good("rest.port: 8081\n", flink="1.18", platform="msf"),
    ]  # fmt: skip
