"""Recommendations from the history in a store."""
