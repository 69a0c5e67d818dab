"""Comparison of two revisions: changed lines, the base revision, and findings that a change hides."""
