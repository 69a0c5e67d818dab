"""The memory of Flink processes in outputs: derived, as bars, by component."""
