"""Calculators that size Flink settings: pure functions that compute values, with the reasoning, from given inputs."""
