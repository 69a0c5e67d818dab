"""config.yaml sets one key twice, flat and nested.

## What it does
Reports settings of `config.yaml` that another spelling of the same key replaces: `rest.port: 8081` and, in the
same file, `port: 8082` below `rest:`. It is advice where both say the same.

## Why it matters
YAML refuses a key that stands twice in one mapping, but these are two keys to it. Flink flattens the file and
the later line wins without a word, so an edit of the earlier one does nothing.

## What to do
Keep one of the two lines.

## Not when
- The very same key twice in one mapping: Flink refuses that, and `duplicate-key` (FLK005) reports it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: flat and nested keys may be mixed
- <https://issues.apache.org/jira/browse/FLINK-33297>: standard YAML for the configuration
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Span
from flink_flint.rules.kubernetes._examples import deployment


@rule(
    code="FLK014",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    flink=">=1.19",
    since="0.1",
    when=["overridden-entry"],
)
def yaml_flat_and_nested_key(config: View) -> Iterator[Finding]:
    """one key stands in the file flat and nested, and the later line wins"""
    document = config.document
    if not document.is_config_yaml:
        return
    for entry in document.entries:
        winner = document.effective[entry.key]
        if _path(document.text, entry) == _path(document.text, winner):
            continue
        same = entry.text == winner.text
        line = document.lines.position(winner.key_span.start).line
        yield config.finding(
            f"{entry.key} is set again in line {line}, which wins"
            + (" and says the same" if same else ", so this value is never read"),
            span=Span(entry.key_span.start, entry.value_span.end),
            key=entry.key,
            help="keep one of the two lines",
            severity=Severity.INFO if same else None,
            related=[Place(document.path, Span(winner.key_span.start, winner.value_span.end), "this one wins")],
        )


def _path(text: str, entry: Entry) -> list[str]:
    return [text[span.start : span.end].strip("\"'") for span in entry.path_spans]


def cases() -> list[Case]:
    return [
        bad(
            "rest.port: 8081\nrest:\n  port: 8082\n",
            at="rest.port",
            flink="1.20",
            says="line 3",
            severity=Severity.WARNING,
        ),
        bad("rest:\n  port: 8081\n  address: a\nrest.port: 8082\n", at="port: 8081"),
        bad("rest.port: 8081\nrest:\n  port: 8081\n", severity=Severity.INFO),
        good("rest.port: 8081\nrest.port: 8082\n", flink="1.20"),
        good("rest.port: 8081\nrest.port: 8082\n", flink="1.18"),
        good("rest.address: a\nrest:\n  port: 8081\n"),
        good(deployment('parallelism.default: "8"'), file="deployment.yaml"),
        bad("parallelism.default: 1\nrest.port: 8081\nrest:\n  port: 8082\n", at="rest.port"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "config.yaml", "rest.port: 8081\nrest:\n  port: 8082\n", "rest.port=8082", good="rest.port: 8081\n",
            releases=">=1.19",
        ),
    ]  # fmt: skip
