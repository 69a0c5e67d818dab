"""Helm values files for the Flink operator, for applications, and for Ververica Platform."""
