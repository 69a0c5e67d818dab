"""Helm charts and kustomizations, rendered by flint itself or, on request, by Helm and kustomize."""
