"""The documentation pages, and the generators of those that come from the code."""
