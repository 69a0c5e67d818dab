"""Parts of answers that several calculators share, or that are too long for the module of their calculator."""
