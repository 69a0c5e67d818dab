"""Fixes: proposed as data by rules, resolved to edits, proven, and applied."""
