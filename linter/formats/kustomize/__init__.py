"""Kustomize: ConfigMap generators and inline patches."""
