"""Calculator inputs that need more than a single metric: one module per subject."""
