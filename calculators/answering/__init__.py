"""Declarations of inputs, and the answers of calculators."""
