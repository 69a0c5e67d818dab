"""Edits of settings in files: where a new line goes, and whether an edit changes only what it promises."""
