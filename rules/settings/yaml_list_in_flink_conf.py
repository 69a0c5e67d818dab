"""flink-conf.yaml reads one line a setting: YAML lists and longer values are cut.

## What it does
Reports settings of `flink-conf.yaml` that go on below their line: YAML lists (`- item`), block texts (`|`,
`>-`), values continued on the next line. Reports `[a, b]` and `{a: b}` where the option is a list or a map.

## Why it matters
Up to 1.20 this file is not YAML. Flink drops the lines below with one warning each; what remains is an empty
key, half of the Java options, or the literal value `>-`. `[a, b]` in one line is a list of one element with
the name `[a, b]`, because this file separates elements by `;`.

## What to do
Write the whole value on one line. Lists of Flink's type List are joined by `;`, maps are `key:value` pairs
joined by `,`, and options that are plain strings say themselves how they separate (`metrics.reporters`: `,`).

## Not when
- `config.yaml` takes lists, maps and block texts.
- Brackets in options that are plain strings and hold no comma, such as an IPv6 address.
- Kubernetes manifests and templates.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/>: lists in either file
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-366:+Support+standard+YAML+for+FLINK+configuration>:
  the old parser wants lists and maps in a form of Flink's own
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.settings._lines import Run, is_foreign, is_tag, opens_block, outline_of

_OPENING = "|>[{"
"""What the value of a block text, a list or a map begins with."""


@rule(code="FLK011", severity=Severity.ERROR, confidence=Confidence.HIGH, flink="<2", since="0.1", when=["flink-conf"])
def yaml_list_in_flink_conf(config: View) -> Iterator[Finding]:
    """flink-conf.yaml reads one line a setting, so lists and long values are lost"""
    document = config.document
    if is_foreign(document):
        return
    told = set()
    for run in outline_of(document).runs:
        told.add(run.owner.key_span)
        if not any(is_tag(document, line.span) for line in run.lines):
            yield _goes_on(config, run)
    for entry in document.entries:
        # A long file is asked at every keystroke, and few of its values open anything.
        if entry.raw[0] not in _OPENING or entry.overridden or entry.key_span in told:
            continue
        if not is_tag(document, entry.key_span):
            yield from _one_line(config, entry)


def _goes_on(config: View, run: Run) -> Finding:
    count = f"{len(run.lines)} lines that follow" if len(run.lines) > 1 else "line that follows"
    option = _type(config, run.key)
    joined = "joined by `;`" if option.startswith("List") else "with the separator the option wants"
    if run.is_list:
        message = f"the list of {run.key} stands on lines of its own, and flink-conf.yaml knows none: Flink drops"
        message += " the key and its items"
        remedy = f"write `{run.key}: ` and the items on one line, {joined}"
    elif isinstance(run.owner, Entry):
        message = f"the value of {run.key} goes on below its line, and Flink drops the {count}"
        remedy = f"write the whole value of {run.key} on one line"
    else:
        message = f"the value of {run.key} stands below its line, so Flink drops both"
        remedy = f"write the value behind `{run.key}: ` on the same line"
    return config.finding(
        message,
        span=run.owner.key_span,
        key=run.key,
        help=remedy,
        severity=None if option else Severity.WARNING,
        evidence={"dropped_lines": len(run.lines)},
    )


def _one_line(config: View, entry: Entry) -> Iterator[Finding]:
    option = _type(config, entry.key)
    message = remedy = ""
    if opens_block(entry.raw):
        message = (
            f"{entry.key} opens a YAML block text, which flink-conf.yaml does not know: its value is `{entry.raw}`"
        )
        remedy = f"write the whole value of {entry.key} on one line"
    elif entry.raw[0] == "[" and entry.raw[-1] == "]":
        if option.startswith("List"):
            message = (
                f"{entry.key} is a list of one element that begins with a bracket: flink-conf.yaml knows no `[a, b]`"
            )
            remedy = "write the elements without brackets, joined by `;`"
        elif option == "String" and "," in entry.raw:
            message = (
                f"{entry.key} is a text, and flink-conf.yaml knows no `[a, b]`: the brackets are part of the value"
            )
            remedy = "write the elements without brackets, joined by `,`"
    elif entry.raw[0] == "{" and entry.raw[-1] == "}" and option == "Map":
        message = f"{entry.key} is a map, and flink-conf.yaml knows no `{{a: b}}`: the braces become part of its keys"
        remedy = "write it as `a:b,c:d`"
    if message:
        yield config.finding(
            message, span=entry.value_span, key=entry.key, help=remedy, severity=None if option else Severity.WARNING
        )


def _type(config: View, key: str) -> str:
    """The type of the option of a key in the newest release that knows it; empty if none does."""
    releases = config.catalogue.releases(key)
    accepted = config.catalogue.accept(key, releases[-1]) if releases else None
    if accepted is None:
        return "String" if config.catalogue.passes_through(key) else ""
    return accepted.option.type if accepted.how != "map" else "String"


def cases() -> list[Case]:
    return [
        bad(
            "classloader.parent-first-patterns.additional:\n  - org.a\n  - org.b\nrest.port: 8081\n",
            at="classloader.parent-first-patterns.additional",
            flink="1.18",
            severity=Severity.ERROR,
            says="drops the key and its items",
        ),
        bad("env.java.opts: -Xmx1g\n  -XX:+UseG1GC\n  -Dsun.net=x\n", at="env.java.opts", flink="1.17", says="2 lines"),
        bad("state.checkpoints.dir:\n  s3://bucket/checkpoints\n", at="state.checkpoints.dir", file="flink-conf.yaml"),
        bad("env.java.opts: >-\n  -Xmx1g\n  -Da=b\n", at="env.java.opts", flink="1.18"),
        bad("env.java.opts: |\n", at="env.java.opts", flink="1.18"),
        bad("classloader.parent-first-patterns.additional: [org.a, org.b]\n", at="[org.a, org.b]", flink="1.18"),
        bad("metrics.reporters: [prom, jmx]\n", at="metrics.reporters", flink="1.18"),
        bad("kubernetes.jobmanager.labels: {app: flink}\n", at="kubernetes.jobmanager.labels", flink="1.18"),
        good("classloader.parent-first-patterns.additional: org.a;org.b\n", flink="1.18"),
        good("classloader.parent-first-patterns.additional:\n  - org.a\n", flink="1.20"),
        good("jobmanager.bind-host: [::1]\nrest.port: 8081\n  rest.address: a\n", flink="1.18"),
        good("metrics.reporters:\n{% for r in reporters %}\n  - {{ r }}\n{% endfor %}\n", file="flink-conf.yaml"),
        bad("myapp.list:\n  - a\n  - b\nrest.port: 8081\n", flink="1.18", severity=Severity.WARNING),
        bad("myapp.text: |\nrest.port: 8081\n", flink="1.18", severity=Severity.WARNING),
        bad("metrics.reporters: [a, b]\nmetrics.reporters: a,b\nenv.java.opts: |\n", flink="1.18", at="env.java.opts"),
        bad("kubernetes.jobmanager.labels.app: [a, b]\n", flink="1.18"),
        bad("s3.endpoint: [a, b]\n", flink="1.18", severity=Severity.ERROR),
        good("metrics.reporters: [a, b]\nmetrics.reporters: a,b\n", flink="1.18"),
        good("metrics.reporters: a, b]\nrest.address: {a, b}\nparallelism.default: [1, 2]\n", flink="1.18"),
        good("metrics.reporters: [a, b\nmyapp.list: [a, b]\n", flink="1.18"),
        good("kubernetes.jobmanager.labels: a:b}\nkubernetes.taskmanager.labels: {a:b\n", flink="1.18"),
        good("metrics.reporters:\n  - {{ reporter }}\n", file="flink-conf.yaml"),
        good("metrics.reporters: [{{ a }}, {{ b }}]\n", file="flink-conf.yaml"),
        good("env.java.opts: |\n", flink="2.0", file="flink-conf.yaml"),
        good("apiVersion: v1\nenv.java.opts: |\nrest.port: 8081\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "flink-conf.yaml",
            "classloader.parent-first-patterns.additional:\n  - org.a\n  - org.b\n",
            both="rest.port: 8081\n",
            releases="<2",
        ),
        flink_ignores(
            "flink-conf.yaml",
            "env.java.opts: -Xmx1g\n  -XX:+UseG1GC\n",
            good="env.java.opts: -Xmx1g\n",
            releases="<2",
        ),
    ]
