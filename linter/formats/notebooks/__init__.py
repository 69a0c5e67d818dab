"""Notebooks of Jupyter and Zeppelin with cells of Flink SQL and PyFlink."""
