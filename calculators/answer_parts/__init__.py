"""Pieces of answers that are too long for the module of their calculator."""
