"""TLS is on, and a keystore or password it cannot do without is missing.

## What it does
With `security.ssl.internal.enabled: true` it reports which of keystore, keystore password, key password, truststore and
truststore password are missing; with `security.ssl.rest.enabled: true` which of the first three, and of the last two
where `security.ssl.rest.authentication-enabled` is on. Each may stand under its own name or under `security.ssl.`.

## Why it matters
JobManager and TaskManagers end at once: `IllegalConfigurationException: The config option
security.ssl.internal.keystore or security.ssl.keystore is missing`. The truststore is needed inside the cluster too:
the processes authenticate each other.

## What to do
Set all five; one keystore may serve as both.

## Not when
The configuration is a mere part (a ConfigMap beside another, arguments), or a value is filled in by a template: then
passwords may come from elsewhere.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/security/security-ssl/>: what each side needs
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/net/SSLUtils.java>:
  `getAndCheckOption`
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ENABLED = "security.ssl.{}.enabled"
_AUTHENTICATED = "security.ssl.rest.authentication-enabled"
_KEYS = ("keystore", "keystore-password", "key-password")
_TRUST = ("truststore", "truststore-password")


@rule(
    code="FLK943",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=[_ENABLED.format("internal"), _ENABLED.format("rest")],
    since="0.1",
)
def ssl_incomplete(config: View) -> Iterator[Finding]:
    """TLS is on, and a keystore or password it needs is missing"""
    if not config.document.whole:
        return
    for side in ("internal", "rest"):
        enabled = config.get(_ENABLED.format(side))
        if enabled.value is not True:
            continue
        mutual = side == "internal" or config.boolean(_AUTHENTICATED) is True
        missing = [
            name
            for name in (*_KEYS, *(_TRUST if mutual else ()))
            if not config.is_set(f"security.ssl.{side}.{name}") and not config.is_set(f"security.ssl.{name}")
        ]
        if missing:
            names = ", ".join(f"security.ssl.{side}.{name}" for name in missing)
            who = "no process of Flink starts" if side == "internal" else "the JobManager does not start"
            verb = "is" if len(missing) == 1 else "are"
            yield enabled.finding(
                f"{enabled.written} is on, and {names} {verb} missing: {who}",
                help="set all of them, the passwords from a secret",
                evidence={"missing": missing},
            )


_FIVE = "".join(f"security.ssl.{name}: /x\n" for name in (*_KEYS, *_TRUST))


def cases() -> list[Case]:
    return [
        bad("security.ssl.internal.enabled: true\n", at=_ENABLED.format("internal"), severity=Severity.ERROR),
        bad(
            "security.ssl.internal.enabled: true\n"
            "security.ssl.keystore: /x\n"
            "security.ssl.keystore-password: /x\n"
            "security.ssl.truststore: /x\n"
            "security.ssl.truststore-password: /x\n",
            flink="1.14",
            says="security.ssl.internal.key-password is missing",
        ),
        bad("security.ssl.rest.enabled: true\nsecurity.ssl.rest.keystore: /x\n", at=_ENABLED.format("rest")),
        bad(
            "security.ssl.rest.enabled: true\nsecurity.ssl.rest.authentication-enabled: true\n"
            "security.ssl.rest.keystore: /x\nsecurity.ssl.keystore-password: ${P}\n"
            "security.ssl.rest.key-password: ${P}\n",
            flink="1.18",
            says="truststore",
        ),
        good("security.ssl.internal.enabled: true\n" + _FIVE),
        good(
            "security.ssl.rest.enabled: true\nsecurity.ssl.rest.keystore: /x\n"
            "security.ssl.keystore-password: ${P}\nsecurity.ssl.rest.key-password: ${P}\n",
        ),
        good("security.ssl.internal.enabled: false\n"),
        good("security.ssl.internal.enabled: {{ tls }}\n", flink="1.18"),
        bad(
            "security.ssl.internal.enabled: true\n"
            "security.ssl.keystore: /x\n"
            "security.ssl.keystore-password: /x\n"
            "security.ssl.key-password: /x\n"
            "security.ssl.truststore-password: /x\n",
            says="security.ssl.internal.truststore is missing",
        ),
        good(
            "SET 'security.ssl.internal.enabled' = 'true';\nCREATE TABLE t (a INT) WITH ('connector' = 'datagen');\n",
            file="job.sql",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "internal TLS",
            "",
            good="security.ssl.internal.keystore: /etc/flink/keystore.jks\n"
            "security.ssl.internal.truststore: /etc/flink/keystore.jks\n"
            "security.ssl.internal.keystore-password: secret\n"
            "security.ssl.internal.key-password: secret\n"
            "security.ssl.internal.truststore-password: secret\n",
            both="security.ssl.internal.enabled: true\n",
        ),
        flink_refuses(
            "REST endpoint",
            "",
            good="security.ssl.rest.keystore: /etc/flink/keystore.jks\n"
            "security.ssl.rest.keystore-password: secret\n"
            "security.ssl.rest.key-password: secret\n",
            both="rest.address: localhost\nsecurity.ssl.rest.enabled: true\n",
        ),
    ]
