"""Sources of histories: one module per kind, each recognizing its own files."""
