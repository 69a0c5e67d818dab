"""Kubernetes manifests, with a module for each family of kinds.

The function ``read(manifest)`` of each module returns the documents of one object, or none if it is unrelated to
Flink.
"""
