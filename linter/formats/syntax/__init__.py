"""Parsers of YAML, JSON, TOML, HOCON, HCL, and XML that keep the position of every key and value."""
