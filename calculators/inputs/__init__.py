"""Declarations of calculator inputs that are too long for the calculators' own modules."""
