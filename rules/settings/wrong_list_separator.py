"""A list is written with commas, so Flink reads one long element.

## What it does
Options of a list type take `a;b` (in `config.yaml` also a YAML list). The rule reports a value of such an
option that is one string with commas in which every part looks like an element of its own: a name, a class,
a path or a URL without other separators.

## Why it matters
Flink does not complain: `a,b` is one element. No class begins with `com.a.,com.b.`, no jar is called
`a.jar,b.jar`, and no Kubernetes secret `one,two`.

## What to do
Separate the elements by `;`, or write a YAML list in `config.yaml`.

## Not when
- The option splits its value at commas by itself: `metrics.reporters`, `io.tmp.dirs`, ZooKeeper's quorum and
  others that are plain strings for Flink, and the filters of metrics reporters.
- An element has an inner structure of its own, with commas in it (`name:a,path:b` in `pipeline.cached-files`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the type of each option
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/StructuredOptionsSplitter.java>:
  how a list is split
"""

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._keys import shown

_ELEMENT = r"(?:[A-Za-z][\w+.-]*://)?[\w.$/@%+~*-]+(?::\d[\w./$%+~*-]*+)?"


@rule(
    code="FLK039",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    since="0.1",
    scope="key",
    when=["type:List<String>"],
)
def wrong_list_separator(config: View, setting: Setting) -> Iterator[Finding]:
    """a list is written with commas, so Flink reads one long element"""
    option, entry, elements = setting.option, setting.entry, setting.value
    assert entry is not None
    if not isinstance(elements, list) or len(elements) != 1 or not isinstance(entry.value, str):
        return
    assert option is not None  # whose value it is
    if option.templated or not setting.is_read:
        return
    parts = [part.strip() for part in str(elements[0]).split(",")]
    if len(parts) < 2 or not all(re.fullmatch(_ELEMENT, part) for part in parts):
        return
    yield setting.finding(
        f"{setting.written} is a list that Flink splits at `;`: {shown(entry.text)} is one element",
        help=f"write {shown(';'.join(parts))}",
        fix=setting.replace(";".join(parts)),
        evidence={"elements": len(parts)},
    )


def cases() -> list[Case]:
    return [
        bad(
            "classloader.parent-first-patterns.additional: com.a.,com.b.\n",
            at="com.a.,com.b.",
            flink="1.18",
            fixed="classloader.parent-first-patterns.additional: com.a.;com.b.\n",
        ),
        bad("pipeline.jars: file:///a.jar, file:///b.jar\nparallelism.default: 2\n", severity=Severity.WARNING),
        bad(
            "kubernetes.container.image.pull-secrets: one,two\nparallelism.default: 2\n",
            flink="1.20",
            file="flink-conf.yaml",
        ),
        good(
            "classloader.parent-first-patterns.additional: com.a.;com.b.\npipeline.jars: file:///a.jar\n", flink="1.18"
        ),
        good("pipeline.jars: [file:///a.jar, file:///b.jar]\nparallelism.default: 2\n"),
        good(
            "metrics.reporters: a,b\nio.tmp.dirs: /a,/b\nhigh-availability.zookeeper.quorum: a:2181,b:2181\n",
            flink="1.18",
        ),
        good("pipeline.cached-files: name:a,path:/b\nmetrics.reporter.a.filter.includes: a:b,c\n", flink="1.18"),
        good("pipeline.jars: ['file:///a.jar,file:///b.jar']\nparallelism.default: 2\n"),
        good("pipeline.jars: file:///a.jar,file:///b.jar;file:///c.jar\nparallelism.default: 2\n"),
        good("pipeline.classpaths: file:///my, own jars/a.jar\nparallelism.default: 2\n"),
        good("metrics.reporter.a.filter.includes: jobs,tasks\nparallelism.default: 2\n"),
        good(
            "pipeline.jars: ${JARS},file:///b.jar\nclassloader.parent-first-patterns.additional: a.,b.\n", flink="1.14"
        ),
        good("pipeline.jars: file:///a.jar\npipeline.classpaths: ''\n"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses("options", "pipeline.jars: a.jar,b.jar\n", "[a.jar,b.jar]", good="pipeline.jars: a.jar;b.jar\n"),
    ]
