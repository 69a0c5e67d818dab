"""Parts of answers that several calculators share, or that are too long for the calculator's module."""
