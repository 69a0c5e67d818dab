"""What the calculators ask, where the declaration is too long to stand in the module of its calculator."""
