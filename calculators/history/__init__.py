"""Recommendations from months of metrics."""
