"""Real clusters on this machine: what flint advises, tried out."""
