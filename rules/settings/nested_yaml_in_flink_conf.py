"""flink-conf.yaml is not YAML: nested keys lose their parents.

## What it does
Reports indented lines below a key without a value in `flink-conf.yaml`, once for each block.

## Why it matters
Up to 1.20 Flink reads this file line by line and ignores indentation. Of

    taskmanager:
      numberOfTaskSlots: 4

it drops the first line and takes the second for a setting of the key `numberOfTaskSlots`, which means nothing.
The TaskManager gets one slot, and the log holds one warning about the first line.

## What to do
Write the keys flat: `taskmanager.numberOfTaskSlots: 4`. The fix does; it is safe where Flink knows the flat
keys and no other line sets them, because the block had no effect before. Or use `config.yaml` (from 1.19),
where nesting is right.

## Not when
- Lines that merely are indented, below a line with a value: Flink reads them as they are.
- Indented lines that are full keys of Flink by themselves, where the nested key would be none.
- Kubernetes manifests and templates.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/>: nested keys are for config.yaml
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-366:+Support+standard+YAML+for+FLINK+configuration>:
  the old parser knows no nested settings
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit, Span
from flink_flint.rules.settings._lines import Nest, is_known, is_tag, outline_of


@rule(
    code="FLK009", severity=Severity.ERROR, confidence=Confidence.HIGH, flink="<2", since="0.1", when=["skipped-line"]
)
def nested_yaml_in_flink_conf(config: View) -> Iterator[Finding]:
    """flink-conf.yaml knows no nesting, so indented keys lose their parents"""
    for nest in outline_of(config.document).nests:
        members = nest.members
        if any(is_tag(config.document, entry.key_span) for entry, _ in members):
            continue
        first, key = members[0]
        more = f", and {len(members) - 1} more like it" if len(members) > 1 else ""
        yield config.finding(
            f"flink-conf.yaml knows no nesting: Flink drops `{nest.heading.key}:` and reads {first.key} instead of"
            f" {key}{more}",
            span=nest.heading.span,
            key=key,
            help=f"write flat keys (`{key}: …`), or move the settings to config.yaml (Flink 1.19 and later)",
            severity=None if any(is_known(key) for _, key in members) else Severity.WARNING,
            fix=_flatten(config, nest),
        )


def _flatten(config: View, nest: Nest) -> Fix:
    """Write every key in full at the margin and take the headings out, keeping their comments."""
    document = config.document
    lines, text = document.lines, document.text
    edits = []
    for heading in nest.headings:
        number = lines.position(heading.span.start).line
        line = lines.span(number)
        comment = text.find("#", heading.span.end, line.end)
        edits.append(Edit(lines.full_span(number) if comment < 0 else Span(line.start, comment), ""))
    written = [(entry.key_span, key) for entry, key in nest.members]
    written += [(heading.key_span, key) for heading, key in nest.others]
    for span, key in written:
        start = lines.span(lines.position(span.start).line).start
        edits.append(Edit(Span(start, span.end), key))
    return Fix("write the keys flat", edits, _is_safe(config, [key for _, key in nest.members]))


def _is_safe(config: View, keys: Sequence[str]) -> bool:
    """Whether Flink knows all the keys and nothing else in the file sets them."""
    for key in keys:
        names = config.catalogue.current_names(key) or (key,)
        if not is_known(key) or key in config.document.effective or any(config.is_set(n) for n in names):
            return False
    return True


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager:\n  numberOfTaskSlots: 4\n  memory:\n    process:\n      size: 4g # all\nrest.port: 8081\n",
            at="taskmanager.numberOfTaskSlots",
            flink="1.18",
            severity=Severity.ERROR,
            says="and 1 more",
            fixed="taskmanager.numberOfTaskSlots: 4\ntaskmanager.memory.process.size: 4g # all\nrest.port: 8081\n",
        ),
        bad(
            "# cluster\nakka: # messages\n  framesize: 20971520b\n\nmetrics:\n  reporters:\n    - prom\n",
            at="akka:",
            file="flink-conf.yaml",
            fixed="# cluster\n# messages\nakka.framesize: 20971520b\n\nmetrics:\n  reporters:\n    - prom\n",
        ),
        bad(
            "jobmanager:\n  bind-host: a\n  rpc:\n    port:6123\n",
            flink="1.18",
            fixed="jobmanager.bind-host: a\njobmanager.rpc.port:6123\n",
        ),
        bad("myapp:\n  window: 10\n", at="myapp.window", flink="1.18", severity=Severity.WARNING),
        bad("fs:\n  s3a:\n    endpoint.region: eu-west-1\n", flink="1.18", severity=Severity.ERROR),
        bad("rest:\n  port: 8082\nrest.port: 8081\n", flink="1.18", fixed="rest.port: 8082\nrest.port: 8081\n"),
        good("  rest.port: 8081\n    rest.address: a\n", flink="1.18"),
        good("state.checkpoints.dir:\n  rest.port: 8081\n", flink="1.18"),
        good("taskmanager:\n  numberOfTaskSlots: 4\n", flink="1.20"),
        good(
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  flink-conf.yaml: |\n    rest.port: 8081\n",
            file="flink-conf.yaml",
        ),
        good("rest:\n  port: {{ port }}\n", file="flink-conf.yaml"),
        bad(
            "rest:\n  port: {{ port }}\nakka: # a # b\n  framesize: 20971520b\n",
            file="flink-conf.yaml",
            fixed="rest:\n  port: {{ port }}\n# a # b\nakka.framesize: 20971520b\n",
        ),
        good("taskmanager:\n  numberOfTaskSlots: 4\n", flink="2.0", file="flink-conf.yaml"),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "flink-conf.yaml",
            "taskmanager:\n  numberOfTaskSlots: 4\n",
            good="numberOfTaskSlots: 4\n",
            releases="<2",
        ),
    ]
