"""Edits of settings in files: where to insert a new line, and verification that an edit changes only what it should."""
