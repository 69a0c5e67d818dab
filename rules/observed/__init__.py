"""Rules that compare what is configured with what was observed; they want `--history`."""
