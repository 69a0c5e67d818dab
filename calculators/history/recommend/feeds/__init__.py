"""Calculator inputs that need more than one metric; each module covers one subject."""
