"""Texts with marked spans of keys and values, by file format; see `tests.formats.test_golden_ranges`."""
