"""Texts in which the places of keys and values are marked, by carrier; see `tests.formats.test_golden_ranges`."""
