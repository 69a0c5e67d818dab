"""A password, key or token stands in the file as it is.

## What it does
Reports a literal value of a key that Flink itself hides when it prints its configuration (`password`, `secret`,
`token`, `apikey`, ... in the key). Values everybody knows (`minioadmin`, `changeme`, `password`, ...) are advice.

## Why it matters
Whoever reads the repository, its backups or the image has the secret, and after a leak all of them have to be
searched. Flink hides such values in its log and its web page only if the key tells it to.

## What to do
Leave it to the environment: IAM roles or service accounts instead of S3 keys, a Kubernetes Secret mounted as a file or
variable, a template that the deployment fills in (`${S3_SECRET_KEY}`). Change a secret that was committed.

## Not when
The value comes from a template, names a file, refers to a vault, or is still to be filled in (`<<REPLACE>>`); the
option is a switch, a number or a duration; the key names Kubernetes Secrets (`kubernetes.secrets`,
`kubernetes.container.image.pull-secrets`); a JAAS entry has no password. An access key id beside its secret key is
not reported a second time, and without it, it is advice. Credentials under keys that Flink does not hide, such as
`env.java.opts`, are the business of `secret-key-not-redacted`. On a single development machine the finding is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/s3/#configure-access-credentials>:
  roles rather than keys
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/GlobalConfiguration.java>:
  the keys Flink hides
- <https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password>: why not in files
"""

import re
from collections.abc import Iterator

from flink_flint.linter.flink.secrets import describes_a_secret, is_known_to_all, is_secret, literal_secrets
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex

_NAMES_A_SECRET = (
    *("kubernetes.secrets", "kubernetes.env.secretKeyRef", "security.delegation.", "yarn.security."),
    *("kubernetes.container.image.pull-secrets", "security.kerberos.fetch.delegation-token"),
)
_ACCESS_KEY = regex(r"(?<!secret)(?<!secret[._\-])access[._\-]?key(?:[._\-]?id)?$", re.I)
_NUMBER = r"\d{1,4}"
_TYPES = ("String", "List<String>", "Map", "Map<String>")


@rule(
    code="FLK945",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    of_scale=True,
    always=True,
    when=["element:kubernetes-object", "element:container"],
    flink=">=1.0",
    since="0.1",
)
def plaintext_secret(config: View) -> Iterator[Finding]:
    """a password, key or token stands in the file as it is"""
    for key in config.document.effective:
        if is_secret(key) and not key.startswith(_NAMES_A_SECRET) and not describes_a_secret(key):
            yield from _in_value(config, config.written(key))


def _in_value(config: View, setting: Setting) -> Iterator[Finding]:
    if not setting.is_known or not _holds_secret(config, setting):
        return
    secrets = literal_secrets(setting.written, setting.text)
    if not secrets:
        return
    is_advice = True
    if all(is_known_to_all(one) for one in secrets):
        what = "and is one that everybody knows"
    elif _ACCESS_KEY.search(setting.written) is not None:
        what = "and is half of a pair of keys"
    else:
        is_advice, what = False, "for all who read the file, its history or an image of it"
    yield setting.finding(
        f"the value of {setting.written} stands here in plain text, {what}",
        help="take it from a role, a Kubernetes Secret or a variable such as ${SECRET}; change it if it was committed",
        severity=Severity.INFO if is_advice else None,
    )


def _holds_secret(config: View, setting: Setting) -> bool:
    """Whether the value is itself the secret: not a switch about it, and not the mere id of a pair of keys."""
    if setting.option is not None and setting.option.type not in _TYPES:
        return False
    if re.fullmatch(_NUMBER, setting.text.strip()):
        return False
    match = _ACCESS_KEY.search(setting.written)
    if match is not None:
        # The id of a pair; its secret half is what is reported.
        prefix = setting.written[: match.start()]
        return not any("secret" in other.written for other in config.under(prefix) if other.written != setting.written)
    return True


_JAAS = "properties.sasl.jaas.config: org.apache.kafka.common.security.plain"


def cases() -> list[Case]:
    return [
        bad("s3.secret-key: wJalrXUtnFEMIK7MDENG\n", at="s3.secret-key", flink="1.18", severity=Severity.WARNING),
        bad("s3.access-key: AKIAIOSFODNN7\ns3.secret-key: wJalrXUtnFEMIK7MDENG\n", at="s3.secret-key", flink="1.18"),
        bad("security.ssl.rest.key-password: Hx93kd0s\n", at="security.ssl.rest.key-password"),
        bad("security.ssl.key-password: Hx93kd0s\n", flink="1.7.2"),
        bad("s3.secret-key: minioadmin\n", flink="1.18", severity=Severity.INFO),
        good("env.java.opts: -Djavax.net.ssl.keyStorePassword=Hx93kd0s\n", flink="1.18"),
        bad("s3.secret-key: wJalrXUtnFEMIK7M\n", flink="1.18", profile="development", severity=Severity.INFO),
        good("s3.secret-key: ${S3_SECRET_KEY}\n", flink="1.18"),
        good("s3.secret-key: xxxxxx\n", flink="1.18"),
        good("s3.secret-key: {{ .Values.secret }}\n", flink="1.18"),
        good("security.ssl.rest.key-password: vault:flink/ssl#password\n"),
        good(
            "properties.sasl.jaas.config: com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true;\n",
            flink="1.18",
        ),
        good("kubernetes.secrets: flink-ssl:/etc/ssl\n"),
        good("kubernetes.container.image.pull-secrets: registry-login;other-registry\n"),
        good("kubernetes.env.secretKeyRef: env:PASSWORD,secret:flink,key:password\n"),
        good("security.delegation.tokens.renewal.retry.backoff: 1 h\nparallelism.default: 4\n"),
        good("security.kerberos.fetch.delegation-token: false\n", flink="1.14"),
        good("fs.s3a.aws.credentials.provider: com.amazonaws.auth.WebIdentityTokenCredentialsProvider\n", flink="1.18"),
        bad(f'{_JAAS}.PlainLoginModule required username="flink" password="Hx93kd0s";\n', flink="1.18"),
        *(
            good(f'{_JAAS}.PlainLoginModule required username="flink" password="{value}";\n', flink="1.18")
            for value in ("<<REPLACE>>", "***", "xxxx", "[password]", "${PASSWORD}")
        ),
        bad(f'{_JAAS}.PlainLoginModule required username="flink" password="changeme";\n', flink="1.18",
            severity=Severity.INFO, says="everybody knows"),
        bad("secret.access-key: AKIAIOSFODNN7\n", flink="1.18"),
        bad("s3.access-key: AKIAIOSFODNN7\n", flink="1.18", severity=Severity.INFO, says="half of a pair"),
        good("my.password.file: key.txt\n", flink="1.18"),
        good("fs.azure.account.oauth2.token.endpoint: https://login.example.org/tenant\n", flink="1.18"),
        good("security.ssl.rest.key-password: /run/secrets/key\n"),
        good("my.password: true\n", flink="1.18"),
    ]  # fmt: skip
