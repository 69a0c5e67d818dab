"""Metrics of months turned into recommendations: sources, the Spark pipeline, the store, signals and methods."""
