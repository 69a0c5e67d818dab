"""A job without an end logs in with the ticket of whoever started it.

## What it does
Reports `security.kerberos.login.contexts` (the logins for Kafka and ZooKeeper) without a keytab. Where
`security.kerberos.login.use-ticket-cache` is off as well there is nothing to log in with, and the contexts do nothing.

## Why it matters
Without a keytab Flink takes the ticket cache of the user who started the process. A ticket lives for some hours, and
its renewals end after days (`renew_lifetime`, often 7 d): then Kafka and ZooKeeper refuse the next connection, and a
job that ran for a week fails over and over. A pod or a container of YARN mostly has no such cache in the first place.

## What to do
Set `security.kerberos.login.keytab` and `security.kerberos.login.principal`; Flink then renews the login itself and
hands the keytab to its processes.

## Not when
The job ends (`execution.runtime-mode: BATCH`), or the configuration is a mere part. A principal without a keytab is
told by `kerberos-half`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/security/security-kerberos/#using-kinit-yarn-only>:
  the ticket cache limits how long a job may run; keytabs do not
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#security-kerberos-login-contexts>
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_CONTEXTS = "security.kerberos.login.contexts"
_CACHE = "security.kerberos.login.use-ticket-cache"
_HALVES = ("security.kerberos.login.keytab", "security.kerberos.login.principal")


@rule(
    code="FLK947",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_CONTEXTS],
    of_scale=True,
    flink=">=1.2",
    since="0.1",
)
def kerberos_ticket_cache(config: View) -> Iterator[Finding]:
    """a job without an end logs in with the ticket of whoever started it"""
    contexts, cache = config.get(_CONTEXTS), config.get(_CACHE)
    if not config.document.whole or not contexts.is_set or not contexts.is_known or not contexts.text.strip():
        return
    if any(config.is_set(half) for half in _HALVES):
        return
    if config.since("1.12") and config.string("execution.runtime-mode") != "STREAMING":
        return
    if cache.value is True:
        what = "log in with the ticket of whoever started the process: once it has run out, after days, the job fails"
    elif cache.value is False:
        what = "have nothing to log in with: there is neither a keytab nor the ticket cache"
    else:
        return
    yield contexts.finding(
        f"without a keytab {contexts.text.strip()} {what}",
        help=f"set {_HALVES[0]} and {_HALVES[1]}",
        related=[cache],
    )


_KAFKA = f"{_CONTEXTS}: KafkaClient\n"


def claims() -> list[Claim]:
    halves = f"{_HALVES[0]}: /etc/flink/keystore.jks\n{_HALVES[1]}: flink@EXAMPLE.COM\n"
    return [
        flink_uses("logins", _KAFKA, "useTicketCache", good=_KAFKA + halves),
        flink_uses("logins", f"{_KAFKA}{_CACHE}: false\n", "no login", good=f"{_KAFKA}{_CACHE}: false\n{halves}"),
    ]


def cases() -> list[Case]:
    return [
        bad(_KAFKA, at=_CONTEXTS, severity=Severity.WARNING, says="KafkaClient log in with the ticket"),
        bad(f"{_CONTEXTS}: Client,KafkaClient\n{_CACHE}: true\n", flink="1.13", says="Client,KafkaClient"),
        bad(f"{_KAFKA}{_CACHE}: false\n", says="nothing to log in with"),
        bad(_KAFKA, flink="1.9"),
        bad(_KAFKA, profile="development", severity=Severity.INFO),
        bad(f"{_KAFKA}execution.runtime-mode: STREAMING\n", flink="1.20"),
        good(f"{_KAFKA}execution.runtime-mode: BATCH\n", flink="1.20"),
        good(f"{_KAFKA}{_HALVES[0]}: /etc/flink.keytab\n{_HALVES[1]}: flink@EXAMPLE.COM\n"),
        good(f"{_KAFKA}{_HALVES[0]}: ${{KEYTAB}}\n", flink="1.18"),
        good(f"{_KAFKA}{_HALVES[1]}: flink@EXAMPLE.COM\n", flink="1.18"),
        good(f"{_CONTEXTS}: '{{{{ contexts }}}}'\n"),
        good(f"{_CONTEXTS}: ''\n"),
        good(f"{_KAFKA}{_CACHE}: '{{{{ cache }}}}'\n"),
        good(f"{_CACHE}: true\n"),
        good(f"SET '{_CONTEXTS}' = 'KafkaClient';\nCREATE TABLE t (a INT) WITH ('connector' = 'datagen');\n",
             file="job.sql"),
    ]  # fmt: skip
