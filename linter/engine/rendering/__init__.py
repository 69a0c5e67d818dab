"""Charts and kustomizations, checked as they are rendered: by flint itself, or by the real programs on request."""
