"""Backtests: methods learn from past days and are scored on the following day, for each day of a trace."""
