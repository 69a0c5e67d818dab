"""Pods of the operator that request the sidecar of a service mesh."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._pods import CLUSTERS, resources

INJECT = "sidecar.istio.io/inject"
_EXCLUDED = ("excludeInboundPorts", "excludeOutboundPorts")


def sidecars(config: View, templates: Collection[str]) -> Iterator[tuple[ElementView, str]]:
    """Yield the resources and fields that request Istio's sidecar without excluding ports from it."""
    for resource in resources(config, *CLUSTERS):
        for template in templates:
            metadata = resource.path(f"{template}.metadata")
            if any(resource.part.has(f"{metadata}.annotations.traffic.sidecar.istio.io/{name}") for name in _EXCLUDED):
                continue
            for kind in ("labels", "annotations"):
                name = f"{metadata}.{kind}.{INJECT}"
                if resource.part.flag(name):
                    yield resource.part, name
