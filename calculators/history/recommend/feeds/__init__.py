"""Inputs of calculators beyond those that single metrics supply: one module per subject."""
