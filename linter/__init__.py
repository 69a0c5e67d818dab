"""flint, a linter that reads Apache Flink configuration exactly as Flink does."""

__version__ = "0.1.0"
