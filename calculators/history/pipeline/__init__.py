"""Importing samples into a store, aging it, and reading it back."""
