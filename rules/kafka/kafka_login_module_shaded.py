"""The login module is named as Kafka names it, but SQL's Kafka jar has it under another name.

## What it does
Reports a SQL table whose `properties.sasl.jaas.config` names a class below `org.apache.kafka.`.

## Why it matters
`flink-sql-connector-kafka`, the jar one puts into `lib` for SQL, holds Kafka's client under
`org.apache.flink.kafka.shaded.org.apache.kafka.`. The login then fails with *"unable to find LoginModule class"* or
*"No LoginModules configured"*.

## What to do
Write `org.apache.flink.kafka.shaded.` before the class.

## Not when
The job brings Kafka's client in a jar of its own (`flink-connector-kafka` with `kafka-clients`). Modules of others
(AWS MSK's `software.amazon.msk.…`, the JDK's `com.sun.security.…`) keep their names.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#security>: the shaded name
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._cases import READ, TOPIC, table
from flink_flint.rules.kafka._tables import tables, text

_OPTION = "properties.sasl.jaas.config"
_SHADED = "org.apache.flink.kafka.shaded."


@rule(
    code="FLK818",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:table"],
    flink=">=1.12",
    since="0.1",
)
def kafka_login_module_shaded(config: View) -> Iterator[Finding]:
    """the login module has another name in SQL's Kafka jar"""
    for found in tables(config, "kafka", "upsert-kafka"):
        match = re.match(r"\s*(org\.apache\.kafka\.[\w.$]+)", text(found, _OPTION) or "")
        if match:
            yield found.finding(
                f"flink-sql-connector-kafka has {match[1].rpartition('.')[2]} under another package name: the login"
                " finds no such module",
                of=f"with.{_OPTION}",
                help=f"write {_SHADED}{match[1]}, unless the job brings kafka-clients itself",
            )


_SASL = "'properties.security.protocol' = 'SASL_SSL', 'properties.sasl.mechanism' = 'PLAIN'"
_PLAIN = 'common.security.plain.PlainLoginModule required username="u" password="secret";\''


def cases() -> list[Case]:
    return [
        bad(table("t", TOPIC, _SASL, f"'{_OPTION}' = 'org.apache.kafka.{_PLAIN}") + READ, file="orders.sql",
            says="PlainLoginModule"),
        bad(table("t", "'topic' = 'orders', 'key.format' = 'json', 'value.format' = 'json'", _SASL,
                  f"'{_OPTION}' = 'org.apache.kafka.{_PLAIN}", connector="upsert-kafka",
                  columns="id STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED") + READ, file="orders.sql"),
        good(table("t", TOPIC, _SASL, f"'{_OPTION}' = '{_SHADED}org.apache.kafka.{_PLAIN}") + READ, file="orders.sql"),
        good(table("t", TOPIC, _SASL, f"'{_OPTION}' = 'software.amazon.msk.auth.iam.IAMLoginModule required;'") + READ,
             file="orders.sql"),
        good(table("t", TOPIC) + READ, file="orders.sql"),
    ]  # fmt: skip
