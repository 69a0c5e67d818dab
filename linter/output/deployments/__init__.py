"""How `flint show` prints deployments: their processes, and what differs between two of them."""
