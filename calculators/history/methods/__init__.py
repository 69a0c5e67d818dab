"""Methods that learn a capacity from past demand: flint's two methods, and baselines to compare them with."""
