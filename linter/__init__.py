"""flint reads Apache Flink configuration the way Flink itself will."""

__version__ = "0.1.0"
