"""The canonical long form of samples, as CSV, JSON lines and Parquet."""
