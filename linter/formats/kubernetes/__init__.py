"""Objects of Kubernetes manifests, a module for each family of kinds.

Each module has a function ``read(manifest)`` that gives the documents of one object; none where it has nothing to do
with Flink.
"""
