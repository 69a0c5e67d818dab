"""Parsers of generic syntaxes that keep the position of every key and value: YAML, JSON, TOML, HOCON, HCL, and XML."""
