"""A key without a value makes Flink refuse config.yaml.

## What it does
Reports keys of `config.yaml` with no value at all, `~` or `null`.

## Why it matters
Flink 1.19 and later put every entry of the file into a map that takes no null; the load ends with
`NullPointerException: Value must not be null` and no process of the cluster starts. The same line in the old
`flink-conf.yaml` was merely skipped, so a file carried over by hand may hold some.

## What to do
Give the key a value, write `""` if an empty text is meant, or take the line out. The fix makes it a comment
(it is safe: Flink reads nothing of the file before), and goes on with a parent that has no other children.

## Not when
- The file has another name than `config.yaml` and the key is none of Flink's: something else reads it.
- Nothing but an anchor follows the key: a value that begins with `&` was meant (FLK016).

## Sources
- <https://issues.apache.org/jira/browse/FLINK-33297>: standard YAML for the configuration
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the format of the file
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import CONFIG_YAML, Refusal
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit, Span
from flink_flint.rules.settings._plain import lone_anchor


@rule(code="FLK013", severity=Severity.ERROR, confidence=Confidence.HIGH, flink=">=1.19", since="0.1", when=["refusal"])
def yaml_null_value(config: View) -> Iterator[Finding]:
    """a key without a value makes Flink refuse the whole file"""
    for refusal in config.refusals:
        if refusal.reason == "null-value" and not _is_anchor(config, refusal) and _is_flinks(config, refusal):
            yield config.finding(
                f"{refusal.key} has no value, so Flink refuses the whole file and no process starts",
                span=refusal.span,
                key=refusal.key,
                help='give it a value, write "" if an empty text is meant, or delete the line',
                fix=_comment_out(config, refusal),
                evidence={"error": refusal.error},
            )


def _is_anchor(config: View, refusal: Refusal) -> bool:
    entry = config.document.effective.get(refusal.key)
    return entry is not None and lone_anchor(config.document, entry) is not None


def _is_flinks(config: View, refusal: Refusal) -> bool:
    """Whether Flink is to load the line: its file has the right name, or its key is one of Flink's."""
    options = config.catalogue
    return (
        config.document.file_name == CONFIG_YAML
        or bool(options.releases(refusal.key))
        or options.passes_through(refusal.key)
    )


def _comment_out(config: View, refusal: Refusal) -> Fix | None:
    """Make a comment of a line that holds the key and nothing else before it."""
    document = config.document
    entry = document.effective[refusal.key]
    start = entry.key_span.start
    line = document.lines.span(document.lines.position(start).line)
    if document.text[line.start : start].strip() or refusal.span.end > line.end:
        return None
    return Fix(f"make {refusal.key} a comment", [Edit(Span(start, start), "# ")])


def cases() -> list[Case]:
    return [
        bad(
            "rest:\n  address: a\n  port:\nstate.savepoints.dir: ~\n",
            at="rest.port",
            flink="1.20",
            severity=Severity.ERROR,
            times=2,
            fixed="rest:\n  address: a\n  # port:\n# state.savepoints.dir: ~\n",
        ),
        bad("rest.port: 8081\nhigh-availability:\n  type: null\n", at="high-availability.type",
            fixed="rest.port: 8081\n# high-availability:\n  # type: null\n"),
        bad("rest.port: 8081\njobmanager: {rpc.port: , bind-host: a}\n", at="jobmanager.rpc.port", flink="2.0",
            fixed="rest.port: 8081\njobmanager: {rpc.port: , bind-host: a}\n"),
        bad("myapp.x:\nrest.port: 8081\n", at="myapp.x"),
        bad("rest.address:\nrest.port: 8081\n", file="config-prod.yaml", at="rest.address"),
        bad("s3.endpoint:\nrest.port: 8081\nparallelism.default: 2\n", file="config-prod.yaml", at="s3.endpoint"),
        good("myapp.x:\nrest.port: 8081\nparallelism.default: 2\n", file="config-prod.yaml"),
        good("rest.port: 8081\ns3.secret-key: &abcd\n"),
        good("rest.port:\n", flink="1.18", file="config.yaml"),
        good('rest.address: ""\nstate.savepoints.dir: "~"\n'),
        good("rest.port:\n", flink="1.18"),
        good("rest.address: {{ address }}\nrest.port:\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "config.yaml", "rest.port:\n", good="rest.port: 8081\n", both="rest.address: a\n", releases=">=1.19"
        ),
        flink_refuses(
            "config.yaml", "rest:\n  port: ~\n", good="rest:\n  port: 8081\n", both="jobmanager.rpc.port: 6123\n",
            releases=">=1.19",
        ),
    ]  # fmt: skip
