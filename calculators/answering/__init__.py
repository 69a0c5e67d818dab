"""Declarations of calculator inputs, and the types of calculators and their answers."""
