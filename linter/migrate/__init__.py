"""`flint migrate`: a `flink-conf.yaml` as a `config.yaml` that Flink loads to the same map."""
