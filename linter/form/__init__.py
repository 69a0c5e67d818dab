"""The interactive `flint size`."""
