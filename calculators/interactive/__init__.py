"""The interactive form of `flint size`, in the terminal and in a browser."""
