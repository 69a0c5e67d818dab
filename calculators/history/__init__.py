"""Recommendations for Flink settings, learned from months of metrics."""
