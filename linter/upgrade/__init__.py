"""`flint upgrade`: how upgrading Flink affects the given files."""
