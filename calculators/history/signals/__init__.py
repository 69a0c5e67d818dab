"""Signals computed from several metrics or several subtasks at one instant."""
