"""Backtests: learning on past days and scoring on the following day, over all days of a trace."""
