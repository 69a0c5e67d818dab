"""A tab stands where a configuration file wants blanks.

## What it does
Reports tabs that change what Flink reads: in `config.yaml` a tab that indents a line or stands between a colon
and its value, in `flink-conf.yaml` a tab instead of the blank behind the colon.

## Why it matters
YAML allows no tab there: Flink 1.19 and later refuse the whole `config.yaml` (`found character '\\t(TAB)' that
cannot start any token`) and no process starts. In `flink-conf.yaml` the separator is a colon and a blank, so
Flink drops the line with one warning and the default applies. In an editor the two look the same.

## What to do
Write blanks. The fix does: one behind a colon, and for a tab that indents the width (2, 4 or 8) that makes the
file sound. It is safe, because Flink reads nothing of the file, or of the line, before; but not where another
line of `flink-conf.yaml` sets the same option.

## Not when
- Tabs inside a value, at the end of a line, before a key of `flink-conf.yaml` or before a comment do no harm.
- A template fills the key in.

## Sources
- <https://yaml.org/spec/1.2.2/#61-indentation-spaces>: tabs must not indent
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the format of the two files
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Skipped
from flink_flint.linter.model.claim import Claim, flink_ignores, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit, Span, apply_edits
from flink_flint.rules.settings._lines import is_known, outline_of

_INDENT = r"(?m)^[ ]*\t[ \t]*(?=[^\s#])"
_SEPARATOR = r"(?m)(?<=:)[ ]*\t[ \t]*(?=\S|$)"
_BLOCK_TEXT = r"(?m):[ \t]+[|>][+-]?\d?[ \t]*(?:#.*)?$"
_WIDTHS = (2, 4, 8)


@rule(code="FLK012", severity=Severity.ERROR, confidence=Confidence.HIGH, since="0.1", when=["skipped-line", "refusal"])
def tab_in_config(config: View) -> Iterator[Finding]:
    """a tab where blanks belong drops the line, or makes Flink refuse the file"""
    if config.document.is_config_yaml:
        tabs = [refusal for refusal in config.refusals if refusal.reason == "tab"]
        if tabs and config.since("1.19"):
            more = f" ({len(tabs)} lines have one)" if len(tabs) > 1 else ""
            yield config.finding(
                f"a tab stands where YAML wants blanks{more}, so Flink refuses the whole file and no process starts",
                span=tabs[0].span,
                help="write blanks instead of the tab",
                fix=_blanks(config),
                evidence={"error": tabs[0].error},
            )
    elif not config.since("2.0"):
        for line in outline_of(config.document).alone:
            if line.reason == "tab":
                yield _dropped(config, line)


def _dropped(config: View, line: Skipped) -> Finding:
    known = is_known(line.key)
    between = Span(line.key_span.end, line.value_span.start)
    return config.finding(
        f"a tab stands behind the colon where Flink wants a blank, so it drops the line and {line.key} is not set",
        span=between,
        key=line.key,
        help=f"write `{line.key}: ` and then the value",
        severity=Severity.ERROR if known else Severity.WARNING,
        # It would switch on what Flink has dropped so far.
        fix=Fix("write a blank instead of the tab", [Edit(between, ": ")], False),
    )


def _blanks(config: View) -> Fix | None:
    """Blanks for all tabs that break the file, if some width of a tab makes it sound."""
    from flink_flint.linter.flink.file_loading import read_config_yaml

    text = config.document.text
    if re.search(_BLOCK_TEXT, text):
        return None
    separators = [
        Edit(Span(*tab.span()), " " if tab.end() < len(text) and text[tab.end()] not in "\r\n" else "")
        for tab in re.finditer(_SEPARATOR, text)
    ]
    indents = [Span(*tab.span()) for tab in re.finditer(_INDENT, text)]
    for width in _WIDTHS if indents else (1,):
        edits = separators + [Edit(span, text[span.start : span.end].replace("\t", " " * width)) for span in indents]
        left = {refusal.reason for refusal in read_config_yaml(apply_edits(text, edits)).refusals}
        # A key left without a value means that the width has torn a block apart
        if not left & {"tab", "syntax", "null-value" if indents else "tab"}:
            return Fix("write blanks instead of tabs", sorted(edits))
    return None


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager:\n\tnumberOfTaskSlots: 4\n\tmemory:\n\t\tprocess.size: 4g\n",
            flink="1.20",
            says="no process starts",
            severity=Severity.ERROR,
            fixed="taskmanager:\n  numberOfTaskSlots: 4\n  memory:\n    process.size: 4g\n",
        ),
        bad(
            "jobmanager:\n    bind-host: a\n\trpc.port:\t6123\n",
            fixed="jobmanager:\n    bind-host: a\n    rpc.port: 6123\n",
        ),
        bad(
            "taskmanager:\n  memory:\n\tprocess.size: 4g\n",
            fixed="taskmanager:\n  memory:\n    process.size: 4g\n",
        ),
        bad(
            "rest.port:\t8081\n",
            at="rest.port",
            flink="1.18",
            severity=Severity.ERROR,
            fixed="rest.port: 8081\n",
        ),
        bad("myapp.window:\t \t10\n", flink="1.18", severity=Severity.WARNING, fixed="myapp.window: 10\n"),
        bad("rest.port: 8081\nrest.port:\t8082\n", flink="1.18", fixed="rest.port: 8081\nrest.port: 8082\n"),
        bad(
            "rest.port: 8081\ntaskmanager:\n\tb: |\n\t  x\n",
            flink="2.0",
            fixed="rest.port: 8081\ntaskmanager:\n\tb: |\n\t  x\n",
        ),
        good("\trest.port: 8081\t\nenv.java.opts: -Da=b\t-Dc=d\t# tabs\n", flink="1.18"),
        good("rest.port: 8081\t\nenv.java.opts.all: -Da=b\t-Dc=d\n", flink="1.20"),
        good("{{ key }}:\t{{ value }}\nrest.port: 8081\n", file="flink-conf.yaml"),
        good("rest.port:\t8081\n", file="flink-conf.yaml", flink="2.0"),
        good("rest.address: a: b\n"),
        good("rest.port:\t8081\n", flink="1.18", file="config.yaml"),
        good("rest.port:8081\nrest.address: a\n", flink="1.18"),
        bad("rest.address:\ta\nrest.port:\t\nweb.timeout: 1\n", fixed="rest.address: a\nrest.port:\nweb.timeout: 1\n"),
        bad("rest.address:\ta\nrest.port:\t", fixed="rest.address: a\nrest.port:"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "config.yaml",
            "taskmanager:\n\tnumberOfTaskSlots: 4\n",
            good="taskmanager:\n  numberOfTaskSlots: 4\n",
            releases=">=1.19",
        ),
        flink_refuses("config.yaml", "rest.port:\t8081\n", good="rest.port: 8081\n", releases=">=1.19"),
        flink_ignores("flink-conf.yaml", "rest.port:\t8081\n", both="rest.address: a\n", releases="<2"),
    ]
