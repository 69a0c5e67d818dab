"""`flint migrate`: converts a `flink-conf.yaml` to a `config.yaml` from which Flink loads the same settings."""
