"""`flint upgrade`: the effects of upgrading Flink on given files."""
