"""Flink's own configuration files, ``flink-conf.yaml`` and ``config.yaml``, alone or embedded in other files."""
