"""Objects that install Helm charts with values: Argo CD, Flux, Crossplane's Helm provider, and the K3s Helm controller.

The values are read as a values file is. They override those of the chart, so the documents are partial.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.helm.helm_values import FILE_FORMAT as HELM_VALUES
from flink_flint.linter.formats.helm.helm_values import values_documents
from flink_flint.linter.formats.helm.parameters import Parameter, ParameterDocument, parameters_text
from flink_flint.linter.formats.inner_document import inner_documents
from flink_flint.linter.formats.kubernetes.manifest_object import Manifest
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import OPERATOR_DEFAULTS, Document
from flink_flint.linter.text.named_tuple import NamedTuple

INLINE = "values-inline.yaml"
"""The file name given to a chart release's inline values, so that they count as partial values of one environment."""
_MAX_SOURCES = 50


class _Places(NamedTuple):
    """Where an object has values, the lowest layer first."""

    texts: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


_ARGO = _Places(texts=("values",), objects=("valuesObject",), parameters=("parameters",))
_PLACES = {
    "HelmRelease": (("spec",), _Places(objects=("values",))),
    "Release": (("spec", "forProvider"), _Places(objects=("values",), parameters=("set",))),
    "HelmChart": (("spec",), _Places(texts=("valuesContent",), parameters=("set",))),
    "HelmChartConfig": (("spec",), _Places(texts=("valuesContent",))),
}


def read(manifest: Manifest) -> list[Document]:
    """Return the documents for the values with which an object installs a chart."""
    documents: list[Document] = []
    for holder, places in _holders(manifest):
        layers = [*_texts(manifest, holder, places), *_objects(manifest, holder, places)]
        if places is _ARGO and len(layers) > 1:
            layers = layers[-1:]  # Argo CD ignores `values` if there is a `valuesObject`
        layers += _parameters(manifest, holder, places)
        for upper in range(len(layers)):
            documents += layered(layers[:upper], layers[upper])
    for document in documents:
        document.ignored = manifest.ignored
        # The defaults of the operator are found by this name, whoever installs its chart.
        if document.name != OPERATOR_DEFAULTS:
            document.name = f"{manifest.name} {document.name}"
    return documents


def layered(below: list[list[Document]], above: list[Document]) -> list[Document]:
    """Make each document in `above` override the earlier document of the same name, if any; return `above`.

    A setting that is overridden is removed from the earlier document, since it has no effect anywhere.
    """
    for document in above:
        lower = next((one for layer in reversed(below) for one in layer if one.name == document.name), None)
        if lower is None or lower.syntax != "map" or document.syntax != "map":
            continue
        document.overrides = lower
        lower.leave_out(document.effective.keys())
    return above


def _holders(manifest: Manifest) -> Iterator[tuple[Value, _Places]]:
    if manifest.kind in _PLACES:
        path, places = _PLACES[manifest.kind]
        holder = manifest.root.get(*path)
        if holder is not None:
            yield holder, places
        return
    for source in argo_sources(manifest.root):
        helm = source.get("helm")
        if helm is not None:
            yield helm, _ARGO


def argo_sources(root: Value) -> Iterator[Value]:
    """Yield the sources of an Argo CD Application, or of the template of an ApplicationSet."""
    path = ("spec", "template", "spec") if root.string("kind") == "ApplicationSet" else ("spec",)
    spec = root.get(*path)
    if spec is None:
        return
    single, several = spec.get("source"), spec.get("sources")
    if single is not None:
        yield single
    if several is not None:
        yield from several.items()[:_MAX_SOURCES]


def _texts(manifest: Manifest, holder: Value, places: _Places) -> Iterator[list[Document]]:
    for name in places.texts:
        value = holder.get(name)
        if value is not None and value.is_scalar:
            yield [
                *inner_documents(
                    manifest.path, manifest.text, manifest.file_format, value.extract(), HELM_VALUES, INLINE,
                    style=value.style,
                )
            ]  # fmt: skip


def _objects(manifest: Manifest, holder: Value, places: _Places) -> Iterator[list[Document]]:
    for name in places.objects:
        value = holder.get(name)
        if value is not None and value.is_mapping:
            yield values_documents(manifest.path, manifest.text, manifest.file_format, value)


def _parameters(manifest: Manifest, holder: Value, places: _Places) -> Iterator[list[Document]]:
    for name in places.parameters:
        listed = holder.get(name)
        parameters = [
            Parameter(
                named.text, named.span, given.raw if given.is_templated else given.text or "", given.span,
                is_text=item.string("forceString") == "true",
            )
            for item in (listed.items() if listed is not None else ())
            if (named := item.get("name")) is not None and named.text is not None
            if (given := item.get("value")) is not None and given.is_scalar
        ]  # fmt: skip
        if parameters:
            extract = parameters_text(manifest.text, parameters)
            yield [
                *inner_documents(
                    manifest.path, manifest.text, manifest.file_format, extract, HELM_VALUES, INLINE, style="flow",
                    of=ParameterDocument,
                )
            ]  # fmt: skip
