"""All cipher suites of Flink's TLS are ones that newer Java no longer allows.

## What it does
With TLS on and a protocol of at most 1.2, it reports that every suite of `security.ssl.algorithms`, as written or by
default, begins with `TLS_RSA_`.

## Why it matters
Java 24, and the updates of January 2026 of the older ones (11.0.30, 17.0.18, 21.0.10), disable all suites without
forward secrecy. JobManager and TaskManagers then find no suite in common, and every connection fails with
`SSLHandshakeException`. It happens when a base image is rebuilt, without a change to Flink or its configuration.
Flink's own default was such a suite, `TLS_RSA_WITH_AES_128_CBC_SHA`, up to the last patches of each release.

## What to do
Set `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384`, which every Java 8 and later knows.

## Not when
`security.ssl.protocol` is `TLSv1.3`, whose suites are others; one of the suites is of another kind.

## Sources
- <https://bugs.openjdk.org/browse/JDK-8245545>: Java disables the suites
- <https://issues.apache.org/jira/browse/FLINK-39022>: Flink changes its default
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_SUITES = "security.ssl.algorithms"
_GOOD = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
_SWITCHES = ("security.ssl.internal.enabled", "security.ssl.rest.enabled", "security.ssl.enabled")


@rule(
    code="FLK944",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=_SWITCHES,
    every_release=True,
    since="0.1",
)
def ssl_suites_disabled_by_java(config: View) -> Iterator[Finding]:
    """all cipher suites of Flink's TLS are ones that newer Java no longer allows"""
    switch = next((one for key in _SWITCHES if (one := config.get(key)).is_set and one.value is True), None)
    suites = config.get(_SUITES)
    if switch is None or not isinstance(suites.value, str):
        return
    protocol = config.get("security.ssl.protocol")
    if not protocol.is_known or protocol.value == "TLSv1.3":
        return
    names = [name.strip() for name in suites.value.split(",") if name.strip()]
    if not names or not all(name.startswith("TLS_RSA_") for name in names):
        return
    shown = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    which = (
        f"{_SUITES} allows only {shown}" if suites.is_set else f"the default suite, {shown}, is the only one allowed"
    )
    where = suites if suites.is_set else switch
    yield where.finding(
        f"{which}, which Java 24 and the updates of January 2026 (11.0.30, 17.0.18, 21.0.10) disable: no process"
        " reaches another",
        help=f"set {_SUITES} to {_GOOD}",
        fix=suites.replace(_GOOD),
    )


def cases() -> list[Case]:
    return [
        bad(
            "security.ssl.internal.enabled: true\nsecurity.ssl.algorithms: TLS_RSA_WITH_AES_128_CBC_SHA256\n",
            at=_SUITES, severity=Severity.WARNING, fixed=f'security.ssl.internal.enabled: true\n{_SUITES}: "{_GOOD}"\n',
        ),
        bad("security.ssl.internal.enabled: true\n", flink="1.18", at="security.ssl.internal.enabled", says="default"),
        bad("security.ssl.rest.enabled: true\n", flink="1.20.2", at="security.ssl.rest.enabled"),
        good("security.ssl.internal.enabled: true\n", flink="1.20.5"),
        good("security.ssl.internal.enabled: true\nsecurity.ssl.protocol: TLSv1.3\n", flink="1.18"),
        good(
            "security.ssl.internal.enabled: true\n"
            "security.ssl.algorithms: TLS_RSA_WITH_AES_128_CBC_SHA,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\n",
            flink="1.18",
        ),
        good("security.ssl.algorithms: TLS_RSA_WITH_AES_128_CBC_SHA\n", flink="1.18"),
        bad("parallelism.default: 2\nsecurity.ssl.internal.enabled: true\n", flink="1.18",
            at="security.ssl.internal.enabled"),
        bad("security.ssl.enabled: true\n", flink="1.14"),
        bad(f"security.ssl.rest.enabled: true\n{_SUITES}: TLS_RSA_WITH_AES_128_CBC_SHA,\n", flink="1.18"),
        good(f"security.ssl.rest.enabled: true\n{_SUITES}: ','\n", flink="1.18"),
        good("security.ssl.rest.enabled: false\n", flink="1.18"),
        good("security.ssl.internal.enabled: true\n"),
        good(f"security.ssl.internal.enabled: true\n{_SUITES}: ${{SUITES}}\n", flink="1.18"),
        good("security.ssl.internal.enabled: true\nsecurity.ssl.protocol: ${PROTOCOL}\n", flink="1.18"),
    ]  # fmt: skip
