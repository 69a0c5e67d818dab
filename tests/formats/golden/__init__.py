"""Texts in which the places of keys and values are marked, by file format; see `tests.formats.test_golden_ranges`."""
