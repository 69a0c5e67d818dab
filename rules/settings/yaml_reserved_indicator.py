"""A value begins with a character that means something else in YAML.

## What it does
Reports unquoted values of `config.yaml` that begin with `@`, `` ` ``, `%` or `*`, and single words that begin
with `&` or `!`.

## Why it matters
YAML reserves these characters: `*` names an alias, `&` an anchor, `!` a tag, the others nothing yet. Flink 1.19
and later refuse the whole file and no process starts. `web.access-control-allow-origin: *` is the usual case;
passwords are the other.

## What to do
Put the value in quotes. The fix does; it is safe, because Flink reads nothing of the file before.

## Not when
- Aliases in a file that has anchors, and tags before a value: an unknown one is `file-refused` (FLK043).
- The value is a template's.

## Sources
- <https://yaml.org/spec/1.2.2/#54-indicator-characters>: the characters and what they mean
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#web-access-control-allow-origin>: usual
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.parsed_file import Refusal
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit, Span
from flink_flint.rules.settings._plain import lone_anchor, lone_tag, names_no_anchor, quoted, value_span


@rule(code="FLK016", severity=Severity.ERROR, confidence=Confidence.HIGH, flink=">=1.19", since="0.1", when=["refusal"])
def yaml_reserved_indicator(config: View) -> Iterator[Finding]:
    """a value begins with a character that YAML reserves, so Flink refuses the file"""
    document = config.document
    for refusal in config.refusals:
        place = _place(config, refusal)
        if place is None:
            continue
        span = value_span(document, place)
        shown = span or Span(place, place + 1)
        value = document.text[shown.start : shown.end]
        if is_templated(value):
            continue
        line = document.lines.span(document.lines.position(place).line)
        key = next((e.key for e in document.entries if line.start <= e.key_span.start < place), refusal.key)
        yield config.finding(
            f"a value that begins with {value[:1]} must stand in quotes in YAML; Flink refuses the whole file and no"
            " process starts",
            span=shown,
            key=key or None,
            help=f"write {quoted(value)}" if span else "put the value in quotes",
            fix=Fix("put the value in quotes", [Edit(span, quoted(value))]) if span else None,
            evidence={"error": refusal.error},
        )


def _place(config: View, refusal: Refusal) -> int | None:
    """Where the value begins that a reserved character makes Flink refuse; None for other refusals."""
    document = config.document
    at = refusal.span.start
    if refusal.reason == "undefined-alias":
        return at if names_no_anchor(document, refusal) else None
    if refusal.reason == "unknown-tag":
        return at if lone_tag(document, refusal) else None
    if refusal.reason == "null-value":
        entry = document.effective.get(refusal.key)
        anchor = None if entry is None else lone_anchor(document, entry)
        return None if anchor is None else anchor.start
    if refusal.reason != "reserved-indicator":
        return None
    if document.text[at : at + 1] in ("@", "`", "%"):
        return at
    line = document.lines.span(document.lines.position(at).line)
    found = max(document.text.rfind(char, line.start, at) for char in "*&")
    return at if found < 0 else found


def cases() -> list[Case]:
    return [
        bad(
            "web.access-control-allow-origin: *\nrest.port: 8081\n",
            at="web.access-control-allow-origin",
            flink="1.20",
            severity=Severity.ERROR,
            fixed='web.access-control-allow-origin: "*"\nrest.port: 8081\n',
        ),
        bad(
            "rest.port: 8081\ns3:\n  access-key: abcd\n  secret-key: '%\"'\n  endpoint: @host # here\n",
            at="s3.endpoint",
            fixed='rest.port: 8081\ns3:\n  access-key: abcd\n  secret-key: \'%"\'\n  endpoint: "@host" # here\n',
        ),
        bad("rest.port: 8081\na.b: %x\nc.d: `y`\n", times=2, fixed='rest.port: 8081\na.b: "%x"\nc.d: "`y`"\n'),
        bad(
            "rest.port: 8081\ns3.secret-key: *abc\\d\n",
            flink="2.1",
            fixed="rest.port: 8081\ns3.secret-key: '*abc\\d'\n",
        ),
        bad(
            "rest.port: 8081\ns3.secret-key: &abcd\n",
            at="s3.secret-key",
            fixed='rest.port: 8081\ns3.secret-key: "&abcd"\n',
        ),
        bad(
            "rest.port: 8081\ns3.secret-key: !abcd\n",
            at="s3.secret-key",
            fixed='rest.port: 8081\ns3.secret-key: "!abcd"\n',
        ),
        bad("rest.port: 8081\na.b: [1, @b]\n", at="@"),
        good("rest.port: &port 8081\nrest.bind-port: *prot\n"),
        good("rest.port: 8081\n<<: *defaults\n"),
        good('web.access-control-allow-origin: "*"\n'),
        good("a.b: &port 8081\nrest.port: *port\n"),
        good("web.access-control-allow-origin: *\n", flink="1.18"),
        good("rest.port: 8081\ns3.secret-key: %(secret)s\n"),
        good("rest.port: 8081\ns3.secret-key: !vault abcd\n"),
        good("web.access-control-allow-origin: *\n", flink="1.18", file="config.yaml"),
        bad("rest.port:\ns3.endpoint: @host\n", at="s3.endpoint"),
        bad("rest.port: 8081\na.b: %(b)s\ns3.endpoint: @host\n", at="s3.endpoint"),
        good("rest.port:\nrest.address: a\n"),
        good("rest.address:\tb\n"),
        good("rest.port: 8081\nrest.port: 8082\n"),
        bad(
            "rest.port: 8081\na*b: @x\nc*d: %x\ne*f: `x\n",
            times=3,
            fixed='rest.port: 8081\na*b: "@x"\nc*d: "%x"\ne*f: "`x"\n',
        ),
        bad("rest.port: 8081\na*b: *\n", fixed='rest.port: 8081\na*b: "*"\n'),
        bad("rest.port: 8081\ns3.secret-key: *it's\"\n", fixed="rest.port: 8081\ns3.secret-key: '*it''s\"'\n"),
        good("rest.port: &port 8081\nrest.bind-port: &x\nweb.port: *x\n"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "config.yaml",
            "web.access-control-allow-origin: *\n",
            good="web.access-control-allow-origin: '*'\n",
            releases=">=1.19",
        ),
        flink_refuses("config.yaml", "s3.secret-key: @abc\n", good="s3.secret-key: '@abc'\n", releases=">=1.19"),
        flink_refuses(
            "config.yaml", "s3.secret-key: '%a'\ns3.endpoint: %a\n", good="s3.secret-key: '%a'\n", releases=">=1.19"
        ),
    ]
