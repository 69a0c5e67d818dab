"""Half of a Kerberos login is configured.

## What it does
Reports `security.kerberos.login.keytab` without `security.kerberos.login.principal` (an error), and the principal
without the keytab (a warning).

## Why it matters
With a keytab alone no process starts: `Kerberos login configuration is invalid: keytab requires a principal`, and from
1.16 on with either half alone: `either both keytab and principal must be defined, or neither`. Up to 1.15 Flink with a
principal alone does not log in with it and takes the ticket cache of whoever started the process, if there is one; its
ticket ends after a day or so, and the job loses HDFS or Kafka with it.

## What to do
Set both, or neither and rely on the ticket cache (`security.kerberos.login.use-ticket-cache`), which suits short jobs.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/security/security-kerberos/>:
  keytab or ticket cache
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#auth-with-external-systems>: the options
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_KEYTAB = "security.kerberos.login.keytab"
_PRINCIPAL = "security.kerberos.login.principal"


@rule(
    code="FLK946",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_KEYTAB, _PRINCIPAL],
    flink=">=1.2",
    since="0.1",
)
def kerberos_half(config: View) -> Iterator[Finding]:
    """of keytab and principal only one is set"""
    keytab, principal = config.get(_KEYTAB), config.get(_PRINCIPAL)
    if keytab.is_set and keytab.is_known and not config.is_set(_PRINCIPAL):
        yield keytab.finding(
            f"a keytab without {_PRINCIPAL}: no process of Flink starts",
            help=f"set {_PRINCIPAL} to the name the keytab was made for",
        )
    elif principal.is_set and principal.is_known and not config.is_set(_KEYTAB):
        refused = config.since("1.16")
        yield principal.finding(
            f"a principal without {_KEYTAB}: "
            + (
                "no process of Flink starts"
                if refused
                else "Flink falls back to the ticket cache, whose ticket runs out"
            ),
            help=f"set {_KEYTAB} to a file that every process can read",
            severity=None if refused else Severity.WARNING,
        )


def cases() -> list[Case]:
    return [
        bad(f"{_KEYTAB}: /etc/flink.keytab\n", at=_KEYTAB, flink="1.14", severity=Severity.ERROR),
        bad("security.keytab: /etc/flink.keytab\n", at=_KEYTAB, flink="1.9"),
        bad(f"{_PRINCIPAL}: flink@EXAMPLE.COM\n", at=_PRINCIPAL, severity=Severity.ERROR),
        bad(f"{_PRINCIPAL}: flink@EXAMPLE.COM\n", at=_PRINCIPAL, severity=Severity.WARNING, flink="1.15"),
        good(f"{_KEYTAB}: /etc/flink.keytab\n{_PRINCIPAL}: flink@EXAMPLE.COM\n", flink="1.14"),
        good("security.kerberos.login.use-ticket-cache: true\n", flink="1.14"),
        good(f"{_KEYTAB}: {{{{ keytab }}}}\n", flink="1.14"),
        good(f"{_PRINCIPAL}: {{{{ principal }}}}\n", flink="1.14"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "Kerberos", "security.kerberos.login.keytab: /etc/flink.keytab\n", good="parallelism.default: 1\n"
        ),
        flink_refuses("Kerberos", "security.kerberos.login.principal: flink\n", good="parallelism.default: 1\n"),
    ]
