"""The commands of `flint`, one thin module each."""
