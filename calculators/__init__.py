"""Calculators that size Flink settings: pure functions from inputs with units to values and the reasoning for them."""
