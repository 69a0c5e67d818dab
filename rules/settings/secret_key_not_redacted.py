"""A value looks like a credential, and Flink prints it.

## What it does
Flink replaces a value by `******` in its log, in the web interface and in the answer of
`/jobmanager/config` only if the key contains one of a few words: `password`, `secret`, `fs.azure.account.key`
in every release; `apikey` from 1.11 on; `auth-params`, `service-key`, `token`, `basic-auth` and `jaas.config`
from 1.17 on; `http-headers` from 1.19 on; `api-key` from 2.1 on (latest patches). The rule reports values that
look like a credential under any other key: a password inside a URL or a connection string, an AWS access key,
a token, a private key. A literal value of at least 8 characters, a digit among them, under a key that only a later
release hides is reported too.

## Why it matters
Each process prints all its settings when it starts, and whoever may open the web interface may read them.
Logs are kept for years and copied to places where nobody expects a password.

## What to do
Keep the credential out of the value: mount it as a file, use roles (IAM, workload identity) or the
environment. If the key is a parameter of your own, give it a name that contains `secret` or `password`.

## Not when
- A template or a variable stands in place of the credential.
- The key contains one of the words above for the release at hand.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-30443>: the words that 1.17 added
- <https://issues.apache.org/jira/browse/FLINK-20055>: `apikey`
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/GlobalConfiguration.java>:
  the list
"""

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.secrets import credential
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import Setting, View

ALWAYS_HIDDEN = ("password", "secret", "fs.azure.account.key")
HIDDEN_SINCE = {
    "apikey": "1.11",
    "auth-params": "1.17",
    "service-key": "1.17",
    "token": "1.17",
    "basic-auth": "1.17",
    "jaas.config": "1.17",
    "http-headers": "1.19",
    "api-key": "2.1",
}
"""Parts of keys whose values Flink hides, and the first release that does."""


@rule(
    code="FLK042",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    since="0.1",
    scope="key",
    thresholds={"shortest": Threshold(8, "length from which a literal counts under a key that later releases hide")},
)
def secret_key_not_redacted(config: View, setting: Setting) -> Iterator[Finding]:
    """a value looks like a credential, and Flink prints it"""
    key, text = setting.written.lower(), setting.text
    if any(word in key for word in ALWAYS_HIDDEN):
        return
    place = credential(text)
    words = [word for word in HIDDEN_SINCE if word in key]
    if place is not None and is_templated(text[place.start : place.end]):
        return
    if place is None and not (words and _looks_secret(words, text, config.threshold("shortest"))):
        return
    if any(config.since(HIDDEN_SINCE[word]) for word in words):
        return
    later = f" (it hides it from {HIDDEN_SINCE[words[0]]} on)" if words else ""
    yield setting.finding(
        f"the value of {setting.written} looks like a credential, and Flink shows it in logs and web interface{later}",
        at="key",
        help="mount the credential as a file or use a role; Flink hides a parameter whose key contains `secret`",
    )


def _looks_secret(words: list[str], text: str, shortest: float) -> bool:
    """Whether the value of a key that later releases hide is more than a switch, a number or a class name."""
    if is_templated(text) or len(text) < shortest or not any(char.isdigit() for char in text):
        return False
    return words != ["token"] or (not any(char in text for char in "./ ") and any(char.isalpha() for char in text))


def cases() -> list[Case]:
    return [
        bad(
            "env.java.opts.all: -Djavax.net.ssl.trustStorePassword=hunter22\n",
            at="env.java.opts.all",
            severity=Severity.INFO,
        ),
        bad(
            "myapp.jdbc.url: jdbc:mysql://db/x?user=a&password=hunter22\nparallelism.default: 2\n",
            at="myapp.jdbc.url",
            flink="1.18",
        ),
        bad("myapp.mongo: mongodb://user:hunter22@db:27017/x\nparallelism.default: 2\n", at="myapp.mongo"),
        bad("s3.access-key: AKIAIOSFODNN7EXAMPLE\nparallelism.default: 2\n", at="s3.access-key"),
        bad("metrics.reporter.dd.apikey: 0123456789abcdef\nparallelism.default: 2\n", flink="1.9", says="from 1.11 on"),
        good("s3.secret-key: AKIAIOSFODNN7EXAMPLE\nsecurity.ssl.rest.key-password: password=hunter22\n", flink="1.18"),
        good("metrics.reporter.dd.apikey: 0123456789abcdef\nparallelism.default: 2\n", flink="1.18"),
        good(
            "myapp.jdbc.url: jdbc:mysql://db/x?user=a&password=${PASSWORD}\nmyapp.url: http://host:8080/a@b\n",
            flink="1.18",
        ),
        good(
            "security.delegation.tokens.enabled: false\nsecurity.delegation.tokens.renewal.time-ratio: 0.75\n",
            flink="1.16",
        ),
        bad("metrics.reporter.dd.apikey: abcdefg8\nparallelism.default: 2\n", flink="1.9"),
        good("metrics.reporter.dd.apikey: abcdef8\nparallelism.default: 2\n", flink="1.9"),
        good("metrics.reporter.dd.apikey: abcdefghi\nparallelism.default: 2\n", flink="1.9"),
        good("metrics.reporter.dd.apikey: ${API_KEY_1}\nparallelism.default: 2\n", flink="1.9"),
        bad("metrics.reporter.dd.apikey: a.b/cdef8\nparallelism.default: 2\n", flink="1.9"),
        bad("myapp.token: abcdefg8\nparallelism.default: 2\n", flink="1.16"),
        good("myapp.token: /run/token8\nparallelism.default: 2\n", flink="1.16"),
        good("myapp.token: 123456789\nparallelism.default: 2\n", flink="1.16"),
        good("fs.azure.account.key.acme: jdbc:mysql://db/x?user=a&password=hunter22\n", flink="1.16"),
    ]
