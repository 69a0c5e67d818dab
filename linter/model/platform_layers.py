"""The layers below other platforms' resources: Confluent's environments and the defaults of Ververica Platform."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_OBJECT = regex(r"([A-Za-z]+) ([^/ ]+)/([^ ]+)")

Nearest = Callable[[Document, tuple[str, str, str]], Sequence[Document]]
"""A function from a document and a (kind, namespace, name) to the nearest such objects."""


class PlatformLayer(NamedTuple):
    """Two documents of one platform, of which the upper one overrides the lower one, with the reason."""

    upper: Document
    lower: Document
    why: str
    names_release: bool = False


def platform_layers(documents: Sequence[Document], nearest: Nearest) -> Iterator[PlatformLayer]:
    """Yield the layers directly below the resources of Confluent and Ververica Platform."""
    yield from _environments(documents, nearest)
    yield from _ververica([document for document in documents if document.kind == "ververica"], nearest)


def _environments(documents: Sequence[Document], nearest: Nearest) -> Iterator[PlatformLayer]:
    """Yield what an environment says of applications, for each application that names it."""
    for document in documents:
        match = _OBJECT.match(document.name or "") if document.kind == "other-cr" else None
        if match is None or match[1] != "FlinkApplication":
            continue
        for element in document.elements:
            environment = element.value("spec.flinkEnvironment") if element.kind == "kubernetes-object" else None
            if not isinstance(environment, str):
                continue
            for lower in nearest(document, ("FlinkEnvironment", match[2], environment)):
                if lower.prevails:
                    yield PlatformLayer(document, lower, "its environment, which takes precedence")


def _ververica(platform: Sequence[Document], nearest: Nearest) -> Iterator[PlatformLayer]:
    """Yield the defaults of a deployment's platform and namespace, and its session cluster."""
    installed = [document for document in platform if document.name == "globalDeploymentDefaults"]
    named = [(document, match) for document in platform if (match := _OBJECT.match(document.name or ""))]
    defaults: dict[str, list[Document]] = defaultdict(list)
    for document, match in named:
        if match[1] == "DeploymentDefaults":
            defaults[match[2]].append(document)
    for document, match in named:
        if len(installed) == 1 and match[1] in ("Deployment", "DeploymentDefaults"):
            yield PlatformLayer(document, installed[0], "default of the platform")
        if match[1] != "Deployment":
            continue
        if len(defaults[match[2]]) == 1:
            yield PlatformLayer(document, defaults[match[2]][0], "default of the namespace")
        for element in document.elements:
            session = element.value("spec.sessionClusterName")
            if isinstance(session, str):
                for lower in nearest(document, ("SessionCluster", match[2], session)):
                    yield PlatformLayer(document, lower, "session cluster", names_release=True)
