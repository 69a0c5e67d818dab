"""Parsers of YAML, JSON, TOML, HOCON, HCL, XML, and Java properties that keep the position of every key and value."""
