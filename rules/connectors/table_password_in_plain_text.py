"""The password of a table or catalog stands in the script.

## What it does
Reports literal values of the secret options of tables and catalogs in a SQL script: `password`,
`properties.sasl.jaas.config` with a password in it, `aws.credentials.basic.secretkey`, and whatever else Flink hides
by its name. Values everybody knows (`password`, `changeme`, `123456`) are advice.

## Why it matters
Whoever reads the repository has them. SHOW CREATE TABLE prints them, catalogs store them as they are, and from there
they get into logs and backups.

## What to do
Leave it to what runs the script: a variable that is filled in (`${DB_PASSWORD}`), or roles and mounted files instead
of passwords. Change one that was committed.

## Not when
The value comes from a template, names a file or vault, or is still to be filled in (`<<REPLACE>>`, `***`). Databases
on `localhost` are someone's own: advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/show/#show-create-table>: prints all options
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/GlobalConfiguration.java>:
  the keys Flink hides elsewhere
- <https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password>: why not in files
"""

import re
from collections.abc import Iterator

from flink_flint.linter.flink.secrets import describes_a_secret, is_known_to_all, is_secret, literal_secrets
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View

_OWN = r"(?i).*(?://|^|@)(?:localhost|127\.0\.0\.1)\b.*"
_KEY_ID = r"(?i).*access-?key(?:-?id)?"


@rule(
    code="FLK871",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table", "element:catalog"],
    of_scale=True,
    since="0.1",
)
def table_password_in_plain_text(config: View) -> Iterator[Finding]:
    """the password of a table or catalog stands in the script"""
    for part in config.elements("table", "catalog"):
        own = any(
            re.fullmatch(_OWN, part.text(f"with.{name}") or "")
            for name in ("url", "base-url", "hostname", "hosts", "uri", "properties.bootstrap.servers")
        )
        for name, attribute in part.under("with"):
            if not is_secret(name) or describes_a_secret(name) or not isinstance(attribute.value, str):
                continue
            secrets = literal_secrets(name, attribute.value)
            if not secrets or _is_id_of_pair(part, name):
                continue
            everybody = all(is_known_to_all(one) for one in secrets)
            who = "everybody knows it" if everybody else "all who read the script or SHOW CREATE TABLE have it"
            yield part.finding(
                f"{name} of {part.name} stands here in plain text: {who}",
                of=f"with.{name}",
                help="fill it in when the script is run (${DB_PASSWORD}), and change it if it was committed",
                severity=Severity.INFO if everybody or own else None,
                even_unused=True,
            )


def _is_id_of_pair(part: ElementView, name: str) -> bool:
    """Whether a key that looks secret is the id of a pair, whose other half is the secret."""
    return re.fullmatch(_KEY_ID, name) is not None and any("secret" in other for other, _ in part.under("with"))


_TABLE = "CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'url' = '%s', 'username' = 'u', 'password' = '%s');\n"
_DB = "jdbc:postgresql://db.internal/x"
_JAAS = (
    "CREATE TABLE k (id INT) WITH ('connector' = 'kafka', 'properties.sasl.jaas.config' =\n"
    "  'PlainLoginModule required username=\"u\" password=%s;');\n"
)
_LEFT_OPEN = (
    "<<REPLACE>>",
    "<password>",
    "[password]",
    "PLACEHOLDER",
    "***",
    "xxxx",
    "${DB_PASSWORD}",
    "vault:a/b",
    "",
)


def cases() -> list[Case]:
    return [
        bad(_TABLE % (_DB, "Hx93kd0s"), file="job.sql", flink="1.18", severity=Severity.WARNING,
            says="password of d stands here in plain text: all who read the script"),
        bad(_TABLE % (_DB, "123456"), file="job.sql", flink="1.18", severity=Severity.INFO, says="everybody knows it"),
        bad(_TABLE % ("jdbc:postgresql://localhost:5432/x", "Hx93kd0s"), file="job.sql", flink="1.18",
            severity=Severity.INFO),
        bad("CREATE CATALOG c WITH ('type' = 'jdbc', 'password' = 'Hx93kd0s');\n", file="job.sql", flink="1.18",
            severity=Severity.WARNING),
        bad("CREATE TABLE k (id INT) WITH ('connector' = 'kafka', 'properties.sasl.jaas.config' =\n"
            "  'PlainLoginModule required username=\"u\" password=\"Hx93kd0s\";');\n", file="job.sql", flink="1.18"),
        good(_TABLE % (_DB, "${DB_PASSWORD}"), file="job.sql", flink="1.18"),
        good(_TABLE % (_DB, "vault:flink/db#password"), file="job.sql", flink="1.18"),
        good("CREATE TABLE k (id INT) WITH ('connector' = 'kafka', 'properties.sasl.jaas.config' =\n"
             "  'com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true;');\n", file="job.sql",
             flink="1.18"),
        *(good(_JAAS % f'"{value}"', file="job.sql", flink="1.18") for value in _LEFT_OPEN),
        *(good(_TABLE % (_DB, value), file="job.sql", flink="1.18") for value in _LEFT_OPEN),
        bad(_JAAS % '"changeme"', file="job.sql", flink="1.18", severity=Severity.INFO, says="everybody knows it"),
        bad(_JAAS % "Hx93kd0s", file="job.sql", flink="1.18", severity=Severity.WARNING),
        bad(_JAAS.replace("password", "clientSecret") % '"Hx93kd0s"', file="job.sql", flink="1.18"),
        good("CREATE TABLE k (id INT) WITH ('connector' = 'kafka', 'properties.ssl.keystore.location' = '/a/b',\n"
             "  'value.secret-mode' = 'none');\n", file="job.sql", flink="1.18"),
        good("CREATE TABLE k (id INT) WITH ('connector' = 'kafka', 'value.format' = 'avro-confluent',\n"
             "  'value.avro-confluent.basic-auth.credentials-source' = 'USER_INFO',\n"
             "  'properties.sasl.oauthbearer.token.endpoint.url' = 'https://idp.internal/token',\n"
             "  'properties.oauth.token.client-id' = 'orders');\n", file="job.sql", flink="1.18"),
        bad("CREATE TABLE k (id INT) WITH ('connector' = 'kafka', 'value.format' = 'avro-confluent',\n"
            "  'value.avro-confluent.basic-auth.user-info' = 'u:Hx93kd0s');\n", file="job.sql", flink="1.18"),
        bad(_TABLE % (_DB, "${DB_PASSWORD}") + _TABLE % (_DB, "Hx93kd0s"), file="job.sql", profile="development",
            severity=Severity.INFO),
        bad("CREATE TABLE t (id INT) WITH ('username' = '${U}', 'secret-key' = '${S}', 'password' = 'Hx93kd0s');\n",
            file="job.sql"),
        good("CREATE TABLE t (id INT) WITH ('access-key' = 'AKIAIOSFODNN7EXAMPLE', 'secret-key' = '${S}');\n",
             file="job.sql"),
    ]  # fmt: skip
