"""The files listed in `configurations`, which add fields for kustomize's transformers to change."""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.formats.kustomize.field_paths import FieldSpec
from flink_flint.linter.formats.kustomize.field_specs import NameReference, TransformerConfig
from flink_flint.linter.formats.kustomize.fields import flag, mappings
from flink_flint.linter.formats.kustomize.object_tree import Mapping
from flink_flint.linter.formats.kustomize.problems import Refused

_SPEC_FIELDS = ("path", "create", "kind", "group", "version")
_TARGETS = {
    "commonLabels": "common_labels",
    "labels": "labels",
    "templateLabels": "template_labels",
    "commonAnnotations": "annotations",
    "namespace": "namespaces",
    "namePrefix": "prefixed",
    "nameSuffix": "suffixed",
    "images": "images",
    "replicas": "replicas",
}


def with_configuration(config: TransformerConfig, root: Mapping) -> TransformerConfig:
    """Return the fields that the transformers change, with the fields in a configuration file added.

    Raises `Refused` if a field is there already and only one of the two creates it.
    """
    changes = {
        name: _merged(getattr(config, name), _specs(root, key)) for key, name in _TARGETS.items() if key in root.values
    }
    references = list(config.references)
    for target in mappings(root, "nameReference", ("kind", "group", "version", "fieldSpecs")):
        specs = _specs(target, "fieldSpecs")
        references.append(NameReference(target.text("kind"), target.text("group"), target.text("version"), specs))
    return config._replace(**changes, references=tuple(references))


def merged_configs(one: TransformerConfig, other: TransformerConfig) -> TransformerConfig:
    """Return the union of the fields that the transformers change according to two configurations."""
    if one is other or one == other:
        return one
    changes = {name: _merged(getattr(one, name), getattr(other, name)) for name in _TARGETS.values()}
    more = tuple(reference for reference in other.references if reference not in one.references)
    return one._replace(**changes, references=(*one.references, *more))


def _specs(root: Mapping, key: str) -> tuple[FieldSpec, ...]:
    return tuple(_spec(item) for item in mappings(root, key, _SPEC_FIELDS))


def _spec(item: Mapping) -> FieldSpec:
    path = item.text("path")
    if not path:
        raise Refused("a field has no path", item.origin)
    return FieldSpec(path, item.text("kind"), item.text("group"), item.text("version"), flag(item, "create"))


def _merged(old: tuple[FieldSpec, ...], new: Iterable[FieldSpec]) -> tuple[FieldSpec, ...]:
    known = {spec._replace(creates=False) for spec in old}
    return (*old, *(spec for spec in new if spec._replace(creates=False) not in known))
