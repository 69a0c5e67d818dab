"""What editors ask of flint: the language server, and the JSON Schema of a configuration."""
