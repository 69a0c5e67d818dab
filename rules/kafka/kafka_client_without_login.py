"""Kafka wants a login by Kerberos, and Flink's keytab is not for Kafka's client.

## What it does
Looks at clients of Kafka with `security.protocol` `SASL_PLAINTEXT` or `SASL_SSL`, the mechanism `GSSAPI` (which is the
default) and no `sasl.jaas.config`, in a project whose configuration of Flink has `security.kerberos.login.keytab`. It
reports those where `security.kerberos.login.contexts` does not name `KafkaClient`.

## Why it matters
Flink writes a JAAS configuration of its own for each process, with an entry for each context in that option, and none
by default. Kafka's client finds no entry of its name, and the job fails when it starts: `KafkaException: Failed to
construct kafka consumer`, caused by `Could not find a 'KafkaClient' entry in the JAAS configuration. System property
'java.security.auth.login.config' is /tmp/jaas-….conf`.

## What to do
Set `security.kerberos.login.contexts: Client,KafkaClient` (`Client` is ZooKeeper's), or give the client a
`sasl.jaas.config` of its own.

## Not when
A file that is not seen may set the properties or the option; another JAAS file is given to the JVM
(`java.security.auth.login.config`); no keytab is configured.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/security/security-kerberos/>: the contexts
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#security>: Kafka with Kerberos
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kafka._cases import READ, TOPIC, table
from flink_flint.rules.kafka._clients import more_properties, named, of_property

_KEYTAB = "security.kerberos.login.keytab"
_CONTEXTS = "security.kerberos.login.contexts"
_CLIENTS = ["element:kafka-source", "element:kafka-sink"]
_OWN_FILE = "java.security.auth.login.config"


@rule(
    code="FLK123",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_CLIENTS,
    scope="project",
    compares=[(_CLIENTS, [_KEYTAB])],
    since="0.1",
)
def kafka_client_without_login(project: Project) -> Iterator[Finding]:
    """Flink's keytab is not for Kafka's client, which wants a login by Kerberos"""
    logins = [view for view in project.views if view.is_set(_KEYTAB)]
    if not logins or any(_may_serve_kafka(view) for view in logins):
        return
    for view in project.views:
        for client in view.elements("kafka-source", "kafka-sink"):
            if _wants_kerberos(client):
                yield _finding(client, logins)


def _may_serve_kafka(view: View) -> bool:
    """Return whether Flink's JAAS configuration has an entry for Kafka, or the JVM may have another one."""
    contexts = view.get(_CONTEXTS)
    if contexts.is_set and (not contexts.is_known or "KafkaClient" in contexts.text):
        return True
    return any(_OWN_FILE in setting.text for setting in view.under("env.java.opts"))


def _wants_kerberos(client: ElementView) -> bool:
    if more_properties(client) or named(client, *of_property("sasl.jaas.config")):
        return False
    protocol, mechanism = (named(client, *of_property(name)) for name in ("security.protocol", "sasl.mechanism"))
    if protocol is None or (client.text(protocol) or "").strip().upper() not in ("SASL_PLAINTEXT", "SASL_SSL"):
        return False
    return mechanism is None or client.text(mechanism) == "GSSAPI"


def _finding(client: ElementView, logins: Sequence[View]) -> Finding:
    keytab, contexts = logins[0].get(_KEYTAB), logins[0].get(_CONTEXTS)
    what = f"{_CONTEXTS} is {contexts.text}" if contexts.is_set else f"{_CONTEXTS} is not set"
    return client.finding(
        f"Kafka's client logs in by Kerberos, and {what}: Flink's keytab is not for it, and the job fails with 'Could"
        " not find a 'KafkaClient' entry in the JAAS configuration'",
        of=named(client, *of_property("security.protocol")),
        key="security.protocol",
        help=f"set {_CONTEXTS}: Client,KafkaClient",
        related=[contexts if contexts.is_set else keytab],
    )


_SECURE = "'properties.security.protocol' = 'SASL_PLAINTEXT'"
_LOGIN = f"{_KEYTAB}: /etc/flink.keytab\nsecurity.kerberos.login.principal: flink@EXAMPLE.COM\n"


def cases() -> list[Case]:
    script = table("t", TOPIC, "'properties.group.id' = 'o'", _SECURE) + READ
    plain = table("t", TOPIC, _SECURE, "'properties.sasl.mechanism' = 'SCRAM-SHA-512'") + READ
    own = table("t", TOPIC, _SECURE, "'properties.sasl.jaas.config' = 'x required;'") + READ
    beside = {"conf/flink-conf.yaml": _LOGIN}
    return [
        bad(script, file="orders.sql", beside=beside, at="'SASL_PLAINTEXT'", says="is not set"),
        bad(
            script,
            file="orders.sql",
            beside={"conf/flink-conf.yaml": f"{_LOGIN}{_CONTEXTS}: Client\n"},
            says="contexts is Client:",
        ),
        good(script, file="orders.sql", beside={"conf/flink-conf.yaml": f"{_LOGIN}{_CONTEXTS}: Client,KafkaClient\n"}),
        good(script, file="orders.sql"),
        good(plain, file="orders.sql", beside=beside),
        good(own, file="orders.sql", beside=beside),
        good(
            script,
            file="orders.sql",
            beside={"conf/flink-conf.yaml": f"{_LOGIN}env.java.opts: -D{_OWN_FILE}=/etc/jaas.conf\n"},
        ),
    ]
