"""Comparison of two revisions: changed lines, the base revision, and what a change hides."""
