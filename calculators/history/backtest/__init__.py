"""Backtests: methods learn from past days and are scored on the following day, repeated over all days of a trace."""
