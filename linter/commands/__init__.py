"""The commands of `flint`, one thin module per command."""
