"""The secrets of a file, hidden where they are and where they are repeated."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.secrets import HIDDEN
from flink_flint.linter.model.masking import Mask, settings_without_secrets
from flink_flint.linter.text.spans import Span


def _mask(key: str, written: str, value: str) -> Mask:
    text = f"{key}: {written}\n"
    return Mask(text, [(key, Span(len(key) + 2, len(text) - 1), value)])


def test_the_values_of_other_settings_are_shown() -> None:
    shown = settings_without_secrets(
        {"s3.secret-key": "wJalrXUtnFEMI", "metrics.scope.jm": "wJalrXUtnFEMI.jobmanager", "cluster.id": "orders-in-eu"}
    )
    assert shown == {
        "s3.secret-key": HIDDEN,
        "metrics.scope.jm": f"{HIDDEN}.jobmanager",
        "cluster.id": "orders-in-eu",
    }
    assert _mask("cluster.id", "orders-in-eu", "orders-in-eu")("no cluster orders-in-eu") == "no cluster orders-in-eu"


@pytest.mark.parametrize(
    ("written", "value"), [("wJalrXUtnFEMI", "wJalrXUtnFEMI"), ('"wJalr\\x58UtnFEMI"', "wJalrXUtnFEMI")]
)
def test_a_secret_is_hidden_in_other_texts_as_written_and_as_read(written: str, value: str) -> None:
    assert _mask("s3.secret-key", written, value)(f"cannot parse {value} here") == f"cannot parse {HIDDEN} here"


def test_any_number_of_secrets_is_hidden() -> None:
    for number in (1, 60):
        secrets = {f"s3.{n}.secret-key": f"wJalrXUtn{n:03}" for n in range(number)}
        shown = settings_without_secrets({**secrets, "cluster.id": f"a {' '.join(secrets.values())} b"})
        assert shown["cluster.id"] == f"a {' '.join([HIDDEN] * number)} b"


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        ("//", "//"),
        ("flink:", "flink:"),
        ("flink:hunter22", f"flink:{HIDDEN}"),
        ("hunter22", HIDDEN),
        ("hunter22@db", f"{HIDDEN}@db"),
        ("@db", "@db"),
        ("ter22@db", f"{HIDDEN}@db"),
    ],
)
def test_a_mark_in_a_line_stays_where_it_was(marked: str, shown: str) -> None:
    text = "# url\njdbc://flink:hunter22@db\n"
    start = text.index(marked)
    line, first, last = Mask(text, ()).line(text, Span(6, len(text) - 1), Span(start, start + len(marked)))
    assert line == f"jdbc://flink:{HIDDEN}@db"
    assert line[first:last] == shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("secrets:\n  sealed:\n    enabled: false\n", "state.ttl.filter.enabled: false"),
        ("sealedSecrets:\n  enabled: false\n", "state.ttl.filter.enabled: false"),
        ("s3.secret-key: password\n", "password of orders stands here in plain text"),
        ("s3.secret-key: 'true'\n", "rest.ssl.enabled: true"),
        ("s3.secret-key: 8081\n", "rest.port: 8081"),
    ],
)
def test_a_common_word_is_no_secret_where_it_is_not_the_value_of_one(text: str, message: str) -> None:
    assert Mask(text, ())(message) == message


@pytest.mark.parametrize("value", ["password", "8081", "abc", "s: false0"])
def test_a_short_secret_is_hidden_where_it_is_the_value(value: str) -> None:
    text = f"s3.secret-key: {value}\n"
    assert Mask(text, ()).line(text, Span(0, len(text) - 1), Span(0, 1))[0] == f"s3.secret-key: {HIDDEN}"


def test_the_name_of_an_option_in_a_literal_with_its_value_is_shown() -> None:
    literal = "\"  'password' = 'hunter22',\\n\""
    mask = Mask(literal, [("with.password", Span(0, len(literal)), "hunter22")])
    assert mask("password of orders is hunter22") == f"password of orders is {HIDDEN}"
    assert mask.spans == [Span(0, len(literal))]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/tmp/flink-state is cleaned", "/tmp/flink-state is cleaned"),
        ("/opt/flink/conf, flink.orders, my-flink", "/opt/flink/conf, flink.orders, my-flink"),
        ("the password flink of user", f"the password {HIDDEN} of user"),
        ("${PASSWORD:-flink}", f"${{PASSWORD:-{HIDDEN}}}"),
        ("it is flink.", f"it is {HIDDEN}."),
        ("user=flink&x='flink'", f"user={HIDDEN}&x='{HIDDEN}'"),
    ],
)
@pytest.mark.parametrize("others", [0, 60])
def test_a_well_known_word_is_shown_within_names_and_paths(text: str, shown: str, others: int) -> None:
    secrets = "".join(f"s3.{n}.secret-key: wJalrXUtn{n:03}\n" for n in range(others))
    assert Mask(f"GF_SECURITY_ADMIN_PASSWORD: flink\n{secrets}", ())(text) == shown


def test_another_short_secret_is_hidden_within_names() -> None:
    assert Mask("DB_PASSWORD: orders\n", ())("/tmp/orders-state") == f"/tmp/{HIDDEN}-state"
