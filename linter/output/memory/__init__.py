"""The memory of Flink processes in output: how it is derived, drawn as bars, and split into components."""
