"""Kubernetes objects with which Argo CD, Flux, Crossplane, and K3s deploy applications."""
