"""Signals: series that are computed from several metrics or subtasks at the same time."""
