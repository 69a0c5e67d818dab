"""Terraform modules with Flink resources on AWS."""
