"""The operator's chart is told to drop its default configuration, which opens the modules of Java 17.

## What it does
Reports `defaultConfiguration.append: false` in the values of the chart of the Flink Kubernetes Operator, where
`create` is not off and the configuration in the values has no `--add-opens` of its own.

## Why it matters
With `append: false` the chart writes only what the values have; the files it ships are left out as a whole. From 1.11
on these have `kubernetes.operator.default-configuration.flink-version.v1_18.env.java.opts.all` and, for 1.19 and newer,
`…v1_19+.env.java.default-opts.all`, which give each deployment the options `--add-opens` and `--add-exports`. The
operator writes the configuration of its deployments itself, and the one in their image, which has them too, is not
read. On Java 17 jobs then fail with `java.lang.reflect.InaccessibleObjectException: Unable to make field … accessible:
module java.base does not "opens java.util" to unnamed module`, at the first record that Kryo has to copy. The chart's
logging files are left out as well.

## What to do
Delete the line, as what the values have is written behind the defaults and wins. Or copy the two options from the
chart's `conf/flink-conf.yaml`.

## Not when
`create: false`, with which the chart writes no configuration; an operator before 1.11, whose defaults have no such
options; all deployments of the project have an image with Java 11 or older; a template gives the values.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/release-1.15/helm/flink-kubernetes-operator/values.yaml>:
  `append`
- <https://github.com/apache/flink-kubernetes-operator/blob/release-1.15/helm/flink-kubernetes-operator/conf/flink-conf.yaml>:
  the options
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import java_of_image
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources

_VALUES = ["element:operator-values"]
_CLUSTERS = [f"element:kubernetes-object/{kind}" for kind in CLUSTERS]
_APPEND = "defaultConfiguration.append"
_FILES = ("flink-conf.yaml", "config.yaml")
_FIRST = (1, 11)
"""The first operator whose default configuration opens modules."""
_FIRST_JAVA = 17


@rule(
    code="FLK791",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_VALUES,
    scope="project",
    compares=[(_VALUES, [*_VALUES, *_CLUSTERS])],
    since="0.1",
)
def operator_defaults_dropped(project: Project) -> Iterator[Finding]:
    """the operator's chart drops its defaults, which open the modules of Java 17"""
    javas = [
        java_of_image(resource.text("image") or "") for view in project.views for resource in resources(view, *CLUSTERS)
    ]
    if javas and all(java is not None and java < _FIRST_JAVA for java in javas):
        return
    for view in project.views:
        for part in view.elements("operator-values"):
            if not _is_false(part, _APPEND) or _is_false(part, "defaultConfiguration.create"):
                continue
            release = _release(part) or view.installed_operator
            if release is not None and release < _FIRST:
                continue
            if any(_opens(part, f"defaultConfiguration.{name}") for name in _FILES):
                continue
            yield part.finding(
                "append: false leaves out the chart's own configuration, with the --add-opens for the pods: on Java 17"
                " jobs fail with InaccessibleObjectException",
                of=_APPEND,
                help="delete the line: these values are written behind the defaults, and win",
            )


def _is_false(part: ElementView, name: str) -> bool:
    return str(part.value(name)).lower() == "false"


def _opens(part: ElementView, name: str) -> bool:
    """Return whether a file in the values opens modules, or is not known."""
    if not part.has(name):
        return False
    text = part.text(name)
    return text is None or "--add-opens" in text or "{{" in text


def _release(part: ElementView) -> tuple[int, int] | None:
    found = re.fullmatch(r"v?(\d{1,3})\.(\d{1,3})(?:\.\d{1,3})?", part.text("image.tag") or "", re.ASCII)
    return (int(found[1]), int(found[2])) if found else None


_DEFAULTS = """image:
  repository: apache/flink-kubernetes-operator
  tag: "%s"
defaultConfiguration:
  create: %s
  append: %s
  flink-conf.yaml: |+
    kubernetes.operator.reconcile.interval: 15 s%s
"""
_OPENED = "\n    env.java.opts.all: --add-opens=java.base/java.util=ALL-UNNAMED"


def cases() -> list[Case]:
    dropped = _DEFAULTS % ("1.12.0", "true", "false", "")
    java17 = deployment(version="v1_20", image="flink:1.20-java17")
    return [
        bad(dropped, file="values.yaml", at="false", says="--add-opens"),
        bad(dropped, file="values.yaml", beside={"orders.yaml": java17}),
        bad("watchNamespaces: [a]\n" + dropped.partition("\n")[2].replace('  tag: "1.12.0"\n', ""), file="values.yaml"),
        good(_DEFAULTS % ("1.12.0", "true", "true", ""), file="values.yaml"),
        good(_DEFAULTS % ("1.12.0", "false", "false", ""), file="values.yaml"),
        good(_DEFAULTS % ("1.10.0", "true", "false", ""), file="values.yaml"),
        good(_DEFAULTS % ("1.12.0", "true", "false", _OPENED), file="values.yaml"),
        good(dropped, file="values.yaml", beside={"orders.yaml": deployment(image="flink:1.18-java11")}),
    ]
