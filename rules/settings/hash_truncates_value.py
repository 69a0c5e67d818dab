"""flink-conf.yaml ends a value at the first #, even inside a password or quotes.

## What it does
Reports values of `flink-conf.yaml` that a `#` cuts: one that follows the value without a blank before it
(`pass#word`), or that stands inside quotes; of a secret also one that a word of letters and digits follows directly
(`q7Zr #9xLm4Td`), as a warning. The comment sign need not stand apart in this file, and quotes
protect nothing. It reports every `#` in the `flinkConfiguration` of a FlinkDeployment for Flink 1.x, too, which the
operator writes into such a file, 1.19 and 1.20 included.

## Why it matters
Flink takes what stands before the first `#` of the line for the value and says nothing about the rest. A
password loses its end and the login fails, a URL loses its fragment, Java options lose every flag that
follows.

## What to do
This format cannot hold a `#` in a value. From 1.19 on write the setting into `config.yaml`, in quotes. Before,
choose a value without `#`, write `%23` for it in a URL, or hand the setting over as a dynamic property
(`-Dkey=value`) when the process starts.

## Not when
- A blank stands before the `#` (and it is not inside quotes, nor a secret's), or one behind it (`8081# the port`): that
  is a comment, and Flink reads what was meant.
- The value is a template's.
- A FlinkDeployment for Flink 2.x, for which the operator writes `config.yaml`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/#flink-configuration-file>:
  the old file and the new one
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-366:+Support+standard+YAML+for+FLINK+configuration>:
  the old parser reads comments otherwise than YAML
- <https://issues.apache.org/jira/browse/FLINK-27299>: a password cut at its #
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.flink.secrets import is_secret
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.settings._lines import is_foreign, is_tag

HELP = (
    "this file cannot hold a #: from 1.19 on write the setting into config.yaml in quotes; before, use a value"
    " without #, %23 in a URL, or -D on the command line"
)
_IN_SECRET = regex(r"#(?=[^\s\d]*\d)(?=[^\sA-Za-z]*[A-Za-z])[^\s#'\"{}]{5,}")
"""A word of letters and digits right behind a #, which is a part of a secret sooner than a comment."""


@rule(
    code="FLK008",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink="<2",
    since="0.1",
    when=["flink-conf", "map"],
)
def hash_truncates_value(config: View) -> Iterator[Finding]:
    """a # inside a value of flink-conf.yaml cuts the value off there"""
    document = config.document
    if document.syntax == "map":
        yield from _in_resource(config)
        return
    if is_foreign(document):
        return
    for entry in document.entries:
        comment = entry.comment
        if comment is None or entry.overridden or is_tag(document, entry.key_span):
            continue
        rest = document.text[comment.start : comment.end]
        glued = entry.value_span.end == comment.start and _is_value(rest)
        if glued or _is_quoted(entry, rest):
            yield config.finding(
                f"the value of {entry.key} ends at the first #, so Flink reads only what stands before it",
                span=Span(entry.value_span.start, comment.start + len(rest.rstrip())),
                key=entry.key,
                help=HELP,
            )
        elif is_secret(entry.key) and _IN_SECRET.fullmatch(rest.strip()) is not None:
            yield config.finding(
                f"{rest.strip()} of {entry.key} is a comment: Flink reads the secret only up to the first #",
                span=Span(entry.value_span.start, comment.start + len(rest.rstrip())),
                key=entry.key,
                help=HELP,
                severity=Severity.WARNING,
            )


def _in_resource(config: View) -> Iterator[Finding]:
    """Yield a finding for each value of a FlinkDeployment that the operator's own file cuts."""
    if config.document.kind != "flinkdeployment":
        return
    for entry in config.document.effective.values():
        if entry.style != "implied" and "#" in entry.raw and "#" not in entry.text and entry.value is not None:
            yield config.finding(
                f"the operator writes {entry.key} into flink-conf.yaml, where the value ends at the first #",
                span=entry.value_span,
                key=entry.key,
                help="choose a value without #, or write %23 for it in a URL",
            )


def _is_value(rest: str) -> bool:
    """Whether what a # begins goes on as a value rather than as a comment."""
    words = rest.lstrip("#")
    return not words or not words[0].isspace()


def _is_quoted(entry: Entry, rest: str) -> bool:
    """Whether the # stands between quotes; an apostrophe counts as one only at the start of the value."""
    return any(
        entry.raw.count(quote) % 2 == 1 and quote in rest for quote in "\"'" if quote == '"' or entry.raw[0] == quote
    )


def cases() -> list[Case]:
    return [
        bad("security.ssl.internal.key-password: pass#word\n", at="security.ssl.internal.key-password", flink="1.18"),
        bad("s3.secret-key: 'abc #def'\n", at="s3.secret-key", flink="1.14", severity=Severity.ERROR),
        bad("historyserver.archive.fs.dir: s3://bucket/#archive\n", file="flink-conf.yaml", says="ends at the first #"),
        bad("env.java.opts: -Dcolour=#fff -Xmx1g\n", at="env.java.opts", flink="1.18"),
        bad('env.java.opts: -Dcolour="red #f00" -Xmx1g\n', at="env.java.opts", flink="1.18"),
        bad("s3.secret-key: q7Zr #9xLm4Td\n", flink="1.14", severity=Severity.WARNING, says="#9xLm4Td"),
        good("s3.secret-key: q7Zr9xLm4Td #changed\ns3.access-key: abc # 9xLm4Td\n", flink="1.14"),
        good("yarn.application.name: Ann's job # don't touch\n", flink="1.18"),
        good("rest.port: 8081 # the port\nrest.address: a\t#b\n", flink="1.18"),
        good("rest.port: 8081# the port\nrest.address: a## b\n", flink="1.18"),
        good("rest.address: {{ host }}#{{ zone }}\n", file="flink-conf.yaml"),
        good("security.ssl.internal.key-password: 'pass#word'\n", flink="1.20"),
        bad("rest.port: 8081\nrest.address: a#b\n", flink="1.18"),
        good("rest.address: a#b\nrest.address: c\n", flink="1.18"),
        bad("rest.address: a#\n", flink="1.18"),
        good('s3.secret-key: "abc #def\n', flink="1.18"),
        good('s3.secret-key: "a" #"b"\n', flink="1.18"),
        bad(
            deployment("s3.secret-key: pass#word"),
            file="deployment.yaml",
            at="s3.secret-key",
            says="the operator writes s3.secret-key into flink-conf.yaml",
        ),
        bad(deployment("env.java.opts.all: '-Dx=\"a # b\"'", version="v1_16"), file="deployment.yaml"),
        good(deployment("s3.secret-key: pass#word", version="v2_0"), file="deployment.yaml"),
        good(deployment("s3.secret-key: password # of the team"), file="deployment.yaml"),
        bad("s3.secret-key: 'a'b' #c'\n", flink="1.18"),
        good("rest.address: a#b\n", flink="2.0", file="flink-conf.yaml"),
        good("apiVersion: v1\nrest.address: a#b\nrest.port: 8081\n", flink="1.18"),
        good("- hosts: taskmanagers\n  remote_user: flink#1\nrest.port: 8081\n", flink="1.18"),
        good("rest.address: jm-#b{# one for each zone #}\n", flink="1.18"),
        good("rest.address: jm#${ZONE}\n", flink="1.18"),
        good("rest.address: jm-#b{# one for each zone\nof the inventory #}\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "flink-conf.yaml",
            "s3.secret-key: pass#word\n",
            good="s3.secret-key: pass\n",
            releases="<2",
        ),
    ]
