"""Calculators that size Flink settings: pure functions from inputs with units to values and their reasoning."""
