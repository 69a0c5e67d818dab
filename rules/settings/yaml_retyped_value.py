"""YAML takes a text for a number, and Flink reads another text.

## What it does
Reports unquoted values of `config.yaml` that YAML types as numbers and that come out written differently, where
the option is a text or the value an entry of a map: `010` becomes `10`, `0x1F` becomes `31`, `1.10` becomes
`1.1`, `1e3` becomes `1000.0`.

## Why it matters
Flink's YAML parser makes numbers of them before any option is read, and the option gets the number printed
again. A password of digits loses its leading zero, a version its last one, an account id with an `e` in it
turns into a floating point number; a cluster id `1.10` and one `1.1` become the same.

## What to do
Put the value in quotes. The fix does; it is not safe, because it changes what Flink reads today: a cluster id
that has been in use as `1.1` must stay so.

## Not when
- Options that are numbers, ports, sizes or durations: the number means the same, or Flink refuses it whatever the
  quotes (the rules on values tell).
- Keys no release knows, unless the value has a leading zero, an exponent or another base: `0.50`, `+5` and `.5`
  may be numbers.
- `yes`, `no`, `on` and `off` stay texts in YAML 1.2.

## Sources
- <https://yaml.org/spec/1.2.2/#1032-tag-resolution>: what a plain value is taken for
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the format of the file
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit

_ODD = regex("(?i)0[^.]|.*e")


@rule(
    code="FLK015",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    flink=">=1.19",
    since="0.1",
    when=["config-yaml"],
)
def yaml_retyped_value(config: View) -> Iterator[Finding]:
    """YAML makes a number of an unquoted text, and Flink reads it printed anew"""
    for entry in config.document.effective.values():
        is_number = isinstance(entry.value, (int, float)) and not isinstance(entry.value, bool)
        if is_number and entry.text != entry.raw and not _has_tag(config, entry):
            yield from _judge(config, config.written(entry.key), entry)


def _judge(config: View, setting: Setting, entry: Entry) -> Iterator[Finding]:
    option = setting.option
    if option is None:
        if not _is_odd(entry.raw) and not config.catalogue.passes_through(entry.key):
            return
    elif (option.type != "String" and not _is_map_entry(config, entry)) or option.key.endswith(("port", "ports")):
        return
    yield setting.finding(
        f"YAML takes {entry.raw} for a number, so Flink reads {entry.key} as {entry.text}",
        help="put the value in quotes",
        confidence=None if option is not None else Confidence.MEDIUM,
        fix=Fix("put the value in quotes", [Edit(entry.value_span, f'"{entry.raw}"')], safe=False),
        evidence={"written": entry.raw, "read": entry.text},
    )


def _is_map_entry(config: View, entry: Entry) -> bool:
    accepted = config.accept(entry.key)
    assert accepted is not None  # it has an option
    return accepted.how == "map"


def _has_tag(config: View, entry: Entry) -> bool:
    """Whether a tag or an anchor stands before the value, so that its author knows what YAML makes of it."""
    return config.document.text[entry.key_span.end : entry.value_span.start].strip() != ":"


def _is_odd(raw: str) -> bool:
    """Whether nobody who means a number writes it so: leading zeros, other bases, exponents."""
    return _ODD.match(raw) is not None


def cases() -> list[Case]:
    return [
        bad(
            "rest.port: 8081\nkubernetes:\n  cluster-id: 1.10\n",
            at="kubernetes.cluster-id",
            flink="1.20",
            says="as 1.1",
            severity=Severity.WARNING,
            fixed='rest.port: 8081\nkubernetes:\n  cluster-id: "1.10"\n',
        ),
        bad(
            "security.ssl.rest.key-password: 0123456 # from the vault\n",
            at="security.ssl.rest.key-password",
            fixed='security.ssl.rest.key-password: "0123456" # from the vault\n',
        ),
        bad("rest.port: 8081\ns3.access-key: 12e4567\n", at="s3.access-key", flink="2.0"),
        bad("high-availability.cluster-id: 0x10\n", at="0x10"),
        bad("kubernetes.jobmanager.labels:\n  version: 1.10\nrest.port: 8081\n", at="1.10"),
        good("kubernetes.cluster-id: '1.10'\nrest.port: 08081\n"),
        good("taskmanager.memory.managed.fraction: 0.40\nmyapp.ratio: 0.50\n"),
        good("yarn.application.name: no\nhigh-availability.cluster-id: 17\n"),
        good("kubernetes.cluster-id: 1.10\n", flink="1.18"),
        good("kubernetes.cluster-id: 1.10\n", flink="1.18", file="config.yaml"),
        good("high-availability.cluster-id: True\nrest.port: 8081\n"),
        good("high-availability.cluster-id: a\n  b\nrest.port: 8081\n"),
        good("kubernetes.cluster-id: !!float 1.10\nrest.port: 8081\n"),
        bad("s3.access-key: 1.10\nrest.port: 8081\n"),
        bad("myapp.code: 0123\nrest.port: 8081\n", at="myapp.code"),
        bad("myapp.code: 12E45\nrest.port: 8081\n", at="myapp.code"),
        good("myapp.code: +5\nrest.port: 8081\n"),
        good("rest.bind-port: 08081\nqueryable-state.proxy.ports: 09069\n"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "config.yaml",
            "yarn.application.name: 1.20\n",
            "yarn.application.name=1.2}",
            good="yarn.application.name: '1.20'\n",
            releases=">=1.19",
        ),
    ]
