"""Jupyter and Zeppelin notebooks with Flink SQL and PyFlink cells."""
