"""Input declarations of the calculators, where they are too long for the calculator's module."""
