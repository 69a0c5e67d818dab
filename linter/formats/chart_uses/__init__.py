"""Finds the Helm releases that the files of a repository install from its own charts, with their values."""
