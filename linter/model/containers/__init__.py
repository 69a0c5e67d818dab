"""Containers that run Flink: their images, the files in them, and the Services that route to them."""
