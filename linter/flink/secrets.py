"""Detection of secrets: keys with secret values, and texts that look like secrets.

There are two criteria. Rules use `is_secret`: what Flink itself hides, and access keys. The output of flint is masked
by `may_be_secret`, which also knows the names of other products and misspelled ones: hiding too much costs a reader a
value, hiding too little leaks a credential.
"""

from __future__ import annotations

import re
from functools import lru_cache

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

HIDDEN = "******"
"""The text that replaces a secret value; Flink prints the same text."""

_FLINK_HIDES = (
    "password", "secret", "fs.azure.account.key", "apikey", "api-key", "auth-params", "service-key",
    "token", "basic-auth", "jaas.config", "http-headers",
)  # fmt: skip
"""Parts of keys that `GlobalConfiguration.isSensitive` looks for, in any release from 1.9 to 2.3."""

_ALSO_SECRET = ("access-key", "access.key", "accesskey", "private-key", "passphrase")

_PARTS = (*_FLINK_HIDES, *_ALSO_SECRET, "passwd")
_LAST_WORDS = frozenset(("pass", "pwd", "passcode", "pw", "psw", "credential", "credentials"))
"""Words that denote a secret only as the last word (`DB_PASS`, not `passive` or `credentials.provider`)."""
_MISSPELLED = ("password", "passphrase", "passwd", "secret", "token")
"""Words that denote a secret even with a letter missing, doubled, wrong or swapped with the next one."""
_QUALIFIERS = ("access", "account", "api", "auth", "encryption", "master", "private", "secret", "service", "shared",
               "signing", "storage")  # fmt: skip
"""Words after which the word "key" denotes a secret."""
_TWO_WRONG = 8
"""From this number of letters on, two letters may be wrong."""

_WORD = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""A word of a name, also of one in camel case."""


@lru_cache(maxsize=50_000)
def is_secret(key: str) -> bool:
    """Return whether a key is known to have a secret value: some Flink release hides it, or it is an access key."""
    lowered = key.lower()
    return any(word in lowered for word in (*_FLINK_HIDES, *_ALSO_SECRET))


_DESCRIBED = regex(
    r"(?i)(?:file|path|location|dir|directory|folder|provider|class|type|kind|enabled?|algorithm|timeout|interval|mode"
    r"|source|name|alias|ur[il]|endpoint|issuer|audience|scope|realm|policy|strategy|method|format|encoding|length"
    r"|expiry|expiration|ttl|duration|lifetime|backoff|delay|version|(?<!key)(?<!secret)[-._]id)$"
)
"""Matches keys that end with what their value says of a secret: where it is, of which kind, or how long it lasts."""


def describes_a_secret(key: str) -> bool:
    """Return whether the value of a key with the name of a secret only describes one (`basic-auth.credentials-source`).

    Flink hides such values as well, and so does the output of flint.
    """
    return _DESCRIBED.search(key) is not None


_REFERENCE = (
    r"(?i)/.*|(?:file|vault|ref\+\w+|op|secret|arn|aws-sm|gcp-sm|azure-kv|keyvault):.*|ENC[\[(].*|true|false|null|none|"
)
"""Matches values that name a secret or say something about it."""
_LEFT_OPEN = (
    r"(?i)<.*>|\[[a-z][\w -]*\]|[*.\u2022\u2026]+|x{3,}|_{3,}|#{3,}|-{3,}"
    r"|(?:to[-_ ]?be[-_ ]?)?(?:placeholder|replaced?|redacted|masked|hidden|removed|omitted)"
    r"(?:[-_ ](?:me|it|this|password|secret|value|token|key|here))*"
)
"""Matches values to fill in, and masks of values that were removed; nobody's secret looks like them."""
_KNOWN_TO_ALL = (
    r"(?i)(?:minio|minioadmin|minio123|minio-?secret\w*|minio_?password|change-?me|changeit|password|passw0rd|secret|"
    r"admin|admin123|root|test\w*|example\w*|dummy\w*|your[-_ ]?\w*|my[-_]?password|my-?secret|1234\d*|guest|foobar|"
    r"flink\w*|mysql\w*|debezium|postgres|dbz|localstack)"
)
_IN_JAAS = (
    r"(?i)(?:password|client_?secret)\s*=\s*\\?(?:\"(?P<double>[^\"\\]*)|'(?P<single>[^'\\]*)|(?P<bare>[^\s;\"'\\]+))"
)


def literal_secrets(key: str, value: str) -> list[str]:
    """Return the secrets that the value of a key has in plain text: itself, or the passwords of a JAAS entry.

    References to secrets and placeholders are none.
    """
    value = value.strip()
    found = [value]
    if key.endswith("jaas.config"):
        found = [match[match.lastgroup or 0].strip() for match in re.finditer(_IN_JAAS, value)]
    return [
        one
        for one in found
        if not (is_templated(one) or re.fullmatch(_REFERENCE, one) or re.fullmatch(_LEFT_OPEN, one))
    ]


def is_known_to_all(secret: str) -> bool:
    """Return whether a secret is one that everybody knows, such as ``changeme``."""
    return re.fullmatch(_KNOWN_TO_ALL, secret) is not None


def is_secret_field(name: str) -> bool:
    """Return whether a field of a resource, container or call may be secret; one that only names a Secret is not."""
    return may_be_secret(name) and re.search(r"secret(?:(?:Key)?Ref\.\w+|Name)$", name) is None


@lru_cache(maxsize=50_000)
def may_be_secret(name: str) -> bool:
    """Return whether the name of a key, variable, field or parameter suggests a secret value that must be hidden."""
    if is_secret(name):
        return True
    words = [match[0].lower() for match in _WORD.finditer(name)]
    return any(
        _is_secret_word(word)
        or (word in _LAST_WORDS and place == len(words) - 1)
        or (word in ("key", "keys") and place > 0 and _is_qualifier(words[place - 1]))
        or (word.endswith(("key", "keys")) and _is_qualifier(word.rstrip("s")[:-3]))
        for place, word in enumerate(words)
    )


@lru_cache(maxsize=50_000)
def hints_at_a_secret(word: str) -> bool:
    """Return whether a run of letters may be part of the name of a secret (a cheap test before `may_be_secret`)."""
    lowered = word.lower()
    return lowered.endswith(("key", "keys")) or may_be_secret(word) or lowered in _CONTINUED


_CONTINUED = frozenset(("jaas", "http", "basic", "auth", "service"))
"""First words of parts that have several (`jaas.config`)."""


@lru_cache(maxsize=50_000)
def _is_secret_word(word: str) -> bool:
    if any(part in word for part in _PARTS):
        return True
    return any(
        _is_misspelled(word, right, 2 if len(right) >= _TWO_WRONG else 1)
        # in `keystorepasword` it is at the end
        or any(_is_misspelled(word[-size:], right, 1) for size in range(len(right) - 1, min(len(right) + 2, len(word))))
        for right in _MISSPELLED
    )


@lru_cache(maxsize=50_000)
def _is_qualifier(word: str) -> bool:
    return any(word.endswith(right) or (len(right) > 5 and _is_misspelled(word, right, 1)) for right in _QUALIFIERS)


def _is_misspelled(word: str, right: str, errors: int) -> bool:
    """Return whether a word is another one with at most `errors` letters missing, doubled, wrong or swapped."""
    if abs(len(word) - len(right)) > errors or len(word) < len(right) - 1 or not word or word[0] != right[0]:
        return False
    if len(right) <= 5 and len(word) == len(right):
        return sorted(word) == sorted(right)  # "toekn" is a misspelled "token", "taken" is not
    return not _shortened(word, errors).isdisjoint(_shortened(right, errors))


@lru_cache(maxsize=1_000)
def _shortened(word: str, letters: int) -> frozenset[str]:
    """Return the word and its variants with up to `letters` letters removed."""
    found = {word}
    for _ in range(letters):
        found |= {one[:place] + one[place + 1 :] for one in found for place in range(len(one))}
    return frozenset(found)


# -- values that look like secrets

_LOOK = (
    # user:password@host behind a scheme; a port and a path are no password
    r"://[^\s/:@'\"<>]{0,200}:(?!\d{1,5}[/?#,])(?P<userinfo>[^\s'\"<>]{1,300})@(?=[\w\[-])"
    # the same without a scheme: not an image with its digest, not a mail address
    r"|(?<![\w/@.$}:-])(?!mailto:)[A-Za-z][\w.+-]{0,64}:(?P<bare>[^\s:/@'\"<>,]{3,200})@(?!sha\d+:)(?=[\w\[])"
    # a token alone as the user of an address
    r"|://(?P<user>(?=[^\s/:@'\"<>]{0,200}\d)[^\s/:@'\"<>.]{16,200})@"
    r"|[?&;](?i:sig|signature|x-amz-signature|x-amz-credential|x-amz-security-token|x-goog-signature)="
    r"(?P<signature>[^&\s'\"<>]{4,500})"
    r"|(?P<key>\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,255}|\bgithub_pat_\w{22,255}"
    r"|\bglpat-[\w-]{20,200}|\bxox[abprs]-[A-Za-z0-9-]{10,200}|\bAIza[\w-]{35}|\bsk_live_\w{16,200}"
    r"|\bhooks\.slack\.com/services/[\w/]{20,200}"
    r"|\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{1,2000}"
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:[\s\\nr]{0,6}[A-Za-z0-9+/=]{1,200}){0,400})"
)
_LOOK_MARKS = (
    *("@", "sig", "x-amz-", "akia", "asia", "eyj", "private key", "glpat-", "github_pat", "aiza", "sk_live"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xox", "hooks.slack"),
)
"""Every text that `_LOOK` matches contains one of these (in lower case)."""


def looks(text: str) -> list[Span]:
    """Return the spans of everything in `text` that looks like a secret."""
    lowered = text.lower()
    if not any(mark in lowered for mark in _LOOK_MARKS):
        return []
    return [Span(*match.span(match.lastgroup or 0)) for match in re.finditer(_LOOK, text)]


_NAMED = (
    r"(?i:password|passwd|pwd|accountkey|secret[_-]?key|access[_-]?token)[ \t]{0,9}=[ \t]{0,9}"
    r"(?P<named>\"[^\"\r\n]{1,500}\"|'[^'\r\n]{1,500}'|[^\s;&,\"']{3,500})"
)
_NAMED_MARKS = ("passw", "pwd", "accountkey", "secret", "token")
"""Every text that `_NAMED` matches contains one of these, without regard to case: most runs need not compile it."""


def credential(value: str) -> Span | None:
    """Return the span of the first part of a value that looks like a credential; None if there is none.

    This is the password of a URL, `password=` and the like in a connection string or a JVM option, an AWS access key, a
    token of GitHub or Slack, a JSON web token, or a private key. The key does not matter.
    """
    found = looks(value)
    folded = value.casefold()
    may_be_named = "=" in value and any(mark in folded for mark in _NAMED_MARKS)
    named = re.search(_NAMED, value) if may_be_named else None
    return min([*found, *([Span(*named.span("named"))] if named else [])], default=None)
