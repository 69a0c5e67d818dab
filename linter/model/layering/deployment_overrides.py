"""Layers of deployments: defaults of the operator, patches over their bases, values over a chart's, session jobs.

A session job overrides its session cluster, a deployment the operator's defaults. A Kustomize patch overrides its base,
the Helm values of an environment those of the chart.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict

from flink_flint.linter.filesystem.folders import absolute_path
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layering.kustomization_bases import bases_of
from flink_flint.linter.model.layering.layer_graph import LayerGraph, ObjectName, object_name, upwards


def layer_deployments(graph: LayerGraph) -> None:
    """Add the layers below deployments, patches, values and session jobs to a graph."""
    _defaults(graph)
    _patches(graph)
    _values(graph)
    _session_jobs(graph)


def _defaults(graph: LayerGraph) -> None:
    """Layer deployments over the nearest defaults of an operator; over none if several are equally near."""
    within: dict[str, list[Document]] = defaultdict(list)
    for lower in graph.documents:
        if lower.is_operator_defaults:
            for folder in upwards(absolute_path(lower.directory)):
                within[folder].append(lower)
    for document in graph.documents if within else ():
        if document.kind in ("flinkdeployment", "bluegreen") and document.whole:
            folders = upwards(absolute_path(document.directory))
            defaults = next((within[folder] for folder in folders if folder in within), [])
            if len({lower.path for lower in defaults}) == 1:
                for lower in defaults:
                    graph.merge_layers(document, lower, "default of the operator")


def _patches(graph: LayerGraph) -> None:
    """Layer each patch over the only object of its kind and name, preferably one that its kustomization reaches."""
    groups: dict[tuple[str, str], list[Document]] = defaultdict(list)
    for (kind, _, name), members in graph.objects().items():
        groups[kind, name] += members
    for (kind, name), members in groups.items():
        bases = [document for document in members if document.whole]
        files: dict[str, list[Document]] = defaultdict(list)
        for base in bases:
            files[absolute_path(base.path)].append(base)
        for patch in members:
            if patch.whole or kind == "ConfigMap" or name == "?":
                continue
            named = bases_of(os.path.dirname(absolute_path(patch.path)))
            reached = [base for path in named if path in files for base in files[path]] or bases
            if len(reached) == 1:
                graph.merge_layers(patch, reached[0], "base")


def _values(graph: LayerGraph) -> None:
    """Layer the Helm values of an environment over those of the chart, and later values over earlier ones."""
    for document in graph.documents:
        name = document.file_name
        if document.overrides is not None:
            for lower in graph.files_at(absolute_path(document.path)):
                if lower.number == document.overrides.number:
                    graph.merge_layers(document, lower, "earlier values")
        if document.kind != "helm" or not re.match(r"values[-._].+\.ya?ml", name):
            continue
        ending = name[name.rindex(".") :]
        for lower in graph.files_at(document.absolute(f"values{ending}")):
            if lower.name == document.name:
                graph.merge_layers(document, lower, "values of the chart")


def _session_jobs(graph: LayerGraph) -> None:
    """Layer each session job over its session cluster."""
    for document in graph.documents:
        for element in document.elements_of(("kubernetes-object",)):
            if element.name != "FlinkSessionJob":
                continue
            cluster, job = element.value("spec.deploymentName"), object_name(document)
            if job is None or not isinstance(cluster, str):
                continue
            for lower in graph.nearest(document, ObjectName("FlinkDeployment", job.namespace, cluster)):
                graph.merge_layers(document, lower, "session cluster")
                graph.pass_release(document, lower)
