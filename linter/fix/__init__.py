"""Fixes as data: resolved to edits, proven, and applied."""
