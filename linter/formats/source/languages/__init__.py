"""Readers of the languages of programs: each converts source code to the tree of `program_tree`."""
