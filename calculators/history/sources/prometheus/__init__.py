"""Prometheus and compatible servers as a source: over HTTP, from saved responses and from exports."""
