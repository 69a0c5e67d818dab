"""The layers below other platforms' resources: Confluent's environments and the defaults of Ververica Platform."""

from __future__ import annotations

from collections import defaultdict

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layering.layer_graph import LayerGraph, ObjectName, object_name


def layer_platforms(graph: LayerGraph) -> None:
    """Add the layers below the resources of Confluent and Ververica Platform to a graph."""
    _environments(graph)
    _ververica(graph)


def _environments(graph: LayerGraph) -> None:
    """Layer each Confluent application over what the environment that it names says of applications."""
    for document in graph.documents:
        application = object_name(document) if document.kind == "other-cr" else None
        if application is None or application.kind != "FlinkApplication":
            continue
        for element in document.elements:
            environment = element.value("spec.flinkEnvironment") if element.kind == "kubernetes-object" else None
            if not isinstance(environment, str):
                continue
            for lower in graph.nearest(document, ObjectName("FlinkEnvironment", application.namespace, environment)):
                if lower.prevails:
                    graph.merge_layers(document, lower, "its environment, which takes precedence")


def _ververica(graph: LayerGraph) -> None:
    """Layer a deployment over the defaults of its platform and namespace, and its session cluster."""
    platform = [document for document in graph.documents if document.kind == "ververica"]
    installed = [document for document in platform if document.name == "globalDeploymentDefaults"]
    named = [(document, name) for document in platform if (name := object_name(document)) is not None]
    defaults: dict[str, list[Document]] = defaultdict(list)
    for document, name in named:
        if name.kind == "DeploymentDefaults":
            defaults[name.namespace].append(document)
    for document, name in named:
        if len(installed) == 1 and name.kind in ("Deployment", "DeploymentDefaults"):
            graph.merge_layers(document, installed[0], "default of the platform")
        if name.kind != "Deployment":
            continue
        if len(defaults[name.namespace]) == 1:
            graph.merge_layers(document, defaults[name.namespace][0], "default of the namespace")
        for element in document.elements:
            session = element.value("spec.sessionClusterName")
            if isinstance(session, str):
                for lower in graph.nearest(document, ObjectName("SessionCluster", name.namespace, session)):
                    graph.merge_layers(document, lower, "session cluster")
                    graph.pass_release(document, lower)
