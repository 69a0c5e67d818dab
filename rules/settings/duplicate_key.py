"""The same key stands twice in one file.

## What it does
`flink-conf.yaml`: reports each line whose key a later line sets again. Flink keeps the last one; the earlier
value is dead. It is a warning where the values differ and advice where they are the same.
`config.yaml`: reports a key that stands twice in one mapping, or a mapping that is opened twice. Flink
refuses the whole file, and no process starts: an error.

## Why it matters
The upper line is the one that people review, the lower one the one that Flink obeys. Whoever edits the upper
one sees no effect.

## What to do
Keep one line. The fix deletes the dead lines of `flink-conf.yaml`, which changes nothing for Flink, and in
`config.yaml` the first of two equal lines; which of two different values was meant only you can tell.

## Not when
- A template decides which of the lines remains (a template's tag stands between them).
- The key is once flat and once nested in `config.yaml`: Flink takes that, and FLK014 speaks of it.
- A sheet of SQL statements that somebody runs one by one (it creates a table twice, or only shows results): advice.
- Indented lines of a nested file, whose keys are no keys of Flink: FLK009.
- One option under two names: FLK006.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#flink-configuration-file>:
  `config.yaml` refuses duplicates
- <https://issues.apache.org/jira/browse/FLINK-33297>: the standard YAML parser that came with 1.19
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.file_loading import Entry, is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import parse
from flink_flint.linter.model.claim import Claim, flink_fails, flink_ignores
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Span
from flink_flint.rules.settings._keys import shown


@rule(
    code="FLK005",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    since="0.1",
    when=["overridden-entry", "refusal"],
)
def duplicate_key(config: View) -> Iterator[Finding]:
    """the same key stands twice in one file"""
    if config.document.is_config_yaml:
        yield from _refused(config)
    else:
        yield from _dead_lines(config)


def _is_same_value(config: View, one: Entry, other: Entry) -> bool:
    """Return whether Flink reads the same value of the option in two lines, such as `10 s` and `10000 ms`."""
    accepted = config.accept(one.key)
    if accepted is None:
        return False
    option, index = accepted.option, config.index
    try:
        values = [parse(option.type, option.enum, text, index, yaml=False) for text in (one.text, other.text)]
    except BadValue:
        return False
    return bool(values[0] == values[1])


def _dead_lines(config: View) -> Iterator[Finding]:
    """The lines of flink-conf.yaml that a later one overrides."""
    document = config.document
    tags = _template_tags(config)
    for entry in document.entries:
        if not entry.overridden or _is_no_key(config, entry):
            continue
        last = document.effective.get(entry.key)
        if last is None or last.style == "implied" or last.raw.startswith("${?") or _stands_between(tags, entry, last):
            # What a typed field of a custom resource overrides is FLK708's; an optional variable of HOCON has its
            # default above it.
            continue
        is_sheet = document.kind == "sql" and config.target.profile == "development"
        same = entry.text == last.text or _is_same_value(config, entry, last)
        number = document.lines.position(last.key_span.start).line
        yield config.finding(
            f"line {number} sets {entry.key} again, to {shown(last.text)}; Flink keeps the last, and"
            f" {shown(entry.text)} here does nothing",
            span=_whole(entry),
            key=config.written(entry.key).key,
            help="delete this line" if same else "keep the line that is meant, and delete the other",
            severity=Severity.INFO if same or is_sheet else None,
            fix=_remove(config, entry, safe=True),
            related=[Place(document.path, _whole(last), "the line that Flink obeys")],
        )


def _is_no_key(config: View, entry: Entry) -> bool:
    """Whether an entry is a part of something nested, and not a key that anybody reads."""
    return (entry.indent > 0 or "." not in entry.key) and not config.catalogue.releases(entry.key)


def _refused(config: View) -> Iterator[Finding]:
    """The keys for which Flink refuses config.yaml."""
    document = config.document
    at: dict[Span, Entry] = {}
    firsts: dict[str, Entry] = {}
    for one in document.entries:
        at.setdefault(one.key_span, one)
        firsts.setdefault(one.key, one)
    for refusal in config.refusals:
        if refusal.reason != "duplicate-key":
            continue
        entry = at.get(refusal.span)  # None: it has parts
        key = config.written(entry.key).key if entry is not None else refusal.key or None
        fix: Fix | None = None
        related = []
        if entry is not None:
            first = firsts[entry.key]
            related = [Place(document.path, _whole(first), "the first one")] if first is not entry else []
            fix = _remove(config, first, safe=True) if first is not entry and first.text == entry.text else None
        yield config.finding(
            f"the key {refusal.key} stands twice; Flink refuses the whole file, and no process starts",
            span=refusal.span,
            key=key,
            help="keep one of the two" if entry is not None else "merge the two blocks into one",
            severity=Severity.ERROR,
            fix=fix,
            related=related,
        )


def _template_tags(config: View) -> list[int]:
    """Where a template's tag stands alone on a line, in order."""
    text = config.document.text
    return sorted(one.span.start for one in config.skipped if is_templated(text[slice(*one.span)]))


def _stands_between(tags: Sequence[int], entry: Entry, last: Entry) -> bool:
    """Whether a tag stands between two entries, so that one of them may vanish."""
    following = bisect_right(tags, entry.key_span.start)
    return following < len(tags) and tags[following] < last.key_span.start


def _whole(entry: Entry) -> Span:
    return Span(entry.key_span.start, entry.value_span.end)


def _remove(config: View, entry: Entry, *, safe: bool) -> Fix | None:
    return config.document.remove(entry, f"delete the dead {entry.key}", safe=safe)


def cases() -> list[Case]:
    return [
        bad(
            "heartbeat.timeout: 10 s\nheartbeat.timeout: 10000 ms\n",
            flink="1.20",
            file="flink-conf.yaml",
            severity=Severity.INFO,
        ),
        bad(
            "parallelism.default: 2\nrest.port: 8081 # first\nparallelism.default: 4\n",
            at="parallelism.default",
            flink="1.18",
            severity=Severity.WARNING,
            fixed="rest.port: 8081 # first\nparallelism.default: 4\n",
            says="line 3",
        ),
        bad(
            "\r\nrest.port: 8081\r\n  rest.port: 8081  # same\r\nrest.port: 8081",
            file="flink-conf.yaml",
            severity=Severity.INFO,
            times=2,
            fixed="\r\n# same\r\nrest.port: 8081",
        ),
        bad(
            "rest.port: 8081\nparallelism.default: 2\nrest.port: 8082\n",
            at="rest.port",
            severity=Severity.ERROR,
            fixed="rest.port: 8081\nparallelism.default: 2\nrest.port: 8082\n",
        ),
        bad(
            "rest.port: 8081\nparallelism.default: 2\nrest.port: 8081\n",
            severity=Severity.ERROR,
            fixed="parallelism.default: 2\nrest.port: 8081\n",
        ),
        bad(
            "rest:\n  port: 8081\nparallelism.default: 2\nrest:\n  address: jm\n",
            severity=Severity.ERROR,
            fixed="rest:\n  port: 8081\nparallelism.default: 2\nrest:\n  address: jm\n",
        ),
        good("rest.port: 8081\n# rest.port: 8082\nrest.bind-port: 8081\n", flink="1.18"),
        good("{% if ha %}\nrest.port: 8081\n{% else %}\nrest.port: 8082\n{% endif %}\n", flink="1.18"),
        good("jobmanager:\n  port: 1\ntaskmanager:\n  port: 2\nrest.port: 8081\n", flink="1.18"),
        good("rest:\n  port: 8081\njobmanager:\n  rpc:\n    port: 6123\n"),
        bad("rest.port: 8081\nparallelism.default: 2\nparallelism.default: 4\n", flink="1.18"),
        bad("myapp.x: 1\nmyapp.x: 2\nrest.port: 8081\n", flink="1.18"),
        good("name: a\nname: b\nrest.port: 8081\n", flink="1.18"),
        good("a:\n b.c: 1\nd:\n b.c: 2\nrest.port: 8081\n", flink="1.18"),
        bad("name: a\nname: b\nrest.port: 8081\nrest.port: 8082\n", flink="1.18", at="rest.port"),
        bad("rest.port: 8081\nnonsense\nrest.port: 8082\n", flink="1.18"),
        good("rest.port: 8081\n${ELSE}\nrest.port: 8082\n", flink="1.18"),
        bad("${BEFORE}\nrest.port: 8081\nrest.port: 8082\n${AFTER}\n", flink="1.18"),
        bad(
            "rest.port: 8081\n${ELSE}\nrest.port: 8082\nweb.timeout: 1\nweb.timeout: 2\n",
            flink="1.18",
            at="web.timeout",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  flinkConfiguration:\n    taskmanager.numberOfTaskSlots: '2'\n    taskmanager.memory.process.size: 1g\n"
            "  taskManager:\n    resource:\n      memory: 2g\n",
            file="deployment.yaml",
        ),
        good(
            'flink {\n  "state.checkpoints.dir": "s3://a/b"\n  "state.checkpoints.dir": ${?CHECKPOINTS}\n'
            '  "parallelism.default": 2\n}\n',
            file="application.conf",
        ),
        good("rest.port: 8081\nrest.address:\n"),
        good(
            "SET 'table.sql-dialect' = 'hive';\nCREATE VIEW v AS SELECT 1;\nSET 'table.sql-dialect' = 'default';\n",
            file="views.sql",
        ),
        bad(
            "rest.address:\njobmanager.rpc.address: a\nrest.port: 8081\nrest.port: 8081\n",
            fixed="rest.address:\njobmanager.rpc.address: a\nrest.port: 8081\n",
        ),
        bad("rest.port:\n  x: 1\nrest.port: 2\n", fixed="rest.port:\n  x: 1\nrest.port: 2\n"),
        bad(
            "state.checkpoints.dir: s3://b/c\nstate.checkpoints.dir: s3://b/d\n",
            flink="1.20",
            at="execution.checkpointing.dir",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_fails("config.yaml", "rest.port: 8081\nrest.port: 8082\n", good="rest.port: 8081\n", releases=">=1.19"),
        flink_ignores("flink-conf.yaml", "rest.port: 8081\nrest.port: 8082\n", good="rest.port: 8082\n", releases="<2"),
    ]
