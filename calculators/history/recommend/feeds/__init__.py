"""Calculator inputs that are computed from more than one metric; each module covers one subject."""
