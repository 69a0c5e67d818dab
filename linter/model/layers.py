"""Relations between the documents of a run: which one overrides another, and which one names the release of another.

- A session job overrides its session cluster, a deployment the operator's defaults or those of its platform. The
  environment of a Confluent application takes precedence over the application.
- A workload or a Compose service overrides the configuration files and ConfigMaps it mounts, and its image determines
  their release. The image of a Dockerfile does so for the files that are copied into it.
- A Kustomize patch overrides its base, the Helm values of an environment those of the chart.
- A program or script overrides the deployment that a ``[[link]]`` in flint.toml names, or that runs its class or the
  JAR of its module, or the only one of its module. A SQL script overrides the service whose SQL client runs it, and
  the script that initializes the session.

All of this follows from names and paths alone, whatever the order of the files.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.folders import absolute_path
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.config.flint_config import Link
    from flink_flint.linter.model.containers.mounts import Mount
    from flink_flint.linter.model.layering.container_layers import ContainerLayers
    from flink_flint.linter.model.layering.layer_graph import LayerGraph
    from flink_flint.linter.model.layering.unused_elements import WordsUsed


class Relation(NamedTuple):
    """The documents related to a document (lower and upper layers, used classes), and facts derived from them."""

    below: tuple[Document, ...] = ()
    """The documents whose settings this document overrides, the lowest layer first."""
    release: tuple[str, str] | None = None
    """The Flink release that a related document names, with the evidence for it; None if there is no such document."""
    named_in: tuple[Document, ...] = ()
    """The documents that name the release, such as workloads with their images or a Dockerfile."""
    platform: str | None = None
    started_on: str | None = None
    """The platform of the containers that start JobManagers or TaskManagers with the document; None if unknown."""
    why: Mapping[int, str] = {}
    """The reason why each document in `below` is a lower layer, by the document's index in `below`."""
    beside: tuple[Document, ...] = ()
    """Other documents of the same module that contain classes used by this document."""
    profile: str | None = None
    """The profile of the containers that mount the document or submit the program; None unless all have the same."""
    is_mounted: bool = False
    """Whether containers in this run mount the document; the volumes of such containers decide which paths exist."""
    is_left_aside: bool = False
    """Whether the document is a file for the containers of a Compose file, or a ConfigMap, that nothing has."""
    is_unmounted: bool = False
    """Whether it is a ConfigMap beside deployments of Flink that nothing mounts, as far as the repository shows."""
    without_it: tuple[Document, ...] = ()
    """The workloads of Flink beside the document, which is a ConfigMap with Flink's configuration that nothing mounts.

    What the repository shows runs without it. Empty for other documents.
    """
    is_not_loaded: bool = False
    """Whether the document is a configuration file with a name that Flink does not read, and nothing renames it."""
    may_run_python: bool = False
    """Whether programs in Python may run on the deployment that the document is of or that reads it."""
    passed: Mapping[str, str | None] = {}
    """The settings of a program whose defaults its deployment replaces, and their values (None: unknown)."""
    used_elsewhere: Container[str] = frozenset()
    """The words of the document's unused elements that other programs and scripts of the repository have."""
    is_without_sql: bool = False
    """Whether the programs of the document's repository are known, and none of them uses tables or SQL."""
    above: tuple[Document, ...] = ()
    """The documents that override settings of this document."""
    mounts: tuple[Mount, ...] = ()
    """The configuration files that the document's containers mount, or that are copied into their images."""
    dockerfile: Document | None = None
    """The Dockerfile that builds the image of the document's containers; None if it cannot be determined."""
    arguments: tuple[Document, ...] = ()
    """The documents with arguments of individual Compose services; they override the services' shared settings."""
    services: tuple[Document, ...] = ()
    """The Services that select the document's pods, and the Ingresses and routes that lead to them."""
    programs: tuple[Document, ...] = ()
    """The programs that may use this document's class, if it is a program that has settings but declares no job.

    For a SQL script the programs of its repository, which may run it.
    """
    clusters: tuple[Document, ...] = ()
    """For a program or SQL script the deployments and configuration files of its repository, which it may run on."""
    workloads: tuple[Document, ...] | None = None
    """What is rendered from a chart, for values of it that its templates use but no rendering contains.

    Nothing shows whether such values are ever deployed. None for other documents.
    """


ALONE = Relation()
"""The relation of a document that is not related to any other document."""


_JOBS = ("source", "sql")
"""The kinds of documents that run on a deployment."""

_RESOURCES = "/src/main/resources/"


def is_resource(document: Document) -> bool:
    """Return whether a document is a configuration file among the resources of a JAR, of Flink or of its logging.

    Flink looks into no JAR for either: it starts its processes with the logging file of its configuration directory,
    and it loads the logging libraries and their resources from its own class path first.
    """
    if not (document.is_configuration_file or document.kind == "logging"):
        return False
    return _RESOURCES in absolute_path(document.path).replace(os.sep, "/")


def relate(documents: Sequence[Document], links: Sequence[Link] = ()) -> dict[int, Relation]:
    """Return each document's `Relation` by its index in `documents`; unrelated documents are left out."""
    from flink_flint.linter.model.layering.container_layers import ContainerLayers
    from flink_flint.linter.model.layering.deployment_overrides import layer_deployments
    from flink_flint.linter.model.layering.layer_graph import LayerGraph
    from flink_flint.linter.model.layering.left_aside import files_left_aside
    from flink_flint.linter.model.layering.program_layers import classes_beside, layer_programs
    from flink_flint.linter.model.layering.python_clusters import python_clusters
    from flink_flint.linter.model.layering.unloaded_files import files_not_loaded

    ordered = sorted(documents, key=lambda document: (document.path, document.number))
    graph = LayerGraph(ordered)
    containers = ContainerLayers(graph)
    containers.find_images()
    layer_deployments(graph)
    if any(document.kind in ("other-cr", "ververica") for document in ordered):
        from flink_flint.linter.model.layering.platform_layers import layer_platforms

        layer_platforms(graph)
    containers.layer_contents()
    # Flink does not look into JARs for its configuration; containers and images may have the same file elsewhere.
    in_jars = [
        one for one in ordered
        if is_resource(one) and not containers.has(one) and not graph.has_passed_release(one)
    ]  # fmt: skip
    left_aside = files_left_aside(graph, containers)
    unmounted = _unmounted_maps(graph, containers)
    scripts: Mapping[int, Sequence[Document]] = {}
    declaring: Mapping[int, Sequence[Document]] = {}
    if any(document.kind == "sql" for document in ordered):
        from flink_flint.linter.model.layering.script_layers import layer_scripts
        from flink_flint.linter.model.layering.tables_beside import tables_beside

        declaring = tables_beside(ordered)
        scripts = layer_scripts(graph)
    not_read = files_not_loaded(graph, containers)
    read_by_none = [*left_aside, *not_read, *(document for document in ordered if id(document) in unmounted)]
    layer_programs(graph, containers, links, in_jars, read_by_none)
    placed, for_trials = _placed_logging(ordered), _submitted_for_development(graph, scripts)
    beside, services = classes_beside(ordered), _reaching_services(ordered)
    sources = tuple(document for document in ordered if document.kind == "source")
    programs = _of_repositories(sources)
    has_jobs = any(document.kind in _JOBS for document in ordered)
    clusters = _of_repositories(one for one in ordered if one.kind not in _JOBS) if has_jobs else {}
    related = {
        id(document): _relation(graph, containers, document)._replace(
            beside=(*beside.get(id(document), ()), *declaring.get(id(document), ())),
            services=tuple(services.get(id(document), ())),
            programs=_programs_for(document, sources, programs),
            clusters=_in_repository_of(document, clusters) if document.kind in _JOBS else (),
        )
        for document in ordered
    }  # fmt: skip
    above: dict[int, list[Document]] = defaultdict(list)
    for document in ordered:
        for lower in related[id(document)].below:
            above[id(containers.whole_of(lower))].append(document)
    without_sql: set[int] = set()
    if sources:
        from flink_flint.linter.model.layering.table_programs import documents_without_sql

        without_sql = documents_without_sql(ordered)
    used_elsewhere: Mapping[int, WordsUsed] = {}
    if has_jobs:
        from flink_flint.linter.model.layering.unused_elements import words_used_elsewhere

        used_elsewhere = words_used_elsewhere(ordered)
    passed: Mapping[int, Mapping[str, str | None]] = {}
    if sources:
        from flink_flint.linter.model.layering.passed_parameters import passed_values

        passed = passed_values(ordered, {number: relation.below for number, relation in related.items()})
    not_loaded = {id(document) for document in not_read}
    unused, of_python = {id(document) for document in left_aside}, python_clusters(graph, containers)
    found: dict[int, Relation] = {}
    for place, document in enumerate(documents):
        upper = tuple(above[id(document)])
        relation = related[id(document)]._replace(
            above=upper,
            is_mounted=related[id(document)].is_mounted or id(document) in placed,
            profile="development" if id(document) in for_trials else related[id(document)].profile,
            is_left_aside=(id(document) in unused or id(document) in unmounted) and not upper,
            is_unmounted=id(document) in unmounted and not upper,
            without_it=() if upper else tuple(unmounted.get(id(document), ())),
            is_not_loaded=id(document) in not_loaded and not upper,
            may_run_python=id(document) in of_python,
            is_without_sql=id(document) in without_sql,
            passed=passed.get(id(document), {}),
            used_elsewhere=used_elsewhere.get(id(document), frozenset()),
        )
        if relation != ALONE:
            found[place] = relation
    return found


def _placed_logging(documents: Sequence[Document]) -> frozenset[int]:
    """Return the ids of the logging files in the resources of JARs that containers have in another place, too."""
    files = [one for one in documents if one.kind == "logging" and is_resource(one)]
    if not files:
        return frozenset()
    from flink_flint.linter.model.layering.placed_files import placed_files

    return placed_files(files, documents)


def _submitted_for_development(graph: LayerGraph, scripts: Mapping[int, Sequence[Document]]) -> frozenset[int]:
    """Return the ids of the programs and SQL scripts that only containers for development submit or mount.

    For a program with a known deployment, the deployment counts. `scripts` are the mounted ones, with who mounts them.
    """
    if not any(one.profile == "development" for one in graph.documents):
        return frozenset()
    from flink_flint.linter.model.layering.development_services import scripts_for_development

    found = frozenset(script for script, by in scripts.items() if all(one.profile == "development" for one in by))
    found |= frozenset(one for one in scripts_for_development(graph.documents) if one not in scripts)
    programs = [one for one in graph.documents if one.kind == "source" and not graph.steps_below(one)]
    if not programs:
        return found
    from flink_flint.linter.model.layering.program_submissions import submitted_for_development

    return found | submitted_for_development(programs, graph.documents)


def _unmounted_maps(graph: LayerGraph, containers: ContainerLayers) -> Mapping[int, Sequence[Document]]:
    """Return the workloads that run without ConfigMaps that nothing mounts, by the id of the ConfigMap's document."""
    if not any(document.kind == "configmap" for document in graph.documents):
        return {}
    from flink_flint.linter.model.layering.unmounted_maps import unmounted_maps

    return unmounted_maps(graph, containers)


def _relation(graph: LayerGraph, containers: ContainerLayers, document: Document) -> Relation:
    """Return what a document's layers and containers say of it."""
    below: list[Document] = []
    why: dict[int, str] = {}
    _gather(graph, document, below, why, {id(document)})
    release, platform = graph.passed_release(document)
    for lower in reversed(below):
        if release is None and document.release is None:
            release = graph.release_of(lower)
        platform = platform or lower.platform
    return Relation(
        tuple(below), release, _naming(graph, containers, document), platform, containers.started_on(document), why,
        profile=containers.profile_of(document), is_mounted=containers.has(document),
        mounts=tuple(containers.mounts_of(document)), dockerfile=containers.dockerfile_of(document),
        arguments=_arguments_of(graph, document),
    )  # fmt: skip


def _naming(graph: LayerGraph, containers: ContainerLayers, document: Document) -> tuple[Document, ...]:
    """Return the documents where the release of a document is written that does not name it in its own text."""
    named_in = graph.documents_that_name_release(document) or (document,)
    found = [one if one.release_span is not None else containers.dockerfile_of(one) for one in named_in]
    others = {id(one): one for one in found if one is not None and one is not document and one.release is not None}
    return tuple(others.values())


def _gather(
    graph: LayerGraph, document: Document, lower_layers: list[Document], why: dict[int, str], seen: set[int]
) -> None:
    """Add the layers below a document, the lowest first, and the reasons for them by their indices."""
    for step in graph.steps_below(document):
        if id(step.lower) not in seen:
            seen.add(id(step.lower))
            _gather(graph, step.lower, lower_layers, why, seen)
            why[len(lower_layers)] = step.why
            lower_layers.append(step.lower)


def _arguments_of(graph: LayerGraph, document: Document) -> tuple[Document, ...]:
    """Return the documents of the arguments of single services among those that share a document."""
    if document.kind != "compose" or not (document.name or "").startswith("services "):
        return ()
    names = {f"service {element.name}" for element in document.elements_of(("container",))}
    beside = graph.files_at(absolute_path(document.path))
    return tuple(other for other in beside if other is not document and other.name in names)


def _reaching_services(documents: Sequence[Document]) -> Mapping[int, Sequence[Document]]:
    """Return the Services that reach the pods of documents, by the id of the document."""
    names = ("Service", "Ingress", "Route", "HTTPRoute", "IngressRoute")
    if not any(one.name in names for document in documents for one in document.elements_of(("kubernetes-object",))):
        return {}
    from flink_flint.linter.model.containers.pod_services import services_by_document

    return services_by_document(documents)


def _programs_for(
    document: Document, sources: tuple[Document, ...], of_repositories: Mapping[str | None, tuple[Document, ...]]
) -> tuple[Document, ...]:
    """Return the programs that may use the class of a document, or run it if it is a SQL script."""
    if document.kind == "sql":
        return _in_repository_of(document, of_repositories)
    return sources if _declares_no_job(document) else ()


def _in_repository_of(
    document: Document, of_repositories: Mapping[str | None, tuple[Document, ...]]
) -> tuple[Document, ...]:
    from flink_flint.linter.model.layering.layer_graph import repository_of_document

    return of_repositories.get(repository_of_document(document), ()) if of_repositories else ()


def _of_repositories(documents: Iterable[Document]) -> dict[str | None, tuple[Document, ...]]:
    """Return documents by the root of their repository."""
    from flink_flint.linter.model.layering.layer_graph import by_repository

    return {repository: tuple(found) for repository, found in by_repository(documents).items()}


def _declares_no_job(document: Document) -> bool:
    """Return whether a program has no job that its settings and its sources and sinks are surely for."""
    return document.kind == "source" and not document.elements_of(("job",))
