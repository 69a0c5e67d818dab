"""Pods of the operator that ask for the sidecar of a service mesh."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._pods import CLUSTERS, resources

INJECT = "sidecar.istio.io/inject"
_EXCLUDED = ("excludeInboundPorts", "excludeOutboundPorts")


def sidecars(config: View, templates: Collection[str]) -> Iterator[tuple[ElementView, str]]:
    """Where pod templates of a resource ask for Istio's sidecar and keep no port from it: the resource, the field."""
    for resource in resources(config, *CLUSTERS):
        for template in templates:
            metadata = resource.path(f"{template}.metadata")
            if any(resource.part.has(f"{metadata}.annotations.traffic.sidecar.istio.io/{name}") for name in _EXCLUDED):
                continue
            for kind in ("labels", "annotations"):
                name = f"{metadata}.{kind}.{INJECT}"
                if resource.part.flag(name):
                    yield resource.part, name
