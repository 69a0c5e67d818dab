"""Helm charts rendered without Helm: Go templates, their functions, and the merging of values."""
