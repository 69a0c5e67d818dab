"""A line of flink-conf.yaml that is not `key: value` is dropped.

## What it does
Reports the lines of `flink-conf.yaml` that Flink drops because it finds no key, colon, blank and value in
them: `key:value`, `key=value`, `key:` with nothing behind it, plain words. What is left of a merge conflict
(`<<<<<<<`, `=======`, `>>>>>>>`) is reported too, and so is a file in UTF-16, of which Flink reads nothing.

Lines of the same kind that have no fix are one finding.

## Why it matters
Up to 1.20 this file is not YAML. Flink splits each line at the first colon that a blank follows; where it
finds none it logs one warning and goes on as if the line were not there. The process starts with the default,
and the setting its author relied on is gone. Of a merge conflict both sides are read, and the lower one wins.

## What to do
Write one blank behind the colon. The fix does so where the key is an option of Flink; it is safe unless
another line sets the same option, because the line had no effect before.

## Not when
- A template fills the key in, or the line holds a control tag (`{% if … %}`): what it becomes is not known. A
  value that is filled in does not mend the separator, but lowers the confidence.
- Tabs behind the colon have a rule of their own (FLK012), and so have nested blocks (FLK009), lists and values
  that go on over several lines (FLK011).
- An empty value is a warning where the key is an option, and advice where it is not: the default applies.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.18/docs/deployment/config/>: the format, flat keys and values
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-366:+Support+standard+YAML+for+FLINK+configuration>:
  the old parser is no YAML parser
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.parsed_file import Skipped
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit, Span
from flink_flint.rules.settings._lines import is_known, outline_of

_EMPTY = ("empty-value", "comment-only-value")
_SHOWN = 7
"""The maximum number of keys in a message."""
CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


@rule(
    code="FLK007", severity=Severity.ERROR, confidence=Confidence.HIGH, flink="<2", since="0.1", when=["skipped-line"]
)
def missing_space_after_colon(config: View) -> Iterator[Finding]:
    """a line without key, colon, blank and value is dropped"""
    if not config.document.is_flink_conf:
        return
    text = config.document.text
    if "\0" in text:
        wide = 3 * text.count("\0") > len(text)
        yield config.finding(
            f"the file is {'not UTF-8 but UTF-16, as it seems' if wide else 'no text'}, so Flink finds no setting in"
            " its lines and drops them",
            span=config.skipped[0].span if wide else Span(0, 0),
            help="save the file as UTF-8 without a byte order mark" if wide else "put a text file in its place",
        )
        return
    groups: dict[object, list[Skipped]] = {}
    for number, line in enumerate(outline_of(config.document).alone):
        if line.reason not in ("tab", "document-marker", "list-item"):
            groups.setdefault(_kind(config, line) or number, []).append(line)
    for lines in groups.values():
        yield _judge_several(config, lines) if len(lines) > 1 else _judge(config, lines[0])


def _kind(config: View, line: Skipped) -> tuple[object, ...] | None:
    """Return what lines have in common that are reported as one; None for a line with a fix or a conflict's marker."""
    if not line.key or config.document.text.startswith(CONFLICT, line.span.start):
        return None
    known = is_known(line.key)
    if line.reason in _EMPTY:
        return "empty", known
    return None if known else ("separator", line.reason == "equals", is_templated(line.value))


def _judge_several(config: View, lines: list[Skipped]) -> Finding:
    found = _judge(config, lines[0])
    keys = [line.key for line in lines]
    names = f"{', '.join(keys[:_SHOWN])} and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else _listed(keys)
    if lines[0].reason in _EMPTY:
        message = f"{names} have no value, so Flink drops the lines"
        message += " and the defaults apply" if is_known(keys[0]) else ", with a warning in the log"
    else:
        separator = "=" if lines[0].reason == "equals" else ":"
        message = (
            f"Flink wants a colon and a blank between key and value, finds `{separator}` alone and drops {len(keys)}"
            f" lines, so {names} are not set"
        )
    return config.finding(
        message,
        span=lines[0].span,
        key=keys[0],
        help="write a value behind each `key: `, or delete the lines"
        if lines[0].reason in _EMPTY
        else "write each as `key: value`, or move variables of the environment out of the settings",
        severity=found.severity,
        confidence=found.confidence,
        related=[Place(config.document.path, line.span, line.key) for line in lines[1:]],
    )


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _judge(config: View, line: Skipped) -> Finding:
    body = config.document.text[line.span.start : line.span.end]
    if body.startswith(CONFLICT):
        return config.finding(
            "a merge conflict was left in the file; Flink drops its markers and reads both sides, and of a key on"
            " both the lower line wins",
            span=line.span,
            help="resolve the conflict: keep one side and delete the lines with <<<<<<<, ======= and >>>>>>>",
        )
    if not line.key:
        return config.finding(
            "this line is not `key: value`, so Flink drops it with no more than a warning in the log",
            span=line.span,
            help="write it as `key: value`, or begin it with # if it is a comment",
            severity=Severity.WARNING,
        )
    known = is_known(line.key)
    if line.reason in _EMPTY:
        return config.finding(
            f"{line.key} has no value, so Flink drops the line"
            + (" and the default applies" if known else ", with a warning in the log"),
            span=line.span,
            key=line.key,
            help=f"write a value behind `{line.key}: `, or delete the line",
            severity=Severity.WARNING if known else Severity.INFO,
        )
    separator = "=" if line.reason == "equals" else ":"
    return config.finding(
        f"Flink wants a colon and a blank between key and value, finds `{separator}` alone and drops the line, so"
        f" {line.key} is not set",
        span=line.span,
        key=line.key,
        help=f"write `{line.key}: ` and then the value",
        severity=Severity.ERROR if known else Severity.WARNING,
        confidence=Confidence.MEDIUM if is_templated(line.value) else None,
        fix=_separate(line) if known and line.value else None,
    )


def _separate(line: Skipped) -> Fix:
    """Put a colon and a blank where the separator is, and a no-break space if one stands for the blank."""
    end = line.value_span.start + len(line.value) - len(line.value.lstrip())
    # It would switch on what Flink has dropped so far.
    return Fix(f"write `{line.key}: `", [Edit(Span(line.key_span.end, end), ": ")], False)


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager.numberOfTaskSlots:4\nrest.port: 8081\n",
            at="taskmanager.numberOfTaskSlots",
            flink="1.18",
            severity=Severity.ERROR,
            fixed="taskmanager.numberOfTaskSlots: 4\nrest.port: 8081\n",
        ),
        bad(
            "high-availability.storageDir:hdfs:///flink/ha # shared\n",
            file="flink-conf.yaml",
            says="is not set",
            fixed="high-availability.storageDir: hdfs:///flink/ha # shared\n",
        ),
        bad("rest.port = 8082\n", at="rest.port", flink="1.15", fixed="rest.port: 8082\n"),
        bad("rest.port:\u00a08082\n", at="rest.port", flink="1.15", fixed="rest.port: 8082\n"),
        bad("rest.port: 8081\nrest.port:8082\n", flink="1.18", fixed="rest.port: 8081\nrest.port: 8082\n"),
        bad("rest:\n  port:8082\n", at="rest.port", flink="1.18", times=2),
        bad("myapp.window:10\n", at="myapp.window", flink="1.18", severity=Severity.WARNING, fixed="myapp.window:10\n"),
        bad(
            "A_B=1\nC_D=2\nrest.address: a\nE_F=3\n",
            at="A_B",
            flink="1.18",
            severity=Severity.WARNING,
            says="drops 3 lines, so A_B, C_D and E_F are not set",
        ),
        bad(
            "rest.port:\nrest.address:\n",
            flink="1.18",
            severity=Severity.WARNING,
            says="rest.port and rest.address have no value",
        ),
        bad("rest.port=8081\nrest.address=a\n", flink="1.18", times=2, fixed="rest.port: 8081\nrest.address: a\n"),
        bad("rest.port=\nrest.address: a\n", flink="1.18", fixed="rest.port=\nrest.address: a\n"),
        bad(
            "state.checkpoints.dir:\nrest.port: 8081\n",
            at="state.checkpoints.dir",
            flink="1.18",
            severity=Severity.WARNING,
        ),
        bad("myapp.window: # not yet\n", flink="1.18", severity=Severity.INFO),
        bad(
            "Settings of the test cluster\nrest.port: 8081\n",
            at="Settings of the test cluster",
            flink="1.18",
            says="no more than a warning",
        ),
        bad(
            "<<<<<<< HEAD\nrest.port: 8081\n=======\nrest.port: 8082\n>>>>>>> next\n",
            flink="1.18",
            times=3,
            severity=Severity.ERROR,
            says="merge conflict",
        ),
        good("rest.port : 8081\n---\n# a:b\nenv.java.opts: -Da:b=c\n", flink="1.18"),
        bad("rest.port:{{ rest }}\n", file="flink-conf.yaml", fixed="rest.port: {{ rest }}\n"),
        bad("state.savepoints.dir:\n  rest.port: 8081\n", flink="1.18", severity=Severity.WARNING),
        bad("r\0e\0s\0t\0:\0 \x001\0\n", flink="1.18", says="UTF-16"),
        good("{% if rest %}\n{{ key }}:{{ rest }}\n{% endif %}\nrest.address: a\n", file="flink-conf.yaml"),
        good("rest.port:\t8081\n", flink="1.18"),
        good("rest:\n  port: 8081\n", flink="1.18"),
        good("metrics.reporters:\n  - prom\n", flink="1.18"),
        good("env.java.opts: -Xmx1g\n  -XX:+UseG1GC\n", flink="1.18"),
        good("rest.port:8082\n", file="flink-conf.yaml", flink="2.0"),
        good("rest.port: 8082\n", flink="2.0"),
        bad("rest.port: 8081\nnonsense\0\n", flink="1.18", says="no text"),
        good("rest.port: 8081\n- prom\n", flink="1.18"),
        bad("ab\0c\0d\n", flink="1.18", says="no text"),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores("flink-conf.yaml", "taskmanager.numberOfTaskSlots:4\n", both="rest.port: 8081\n", releases="<2"),
        flink_ignores("flink-conf.yaml", "taskmanager.numberOfTaskSlots=4\n", both="rest.port: 8081\n", releases="<2"),
    ]
