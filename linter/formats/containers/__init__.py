"""Containers that run Flink: Docker Compose files and Dockerfiles."""
