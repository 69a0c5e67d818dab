"""Ways to learn a capacity from what a series demanded so far: flint's two and the ones it is measured against."""
