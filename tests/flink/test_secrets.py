"""Recognizing and hiding secrets."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.flink.file_loading import read_flink_conf
from flink_flint.linter.flink.secret_places import secret_spans
from flink_flint.linter.flink.secrets import HIDDEN, describes_a_secret, is_secret, is_secret_field, may_be_secret
from flink_flint.linter.model import masking
from flink_flint.linter.model.masking import Mask
from flink_flint.linter.text.spans import Lines, Span


@pytest.mark.parametrize(
    "key",
    [
        *("s3.secret-key", "s3.access-key", "fs.s3a.access.key", "security.ssl.internal.keystore-password"),
        *("fs.azure.account.key.x.blob.core.windows.net", "metrics.reporter.dd.apikey", "rest.BASIC-AUTH"),
        *("security.kerberos.token", "properties.sasl.jaas.config"),
    ],
)
def test_secret_keys(key: str) -> None:
    assert is_secret(key)


@pytest.mark.parametrize(
    "key", ["blob.storage.directory", "s3.endpoint", "jobmanager.rpc.address", "high-availability"]
)
def test_other_keys(key: str) -> None:
    assert not is_secret(key)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "db.passwrod",
            "db_pasword",
            "DB_PSSWORD",
            "passprhase",
            "pasphrase",
            "dbPasswdd",
            "api.toekn",
            "client-secrt",
        ),
        *("keystorepasword", "keystorePassword", "sercet"),
    ],
)
def test_a_misspelled_name_of_a_secret_is_recognized(name: str) -> None:
    assert may_be_secret(name)


@pytest.mark.parametrize("name", ["taken", "path", "world", "passenger", "sector", "broken", "passive"])
def test_a_word_that_is_only_like_the_name_of_a_secret_is_none(name: str) -> None:
    assert not may_be_secret(name)


def mask_of(text: str) -> Mask:
    return Mask(text, [(e.key, e.value_span, e.text) for e in read_flink_conf(text).entries])


@pytest.mark.parametrize(
    "text",
    [
        "s3.secret-key: hush-7f3a\n",
        "# s3.secret-key: hush-7f3a\n",
        "s3.secret-key:hush-7f3a\n",
        "s3.secret-key=hush-7f3a\n",
        "env.java.opts: -Djavax.net.ssl.keyStorePassword=hush-7f3a -Xmx1g\n",
        "rest.password: ab#hush-7f3a\n",
    ],
)
def test_no_line_and_no_message_shows_a_secret_anywhere(text: str) -> None:
    mask = mask_of(text)
    line = Lines(text).span(1)
    shown, start, end = mask.line(text, line, line)
    assert "hush-7f3a" not in shown
    assert HIDDEN in shown
    assert (start, end) == (0, len(shown))
    assert "hush-7f3a" not in mask("it says hush-7f3a there")


@given(st.integers(0, 30), st.integers(0, 30))
def test_marks_move_with_what_is_hidden(start: int, length: int) -> None:
    text = "s3.secret-key: abcdefghijkl  # so"
    shown, left, right = mask_of(text).line(text, Span(0, len(text)), Span(start, min(start + length, len(text))))
    assert 0 <= left <= right <= len(shown)


def test_a_text_without_secrets_is_left_alone() -> None:
    text = "parallelism.default: 2\n"
    assert mask_of(text).spans == []
    assert mask_of(text)(text) == text


def test_a_secret_behind_another_on_its_line_is_hidden_in_messages_too() -> None:
    mask = Mask('{"s3.secret-key": "8081", "password": "hush-7f3a", "url": "jdbc:x://u:hash-9c1b@db/o"}', [])
    assert "hash-9c1b" not in mask("it is jdbc:x://u:hash-9c1b@db/o")


def test_the_first_member_of_a_list_of_secrets_is_hidden_in_messages_too() -> None:
    assert "hush-7f3a" not in Mask("passwords: [hush-7f3a, x]\n", [])("it is hush-7f3a")


@pytest.mark.parametrize(
    "text",
    [
        "secretKeyRef: {name: s3, key: secret}",
        "secretKeyRef:\n  name: s3-credentials\n  key: secret-key-of-s3\n",
        "secret:\n  secretName: flink-keystore\n",
        '{"secret": {"secretName": "flink-keystore"}}',
        "envFrom:\n- secretRef:\n    name: flink-environment\n",
    ],
)
def test_the_name_of_a_secret_is_none(text: str) -> None:
    assert secret_spans(text, ()) == []


@pytest.mark.parametrize(
    "text",
    [
        "kubernetes.env.secretKeyRef: env:KEY,secret:store,key:hunter2",
        "secretnames: hunter2",
        "secret:\n  hunter2\n",
        "my-secretName-key: hunter2",
    ],
)
def test_what_only_looks_like_a_name_is_hidden(text: str) -> None:
    (span,) = secret_spans(text, ())
    assert "hunter2" in text[span.start : span.end]


@pytest.mark.parametrize(
    "text",
    [
        *("password must be set", "# password is required here", "password string", "password STRING, b INT"),
        *("password VARCHAR(20), b INT", "password varchar(64)", "`password` VARCHAR(200) NOT NULL,"),
        *("(a INT, password VARCHAR(200))", "token DECIMAL(10, 2)", "token TIMESTAMP_LTZ(3) METADATA"),
    ],
)
def test_a_sentence_or_the_type_of_a_column_after_a_bare_name_is_no_secret(text: str) -> None:
    assert secret_spans(text, ()) == []


@pytest.mark.parametrize(
    "text",
    [
        *("password Correct-Horse", "s3.secret-key must not be shown", "db.password string"),
        *("password varchar(64)x", "password char(hunter2)"),
    ],
)
def test_the_rest_of_a_line_after_the_name_of_a_secret_is_hidden(text: str) -> None:
    (span,) = secret_spans(text, ())
    assert text[slice(*span)] == text.split(" ", 1)[1]


def test_fields_that_name_secrets_are_shown() -> None:
    assert not is_secret_field("podTemplate.spec.containers[0].env[0].valueFrom.secretKeyRef.key")
    assert not is_secret_field("podTemplate.spec.volumes[0].secret.secretName")
    assert is_secret_field("environment.S3_SECRET_KEY")
    assert is_secret_field("properties.secretKeyRef")


def _words_of(words: set[str], few: int, text: str) -> list[Span]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(masking, "_FEW_WORDS", few)
        return list(masking._Words(words).spans(text))


LETTERS = st.text(alphabet="ab-_ \n", max_size=40)


@given(st.sets(st.text(alphabet="ab-_ \n", min_size=1, max_size=12), max_size=12), LETTERS, st.data())
def test_many_words_are_found_where_few_are(words: set[str], text: str, data: st.DataObject) -> None:
    for word in data.draw(st.lists(st.sampled_from(sorted(words)), max_size=4)) if words else ():
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + word + text[place:]
    assert _words_of(words, 0, text) == _words_of(words, len(words), text)


class Asked(str):
    """A text that counts how often it is looked into."""

    __slots__ = ()
    times = 0

    def __contains__(self, other: object) -> bool:
        Asked.times += 1
        return super().__contains__(other)  # type: ignore[operator]

    def __getitem__(self, place: Any) -> str:
        Asked.times += 1
        return super().__getitem__(place)


def test_a_text_is_looked_into_as_often_as_it_has_characters_however_many_the_secrets() -> None:
    conf = "".join(f"s3.x{number}.password: hush-{number:05}-7f3a\n" for number in range(2_000))
    mask = mask_of(conf)
    text = Asked("it says hush-00042-7f3a there and hush-01999-7f3a here, but hush-99999-7f3a is another word")
    Asked.times = 0
    assert str(mask.typed(text)) == f"it says {HIDDEN} there and {HIDDEN} here, but hush-99999-7f3a is another word"
    assert Asked.times < 10 * len(text) < 2_000


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("avro-confluent.basic-auth.credentials-source", True),
        ("fs.s3a.aws.credentials.provider", True),
        ("security.kerberos.token.endpoint.url", True),
        ("oauth.token.client-id", True),
        ("sealed.secret.name", True),
        ("fs.s3a.secret.mode", True),
        ("vault.secret-id", False),
        ("s3.access-key-id", False),
        ("avro-confluent.basic-auth.user-info", False),
        ("s3.secret-key", False),
        ("jdbc.password", False),
    ],
)
def test_a_key_may_only_describe_a_secret(key: str, expected: bool) -> None:
    assert describes_a_secret(key) == expected


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ('csv.print("csv token: " + row);', []),
        ('log.info("password: " + row + "abcdefgh");', ['" + row + "abcdefgh");']),
        ('log.info("token: " + user.getToken() + last)', []),
        ('log.info("password: hunter2");', ['hunter2");']),
        ('log.info("password: " + "hunter2");', ['" + "hunter2");']),
        ('log.info("password: " + 12345678);', ['" + 12345678);']),
        ('log.info("password: " + row) // hunter2', ['" + row) // hunter2']),
        ('password: " + hunter2)', ['" + hunter2)']),
    ],
)
def test_variables_appended_to_the_name_of_a_secret_in_a_literal_are_shown(text: str, hidden: list[str]) -> None:
    assert [text[span.start : span.end] for span in secret_spans(text, ())] == hidden
