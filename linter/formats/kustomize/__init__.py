"""Kustomize: settings in kustomizations and patches, and builds without the `kustomize` program."""
