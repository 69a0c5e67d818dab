"""Output of `flint show`: the processes of deployments, and the differences between two deployments."""
