"""Signals that need several metrics, or several subtasks, at one instant."""
