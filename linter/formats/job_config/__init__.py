"""A job's own configuration files with Flink settings: properties, HOCON, TOML, YAML, and JSON."""
