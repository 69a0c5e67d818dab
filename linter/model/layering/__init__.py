"""Finds which document of a run overrides which: each module knows one kind of reason, by names and paths alone."""
