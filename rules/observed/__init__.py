"""Rules that compare the configuration with observed metrics; they require `--history`."""
