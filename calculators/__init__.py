"""Calculators: what should a value be? Pure functions from inputs with units to values and reasoning."""
