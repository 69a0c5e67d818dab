"""Methods that learn a capacity from past demand: flint's two, and the baselines they are compared with."""
