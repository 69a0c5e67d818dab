"""Signals computed from several metrics or subtasks at the same time."""
